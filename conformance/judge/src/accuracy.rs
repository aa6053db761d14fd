//! Measures the distance of an element from the exact value, and bounds it.
//!
//! Errors are distances to the *unrounded* truth in units in the last place (ulp) of the output type at that
//! truth. So 0.5 and 1.0 differ, and a rounded reference hides nothing. Every tolerance of this project is in
//! this module, and each is derived here; none is tuned.
//!
//! # The any-order bound
//!
//! Sums of signed elements have a module of their own, [`signed`]. A norm is computed in steps, each rounded to nearest
//! in its own format: squares, partial sums, the root, the conversion to the output type. Let `u = 2^-p` be the unit
//! roundoff of a format and `n` the number of terms. [`RoundingSteps`] counts the roundings.
//!
//! *L1.* All terms have one sign, so each term of the computed sum carries at most `n - 1` factors
//! `(1 + δ)`, `|δ| ≤ u`, whatever the order of summation (Higham, *Accuracy and Stability of
//! Numerical Algorithms*, 2nd ed., section 4.2). Additions that underflow are exact. So the relative
//! error of the sum is at most `γ(s) = s / (1 - s)` with `s = (n - 1)u`.
//!
//! *L2.* A square adds one factor with the `u` of its own format. Dividing by a scale first adds two more,
//! because the square doubles the division's error. Rounding a sum to the narrower format of the root adds one
//! of that format. `s` is the sum of all these `u`. Higham's Lemma 3.1 also holds for factors of different `u`,
//! because its induction only needs `(1 + |δ|)(1 + γ(s)) ≤ 1 + γ(s + |δ|)`. The root halves the error, and is
//! rounded once; multiplying the scale back is rounded once more. Let `ρ` be the absolute error of underflow,
//! relative to the sum. The result lies between `√(1 - γ - ρ)(1 - u)^r` and `√(1 + γ + ρ)(1 + u)^r` times the
//! truth. `r` is 2, or 1 for naive squares, which are not scaled.
//!
//! *`hypot`.* If squares stay in range, the norm may also be a chain of `n - 1` steps `hypot(r, x)`. A library's
//! `hypot` is off by less than an ulp, so by a factor of `1 ± 2u`. The norm of the rest is unchanged by that, and
//! factors multiply: the result lies between `(1 - 2u)^(n-1)` and `(1 + 2u)^(n-1)` times the truth. No root halves
//! this error. The bound is the greater of both. Libraries have no `hypot` of 16 bits: it is that of f32, or of a
//! wider format, rounded to nearest, so off by a factor of `1 ± (u + 2u₃₂)`. Rounded to nearest, `r' = hypot(r, x)`
//! is at least `r` and at least `x`, and at most `2 hypot(r, x) - r`. Hence `r'² ≤ r² + 4x²` for any `n`: a chain
//! lies between the greatest element and twice the norm. So where `γ` says nothing, the crude bound below also holds
//! for a chain in 16 bits. A subnormal step is off by less than the least float `q`, and `hypot` never amplifies an
//! absolute error. So a subnormal norm may also be off by `(n - 1)q`, and by `q/2` for multiplying a scale back.
//!
//! *Underflow.* If squares are not scaled, each may lose `η`, half the least float of its format. A sum that is
//! rounded to the root's format may lose `η'`, the same for that format: `ρ = (nη + η') / S`. If subnormals are
//! flushed, `η` is the least normal number, and is lost downwards only. If all squares must underflow (`S < η`), or
//! the sum must, the result is 0.
//!
//! *Results flushed.* If elements count and subnormal results may be zero, each operation loses less than the
//! least normal number `m`. An operation that flushes a partial sum loses terms that cannot be lost again, so
//! at most `n` operations flush: `ρ = nm / S` for sums of magnitudes and of squares, and `(n - 1)m` for a chain
//! of `hypot`, all downwards. A result may be 0 if its bound reaches below `m`. A subnormal result was not
//! flushed, and neither were the results before it: it is within the bound without `ρ`.
//!
//! *Overflow.* Infinity stands for `2^(emax + 1)`: a result may be infinite exactly when the bound around the truth
//! reaches the rounding threshold. Naive squares give infinity if their sum must overflow in the format of the sums,
//! or when rounded to that of the root; or if `S/n`, which the greatest square is not below, overflows in their own.
//! None of that holds if squares are computed again after an overflow (`Range::Rescued`). If squares must vanish
//! there, the norm may be computed again: the result is 0, or within the bound of scaled squares, and nothing
//! between. Only the sum decides if squares must vanish; if others vanish, the result lies within `ρ`.
//!
//! *Output.* A result of a wider format is rounded to the output type once. It lies no farther from the rounded
//! float than half the gap to the next float towards the truth; so that much is added. It is half an ulp, but
//! half of that just below a power of two, and twice that in the binade above the truth's. A cut result lies
//! below the value before the cut by less than the whole gap, and a value beyond the greatest float is cut to
//! that. A root in a format narrower than the output is a number of that format; half a gap of that format
//! takes the place of its rounding factor.
//!
//! The bound alone decides. Where it is below one ulp, even a faithful result can lie beyond it: no order of
//! correctly rounded operations gives that result.
//!
//! `γ` says nothing when `s ≥ 1`. Then the format that the backend declares for its sums takes the place of the
//! reading's. Without one, a bound for any `n` is left: a sum rounded to nearest is at least its greatest term,
//! so at least `S/n`, and exceeds `S` by at most `(n - 1)u` times (Jeannerod and Rump, SIAM J. Matrix Anal.
//! Appl. 34, 2013); the roundings of squares and roots are together less than a factor of two. An element
//! within that is counted as `vacuous`, never as better.

