//! Computes `linalg.vector_norm` of the array API.

use normative_backend::reference::{Axes, Dtype, Norm, Tensor};

use crate::axes::{all, from_either_end, int_or_tuple};
use crate::reduction::Reduction;

pub(crate) fn norm(
    ord: Option<Norm>,
    data: &Tensor,
    axes: &Axes,
    keepdims: Option<bool>,
) -> Result<Tensor, String> {
    if !matches!(data.dtype(), Dtype::F32 | Dtype::F64) {
        return Err(format!("expected f32 or f64 data, got {}", data.dtype()));
    }
    let axes = match axes {
        Axes::Given(given) => from_either_end(int_or_tuple(given)?, data.rank())?,
        Axes::Absent | Axes::Null => all(data),
        Axes::OtherForm(_) => return Err("expected an argument".into()),
    };
    Ok(Reduction { norm: ord.unwrap_or(Norm::L2), axes, keep: keepdims.unwrap_or(false) }.of(data))
}
