//! Computes reduceL1, reduceL2 and reduceSumSquare of WebNN.

use normative_backend::reference::{Axes, Dtype, Norm, Tensor};

use crate::axes::{all, from_front, int64_list, refuse_repeated};
use crate::reduction::Reduction;

pub(crate) fn norm(
    norm: Norm,
    data: &Tensor,
    axes: &Axes,
    keep_dimensions: Option<bool>,
) -> Result<Tensor, String> {
    if !has(norm, data.dtype()) || data.shape().contains(&0) {
        return Err(format!("expected data of a type of {norm:?} without a dim of 0"));
    }
    let axes = match axes {
        Axes::Given(given) => {
            let axes = int64_list(given)?;
            refuse_repeated(axes)?;
            from_front(axes, data.rank())?
        }
        Axes::Absent => all(data),
        Axes::Null => return Err("expected a list of axes, got null".into()),
        Axes::OtherForm(_) => return Err("expected an option".into()),
    };
    Ok(Reduction { norm, axes, keep: keep_dimensions.unwrap_or(false) }.of(data))
}

fn has(norm: Norm, dtype: Dtype) -> bool {
    match dtype {
        Dtype::F16 | Dtype::F32 => true,
        Dtype::I32 | Dtype::I64 | Dtype::U32 | Dtype::U64 => norm != Norm::L2,
        _ => false,
    }
}
