//! Tests the rules of each spec where it decides: the reduction it determines, or the clause that forbids it.
//! Open calls are in `questions.rs`; these tests do not check values.

use half::bf16;
use normative_reference::Norm::{L1, L2};
use normative_reference::Opset::{V1, V11, V13, V18};
use normative_reference::{Axes, Call, Dtype, Norm, Operator, Opset};
use rstest::rstest;

use crate::common::readings::{axes_of, ones, readings};
use crate::common::{array_api, blas, bnns, filled, onnx, onnx_with, openvino, tensor, webnn};

#[rstest]
#[case::keep_dims_default_is_false(openvino(L1, Axes::list(&[1]), ones(&[2, 3])), "over [1] to [2]")]
#[case::scalar_axis(openvino(L1, Axes::scalar(1), ones(&[2, 3])), "over [1] to [2]")]
#[case::negative_axis_counts_from_the_end(openvino(L1, Axes::list(&[-1]), ones(&[2, 3, 4])), "over [2] to [2, 3]")]
#[case::lowest_axis_is_the_slowest(openvino(L1, Axes::list(&[-3]), ones(&[2, 3, 4])), "over [0] to [3, 4]")]
#[case::order_of_axes_does_not_matter(openvino(L1, Axes::list(&[2, 0]), ones(&[2, 3, 4])), "over [0, 2] to [3]")]
#[case::all_axes_give_a_scalar(openvino(L1, Axes::list(&[1, 0]), ones(&[2, 3])), "over [0, 1] to []")]
#[case::size_one_dims_are_reduced_too(openvino(L1, Axes::list(&[1]), ones(&[2, 1])), "over [1] to [2]")]
#[case::two_spatial_axes(openvino(L1, Axes::list(&[2, 3]), ones(&[6, 12, 10, 24])), "over [2, 3] to [6, 12]")]
#[case::channel_axis(openvino(L2, Axes::list(&[1]), ones(&[6, 12, 10, 24])), "over [1] to [6, 10, 24]")]
#[case::axis_before_the_last(openvino(L2, Axes::list(&[-2]), ones(&[6, 12, 10, 24])), "over [2] to [6, 12, 24]")]
#[case::bnns_axis_0_is_the_fastest(bnns(&[2, 4], Axes::list(&[0]), ones(&[4, 2, 3])), "over [2] to [4, 2]")]
#[case::bnns_highest_axis_is_the_slowest(bnns(&[3, 2], Axes::list(&[2]), ones(&[4, 2, 3])), "over [0] to [2, 3]")]
#[case::bnns_axes_are_a_set(bnns(&[2], Axes::list(&[2, 0]), ones(&[4, 2, 3])), "over [0, 2] to [2]")]
#[case::bnns_every_axis_gives_a_vector_of_one(bnns(&[1], Axes::list(&[0, 1, 2]), ones(&[4, 2, 3])), "over [0, 1, 2] to [1]")]
#[case::bnns_nil_is_every_axis(bnns(&[1], Axes::Null, ones(&[4, 2, 3])), "over [0, 1, 2] to [1]")]
#[case::bnns_default_is_every_axis(bnns(&[1], Axes::Absent, ones(&[4, 2, 3])), "over [0, 1, 2] to [1]")]
#[case::bnns_vector_reduces_to_one(bnns(&[1], Axes::list(&[0]), ones(&[5])), "over [0] to [1]")]
#[case::bnns_rank_8(bnns(&[1], Axes::Null, ones(&[1; 8])), "over [0, 1, 2, 3, 4, 5, 6, 7] to [1]")]
#[case::default_reduces_null_axes(onnx(L1, V18, Axes::Null, ones(&[2, 3])), "over [0, 1] to [1, 1]")]
#[case::default_reduces_empty_axes(onnx(L1, V18, Axes::list(&[]), ones(&[2, 3])), "over [0, 1] to [1, 1]")]
#[case::noop_0_reduces_empty_axes(onnx_with(L1, V18, None, Some(0), Axes::list(&[]), ones(&[2])), "over [0] to [1]")]
#[case::noop_1_reduces_named_axes(onnx_with(L1, V18, Some(0), Some(1), Axes::list(&[0]), ones(&[2, 3])), "over [0] to [3]")]
fn call_is_determined(#[case] call: Call, #[case] expected: &str) {
    assert_eq!(readings(&call), [expected]);
}

