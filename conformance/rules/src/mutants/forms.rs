//! Mistakes about axes in the form of another opset: these rows accept them.

use std::borrow::Cow;

use normative_conformance::reference::{Axes, Call, Operator, Opset};

use super::MutantFamily::Versions;
use super::{Mutant, row};

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Versions, "input-axes-taken-before-18", "Before opset 18 axes that are an input are taken.", &["inputs"], |s| s.before = |_, call| taken(call, |opset| opset < Opset::V18)),
    row(Versions, "attribute-axes-taken-at-18", "At opset 18 axes that are an attribute are taken.", &["attributes"], |s| s.before = |_, call| taken(call, |opset| opset == Opset::V18)),
    row(Versions, "input-axes-taken-at-13", "At opset 13 axes that are an input are taken, as those of ReduceSum are.", &["inputs"], |s| s.before = |_, call| taken(call, |opset| opset == Opset::V13)),
];

/// Returns the call with its axes in the form of its own opset, if `at` selects that opset.
fn taken(call: &Call, at: fn(Opset) -> bool) -> Cow<'_, Call> {
    match (&call.operator, &call.axes) {
        (Operator::Onnx { opset, .. }, Axes::OtherForm(axes)) if at(*opset) => {
            Cow::Owned(Call { axes: Axes::Given(axes.clone()), ..call.clone() })
        }
        _ => Cow::Borrowed(call),
    }
}
