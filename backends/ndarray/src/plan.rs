//! What a call asks for, in ndarray's terms: axes counted from the front, each once, ascending.
//!
//! Choices made where the specs leave one: duplicate axes collapse; no axis may be named on a
//! scalar; an axes input must be a list; any nonzero integer attribute is true; empty axes leave the
//! data as they are for OpenVINO and under ONNX's `noop_with_empty_axes`, and otherwise reduce all.

use normative_conformance::reference::{Axes, AxesTensor, Call, Dtype, Operator, Opset};

/// What a call asks for.
pub(crate) enum Plan {
    /// The data as they are.
    Unchanged,
    /// A reduction.
    Reduce(Reduce),
}

/// A reduction.
pub(crate) struct Reduce {
    /// Axes counted from the front, each once, ascending.
    pub(crate) axes: Vec<usize>,
    /// Whether reduced axes stay, with dim 1.
    pub(crate) keep_dims: bool,
    /// Whether a scalar is written as a vector of size 1.
    pub(crate) at_least_rank_one: bool,
}

/// Plans a call; the error is why it is refused.
pub(crate) fn plan(call: &Call) -> Result<Plan, String> {
    match &call.operator {
        Operator::OpenVino { keep_dims, .. } => openvino(call, keep_dims.unwrap_or(false)),
        Operator::Onnx { opset, keepdims, noop_with_empty_axes, .. } => {
            onnx(call, *opset, keepdims.unwrap_or(1) != 0, *noop_with_empty_axes)
        }
        Operator::Bnns { output_shape } => bnns(call, output_shape),
    }
}

fn openvino(call: &Call, keep_dims: bool) -> Result<Plan, String> {
    let Axes::Given(axes) = &call.axes else { return Err("axes are required".into()) };
    if !axes.dtype.is_integer() || axes.shape.len() > 1 {
        return Err("axes must be a scalar or a list of integers".into());
    }
    if axes.values.is_empty() {
        return Ok(Plan::Unchanged);
    }
    let axes = from_the_front(&axes.values, call.data.rank())?;
    Ok(Plan::Reduce(Reduce { axes, keep_dims, at_least_rank_one: false }))
}

fn onnx(call: &Call, opset: Opset, keep_dims: bool, noop: Option<i64>) -> Result<Plan, String> {
    use Dtype::{Bf16, F16, F32, F64, I32, I64, U32, U64};
    let allowed = match call.data.dtype() {
        F16 | F32 | F64 | I32 | I64 | U32 | U64 => true,
        Bf16 => matches!(opset, Opset::V13 | Opset::V18),
        Dtype::I8 | Dtype::I16 | Dtype::U8 | Dtype::U16 => false,
    };
    if !allowed {
        return Err(format!("{} is not among the types of this opset", call.data.dtype()));
    }
    if opset != Opset::V18 && (noop.is_some() || call.axes == Axes::Null) {
        return Err("before opset 18, axes are an attribute and noop_with_empty_axes does not exist".into());
    }
    let values = match &call.axes {
        Axes::Absent | Axes::Null => &[],
        Axes::Given(axes) => int64_list(axes)?,
    };
    if values.is_empty() && noop.is_some_and(|noop| noop != 0) {
        return Ok(Plan::Unchanged);
    }
    let rank = call.data.rank();
    let axes = if values.is_empty() { (0..rank).collect() } else { from_the_front(values, rank)? };
    Ok(Plan::Reduce(Reduce { axes, keep_dims, at_least_rank_one: false }))
}

fn bnns(call: &Call, output_shape: &[usize]) -> Result<Plan, String> {
    let (shape, rank) = (call.data.shape(), call.data.rank());
    if call.data.dtype() != Dtype::F32 || rank == 0 || rank > 8 {
        return Err("f32 of rank 1 to 8 only".into());
    }
    let values = match &call.axes {
        Axes::Absent | Axes::Null => &[],
        Axes::Given(axes) => int64_list(axes)?,
    };
    if values.iter().any(|&axis| axis < 0) {
        return Err("axes are indices".into());
    }
    let mut axes = if values.is_empty() { (0..rank).collect() } else { from_the_front(values, rank)? };
    // Axis 0 is the fastest.
    axes = axes.iter().rev().map(|axis| rank - 1 - axis).collect();
    let kept = (0..rank).rev().filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]);
    let kept: Vec<usize> = if axes.len() == rank { vec![1] } else { kept.collect() };
    if kept != output_shape {
        return Err(format!("the output has shape {output_shape:?}, the norm {kept:?}"));
    }
    Ok(Plan::Reduce(Reduce { axes, keep_dims: false, at_least_rank_one: true }))
}

fn int64_list(axes: &AxesTensor) -> Result<&[i128], String> {
    if axes.dtype == Dtype::I64 && axes.shape.len() == 1 {
        Ok(&axes.values)
    } else {
        Err("axes must be a list of int64".into())
    }
}

/// Axes counted from the front, each once, ascending.
fn from_the_front(values: &[i128], rank: usize) -> Result<Vec<usize>, String> {
    let mut axes = Vec::with_capacity(values.len());
    for &value in values {
        let axis = if value < 0 { value + rank as i128 } else { value };
        match usize::try_from(axis) {
            Ok(axis) if axis < rank => axes.push(axis),
            _ => return Err(format!("axis {value} is out of range for rank {rank}")),
        }
    }
    axes.sort_unstable();
    axes.dedup();
    Ok(axes)
}
