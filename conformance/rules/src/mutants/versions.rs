//! Mistakes about differences between the versions of an operator.

use std::borrow::Cow;

use normative_conformance::Answer;
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Opset, Spec};

use super::MutantFamily::Versions;
use super::{Mutant, names_axes, row, with_axes};
use crate::floats::held;
use crate::form::{admit, axes_tensor, axis, keep, room, unnamed};
use crate::plan::{Readings, Unnamed};

pub(super) const AXES: &str = "axes axes-attribute axes-range axes-optional function-body-sum reduced-dims-pruned output-rank-kept \
    numpy-like";
const NOOP: &str = "noop-true noop-false noop-default noop-nonempty noop-values function-body-noop axes-default \
    axes-optional axes-empty";
const TYPES: &str = "types";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Versions, "attribute-axes-ignored", "Before opset 18 axes are looked for in an input, and every axis is reduced.", AXES, |s| s.before = |_, call| axes_ignored(call, before_18(call))),
    row(Versions, "attribute-axes-ignored-at-13", "At opset 13 axes are looked for in an input, as ReduceSum has them.", AXES, |s| s.before = |_, call| axes_ignored(call, opset(call) == Some(Opset::V13))),
    row(Versions, "input-axes-ignored", "At opset 18 axes are looked for in an attribute, and every axis is reduced.", AXES, |s| s.before = |_, call| axes_ignored(call, opset(call) == Some(Opset::V18))),
    row(Versions, "keepdims-0-at-18", "At opset 18 keepdims is 0 when left out.", "keepdims-default numpy-exception", |s| s.keep = |call, readings| match call.operator {
        Operator::Onnx { opset: Opset::V18, keepdims: None, .. } => Ok(false),
        _ => keep(call, readings),
    }),
    row(Versions, "noop-inverted", "noop_with_empty_axes is read as its opposite.", NOOP, |s| s.before = |_, call| match call.operator {
        Operator::Onnx { norm, opset: Opset::V18, keepdims, noop_with_empty_axes: noop } => {
            let operator = Operator::Onnx { norm, opset: Opset::V18, keepdims, noop_with_empty_axes: Some(i64::from(noop.unwrap_or(0) == 0)) };
            Cow::Owned(Call { operator, ..call.clone() })
        }
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "noop-by-default", "noop_with_empty_axes is 1 when left out.", NOOP, |s| s.unnamed = |call, readings| match call.operator {
        Operator::Onnx { opset: Opset::V18, noop_with_empty_axes: None, .. } => Ok(Unnamed::Unchanged),
        _ => unnamed(call, readings),
    }),
    row(Versions, "noop-drops-dims", "A no-op removes the dims that a reduction would.", NOOP, |s| s.after = |_, call, answer| match (answer, &call.operator) {
        (Answer::Tensor(tensor), Operator::Onnx { keepdims: Some(0), noop_with_empty_axes: Some(1), .. }) if !names_axes(call) => {
            super::answer(tensor.dtype(), &[tensor.len()], &tensor.bits())
        }
        (answer, _) => answer,
    }),
    row(Versions, "noop-keeps-shape-of-all", "A no-op gives the data the dims of a full reduction.", NOOP, |s| s.after = |_, call, answer| match (answer, &call.operator) {
        (Answer::Tensor(tensor), Operator::Onnx { noop_with_empty_axes: Some(1), .. }) if !names_axes(call) && !tensor.is_empty() => {
            let first = &tensor.bits()[..1];
            super::answer(tensor.dtype(), &vec![1; tensor.rank()], first)
        }
        (answer, _) => answer,
    }),
    row(Versions, "noop-with-named-axes", "noop_with_empty_axes returns the data even where axes are named.", NOOP, |s| s.before = |_, call| match call.operator {
        Operator::Onnx { opset: Opset::V18, noop_with_empty_axes: Some(1), .. } => with_axes(call, Axes::Absent),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "noop-half-done", "A no-op takes the norm of each element for L1 and returns the data for L2 of rank above 1.", NOOP, |s| s.unnamed = |call, readings| match unnamed(call, readings)? {
        Unnamed::Unchanged if call.data.rank() % 2 == 1 => Ok(Unnamed::Nothing),
        other => Ok(other),
    }),
    row(Versions, "noop-0-before-18", "noop_with_empty_axes is taken at every opset where it is 0, its later default.", "attributes", |s| s.admit = |call, readings| match call.operator {
        Operator::Onnx { noop_with_empty_axes: Some(0), .. } => Ok(()),
        _ => admit(call, readings),
    }),
    row(Versions, "null-axes-before-18", "An attribute of nothing is one left out.", "axes-attribute", |s| s.unnamed = |call, readings| if before_18(call) && call.axes == Axes::Null { Ok(Unnamed::All) } else { unnamed(call, readings) }),
    row(Versions, "null-axes-refused-at-18", "An axes input with the empty name is refused.", "axes-optional noop-true axes-default noop-false", |s| s.unnamed = |call, readings| if opset(call) == Some(Opset::V18) && call.axes == Axes::Null { Err("null".into()) } else { unnamed(call, readings) }),
    row(Versions, "i32-axes-at-18", "The axes input may be i32.", "axes-types", |s| s.axes_tensor = |call, given, readings| if opset(call) == Some(Opset::V18) && given.dtype == Dtype::I32 { Ok(()) } else { axes_tensor(call, given, readings) }),
    row(Versions, "negative-refused-from-11", "Negative axes are refused from opset 11 on, where they are allowed.", "axes-range axes", |s| s.axis = |value, call, readings| if value < 0 && matches!(opset(call), Some(Opset::V11 | Opset::V13 | Opset::V18)) { Err("negative".into()) } else { axis(value, call, readings) }),
    row(Versions, "bf16-before-13", "bf16 is taken at every opset.", TYPES, |s| s.admit = |call, readings| if call.data.dtype() == Dtype::Bf16 { Ok(()) } else { admit(call, readings) }),
    row(Versions, "bf16-refused", "bf16 is refused at every opset.", "types norm output-type accumulation", |s| s.admit = |call, readings| if call.data.dtype() == Dtype::Bf16 { Err("bf16".into()) } else { admit(call, readings) }),
    row(Versions, "narrow-integers-taken", "8-bit and 16-bit integers are taken by every operator.", TYPES, |s| s.admit = |call, readings| match call.data.dtype() {
        Dtype::I8 | Dtype::I16 | Dtype::U8 | Dtype::U16 => Ok(()),
        _ => admit(call, readings),
    }),
    row(Versions, "types-unchecked-for-nothing", "Data without elements may be of any type.", TYPES, |s| s.admit = |call, readings| if call.data.is_empty() { Ok(()) } else { admit(call, readings) }),
    row(Versions, "seven-dims-at-most", "BNNS takes no more than 7 dims.", "ranks axes-some axes-all axes", |s| s.admit = |call, readings| if call.spec() == Spec::Bnns && call.data.rank() > 7 { Err("rank".into()) } else { admit(call, readings) }),
    row(Versions, "scalars-refused", "Data without dims are refused at every opset.", "rank-zero data rank-zero-unstated", |s| s.admit = |call, readings| if opset(call).is_some() && call.data.rank() == 0 { Err("scalar".into()) } else { admit(call, readings) }),
    row(Versions, "empty-sets-refused", "The norm of nothing is refused at every opset.", "empty-set empty-set-unstated", |s| s.room = |call, plan, shape, readings| if opset(call).is_some() && plan.terms() == 0 && !shape.contains(&0) { Err("nothing".into()) } else { room(call, plan, shape, readings) }),
    row(Versions, "l1-cast-as-l2-is", "ReduceL1-18 casts to f32 as the body of ReduceL2-18 does.", "norm types output-type function-body-sum", |s| s.floats.width = |plan, _| {
        use normative_conformance::reference::FloatFormat;
        if plan.spec == Spec::Onnx(Norm::L1, Opset::V18) { FloatFormat::F32 } else { FloatFormat::F64 }
    }),
    row(Versions, "bnns-casts-to-half", "BNNS results pass through f16.", "norm axes-some axes-nil axes-all example-all-axes example-axis-2", |s| s.norm = |s, plan, x| {
        use normative_conformance::reference::FloatFormat;
        let bits = crate::steps::norm(s, plan, x)?;
        if plan.spec != Spec::Bnns { return Ok(bits) }
        Ok(crate::floats::encode(plan.dtype, held(crate::floats::read(plan.dtype, bits), FloatFormat::F16)))
    }),
];

fn opset(call: &Call) -> Option<Opset> {
    match call.operator {
        Operator::Onnx { opset, .. } => Some(opset),
        Operator::OpenVino { .. }
        | Operator::Bnns { .. }
        | Operator::ArrayApi { .. }
        | Operator::WebNn { .. }
        | Operator::Blas { .. } => None,
    }
}

fn before_18(call: &Call) -> bool {
    opset(call).is_some_and(|opset| opset < Opset::V18)
}

/// Returns the call without its axes, if it is one of these. Axes of a wrong form stay, and are refused, as runtimes do.
fn axes_ignored(call: &Call, is_of_these: bool) -> Cow<'_, Call> {
    match &call.axes {
        Axes::Given(given) if is_of_these && axes_tensor(call, given, &Readings::default()).is_ok() => {
            with_axes(call, Axes::Absent)
        }
        _ => Cow::Borrowed(call),
    }
}