#[rstest]
#[case::none_takes_everything(None, Axes::Absent, "over [0, 1, 2] to []")]
#[case::written_as_nothing(Some(false), Axes::Null, "over [0, 1, 2] to []")]
#[case::an_integer(None, Axes::scalar(1), "over [1] to [2, 4]")]
#[case::an_integer_from_the_end(Some(true), Axes::scalar(-1), "over [2] to [2, 3, 1]")]
#[case::a_tuple(None, Axes::list(&[2, -3]), "over [0, 2] to [3]")]
#[case::a_tuple_of_none_reduces_nothing(Some(true), Axes::list(&[]), "over [] to [2, 3, 4]")]
fn array_api_axis_is_an_integer_a_tuple_or_none(
    #[case] keepdims: Option<bool>,
    #[case] axes: Axes,
    #[case] expected: &str,
) {
    for ord in [None, Some(L1), Some(L2)] {
        assert_eq!(readings(&array_api(ord, keepdims, axes.clone(), ones(&[2, 3, 4]))), [expected]);
    }
}

#[rstest]
#[case::left_out(None, L2)]
#[case::one(Some(L1), L1)]
#[case::two(Some(L2), L2)]
fn array_api_order_is_2_by_default(#[case] ord: Option<Norm>, #[case] norm: Norm) {
    assert_eq!(array_api(ord, None, Axes::Absent, ones(&[2])).spec().norm(), norm);
}

#[test]
fn array_api_scalar_has_no_dim_to_keep() {
    assert_eq!(readings(&array_api(None, Some(true), Axes::Null, ones(&[]))), ["over [] to []"]);
}

#[rstest]
#[case::left_out(None, Axes::Absent, "over [0, 1, 2] to []")]
#[case::left_out_and_kept(Some(true), Axes::Absent, "over [0, 1, 2] to [1, 1, 1]")]
#[case::one(None, Axes::list(&[1]), "over [1] to [2, 4]")]
#[case::two_in_any_order(Some(true), Axes::list(&[2, 0]), "over [0, 2] to [1, 3, 1]")]
#[case::none(None, Axes::list(&[]), "over [] to [2, 3, 4]")]
#[case::none_kept(Some(true), Axes::list(&[]), "over [] to [2, 3, 4]")]
fn webnn_axes_are_a_list_from_the_front(
    #[case] keep: Option<bool>,
    #[case] axes: Axes,
    #[case] expected: &str,
    #[values(L1, L2)] norm: Norm,
) {
    assert_eq!(readings(&webnn(norm, keep, axes, ones(&[2, 3, 4]))), [expected]);
}

#[rstest]
#[case::l1(L1, &[Dtype::F16, Dtype::F32, Dtype::I32, Dtype::I64, Dtype::U32, Dtype::U64])]
#[case::l2(L2, &[Dtype::F16, Dtype::F32])]
fn webnn_takes_other_types_for_each_norm(#[case] norm: Norm, #[case] taken: &[Dtype]) {
    for dtype in Dtype::ALL {
        let given = readings(&webnn(norm, None, Axes::Absent, filled(dtype, &[1], 0)));
        assert_eq!(given == ["rejected for types"], !taken.contains(&dtype), "{dtype} data: {given:?}");
    }
}

