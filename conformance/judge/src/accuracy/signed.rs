//! Measures and bounds sums of elements with their signs, whose terms may cancel.
//!
//! The error of a cancelling sum has no bound relative to the sum, only to `T`, the sum of all magnitudes. So errors are
//! counted in ulp at `T`. For data of one sign that is the ulp at the sum.
//!
//! # The bound
//!
//! With `u` of the format of the sums and `n` terms, `n - 1` additions round. Each addition of an order of summation adds
//! the sums of `a` and of `b` elements. Jeannerod and Rump (SIAM J. Matrix Anal. Appl. 34, 2013) bound the error of
//! either by `(a - 1)u` or `(b - 1)u` times its magnitudes, without terms of higher order. So before the *last* addition
//! rounds, the sum is off by at most `E = (n - 2)uT`, and by 0 for one or two terms. That addition rounds to nearest, and
//! so does the conversion to the output type. Rounding is monotonic: the result lies between the rounded `s - E` and the
//! rounded `s + E`, a tie either way. Both ends are computed in integers, so they are floats and need no margin. The bound
//! holds for any `n`.
//!
//! *Compensation.* A compensated sum (Kahan, Neumaier) rounds its corrections too, by `O(nu²)T`. `E` is widened by
//! that from three terms on.
//!
//! *Subnormals.* If results are flushed, each operation loses less than the least normal number `m`. A loop that starts
//! from 0 loses a subnormal first term, one of several lanes a term in each, and a compensated sum has four operations a
//! term: `4(n - 1)m` is added to `E`. A subnormal result may be 0.
//!
//! *Overflow.* A partial sum is infinite if terms of one sign are added first and their sum overflows. So an infinity
//! is allowed if the sum of all terms of its sign, widened likewise, rounds to it; and NaN, if both are, or if one
//! is and the data have the other.
//!
//! *Zeros.* Both zeros are the same answer: no text says which of them a sum is.

use std::cmp::Ordering;

use normative_reference::arithmetic::{Narrowing, Subnormals};
use normative_reference::exact::Parts;
use normative_reference::{FloatFormat, Magnitude, Near, Real, Value};

use super::scaled::{Scaled, ulp_exponent};
use super::{Class, Measure};

/// The floats that are accepted for one sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SumSpan {
    /// The bits of the least float, by its value.
    pub least: u64,
    /// The bits of the greatest.
    pub greatest: u64,
    /// True if an infinity of this sign is accepted though finite floats beside it may not be: +, then -.
    pub infinite: [bool; 2],
    /// True if NaN is accepted.
    pub nan: bool,
}

/// Measures the float `bits` against a sum and its parts; `None` if the sum is not a number.
pub(super) fn measure(
    sum: &Value,
    parts: &Parts,
    bits: u64,
    format: FloatFormat,
    near: &Near,
) -> Option<Measure> {
    match sum {
        Value::Finite(sum) => Some(measure_finite(sum, parts, bits, format, near)),
        // Finite terms of the other sign may overflow by themselves.
        Value::Infinite | Value::NegativeInfinite if format.magnitude(bits) == Magnitude::Nan => {
            span(parts, format, near).nan.then_some(Measure::OUTSIDE)
        }
        Value::Infinite | Value::NegativeInfinite | Value::Nan => None,
    }
}

