//! Runs ONNX ReduceL1 and ReduceL2 with rten: the call as a one-node model ([`normative_onnx`]), loaded with
//! `Model::load`, run once. Axes of opset 18 are an initializer or, with the word `axes-input`, fed.
//!
//! Nothing else is translated. Unsupported:
//!
//! - operators that are not ONNX's, and calls that no model can express;
//! - element types other than f32, i32, i8 and u8, for which rten has no value. Its users feed i32 for int64 and f32
//!   for double or float16, and get these types back, which would be another operator's answer;
//! - calls that rten reports as unsupported or unavailable. Only the text of its errors shows their kind.

use normative_backend::reference::{Call, Element, Family, Tensor};
use normative_backend::{Answer, Backend, Capabilities, Claim, Identity, Unavailable};
use normative_onnx::{AXES, AxesAs, DATA, OUTPUT};
use rten::{Model, Value};
use rten_tensor::prelude::*;

/// The version in Cargo.lock, because rten does not report its own.
pub const VERSION: &str = "0.27.0";

/// Returns rten as a backend.
///
/// # Errors
/// [`Unavailable`] if the command line has another word than `axes-input`.
pub fn backend() -> Result<impl Backend, Unavailable> {
    match std::env::args().nth(1).as_deref() {
        None => Ok(Rten(AxesAs::Initializer)),
        Some("axes-input") => Ok(Rten(AxesAs::Input)),
        Some(other) => Err(Unavailable(format!("expected no word or axes-input, got {other:?}"))),
    }
}

struct Rten(AxesAs);

impl Backend for Rten {
    fn identity(&self) -> Identity {
        let name = match self.0 {
            AxesAs::Initializer => "rten",
            AxesAs::Input => "rten (axes as input)",
        };
        Identity {
            name: name.into(),
            version: VERSION.into(),
            report_bugs_to: "https://github.com/robertknight/rten/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let claims = Claim::values_of(&[Family::Onnx]);
        Capabilities { claims, other_forms: true, ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let model = match normative_onnx::model(call, self.0) {
            Ok(model) => model,
            Err(why) => return Answer::Unsupported(why.to_string()),
        };
        let Some(data) = to_rten(&call.data) else {
            return Answer::Unsupported(format!("RTen has no value of {}", call.data.dtype()));
        };
        let mut inputs = vec![(DATA, data)];
        if let Some(axes) = model.axes {
            let Some(axes) = axes_to_rten(&axes) else {
                return Answer::Unsupported(format!("RTen has no value of {}", axes.dtype()));
            };
            inputs.push((AXES, axes));
        }
        match run(model.bytes, inputs) {
            Ok(norm) => from_rten(norm),
            Err(words) => refusal(words),
        }
    }
}

/// Computes the norm: all of the judged code.
fn run(model: Vec<u8>, inputs: Vec<(&str, Value)>) -> Result<Value, String> {
    let model = Model::load(model).map_err(|error| error.to_string())?;
    let id = |name| model.node_id(name).map_err(|error| error.to_string());
    let fed = inputs.into_iter().map(|(name, value)| Ok((id(name)?, value.into())));
    let fed = fed.collect::<Result<Vec<_>, String>>()?;
    let output = id(OUTPUT)?;
    let [norm] = model.run_n(fed, [output], None).map_err(|error| error.to_string())?;
    Ok(norm)
}

fn refusal(words: String) -> Answer {
    let says = |word| words.contains(word);
    if says("unsupported") || says("not supported") || says("unavailable") {
        Answer::Unsupported(words)
    } else {
        Answer::Rejected(words)
    }
}

fn to_rten(data: &Tensor) -> Option<Value> {
    let shape = data.shape();
    match data {
        Tensor::F32(array) => Value::from_shape(shape, array.iter().copied().collect::<Vec<_>>()).ok(),
        Tensor::I32(array) => Value::from_shape(shape, array.iter().copied().collect::<Vec<_>>()).ok(),
        Tensor::I8(array) => Value::from_shape(shape, array.iter().copied().collect::<Vec<_>>()).ok(),
        Tensor::U8(array) => Value::from_shape(shape, array.iter().copied().collect::<Vec<_>>()).ok(),
        _ => None,
    }
}

/// Converts axes; int64 becomes i32, as rten's users feed it.
fn axes_to_rten(axes: &Tensor) -> Option<Value> {
    let values: Vec<i32> = match axes {
        Tensor::I64(array) => array.iter().map(|&axis| i32::try_from(axis).ok()).collect::<Option<_>>()?,
        _ => return to_rten(axes),
    };
    Value::from_shape(axes.shape(), values).ok()
}

fn from_rten(norm: Value) -> Answer {
    fn of<T: Element>(shape: &[usize], elements: Vec<T>) -> Answer {
        let bits: Vec<u64> = elements.into_iter().map(Element::to_u64).collect();
        match Tensor::from_bits(T::DTYPE, shape, &bits) {
            Ok(tensor) => Answer::Tensor(tensor),
            Err(error) => Answer::Crashed(error.to_string()),
        }
    }
    match norm {
        Value::FloatTensor(norm) => of(norm.shape(), norm.to_vec()),
        Value::Int32Tensor(norm) => of(norm.shape(), norm.to_vec()),
        Value::Int8Tensor(norm) => of(norm.shape(), norm.to_vec()),
        Value::UInt8Tensor(norm) => of(norm.shape(), norm.to_vec()),
        other => Answer::Crashed(format!("there is no {} here", other.dtype())),
    }
}

#[cfg(test)]
mod tests;