#[rstest]
fn onnx_keeps_dims_by_default_and_drops_them_at_0(
    #[values(V1, V11, V13, V18)] opset: Opset,
    #[values(L1, L2)] norm: Norm,
) {
    let with = |keepdims| onnx_with(norm, opset, keepdims, None, Axes::list(&[1]), ones(&[2, 3, 4]));
    assert_eq!(readings(&with(None)), ["over [1] to [2, 1, 4]"]);
    assert_eq!(readings(&with(Some(1))), ["over [1] to [2, 1, 4]"]);
    assert_eq!(readings(&with(Some(0))), ["over [1] to [2, 4]"]);
}

#[rstest]
fn openvino_drops_dims_by_default_and_keeps_them_when_told(#[values(L1, L2)] norm: Norm) {
    for (keep_dims, expected) in [
        (None, "over [1] to [2, 4]"),
        (Some(false), "over [1] to [2, 4]"),
        (Some(true), "over [1] to [2, 1, 4]"),
    ] {
        let operator = Operator::OpenVino { norm, keep_dims };
        let call = Call::new(operator, ones(&[2, 3, 4]), Axes::list(&[1]));
        assert_eq!(readings(&call), [expected]);
    }
}

#[rstest]
fn onnx_reduces_every_axis_where_axes_are_absent(#[values(V1, V11, V13, V18)] opset: Opset) {
    assert_eq!(readings(&onnx(L1, opset, Axes::Absent, ones(&[2, 3]))), ["over [0, 1] to [1, 1]"]);
}

#[rstest]
fn negative_axes_are_stated_from_opset_11_on(#[values(V11, V13, V18)] opset: Opset) {
    assert_eq!(readings(&onnx(L1, opset, Axes::list(&[-2]), ones(&[2, 3]))), ["over [0] to [1, 3]"]);
}

#[rstest]
#[case(V1, "rejected for types")]
#[case(V11, "rejected for types")]
#[case(V13, "over [0] to [1]")]
#[case(V18, "over [0] to [1]")]
fn bf16_comes_with_opset_13(#[case] opset: Opset, #[case] expected: &str) {
    // One element, so that no question about the width of a sum arises.
    let call = onnx(L1, opset, Axes::list(&[0]), tensor(&[1], &[bf16::ONE]));
    assert_eq!(readings(&call), [expected]);
}

#[rstest]
fn noop_with_empty_axes_bears_on_no_named_axis(#[values(None, Some(0), Some(1))] noop: Option<i64>) {
    let call = onnx_with(L1, V18, None, noop, Axes::list(&[0]), ones(&[2]));
    assert_eq!(readings(&call), ["over [0] to [1]"]);
}

#[rstest]
fn rank_0_is_stated_except_at_opset_11(#[values(V1, V13, V18)] opset: Opset) {
    assert_eq!(readings(&onnx(L1, opset, Axes::Absent, ones(&[]))), ["over [] to []"]);
}

#[rstest]
fn norm_of_an_empty_set_is_stated_except_at_opset_11(#[values(V1, V13, V18)] opset: Opset) {
    assert_eq!(readings(&onnx(L1, opset, Axes::list(&[0]), ones(&[0, 2]))), ["over [0] to [1, 2]"]);
}

#[rstest]
fn an_output_without_elements_is_stated_with_the_empty_set(#[values(V1, V13, V18)] opset: Opset) {
    assert_eq!(readings(&onnx(L1, opset, Axes::list(&[0]), ones(&[2, 0]))), ["over [0] to [1, 0]"]);
}

/// Lists calls with consequences that the text itself puts outside its scope, each with the clause that it breaks.
fn outside() -> Vec<(Call, &'static str)> {
    let square = || ones(&[2, 2]);
    vec![
        (array_api(None, None, Axes::scalar(2), square()), "array-api#axes-range"),
        (array_api(None, None, Axes::list(&[1, -3]), square()), "array-api#axes-range"),
        (array_api(None, None, Axes::scalar(0), ones(&[])), "array-api#axes-range"),
        (array_api(None, None, axes_of(Dtype::F32, &[], &[0]), square()), "array-api#axes-types"),
        (array_api(None, None, axes_of(Dtype::I64, &[1, 1], &[0]), square()), "array-api#axes-types"),
        (array_api(None, None, Axes::Absent, tensor(&[1], &[1_i32])), "array-api#types"),
    ]
}

