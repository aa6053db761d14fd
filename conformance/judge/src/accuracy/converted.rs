//! Lists the integers that a float near an exact norm may be converted to.
//!
//! The any-order bound of the parent module bounds the float `y` on either side of the norm: `y` lies in
//! `[low, high]`. Truncated, it is `m` if `m ≤ y < m + 1`; rounded to nearest, if `m - 1/2 ≤ y ≤ m + 1/2`, with a tie
//! either way. So `m` is allowed if that range meets `[low, high]`, and if `m`, when it has too many digits, is still
//! a number of the format. If no step before the root rounds, only the best answer is allowed. The reading of overflow
//! decides about a float beyond the type. If squares may overflow in the format itself, infinity is such a float.

use normative_reference::arithmetic::Overflow;
use normative_reference::dtype::IntegerRange;
use normative_reference::expected::Converted;
use normative_reference::{FloatFormat, Kind, Real, Tensor, Value};
use num_bigint::BigUint;

use super::bound::Bound;
use super::scaled::{Float, OUR_OWN_ROUNDING, distance, ulp_exponent};

/// Returns true if the float near `value` may be converted to this integer.
pub fn allows(
    value: &Real,
    got: i128,
    range: IntegerRange,
    converted: &Converted,
    format: FloatFormat,
) -> bool {
    // If no step rounds, the best answer is the only one, and the caller has compared with it.
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
            Overflow::Saturate | Overflow::Indefinite | Overflow::Reject => {
                stops_at(converted.overflow, range) == Some(got)
            }
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

/// Returns true if the reading refuses results beyond the type, and some float near a norm may be such a result.
pub fn may_be_refused(converted: &Converted) -> bool {
    let Converted { near, best, overflow, .. } = converted;
    let (Kind::Integer(range), Kind::Float(format)) = (best.dtype().kind(), near.dtype.kind()) else {
        return false;
    };
    let reaches = |value: &Value| match value {
        Value::Finite(real) if !real.is_zero() && !is_exact(real, converted, format) => {
            Span::of(real, converted, format).may_leave(range)
        }
        Value::Finite(_) | Value::Infinite | Value::NegativeInfinite | Value::Nan => false,
    };
    *overflow == Overflow::Reject && near.values.iter().any(reaches)
}

/// Returns the least and the greatest allowed integers. `None` if the answer is not of integers, or is too large.
pub fn ends(converted: &Converted) -> Option<[Tensor; 2]> {
    let best = &converted.best;
    let Kind::Integer(range) = best.dtype().kind() else { return None };
    let runs = runs(converted)?;
    let of = |end: fn(&Vec<[i128; 2]>) -> Option<i128>| {
        let bits: Option<Vec<u64>> = runs.iter().map(|runs| end(runs).map(|end| range.encode(end))).collect();
        Tensor::from_bits(best.dtype(), best.shape(), &bits?).ok()
    };
    Some([of(|runs| runs.first().map(|run| run[0]))?, of(|runs| runs.last().map(|run| run[1]))?])
}

/// Returns the allowed integers of each norm as ascending runs, each with its first and last integer. `None` if
/// the answer is not of integers.
pub fn runs(converted: &Converted) -> Option<Vec<Vec<[i128; 2]>>> {
    let Converted { near, best, .. } = converted;
    let (Kind::Integer(range), Kind::Float(format)) = (best.dtype().kind(), near.dtype.kind()) else {
        return None;
    };
    let of = |(value, bits): (&Value, u64)| {
        let mut allowed = vec![range.decode(bits)];
        if let Value::Finite(real) = value
            && !is_exact(real, converted, format)
        {
            allowed.extend(converted_to(real, range, converted, format));
        }
        allowed.sort_unstable();
        let mut runs: Vec<[i128; 2]> = Vec::new();
        for integer in allowed {
            match runs.last_mut() {
                Some([_, last]) if integer <= *last + 1 => *last = integer,
                Some(_) | None => runs.push([integer; 2]),
            }
        }
        runs
    };
    Some(near.values.iter().zip(best.bits()).map(of).collect())
}

/// Returns the integer that every float beyond the type is converted to; `None` if it wraps or is refused.
const fn stops_at(overflow: Overflow, range: IntegerRange) -> Option<i128> {
    match overflow {
        Overflow::Saturate => Some(range.max),
        Overflow::Indefinite => Some(range.indefinite()),
        Overflow::Wrap | Overflow::Reject => None,
    }
}

/// Returns all integers that [`allows`] accepts for one norm, unordered.
fn converted_to(value: &Real, range: IntegerRange, converted: &Converted, format: FloatFormat) -> Vec<i128> {
    let span = Span::of(value, converted, format);
    let whole = (&value.significand << value.exponent.unsigned_abs()).sqrt();
    let Ok(whole) = u128::try_from(whole) else { return Vec::new() };
    // Integers of the format lie as far apart as its floats, if those are more than 1 apart.
    let gap =
        |integer: u128| 1_u128 << (u128::BITS - integer.leading_zeros()).saturating_sub(format.precision);
    let floor = whole - whole % gap(whole);
    let below =
        std::iter::successors(Some(floor), |&integer| integer.checked_sub(gap(integer.saturating_sub(1))));
    let above = std::iter::successors(Some(floor + gap(floor)), |&integer| Some(integer + gap(integer)));
    let lands = |integer: &u128| span.may_become(*integer);
    let landed = below.take_while(lands).chain(above.take_while(lands));
    let fits = |integer: u128| i128::try_from(integer).ok().filter(|&integer| integer <= range.max);
    let beyond = |integer: u128| (converted.overflow == Overflow::Wrap).then(|| range.decode(integer as u64));
    let stopped = stops_at(converted.overflow, range).filter(|_| span.may_leave(range));
    landed.filter_map(|integer| fits(integer).or_else(|| beyond(integer))).chain(stopped).collect()
}

/// Returns true if no step before the root rounds: every partial sum is an integer of the format, or the only
/// term is. The root of a square that was rounded once is the element again.
fn is_exact(value: &Real, converted: &Converted, format: FloatFormat) -> bool {
    let sum = &value.significand << value.exponent.unsigned_abs();
    let root = sum.sqrt();
    sum.bits() <= u64::from(format.precision)
        || converted.near.terms == 1 && &root * &root == sum && has(&root, format)
}

/// Returns true if an integer is a number of the format.
fn has(integer: &BigUint, format: FloatFormat) -> bool {
    integer.bits() - integer.trailing_zeros().unwrap_or(0) <= u64::from(format.precision)
}

/// The floats near an exact norm.
struct Span<'a> {
    value: &'a Real,
    format: FloatFormat,
    nearest: bool,
    /// The distances down and up, in ulp.
    below: f64,
    above: f64,
}

