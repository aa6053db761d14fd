//! Which integers a float near an exact norm may be converted to.
//!
//! The any-order bound of the parent module says how far the float may lie from the norm on either side: `y` lies in `[low, high]`.
//! Truncated it is `m` where `m ≤ y < m + 1`, and rounded to the nearest integer where `m - 1/2 ≤ y ≤ m + 1/2`, whatever becomes of a tie.
//! So `m` is allowed where that meets `[low, high]`, and where `m` is a number of the format if it has more digits than that. Where no step
//! before the root rounds, nothing but the best answer is. A float beyond the type is what the reading of overflow says; where squares may
//! overflow in the format itself, one that is infinite is among them.

use normative_reference::arithmetic::Overflow;
use normative_reference::dtype::IntegerRange;
use normative_reference::expected::Converted;
use normative_reference::{FloatFormat, Kind, Real, Tensor, Value};
use num_bigint::BigUint;

use super::OUR_OWN_ROUNDING;
use super::bound::Bound;
use super::scaled::{Float, distance, ulp_exponent};

/// Whether this integer is among what the float near `value` may be converted to.
pub fn allows(
    value: &Real,
    got: i128,
    range: IntegerRange,
    converted: &Converted,
    format: FloatFormat,
) -> bool {
    // The best answer, which the caller knows, is the only one.
    if is_exact(value, converted, format) {
        return false;
    }
    let span = Span::of(value, converted, format);
    let lands = |integer: u128| span.may_become(integer);
    if u128::try_from(got).is_ok_and(lands) {
        return true;
    }
    span.may_leave(range)
        && match converted.overflow {
            Overflow::Saturate => got == range.max,
            Overflow::Indefinite => got == range.indefinite(),
            // Then the call is refused.
            Overflow::Reject => false,
            Overflow::Wrap => {
                let (bits, modulus) = (u128::from(range.encode(got)), 1_u128 << range.width());
                let whole =
                    (&value.significand << value.exponent.unsigned_abs()).sqrt() / BigUint::from(modulus);
                let rounds = u128::try_from(whole).unwrap_or(0);
                let near = rounds.saturating_sub(1)..=rounds + 1;
                let congruent = near.map(|rounds| bits + rounds * modulus);
                congruent.filter(|&integer| integer > range.max.unsigned_abs()).any(lands)
            }
        }
}

/// Whether the reading refuses results beyond the type, and some float near a norm may be one.
pub fn may_be_refused(converted: &Converted) -> bool {
    let Converted { near, best, overflow, .. } = converted;
    let (Kind::Integer(range), Kind::Float(format)) = (best.dtype().kind(), near.dtype.kind()) else {
        return false;
    };
    let reaches = |value: &Value| match value {
        Value::Finite(real) if !real.is_zero() && !is_exact(real, converted, format) => {
            Span::of(real, converted, format).may_leave(range)
        }
        Value::Finite(_) | Value::Infinite | Value::Nan => false,
    };
    *overflow == Overflow::Reject && near.values.iter().any(reaches)
}

/// The least and the greatest integers that are allowed, with all between, around the best answers. What else overflow may give is
/// not among them. `None` where the answer is not of integers, or is too large.
pub fn ends(converted: &Converted) -> Option<[Tensor; 2]> {
    let Converted { near, best, .. } = converted;
    let (Kind::Integer(range), Kind::Float(format)) = (best.dtype().kind(), near.dtype.kind()) else {
        return None;
    };
    let (low, high): (Vec<u64>, Vec<u64>) = near
        .values
        .iter()
        .zip(best.bits())
        .map(|(value, bits)| match value {
            Value::Finite(real) => {
                let (low, high) = around(real, range.decode(bits), range, converted, format);
                (range.encode(low), range.encode(high))
            }
            Value::Infinite | Value::Nan => (bits, bits),
        })
        .unzip();
    let of = |bits: &[u64]| Tensor::from_bits(best.dtype(), best.shape(), bits).ok();
    Some([of(&low)?, of(&high)?])
}

