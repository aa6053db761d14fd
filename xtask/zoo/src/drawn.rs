//! Draws wrong kernels from a seed: each is wrong under three to five conditions, and right otherwise.
//!
//! The authors of [`mutants`](crate::mutants()) know the cases and the generator. Drawn kernels are free of
//! that bias: the share that a default run finds estimates how it does on unforeseen defects.

use std::fmt::{self, Write as _};

use normative_conformance::generate::covering::{Kernel, MOST, Position};
use normative_conformance::parallel::each;
use normative_conformance::random::splitmix64;
use normative_conformance::reference::{Dtype, Norm};

use crate::bench::Bench;
use crate::generated::PreparedRow;
use normative_rules::fault::{KernelFault, When, Wrong};
use normative_rules::plan::Readings;
use normative_rules::steps::{Implementation, Steps};

/// A wrong kernel.
#[derive(Clone, Copy, Debug)]
pub struct Drawn(KernelFault);

/// The results of drawn kernels.
#[derive(Clone, Debug)]
pub struct DrawnResults {
    /// Each kernel, true if a case finds it, and the number of the generated call that does.
    pub each: Vec<(Drawn, bool, Option<usize>)>,
}

/// Numbers drawn from a seed.
struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.drawn += 1;
        (splitmix64(self.seed, self.drawn) >> 32) as usize % count
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Returns the first `count` kernels of a seed that some call can reach.
pub fn drawn(seed: u64, count: usize) -> Vec<Drawn> {
    let mut random = Random { seed, drawn: 0 };
    let any = std::iter::repeat_with(|| Drawn(draw(&mut random)));
    any.filter(Drawn::is_possible).take(count).collect()
}

/// Draws three to five of six conditions, and a mistake.
fn draw(random: &mut Random) -> KernelFault {
    let mut holds = [true; 6];
    let mut left_out = 6 - (3 + random.below(3));
    while left_out > 0 {
        let at = random.below(6);
        left_out -= usize::from(holds[at]);
        holds[at] = false;
    }
    let [by_type, by_norm, by_position, by_length, by_columns, by_kept] = holds;
    let dtype = random.pick(&Dtype::ALL);
    let norm = random.pick(&[Norm::L1, Norm::L2]);
    let position = random.pick(&Position::ALL);
    let remainder = |random: &mut Random, moduli: &[usize]| {
        let by = random.pick(moduli);
        (by, random.below(by))
    };
    let length = if random.below(2) == 0 {
        When::AtLeast(random.pick(&[16, 32, 64, 128, 256, 512, 1024]))
    } else {
        let (by, is) = remainder(random, &[2, 3, 4, 5, 6, 7, 8, 16]);
        When::Remainder { by, is }
    };
    let columns = if random.below(2) == 0 {
        When::ColumnsAtLeast(random.pick(&[8, 16, 32, 64]))
    } else {
        let (by, is) = remainder(random, &[2, 3, 4, 8]);
        When::ColumnsRemainder { by, is }
    };
    let kept = match random.below(3) {
        0 => When::RowsAtLeast(random.pick(&[2, 3, 5, 16, 32])),
        1 => When::Keep(false),
        _ => When::Keep(true),
    };
    let wrong =
        random.pick(&[Wrong::LastDropped, Wrong::FirstDropped, Wrong::NextRowsFirst, Wrong::LaneStale]);
    let when = |holds: bool, when: When| if holds { when } else { When::Always };
    KernelFault {
        dtype: by_type.then_some(dtype),
        norm: by_norm.then_some(norm),
        position: by_position.then_some(position),
        when: [when(by_length, length), when(by_columns, columns), when(by_kept, kept)],
        wrong,
    }
}

impl Drawn {
    /// Returns true if some call can reach it: the position has the dims that the conditions need, a
    /// generated call may have as many elements, and 16-bit types can show one element of so long a run.
    fn is_possible(&self) -> bool {
        let (mut run, mut columns, mut rows) = (1, 1, 1);
        for when in self.0.when {
            match when {
                When::AtLeast(least) => run = least,
                When::Remainder { by, is } => run = if is == 0 { by } else { is },
                When::ColumnsAtLeast(least) => columns = least,
                When::ColumnsRemainder { by, .. } => columns = by.max(2),
                When::RowsAtLeast(least) => rows = least,
                _ => {}
            }
        }
        let lies = match self.0.position {
            Some(Position::All) => (columns, rows) == (1, 1),
            Some(Position::Inner) => columns == 1,
            Some(Position::Outer) => rows == 1,
            Some(Position::Middle | Position::Several) | None => true,
        };
        let tells = self.0.dtype.is_none_or(|dtype| run <= Kernel::longest(dtype));
        lies && tells && run * columns * rows <= MOST
    }

    /// Returns the implementation.
    pub fn backend(&self) -> Implementation {
        let mut steps = Steps::honest(Readings::default());
        steps.fault = Some(self.0);
        Implementation::new("drawn", steps)
    }
}

/// Asks each kernel the cases and the generated calls.
pub fn found(drawn: &[Drawn], bench: &Bench<'_>, row: &PreparedRow) -> DrawnResults {
    let each = each(drawn, |drawn| {
        let by_case = !bench.trial(&mut drawn.backend()).kills.is_empty();
        (*drawn, by_case, row.calls_until_found(&mut drawn.backend()))
    });
    DrawnResults { each }
}

impl DrawnResults {
    /// Returns the numbers of kernels found by cases, by generated calls, and by either.
    pub fn counts(&self) -> [usize; 3] {
        let count =
            |is: fn(&(Drawn, bool, Option<usize>)) -> bool| self.each.iter().filter(|one| is(one)).count();
        [count(|one| one.1), count(|one| one.2.is_some()), count(|one| one.1 || one.2.is_some())]
    }

    /// Returns true if a run finds three of four.
    pub fn is_enough(&self) -> bool {
        4 * self.counts()[2] >= 3 * self.each.len()
    }

    /// Writes the kernels that nothing finds, and the counts.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for (Drawn(fault), ..) in
            self.each.iter().filter(|(_, by_case, by_call)| !by_case && by_call.is_none())
        {
            let mut conditions = String::new();
            write!(conditions, "{:?} {:?} {:?}", fault.dtype, fault.norm, fault.position)?;
            fault
                .when
                .iter()
                .filter(|when| **when != When::Always)
                .try_for_each(|when| write!(conditions, " {when:?}"))?;
            writeln!(out, "not found: {conditions}: {}", fault.wrong.sentence())?;
        }
        let [cases, generated, either] = self.counts();
        let all = self.each.len();
        writeln!(
            out,
            "of {all} drawn kernels cases find {cases}, generated calls {generated}, a default run {either}"
        )
    }
}
