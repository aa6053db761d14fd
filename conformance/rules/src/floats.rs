//! The honest steps of float arithmetic: each number is an f64, and every operation's result is rounded to
//! the format of intermediate results.
//!
//! That equals the operation's own rounding if f64 has twice the format's precision and two bits more, as it
//! has for every narrower format here.

use std::ptr::fn_addr_eq;

use half::{bf16, f16};
use normative_conformance::reference::{
    Dtype, Finish, FloatFormat, Norm, Opset, Question, Reading, Spec, Term,
};

use crate::plan::{Plan, Readings};

/// The steps of a norm of floats, in their order.
#[derive(Clone, Debug)]
pub struct Floats {
    /// Returns the number for an element's bits.
    pub read: fn(Dtype, u64) -> f64,
    /// Returns the format of sums.
    pub width: fn(&Plan, &Readings) -> FloatFormat,
    /// L2: returns the formats of squares and of the root, for this format of sums.
    pub beside: fn(FloatFormat, &Plan, &Readings) -> (FloatFormat, FloatFormat),
    /// Returns the divisor of elements before L2 squares them.
    pub scale: fn(&[f64], FloatFormat, &Readings) -> f64,
    /// Returns the terms of the sum, before rounding.
    pub terms: fn(Norm, &[f64]) -> Vec<f64>,
    /// Returns the sum, with each intermediate result rounded to the format.
    pub sum: fn(&[f64], FloatFormat) -> f64,
    /// Returns L2's root, before rounding.
    pub root: fn(f64) -> f64,
    /// Rounds the result to the output's format.
    pub narrow: fn(f64, FloatFormat) -> f64,
}

impl Floats {
    /// The honest steps: f64 for everything, scaled by a power of two, added in order.
    pub const HONEST: Self =
        Self { read, width, beside, scale, terms, sum: sequential, root: f64::sqrt, narrow: held };

    /// Returns true if norms under these readings equal those of `plain` steps under the first readings:
    /// every step in use is the same function.
    pub fn compute_as(&self, plain: &Self, plan: &Plan, readings: &Readings) -> bool {
        let readings = &*readings.of_plan(plan);
        let (first, roots) = (Readings::default(), plan.norm.finish() == Finish::Root);
        let idle = |question: Question| match question {
            // These change only formats, which are compared below.
            Question::HalfAccumulation | Question::F64Precision => true,
            Question::FloatRange => !roots,
            Question::ResultRounding => !is_half(plan.dtype),
            _ => false,
        };
        let width = (self.width)(plan, readings);
        readings.otherwise(plan.dtype).all(idle)
            && width == (plain.width)(plan, &first)
            && fn_addr_eq(self.read, plain.read)
            && fn_addr_eq(self.terms, plain.terms)
            && fn_addr_eq(self.sum, plain.sum)
            && fn_addr_eq(self.narrow, plain.narrow)
            && (plan.norm.term() != Term::Square
                || (self.beside)(width, plan, readings) == (plain.beside)(width, plan, &first))
            && (!roots || fn_addr_eq(self.scale, plain.scale) && fn_addr_eq(self.root, plain.root))
    }

    /// Returns the norm of elements of a float type.
    pub fn norm(&self, plan: &Plan, bits: &[u64], readings: &Readings) -> u64 {
        let readings = &*readings.of_plan(plan);
        let format = format(plan.dtype);
        let flush = Flush::of(readings);
        let read = |&bits: &u64| flush.element((self.read)(plan.dtype, bits), format);
        let elements: Vec<f64> = bits.iter().map(read).collect();
        // The text of BLAS includes its code, which adds a NaN to an infinity.
        let special = !matches!(plan.spec, Spec::Blas(_))
            && plan.norm.term() != Term::Element
            && readings.has(Question::NanWithInfinity, Reading::Inf);
        if special && elements.iter().any(|x| x.is_infinite()) {
            return encode(plan.dtype, f64::INFINITY);
        }
        let width = (self.width)(plan, readings);
        let norm = match plan.norm.finish() {
            Finish::Nothing => {
                let mut terms = (self.terms)(plan.norm, &elements);
                let squares = match plan.norm.term() {
                    Term::Magnitude | Term::Element => width,
                    Term::Square => (self.beside)(width, plan, readings).0,
                };
                flush.hold(&mut terms, squares);
                flush.result((self.sum)(&terms, width), width)
            }
            Finish::Root => {
                let scale = (self.scale)(&elements, width, readings);
                let norm = self.rooted(plan, &elements, scale, readings);
                let rescued = readings.has(Question::FloatRange, Reading::Rescued);
                if rescued && norm.is_infinite() && elements.iter().all(|x| x.is_finite()) {
                    self.rooted(plan, &elements, power_below_the_greatest(&elements), readings)
                } else {
                    norm
                }
            }
        };
        let cut = readings.has(Question::ResultRounding, Reading::TowardZero);
        // The value is rounded to f32 before the cut, even if it was computed in f64.
        let norm = if cut && is_half(plan.dtype) {
            towards_zero(held(norm, FloatFormat::F32), format)
        } else {
            norm
        };
        encode(plan.dtype, flush.result((self.narrow)(norm, format), format))
    }