fn measure_finite(sum: &Real, parts: &Parts, bits: u64, format: FloatFormat, near: &Near) -> Measure {
    let Some(got) = float(bits, format) else {
        return if span(parts, format, near).nan { Measure::OUTSIDE } else { Measure::WRONG };
    };
    let total = parts.total().unwrap_or_else(Real::zero);
    let ulp = ulp_exponent(&total, format);
    let ulps = |to: &Real| {
        let far = to.minus(sum);
        Scaled::from_integer(&far.significand, far.exponent.into()).times_power(-i64::from(ulp)).to_f64()
    };
    let above = cmp(&got, sum) == Ordering::Greater;
    let measured = Measure { error: ulps(&got), above, ..Measure::RIGHT };
    let nearest = sum.round(format);
    let (place, rounded) = (place(bits, format), place(nearest, format));
    if place == rounded {
        // Any span holds the rounded value, and computing the span costs more than all the rest. A sum beyond the type
        // is infinite, which is no error.
        return if format.magnitude(bits) == Magnitude::Infinite { Measure::RIGHT } else { measured };
    }
    let span = span(parts, format, near);
    if !span.holds(bits, format) && span.allows_apart(bits, format) {
        return Measure::OUTSIDE;
    }
    let end = float(if above { span.greatest } else { span.least }, format);
    let measured = Measure { bound: end.map_or(f64::INFINITY, |end| ulps(&end)), ..measured };
    let around = match float(nearest, format).map(|nearest| cmp(&nearest, sum)) {
        Some(Ordering::Less) => place == rounded + 1,
        Some(Ordering::Greater) => place + 1 == rounded,
        Some(Ordering::Equal) | None => false,
    };
    let class = match around {
        _ if !span.holds(bits, format) => None,
        true => Some(Class::Faithful),
        false => Some(Class::AnyOrder),
    };
    Measure { class, ..measured }
}

/// Returns the floats that are accepted; of a special sum, only what is accepted apart.
pub fn span(parts: &Parts, format: FloatFormat, near: &Near) -> SumSpan {
    let infinite = [&parts.above, &parts.below].map(|part| match part {
        Value::Finite(part) => overflows(part, near),
        Value::Infinite | Value::NegativeInfinite | Value::Nan => true,
    });
    let nan = infinite == [true; 2];
    let (Value::Finite(sum), Some(total)) = (parts.sum(), parts.total()) else {
        return SumSpan { least: 0, greatest: 0, infinite, nan };
    };
    let error = error(&total, near);
    let low = converted(&sum.minus(&error), -1, format, near);
    let high = converted(&sum.plus(&error), 1, format, near);
    let ends = [low, high];
    // The nearest float is accepted under every reading, even if the format of the sums rounds to a tie first.
    let mut least = rounded(&sum, -1, format);
    let mut greatest = rounded(&sum, 1, format);
    let flushes = near.arithmetic.subnormals != Subnormals::Kept;
    let zero = ends.iter().any(|&end| flushes && format.is_subnormal(end)).then_some(0);
    for end in ends.into_iter().chain(zero) {
        least = if place(end, format) < place(least, format) { end } else { least };
        greatest = if place(end, format) > place(greatest, format) { end } else { greatest };
    }
    SumSpan { least, greatest, infinite, nan }
}

/// Rounds one end of the span to the format of the sums, then to the output's. The end lies a step outwards.
fn converted(value: &Real, outwards: i64, format: FloatFormat, near: &Near) -> u64 {
    let sums = near.arithmetic.sums;
    let held = rounded(value, outwards, sums);
    let held = match float(held, sums) {
        Some(real) if sums.magnitude(held) != Magnitude::Infinite => real,
        // A wider format may hold it, and be cut.
        _ => value.clone(),
    };
    let bits = rounded(&held, outwards, format);
    let cuts = near.arithmetic.narrowing == Narrowing::TowardZero;
    let grown = float(bits, format)
        .is_some_and(|float| cmp(&magnitude(&float), &magnitude(&held)) == Ordering::Greater);
    if cuts && (grown || format.magnitude(bits) == Magnitude::Infinite) { bits - 1 } else { bits }
}

/// Rounds to nearest, and a tie outwards: an implementation may turn ties to even or away from zero.
fn rounded(value: &Real, outwards: i64, format: FloatFormat) -> u64 {
    let nearest = value.round(format);
    let other = at_place(place(nearest, format) + outwards, format);
    match (float(nearest, format), float(other, format)) {
        (Some(one), Some(other_value))
            if cmp(&one.plus(&other_value), &value.plus(value)) == Ordering::Equal =>
        {
            other
        }
        _ => nearest,
    }
}

