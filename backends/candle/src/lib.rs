//! Runs the norm reductions as a user of candle-core would write them, on its CPU device:
//!
//! - L1: `x.abs()?.sum(dims)?`, or `sum_keepdim`
//! - L2: `x.sqr()?.sum(dims)?.sqrt()?`, or `sum_keepdim`
//!
//! Beside the defaults that [`normative_request`] fills in, the adapter translates:
//!
//! - an axis from the front is a `usize`, one from the end is `D::Minus`; candle resolves each against the shape
//!   (`Dim::to_index`), because its lists of dims are of `usize` alone. Its error is a refusal;
//! - one axis is a list of one, because `sum(1)` and `sum([1])` are the same call to candle (`Dims`);
//! - every axis is `0..rank`, where an operator means all by naming none.
//!
//! Unsupported:
//!
//! - the types that candle lacks: i8, u16, u64;
//! - an axis beyond `usize`;
//! - the L2 norm of integers: `sqr` panics with "no unary function" for types without an implementation;
//! - calls that candle rejects for an unsupported type.

mod elements;

use candle_core::shape::{D, Dim};
use candle_core::{Error, Shape, Tensor};
use normative_backend::reference::{Call, Family, Norm};
use normative_backend::{Answer, Backend, Capabilities, Claim, Identity};
use normative_request::{Request, Wanted};

use self::elements::{from_candle, to_candle};

/// The version in Cargo.lock, because candle does not report its own.
pub const VERSION: &str = "0.11.1";

/// Returns candle as a backend.
pub fn backend() -> impl Backend {
    Candle
}

struct Candle;

impl Backend for Candle {
    fn identity(&self) -> Identity {
        Identity {
            name: "candle".into(),
            version: VERSION.into(),
            report_bugs_to: "https://github.com/huggingface/candle/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let claims = Claim::values_of(&[Family::OpenVino, Family::Onnx]);
        Capabilities { claims, ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let request = match Request::of(call) {
            Ok(request) => request,
            Err(missing) => return Answer::Unsupported(missing),
        };
        if request.norm == Norm::L2 && call.data.dtype().is_integer() {
            return Answer::Unsupported(format!("candle's sqr is not written for {}", call.data.dtype()));
        }
        let data = match to_candle(&call.data) {
            Ok(Some(data)) => data,
            Ok(None) => return Answer::Unsupported(format!("candle has no {}", call.data.dtype())),
            Err(error) => return refusal(&error),
        };
        let dims = match dims(&request.axes, data.shape()) {
            Ok(Some(dims)) => dims,
            Ok(None) => return Answer::Unsupported("candle's dims are usize, or usize from the end".into()),
            Err(error) => return refusal(&error),
        };
        match norm(&data, request.norm, dims, request.keep).and_then(|norm| from_candle(&norm)) {
            Ok(norm) => norm,
            Err(error) => refusal(&error),
        }
    }
}

/// Computes the norm: all of the judged code.
fn norm(x: &Tensor, norm: Norm, dims: Vec<usize>, keep: bool) -> candle_core::Result<Tensor> {
    let sum = |x: Tensor| if keep { x.sum_keepdim(dims) } else { x.sum(dims) };
    match norm {
        Norm::L1 => sum(x.abs()?),
        Norm::L2 => sum(x.sqr()?)?.sqrt(),
        Norm::SumSquare => sum(x.sqr()?),
        Norm::Sum => sum(x.clone()),
    }
}

fn dims(axes: &Wanted<'_>, shape: &Shape) -> candle_core::Result<Option<Vec<usize>>> {
    let axes = match axes {
        Wanted::All => return Ok(Some((0..shape.rank()).collect())),
        Wanted::One(axis) => std::slice::from_ref(axis),
        Wanted::Listed(axes) => axes,
    };
    let resolve = |&axis: &i128| match (usize::try_from(axis), usize::try_from(axis.unsigned_abs())) {
        (Ok(from_front), _) => from_front.to_index(shape, "sum").map(Some),
        (_, Ok(from_end)) => D::Minus(from_end).to_index(shape, "sum").map(Some),
        _ => Ok(None),
    };
    axes.iter().map(resolve).collect()
}

fn refusal(error: &Error) -> Answer {
    fn is_of_type(error: &Error) -> bool {
        match error {
            Error::UnsupportedDTypeForOp(..) => true,
            Error::WithBacktrace { inner, .. } => is_of_type(inner),
            _ => false,
        }
    }
    if is_of_type(error) {
        Answer::Unsupported(error.to_string())
    } else {
        Answer::Rejected(error.to_string())
    }
}

#[cfg(test)]
mod tests;
