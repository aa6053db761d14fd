//! Computes the norm reductions as a Rust user would write them with ndarray: map, sum over axes, root.
//!
//! It is a second opinion, because it shares only types with the reference, and no rules or arithmetic. Where
//! a text is open, it always takes the same reading:
//!
//! - OpenVINO's empty axes and ONNX's `noop_with_empty_axes` give the data back unchanged; elsewhere
//!   an empty list means every axis;
//! - an axis named twice is reduced once; on a scalar no axis is in range; ONNX axes are a list; at
//!   opset 1 a negative axis counts from the end; opset 11 is read like its neighbours;
//! - in `vector_norm` of the array API an empty tuple names no axis, and None with keepdims keeps every dim;
//! - in WebNN a dim of 0 is refused;
//! - in BLAS asum at a spacing of 0 or below is 0, and large elements are scaled before they are squared;
//! - any attribute except 0 is true;
//! - f16 and bf16 are computed in f32 and rounded once; squares are not scaled;
//! - integers are summed in u128, roots are truncated, and results beyond the type become its maximum.
//!
//! Each family has its own file; `reduction` has the norms.

mod array_api;
mod axes;
mod blas;
mod bnns;
mod onnx;
mod openvino;
mod reduction;
mod webnn;

use normative_backend::reference::{Axes, Call, Dtype, Family, Operator, Spec, Tensor};
use normative_backend::{Answer, Backend, Capabilities, Claim, Declared, Identity, layout};

/// Returns ndarray as a backend.
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

    fn capabilities(&self) -> Capabilities {
        use Dtype::{Bf16, F16, F32, F64};
        let accumulation = vec![(F16, F32), (Bf16, F32), (F32, F32), (F64, F64)];
        Capabilities {
            accumulation,
            claims: Claim::in_full(&Family::ALL),
            other_forms: true,
            layouts: layout::OF_ARRAYS.to_vec(),
            declared: Declared { specs: Spec::ALL.to_vec(), dtypes: Vec::new() },
            ..Capabilities::default()
        }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let data = match layout::laid_out(call) {
            Ok(data) => data,
            Err(why) => return Answer::Unsupported(why),
        };
        match norm(&call.operator, &data, &call.axes) {
            Ok(tensor) => Answer::Tensor(tensor),
            Err(why) => Answer::Rejected(why),
        }
    }
}

/// Computes the operator's result, or returns why it refuses the call.
fn norm(operator: &Operator, data: &Tensor, axes: &Axes) -> Result<Tensor, String> {
    match *operator {
        Operator::OpenVino { norm, keep_dims } => openvino::norm(norm, data, axes, keep_dims),
        Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes } => {
            onnx::norm(norm, opset, data, axes, keepdims, noop_with_empty_axes)
        }
        Operator::Bnns { ref output_shape } => bnns::norm(data, axes, output_shape),
        Operator::ArrayApi { ord, keepdims } => array_api::norm(ord, data, axes, keepdims),
        Operator::WebNn { norm, keep_dimensions } => webnn::norm(norm, data, axes, keep_dimensions),
        Operator::Blas { norm, n, incx } => blas::norm(norm, n, incx, data),
    }
}

#[cfg(test)]
mod tests;
