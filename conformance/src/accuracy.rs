//! How far an element is from the exact value, and how far it may be.
//!
//! Errors are distances to the *unrounded* truth in units in the last place (ulp) of the output
//! type at that truth, so 0.5 and 1.0 are different and nothing hides behind a rounded reference.
//! Every tolerance in this project is in this file, and each is derived here; none is tuned.
//!
//! # The any-order bound
//!
//! Let `u = 2^-p` be the unit roundoff of the format sums are held in, `n` the number of terms.
//!
//! *L1.* All terms have one sign, so each term of the computed sum carries at most `n - 1` factors
//! `(1 + δ)`, `|δ| ≤ u`, whatever the order of summation (Higham, *Accuracy and Stability of
//! Numerical Algorithms*, 2nd ed., section 4.2). Additions that underflow are exact. So the relative
//! error of the sum is at most `γ(k) = ku / (1 - ku)` with `k = n - 1`.
//!
//! *L2.* A square adds one factor, and dividing by a scale first adds two more, since the division's
//! error is squared: `k = n + 2` for the sum of squares. The root halves that, and is rounded once;
//! multiplying the scale back is rounded once more, to half the smallest subnormal where the norm is
//! subnormal. With `ρ` the absolute error of underflowing squares relative to the sum, the result
//! lies between `√(1 - γ - ρ)(1 - u)²` and `√(1 + γ + ρ)(1 + u)²` times the truth. Where squares are
//! scaled, `ρ = 0`; where they are naive, `ρ = nη / S`, `η` being half the smallest subnormal, or the
//! smallest normal (and downwards only) where subnormals are flushed. Where naive squares must all
//! underflow (`S < η`), the result is 0; where their sum must overflow, it is infinite.
//!
//! *Output.* Sums held in a wider format are rounded to the output type once. What was rounded to a
//! float lies no farther from it than half the gap to the next float towards the truth; so that much
//! is added. It is half an ulp, but half of that just below a power of two, and twice that in the
//! binade above the truth's.
//!
//! *Overflow.* Infinity stands for `2^(emax + 1)`: a result may be infinite exactly when the bound
//! around the truth reaches the rounding threshold.
//!
//! The bound alone decides. Where it is below one ulp, a faithful result can be beyond it: no order of
//! correctly rounded operations gives it.
//!
//! `γ` says nothing when `ku ≥ 1`. Then the format the backend declares for its sums takes the place
//! of the reading's. Without one, what holds for any `n` is left: a sum rounded to nearest is not below
//! its greatest term, so not below `S/n`, and exceeds `S` by at most `(n - 1)u` times (Jeannerod and
//! Rump, SIAM J. Matrix Anal. Appl. 34, 2013); the roundings of squares and roots are together less
//! than a factor of two. An element within that is counted as `vacuous` and never as good.

use std::cmp::Ordering;

use normative_reference::arithmetic::{FloatArithmetic, Range, Subnormals};
use normative_reference::{FloatFormat, Magnitude, Near, Norm, Real};

pub mod accepted;
mod scaled;
pub mod slack;
pub mod whole;

use self::scaled::{Float, Scaled, distance, power};

/// The relative error of the f64 arithmetic this file computes bounds in, with room to spare; bounds
/// are widened by it, so that no honest result fails for our rounding.
const OUR_OWN_ROUNDING: f64 = 1e-12;

/// How near a value printed in a document must be to the exact one: the digits of the BNNS page are
/// cut by hand, and two of them are up to 5 ulp (4e-7) off.
pub const PRINTED_RELATIVE: f64 = 1e-6;

/// Accuracy classes, the tightest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The float nearest to the truth; on a tie, the one with an even significand.
    CorrectlyRounded,
    /// The other float of the two around the truth. None, where the truth is a float.
    Faithful,
    /// Inside the bound that holds for every order of summation.
    AnyOrder,
    /// Not refuted, but the bound says nothing about so many terms.
    Vacuous,
}

impl Class {
    /// Those that can be demanded.
    pub const DEMANDED: [Self; 3] = [Self::CorrectlyRounded, Self::Faithful, Self::AnyOrder];

    /// The name used in options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CorrectlyRounded => "correctly-rounded",
            Self::Faithful => "faithful",
            Self::AnyOrder => "any-order",
            Self::Vacuous => "vacuous",
        }
    }
}

/// How near one element came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Distance to the exact value, in ulp.
    pub error: f64,
    /// Whether the element lies above the exact value.
    pub above: bool,
    /// The greatest distance allowed on that side, in ulp; infinite for the float nearest to the exact value.
    pub bound: f64,
    /// The class reached; `None` when the error is beyond the bound.
    pub class: Option<Class>,
}

/// The any-order bound around one exact value, on one side of it, before the rounding to the output type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The format of the sums.
    pub accumulation: FloatFormat,
    /// `k`: how many roundings a term of the sum may go through.
    pub roundings: f64,
    /// `γ(k)`; `None` where it says nothing and the crude bound takes its place.
    pub gamma: Option<f64>,
    /// `ρ`: what underflowing squares may cost, relative to their sum.
    pub rho: f64,
    /// The bound relative to the value.
    pub relative: f64,
    /// The value, in ulp.
    pub size: f64,
    /// What scaling back may cost where the norm is subnormal, in ulp.
    pub scaling: f64,
}

