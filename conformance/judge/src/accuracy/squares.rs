//! Decides if sums of unscaled squares must, or may, overflow or underflow.
//!
//! Uses only the sum of squares and the number of terms.

use std::fmt;

use normative_reference::arithmetic::{Range, Subnormals};
use normative_reference::{FloatFormat, Near, Real, Term};

use super::scaled::{OUR_OWN_ROUNDING, Scaled};
use super::steps::{RoundingSteps, name, unit_roundoff};

/// The cause that forces an answer far from the norm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// The sum of squares overflows in this format.
    SumOverflows(FloatFormat),
    /// A square overflows in this format.
    SquareOverflows(FloatFormat),
    /// Every square is rounded to zero, or flushed, in this format.
    SquaresUnderflow(FloatFormat),
    /// The sum of squares is rounded to zero, or flushed, in this format.
    SumUnderflows(FloatFormat),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SumOverflows(format) => {
                write!(f, "the sum of squares exceeds the range of {}", name(format))
            }
            Self::SquareOverflows(format) => write!(f, "a square exceeds the range of {}", name(format)),
            Self::SquaresUnderflow(format) => write!(f, "every square underflows in {}", name(format)),
            Self::SumUnderflows(format) => write!(f, "the sum of squares underflows in {}", name(format)),
        }
    }
}

/// Returns true if the reading squares without scaling.
pub(super) fn squares_may_leave(near: &Near) -> bool {
    near.norm.term() == Term::Square && near.arithmetic.range != Range::Scaled
}

/// Returns true if all squares vanish and this reading allows to compute the norm again. The norm may then be 0.
pub(super) fn rescued_from_zero(value: &Real, near: &Near, steps: RoundingSteps) -> bool {
    near.norm.term() == Term::Square
        && near.arithmetic.range == Range::Rescued
        && !value.is_zero()
        && Squares::of(value, near, steps).must_underflow(near).is_some()
}

/// Returns log2 of the most that rounding to a subnormal, or flushing, takes from a result.
pub(super) fn least_exponent(format: FloatFormat, flushes: bool) -> i64 {
    i64::from(if flushes { format.min_exponent } else { format.quantum() - 1 })
}

/// A sum of squares, and the factors that its computed value lies between.
pub(super) struct Squares {
    sum: Scaled,
    steps: RoundingSteps,
    least: f64,
    most: f64,
}

impl Squares {
    pub(super) fn of(value: &Real, near: &Near, steps: RoundingSteps) -> Self {
        let sum = Scaled::from_integer(&value.significand, value.exponent.into());
        let (least, most) = match steps.gamma() {
            Some(gamma) => (1.0 - gamma, 1.0 + gamma),
            None => (0.0, 2.0 * (1.0 + near.terms as f64 * unit_roundoff(steps.sums))),
        };
        let (least, most) = (least * (1.0 - OUR_OWN_ROUNDING), most * (1.0 + OUR_OWN_ROUNDING));
        Self { sum, steps, least, most }
    }

    /// Returns the sum in units of `2^exponent`.
    fn over(&self, exponent: i64) -> f64 {
        self.sum.times_power(-exponent).to_f64()
    }

    /// Returns the format with the smallest range that the sum is held in.
    fn holds_sum(&self) -> FloatFormat {
        let RoundingSteps { sums, root, casts, .. } = self.steps;
        if casts && root.max_exponent < sums.max_exponent { root } else { sums }
    }

    pub(super) fn must_overflow(&self, near: &Near) -> Option<Why> {
        if near.arithmetic.range != Range::Naive {
            return None;
        }
        let (squares, sums) = (self.steps.squares, self.holds_sum());
        if self.over(beyond(sums)) * self.least >= 1.0 {
            return Some(Why::SumOverflows(sums));
        }
        // The greatest of n squares is at least the n-th part of their sum.
        let greatest = self.over(beyond(squares)) / (near.terms as f64).max(1.0);
        let overflows = greatest * (1.0 - unit_roundoff(squares)) * (1.0 - OUR_OWN_ROUNDING) >= 1.0;
        overflows.then_some(Why::SquareOverflows(squares))
    }

    pub(super) fn may_overflow(&self, near: &Near) -> bool {
        let (squares, sums) = (self.steps.squares, self.holds_sum());
        let narrowest = if squares.max_exponent < sums.max_exponent { squares } else { sums };
        near.arithmetic.range == Range::Naive
            && self.over(beyond(narrowest)) * self.most >= 1.0 - unit_roundoff(narrowest)
    }

    /// Returns true if every square, or their sum when it is rounded, may be subnormal.
    pub(super) fn may_be_flushed(&self) -> bool {
        let RoundingSteps { squares, root, casts, .. } = self.steps;
        let subnormal =
            |format: FloatFormat, least: f64| self.over(least_exponent(format, true)) * least < 1.0;
        subnormal(squares, 1.0 - OUR_OWN_ROUNDING) || casts && subnormal(root, self.least)
    }

    pub(super) fn must_underflow(&self, near: &Near) -> Option<Why> {
        // Under `ResultsFlushed`, results may be zero or kept, so nothing is forced.
        let flushes = near.arithmetic.subnormals == Subnormals::Flushed;
        let RoundingSteps { squares, root, casts, .. } = self.steps;
        // A square that rounds up to the least normal number need not be flushed.
        let grown = if flushes { 1.0 + unit_roundoff(squares) } else { 1.0 } * (1.0 + OUR_OWN_ROUNDING);
        if self.over(least_exponent(squares, flushes)) * grown < 1.0 {
            return Some(Why::SquaresUnderflow(squares));
        }
        let vanishes = casts && self.over(least_exponent(root, flushes)) * self.most < 1.0;
        vanishes.then_some(Why::SumUnderflows(root))
    }
}

/// Returns log2 of the first power of two beyond a format.
fn beyond(format: FloatFormat) -> i64 {
    i64::from(format.max_exponent) + 1
}