/// Of each norm, the bits that overflow may give beside those between the ends: the least and the greatest value of the type, 0, and
/// what a float beyond it is converted to.
pub fn overflows(converted: &Converted) -> Vec<Vec<u64>> {
    let Converted { near, best, .. } = converted;
    let (Kind::Integer(range), Kind::Float(format)) = (best.dtype().kind(), near.dtype.kind()) else {
        return Vec::new();
    };
    let of = |value: &Value| -> Vec<u64> {
        let Value::Finite(real) = value else { return Vec::new() };
        let given = [range.min, 0, range.max, range.indefinite()];
        let given = given.into_iter().filter(|&integer| allows(real, integer, range, converted, format));
        given.map(|integer| range.encode(integer)).collect()
    };
    near.values.iter().map(of).collect()
}

fn around(
    value: &Real,
    best: i128,
    range: IntegerRange,
    converted: &Converted,
    format: FloatFormat,
) -> (i128, i128) {
    let allowed = |got: i128| got == best || allows(value, got, range, converted, format);
    let farthest = |end: i128, sign: i128| {
        let (mut known, mut beyond) = (0, (end - best).abs() + 1);
        while beyond - known > 1 {
            let middle = i128::midpoint(known, beyond);
            if allowed(best + sign * middle) { known = middle } else { beyond = middle }
        }
        best + sign * known
    };
    (farthest(range.min, -1), farthest(range.max, 1))
}

/// Whether no step before the root rounds: every partial sum is an integer that the format has, or there is one term, which it has.
/// The root of a square that was rounded once is the element again.
fn is_exact(value: &Real, converted: &Converted, format: FloatFormat) -> bool {
    let sum = &value.significand << value.exponent.unsigned_abs();
    let root = sum.sqrt();
    sum.bits() <= u64::from(format.precision)
        || converted.near.terms == 1 && &root * &root == sum && has(&root, format)
}

/// Whether an integer is a number of the format.
fn has(integer: &BigUint, format: FloatFormat) -> bool {
    integer.bits() - integer.trailing_zeros().unwrap_or(0) <= u64::from(format.precision)
}

/// The floats near an exact norm.
struct Span<'a> {
    value: &'a Real,
    format: FloatFormat,
    nearest: bool,
    /// How far they go down and up, in ulp.
    below: f64,
    above: f64,
}

impl<'a> Span<'a> {
    fn of(value: &'a Real, converted: &Converted, format: FloatFormat) -> Self {
        let bound =
            |above| Bound::of(value, format, &converted.near, None, above).ulps() * (1.0 + OUR_OWN_ROUNDING);
        Self { value, format, nearest: converted.nearest, below: bound(false), above: bound(true) }
    }

    /// Whether one of them may be beyond a type.
    fn may_leave(&self, range: IntegerRange) -> bool {
        self.may_reach(range.max.unsigned_abs() + 1) || self.may_be_infinite()
    }

    /// Whether a square, or a sum of them, may overflow.
    fn may_be_infinite(&self) -> bool {
        self.value.floor_log2().is_some_and(|log2| 2 * (log2 + 1) > i64::from(self.format.max_exponent))
    }

    /// Whether one of them may be converted to this integer.
    fn may_become(&self, integer: u128) -> bool {
        // From 2^p on every float is an integer, and not every integer is a float.
        has(&integer.into(), self.format) && self.may_reach(integer) && {
            let end = if self.nearest { 2 * integer + 1 } else { 2 * (integer + 1) };
            let (above, ulps) = self.distance_to(end);
            above || ulps <= self.below
        }
    }

    /// Whether one of them may be converted to this integer, or a greater one.
    fn may_reach(&self, integer: u128) -> bool {
        let (above, ulps) = self.distance_to(2 * integer - u128::from(self.nearest && integer > 0));
        !above || ulps <= self.above
    }

    /// Whether a number of halves lies above the norm, and how far from it.
    fn distance_to(&self, halves: u128) -> (bool, f64) {
        // What a float of 64 digits cannot hold is far finer than the bound.
        let dropped = u64::BITS - halves.leading_zeros().min(u64::BITS);
        let float = Float { significand: (halves >> dropped) as u64, exponent: dropped as i32 - 1 };
        distance(float, self.value, ulp_exponent(self.value, self.format))
    }
}