impl Bound {
    /// The bound on one side of `value`, in ulp of `output`.
    pub fn of(
        value: &Real,
        output: FloatFormat,
        near: &Near,
        declared: Option<FloatFormat>,
        above: bool,
    ) -> Self {
        let accumulation = accumulation(near, declared);
        let roundings = roundings(near.norm, near.terms);
        let gamma = gamma(roundings, accumulation);
        let rho = near.terms as f64 * underflow(value, near, accumulation, above);
        let relative = match gamma {
            None => crude_bound(value, near, accumulation, above),
            Some(gamma) if near.norm == Norm::L1 => gamma,
            Some(gamma) => root_bound(gamma + rho, unit_roundoff(accumulation), above),
        };
        let ulp = ulp_exponent(value, output);
        let size = Scaled::of(value).times_power(-i64::from(ulp)).to_f64();
        let scaling = scaling_back(value, near, accumulation, ulp);
        Self { accumulation, roundings, gamma, rho, relative, size, scaling }
    }

    /// In ulp, before the rounding to the output type.
    pub fn ulps(&self) -> f64 {
        self.relative * self.size + self.scaling
    }
}

/// Measures the non-negative float `bits` against the exact `value`.
pub fn measure(
    value: &Real,
    bits: u64,
    format: FloatFormat,
    near: &Near,
    declared: Option<FloatFormat>,
) -> Measure {
    if near.arithmetic.range != Range::Scaled
        && let Some(measure) = squares_out_of_range(value, bits, format, near)
    {
        return measure;
    }
    let rounded = value.round(format);
    if bits == rounded && bits == format.infinity() {
        return RIGHT;
    }
    let Some(got) = float(bits, format) else { return WRONG };
    let ulp = ulp_exponent(value, format);
    let (above, error) = distance(got, value, ulp);
    if bits == rounded {
        // Right under any bound, and the bound costs more than all the rest.
        return Measure { error, above, bound: f64::INFINITY, class: Some(Class::CorrectlyRounded) };
    }
    let around_value = Bound::of(value, format, near, declared, above);
    let narrowing = if around_value.accumulation.precision > format.precision {
        half_gap(got, bits, format, above, ulp)
    } else {
        0.0
    };
    let bound = (around_value.ulps() + narrowing) * (1.0 + OUR_OWN_ROUNDING);
    let class = match around_value.gamma {
        _ if error > bound => None,
        None => Some(Class::Vacuous),
        Some(_) if is_around(value, bits, rounded, format) => Some(Class::Faithful),
        Some(_) => Some(Class::AnyOrder),
    };
    Measure { error, above, bound, class }
}

/// The format sums are taken to be held in: the reading's, or the declared one if only with that the bound
/// says something.
pub fn accumulation(near: &Near, declared: Option<FloatFormat>) -> FloatFormat {
    let format = near.arithmetic.coarsest();
    let says = |&format: &FloatFormat| gamma(roundings(near.norm, near.terms), format).is_some();
    std::iter::once(format).chain(declared).find(says).unwrap_or(format)
}

/// How many roundings a term may go through before the root.
fn roundings(norm: Norm, terms: usize) -> f64 {
    match norm {
        Norm::L1 => terms.saturating_sub(1) as f64,
        Norm::L2 => terms as f64 + 2.0,
    }
}

/// What a relative error of the sum of squares makes of the root, with the root's rounding and that of
/// scaling back. Written so that nothing cancels: `u` itself vanishes beside 1 in f64.
fn root_bound(sum: f64, u: f64, above: bool) -> f64 {
    if above {
        let root = sum / (1.0 + (1.0 + sum).sqrt());
        root + (1.0 + root) * u * (2.0 + u)
    } else {
        let lost = sum.min(1.0);
        let root = lost / (1.0 + (1.0 - lost).sqrt());
        root + (1.0 - root) * u * (2.0 - u)
    }
}

/// Half the gap between a float and the next one towards the truth, in ulp.
fn half_gap(got: Float, bits: u64, format: FloatFormat, above: bool, ulp: i32) -> f64 {
    let neighbour = if above { bits.checked_sub(1) } else { bits.checked_add(1) };
    let neighbour = neighbour.and_then(|bits| float(bits, format));
    neighbour.map_or(0.0, |neighbour| distance(neighbour, &got.real(), ulp).1 / 2.0)
}

/// The error, in ulp, of multiplying the scale back where that gives a subnormal.
fn scaling_back(value: &Real, near: &Near, sums: FloatFormat, ulp: i32) -> f64 {
    let scaled = near.norm == Norm::L2 && near.arithmetic.range == Range::Scaled;
    let subnormal = value.floor_log2().is_some_and(|log2| log2 < i64::from(sums.min_exponent));
    if scaled && subnormal { power(i64::from(sums.quantum() - ulp)) / 2.0 } else { 0.0 }
}

