//! Mistakes about attributes: the integers that count as true, the defaults, the versions that have them.
//!
//! No row here computes anything wrong; a call without attributes gets the plain answer.

use std::borrow::Cow;

use normative_conformance::reference::{Axes, Call, Operator, Opset};

use super::MutantFamily::{Dims, Versions};
use super::forms::noop_taken;
use super::{Mutant, answer, names_axes, row};
use crate::form::{admit, keep, unnamed};
use crate::plan::Unnamed;

const KEEPDIMS: &str = "keepdims-values";
const KEPT: &str = "keep-dims-true output-removed-dims output-rank-kept reduced-dims-pruned example-drop example-axis-1 \
    example-negative-axis keep-dims-default keepdims-default numpy-exception slices all-axes norm";
const NOOP: &str = "noop-true noop-false noop-default noop-nonempty noop-values function-body-noop axes-default \
    axes-optional";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Dims, "keepdims-cut-to-32-bits", "keepdims is stored in 32 bits, so that 2^32 is 0 and 2 is not.", KEEPDIMS, |s| s.before = |_, call| keepdims_as(call, |keep| (keep as i32 != 0).into())),
    row(Dims, "keepdims-cut-to-8-bits", "keepdims is stored in a byte, so that 256 is 0 and 2 is not.", KEEPDIMS, |s| s.before = |_, call| keepdims_as(call, |keep| (keep as u8 != 0).into())),
    row(Dims, "keepdims-by-its-lowest-bit", "Only the lowest bit of keepdims is looked at.", KEEPDIMS, |s| s.before = |_, call| keepdims_as(call, |keep| keep & 1)),
    row(Dims, "keepdims-true-where-positive", "keepdims is true where it is positive, so that 2 and -1 differ.", KEEPDIMS, |s| s.before = |_, call| keepdims_as(call, |keep| (keep > 0).into())),
    row(Dims, "keepdims-2-refused-where-all-is-reduced", "The validity of keepdims is checked on the path of full reductions alone.", KEEPDIMS, |s| s.keep = |call, readings| match call.operator {
        Operator::Onnx { keepdims: Some(keep), .. } if !(0..=1).contains(&keep) && !names_axes(call) => Err("keepdims".into()),
        _ => keep(call, readings),
    }),
    row(Dims, "keepdims-refused-where-negative", "A negative keepdims is refused, and 2 is true.", KEEPDIMS, |s| s.keep = |call, readings| match call.operator {
        Operator::Onnx { keepdims: Some(..=-1), .. } => Err("keepdims".into()),
        _ => keep(call, readings),
    }),
    row(Dims, "given-means-true", "keep_dims is true wherever it is written, false included.", KEPT, |s| s.keep = |call, readings| match call.operator {
        Operator::OpenVino { keep_dims: Some(_), .. } => Ok(true),
        _ => keep(call, readings),
    }),
    row(Dims, "openvino-keeps-by-default", "OpenVINO's keep_dims is true when left out, as ONNX's is.", "keep-dims-default", |s| s.keep = |call, readings| match call.operator {
        Operator::OpenVino { keep_dims: None, .. } => Ok(true),
        _ => keep(call, readings),
    }),
    row(Dims, "keepdims-0-before-11", "At opset 1 keepdims is 0 when left out.", "keepdims-default numpy-exception", |s| s.keep = |call, readings| match call.operator {
        Operator::Onnx { opset: Opset::V1, keepdims: None, .. } => Ok(false),
        _ => keep(call, readings),
    }),
    row(Dims, "keepdims-0-at-13", "At opset 13 keepdims is 0 when left out.", "keepdims-default numpy-exception", |s| s.keep = |call, readings| match call.operator {
        Operator::Onnx { opset: Opset::V13, keepdims: None, .. } => Ok(false),
        _ => keep(call, readings),
    }),
    row(Dims, "dropped-where-no-axes-are-given", "keepdims is ignored where axes are left out, and a scalar returned.", "output-rank-kept axes-default keepdims-default numpy-like numpy-exception noop-false noop-default norm", |s| s.keep = |call, readings| keep(call, readings).map(|keep| keep && !matches!(call.axes, Axes::Absent | Axes::Null))),
    row(Dims, "dropped-where-axes-are-scalar", "keep_dims is ignored where one axis is given as a number.", "axes-scalar-or-1d keep-dims-true axes-indices output-kept-dims", |s| s.keep = |call, readings| {
        let scalar = matches!(&call.axes, Axes::Given(given) if given.shape.is_empty());
        keep(call, readings).map(|keep| keep && !scalar)
    }),

    row(Versions, "noop-cut-to-32-bits", "noop_with_empty_axes is stored in 32 bits, so that 2^32 is 0 and 2 is not.", NOOP, |s| s.before = |_, call| noop_as(call, |noop| (noop as i32 != 0).into())),
    row(Versions, "noop-by-its-lowest-bit", "Only the lowest bit of noop_with_empty_axes is looked at.", NOOP, |s| s.before = |_, call| noop_as(call, |noop| noop & 1)),
    row(Versions, "noop-true-where-positive", "noop_with_empty_axes is true where it is positive, so that 2 and -1 differ.", NOOP, |s| s.before = |_, call| noop_as(call, |noop| (noop > 0).into())),
    row(Versions, "noop-true-where-written", "noop_with_empty_axes is true wherever it is written, 0 included.", NOOP, |s| s.before = |_, call| noop_as(call, |_| 1)),
    row(Versions, "noop-not-read-for-nothing", "noop_with_empty_axes is not read where a dim is 0.", NOOP, |s| s.before = |_, call| if call.data.is_empty() { noop_as(call, |_| 0) } else { Cow::Borrowed(call) }),
    row(Versions, "noop-refused-beside-named-axes", "noop_with_empty_axes beside named axes is taken for a contradiction, and refused.", NOOP, |s| s.admit = |call, readings| match call.operator {
        Operator::Onnx { noop_with_empty_axes: Some(1), .. } if names_axes(call) => Err("noop beside axes".into()),
        _ => admit(call, readings),
    }),
    row(Versions, "noop-refused-where-dims-go", "A no-op with keepdims 0 is taken for a contradiction, and refused.", NOOP, |s| s.unnamed = |call, readings| match (unnamed(call, readings)?, &call.operator) {
        (Unnamed::Unchanged, Operator::Onnx { keepdims: Some(0), .. }) => Err("noop without dims".into()),
        (unnamed, _) => Ok(unnamed),
    }),
    row(Versions, "empty-list-unchanged-at-18", "An empty list of axes leaves the data as they are, whatever noop_with_empty_axes says.", NOOP, |s| s.unnamed = |call, readings| match (&call.operator, &call.axes) {
        (Operator::Onnx { opset: Opset::V18, .. }, Axes::Given(_)) => Ok(Unnamed::Unchanged),
        _ => unnamed(call, readings),
    }),
    row(Versions, "noop-honoured-before-18", "noop_with_empty_axes returns the data at every opset.", "attributes axes-attribute", |s| s.before = |_, call| noop_taken(Cow::Borrowed(call))),
    row(Versions, "noop-output-not-written", "The output of a no-op has the data's dims, and is never written.", NOOP, |s| s.after = |_, call, given| match (&given, &call.operator) {
        (normative_conformance::Answer::Tensor(tensor), Operator::Onnx { noop_with_empty_axes: Some(1), .. }) if !names_axes(call) => {
            answer(tensor.dtype(), tensor.shape(), &vec![0; tensor.len()])
        }
        _ => given,
    }),
    row(Versions, "noop-transposes", "A no-op writes the data with the first axis fastest.", NOOP, |s| s.after = |_, call, given| match (&given, &call.operator) {
        (normative_conformance::Answer::Tensor(tensor), Operator::Onnx { noop_with_empty_axes: Some(1), .. }) if !names_axes(call) => {
            let bits = tensor.bits();
            let columns = tensor.shape().last().copied().unwrap_or(1).max(1);
            let rows = bits.len() / columns;
            let written: Vec<u64> = (0..bits.len()).map(|at| bits[at % rows * columns + at / rows]).collect();
            answer(tensor.dtype(), tensor.shape(), &written)
        }
        _ => given,
    }),
];

/// Returns the call with another keepdims, if it is ONNX's and has one.
fn keepdims_as(call: &Call, read: fn(i64) -> i64) -> Cow<'_, Call> {
    match call.operator {
        Operator::Onnx { norm, opset, keepdims: Some(keep), noop_with_empty_axes } => {
            let keepdims = Some(read(keep));
            let operator = Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes };
            Cow::Owned(Call { operator, ..call.clone() })
        }
        _ => Cow::Borrowed(call),
    }
}

/// Returns the call with another `noop_with_empty_axes`, if it is ONNX's and has one.
fn noop_as(call: &Call, read: fn(i64) -> i64) -> Cow<'_, Call> {
    match call.operator {
        Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes: Some(noop) }
            if call.spec().rules().noop =>
        {
            let noop_with_empty_axes = Some(read(noop));
            let operator = Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes };
            Cow::Owned(Call { operator, ..call.clone() })
        }
        _ => Cow::Borrowed(call),
    }
}