use std::cmp::Ordering;

use normative_reference::arithmetic::{Narrowing, Subnormals};
use normative_reference::{FloatFormat, Magnitude, Near, Real, Value};

pub mod accepted;
mod bound;
pub mod converted;
pub mod mechanism;
pub mod range;
mod scaled;
pub mod signed;
mod squares;
pub mod steps;
pub mod whole;

pub use self::bound::Bound;
use self::scaled::{Float, OUR_OWN_ROUNDING, distance, ulp_exponent};
pub use self::steps::{Against, RoundingSteps};

/// The relative distance to the exact value that is allowed for a value printed in a document. The digits of
/// the BNNS page are cut by hand, and two of them are up to 5 ulp (4e-7) off.
pub const PRINTED_RELATIVE: f64 = 1e-6;

/// Accuracy classes, the tightest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The float nearest to the truth; on a tie, the float with an even significand.
    CorrectlyRounded,
    /// The other of the two floats around the truth. Empty if the truth is a float.
    Faithful,
    /// Inside the bound that holds for every order of summation.
    AnyOrder,
    /// Within the crude bound: `γ` says nothing about so many terms.
    Vacuous,
    /// Beyond the bound: wrong.
    Beyond,
}

impl Class {
    /// The classes that a user can demand.
    pub const DEMANDED: [Self; 3] = [Self::CorrectlyRounded, Self::Faithful, Self::AnyOrder];

    /// Returns the name used in options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CorrectlyRounded => "correctly-rounded",
            Self::Faithful => "faithful",
            Self::AnyOrder => "any-order",
            Self::Vacuous => "vacuous",
            Self::Beyond => "beyond",
        }
    }
}

/// The error of one element, its bound and its class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Distance to the exact value, in ulp.
    pub error: f64,
    /// True if the element lies above the exact value.
    pub above: bool,
    /// The greatest distance allowed on that side, in ulp; infinite for the float nearest to the exact value.
    pub bound: f64,
    /// The class reached; `None` when the error is beyond the bound.
    pub class: Option<Class>,
    /// True if the element is allowed only because squares or results leave their range. Its error then says
    /// nothing about rounding.
    pub outside: bool,
}

impl Measure {
    const RIGHT: Self = Self {
        error: 0.0,
        above: false,
        bound: f64::INFINITY,
        class: Some(Class::CorrectlyRounded),
        outside: false,
    };
    /// An element that is not a norm at all.
    pub(crate) const WRONG: Self =
        Self { error: f64::INFINITY, above: true, bound: 0.0, class: None, outside: false };
    const OUTSIDE: Self = Self { error: f64::INFINITY, outside: true, ..Self::RIGHT };
}

/// Measures the float `bits` against output element `at`; `None` if its exact value is not a number.
pub fn measure_at(
    near: &Near,
    at: usize,
    bits: u64,
    format: FloatFormat,
    declared: Option<FloatFormat>,
) -> Option<Measure> {
    match (near.values.get(at)?, near.parts.get(at)) {
        (value, Some(parts)) => signed::measure(value, parts, bits, format, near),
        // A norm is never NaN without a NaN, never negative, and never -0.
        (Value::Finite(_), None) if format.magnitude(bits) == Magnitude::Nan || bits & format.sign() != 0 => {
            Some(Measure::WRONG)
        }
        (Value::Finite(value), None) => Some(measure(value, bits, format, near, declared)),
        (Value::Infinite | Value::NegativeInfinite | Value::Nan, None) => None,
    }
}

