//! The honest steps of float arithmetic: each number is an f64, and after every operation it is
//! rounded to the format in which intermediate results are held.
//!
//! Twice the precision and two bits more make that the operation's own rounding; f64 has them for
//! every narrower format here.

use half::{bf16, f16};
use normative_conformance::reference::{Dtype, FloatFormat, Norm, Opset, Question, Reading, Spec};

use crate::steps::{Plan, Readings};

/// The steps of a norm of floats, in the order they are taken.
#[derive(Clone, Debug)]
pub(crate) struct Floats {
    /// The number that an element's bits stand for.
    pub(crate) read: fn(Dtype, u64) -> f64,
    /// The format in which intermediate results are held.
    pub(crate) width: fn(&Plan, &Readings) -> FloatFormat,
    /// What L2 divides by before it squares.
    pub(crate) scale: fn(&[f64], FloatFormat, &Readings) -> f64,
    /// What is summed, before it is held.
    pub(crate) terms: fn(Norm, &[f64]) -> Vec<f64>,
    /// The sum, each intermediate one held in the format.
    pub(crate) sum: fn(&[f64], FloatFormat) -> f64,
    /// L2's root, before it is held.
    pub(crate) root: fn(f64) -> f64,
    /// The result in the output's format.
    pub(crate) narrow: fn(f64, FloatFormat) -> f64,
}

impl Floats {
    /// The honest steps: f64 for everything, scaled by a power of two, one after the other.
    pub(crate) fn honest() -> Self {
        Self { read, width, scale, terms, sum: sequential, root: f64::sqrt, narrow: held }
    }

    /// The norm of elements of a float type.
    pub(crate) fn norm(&self, plan: &Plan, bits: &[u64], readings: &Readings) -> u64 {
        let format = format(plan.dtype);
        let width = (self.width)(plan, readings);
        let flushed = readings.has(Question::Subnormals, Reading::Flushed);
        let flush = |x: f64, format: FloatFormat| {
            if flushed && x.abs() < power(format.min_exponent) { 0.0 } else { x }
        };
        let mut elements: Vec<f64> =
            bits.iter().map(|&bits| flush((self.read)(plan.dtype, bits), format)).collect();
        let hypot = plan.norm == Norm::L2 && readings.has(Question::NanWithInfinity, Reading::Inf);
        if hypot && elements.iter().any(|x| x.is_infinite()) {
            return encode(plan.dtype, f64::INFINITY);
        }
        let scale = if plan.norm == Norm::L2 { (self.scale)(&elements, width, readings) } else { 1.0 };
        if plan.norm == Norm::L2 {
            for x in &mut elements {
                *x = held(*x / scale, width);
            }
        }
        let mut terms = (self.terms)(plan.norm, &elements);
        if flushed || width != FloatFormat::F64 {
            for x in &mut terms {
                *x = flush(held(*x, width), width);
            }
        }
        let sum = (self.sum)(&terms, width);
        let norm = match plan.norm {
            Norm::L1 => sum,
            Norm::L2 => held(held((self.root)(sum), width) * scale, width),
        };
        encode(plan.dtype, (self.narrow)(norm, format))
    }
}

/// The float format of a type; f64's for an integer type.
pub(crate) fn format(dtype: Dtype) -> FloatFormat {
    match dtype {
        Dtype::F16 => FloatFormat::F16,
        Dtype::Bf16 => FloatFormat::BF16,
        Dtype::F32 => FloatFormat::F32,
        _ => FloatFormat::F64,
    }
}

/// The number that an element's bits stand for.
pub(crate) fn read(dtype: Dtype, bits: u64) -> f64 {
    match dtype {
        Dtype::F16 => f16::from_bits(bits as u16).to_f64(),
        Dtype::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        Dtype::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The bits of a number that the type has.
pub(crate) fn encode(dtype: Dtype, x: f64) -> u64 {
    match dtype {
        // Both are exact here, and half's own rounding is not to be trusted: it drops low bits first.
        Dtype::F16 => f16::from_f64(x).to_bits().into(),
        Dtype::Bf16 => bf16::from_f64(x).to_bits().into(),
        Dtype::F32 => (x as f32).to_bits().into(),
        _ => x.to_bits(),
    }
}

/// The format in which intermediate results are held: f64, where no reading says otherwise.
fn width(plan: &Plan, readings: &Readings) -> FloatFormat {
    let half = matches!(plan.dtype, Dtype::F16 | Dtype::Bf16);
    let single = plan.dtype == Dtype::F64
        && plan.spec == Spec::Onnx(Norm::L2, Opset::V18)
        && readings.has(Question::F64Precision, Reading::Single);
    if half && readings.has(Question::HalfAccumulation, Reading::InType) {
        format(plan.dtype)
    } else if single || plan.dtype != Dtype::F64 && readings.has(Question::FloatRange, Reading::Naive) {
        FloatFormat::F32
    } else {
        FloatFormat::F64
    }
}

/// The power of two at the greatest element, so that no square leaves the range and nothing rounds.
pub(crate) fn scale(elements: &[f64], _: FloatFormat, readings: &Readings) -> f64 {
    let greatest = elements.iter().fold(0.0, |greatest: f64, x| greatest.max(x.abs()));
    if readings.has(Question::FloatRange, Reading::Naive) || greatest == 0.0 || greatest.is_infinite() {
        return 1.0;
    }
    power(exponent(greatest))
}

/// Magnitudes, or squares.
pub(crate) fn terms(norm: Norm, elements: &[f64]) -> Vec<f64> {
    match norm {
        Norm::L1 => elements.iter().map(|x| x.abs()).collect(),
        Norm::L2 => elements.iter().map(|x| x * x).collect(),
    }
}

/// One after the other.
pub(crate) fn sequential(terms: &[f64], width: FloatFormat) -> f64 {
    terms.iter().fold(0.0, |sum, x| held(sum + x, width))
}

/// The number of the format nearest to `x`, ties to even.
pub(crate) fn held(x: f64, format: FloatFormat) -> f64 {
    if format == FloatFormat::F64 || x == 0.0 || !x.is_finite() {
        return x;
    }
    let last = exponent(x).max(format.min_exponent) - (format.precision as i32 - 1);
    let step = power(last);
    let rounded = (x / step).round_ties_even() * step;
    if rounded.abs() >= power(format.max_exponent + 1) { f64::INFINITY.copysign(x) } else { rounded }
}

/// floor log2 of a finite number but zero.
pub(crate) fn exponent(x: f64) -> i32 {
    let bits = x.abs().to_bits();
    match (bits >> 52) as i32 {
        // A subnormal's leading bit is as far from bit 52 as its exponent is from -1022.
        0 => -1023 - (bits.leading_zeros() as i32 - 12),
        biased => biased - 1023,
    }
}

/// 2^exponent, exactly; 0 below f64's range and infinity beyond.
pub(crate) fn power(exponent: i32) -> f64 {
    match exponent {
        ..-1074 => 0.0,
        -1074..-1022 => f64::from_bits(1 << (exponent + 1074)),
        -1022..=1023 => f64::from_bits(((exponent + 1023) as u64) << 52),
        1024.. => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests;