#[test]
fn what_a_text_declares_outside_its_scope_is_neither_refused_nor_open() {
    for (call, clause) in outside() {
        let (_, name) = clause.split_once('#').unwrap();
        assert_eq!(readings(&call), [format!("anything for {name}")], "{clause}: {call:?}");
    }
}

#[test]
fn openvino_takes_data_of_every_type_and_axes_of_every_integer_type() {
    for dtype in Dtype::ALL {
        let call = openvino(L1, Axes::list(&[0]), filled(dtype, &[1], 0));
        let [only] = &readings(&call)[..] else { panic!("{dtype} data of zeros are determined") };
        assert!(only.starts_with("over [0] to []"), "{dtype}: {only}");

        let call = openvino(L1, axes_of(dtype, &[1], &[1]), ones(&[2, 3]));
        let expected = if dtype.is_integer() { "over [1] to [2]" } else { "rejected for axes-types" };
        assert_eq!(readings(&call), [expected], "{dtype} axes");
    }
}

#[rstest]
fn onnx_takes_the_types_its_opset_lists(#[values(V1, V11, V13, V18)] opset: Opset) {
    for dtype in Dtype::ALL {
        let refused = match dtype {
            Dtype::I8 | Dtype::I16 | Dtype::U8 | Dtype::U16 => true,
            Dtype::Bf16 => matches!(opset, V1 | V11),
            _ => false,
        };
        let data = filled(dtype, &[1], 0);
        let given = readings(&onnx(L1, opset, Axes::list(&[0]), data.clone()));
        assert_eq!(given == ["rejected for types"], refused, "{dtype} data: {given:?}");
        let given = readings(&onnx(L1, opset, axes_of(dtype, &[1], &[0]), ones(&[2])));
        assert_eq!(given == ["rejected for axes-types"], dtype != Dtype::I64, "{dtype} axes: {given:?}");
    }
}

