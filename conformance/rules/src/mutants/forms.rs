//! Mistakes about what an opset takes: these rows accept the forms, attributes and types of others.

use std::borrow::Cow;

use normative_conformance::reference::{Axes, Call, Operator, Opset, Spec};

use super::MutantFamily::Versions;
use super::versions::AXES;
use super::{Mutant, row, with_axes};
use crate::form::admit;

const TAKEN: &str = "inputs attributes axes-attribute";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Versions, "input-axes-taken-before-18", "Before opset 18 axes that are an input are taken.", "inputs", |s| s.before = |_, call| taken(call, |spec| is_of(spec, |opset| opset < Opset::V18))),
    row(Versions, "attribute-axes-taken-at-18", "At opset 18 axes that are an attribute are taken.", "attributes", |s| s.before = |_, call| taken(call, |spec| is_of(spec, |opset| opset == Opset::V18))),
    row(Versions, "input-axes-taken-at-13", "At opset 13 axes that are an input are taken, as those of ReduceSum are.", "inputs", |s| s.before = |_, call| taken(call, |spec| is_of(spec, |opset| opset == Opset::V13))),
    row(Versions, "attribute-axes-taken", "Axes that are an attribute are taken where they are an input.", "attributes", |s| s.before = |_, call| taken(call, |spec| spec.rules().noop)),
    row(Versions, "forms-of-all-opsets-taken", "The inputs and attributes of every opset are taken, whatever the opset.", TAKEN, |s| s.before = |_, call| noop_taken(taken(call, |_| true))),
    row(Versions, "opset-13-read-as-18", "At opset 13 the operator is read as at opset 18.", AXES, |s| s.before = |_, call| match call.axes {
        _ if !is_of(call.spec(), |opset| opset == Opset::V13) || call.spec().rules().noop => Cow::Borrowed(call),
        Axes::Given(_) => noop_taken(with_axes(call, Axes::Absent)),
        _ => noop_taken(taken(call, |_| true)),
    }),
    row(Versions, "types-unchecked", "The type of data is not checked.", "types", |s| s.admit = |call, readings| {
        if call.spec().rules().dtypes.contains(&call.data.dtype()) { admit(call, readings) } else { Ok(()) }
    }),
];

/// Returns the call with its axes in the form of its own spec, if `at` selects that.
fn taken(call: &Call, at: fn(Spec) -> bool) -> Cow<'_, Call> {
    match &call.axes {
        Axes::OtherForm(axes) if at(call.spec()) => {
            Cow::Owned(Call { axes: Axes::Given(axes.clone()), ..call.clone() })
        }
        _ => Cow::Borrowed(call),
    }
}

fn is_of(spec: Spec, at: fn(Opset) -> bool) -> bool {
    matches!(spec, Spec::Onnx(_, opset) if at(opset))
}

/// Returns the call at opset 18, if it gives `noop_with_empty_axes` at an earlier one.
pub(super) fn noop_taken(call: Cow<'_, Call>) -> Cow<'_, Call> {
    match call.operator {
        Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes: noop @ Some(_) }
            if opset < Opset::V18 =>
        {
            let operator = Operator::Onnx { norm, opset: Opset::V18, keepdims, noop_with_empty_axes: noop };
            Cow::Owned(Call { operator, ..call.into_owned() })
        }
        _ => call,
    }
}