impl SumSpan {
    fn holds(&self, bits: u64, format: FloatFormat) -> bool {
        (place(self.least, format)..=place(self.greatest, format)).contains(&place(bits, format))
    }

    /// Returns the accepted bits as ranges of non-negative floats and of negative ones, with both zeros in either.
    pub fn ranges(&self, format: FloatFormat) -> Vec<(u64, u64)> {
        let (least, greatest, sign) =
            (place(self.least, format), place(self.greatest, format), format.sign());
        let above = (greatest >= 0).then(|| (least.max(0) as u64, greatest as u64));
        let below = (least <= 0).then(|| (sign | (-greatest).max(0) as u64, sign | least.unsigned_abs()));
        let apart = [0, sign].into_iter().zip(self.infinite).filter(|(_, allowed)| *allowed);
        let infinite = apart.map(|(sign, _)| (sign | format.infinity(), sign | format.infinity()));
        let nan = [0, sign].map(|sign| (sign | (format.infinity() + 1), sign | (format.sign() - 1)));
        let nan = nan.into_iter().filter(|_| self.nan);
        above.into_iter().chain(below).chain(infinite).chain(nan).collect()
    }

    fn allows_apart(&self, bits: u64, format: FloatFormat) -> bool {
        match format.magnitude(bits) {
            Magnitude::Nan => self.nan,
            Magnitude::Infinite => self.infinite[usize::from(bits & format.sign() != 0)],
            Magnitude::Finite { .. } => false,
        }
    }
}

/// Returns `E`, relative to the sum of these magnitudes.
fn error(total: &Real, near: &Near) -> Real {
    let (sums, n) = (near.arithmetic.sums, near.terms as u128);
    // (n - 2)u and, for corrections, n u², in units of u².
    let roundings = if n > 2 { ((n - 2) << sums.precision) + n } else { 0 };
    let rounded = Real {
        significand: &total.significand * roundings,
        exponent: total.exponent - 2 * sums.precision as i32,
        ..Real::zero()
    };
    match near.arithmetic.subnormals {
        Subnormals::Kept => rounded,
        Subnormals::Flushed | Subnormals::ResultsFlushed => {
            let operations = (4 * n.saturating_sub(1)).into();
            let lost = Real { significand: operations, exponent: sums.min_exponent, ..Real::zero() };
            rounded.plus(&lost)
        }
    }
}

/// Returns true if terms of one sign, added before the others, may be infinite.
fn overflows(part: &Real, near: &Near) -> bool {
    let sums = near.arithmetic.sums;
    part.plus(&error(part, near)).round(sums) == sums.infinity()
}

/// Compares two reals without roots.
fn cmp(a: &Real, b: &Real) -> Ordering {
    let difference = a.minus(b);
    match difference.negative {
        _ if difference.is_zero() => Ordering::Equal,
        true => Ordering::Less,
        false => Ordering::Greater,
    }
}

fn magnitude(real: &Real) -> Real {
    Real { negative: false, ..real.clone() }
}

/// Returns the bits of the float at a place; +0 of the two zeros.
pub(super) fn at_place(place: i64, format: FloatFormat) -> u64 {
    if place < 0 { format.sign() | place.unsigned_abs() } else { place.unsigned_abs() }
}

/// Returns the place of a float among all floats by their values; both zeros have one.
pub fn place(bits: u64, format: FloatFormat) -> i64 {
    // The magnitude of any format has at most 63 bits.
    let magnitude = (bits & (format.sign() - 1)) as i64;
    if bits & format.sign() == 0 { magnitude } else { -magnitude }
}

/// Returns the exact value of a float; an infinity stands for the first power of two beyond the format. `None` for a
/// NaN.
fn float(bits: u64, format: FloatFormat) -> Option<Real> {
    let float = super::float(bits & (format.sign() - 1), format)?;
    Some(Real { negative: bits & format.sign() != 0, ..float.real() })
}
