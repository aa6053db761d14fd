//! Converts data to candle and back: the types that it has, bit for bit.

use candle_core::{DType, Device, Result, WithDType};
use normative_backend::Answer;
use normative_backend::reference::{self, Dtype, Element};

/// Converts data; `None` if candle lacks the type.
pub(crate) fn to_candle(data: &reference::Tensor) -> Result<Option<candle_core::Tensor>> {
    fn of<T: Element + WithDType>(data: &reference::Tensor) -> Result<Option<candle_core::Tensor>> {
        let Some(array) = T::array(data) else { return Ok(None) };
        let elements: Vec<T> = array.iter().copied().collect();
        candle_core::Tensor::from_vec(elements, array.shape(), &Device::Cpu).map(Some)
    }
    match data.dtype() {
        Dtype::F16 => of::<half::f16>(data),
        Dtype::Bf16 => of::<half::bf16>(data),
        Dtype::F32 => of::<f32>(data),
        Dtype::F64 => of::<f64>(data),
        Dtype::I16 => of::<i16>(data),
        Dtype::I32 => of::<i32>(data),
        Dtype::I64 => of::<i64>(data),
        Dtype::U8 => of::<u8>(data),
        Dtype::U32 => of::<u32>(data),
        Dtype::I8 | Dtype::U16 | Dtype::U64 => Ok(None),
    }
}

/// Converts a result of any type and dims.
pub(crate) fn from_candle(norm: &candle_core::Tensor) -> Result<Answer> {
    fn of<T: Element + WithDType>(norm: &candle_core::Tensor) -> Result<Answer> {
        let bits: Vec<u64> = norm.flatten_all()?.to_vec1::<T>()?.into_iter().map(Element::to_u64).collect();
        Ok(match reference::Tensor::from_bits(<T as Element>::DTYPE, norm.dims(), &bits) {
            Ok(tensor) => Answer::Tensor(tensor),
            Err(error) => Answer::Crashed(error.to_string()),
        })
    }
    match norm.dtype() {
        DType::F16 => of::<half::f16>(norm),
        DType::BF16 => of::<half::bf16>(norm),
        DType::F32 => of::<f32>(norm),
        DType::F64 => of::<f64>(norm),
        DType::I16 => of::<i16>(norm),
        DType::I32 => of::<i32>(norm),
        DType::I64 => of::<i64>(norm),
        DType::U8 => of::<u8>(norm),
        DType::U32 => of::<u32>(norm),
        other => Ok(Answer::Crashed(format!("there is no {} here", other.as_str()))),
    }
}
