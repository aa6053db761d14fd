//! Computes asum and nrm2 of BLAS, over spaced elements.

use ndarray::{ArrayD, Axis, IxDyn, NdFloat, Slice, arr0};
use normative_backend::reference::{Norm, Tensor};

pub(crate) fn norm(norm: Norm, n: i32, incx: i32, data: &Tensor) -> Result<Tensor, String> {
    let incx = incx as isize;
    let reads = n > 0 && (norm == Norm::L2 || incx > 0);
    let n = if reads { n as usize } else { 0 };
    match data {
        Tensor::F32(data) => Ok(vector(norm, n, incx, data).into()),
        Tensor::F64(data) => Ok(vector(norm, n, incx, data).into()),
        data => Err(format!("expected f32 or f64 data, got {}", data.dtype())),
    }
}

/// Returns the norm of `n` elements, each `incx` after the previous one.
fn vector<T: NdFloat>(norm: Norm, n: usize, incx: isize, data: &ArrayD<T>) -> ArrayD<T> {
    let reach = n.saturating_sub(1) * incx.unsigned_abs() + n.min(1);
    let read = data.slice_axis(Axis(0), Slice::from(..reach));
    let spaced = if incx == 0 {
        read.broadcast(IxDyn(&[n])).unwrap_or(read.view())
    } else {
        read.slice_axis(Axis(0), Slice::new(0, None, incx))
    };
    let magnitudes = spaced.mapv(T::abs);
    let greatest = magnitudes.fold(T::zero(), |greatest, &x| greatest.max(x));
    arr0(match norm {
        Norm::L1 => magnitudes.sum(),
        Norm::L2 if greatest > T::zero() && greatest.is_finite() => {
            magnitudes.mapv(|x| (x / greatest) * (x / greatest)).sum().sqrt() * greatest
        }
        Norm::L2 => magnitudes.mapv(|x| x * x).sum().sqrt(),
        Norm::SumSquare => magnitudes.mapv(|x| x * x).sum(),
        Norm::Sum => spaced.sum(),
    })
    .into_dyn()
}
