//! Computes the reductions of ONNX, at each opset.

use normative_backend::reference::{Axes, Dtype, Norm, Opset, Tensor};

use crate::axes::{all, from_either_end, int64_list};
use crate::reduction::Reduction;

pub(crate) fn norm(
    norm: Norm,
    opset: Opset,
    data: &Tensor,
    axes: &Axes,
    keepdims: Option<i64>,
    noop_with_empty_axes: Option<i64>,
) -> Result<Tensor, String> {
    if !has(opset, data.dtype()) {
        return Err(format!("{} is no type of this operator", data.dtype()));
    }
    let by_input = opset >= if norm == Norm::Sum { Opset::V13 } else { Opset::V18 };
    if !by_input && (noop_with_empty_axes.is_some() || *axes == Axes::Null) {
        return Err("there is no noop_with_empty_axes and no null axes where axes are an attribute".into());
    }
    let axes = match axes {
        Axes::Given(given) => from_either_end(int64_list(given)?, data.rank())?,
        Axes::Absent | Axes::Null => Vec::new(),
        Axes::OtherForm(_) => {
            return Err("axes are in the form of another opset".into());
        }
    };
    if axes.is_empty() && noop_with_empty_axes.unwrap_or(0) != 0 {
        return Ok(data.clone());
    }
    let axes = if axes.is_empty() { all(data) } else { axes };
    Ok(Reduction { norm, axes, keep: keepdims.unwrap_or(1) != 0 }.of(data))
}

fn has(opset: Opset, dtype: Dtype) -> bool {
    match dtype {
        Dtype::F16 | Dtype::F32 | Dtype::F64 | Dtype::I32 | Dtype::I64 | Dtype::U32 | Dtype::U64 => true,
        Dtype::Bf16 => opset >= Opset::V13,
        Dtype::I8 | Dtype::I16 | Dtype::U8 | Dtype::U16 => false,
    }
}
