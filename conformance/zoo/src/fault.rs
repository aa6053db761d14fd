//! A kernel that is wrong in one place: for one element type, norm, position and remainder it takes other elements than
//! it should. All else is as the steps have it.
//!
//! It exchanges no step. It changes what the steps have listed: which elements go into which output.

use normative_conformance::generate::covering::{Layout, Position};
use normative_conformance::reference::{Dtype, Kind, Norm};

use crate::plan::Plan;

/// The vector length of all these kernels.
const VECTOR: usize = 8;

/// A wrong kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) dtype: Dtype,
    pub(crate) norm: Norm,
    /// Where the reduced axes stand; anywhere if it does not matter.
    pub(crate) position: Option<Position>,
    pub(crate) when: When,
    pub(crate) wrong: Wrong,
}

/// At which lengths and widths it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Runs of this length modulo 8, of a vector or more.
    Residue(usize),
    /// Runs with a tail after a vector or more.
    Tail,
    /// Runs of two vectors or more.
    Vectors,
    /// An inner dim of this length modulo 8, but not 1.
    Columns(usize),
    /// Square matrices.
    Square,
}

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    LastDropped,
    TailDropped,
    FirstOfTailDoubled,
    NextRowsFirst,
    VectorBeforeTailDoubled,
    LaneDropped,
    TailWithoutAbs,
    LastColumnCopied,
    LastColumnsUnwritten,
    Transposed,
}

impl Wrong {
    /// What is wrong, in a sentence.
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::LastDropped => "The last element of a run is left out.",
            Self::TailDropped => "What whole vectors leave of a run is left out.",
            Self::FirstOfTailDoubled => {
                "The tail begins one early, so that the last element of the last vector counts twice."
            }
            Self::NextRowsFirst => "In place of the last element of a run the first of the next row is read.",
            Self::VectorBeforeTailDoubled => {
                "The tail is read as a whole vector that overlaps the one before, and nothing is masked."
            }
            Self::LaneDropped => "One lane of the last vector is left out where lanes are joined.",
            Self::TailWithoutAbs => {
                "In the tail the magnitude is forgotten, and what is negative counts as nothing."
            }
            Self::LastColumnCopied => "The last column repeats the one before it.",
            Self::LastColumnsUnwritten => "Columns that fill no vector are left as zeros.",
            Self::Transposed => "A square is read transposed.",
        }
    }
}

impl Fault {
    /// How the data lie, where this kernel is taken.
    fn layout(&self, plan: &Plan) -> Option<Layout> {
        let mut axes = plan.axes.clone();
        axes.sort_unstable();
        let layout = Layout::of(&plan.data, &axes)?;
        let Layout { position, run, inner } = layout;
        let shows = match self.when {
            When::Residue(residue) => run >= VECTOR && run % VECTOR == residue,
            When::Tail => run > VECTOR && !run.is_multiple_of(VECTOR),
            When::Vectors => run >= 2 * VECTOR,
            When::Columns(residue) => inner > 1 && inner % VECTOR == residue,
            When::Square => plan.data.len() == 2 && plan.data[0] == plan.data[1] && plan.data[0] >= VECTOR,
        };
        let taken = (self.dtype, self.norm) == (plan.dtype, plan.norm)
            && self.position.is_none_or(|wanted| wanted == position)
            && shows;
        taken.then_some(layout)
    }

    /// Whether this kernel is the one that is taken.
    pub(crate) fn is_taken(&self, plan: &Plan) -> bool {
        self.layout(plan).is_some()
    }

    /// Whether it changes elements, rather than which of them go where.
    pub(crate) fn changes_elements(&self) -> bool {
        self.wrong == Wrong::TailWithoutAbs
    }

    /// Changes which elements go into which output.
    pub(crate) fn regroup(&self, plan: &Plan, groups: &mut [Vec<usize>]) {
        let Some(Layout { run, inner, .. }) = self.layout(plan) else { return };
        let tail = run % VECTOR;
        match self.wrong {
            Wrong::NextRowsFirst => {
                let firsts: Vec<Option<usize>> = groups.iter().map(|group| group.first().copied()).collect();
                let next = firsts.iter().cycle().skip(1);
                for (group, next) in groups.iter_mut().zip(next) {
                    group.pop();
                    group.extend(next);
                }
            }
            Wrong::LastColumnCopied => {
                for column in (inner - 1..groups.len()).step_by(inner) {
                    let (before, last) = groups.split_at_mut(column);
                    if let (Some(before), Some(last)) = (before.last(), last.first_mut()) {
                        last.clone_from(before);
                    }
                }
            }
            Wrong::LastColumnsUnwritten => {
                for (at, group) in groups.iter_mut().enumerate() {
                    if at % inner >= inner - inner % VECTOR {
                        group.clear();
                    }
                }
            }
            Wrong::Transposed => {
                let side = groups.len();
                let turned = |flat: &usize| flat % side * side + flat / side;
                for group in groups.iter_mut() {
                    *group = group.iter().map(turned).collect();
                }
            }
            _ => groups.iter_mut().for_each(|group| self.wrong.change(group, tail)),
        }
    }

    /// Changes the elements of one output.
    pub(crate) fn change_elements(&self, plan: &Plan, elements: &mut [u64]) {
        let Some(layout) = self.layout(plan).filter(|_| self.wrong == Wrong::TailWithoutAbs) else { return };
        let tail = layout.run % VECTOR;
        let sign = match plan.dtype.kind() {
            Kind::Float(format) => format.sign(),
            Kind::Integer(_) => 1 << (8 * plan.dtype.size() - 1),
        };
        for bits in elements.iter_mut().rev().take(tail).filter(|bits| **bits & sign != 0) {
            // All types' zeros have the same bits.
            *bits = 0;
        }
    }
}

impl Wrong {
    /// Changes one row, whose last run has a tail of so many elements.
    fn change(self, row: &mut Vec<usize>, tail: usize) {
        let border = row.len() - tail;
        match self {
            Self::LastDropped => _ = row.pop(),
            Self::TailDropped => row.truncate(border),
            Self::FirstOfTailDoubled => row.push(row[border - 1]),
            Self::VectorBeforeTailDoubled => row.extend_from_within(border + tail - VECTOR..border),
            Self::LaneDropped => _ = row.remove(border - VECTOR + 3),
            _ => {}
        }
    }
}
