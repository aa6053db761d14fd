//! Computes ReduceL1-4 and ReduceL2-4 of OpenVINO.

use normative_backend::reference::{Axes, Norm, Tensor};

use crate::axes::{from_either_end, refuse_repeated};
use crate::reduction::Reduction;

pub(crate) fn norm(
    norm: Norm,
    data: &Tensor,
    axes: &Axes,
    keep_dims: Option<bool>,
) -> Result<Tensor, String> {
    let Axes::Given(given) = axes else { return Err("axes are required".into()) };
    if !given.dtype.is_integer() || given.shape.len() > 1 {
        return Err(format!("axes are {} of shape {:?}, not integers", given.dtype, given.shape));
    }
    if given.values.is_empty() {
        return Ok(data.clone());
    }
    refuse_repeated(&given.values)?;
    let axes = from_either_end(&given.values, data.rank())?;
    Ok(Reduction { norm, axes, keep: keep_dims.unwrap_or(false) }.of(data))
}
