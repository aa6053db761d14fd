//! Calls that raise several questions, or none: every combination of readings, in order.

use half::{bf16, f16};
use normative_reference::Norm::{L1, L2};
use normative_reference::Opset::{V1, V11, V13, V18};
use normative_reference::{Axes, Call, Dtype};
use rstest::rstest;

use crate::common::readings::{axes_of, ones, readings};
use crate::common::{blas, bnns, filled, onnx, onnx_with, openvino, tensor};

#[rstest]
#[case::rank_0_may_have_no_axis_to_repeat(onnx(L1, V1, Axes::list(&[0, 0]), ones(&[])), &[
    "axis-on-rank-0=accept, duplicate-axes=collapse: over [] to []",
    "axis-on-rank-0=accept, duplicate-axes=reject: rejected for axes-repeated",
    "axis-on-rank-0=reject: rejected for axes",
])]
#[case::unique_axes_may_still_name_one_twice(openvino(L1, Axes::list(&[1, -1]), ones(&[2, 3])), &[
    "duplicate-axes-mixed-sign=collapse: over [1] to [2]",
    "duplicate-axes-mixed-sign=reject: rejected for axes-unique",
])]
#[case::noop_of_2_may_be_refused_whatever_the_axes(
    onnx_with(L1, V18, None, Some(2), Axes::list(&[0]), ones(&[2])), &[
    "boolean-attributes-noop=nonzero-is-true: over [0] to [1]",
    "boolean-attributes-noop=only-1-is-true: over [0] to [1]",
    "boolean-attributes-noop=reject: rejected for noop-values",
])]
#[case::identity_of_nothing(openvino(L1, Axes::list(&[]), ones(&[0])), &[
    "empty-axes-identity=x, empty-data=accept: unchanged",
    "empty-axes-identity=x, empty-data=reject: rejected for empty-data",
    "empty-axes-identity=norm-of-each-element, empty-data=accept: over [] to [0]",
    "empty-axes-identity=norm-of-each-element, empty-data=reject: rejected for empty-data",
])]
#[case::an_output_without_elements_over_none_is_two_questions(openvino(L1, Axes::list(&[0]), ones(&[0, 0])), &[
    "empty-data=accept, empty-set=zero: over [0] to [0]",
    "empty-data=accept, empty-set=reject: rejected for empty-set",
    "empty-data=reject: rejected for empty-data",
])]
#[case::opset_11_may_refuse_to_reduce_nothing_to_nothing(onnx(L1, V11, Axes::list(&[0]), ones(&[0, 0])), &[
    "empty-data=accept, empty-set-opset-11=as-other-opsets: over [0] to [1, 0]",
    "empty-data=accept, empty-set-opset-11=reject: rejected for empty-set-unstated",
    "empty-data=reject: rejected for empty-data",
])]
#[case::opset_11_does_not_speak_of_outputs_without_elements(onnx(L1, V11, Axes::list(&[0]), ones(&[2, 0])), &[
    "empty-data=accept: over [0] to [1, 0]",
    "empty-data=reject: rejected for empty-data",
])]
#[case::openvino_names_no_refusal_of_an_axis_listed_twice(openvino(L1, Axes::list(&[1, 1]), ones(&[2, 3])), &[
    "duplicate-axes=collapse: over [1] to [2]",
    "duplicate-axes=reject: rejected for axes-unique",
])]
#[case::openvino_names_no_refusal_of_axes_of_two_dims(
    openvino(L1, axes_of(Dtype::I64, &[1, 1], &[1]), ones(&[2, 3])), &[
    "axes-tensor-2d=accept: over [1] to [2]",
    "axes-tensor-2d=reject: rejected for axes-scalar-or-1d",
])]
#[case::axes_of_two_dims_may_be_no_axes(openvino(L1, axes_of(Dtype::I64, &[0, 1], &[]), ones(&[2])), &[
    "axes-tensor-2d=accept, empty-axes-identity=x: unchanged",
    "axes-tensor-2d=accept, empty-axes-identity=norm-of-each-element: over [] to [2]",
    "axes-tensor-2d=reject: rejected for axes-scalar-or-1d",
])]
#[case::an_axis_that_is_not_there_stands_beside_one_that_is(bnns(&[3], Axes::list(&[0, 7]), ones(&[3, 2])), &[
    "axis-out-of-range=reject: rejected for axes",
    "axis-out-of-range=ignore: over [1] to [3]",
])]
#[case::who_refuses_negative_axes_passes_over_none(onnx(L1, V1, Axes::list(&[-5, 1]), ones(&[2, 3])), &[
    "axis-out-of-range=reject: rejected for axes",
    "axis-out-of-range=ignore, axis-range-opset-1=as-later-opsets: over [1] to [2, 1]",
    "axis-out-of-range=ignore, axis-range-opset-1=reject: rejected for axes",
    "axis-out-of-range=ignore, axis-range-opset-1=ignore: over [1] to [2, 1]",
])]
#[case::an_axis_of_a_scalar_that_is_not_0_or_minus_1(onnx(L1, V1, Axes::list(&[3]), ones(&[])), &[
    "axis-out-of-range=reject: rejected for axes",
    "axis-out-of-range=ignore: over [] to []",
])]
#[case::a_scalar_of_bnns_has_no_axis(bnns(&[1], Axes::list(&[0, 0]), ones(&[])), &[
    "ranks-bnns=accept, axis-out-of-range=reject: rejected for axes",
    "ranks-bnns=accept, axis-out-of-range=ignore: over [] to [1]",
    "ranks-bnns=reject: rejected for ranks",
])]
#[case::the_code_of_blas_adds_a_nan_to_an_infinity(
    blas(L2, 2, 1, tensor(&[2], &[f32::NAN, f32::INFINITY])), &["over [0] to [], 2 from 0 by 1"])]