const RIGHT: Measure = Measure { error: 0.0, above: false, bound: 0.0, class: Some(Class::CorrectlyRounded) };
const WRONG: Measure = Measure { error: f64::INFINITY, above: true, bound: 0.0, class: None };

/// Whether a float other than the rounded one is next to the truth, on its other side. Decided in integers: an
/// f64 cannot tell a tie from what is beside one, nor a float from the truth beside it.
fn is_around(value: &Real, bits: u64, rounded: u64, format: FloatFormat) -> bool {
    // Positive floats are ordered as their bits are.
    match float(rounded, format).map(|nearest| nearest.cmp_to(value)) {
        Some(Ordering::Less) => bits == rounded + 1,
        Some(Ordering::Greater) => bits + 1 == rounded,
        Some(Ordering::Equal) | None => false,
    }
}

/// The exact value of a positive float, infinity standing for the first power of two beyond; `None`
/// for a NaN.
fn float(bits: u64, format: FloatFormat) -> Option<Float> {
    let (significand, exponent) = match format.magnitude(bits) {
        Magnitude::Finite { significand, exponent } => (significand, exponent),
        Magnitude::Infinite => (1, format.max_exponent + 1),
        Magnitude::Nan => return None,
    };
    Some(Float { significand, exponent })
}

/// Under naive squares: infinity where their sum must or may overflow, zero where each must
/// underflow. `None` leaves the element to the ordinary bound.
fn squares_out_of_range(value: &Real, bits: u64, format: FloatFormat, near: &Near) -> Option<Measure> {
    let (accumulation, flush_subnormals) = (near.arithmetic.coarsest(), flushes(near.arithmetic));
    let k = roundings(near.norm, near.terms);
    let (least, most) = match gamma(k, accumulation) {
        Some(gamma) => (1.0 - gamma, 1.0 + gamma),
        None => (0.0, 2.0 * (1.0 + k * unit_roundoff(accumulation))),
    };
    let sum = Scaled::from_integer(&value.significand, i64::from(value.exponent));
    // In units of the first power of two beyond the format, and of the least that is not rounded to 0.
    let over = sum.times_power(-i64::from(accumulation.max_exponent) - 1).to_f64();
    let under = sum.times_power(-underflow_exponent(accumulation, flush_subnormals)).to_f64();
    let must_overflow = over * least * (1.0 - OUR_OWN_ROUNDING) >= 1.0;
    let may_overflow = over * most * (1.0 + OUR_OWN_ROUNDING) >= 1.0 - unit_roundoff(accumulation);
    match bits {
        _ if bits == format.infinity() && may_overflow => Some(RIGHT),
        _ if must_overflow => Some(WRONG),
        _ if under >= 1.0 || value.is_zero() => None,
        0 => Some(RIGHT),
        _ => Some(WRONG),
    }
}

/// log2 of the least square that is not rounded to zero.
fn underflow_exponent(accumulation: FloatFormat, flush_subnormals: bool) -> i64 {
    i64::from(if flush_subnormals { accumulation.min_exponent } else { accumulation.quantum() - 1 })
}

/// What holds for any number of terms.
fn crude_bound(value: &Real, near: &Near, accumulation: FloatFormat, above: bool) -> f64 {
    let n = (near.terms as f64).max(1.0);
    let rho = underflow(value, near, accumulation, above);
    let (least, most) = ((1.0 / n - rho).max(0.0), 1.0 + n * unit_roundoff(accumulation) + n * rho);
    let (least, most) = match near.norm {
        Norm::L1 => (least, most),
        Norm::L2 => (least.sqrt(), most.sqrt()),
    };
    if above { 2.0 * most - 1.0 } else { 1.0 - least / 2.0 }
}

/// The absolute error of one underflowing square, relative to the sum of squares.
fn underflow(value: &Real, near: &Near, accumulation: FloatFormat, above: bool) -> f64 {
    let flushes = flushes(near.arithmetic);
    let naive = near.norm == Norm::L2 && near.arithmetic.range != Range::Scaled;
    if !naive || value.is_zero() || (flushes && above) {
        return 0.0;
    }
    let sum = Scaled::from_integer(&value.significand, i64::from(value.exponent));
    1.0 / sum.times_power(-underflow_exponent(accumulation, flushes)).to_f64()
}

fn flushes(arithmetic: FloatArithmetic) -> bool {
    arithmetic.subnormals != Subnormals::Kept
}

fn unit_roundoff(format: FloatFormat) -> f64 {
    power(-i64::from(format.precision))
}

/// `ku / (1 - ku)`; `None` when that says nothing.
fn gamma(k: f64, format: FloatFormat) -> Option<f64> {
    let ku = k * unit_roundoff(format);
    (ku < 1.0).then(|| ku / (1.0 - ku))
}

/// log2 of the format's ulp at an exact value: the distance between the floats around it.
pub fn ulp_exponent(value: &Real, format: FloatFormat) -> i32 {
    let log2 = value.floor_log2().unwrap_or(i64::MIN);
    // Both ends of the clamp are the format's own exponents.
    let log2 = log2.clamp(i64::from(format.min_exponent), i64::from(format.max_exponent)) as i32;
    log2 - (format.precision as i32 - 1)
}
