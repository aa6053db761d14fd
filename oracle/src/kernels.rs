//! The loops that take the time, compiled once more for the vectors of AVX2 where a processor has them.
//!
//! They add in lanes, [`LANES`] of them side by side; nothing here knows what is exact. What each gives back does not
//! depend on the instructions it is compiled to: no operation is left to choose where it rounds.

#![allow(clippy::inline_always, reason = "what is not inlined is not compiled for those vectors")]
#![allow(clippy::needless_range_loop, reason = "rows and sums are walked side by side")]

use pulp::{Arch, NullaryFnOnce};

use crate::block::{LANES, Term, greater, lesser};

/// A number for each lane.
pub(crate) type Lanes<F> = [F; LANES];

/// The least and the greatest of each lane, NaNs aside; beginning with these.
pub(crate) fn extremes<F: Term>(block: &[Lanes<F>], first: Lanes<F>) -> (Lanes<F>, Lanes<F>) {
    Arch::new().dispatch(Extremes { block, first })
}

struct Extremes<'a, F> {
    block: &'a [Lanes<F>],
    first: Lanes<F>,
}

impl<F: Term> NullaryFnOnce for Extremes<'_, F> {
    type Output = (Lanes<F>, Lanes<F>);

    #[inline(always)]
    fn call(self) -> Self::Output {
        let (mut least, mut greatest) = (self.first, self.first);
        for row in self.block {
            for lane in 0..LANES {
                least[lane] = lesser(least[lane], row[lane]);
                greatest[lane] = greater(greatest[lane], row[lane]);
            }
        }
        (least, greatest)
    }
}

/// Running sums, and what rounding took from them.
#[derive(Clone, Copy)]
pub(crate) struct PartialSums {
    pub(crate) high: Lanes<f64>,
    pub(crate) low: Lanes<f64>,
}

impl PartialSums {
    /// Those that begin with this.
    pub(crate) fn from(start: Lanes<f64>) -> Self {
        Self { high: start, low: [0.0; LANES] }
    }

    #[inline(always)]
    fn add(&mut self, lane: usize, x: f64) {
        let t = self.high[lane] + x;
        self.low[lane] += x - (t - self.high[lane]);
        self.high[lane] = t;
    }
}

/// Adds the term of every element to its lane.
pub(crate) fn add_up<F: Copy>(block: &[Lanes<F>], term: impl Fn(F) -> f64, sums: PartialSums) -> PartialSums {
    Arch::new().dispatch(AddUp { block, term, sums })
}

struct AddUp<'a, F, T> {
    block: &'a [Lanes<F>],
    term: T,
    sums: PartialSums,
}

impl<F: Copy, T: Fn(F) -> f64> NullaryFnOnce for AddUp<'_, F, T> {
    type Output = PartialSums;

    #[inline(always)]
    fn call(self) -> PartialSums {
        let mut sums = self.sums;
        for row in self.block {
            for lane in 0..LANES {
                sums.add(lane, (self.term)(row[lane]));
            }
        }
        sums
    }
}

/// Adds every square to its lane in two parts: as it is rounded, and what that took.
pub(crate) fn add_up_squares(
    block: &[Lanes<f64>],
    squares: PartialSums,
    rests: PartialSums,
) -> (PartialSums, PartialSums) {
    Arch::new().dispatch(AddUpSquares { block, squares, rests })
}

struct AddUpSquares<'a> {
    block: &'a [Lanes<f64>],
    squares: PartialSums,
    rests: PartialSums,
}

impl NullaryFnOnce for AddUpSquares<'_> {
    type Output = (PartialSums, PartialSums);

    #[inline(always)]
    fn call(self) -> Self::Output {
        let (mut squares, mut rests) = (self.squares, self.rests);
        for row in self.block {
            for lane in 0..LANES {
                let x = row[lane];
                let square = x * x;
                squares.add(lane, square);
                rests.add(lane, x.mul_add(x, -square));
            }
        }
        (squares, rests)
    }
}

/// Whether a processor has one instruction for `x · y + z`. Where it has none, `mul_add` is slow.
pub(crate) fn fuses() -> bool {
    #[cfg(target_arch = "x86_64")]
    return matches!(Arch::new(), Arch::V3(_));
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}
