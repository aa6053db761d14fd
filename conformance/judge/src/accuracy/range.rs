//! Decides when a reading gives infinity, zero or the greatest float in the place of a norm: where squares,
//! sums or results leave their range.
//!
//! Uses only the sum of squares and the number of terms. If those do not decide, both answers are allowed.

use normative_reference::arithmetic::{Narrowing, Range, Subnormals};
use normative_reference::{Finish, FloatFormat, Near, Real, Term};

use super::bound::Bound;
use super::scaled::{OUR_OWN_ROUNDING, power, ulp_exponent};
use super::squares::{Squares, rescued_from_zero, squares_may_leave};
use super::steps::RoundingSteps;

pub use super::squares::Why;

/// The only possible answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forced {
    /// The bits of zero or of infinity.
    pub bits: u64,
    /// The cause.
    pub why: Why,
}

/// Returns the answer that this reading forces; `None` if the bound around `value` decides.
pub fn forced(
    value: &Real,
    output: FloatFormat,
    near: &Near,
    declared: Option<FloatFormat>,
) -> Option<Forced> {
    if value.is_zero() || !squares_may_leave(near) {
        return None;
    }
    let squares = Squares::of(value, near, RoundingSteps::of(near, declared));
    // Without a root the value itself shows that it leaves the range of its type. A result cut from a wider sum is
    // then the greatest float.
    let infinite = squares.must_overflow(near).filter(|_| near.norm.finish() == Finish::Root);
    let infinite = infinite.map(|why| Forced { bits: output.infinity(), why });
    // Under `Range::Rescued` a norm that vanishes may be computed again.
    let zero = || if near.arithmetic.range == Range::Naive { squares.must_underflow(near) } else { None };
    infinite.or_else(|| zero().map(|why| Forced { bits: 0, why }))
}

/// Returns true if this reading allows `bits` in addition to its bound.
pub(super) fn may_be(
    value: &Real,
    bits: u64,
    output: FloatFormat,
    near: &Near,
    declared: Option<FloatFormat>,
) -> bool {
    let steps = RoundingSteps::of(near, declared);
    if bits == output.infinity() {
        return squares_may_leave(near) && Squares::of(value, near, steps).may_overflow(near);
    }
    if bits == 0 && rescued_from_zero(value, near, steps) {
        return true;
    }
    let below = || Bound::of(value, output, near, declared, false);
    let flushes = match (near.arithmetic.subnormals, near.norm.term(), near.norm.finish()) {
        // A sum of squares may be subnormal though no element is.
        (Subnormals::ResultsFlushed, _, _) | (Subnormals::Flushed, Term::Square, Finish::Nothing) => true,
        (Subnormals::Kept | Subnormals::Flushed, _, _) => false,
    };
    if bits == 0 && flushes {
        if squares_may_leave(near) && Squares::of(value, near, steps).may_be_flushed() {
            return true;
        }
        let bound = below();
        let least = (bound.size - bound.ulps()).max(0.0) * (1.0 - OUR_OWN_ROUNDING);
        return least < least_normal(value, output, &steps);
    }
    // A result cut to the greatest float, from a value that a wider format still holds.
    if bits + 1 == output.infinity() && near.arithmetic.narrowing == Narrowing::TowardZero {
        // Sums may be as wide as f64, which holds every norm of 16-bit floats.
        return value.floor_log2().is_some_and(|log2| log2 > i64::from(output.max_exponent));
    }
    false
}

/// Returns the least normal number of a result, in ulp.
fn least_normal(value: &Real, output: FloatFormat, steps: &RoundingSteps) -> f64 {
    let least = steps.root.min_exponent.max(output.min_exponent);
    power(i64::from(least - ulp_exponent(value, output)))
}
