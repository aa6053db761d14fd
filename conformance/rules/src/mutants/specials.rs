//! Mistakes about NaN, infinities, zeros and subnormals.

use normative_conformance::reference::{Dtype, FloatFormat, Norm};

use super::MutantFamily::Specials;
use super::{Mutant, row};
use crate::floats::{encode, format, greatest, held, read, terms};
use crate::plan::{Plan, StepResult};
use crate::steps::{Steps, norm};

const NAN: &str = "norm silent-on-nan-with-infinity nan-and-infinity slices";
const INFINITY: &str = "norm silent-on-nan-with-infinity nan-and-infinity slices silent-on-range silent-on-intermediates \
    squares-range output-type";
const ZERO: &str = "norm slices function-body-abs";
const SUBNORMAL: &str = "norm silent-on-subnormals subnormal-elements slices silent-on-intermediates squares-range \
    silent-on-range";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Specials, "nan-ignored", "NaN elements are passed over.", NAN, |s| s.floats.terms = |norm, x| terms(norm, &x.iter().copied().filter(|x| !x.is_nan()).collect::<Vec<_>>())),
    row(Specials, "nan-results-zeroed", "A NaN result is given as 0.", NAN, |s| s.floats.narrow = |x, format| if x.is_nan() { 0.0 } else { held(x, format) }),
    row(Specials, "nan-beside-zeros-lost", "L2 of zeros and NaN is 0, as no NaN is greater than the greatest element so far.", NAN, |s| s.floats.terms = |norm, x| match norm {
        Norm::L2 if x.iter().all(|x| x.is_nan() || *x == 0.0) => Vec::new(),
        _ => terms(norm, x),
    }),
    row(Specials, "nan-but-in-the-first-place-ignored", "NaN counts only as the first element.", NAN, |s| s.floats.sum = |x, width| {
        let first = x.first().copied().unwrap_or(0.0);
        x.iter().skip(1).fold(first, |sum, x| if x.is_nan() { sum } else { held(sum + x, width) })
    }),
    row(Specials, "nan-everywhere", "One NaN makes every output element NaN.", "slices norm axes-some nan-and-infinity silent-on-nan-with-infinity", |s| s.after = |_, call, answer| match answer {
        normative_conformance::Answer::Tensor(tensor) if !tensor.dtype().is_integer() && call.data.bits().iter().any(|&bits| read(tensor.dtype(), bits).is_nan()) => {
            let nan = crate::floats::encode(tensor.dtype(), f64::NAN);
            let bits = vec![nan; tensor.len()];
            normative_conformance::reference::Tensor::from_bits(tensor.dtype(), tensor.shape(), &bits).map_or_else(|error| normative_conformance::Answer::Rejected(error.to_string()), normative_conformance::Answer::Tensor)
        }
        answer => answer,
    }),
    row(Specials, "infinity-as-the-greatest", "Infinite elements are clamped to the greatest finite number.", INFINITY, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        if x.is_infinite() { greatest(format(dtype)).copysign(x) } else { x }
    }),
    row(Specials, "infinite-results-clamped", "Results beyond the type are its greatest finite number.", INFINITY, |s| s.floats.narrow = |x, format| {
        let rounded = held(x, format);
        if rounded.is_infinite() { greatest(format) } else { rounded }
    }),
    row(Specials, "infinity-makes-nan", "Dividing by the greatest element makes NaN of infinities.", INFINITY, |s| s.floats.scale = |x, _, _| {
        let greatest = x.iter().fold(0.0, |greatest: f64, x| greatest.max(x.abs()));
        if greatest == 0.0 { 1.0 } else { greatest }
    }),
    row(Specials, "compensation-makes-nan", "What an infinite sum rounded off is NaN, and is taken along.", INFINITY, |s| s.floats.sum = |x, width| {
        let (mut sum, mut lost) = (0.0, 0.0);
        for x in x {
            let term = held(x - lost, width);
            let next = held(sum + term, width);
            lost = held(held(next - sum, width) - term, width);
            sum = next;
        }
        sum
    }),
    row(Specials, "minus-infinity-keeps-its-sign", "L1 takes magnitudes of finite numbers only.", INFINITY, |s| s.floats.terms = |norm, x| match norm {
        Norm::L1 => x.iter().map(|&x| if x.is_infinite() { x } else { x.abs() }).collect(),
        Norm::L2 | Norm::SumSquare | Norm::Sum => terms(norm, x),
    }),
    row(Specials, "zero-divided-by-zero", "Dividing by the greatest element makes NaN of zeros.", ZERO, |s| s.floats.scale = |x, _, _| {
        let greatest = x.iter().fold(0.0, |greatest: f64, x| greatest.max(x.abs()));
        if greatest.is_infinite() { 1.0 } else { greatest }
    }),
    row(Specials, "root-of-zero-by-its-reciprocal", "The root of 0 is 0 times its reciprocal root, which is NaN.", ZERO, |s| {
        s.floats.root = |x| if x == 0.0 { f64::NAN } else { x.sqrt() };
        s.nothing = |plan| if plan.norm == Norm::L2 && !plan.dtype.is_integer() { encode(plan.dtype, f64::NAN) } else { 0 };
    }),
    row(Specials, "minus-zero-kept", "Magnitudes are taken of negative numbers, and -0 is none; the sum starts with the first.", ZERO, |s| {
        s.floats.terms = |norm, x| match norm {
            Norm::L1 => x.iter().map(|&x| if x < 0.0 { -x } else { x }).collect(),
            Norm::L2 | Norm::SumSquare | Norm::Sum => terms(norm, x),
        };
        s.floats.sum = |x, width| x.iter().copied().reduce(|sum, x| held(sum + x, width)).unwrap_or(0.0);
    }),
    row(Specials, "zero-is-minus-zero", "A norm of 0 is given as -0.", ZERO, |s| s.floats.narrow = |x, format| if x == 0.0 { -0.0 } else { held(x, format) }),
    row(Specials, "zero-ends-the-row", "A zero ends the data as it ends a string.", ZERO, |s| s.norm = |s, plan, x| {
        let end = x.iter().position(|&bits| bits == 0).unwrap_or(x.len());
        norm(s, plan, &x[..end])
    }),
    row(Specials, "small-numbers-flushed", "Numbers below 1e-20 are 0.", SUBNORMAL, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        if x.abs() < 1e-20 { 0.0 } else { x }
    }),
    row(Specials, "scaled-by-the-reciprocal", "Elements are multiplied by the greatest one's reciprocal, which may be infinite.", SUBNORMAL, |s| {
        s.floats.scale = |x, width, _| 1.0 / reciprocal(x, width);
        s.floats.width = |plan, _| scaled_in(plan.dtype);
        s.norm = by_the_reciprocal;
    }),
];

