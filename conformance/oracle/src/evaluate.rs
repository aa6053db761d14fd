//! Computes the exact norm of every output element, and chooses the way of adding.

use half::{bf16, f16};
use ndarray::ArrayD;
use normative_reference::exact::Variant;
use normative_reference::tensor::row_major;
use normative_reference::{Norm, Real, Reduction, Tensor, Value};

use crate::sum::Sum;
use crate::term::Term;
use crate::{axes, few, walk};

/// Returns the exact norm of every output element, row-major in the output's shape.
pub fn evaluate(data: &Tensor, reduction: &Reduction, variant: Variant) -> Vec<Value> {
    match &*reduction.operand(data) {
        Tensor::F16(array) if variant.flush_subnormals => {
            let least = f16::MIN_POSITIVE.to_f32();
            reduce(array, reduction, variant, |x| flushed(half_magnitude(x), least))
        }
        Tensor::Bf16(array) if variant.flush_subnormals => {
            let least = bf16::MIN_POSITIVE.to_f32();
            reduce(array, reduction, variant, |x| flushed(x.to_f32().abs(), least))
        }
        Tensor::F32(array) if variant.flush_subnormals => {
            reduce(array, reduction, variant, |x| flushed(x.abs(), f32::MIN_POSITIVE))
        }
        Tensor::F64(array) if variant.flush_subnormals => {
            reduce(array, reduction, variant, |x| flushed(x.abs(), f64::MIN_POSITIVE))
        }
        Tensor::F16(array) => reduce(array, reduction, variant, half_magnitude),
        Tensor::Bf16(array) => reduce(array, reduction, variant, |x| x.to_f32().abs()),
        Tensor::F32(array) => reduce(array, reduction, variant, f32::abs),
        Tensor::F64(array) => reduce(array, reduction, variant, f64::abs),
        Tensor::I8(array) => reduce(array, reduction, variant, |x| u64::from(x.unsigned_abs())),
        Tensor::I16(array) => reduce(array, reduction, variant, |x| u64::from(x.unsigned_abs())),
        Tensor::I32(array) => reduce(array, reduction, variant, |x| u64::from(x.unsigned_abs())),
        Tensor::I64(array) => reduce(array, reduction, variant, i64::unsigned_abs),
        Tensor::U8(array) => reduce(array, reduction, variant, u64::from),
        Tensor::U16(array) => reduce(array, reduction, variant, u64::from),
        Tensor::U32(array) => reduce(array, reduction, variant, u64::from),
        Tensor::U64(array) => reduce(array, reduction, variant, |x| x),
    }
}

/// Returns the magnitude of an f16. Its fields, moved to their places in an f32, represent 2^-112 times the
/// value. The code has no branch, so that compilers vectorise a loop of it.
fn half_magnitude(x: f16) -> f32 {
    let bits = u32::from(x.to_bits() & 0x7fff) << 13;
    let infinite = f32::INFINITY.to_bits();
    let nonfinite = bits >= u32::from(f16::INFINITY.to_bits()) << 13;
    if nonfinite { f32::from_bits(bits | infinite) } else { f32::from_bits(bits) * 2_f32.powi(112) }
}

/// Returns a magnitude, or zero if it is below `least`.
fn flushed<F: Copy + PartialOrd + Default>(magnitude: F, least: F) -> F {
    if magnitude < least { F::default() } else { magnitude }
}

fn reduce<T: Copy + Default, M: Term>(
    array: &ArrayD<T>,
    reduction: &Reduction,
    variant: Variant,
    magnitude: impl Fn(T) -> M + Copy,
) -> Vec<Value> {
    let elements = &*row_major(array);
    let outputs = reduction.outputs(array.shape());
    if elements.is_empty() {
        return vec![Value::Finite(Real::zero()); outputs];
    }
    let (norm, terms) = (reduction.norm, reduction.terms(array.shape()));
    if elements.len() <= few::FEW && outputs == 1 {
        return vec![few::norm_of_all(elements, norm, variant, magnitude)];
    }
    let axes = axes::merged(array.shape(), reduction);
    if elements.len() <= few::FEW || terms <= few::RUN {
        return few::reduce(elements, axes, norm, variant, magnitude);
    }
    let mut values = Vec::with_capacity(outputs);
    let take = |sum: &mut Sum| values.push(sum.take(norm, variant));
    match norm {
        Norm::L1 => walk::sums::<T, M, M::Plain>(elements, axes, magnitude, take),
        Norm::L2 => walk::sums::<T, M, M::Squared>(elements, axes, magnitude, take),
    }
    values
}
