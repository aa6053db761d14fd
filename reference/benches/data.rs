//! The data of the benchmarks: pseudo-random tensors, and the calls that reduce them.

use half::{bf16, f16};
use ndarray::{ArrayD, IxDyn};
use normative_reference::{Axes, Call, Dtype, Norm, Operator, Outcome, Tensor, rule};

use crate::Failure;

/// Returns a tensor of elements drawn evenly from [-1, 1], or from the whole of an integer type.
pub(crate) fn even(dtype: Dtype, shape: &[usize]) -> Result<Tensor, Failure> {
    let mut state = 1;
    let mut bits = || random(&mut state) as i64;
    Ok(match dtype {
        Dtype::F16 => filled(shape, || f16::from_f64(unit(bits())))?.into(),
        Dtype::Bf16 => filled(shape, || bf16::from_f64(unit(bits())))?.into(),
        Dtype::F32 => filled(shape, || unit(bits()) as f32)?.into(),
        Dtype::F64 => filled(shape, || unit(bits()))?.into(),
        Dtype::I32 => filled(shape, || bits() as i32)?.into(),
        Dtype::I64 => filled(shape, bits)?.into(),
        other => return Err(format!("no data for {other}").into()),
    })
}

fn unit(bits: i64) -> f64 {
    bits as f64 / 2_f64.powi(63)
}

fn filled<T>(shape: &[usize], mut element: impl FnMut() -> T) -> Result<ArrayD<T>, Failure> {
    let elements = (0..shape.iter().product()).map(|_| element()).collect();
    Ok(ArrayD::from_shape_vec(IxDyn(shape), elements)?)
}

/// Draws from `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Returns a call that reduces one axis.
pub(crate) fn call(norm: Norm, data: Tensor, axis: i64) -> Call {
    let operator = Operator::OpenVino { norm, keep_dims: None };
    Call::new(operator, data, Axes::list(&[axis]))
}

/// Returns the outcome of the call under the first reading of every question.
pub(crate) fn outcome(call: &Call) -> Result<Outcome, Failure> {
    let ruling = rule(call);
    let first = ruling.alternatives.into_iter().next().ok_or("a ruling without an alternative")?;
    match first.outcome {
        outcome @ Outcome::Reduce(..) => Ok(outcome),
        other => Err(format!("not a reduction: {other:?}").into()),
    }
}

/// Returns the number of elements of one output.
pub(crate) fn terms(outcome: &Outcome, call: &Call) -> usize {
    match outcome {
        Outcome::Reduce(reduction, _) => reduction.terms(call.data.shape()),
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => 1,
    }
}
