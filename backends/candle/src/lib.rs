//! The norm reductions as a user of candle-core would write them, on its CPU device:
//!
//! - L1: `x.abs()?.sum(dims)?`, or `sum_keepdim`
//! - L2: `x.sqr()?.sum(dims)?.sqrt()?`, or `sum_keepdim`
//!
//! Beside what [`normative_request`] fills in, this is translated:
//!
//! - an axis that counts from the front is a `usize`, one from the end is `D::Minus`; candle resolves each against
//!   the shape (`Dim::to_index`), as its lists of dims are of `usize` alone. What it says against one is a refusal;
//! - every axis is `0..rank`, where an operator means all by naming none.
//!
//! Unsupported:
//!
//! - the types candle does not have: i8, u16, u64;
//! - an axis beyond `usize`;
//! - whatever candle calls an unsupported type.
//!
//! candle panics where it has no square of integers. That is let through.

mod elements;

use candle_core::shape::{D, Dim};
use candle_core::{Error, Shape, Tensor};
use normative_backend::reference::{Call, Norm};
use normative_backend::{Answer, Backend, Identity};
use normative_request::{Request, Wanted};

use self::elements::{from_candle, to_candle};

/// The version Cargo.lock pins; candle does not tell its own.
pub const VERSION: &str = "0.11.1";

/// candle as a backend.
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

    fn answer(&mut self, call: &Call) -> Answer {
        let request = match Request::of(call) {
            Ok(request) => request,
            Err(missing) => return Answer::Unsupported(missing),
        };
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

/// The whole of what is judged.
fn norm(x: &Tensor, norm: Norm, dims: Vec<usize>, keep: bool) -> candle_core::Result<Tensor> {
    let sum = |x: Tensor| if keep { x.sum_keepdim(dims) } else { x.sum(dims) };
    match norm {
        Norm::L1 => sum(x.abs()?),
        Norm::L2 => sum(x.sqr()?)?.sqrt(),
    }
}

fn dims(axes: &Wanted<'_>, shape: &Shape) -> candle_core::Result<Option<Vec<usize>>> {
    let Wanted::Listed(axes) = axes else { return Ok(Some((0..shape.rank()).collect())) };
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
