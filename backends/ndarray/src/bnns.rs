//! Computes computeNorm of Apple's BNNS.

use normative_backend::reference::{Axes, Norm, Tensor};

use crate::axes::{all, from_fastest, int64_list};
use crate::reduction::Reduction;

/// Computes the norm. BNNS has the fastest axis first; the caller allocated an output of `output_shape`.
pub(crate) fn norm(data: &Tensor, axes: &Axes, output_shape: &[usize]) -> Result<Tensor, String> {
    let rank = data.rank();
    let elements = match data {
        Tensor::F32(elements) if (1..=8).contains(&rank) => elements,
        _ => return Err(format!("{} of rank {rank}, where f32 of rank 1 to 8 is due", data.dtype())),
    };
    let axes = match axes {
        Axes::Given(given) => from_fastest(int64_list(given)?, rank)?,
        Axes::Absent | Axes::Null => Vec::new(),
        Axes::OtherForm(_) => return Err("expected an argument".into()),
    };
    let axes = if axes.is_empty() { all(data) } else { axes };
    let norms = Reduction { norm: Norm::L2, axes, keep: false }.floats(elements);
    // BNNS has no rank 0, so [1] replaces it.
    let norms = if norms.ndim() == 0 { norms.insert_axis(ndarray::Axis(0)) } else { norms };
    let allocated: Vec<usize> = output_shape.iter().rev().copied().collect();
    if norms.shape() == allocated {
        Ok(norms.into())
    } else {
        let shape = norms.shape();
        Err(format!("the output has shape {allocated:?}, the result {shape:?} (slowest axis first)"))
    }
}