#[case::a_scalar_at_opset_11_has_no_axis_either(onnx(L1, V11, Axes::list(&[0]), ones(&[])), &[
    "rank-0-opset-11=as-other-opsets: rejected for axes-range",
    "rank-0-opset-11=reject: rejected for rank-zero-unstated",
])]
#[case::bnns_of_other_samples_and_ranks(bnns(&[1], Axes::Null, filled(Dtype::F16, &[1; 9], 0)), &[
    "sample-types-bnns=accept, ranks-bnns=accept: over [0, 1, 2, 3, 4, 5, 6, 7, 8] to [1]",
    "sample-types-bnns=accept, ranks-bnns=reject: rejected for ranks",
    "sample-types-bnns=reject: rejected for types",
])]
#[case::bnns_axes_from_both_ends(bnns(&[3], Axes::list(&[1, -1]), ones(&[2, 3])), &[
    "negative-axes-bnns=reject: rejected for axes",
    "negative-axes-bnns=from-the-end, duplicate-axes-mixed-sign=collapse: over [0] to [3]",
    "negative-axes-bnns=from-the-end, duplicate-axes-mixed-sign=reject: rejected for axes-repeated",
    "negative-axes-bnns=ignore: over [0] to [3]",
])]
#[case::both_kinds_of_duplicate(onnx(L1, V11, Axes::list(&[-1, 0, 0]), ones(&[2])), &[
    "duplicate-axes=collapse, duplicate-axes-mixed-sign=collapse: over [0] to [1]",
    "duplicate-axes=collapse, duplicate-axes-mixed-sign=reject: rejected for axes-repeated",
    "duplicate-axes=reject: rejected for axes-repeated",
])]
#[case::negative_axis_of_a_scalar_at_opset_1(onnx(L1, V1, Axes::list(&[-1]), ones(&[])), &[
    "axis-range-opset-1=as-later-opsets, axis-on-rank-0=accept: over [] to []",
    "axis-range-opset-1=as-later-opsets, axis-on-rank-0=reject: rejected for axes",
    "axis-range-opset-1=reject: rejected for axes",
    "axis-range-opset-1=ignore: over [] to []",
])]
#[case::room_for_all_and_for_each_element(bnns(&[1], Axes::list(&[]), ones(&[1])), &[
    "empty-axes-bnns=reduce-all: over [0] to [1]",
    "empty-axes-bnns=reject, empty-axes-bnns-copy=reduce-none: over [] to [1]",
    "empty-axes-bnns=reject, empty-axes-bnns-copy=reject: rejected for axes-empty",
])]
#[case::room_for_a_scalar_that_is_all_and_each(bnns(&[1], Axes::list(&[]), ones(&[])), &[
    "ranks-bnns=accept, empty-axes-bnns=reduce-all: over [] to [1]",
    "ranks-bnns=accept, empty-axes-bnns=reject, empty-axes-bnns-copy=reduce-none: over [] to [1]",
    "ranks-bnns=accept, empty-axes-bnns=reject, empty-axes-bnns-copy=reject: rejected for axes-empty",
    "ranks-bnns=reject: rejected for ranks",
])]
#[case::bnns_output_that_fits_neither(bnns(&[2], Axes::list(&[]), ones(&[2, 3])), &[
    "rejected for output-shape",
])]
#[case::keepdims_is_checked_even_where_nothing_is_reduced(
    onnx_with(L1, V18, Some(2), Some(1), Axes::Absent, ones(&[2])), &[
    "boolean-attributes-keepdims=nonzero-is-true, noop-absent-axes=x: unchanged",
    "boolean-attributes-keepdims=nonzero-is-true, noop-absent-axes=norm-of-each-element: over [] to [2]",
    "boolean-attributes-keepdims=nonzero-is-true, noop-absent-axes=reduce-all: over [0] to [1]",
    "boolean-attributes-keepdims=only-1-is-true, noop-absent-axes=x: unchanged",
    "boolean-attributes-keepdims=only-1-is-true, noop-absent-axes=norm-of-each-element: over [] to [2]",
    "boolean-attributes-keepdims=only-1-is-true, noop-absent-axes=reduce-all: over [0] to []",
    "boolean-attributes-keepdims=reject: rejected for keepdims-values",
])]
#[case::cast_to_f32_is_in_the_body_of_one_operator(onnx(L2, V13, Axes::list(&[0]), tensor(&[1], &[1.0_f64])), &[
    "over [0] to [1], in f64",
])]
#[case::l1_squares_nothing(openvino(L1, Axes::list(&[0]), tensor(&[2], &[f16::ZERO; 2])), &["over [0] to []"])]
#[case::one_element_is_its_own_magnitude(openvino(L1, Axes::list(&[0]), tensor(&[1], &[f16::ONE])), &["over [0] to []"])]
#[case::squares_in_the_type_beside_wider_sums_are_naive_already(
    openvino(L2, Axes::list(&[0]), tensor(&[1], &[bf16::from_f32(1e30)])), &[
    "half-accumulation=wide, float-range=scaled: over [0] to []",
    "half-accumulation=wide, float-range=rescued: over [0] to []",
    "half-accumulation=wide, float-range=naive: over [0] to [], naive",
    "half-accumulation=squares-in-type, result-rounding=nearest: over [0] to [], in bf16 and f32 and f32, naive",
    "half-accumulation=squares-in-type, result-rounding=toward-zero: over [0] to [], in bf16 and f32 and f32, naive, cut",
    "half-accumulation=by-operator: over [0] to [], in bf16 and f32 and bf16, naive",
    "half-accumulation=in-type, float-range=scaled: over [0] to [], in bf16",
    "half-accumulation=in-type, float-range=rescued: over [0] to [], in bf16",
    "half-accumulation=in-type, float-range=naive: over [0] to [], in bf16, naive",
])]
#[case::what_vanishes_may_be_computed_again_as_what_overflows_is(
    bnns(&[1], Axes::Null, tensor(&[1], &[1e-30_f32])), &[
    "float-range=scaled: over [0] to [1]",
    "float-range=rescued, subnormals=kept: over [0] to [1], rescued",
    "float-range=rescued, subnormals=flushed: over [0] to [1], rescued, flushed",
    "float-range=rescued, subnormals=results-flushed: over [0] to [1], rescued, results flushed",
    "float-range=naive, subnormals=kept: over [0] to [1], naive",
    "float-range=naive, subnormals=flushed: over [0] to [1], naive, flushed",
    "float-range=naive, subnormals=results-flushed: over [0] to [1], naive, results flushed",
])]
#[case::nan_and_infinity_never_meet_in_one_term(
    openvino(L2, Axes::list(&[1]), tensor(&[2, 1], &[f32::NAN, f32::INFINITY])), &["over [1] to [2]"])]
#[case::l1_has_no_cast(onnx(L1, V18, Axes::list(&[0]), tensor(&[1], &[1.0_f64])), &["over [0] to [1], in f64"])]
fn call_is_open(#[case] call: Call, #[case] expected: &[&str]) {
    assert_eq!(readings(&call), expected);
}