impl<'a> Span<'a> {
    fn of(value: &'a Real, converted: &Converted, format: FloatFormat) -> Self {
        let bound =
            |above| Bound::of(value, format, &converted.near, None, above).ulps() * (1.0 + OUR_OWN_ROUNDING);
        Self { value, format, nearest: converted.nearest, below: bound(false), above: bound(true) }
    }

    /// Returns true if one of the floats may be beyond a type.
    fn may_leave(&self, range: IntegerRange) -> bool {
        self.may_reach(range.max.unsigned_abs() + 1) || self.may_be_infinite()
    }

    /// Returns true if a square, or a sum of squares, may overflow.
    fn may_be_infinite(&self) -> bool {
        self.value.floor_log2().is_some_and(|log2| 2 * (log2 + 1) > i64::from(self.format.max_exponent))
    }

    /// Returns true if one of the floats may be converted to this integer.
    fn may_become(&self, integer: u128) -> bool {
        // From 2^p on every float is an integer, but not every integer is a float.
        has(&integer.into(), self.format) && self.may_reach(integer) && {
            let end = if self.nearest { 2 * integer + 1 } else { 2 * (integer + 1) };
            let (above, ulps) = self.distance_to(end);
            above || ulps <= self.below
        }
    }

    /// Returns true if one of the floats may be converted to this integer or a greater one.
    fn may_reach(&self, integer: u128) -> bool {
        let (above, ulps) = self.distance_to(2 * integer - u128::from(self.nearest && integer > 0));
        !above || ulps <= self.above
    }

    /// Returns true if `halves / 2` lies above the norm, and its distance from it in ulp.
    fn distance_to(&self, halves: u128) -> (bool, f64) {
        // The digits beyond 64 are far finer than the bound.
        let dropped = u64::BITS - halves.leading_zeros().min(u64::BITS);
        let float = Float { significand: (halves >> dropped) as u64, exponent: dropped as i32 - 1 };
        distance(float, self.value, ulp_exponent(self.value, self.format))
    }
}
