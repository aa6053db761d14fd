//! The norm reductions as a Rust user would write them with ndarray: map, sum over axes, root.
//!
//! It shares only types with the reference, none of its rules or arithmetic: that is what makes it a
//! second opinion. Where a text is open, it takes one reading, always the same:
//!
//! - OpenVINO's empty axes and ONNX's `noop_with_empty_axes` give the data back unchanged; elsewhere
//!   an empty list means every axis;
//! - an axis named twice is reduced once; on a scalar no axis is in range; ONNX axes are a list; at
//!   opset 1 a negative axis counts from the end; opset 11 is read like its neighbours;
//! - in `vector_norm` of the array API a tuple of no axes names none, and None with keepdims keeps every dim;
//! - in WebNN a dim of 0 is refused;
//! - in BLAS asum at a spacing that is not positive is 0, and large elements are scaled before they are squared;
//! - any attribute but 0 is true;
//! - f16 and bf16 are computed in f32 and rounded once; squares are not scaled;
//! - integers are summed in u128, roots are truncated, and what the type cannot hold is its maximum.

use half::{bf16, f16};
use ndarray::{ArrayD, Axis, IxDyn, NdFloat, Slice, arr0};
use normative_backend::reference::{Axes, AxesTensor, Call, Dtype, Family, Norm, Operator, Opset, Tensor};
use normative_backend::{Answer, Backend, Capabilities, Identity};

/// ndarray as a backend.
pub fn backend() -> impl Backend {
    Ndarray
}

struct Ndarray;

