//! A kernel that is wrong in one place: for one element type, norm, position and remainder it reads the wrong
//! elements. Everything else follows the steps.
//!
//! It replaces no step, but changes their result: the list of elements for each output.

use normative_conformance::generate::covering::{Placement, Position};
use normative_conformance::reference::{Dtype, Kind, Norm};

use crate::plan::Plan;

/// The vector length of all these kernels.
const VECTOR: usize = 8;

/// A wrong kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelFault {
    /// The element type; `None` for any.
    pub dtype: Option<Dtype>,
    /// The norm; `None` for both.
    pub norm: Option<Norm>,
    /// The position of the reduced axes; `None` for any.
    pub position: Option<Position>,
    /// The lengths, widths and forms, all of which must hold.
    pub when: [When; 3],
    /// The mistake.
    pub wrong: Wrong,
}

/// A condition on lengths, widths and forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always true.
    Always,
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
    /// Runs of this length and longer.
    AtLeast(usize),
    /// Runs whose length leaves a remainder.
    Remainder {
        /// The divisor.
        by: usize,
        /// The remainder.
        is: usize,
    },
    /// This many columns and more.
    ColumnsAtLeast(usize),
    /// An inner dim, but not 1, that leaves a remainder.
    ColumnsRemainder {
        /// The divisor.
        by: usize,
        /// The remainder.
        is: usize,
    },
    /// This many rows and more.
    RowsAtLeast(usize),
    /// True if reduced dims are kept, or dropped.
    Keep(bool),
}

impl When {
    fn holds(self, plan: &Plan, Placement { run, inner, rows, .. }: Placement) -> bool {
        match self {
            Self::Always => true,
            Self::Residue(residue) => run >= VECTOR && run % VECTOR == residue,
            Self::Tail => run > VECTOR && !run.is_multiple_of(VECTOR),
            Self::Vectors => run >= 2 * VECTOR,
            Self::Columns(residue) => inner > 1 && inner % VECTOR == residue,
            Self::Square => plan.data.len() == 2 && plan.data[0] == plan.data[1] && plan.data[0] >= VECTOR,
            Self::AtLeast(length) => run >= length,
            Self::Remainder { by, is } => run % by == is,
            Self::ColumnsAtLeast(columns) => inner >= columns,
            Self::ColumnsRemainder { by, is } => inner > 1 && inner % by == is,
            Self::RowsAtLeast(least) => rows >= least,
            Self::Keep(keep) => plan.keep == keep,
        }
    }
}

/// The mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each has its sentence")]
pub enum Wrong {
    LastDropped,
    FirstDropped,
    LaneStale,
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
    /// Returns the mistake in a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::LastDropped => "The last element of a run is left out.",
            Self::FirstDropped => "The first element of a run is left out.",
            Self::LaneStale => "One lane holds the element of the row before.",
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

impl KernelFault {
    /// Returns the layout of the data if this kernel is used.
    fn placement(&self, plan: &Plan) -> Option<Placement> {
        let mut axes = plan.axes.clone();
        axes.sort_unstable();
        let placement = Placement::of(&plan.data, &axes)?;
        let taken = self.dtype.is_none_or(|wanted| wanted == plan.dtype)
            && self.norm.is_none_or(|wanted| wanted == plan.norm)
            && self.position.is_none_or(|wanted| wanted == placement.position)
            && self.when.iter().all(|when| when.holds(plan, placement));
        taken.then_some(placement)
    }

    /// Returns true if this kernel is used.
    pub fn is_taken(&self, plan: &Plan) -> bool {
        self.placement(plan).is_some()
    }

    /// Returns true if it changes elements rather than their assignment to outputs.
    pub fn changes_elements(&self) -> bool {
        self.wrong == Wrong::TailWithoutAbs
    }

    /// Changes the list of elements for each output.
    pub fn regroup(&self, plan: &Plan, groups: &mut [Vec<usize>]) {
        let Some(Placement { run, inner, .. }) = self.placement(plan) else { return };
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
            Wrong::LaneStale => {
                let lane = |group: &[usize]| group.len() - group.len().min(4);
                let stale: Vec<Option<usize>> =
                    groups.iter().map(|group| group.get(lane(group)).copied()).collect();
                let before = stale.iter().cycle().skip(groups.len().saturating_sub(1));
                let alone = groups.len() == 1;
                for (group, before) in groups.iter_mut().zip(before) {
                    let at = lane(group);
                    match before {
                        // For a single row the lane keeps its initial 0.
                        Some(_) if alone => _ = group.remove(at),
                        Some(before) => group[at] = *before,
                        // The row has no elements.
                        None => {}
                    }
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
    pub fn change_elements(&self, plan: &Plan, elements: &mut [u64]) {
        let Some(placement) = self.placement(plan).filter(|_| self.wrong == Wrong::TailWithoutAbs) else {
            return;
        };
        let tail = placement.run % VECTOR;
        let sign = match plan.dtype.kind() {
            Kind::Float(format) => format.sign(),
            Kind::Integer(_) => 1 << (8 * plan.dtype.size() - 1),
        };
        for bits in elements.iter_mut().rev().take(tail).filter(|bits| **bits & sign != 0) {
            // Zero has the same bits in all types.
            *bits = 0;
        }
    }
}

impl Wrong {
    /// Changes one row, whose last run has a tail of `tail` elements.
    fn change(self, row: &mut Vec<usize>, tail: usize) {
        let border = row.len() - tail;
        match self {
            Self::LastDropped => _ = row.pop(),
            Self::FirstDropped if !row.is_empty() => _ = row.remove(0),
            Self::TailDropped => row.truncate(border),
            Self::FirstOfTailDoubled => row.push(row[border - 1]),
            Self::VectorBeforeTailDoubled => row.extend_from_within(border + tail - VECTOR..border),
            Self::LaneDropped => _ = row.remove(border - VECTOR + 3),
            _ => {}
        }
    }
}
