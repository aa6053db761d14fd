//! Converts data to burn and back: every type of a call, bit for bit.

use burn::tensor::{DType, Element as BurnElement, TensorData, bf16, f16};
use normative_backend::Answer;
use normative_backend::reference::{Dtype, Element, Tensor, with_array};

pub(crate) fn to_burn(data: &Tensor) -> TensorData {
    with_array!(data, array => TensorData::new(array.iter().copied().collect(), array.shape()))
}

/// Converts a result to these dims, which may be fewer than burn supports.
pub(crate) fn from_burn(data: &TensorData, dims: &[usize]) -> Answer {
    fn of<T: Element + BurnElement>(data: &TensorData, dims: &[usize]) -> Result<Tensor, String> {
        let elements: Vec<T> = data.try_to_vec().map_err(|error| error.to_string())?;
        let bits: Vec<u64> = elements.into_iter().map(Element::to_u64).collect();
        Tensor::from_bits(T::DTYPE, dims, &bits).map_err(|error| error.to_string())
    }
    let tensor = match data.dtype() {
        DType::F16 => of::<f16>(data, dims),
        DType::BF16 => of::<bf16>(data, dims),
        DType::F32 => of::<f32>(data, dims),
        DType::F64 => of::<f64>(data, dims),
        DType::I8 => of::<i8>(data, dims),
        DType::I16 => of::<i16>(data, dims),
        DType::I32 => of::<i32>(data, dims),
        DType::I64 => of::<i64>(data, dims),
        DType::U8 => of::<u8>(data, dims),
        DType::U16 => of::<u16>(data, dims),
        DType::U32 => of::<u32>(data, dims),
        DType::U64 => of::<u64>(data, dims),
        other => Err(format!("there is no {other:?} here")),
    };
    tensor.map_or_else(Answer::Crashed, Answer::Tensor)
}

pub(crate) const fn dtype(dtype: Dtype) -> DType {
    match dtype {
        Dtype::F16 => DType::F16,
        Dtype::Bf16 => DType::BF16,
        Dtype::F32 => DType::F32,
        Dtype::F64 => DType::F64,
        Dtype::I8 => DType::I8,
        Dtype::I16 => DType::I16,
        Dtype::I32 => DType::I32,
        Dtype::I64 => DType::I64,
        Dtype::U8 => DType::U8,
        Dtype::U16 => DType::U16,
        Dtype::U32 => DType::U32,
        Dtype::U64 => DType::U64,
    }
}
