//! Converts a call's tensors to ONNX Runtime's values, and results of any type and dims to tensors.

use std::borrow::Cow;

use half::{bf16, f16};
use normative_backend::reference::{Element, Tensor, with_array};
use ort::session::SessionInputValue;
use ort::value::{DynValue, PrimitiveTensorElementType, TensorElementType, TensorRef, ValueType};

/// Lends the tensor's own memory if it is row-major, else a copy.
pub(crate) fn input(tensor: &Tensor) -> ort::Result<SessionInputValue<'_>> {
    with_array!(tensor, array => {
        let values = match array.as_slice() {
            Some(values) => Cow::Borrowed(values),
            None => Cow::Owned(array.iter().copied().collect::<Vec<_>>()),
        };
        Ok(match values {
            Cow::Borrowed(values) => TensorRef::from_array_view((array.shape(), values))?.into(),
            Cow::Owned(values) => ort::value::Tensor::from_array((array.shape(), values))?.into(),
        })
    })
}

/// Reads a result.
pub(crate) fn output(value: &DynValue) -> ort::Result<Tensor> {
    let ValueType::Tensor { ty, .. } = value.dtype() else {
        return Err(ort::Error::new(format!("the result is a {}", value.dtype())));
    };
    match ty {
        TensorElementType::Float16 => typed::<f16>(value),
        TensorElementType::Bfloat16 => typed::<bf16>(value),
        TensorElementType::Float32 => typed::<f32>(value),
        TensorElementType::Float64 => typed::<f64>(value),
        TensorElementType::Int8 => typed::<i8>(value),
        TensorElementType::Int16 => typed::<i16>(value),
        TensorElementType::Int32 => typed::<i32>(value),
        TensorElementType::Int64 => typed::<i64>(value),
        TensorElementType::Uint8 => typed::<u8>(value),
        TensorElementType::Uint16 => typed::<u16>(value),
        TensorElementType::Uint32 => typed::<u32>(value),
        TensorElementType::Uint64 => typed::<u64>(value),
        other => Err(ort::Error::new(format!("the result is of type {other}"))),
    }
}

fn typed<T: PrimitiveTensorElementType + Element>(value: &DynValue) -> ort::Result<Tensor> {
    let (shape, values) = value.try_extract_tensor::<T>()?;
    // An existing tensor has no negative dim.
    let shape: Vec<usize> = shape.iter().map(|&dim| dim as usize).collect();
    let bits: Vec<u64> = values.iter().map(|&value| value.to_u64()).collect();
    Tensor::from_bits(T::DTYPE, &shape, &bits).map_err(|error| ort::Error::new(error.to_string()))
}