/// Measures the non-negative float `bits` against the exact `value` of a norm.
pub fn measure(
    value: &Real,
    bits: u64,
    format: FloatFormat,
    near: &Near,
    declared: Option<FloatFormat>,
) -> Measure {
    let rounded = value.round(format);
    match range::forced(value, format, near, declared) {
        Some(forced) if forced.bits != rounded => {
            return if bits == forced.bits { Measure::OUTSIDE } else { Measure::WRONG };
        }
        _ if bits == rounded && bits == format.infinity() => return Measure::RIGHT,
        Some(_) if bits != rounded => return Measure::WRONG,
        _ => {}
    }
    let Some(got) = float(bits, format) else { return Measure::WRONG };
    let ulp = ulp_exponent(value, format);
    let (above, error) = distance(got, value, ulp);
    if bits == rounded {
        // Any bound accepts the rounded value, and computing the bound costs more than all the rest.
        return Measure { error, above, ..Measure::RIGHT };
    }
    let bound = Bound::of(value, format, near, declared, above);
    let last = last_rounding(got, bits, format, near, &bound.steps, above, ulp);
    let Some(last) = last else {
        let allowed = range::may_be(value, bits, format, near, declared);
        return if allowed { Measure::OUTSIDE } else { Measure { error, above, ..Measure::WRONG } };
    };
    let widened = |ulps: f64| (ulps + last) * (1.0 + OUR_OWN_ROUNDING);
    let (bound, in_range, says) =
        (widened(bound.ulps()), widened(bound.ulps_in_range()), bound.gamma.is_some());
    if error > bound && range::may_be(value, bits, format, near, declared) {
        return Measure::OUTSIDE;
    }
    let flushes = near.arithmetic.subnormals == Subnormals::ResultsFlushed;
    let bound = if flushes && format.is_subnormal(bits) { in_range } else { bound };
    let class = match says {
        _ if error > bound => None,
        false => Some(Class::Vacuous),
        true if is_around(value, bits, rounded, format) => Some(Class::Faithful),
        true => Some(Class::AnyOrder),
    };
    Measure { error, above, bound, class, outside: class.is_some() && error > in_range }
}

/// Returns the most that the last rounding may cost, in ulp, if it is to a narrower format: the output's, or
/// before that the root's. `None` for a float that is not a number of that format.
fn last_rounding(
    got: Float,
    bits: u64,
    format: FloatFormat,
    near: &Near,
    steps: &RoundingSteps,
    above: bool,
    ulp: i32,
) -> Option<f64> {
    match steps.root.precision.cmp(&format.precision) {
        Ordering::Greater => {
            let cut = near.arithmetic.narrowing == Narrowing::TowardZero && !above;
            Some(gap(got, bits, format, above, ulp) * if cut { 1.0 } else { 0.5 })
        }
        Ordering::Equal => Some(0.0),
        Ordering::Less => {
            let bits = got.real().round(steps.root);
            let held = float(bits, steps.root)?;
            let same = held.cmp_to(&got.real()) == Ordering::Equal;
            same.then(|| gap(got, bits, steps.root, above, ulp) * 0.5)
        }
    }
}

/// Returns the gap between a float and the next one towards the truth, in ulp.
fn gap(got: Float, bits: u64, format: FloatFormat, above: bool, ulp: i32) -> f64 {
    let neighbour = if above { bits.checked_sub(1) } else { bits.checked_add(1) };
    let neighbour = neighbour.and_then(|bits| float(bits, format));
    neighbour.map_or(0.0, |neighbour| distance(neighbour, &got.real(), ulp).1)
}

/// Returns true if the float is next to the truth, on the other side than the rounded one. Decided in integers:
/// an f64 cannot tell a tie, or a float from the truth, from values just beside it.
fn is_around(value: &Real, bits: u64, rounded: u64, format: FloatFormat) -> bool {
    // Positive floats have the order of their bits.
    match float(rounded, format).map(|nearest| nearest.cmp_to(value)) {
        Some(Ordering::Less) => bits == rounded + 1,
        Some(Ordering::Greater) => bits + 1 == rounded,
        Some(Ordering::Equal) | None => false,
    }
}

/// Returns the exact value of a positive float; infinity stands for the first power of two beyond the format.
/// `None` for a NaN.
fn float(bits: u64, format: FloatFormat) -> Option<Float> {
    let (significand, exponent) = match format.magnitude(bits) {
        Magnitude::Finite { significand, exponent } => (significand, exponent),
        Magnitude::Infinite => (1, format.max_exponent + 1),
        Magnitude::Nan => return None,
    };
    Some(Float { significand, exponent })
}
