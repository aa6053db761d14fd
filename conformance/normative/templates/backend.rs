//! @NAME@, as Normative judges it: calls in, answers out.
//!
//! An adapter translates and never repairs. It takes no absolute value, mends no axis and converts no element that
//! @NAME@'s own user would not have to. What @NAME@ refuses is `Rejected`, in its words; what it has no place for is
//! `Unsupported`. List each translation here, for readers who doubt a verdict.

use normative_backend::reference::{Call, Operator};
use normative_backend::{Answer, Backend, Identity};

/// @NAME@ as a backend.
pub fn backend() -> impl Backend {
    Mine
}

struct Mine;

impl Backend for Mine {
    fn identity(&self) -> Identity {
        Identity {
            name: "@NAME@".into(),
            // The version of what is judged, read from it if it can tell.
            version: "0.0.0".into(),
            report_bugs_to: "where @NAME@'s maintainers take bug reports".into(),
        }
    }

    /// `call.data` is a tensor: `Tensor::F32(array)` and so on, row-major arrays of `ndarray`, which is
    /// `normative_backend::ndarray`. `call.axes` are absent, null, or a tensor of integers as they were written.
    /// `Answer::Tensor` takes the output, an `ArrayD` made a tensor by `.into()`.
    fn answer(&mut self, call: &Call) -> Answer {
        match &call.operator {
            // An attribute is None where the call leaves it out.
            Operator::OpenVino { norm: _, keep_dims: _ } => not_yet("OpenVINO"),
            Operator::Onnx { norm: _, opset: _, keepdims: _, noop_with_empty_axes: _ } => not_yet("ONNX"),
            // Shape of the output that the caller allocated, fastest axis first.
            Operator::Bnns { output_shape: _ } => not_yet("BNNS"),
            Operator::ArrayApi { ord: _, keepdims: _ } => not_yet("the Python array API"),
            Operator::Blas { norm: _, n: _, incx: _ } => not_yet("BLAS"),
            Operator::WebNn { norm: _, keep_dimensions: _ } => not_yet("WebNN"),
        }
    }
}

fn not_yet(family: &str) -> Answer {
    Answer::Unsupported(format!("the operators of {family} are not adapted yet"))
}
