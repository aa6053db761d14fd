//! ONNX ReduceL1 and ReduceL2 as rten runs them: the call as a model of one node ([`normative_onnx`]), axes of opset 18
//! as an initializer, loaded with `Model::load` and run once.
//!
//! Nothing else is translated. Unsupported:
//!
//! - operators that are not ONNX's, and what no model can say;
//! - element types other than f32, i32, i8 and u8: rten has no value of another. Its users feed i32 where a model says
//!   int64 and f32 where it says double or float16, and get the same back, which would be another operator's answer;
//! - whatever rten calls unsupported or unavailable. Its errors tell their kinds only in words, so the words decide.

use normative_backend::reference::{Call, Element, Tensor};
use normative_backend::{Answer, Backend, Death, Identity};
use normative_onnx::{AxesAs, DATA, OUTPUT};
use rten::{Model, Value};
use rten_tensor::prelude::*;

/// The version Cargo.lock pins; rten does not tell its own.
pub const VERSION: &str = "0.27.0";

/// rten as a backend.
pub fn backend() -> impl Backend {
    Rten
}

struct Rten;

impl Backend for Rten {
    fn identity(&self) -> Identity {
        Identity {
            name: "rten".into(),
            version: VERSION.into(),
            report_bugs_to: "https://github.com/robertknight/rten/issues".into(),
        }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let model = match normative_onnx::model(call, AxesAs::Initializer) {
            Ok(model) => model.bytes,
            Err(why) => return Answer::Unsupported(why.to_string()),
        };
        let Some(data) = to_rten(&call.data) else {
            return Answer::Unsupported(format!("RTen has no value of {}", call.data.dtype()));
        };
        match run(model, data) {
            Ok(norm) => from_rten(norm),
            Err(words) => refusal(words),
        }
    }
}

/// The whole of what is judged.
fn run(model: Vec<u8>, data: Value) -> Result<Value, String> {
    let model = Model::load(model).map_err(|error| error.to_string())?;
    let input = model.node_id(DATA).map_err(|error| error.to_string())?;
    let output = model.node_id(OUTPUT).map_err(|error| error.to_string())?;
    let [norm] =
        model.run_n(vec![(input, data.into())], [output], None).map_err(|error| error.to_string())?;
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

fn from_rten(norm: Value) -> Answer {
    fn of<T: Element>(shape: &[usize], elements: Vec<T>) -> Answer {
        let bits: Vec<u64> = elements.into_iter().map(Element::to_u64).collect();
        match Tensor::from_bits(T::DTYPE, shape, &bits) {
            Ok(tensor) => Answer::Tensor(tensor),
            Err(error) => Answer::Died(Death::Crashed(error.to_string())),
        }
    }
    match norm {
        Value::FloatTensor(norm) => of(norm.shape(), norm.to_vec()),
        Value::Int32Tensor(norm) => of(norm.shape(), norm.to_vec()),
        Value::Int8Tensor(norm) => of(norm.shape(), norm.to_vec()),
        Value::UInt8Tensor(norm) => of(norm.shape(), norm.to_vec()),
        other => Answer::Died(Death::Crashed(format!("there is no {} here", other.dtype()))),
    }
}

#[cfg(test)]
mod tests;