impl Backend for Ndarray {
    fn identity(&self) -> Identity {
        Identity {
            name: "ndarray".into(),
            version: "0.17".into(),
            report_bugs_to: "https://github.com/rust-ndarray/ndarray/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        use Dtype::{Bf16, F16, F32, F64};
        let accumulation = vec![(F16, F32), (Bf16, F32), (F32, F32), (F64, F64)];
        Capabilities { accumulation, slow: false, families: Family::ALL.to_vec() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        match plan(call) {
            Ok(Plan::Unchanged) => Answer::Tensor(call.data.clone()),
            Ok(Plan::Vector { norm, n, incx }) => match &call.data {
                Tensor::F32(data) => Answer::Tensor(vector(norm, n, incx, data).into()),
                Tensor::F64(data) => Answer::Tensor(vector(norm, n, incx, data).into()),
                data => Answer::Rejected(format!("expected f32 or f64 data, got {}", data.dtype())),
            },
            Ok(Plan::Reduce(reduction)) => match reduction.of(&call.data) {
                Ok(tensor) => Answer::Tensor(tensor),
                Err(why) => Answer::Rejected(why),
            },
            Err(why) => Answer::Rejected(why),
        }
    }
}

enum Plan {
    Unchanged,
    Vector { norm: Norm, n: usize, incx: isize },
    Reduce(Reduction),
}

struct Reduction {
    norm: Norm,
    /// Ascending, each once.
    axes: Vec<usize>,
    keep: bool,
    /// The shape the caller allocated, where the operator has one.
    allocated: Option<Vec<usize>>,
}

fn plan(call: &Call) -> Result<Plan, String> {
    let (dtype, rank) = (call.data.dtype(), call.data.rank());
    let all = || (0..rank).collect();
    let (norm, axes, keep) = match call.operator {
        Operator::OpenVino { norm, keep_dims } => {
            let Axes::Given(given) = &call.axes else { return Err("axes are required".into()) };
            if !given.dtype.is_integer() || given.shape.len() > 1 {
                return Err(format!("axes are {} of shape {:?}, not integers", given.dtype, given.shape));
            }
            if given.values.is_empty() {
                return Ok(Plan::Unchanged);
            }
            refuse_repeated(&given.values)?;
            (norm, from_either_end(&given.values, rank)?, keep_dims.unwrap_or(false))
        }
        Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes } => {
            if !onnx_has(opset, dtype) {
                return Err(format!("{dtype} is no type of this operator"));
            }
            let by_input = opset >= Opset::V18;
            if !by_input && (noop_with_empty_axes.is_some() || call.axes == Axes::Null) {
                return Err("there is no noop_with_empty_axes and no null axes before opset 18".into());
            }
            let axes = match &call.axes {
                Axes::Given(given) => from_either_end(int64_list(given)?, rank)?,
                Axes::Absent | Axes::Null => Vec::new(),
            };
            if axes.is_empty() && noop_with_empty_axes.unwrap_or(0) != 0 {
                return Ok(Plan::Unchanged);
            }
            (norm, if axes.is_empty() { all() } else { axes }, keepdims.unwrap_or(1) != 0)
        }
        Operator::Bnns { .. } => {
            if dtype != Dtype::F32 || !(1..=8).contains(&rank) {
                return Err(format!("{dtype} of rank {rank}, where f32 of rank 1 to 8 is due"));
            }
            let axes = match &call.axes {
                Axes::Given(given) => from_fastest(int64_list(given)?, rank)?,
                Axes::Absent | Axes::Null => Vec::new(),
            };
            (Norm::L2, if axes.is_empty() { all() } else { axes }, false)
        }
        Operator::ArrayApi { ord, keepdims } => {
            if !matches!(dtype, Dtype::F32 | Dtype::F64) {
                return Err(format!("expected f32 or f64 data, got {dtype}"));
            }
            let axes = match &call.axes {
                Axes::Given(given) => from_either_end(int_or_tuple(given)?, rank)?,
                Axes::Absent | Axes::Null => all(),
            };
            (ord.unwrap_or(Norm::L2), axes, keepdims.unwrap_or(false))
        }
        Operator::WebNn { norm, keep_dimensions } => {
            if !webnn_has(norm, dtype) || call.data.shape().contains(&0) {
                return Err(format!("expected data of a type of {norm:?} without a dim of 0"));
            }
            let axes = match &call.axes {
                Axes::Given(given) => {
                    let axes = int64_list(given)?;
                    refuse_repeated(axes)?;
                    distinct(axes, rank, |axis| usize::try_from(axis).ok())?
                }
                Axes::Absent => all(),
                Axes::Null => return Err("expected a list of axes, got null".into()),
            };
            (norm, axes, keep_dimensions.unwrap_or(false))
        }
        Operator::Blas { norm, n, incx } => {
            let incx = incx as isize;
            let reads = n > 0 && (norm == Norm::L2 || incx > 0);
            let n = if reads { n as usize } else { 0 };
            return Ok(Plan::Vector { norm, n, incx });
        }
    };
    let allocated = match &call.operator {
        Operator::Bnns { output_shape } => Some(output_shape.iter().rev().copied().collect()),
        Operator::OpenVino { .. }
        | Operator::Onnx { .. }
        | Operator::ArrayApi { .. }
        | Operator::WebNn { .. }
        | Operator::Blas { .. } => None,
    };
    Ok(Plan::Reduce(Reduction { norm, axes, keep, allocated }))
}

fn onnx_has(opset: Opset, dtype: Dtype) -> bool {
    match dtype {
        Dtype::F16 | Dtype::F32 | Dtype::F64 | Dtype::I32 | Dtype::I64 | Dtype::U32 | Dtype::U64 => true,
        Dtype::Bf16 => opset >= Opset::V13,
        Dtype::I8 | Dtype::I16 | Dtype::U8 | Dtype::U16 => false,
    }
}

fn webnn_has(norm: Norm, dtype: Dtype) -> bool {
    match dtype {
        Dtype::F16 | Dtype::F32 => true,
        Dtype::I32 | Dtype::I64 | Dtype::U32 | Dtype::U64 => norm == Norm::L1,
        _ => false,
    }
}

fn refuse_repeated(axes: &[i128]) -> Result<(), String> {
    let is_repeated = |(at, axis): (usize, &_)| axes[..at].contains(axis);
    if axes.iter().enumerate().any(is_repeated) {
        return Err(format!("expected axes that differ, got {axes:?}"));
    }
    Ok(())
}

fn int64_list(axes: &AxesTensor) -> Result<&[i128], String> {
    match (axes.dtype, axes.shape.len()) {
        (Dtype::I64, 1) => Ok(&axes.values),
        (dtype, _) => Err(format!("axes are {dtype} of shape {:?}, not a list of i64", axes.shape)),
    }
}

fn int_or_tuple(axes: &AxesTensor) -> Result<&[i128], String> {
    match (axes.dtype, axes.shape.len()) {
        (Dtype::I64, 0 | 1) => Ok(&axes.values),
        (dtype, _) => Err(format!("expected an integer or a tuple of them, got {dtype}{:?}", axes.shape)),
    }
}

/// Row-major axes, of which negative ones count from the end.
fn from_either_end(axes: &[i128], rank: usize) -> Result<Vec<usize>, String> {
    distinct(axes, rank, |axis| usize::try_from(if axis < 0 { axis + rank as i128 } else { axis }).ok())
}

/// BNNS axes, which count from the fastest one.
fn from_fastest(axes: &[i128], rank: usize) -> Result<Vec<usize>, String> {
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

/// The norm of `n` elements of which each stands `incx` after the one before it.
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
    })
    .into_dyn()
}

