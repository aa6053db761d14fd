//! Runs the norm reductions with ndarray's `fold_axis`: one running sum per lane, from zero, in the type of
//! the data, without an intermediate array.
//!
//! - the last axis is folded from the data, `fold_axis(axis, 0, |sum, x| sum + x.abs())`, further ones from the sums,
//!   so that the others keep their places. L2 adds squares, and takes the root at the end.
//!
//! `backends/ndarray` is the other way to write it: `sum_axis` of mapped values, with 16-bit floats widened
//! to f32.
//!
//! ndarray's axes are `usize` and panic out of range. Beside [`normative_request`]'s defaults, the user
//! writes:
//!
//! - an axis below zero counts from the end; one that is out of range is refused;
//! - an axis named twice is folded once; every axis is `0..rank`; without an axis, the norm of each element.
//!
//! Unsupported: integers, whose running sum overflows or panics, depending on the build.

use half::{bf16, f16};
use ndarray::{ArrayD, Axis};
use normative_backend::reference::{Call, Family, Norm, Tensor};
use normative_backend::{Answer, Backend, Capabilities, Claim, Identity, layout};
use normative_request::{Request, Wanted};
use num_traits::Float;

/// The version in Cargo.lock, because ndarray does not report its own.
pub const VERSION: &str = "0.17.2";

/// Returns ndarray's `fold_axis` as a backend.
pub fn backend() -> impl Backend {
    NdarrayFold
}

struct NdarrayFold;

impl Backend for NdarrayFold {
    fn identity(&self) -> Identity {
        Identity {
            name: "ndarray-fold".into(),
            version: VERSION.into(),
            report_bugs_to: "https://github.com/rust-ndarray/ndarray/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let claims = Claim::values_of(&[Family::OpenVino, Family::Onnx]);
        Capabilities { claims, layouts: layout::OF_ARRAYS.to_vec(), ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let request = match Request::of(call) {
            Ok(request) => request,
            Err(missing) => return Answer::Unsupported(missing),
        };
        let axes = match axes(&request.axes, call.data.rank()) {
            Ok(axes) => axes,
            Err(why) => return Answer::Rejected(why),
        };
        let data = match layout::laid_out(call) {
            Ok(data) => data,
            Err(why) => return Answer::Unsupported(why),
        };
        Answer::Tensor(match &*data {
            Tensor::F16(data) => fold::<f16>(data, request.norm, &axes, request.keep).into(),
            Tensor::Bf16(data) => fold::<bf16>(data, request.norm, &axes, request.keep).into(),
            Tensor::F32(data) => fold::<f32>(data, request.norm, &axes, request.keep).into(),
            Tensor::F64(data) => fold::<f64>(data, request.norm, &axes, request.keep).into(),
            other => return Answer::Unsupported(format!("a running sum of {} may overflow", other.dtype())),
        })
    }
}

/// Computes the norm: all of the judged code. `axes` ascend.
fn fold<T: Float>(data: &ArrayD<T>, norm: Norm, axes: &[usize], keep: bool) -> ArrayD<T> {
    let Some((&last, others)) = axes.split_last() else {
        return match norm {
            Norm::L1 => data.mapv(T::abs),
            Norm::L2 => data.mapv(|x| (x * x).sqrt()),
            Norm::SumSquare => data.mapv(|x| x * x),
            Norm::Sum => data.clone(),
        };
    };
    let kept = |sums: ArrayD<T>, axis| if keep { sums.insert_axis(Axis(axis)) } else { sums };
    let sums = match norm {
        Norm::L1 => data.fold_axis(Axis(last), T::zero(), |&sum, x| sum + x.abs()),
        Norm::L2 | Norm::SumSquare => data.fold_axis(Axis(last), T::zero(), |&sum, &x| sum + x * x),
        Norm::Sum => data.fold_axis(Axis(last), T::zero(), |&sum, &x| sum + x),
    };
    let sums = others.iter().rev().fold(kept(sums, last), |sums, &axis| {
        kept(sums.fold_axis(Axis(axis), T::zero(), |&sum, &x| sum + x), axis)
    });
    match norm {
        Norm::L1 | Norm::SumSquare | Norm::Sum => sums,
        Norm::L2 => sums.mapv(T::sqrt),
    }
}

fn axes(wanted: &Wanted<'_>, rank: usize) -> Result<Vec<usize>, String> {
    let axes = match wanted {
        Wanted::All => return Ok((0..rank).collect()),
        Wanted::One(axis) => std::slice::from_ref(axis),
        Wanted::Listed(axes) => axes,
    };
    let from_front = |&axis: &i128| {
        let counted = if axis < 0 { axis + rank as i128 } else { axis };
        let in_range = usize::try_from(counted).ok().filter(|&axis| axis < rank);
        in_range.ok_or_else(|| format!("axis {axis} is out of range for rank {rank}"))
    };
    let mut axes = axes.iter().map(from_front).collect::<Result<Vec<_>, _>>()?;
    axes.sort_unstable();
    axes.dedup();
    Ok(axes)
}

#[cfg(test)]
mod tests;