/// Lists calls that break a clause under every reading, each with the clause.
fn forbidden() -> Vec<(Call, &'static str)> {
    let row = |call, clause| (call, clause);
    let square = || ones(&[2, 2]);
    let mut table = vec![
        row(openvino(L1, Axes::Absent, square()), "openvino#axes-required"),
        row(openvino(L1, Axes::Null, square()), "openvino#axes-required"),
        row(openvino(L1, axes_of(Dtype::F32, &[1], &[0]), square()), "openvino#axes-types"),
        row(openvino(L1, Axes::list(&[2]), square()), "openvino#axes-range"),
        row(openvino(L1, Axes::list(&[-3]), square()), "openvino#axes-range"),
        row(openvino(L1, Axes::list(&[0, 0, 9]), square()), "openvino#axes-range"),
        row(openvino(L1, Axes::list(&[0]), ones(&[])), "openvino#axes-range"),
        row(openvino(L1, Axes::list(&[-1]), ones(&[])), "openvino#axes-range"),
        row(openvino(L1, Axes::scalar(0), ones(&[])), "openvino#axes-range"),
        row(openvino(L1, Axes::list(&[0, -2]), ones(&[])), "openvino#axes-range"),
        row(openvino(L1, axes_of(Dtype::U64, &[1], &[u64::MAX.into()]), square()), "openvino#axes-range"),
        row(openvino(L1, axes_of(Dtype::I64, &[1], &[i128::MIN]), square()), "openvino#axes-range"),
        row(onnx(L1, V18, Axes::list(&[0]), tensor(&[1], &[1_u8])), "onnx#types"),
        row(onnx(L1, V18, axes_of(Dtype::I32, &[1], &[0]), square()), "onnx#axes-types"),
        row(bnns(&[2], axes_of(Dtype::U32, &[1], &[0]), square()), "bnns#axes-types"),
        row(bnns(&[2], Axes::scalar(0), square()), "bnns#axes-list"),
        row(webnn(L1, None, Axes::Null, square()), "webnn#axes-list"),
        row(webnn(L1, None, Axes::scalar(0), square()), "webnn#axes-list"),
        row(webnn(L1, None, Axes::list(&[2]), square()), "webnn#axes-range"),
        row(webnn(L1, None, Axes::list(&[-1]), square()), "webnn#axes-range"),
        row(webnn(L1, None, Axes::list(&[0]), ones(&[])), "webnn#axes-range"),
        row(webnn(L1, None, Axes::list(&[1, 0, 1]), square()), "webnn#axes-unique"),
        row(webnn(L1, None, axes_of(Dtype::U32, &[1], &[0]), square()), "webnn#axes-types"),
        row(webnn(L1, None, Axes::Absent, tensor(&[1], &[1.0_f64])), "webnn#types"),
        row(webnn(L1, None, Axes::list(&[0]), ones(&[0, 3])), "webnn#zero-sized-dims"),
        row(webnn(L1, None, Axes::list(&[1]), ones(&[0, 3])), "webnn#zero-sized-dims"),
        row(webnn(L2, None, Axes::list(&[]), ones(&[0, 3])), "webnn#zero-sized-dims"),
        row(webnn(L2, None, Axes::Absent, tensor(&[1], &[1_i32])), "webnn#types"),
        row(blas(L1, 1, 1, tensor(&[1], &[1_i32])), "blas#types"),
        row(blas(L1, 1, 1, ones(&[1, 1])), "blas#ranks"),
        row(Call { axes: Axes::list(&[0]), ..blas(L2, 1, 1, ones(&[1])) }, "blas#signature"),
        row(Call { axes: Axes::Null, ..blas(L2, 1, 1, ones(&[1])) }, "blas#signature"),
        row(blas(L1, 2, 1, ones(&[1])), "blas#dimension"),
        row(blas(L2, 3, -2, ones(&[4])), "blas#dimension"),
        row(blas(L2, i32::MAX, i32::MIN, ones(&[4])), "blas#dimension"),
        row(bnns(&[], Axes::Null, square()), "bnns#output-shape"),
        row(bnns(&[1, 1], Axes::Null, square()), "bnns#output-shape"),
        row(bnns(&[3, 1], Axes::list(&[1]), ones(&[2, 3])), "bnns#output-shape"),
        row(bnns(&[4, 2], Axes::list(&[0]), ones(&[4, 2, 3])), "bnns#output-shape"),
    ];
    for opset in [V11, V13, V18] {
        table.push(row(onnx(L1, opset, Axes::list(&[2]), square()), "onnx#axes-range"));
        table.push(row(onnx(L1, opset, Axes::list(&[-3]), square()), "onnx#axes-range"));
    }
    for opset in [V13, V18] {
        table.push(row(onnx(L1, opset, Axes::list(&[0]), ones(&[])), "onnx#axes-range"));
        table.push(row(onnx(L1, opset, Axes::list(&[-1]), ones(&[])), "onnx#axes-range"));
    }
    for opset in [V1, V11, V13] {
        table.push(row(onnx(L1, opset, Axes::Null, square()), "onnx#axes-attribute"));
        table.push(row(onnx(L1, opset, Axes::scalar(0), square()), "onnx#axes-list"));
    }
    table
}

#[test]
fn forbidden_call_is_rejected_for_its_clause_without_question() {
    for (call, clause) in forbidden() {
        let (_, name) = clause.split_once('#').unwrap();
        assert_eq!(readings(&call), [format!("rejected for {name}")], "{clause}: {call:?}");
    }
}
