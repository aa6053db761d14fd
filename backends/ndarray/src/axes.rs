//! Converts axes from each family's form to row-major ones: ascending, each once.

use normative_backend::reference::{AxesTensor, Dtype, Tensor};

/// Returns every axis.
pub(crate) fn all(data: &Tensor) -> Vec<usize> {
    (0..data.rank()).collect()
}

/// Returns the axes of a one-dimensional tensor of i64.
pub(crate) fn int64_list(axes: &AxesTensor) -> Result<&[i128], String> {
    match (axes.dtype, axes.shape.len()) {
        (Dtype::I64, 1) => Ok(&axes.values),
        (dtype, _) => Err(format!("axes are {dtype} of shape {:?}, not a list of i64", axes.shape)),
    }
}

/// Returns the axes of one integer or of a tuple.
pub(crate) fn int_or_tuple(axes: &AxesTensor) -> Result<&[i128], String> {
    match (axes.dtype, axes.shape.len()) {
        (Dtype::I64, 0 | 1) => Ok(&axes.values),
        (dtype, _) => Err(format!("expected an integer or a tuple of them, got {dtype}{:?}", axes.shape)),
    }
}

pub(crate) fn refuse_repeated(axes: &[i128]) -> Result<(), String> {
    let is_repeated = |(at, axis): (usize, &_)| axes[..at].contains(axis);
    if axes.iter().enumerate().any(is_repeated) {
        return Err(format!("expected axes that differ, got {axes:?}"));
    }
    Ok(())
}

/// Converts axes that count from the slowest one.
pub(crate) fn from_front(axes: &[i128], rank: usize) -> Result<Vec<usize>, String> {
    distinct(axes, rank, |axis| usize::try_from(axis).ok())
}

/// Converts axes of which negative ones count from the end.
pub(crate) fn from_either_end(axes: &[i128], rank: usize) -> Result<Vec<usize>, String> {
    distinct(axes, rank, |axis| usize::try_from(if axis < 0 { axis + rank as i128 } else { axis }).ok())
}

/// Converts BNNS axes, which count from the fastest one.
pub(crate) fn from_fastest(axes: &[i128], rank: usize) -> Result<Vec<usize>, String> {
    distinct(axes, rank, |axis| (rank - 1).checked_sub(usize::try_from(axis).ok()?))
}

fn distinct(
    axes: &[i128],
    rank: usize,
    row_major: impl Fn(i128) -> Option<usize>,
) -> Result<Vec<usize>, String> {
    let resolve = |&axis: &i128| {
        let resolved = row_major(axis).filter(|&resolved| resolved < rank);
        resolved.ok_or_else(|| format!("axis {axis} is out of range for rank {rank}"))
    };
    let mut axes = axes.iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
    axes.sort_unstable();
    axes.dedup();
    Ok(axes)
}
