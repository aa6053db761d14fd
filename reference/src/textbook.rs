//! A readable second opinion: a plain loop in f64.
//!
//! It is only as exact as f64. A reader who doubts the exact evaluator can compare it with ten lines that are
//! easy to check. No verdict rests on it.

use ndarray::{ArrayD, Axis};

use crate::dtype::{Dtype, Kind};
use crate::reduction::{Dims, Reduction};
use crate::spec::{Finish, Term};
use crate::tensor::{Element, Tensor};
use crate::with_array;

/// Returns the norm of every output element, in the output's shape. Each has a relative error of about `terms
/// · 2^-53`, unless squares leave the range of f64.
pub fn evaluate(data: &Tensor, reduction: &Reduction) -> ArrayD<f64> {
    let data = &*reduction.operand(data);
    let elements = with_array!(data, array => array.mapv(|x| to_f64(data.dtype(), x.to_u64())));
    let mut sums = elements.mapv(|x| match reduction.norm.term() {
        Term::Magnitude => x.abs(),
        Term::Square => x * x,
        Term::Element => x,
    });
    for &axis in reduction.axes.iter().rev() {
        sums = sums.sum_axis(Axis(axis));
        if reduction.dims == Dims::Keep {
            sums.insert_axis_inplace(Axis(axis));
        }
    }
    if reduction.dims == Dims::DropToVector && sums.ndim() == 0 {
        sums.insert_axis_inplace(Axis(0));
    }
    match reduction.norm.finish() {
        Finish::Nothing => sums,
        Finish::Root => sums.mapv(f64::sqrt),
    }
}

/// Returns the f64 nearest to the element with these bits; exact for every type but the 64-bit integers.
pub fn to_f64(dtype: Dtype, bits: u64) -> f64 {
    match (dtype, dtype.kind()) {
        (Dtype::F16, _) => half::f16::from_bits(bits as u16).to_f64(),
        (Dtype::Bf16, _) => half::bf16::from_bits(bits as u16).to_f64(),
        (Dtype::F32, _) => f32::from_bits(bits as u32).into(),
        (_, Kind::Float(_)) => f64::from_bits(bits),
        (_, Kind::Integer(range)) => range.decode(bits) as f64,
    }
}
