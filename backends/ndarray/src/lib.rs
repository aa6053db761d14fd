//! The norm reductions as a Rust user would write them with [`ndarray`]'s own operations.
//!
//! Choices that every implementer has to make, made here: f16 and bf16 are summed in f32, f32 and
//! f64 in themselves; integers are summed in u128, saturate, and have truncated roots. What a call
//! means is decided in `plan`. Nothing of the reference but its types is used: this is an
//! implementation of its own, and judged like any other.

mod number;
mod plan;

use ndarray::{ArrayD, Axis};
use normative_conformance::reference::{Call, Norm, Operator, Tensor, with_array};
use normative_conformance::{Answer, Backend, Identity};

use crate::number::Number;
use crate::plan::{Plan, Reduce, plan};

/// The backend.
pub fn backend() -> impl Backend {
    Ndarray
}

struct Ndarray;

impl Backend for Ndarray {
    fn identity(&self) -> Identity {
        Identity {
            name: "ndarray".into(),
            version: "0.17".into(),
            report_bugs_to: "https://github.com/rust-ndarray/ndarray/issues".into(),
        }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        match plan(call) {
            Err(why) => Answer::Rejected(why),
            Ok(Plan::Unchanged) => Answer::Tensor(call.data.clone()),
            Ok(Plan::Reduce(reduce)) => {
                let norm = norm(&call.operator);
                Answer::Tensor(with_array!(&call.data, data => reduced(data, norm, &reduce)))
            }
        }
    }
}

fn norm(operator: &Operator) -> Norm {
    match operator {
        Operator::OpenVino { norm, .. } | Operator::Onnx { norm, .. } => *norm,
        Operator::Bnns { .. } => Norm::L2,
    }
}

/// The norm of `data` over the planned axes.
fn reduced<T: Number>(data: &ArrayD<T>, norm: Norm, reduce: &Reduce) -> Tensor
where
    Tensor: From<ArrayD<T>>,
{
    let mut sums = match norm {
        Norm::L1 => data.mapv(Number::absolute),
        Norm::L2 => data.mapv(Number::square),
    };
    // From the last axis to the first, so that the axes still to come keep their numbers.
    for &axis in reduce.axes.iter().rev() {
        sums = T::sum_axis(&sums, Axis(axis));
        if reduce.keep_dims {
            sums.insert_axis_inplace(Axis(axis));
        }
    }
    if reduce.at_least_rank_one && sums.ndim() == 0 {
        sums.insert_axis_inplace(Axis(0));
    }
    match norm {
        Norm::L1 => sums.mapv(T::from_sum).into(),
        Norm::L2 => sums.mapv(T::from_root_of).into(),
    }
}
