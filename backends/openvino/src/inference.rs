//! One inference: a model compiled for the CPU plugin, its inputs filled, its result read.

use normative_backend::bytes;
use normative_backend::reference::{Dtype, Tensor};
use normative_openvino_ir::{AXES, DATA};
use openvino::{Core, DeviceType, ElementType, InferRequest, InferenceError, Shape};

use crate::refusal::Refusal;
use crate::route::Model;

/// The bytes that fill the result's memory before an inference.
const POISON: u8 = 0xa5;

/// Returns the result of the model for these data.
pub(crate) fn run(core: &mut Core, model: &Model, data: &Tensor) -> Result<Tensor, Refusal> {
    let weights = if model.weights.is_empty() { None } else { Some(bytes(&model.weights)?) };
    let read = core.read_model_from_buffer(&model.text, weights.as_ref())?;
    let mut request = core.compile_model(&read, DeviceType::CPU)?.create_infer_request()?;
    if model.takes_data {
        feed(&mut request, DATA, data)?;
    }
    if let Some(axes) = &model.axes {
        feed(&mut request, AXES, axes)?;
    }
    let mut output = request.get_output_tensor_by_index(0)?;
    if output.get_byte_size()? > 0 {
        output.get_raw_data_mut()?.fill(POISON);
    }
    request.infer()?;
    result(&request.get_output_tensor_by_index(0)?)
}

/// Fills OpenVINO's memory for the input of this name.
fn feed(request: &mut InferRequest, name: &str, with: &Tensor) -> Result<(), Refusal> {
    let mut tensor = request.get_tensor(name)?;
    let ours = bytes::of(with);
    let size = tensor.get_byte_size()?;
    if size != ours.len() {
        return Err(Refusal::Result(format!("{name} takes {size} bytes, the call has {}", ours.len())));
    }
    // Memory for no elements may be null, which is not a slice.
    if size > 0 {
        tensor.get_raw_data_mut()?.copy_from_slice(&ours);
    }
    Ok(())
}

fn bytes(bytes: &[u8]) -> Result<openvino::Tensor, InferenceError> {
    let mut tensor = openvino::Tensor::new(ElementType::U8, &Shape::new(&[bytes.len() as i64])?)?;
    tensor.get_raw_data_mut()?.copy_from_slice(bytes);
    Ok(tensor)
}

fn result(tensor: &openvino::Tensor) -> Result<Tensor, Refusal> {
    let shape = match tensor.get_shape() {
        Ok(shape) => shape.get_dimensions().iter().map(|&dim| dim as usize).collect(),
        Err(_) if tensor.get_size()? == 1 => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let element = tensor.get_element_type()?;
    let dtype = dtype(element).ok_or_else(|| Refusal::Result(format!("the result is of {element}")))?;
    let bytes: &[u8] = if tensor.get_byte_size()? == 0 { &[] } else { tensor.get_raw_data()? };
    bytes::tensor(dtype, &shape, bytes).map_err(|error| Refusal::Result(error.to_string()))
}

fn dtype(element: ElementType) -> Option<Dtype> {
    Some(match element {
        ElementType::F16 => Dtype::F16,
        ElementType::Bf16 => Dtype::Bf16,
        ElementType::F32 => Dtype::F32,
        ElementType::F64 => Dtype::F64,
        ElementType::I8 => Dtype::I8,
        ElementType::I16 => Dtype::I16,
        ElementType::I32 => Dtype::I32,
        ElementType::I64 => Dtype::I64,
        ElementType::U8 => Dtype::U8,
        ElementType::U16 => Dtype::U16,
        ElementType::U32 => Dtype::U32,
        ElementType::U64 => Dtype::U64,
        _ => return None,
    })
}
