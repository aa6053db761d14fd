//! Bounds an exact norm from the observed result alone: the bounds of the parent module, solved for the truth.
//! No exact value is needed, so two answers can be compared with each other.
//!
//! # Derivation
//!
//! Let `x` be the exact norm and `a` the float observed. If nothing leaves the range, the any-order bound says
//! `x(1 - b₋) ≤ y ≤ x(1 + b₊)` for the result `y` before its last rounding to a narrower format. `b` is
//! relative, and depends only on the number of terms and the formats of the steps, not on `x`. It is the
//! greater bound of a sum and of a chain of `hypot`. If there is such a rounding, `a` is `y` rounded once:
//! `y(1 - v₋) ≤ a ≤ y(1 + v)` with that format's unit roundoff `v`, and `v₋ = v`, or `2v` for a cut result.
//! Both are monotone in `x`, so
//!
//! > `a / ((1 + b₊)(1 + v)) ≤ x ≤ a / ((1 - b₋)(1 - v₋))`.
//!
//! This is exact about the bound, not an estimate with `a` in the place of `x`. Two answers to the same norm
//! are consistent when their intervals meet: else no real number could have given both. For related norms,
//! interval arithmetic gives the intervals to compare.
//!
//! *Sums that do not round.* If all terms are multiples of one step and add up to at most `2^p` of it, every
//! partial sum in every order is a number of the format. An honest L1 norm is then exact: `x = a`.
//!
//! *Integers.* An L1 norm within its type is exact. A root is truncated or rounded to the nearest, so
//! `r - 1/2 ≤ x < r + 1` holds of a root `r`.
//!
//! *A norm of norms.* Let each inner `aᵢ` be within the factors of its own bound of `xᵢ`. Then the norm of all
//! `xᵢ` lies within the same factors of the norm of all `aᵢ`, because both norms are homogeneous and monotone.
//! That in turn lies within the outer bound of the observed result: factors multiply.
//!
//! Ends are computed in f64 and widened by its rounding wherever a factor is not 1. Exact ends stay as they
//! are; a caller that adds them must make sure that the sums are exact in f64.

use normative_reference::arithmetic::Narrowing;
use normative_reference::{FloatFormat, Near, Norm};

use super::bound::within_range;
use super::scaled::OUR_OWN_ROUNDING;
use super::steps::{Steps, unit_roundoff};

/// The range of an exact norm around an observed result `a`: from `low · a - below` to `high · a + above`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slack {
    low: f64,
    high: f64,
    below: f64,
    above: f64,
}

/// The real numbers between two ends, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least number.
    pub low: f64,
    /// The greatest number.
    pub high: f64,
}

impl Slack {
    /// The slack of an exact result.
    pub const NONE: Self = Self { low: 1.0, high: 1.0, below: 0.0, above: 0.0 };

    /// The slack of an integer root, truncated or rounded to nearest.
    pub const ROOT: Self = Self { low: 1.0, high: 1.0, below: 0.5, above: 1.0 };

    /// Returns the slack of a norm of floats, if nothing leaves the range of its format. `None` if the bound
    /// says nothing.
    pub fn of_floats(near: &Near, output: FloatFormat) -> Option<Self> {
        let steps = Steps::of(near, None);
        steps.gamma()?;
        let bound = |above| within_range(near, &steps, output, above);
        let v = if steps.root.precision == output.precision {
            0.0
        } else {
            unit_roundoff(steps.root).max(unit_roundoff(output))
        };
        let cut = if near.arithmetic.narrowing == Narrowing::TowardZero { 2.0 * v } else { v };
        let (least, most) = ((1.0 - bound(false)) * (1.0 - cut), (1.0 + bound(true)) * (1.0 + v));
        (least > 0.0).then(|| Self { low: 1.0 / most, high: 1.0 / least, ..Self::NONE })
    }

    /// Returns the least slack that covers both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            below: self.below.max(other.below),
            above: self.above.max(other.above),
        }
    }

    /// Returns the slack of a norm of norms, where each inner norm was observed with the slack `inner`. Only
    /// valid if neither is [`Self::ROOT`].
    #[must_use]
    pub fn of_norms_within(self, inner: Self) -> Self {
        Self { low: self.low * inner.low, high: self.high * inner.high, ..self }
    }

    /// Returns the interval that contains the exact norm.
    pub fn around(self, observed: f64) -> Interval {
        let ends = (observed * self.low - self.below, observed * self.high + self.above);
        // An exact norm is not negative, but an answer may be.
        let (low, high) = (ends.0.min(ends.1), ends.0.max(ends.1));
        // Both factors are 1, or neither is.
        let ours = if self.high > 1.0 { OUR_OWN_ROUNDING } else { 0.0 };
        Interval { low: low - low.abs() * ours, high: high + high.abs() * ours }
    }
}

impl Interval {
    /// Returns true if the intervals have a number in common. False if an end is NaN.
    pub fn meets(self, other: Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Returns true if the least number of this is at most the greatest of the other. False if an end is NaN.
    pub fn may_be_at_most(self, other: Self) -> bool {
        self.low <= other.high
    }

    /// Returns the interval times a non-negative number. Exact if the number is a power of two.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }

    /// Returns the norm of two parts together, from the norms of both parts.
    #[must_use]
    pub fn joined(self, other: Self, norm: Norm) -> Self {
        match norm {
            Norm::L1 => Self { low: self.low + other.low, high: self.high + other.high },
            // Ends below zero stand for zero: a norm is not negative.
            Norm::L2 => Self {
                low: self.low.max(0.0).hypot(other.low.max(0.0)) * (1.0 - OUR_OWN_ROUNDING),
                high: self.high.hypot(other.high) * (1.0 + OUR_OWN_ROUNDING),
            },
        }
    }

    /// Returns the interval times the root of a number of terms, widened by the rounding of f64.
    #[must_use]
    pub fn times_root_of(self, terms: usize) -> Self {
        let Self { low, high } = self.times((terms as f64).sqrt());
        Self { low: low - low.abs() * OUR_OWN_ROUNDING, high: high + high.abs() * OUR_OWN_ROUNDING }
    }
}