    /// Returns L2 of elements that are divided by `scale` before they are squared.
    fn rooted(&self, plan: &Plan, elements: &[f64], scale: f64, readings: &Readings) -> f64 {
        let flush = Flush::of(readings);
        let width = (self.width)(plan, readings);
        let (squares, root) = (self.beside)(width, plan, readings);
        let scaled: Vec<f64> = elements.iter().map(|x| held(x / scale, squares)).collect();
        let mut terms = (self.terms)(plan.norm, &scaled);
        flush.hold(&mut terms, squares);
        let sum = flush.result((self.sum)(&terms, width), width);
        let rooted = held((self.root)(flush.result(held(sum, root), root)), root);
        held(rooted * scale, root)
    }
}

/// The subnormal numbers that count as zero.
#[derive(Clone, Copy)]
struct Flush {
    elements: bool,
    results: bool,
}

impl Flush {
    fn of(readings: &Readings) -> Self {
        let elements = readings.has(Question::Subnormals, Reading::Flushed);
        Self { elements, results: elements || readings.has(Question::Subnormals, Reading::ResultsFlushed) }
    }

    fn element(self, x: f64, format: FloatFormat) -> f64 {
        if self.elements { flushed(x, format) } else { x }
    }

    fn result(self, x: f64, format: FloatFormat) -> f64 {
        if self.results { flushed(x, format) } else { x }
    }

    /// Rounds magnitudes or squares to a format.
    fn hold(self, terms: &mut [f64], format: FloatFormat) {
        if !self.results && format == FloatFormat::F64 {
            return;
        }
        for x in terms {
            *x = self.result(held(*x, format), format);
        }
    }
}

fn flushed(x: f64, format: FloatFormat) -> f64 {
    if x.abs() < power(format.min_exponent) { 0.0 } else { x }
}

/// Returns the float format of a type; f64's for an integer type.
pub fn format(dtype: Dtype) -> FloatFormat {
    match dtype {
        Dtype::F16 => FloatFormat::F16,
        Dtype::Bf16 => FloatFormat::BF16,
        Dtype::F32 => FloatFormat::F32,
        _ => FloatFormat::F64,
    }
}