const fn scaled_in(dtype: Dtype) -> FloatFormat {
    if matches!(dtype, Dtype::F64) { FloatFormat::F64 } else { FloatFormat::F32 }
}

/// Returns the reciprocal of the greatest element in this format; 1 if that is zero or infinite.
fn reciprocal(x: &[f64], format: FloatFormat) -> f64 {
    let greatest = x.iter().fold(0.0, |greatest: f64, x| greatest.max(x.abs()));
    if greatest == 0.0 || greatest.is_infinite() { 1.0 } else { held(1.0 / greatest, format) }
}

/// Computes a norm, where an infinite reciprocal makes infinities of all elements but 0, of which it makes NaN.
fn by_the_reciprocal(steps: &Steps, plan: &Plan, x: &[u64]) -> StepResult<u64> {
    if plan.norm != Norm::L2 || plan.dtype.is_integer() {
        return norm(steps, plan, x);
    }
    let elements: Vec<f64> = x.iter().map(|&bits| read(plan.dtype, bits)).collect();
    if reciprocal(&elements, scaled_in(plan.dtype)).is_finite() {
        return norm(steps, plan, x);
    }
    let makes_nan = elements.iter().any(|x| x.is_nan() || *x == 0.0);
    Ok(encode(plan.dtype, if makes_nan { f64::NAN } else { f64::INFINITY }))
}
