//! Tests inputs and attributes that an ONNX operator does not list, such as another opset's axes.

use normative_reference::Norm::{L1, L2};
use normative_reference::Opset::{V1, V11, V13, V18};
use normative_reference::{Axes, Call, Dtype, Outcome, Spec, rule};
use rstest::rstest;

use crate::common::readings::{axes_of, ones, other_form, readings};
use crate::common::{onnx, onnx_with};

#[rstest]
#[case::an_unknown_attribute_is_refused_or_does_nothing(
    onnx_with(L1, V11, None, Some(1), Axes::list(&[0]), ones(&[2])), &[
    "unknown-attribute=reject: rejected for attributes",
    "unknown-attribute=ignore: over [0] to [1]",
])]
#[case::an_attribute_that_is_passed_over_at_18_leaves_no_axes(
    onnx_with(L1, V18, Some(0), Some(0), other_form(&[1]), ones(&[2, 3])), &[
    "unknown-attribute=reject: rejected for attributes",
    "unknown-attribute=ignore: over [0, 1] to []",
])]
#[case::noop_is_asked_of_an_attribute_that_is_passed_over(
    onnx_with(L1, V18, None, Some(1), other_form(&[0]), ones(&[2, 3])), &[
    "unknown-attribute=reject: rejected for attributes",
    "unknown-attribute=ignore, noop-absent-axes=x: unchanged",
    "unknown-attribute=ignore, noop-absent-axes=norm-of-each-element: over [] to [2, 3]",
    "unknown-attribute=ignore, noop-absent-axes=reduce-all: over [0, 1] to [1, 1]",
])]
#[case::an_input_before_18_is_a_question_at_each_opset(onnx(L2, V1, other_form(&[7]), ones(&[2, 3])), &[
    "unknown-input=reject: rejected for inputs",
    "unknown-input=ignore: over [0, 1] to [1, 1]",
])]
#[case::both_an_attribute_and_an_input_may_be_unknown(
    onnx_with(L1, V11, None, Some(1), other_form(&[0]), ones(&[2])), &[
    "unknown-attribute=reject: rejected for attributes",
    "unknown-attribute=ignore, unknown-input=reject: rejected for inputs",
    "unknown-attribute=ignore, unknown-input=ignore: over [0] to [1]",
])]
fn each_reading_refuses_it_or_passes_it_over(#[case] call: Call, #[case] expected: &[&str]) {
    assert_eq!(readings(&call), expected);
}

#[rstest]
#[case::floats(axes_of(Dtype::F32, &[1], &[0]))]
#[case::a_scalar(axes_of(Dtype::I64, &[], &[0]))]
#[case::out_of_range(axes_of(Dtype::I64, &[1], &[9]))]
#[case::twice(axes_of(Dtype::I64, &[2], &[1, 1]))]
#[case::none(axes_of(Dtype::I64, &[0], &[]))]
fn nobody_looks_at_what_they_say(
    #[case] axes: Axes,
    #[values(V1, V11, V13, V18)] opset: normative_reference::Opset,
) {
    let Axes::Given(axes) = axes else { panic!("these are given") };
    let call = onnx(L2, opset, Axes::OtherForm(axes), ones(&[2, 3]));
    assert_eq!(readings(&call), readings(&onnx(L2, opset, other_form(&[1]), ones(&[2, 3]))));
}

#[test]
fn no_other_spec_takes_them() {
    for spec in Spec::ALL.into_iter().filter(|spec| !matches!(spec, Spec::Onnx(..))) {
        let call = Call::new(spec.operator(), ones(&[2]), other_form(&[0]));
        for alternative in rule(&call).alternatives {
            let refused = matches!(alternative.outcome, Outcome::Rejected(_) | Outcome::OutOfScope(_));
            assert!(refused, "{spec}");
        }
    }
}