/// Returns the number for an element's bits.
pub fn read(dtype: Dtype, bits: u64) -> f64 {
    match dtype {
        Dtype::F16 => f16::from_bits(bits as u16).to_f64(),
        Dtype::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        Dtype::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Returns the bits of a number that the type has.
pub fn encode(dtype: Dtype, x: f64) -> u64 {
    match dtype {
        // Both conversions are exact here. Rounding in `half` is avoided, because it drops low bits first.
        Dtype::F16 => f16::from_f64(x).to_bits().into(),
        Dtype::Bf16 => bf16::from_f64(x).to_bits().into(),
        Dtype::F32 => (x as f32).to_bits().into(),
        _ => x.to_bits(),
    }
}

/// Returns true if the type has 16 bits.
pub const fn is_half(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::F16 | Dtype::Bf16)
}

/// Returns the format of sums: f64 by default.
fn width(plan: &Plan, readings: &Readings) -> FloatFormat {
    let narrow = matches!(readings.of(Question::FloatRange), Reading::Naive | Reading::Rescued);
    if is_half(plan.dtype) && readings.has(Question::HalfAccumulation, Reading::InType) {
        format(plan.dtype)
    } else if plan.dtype != Dtype::F64 && narrow {
        FloatFormat::F32
    } else {
        FloatFormat::F64
    }
}

/// Returns the formats of squares and of the root: that of the sums by default.
fn beside(width: FloatFormat, plan: &Plan, readings: &Readings) -> (FloatFormat, FloatFormat) {
    let own = format(plan.dtype);
    let casts = plan.dtype == Dtype::F64 && plan.spec == Spec::Onnx(Norm::L2, Opset::V18);
    match readings.of(Question::HalfAccumulation) {
        Reading::SquaresInType if is_half(plan.dtype) => (own, width),
        Reading::ByOperator if is_half(plan.dtype) => (own, own),
        _ if casts && readings.has(Question::F64Precision, Reading::Single) => (width, FloatFormat::F32),
        _ => (width, width),
    }
}

/// Returns the divisor that keeps squares in range; 1 for readings that do not scale.
pub fn scale(elements: &[f64], _: FloatFormat, readings: &Readings) -> f64 {
    if readings.has(Question::FloatRange, Reading::Scaled) { power_below_the_greatest(elements) } else { 1.0 }
}

/// Returns the greatest power of two up to the greatest element; dividing by it is exact.
pub fn power_below_the_greatest(elements: &[f64]) -> f64 {
    let greatest = elements.iter().fold(0.0, |greatest: f64, x| greatest.max(x.abs()));
    if greatest == 0.0 || greatest.is_infinite() { 1.0 } else { power(exponent(greatest)) }
}

/// Returns magnitudes, squares or the elements.
pub fn terms(norm: Norm, elements: &[f64]) -> Vec<f64> {
    match norm.term() {
        Term::Magnitude => elements.iter().map(|x| x.abs()).collect(),
        Term::Square => elements.iter().map(|x| x * x).collect(),
        Term::Element => elements.to_vec(),
    }
}

/// Adds the terms in order.
pub fn sequential(terms: &[f64], width: FloatFormat) -> f64 {
    terms.iter().fold(0.0, |sum, x| held(sum + x, width))
}

/// Rounds `x` to the format, ties to even.
#[inline]
pub fn held(x: f64, format: FloatFormat) -> f64 {
    match format {
        FloatFormat::F64 => x,
        FloatFormat::F32 => f64::from(x as f32),
        _ => rounded(x, format),
    }
}

fn rounded(x: f64, format: FloatFormat) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let rounded = if exponent(x) >= format.min_exponent {
        // A carry out of the significand correctly increases the exponent.
        let cut = 53 - format.precision;
        let bits = x.to_bits();
        let even = (bits >> cut) & 1;
        f64::from_bits((bits + (1 << (cut - 1)) - 1 + even) >> cut << cut)
    } else {
        let step = power(format.min_exponent - (format.precision as i32 - 1));
        (x / step).round_ties_even() * step
    };
    if rounded.abs() >= power(format.max_exponent + 1) { f64::INFINITY.copysign(x) } else { rounded }
}

/// Rounds `x` towards zero; a finite number beyond the format becomes its greatest.
pub fn towards_zero(x: f64, format: FloatFormat) -> f64 {
    if format == FloatFormat::F64 || x == 0.0 || !x.is_finite() {
        return x;
    }
    let last = exponent(x).max(format.min_exponent) - (format.precision as i32 - 1);
    let step = power(last);
    ((x / step).trunc() * step).clamp(-greatest(format), greatest(format))
}

/// Returns the greatest finite number of the format.
pub fn greatest(format: FloatFormat) -> f64 {
    (2.0 - power(1 - format.precision as i32)) * power(format.max_exponent)
}

/// Returns floor log2 of a finite nonzero number.
pub fn exponent(x: f64) -> i32 {
    let bits = x.abs().to_bits();
    match (bits >> 52) as i32 {
        // A subnormal's leading bit is as far below bit 52 as its exponent is below -1022.
        0 => -1023 - (bits.leading_zeros() as i32 - 12),
        biased => biased - 1023,
    }
}

/// Returns 2^exponent, exactly; 0 below f64's range and infinity above it.
pub fn power(exponent: i32) -> f64 {
    match exponent {
        ..-1074 => 0.0,
        -1074..-1022 => f64::from_bits(1 << (exponent + 1074)),
        -1022..=1023 => f64::from_bits(((exponent + 1023) as u64) << 52),
        1024.. => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests;
