//! Runs ONNX ReduceL1 and ReduceL2 with tract: the call as a model of one node ([`normative_onnx`]), axes of
//! opset 18 as an initializer, read, optimised and run as in tract's examples.
//!
//! Nothing else is translated. Unsupported:
//!
//! - operators that are not ONNX's, and calls that no model can express;
//! - data of bf16, which tract lacks;
//! - calls that tract reports as unsupported or not implemented. Its errors have no kinds, so their text decides.
//!
//! tract panics on some models, and the panic passes through.

use normative_backend::reference::{self, Call, Element, Family};
use normative_backend::{Answer, Backend, Capabilities, Claim, Identity};
use normative_onnx::AxesAs;
use tract_onnx::prelude::*;

/// The version in Cargo.lock, because tract does not report its own.
pub const VERSION: &str = "0.23.9";

/// Returns tract as a backend.
pub fn backend() -> impl Backend {
    Tract
}

struct Tract;

impl Backend for Tract {
    fn identity(&self) -> Identity {
        Identity {
            name: "tract".into(),
            version: VERSION.into(),
            report_bugs_to: "https://github.com/sonos/tract/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let claims = Claim::values_of(&[Family::Onnx]);
        Capabilities { claims, other_forms: true, ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let model = match normative_onnx::model(call, AxesAs::Initializer) {
            Ok(model) => model.bytes,
            Err(why) => return Answer::Unsupported(why.to_string()),
        };
        let data = match to_tract(&call.data) {
            Ok(Some(data)) => data,
            Ok(None) => return Answer::Unsupported(format!("tract has no {}", call.data.dtype())),
            Err(error) => return refusal(&error),
        };
        match run(&model, data) {
            Ok(norm) => from_tract(&norm),
            Err(error) => refusal(&error),
        }
    }
}

/// Computes the norm: all of the judged code.
fn run(mut model: &[u8], data: Tensor) -> TractResult<TValue> {
    let model = tract_onnx::onnx().model_for_read(&mut model)?.into_optimized()?.into_runnable()?;
    // The model has one output.
    Ok(model.run(tvec!(data.into()))?.remove(0))
}

fn refusal(error: &TractError) -> Answer {
    // The whole chain of errors: the cause is last.
    let words = format!("{error:#}");
    let says = |word| words.to_lowercase().contains(word);
    // tract reports a missing kernel for a type as "U32 is not a number".
    if ["unsupported", "not support", "unimplemented", "not implemented", "is not a number"]
        .into_iter()
        .any(says)
    {
        Answer::Unsupported(words)
    } else {
        Answer::Rejected(words)
    }
}

fn to_tract(data: &reference::Tensor) -> TractResult<Option<Tensor>> {
    fn of<T: Element + Datum>(data: &reference::Tensor) -> TractResult<Option<Tensor>> {
        let Some(array) = T::array(data) else { return Ok(None) };
        let elements: Vec<T> = array.iter().copied().collect();
        Tensor::from_shape(array.shape(), &elements).map(Some)
    }
    match data {
        reference::Tensor::F16(_) => of::<f16>(data),
        reference::Tensor::Bf16(_) => Ok(None),
        reference::Tensor::F32(_) => of::<f32>(data),
        reference::Tensor::F64(_) => of::<f64>(data),
        reference::Tensor::I8(_) => of::<i8>(data),
        reference::Tensor::I16(_) => of::<i16>(data),
        reference::Tensor::I32(_) => of::<i32>(data),
        reference::Tensor::I64(_) => of::<i64>(data),
        reference::Tensor::U8(_) => of::<u8>(data),
        reference::Tensor::U16(_) => of::<u16>(data),
        reference::Tensor::U32(_) => of::<u32>(data),
        reference::Tensor::U64(_) => of::<u64>(data),
    }
}

fn from_tract(norm: &Tensor) -> Answer {
    fn of<T: Element + Datum>(norm: &Tensor) -> Result<reference::Tensor, String> {
        let view = norm.try_as_plain_ram().map_err(|error| error.to_string())?;
        let elements = view.as_slice::<T>().map_err(|error| error.to_string())?;
        let bits: Vec<u64> = elements.iter().map(|&x| x.to_u64()).collect();
        reference::Tensor::from_bits(T::DTYPE, norm.shape(), &bits).map_err(|error| error.to_string())
    }
    let tensor = match norm.datum_type() {
        DatumType::F16 => of::<f16>(norm),
        DatumType::F32 => of::<f32>(norm),
        DatumType::F64 => of::<f64>(norm),
        DatumType::I8 => of::<i8>(norm),
        DatumType::I16 => of::<i16>(norm),
        DatumType::I32 => of::<i32>(norm),
        DatumType::I64 => of::<i64>(norm),
        DatumType::U8 => of::<u8>(norm),
        DatumType::U16 => of::<u16>(norm),
        DatumType::U32 => of::<u32>(norm),
        DatumType::U64 => of::<u64>(norm),
        other => Err(format!("there is no {other:?} here")),
    };
    tensor.map_or_else(Answer::Crashed, Answer::Tensor)
}

#[cfg(test)]
mod tests;