impl Reduction {
    fn of(&self, data: &Tensor) -> Result<Tensor, String> {
        Ok(match data {
            Tensor::F16(data) => {
                self.shaped(self.floats(&data.mapv(f16::to_f32)).mapv(f16::from_f32))?.into()
            }
            Tensor::Bf16(data) => {
                self.shaped(self.floats(&data.mapv(bf16::to_f32)).mapv(bf16::from_f32))?.into()
            }
            Tensor::F32(data) => self.shaped(self.floats(data))?.into(),
            Tensor::F64(data) => self.shaped(self.floats(data))?.into(),
            Tensor::I8(data) => self.shaped(self.integers(data, i8::MAX))?.into(),
            Tensor::I16(data) => self.shaped(self.integers(data, i16::MAX))?.into(),
            Tensor::I32(data) => self.shaped(self.integers(data, i32::MAX))?.into(),
            Tensor::I64(data) => self.shaped(self.integers(data, i64::MAX))?.into(),
            Tensor::U8(data) => self.shaped(self.integers(data, u8::MAX))?.into(),
            Tensor::U16(data) => self.shaped(self.integers(data, u16::MAX))?.into(),
            Tensor::U32(data) => self.shaped(self.integers(data, u32::MAX))?.into(),
            Tensor::U64(data) => self.shaped(self.integers(data, u64::MAX))?.into(),
        })
    }

    fn floats<T: NdFloat>(&self, data: &ArrayD<T>) -> ArrayD<T> {
        match self.norm {
            Norm::L1 => self.over_axes(data.mapv(T::abs), |x, axis| x.sum_axis(axis)),
            Norm::L2 => self.over_axes(data.mapv(|x| x * x), |x, axis| x.sum_axis(axis)).mapv(T::sqrt),
        }
    }

    fn integers<T: Copy + Into<i128> + TryFrom<u128>>(&self, data: &ArrayD<T>, max: T) -> ArrayD<T> {
        let magnitudes = data.mapv(|x| x.into().unsigned_abs());
        let add = |x: &ArrayD<u128>, axis| x.fold_axis(axis, 0, |sum: &u128, &x| sum.saturating_add(x));
        let norms = match self.norm {
            Norm::L1 => self.over_axes(magnitudes, add),
            // A 64-bit magnitude's square fits; a sum of them that does not is the root of nothing
            // the type could hold.
            Norm::L2 => self.over_axes(magnitudes.mapv(|x| x * x), add).mapv(u128::isqrt),
        };
        norms.mapv(|norm| T::try_from(norm).unwrap_or(max))
    }

    /// Applies `add` to one axis after the other, the last first so that the others keep their places.
    fn over_axes<T>(&self, terms: ArrayD<T>, add: impl Fn(&ArrayD<T>, Axis) -> ArrayD<T>) -> ArrayD<T> {
        self.axes.iter().rev().fold(terms, |terms, &axis| {
            let sums = add(&terms, Axis(axis));
            if self.keep { sums.insert_axis(Axis(axis)) } else { sums }
        })
    }

    /// The result in the shape the caller allocated; BNNS has no rank 0, so [1] stands for it.
    fn shaped<T>(&self, result: ArrayD<T>) -> Result<ArrayD<T>, String> {
        let Some(allocated) = &self.allocated else { return Ok(result) };
        let result = if result.ndim() == 0 { result.insert_axis(Axis(0)) } else { result };
        if result.shape() == allocated {
            Ok(result)
        } else {
            Err(format!(
                "the output has shape {allocated:?}, the result {:?} (slowest axis first)",
                result.shape()
            ))
        }
    }
}

#[cfg(test)]
mod tests;
