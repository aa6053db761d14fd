//! What each spec says of a call: the reduction it determines, the clause that forbids it, or the
//! question it leaves open, with every reading in order.
//!
//! The tables are complete: one row for every question, and one at least for every clause a call
//! can break. Values are not looked at here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail tests")]

use std::collections::BTreeSet;

use half::{bf16, f16};
use normative_reference::arithmetic::Arithmetic;
use normative_reference::{
    Axes, AxesTensor, Call, Dtype, FloatFormat, Norm, Operator, Opset, Outcome, Question, Tensor, rule,
};
use rstest::rstest;

mod common;
use common::{BREAKABLE, bnns, broken_clauses, filled, onnx, onnx_with, openvino, tensor};
use normative_reference::Norm::{L1, L2};
use normative_reference::Opset::{V1, V11, V13, V18};

/// f32 data of this shape that raise no question about arithmetic.
fn ones(shape: &[usize]) -> Tensor {
    filled(Dtype::F32, shape, 1.0_f32.to_bits().into())
}

fn axes_of(dtype: Dtype, shape: &[usize], values: &[i128]) -> Axes {
    Axes::Given(AxesTensor { dtype, shape: shape.to_vec(), values: values.to_vec() })
}

/// Each reading of a call in one line, its choices first; row-major axes, then the output's shape.
fn readings(call: &Call) -> Vec<String> {
    let lines = rule(call).alternatives.into_iter().map(|alternative| {
        let choices: Vec<String> = alternative.choices.iter().map(ToString::to_string).collect();
        let outcome = describe(call, &alternative.outcome);
        if choices.is_empty() { outcome } else { format!("{}: {outcome}", choices.join(", ")) }
    });
    lines.collect()
}

fn describe(call: &Call, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Unchanged => "unchanged".to_owned(),
        Outcome::Rejected(clause) => {
            assert_eq!(clause.spec, call.spec(), "a clause of the spec called");
            format!("rejected for {}", clause.name)
        }
        Outcome::Reduce(reduction, arithmetic) => {
            assert_eq!(reduction.norm, call.spec().norm(), "the norm of the spec called");
            let shape = reduction.output_shape(call.data.shape());
            format!("over {:?} to {shape:?}{}", reduction.axes, describe_arithmetic(*arithmetic))
        }
    }
}

/// What departs from plain arithmetic: f32 sums, scaled squares, wrap, truncate, exact sums.
fn describe_arithmetic(arithmetic: Arithmetic) -> String {
    let mut parts = vec![String::new()];
    match arithmetic {
        Arithmetic::Float(float) => {
            let formats =
                [(FloatFormat::F16, "in f16"), (FloatFormat::BF16, "in bf16"), (FloatFormat::F64, "in f64")];
            let format = formats.into_iter().find(|(format, _)| *format == float.accumulation);
            parts.extend(format.map(|(_, name)| name.to_owned()));
            parts.extend(float.naive_squares.then(|| "naive".to_owned()));
            parts.extend(float.flush_subnormals.then(|| "flushed".to_owned()));
            parts.extend(float.infinity_over_nan.then(|| "infinity over NaN".to_owned()));
        }
        Arithmetic::Integer(integer) => {
            parts.push(format!("{:?}", integer.overflow));
            parts.extend(integer.nearest.then(|| "nearest".to_owned()));
            parts.extend(integer.intermediate.map(|intermediate| format!("{intermediate:?}")));
        }
    }
    parts.join(", ")
}

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
        let call = Call { operator, data: ones(&[2, 3, 4]), axes: Axes::list(&[1]) };
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
    // One element, so that no sum asks for its width.
    let call = onnx(L1, opset, Axes::list(&[0]), tensor(&[1], &[bf16::ONE]));
    assert_eq!(readings(&call), [expected]);
}

#[rstest]
fn noop_with_empty_axes_exists_from_opset_18_on(
    #[values(V1, V11, V13)] before: Opset,
    #[values(0, 1, 7)] value: i64,
) {
    let with = |opset| onnx_with(L1, opset, None, Some(value), Axes::list(&[0]), ones(&[2]));
    assert_eq!(readings(&with(before)), ["rejected for attributes"]);
    // With an axis named, the attribute does nothing.
    assert_eq!(readings(&with(V18)), ["over [0] to [1]"]);
}

#[rstest]
fn rank_0_is_stated_except_at_opset_11(#[values(V1, V13, V18)] opset: Opset) {
    assert_eq!(readings(&onnx(L1, opset, Axes::Absent, ones(&[]))), ["over [] to []"]);
}

#[rstest]
fn norm_of_an_empty_set_is_stated_except_at_opset_11(#[values(V1, V13, V18)] opset: Opset) {
    assert_eq!(readings(&onnx(L1, opset, Axes::list(&[0]), ones(&[0, 2]))), ["over [0] to [1, 2]"]);
}

#[test]
fn opset_11_asks_for_empty_sets_only_where_an_output_has_one() {
    let call = onnx(L1, V11, Axes::list(&[0]), ones(&[2, 0]));
    assert_eq!(readings(&call), ["over [0] to [1, 0]"]);
    let no_output = onnx(L1, V11, Axes::list(&[0]), ones(&[0, 0]));
    assert_eq!(readings(&no_output), ["over [0] to [1, 0]"]);
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

/// A call that breaks a clause whatever is read into the rest, and the clause.
fn forbidden() -> Vec<(Call, &'static str)> {
    let row = |call, clause| (call, clause);
    let square = || ones(&[2, 2]);
    let mut table = vec![
        row(openvino(L1, Axes::Absent, square()), "openvino#axes-required"),
        row(openvino(L1, Axes::Null, square()), "openvino#axes-required"),
        row(openvino(L1, axes_of(Dtype::F32, &[1], &[0]), square()), "openvino#axes-types"),
        row(openvino(L1, axes_of(Dtype::I32, &[1, 1], &[0]), square()), "openvino#axes-scalar-or-1d"),
        row(openvino(L1, axes_of(Dtype::I32, &[0, 1], &[]), square()), "openvino#axes-scalar-or-1d"),
        row(openvino(L1, Axes::list(&[2]), square()), "openvino#axes-range"),
        row(openvino(L1, Axes::list(&[-3]), square()), "openvino#axes-range"),
        row(openvino(L1, Axes::list(&[0, 0, 9]), square()), "openvino#axes-range"),
        row(openvino(L1, Axes::list(&[1]), ones(&[])), "openvino#axes-range"),
        row(openvino(L1, Axes::list(&[0, -2]), ones(&[])), "openvino#axes-range"),
        row(openvino(L1, axes_of(Dtype::U64, &[1], &[u64::MAX.into()]), square()), "openvino#axes-range"),
        row(openvino(L1, axes_of(Dtype::I64, &[1], &[i128::MIN]), square()), "openvino#axes-range"),
        row(onnx(L1, V18, Axes::list(&[0]), tensor(&[1], &[1_u8])), "onnx#types"),
        row(onnx(L1, V18, axes_of(Dtype::I32, &[1], &[0]), square()), "onnx#axes-types"),
        row(onnx(L1, V1, Axes::list(&[2]), square()), "onnx#axes"),
        row(onnx(L1, V1, Axes::list(&[-1, -3]), square()), "onnx#axes"),
        row(bnns(&[1], Axes::Null, tensor(&[1], &[1.0_f64])), "bnns#types"),
        row(bnns(&[1], Axes::Null, tensor(&[1], &[f16::ONE])), "bnns#types"),
        row(bnns(&[1], Axes::Null, ones(&[])), "bnns#ranks"),
        row(bnns(&[1], Axes::Null, ones(&[1; 9])), "bnns#ranks"),
        row(bnns(&[2], Axes::list(&[2]), square()), "bnns#axes"),
        row(bnns(&[2], Axes::list(&[-1]), square()), "bnns#axes"),
        row(bnns(&[2], axes_of(Dtype::U32, &[1], &[0]), square()), "bnns#axes-types"),
        row(bnns(&[2], Axes::scalar(0), square()), "bnns#axes-list"),
        row(bnns(&[], Axes::Null, square()), "bnns#output-shape"),
        row(bnns(&[1, 1], Axes::Null, square()), "bnns#output-shape"),
        row(bnns(&[3, 1], Axes::list(&[1]), ones(&[2, 3])), "bnns#output-shape"),
        row(bnns(&[4, 2], Axes::list(&[0]), ones(&[4, 2, 3])), "bnns#output-shape"),
    ];
    for opset in [V11, V13, V18] {
        table.push(row(onnx(L1, opset, Axes::list(&[2]), square()), "onnx#axes-range"));
        table.push(row(onnx(L1, opset, Axes::list(&[-3]), square()), "onnx#axes-range"));
    }
    for opset in [V1, V11, V13] {
        table.push(row(onnx(L1, opset, Axes::Null, square()), "onnx#axes-attribute"));
        table.push(row(onnx(L1, opset, Axes::scalar(0), square()), "onnx#axes-list"));
        table.push(row(onnx_with(L1, opset, None, Some(0), Axes::Absent, square()), "onnx#attributes"));
        table.push(row(onnx_with(L1, opset, Some(2), Some(0), Axes::Absent, ones(&[])), "onnx#attributes"));
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

#[test]
fn tables_break_every_clause_that_can_be_broken() {
    let questions = Question::ALL.map(|question| open(question).0);
    let calls = forbidden().into_iter().map(|(call, _)| call).chain(questions);
    let mut broken = BTreeSet::new();
    for call in calls {
        broken.extend(broken_clauses(&rule(&call)));
    }
    assert_eq!(broken, BREAKABLE.map(str::to_owned).into());
}

/// A call that raises the question and every reading of it.
#[allow(clippy::too_many_lines, reason = "it is the table")]
fn open(question: Question) -> (Call, &'static [&'static str]) {
    let noop = |axes| onnx_with(L1, V18, None, Some(1), axes, ones(&[2, 3]));
    match question {
        Question::EmptyAxesIdentity => (
            openvino(L1, Axes::list(&[]), ones(&[2, 3])),
            &[
                "empty-axes-identity=x: unchanged",
                "empty-axes-identity=norm-of-each-element: over [] to [2, 3]",
            ],
        ),
        Question::EmptyAxesAttribute => (
            onnx(L1, V13, Axes::list(&[]), ones(&[2, 3])),
            &[
                "empty-axes-attribute=reduce-all: over [0, 1] to [1, 1]",
                "empty-axes-attribute=reduce-none: over [] to [2, 3]",
            ],
        ),
        Question::EmptyAxesBnns => (
            bnns(&[1], Axes::list(&[]), ones(&[2, 3])),
            &[
                "empty-axes-bnns=reduce-all: over [0, 1] to [1]",
                "empty-axes-bnns=reduce-none: rejected for output-shape",
                "empty-axes-bnns=reject: rejected for axes",
            ],
        ),
        Question::NoopAbsentAxes => (
            noop(Axes::Absent),
            &[
                "noop-absent-axes=x: unchanged",
                "noop-absent-axes=norm-of-each-element: over [] to [2, 3]",
                "noop-absent-axes=reduce-all: over [0, 1] to [1, 1]",
            ],
        ),
        Question::NoopNullAxes => (
            noop(Axes::Null),
            &[
                "noop-null-axes=x: unchanged",
                "noop-null-axes=norm-of-each-element: over [] to [2, 3]",
                "noop-null-axes=reduce-all: over [0, 1] to [1, 1]",
            ],
        ),
        Question::NoopEmptyAxes => (
            noop(Axes::list(&[])),
            &[
                "noop-empty-axes=x: unchanged",
                "noop-empty-axes=norm-of-each-element: over [] to [2, 3]",
                "noop-empty-axes=reduce-all: over [0, 1] to [1, 1]",
            ],
        ),
        Question::DuplicateAxes => (
            openvino(L1, Axes::list(&[1, 1]), ones(&[2, 3])),
            &["duplicate-axes=collapse: over [1] to [2]", "duplicate-axes=reject: rejected for axes-unique"],
        ),
        Question::DuplicateAxesMixedSign => (
            onnx(L1, V11, Axes::list(&[1, -1]), ones(&[2, 3])),
            &[
                "duplicate-axes-mixed-sign=collapse: over [1] to [2, 1]",
                "duplicate-axes-mixed-sign=reject: rejected for axes",
            ],
        ),
        Question::AxisOnRankZero => (
            onnx(L1, V18, Axes::list(&[-1]), ones(&[])),
            &["axis-on-rank-0=accept: over [] to []", "axis-on-rank-0=reject: rejected for axes-range"],
        ),
        Question::AxisRangeOpset1 => (
            onnx(L1, V1, Axes::list(&[-1]), ones(&[2, 3])),
            &[
                "axis-range-opset-1=as-later-opsets: over [1] to [2, 1]",
                "axis-range-opset-1=reject: rejected for axes",
            ],
        ),
        Question::AxesTensorRank => (
            onnx(L1, V18, axes_of(Dtype::I64, &[1, 1], &[1]), ones(&[2, 3])),
            &[
                "axes-tensor-rank=accept: over [1] to [2, 1]",
                "axes-tensor-rank=reject: rejected for axes-list",
            ],
        ),
        Question::RankZeroOpset11 => (
            onnx(L1, V11, Axes::Absent, ones(&[])),
            &["rank-0-opset-11=as-other-opsets: over [] to []", "rank-0-opset-11=reject: rejected for data"],
        ),
        Question::EmptySetOpset11 => (
            onnx(L1, V11, Axes::list(&[0]), ones(&[0, 2])),
            &[
                "empty-set-opset-11=as-other-opsets: over [0] to [1, 2]",
                "empty-set-opset-11=reject: rejected for norm",
            ],
        ),
        Question::BooleanKeepdims => (
            onnx_with(L1, V13, Some(-1), None, Axes::list(&[0]), ones(&[2, 3])),
            &[
                "boolean-attributes-keepdims=nonzero-is-true: over [0] to [1, 3]",
                "boolean-attributes-keepdims=only-1-is-true: over [0] to [3]",
                "boolean-attributes-keepdims=reject: rejected for keepdims-values",
            ],
        ),
        Question::BooleanNoop => (
            onnx_with(L1, V18, None, Some(2), Axes::list(&[]), ones(&[2])),
            &[
                "boolean-attributes-noop=nonzero-is-true, noop-empty-axes=x: unchanged",
                "boolean-attributes-noop=nonzero-is-true, noop-empty-axes=norm-of-each-element: over [] to [2]",
                "boolean-attributes-noop=nonzero-is-true, noop-empty-axes=reduce-all: over [0] to [1]",
                "boolean-attributes-noop=only-1-is-true: over [0] to [1]",
                "boolean-attributes-noop=reject: rejected for noop-values",
            ],
        ),
        Question::IntegerOverflow => (
            openvino(L1, Axes::list(&[0]), tensor(&[2], &[i32::MAX, 1])),
            &[
                "integer-overflow=wrap: over [0] to [], Wrap",
                "integer-overflow=saturate: over [0] to [], Saturate",
                "integer-overflow=reject: over [0] to [], Reject",
            ],
        ),
        Question::IntegerL2Rounding => (
            openvino(L2, Axes::list(&[0]), tensor(&[2], &[1_i32, 2])),
            &[
                "integer-l2-rounding=truncate: over [0] to [], Wrap",
                "integer-l2-rounding=nearest: over [0] to [], Wrap, nearest",
            ],
        ),
        Question::IntegerL2Intermediate => (
            openvino(L2, Axes::list(&[0]), tensor(&[2], &[65_536_u32, 0])),
            &[
                "integer-l2-rounding=truncate, integer-l2-intermediate=exact: over [0] to [], Wrap",
                "integer-l2-rounding=truncate, integer-l2-intermediate=wraps: over [0] to [], Wrap, WrapsThenZero",
                "integer-l2-rounding=truncate, integer-l2-intermediate=saturates: over [0] to [], Wrap, Saturates",
                "integer-l2-rounding=nearest, integer-l2-intermediate=exact: over [0] to [], Wrap, nearest",
                "integer-l2-rounding=nearest, integer-l2-intermediate=wraps: \
                 over [0] to [], Wrap, nearest, WrapsThenZero",
                "integer-l2-rounding=nearest, integer-l2-intermediate=saturates: \
                 over [0] to [], Wrap, nearest, Saturates",
            ],
        ),
        Question::WrappedNegativeRoot => (
            openvino(L2, Axes::list(&[0]), tensor(&[1], &[12_i8])),
            &[
                "integer-l2-rounding=truncate, integer-l2-intermediate=exact: over [0] to [], Wrap",
                "integer-l2-rounding=truncate, integer-l2-intermediate=wraps, wrapped-negative-root=zero: \
                 over [0] to [], Wrap, WrapsThenZero",
                "integer-l2-rounding=truncate, integer-l2-intermediate=wraps, wrapped-negative-root=minimum: \
                 over [0] to [], Wrap, WrapsThenMinimum",
                "integer-l2-rounding=truncate, integer-l2-intermediate=saturates: over [0] to [], Wrap, Saturates",
                "integer-l2-rounding=nearest, integer-l2-intermediate=exact: over [0] to [], Wrap, nearest",
                "integer-l2-rounding=nearest, integer-l2-intermediate=wraps, wrapped-negative-root=zero: \
                 over [0] to [], Wrap, nearest, WrapsThenZero",
                "integer-l2-rounding=nearest, integer-l2-intermediate=wraps, wrapped-negative-root=minimum: \
                 over [0] to [], Wrap, nearest, WrapsThenMinimum",
                "integer-l2-rounding=nearest, integer-l2-intermediate=saturates: \
                 over [0] to [], Wrap, nearest, Saturates",
            ],
        ),
        Question::FloatRange => (
            bnns(&[1], Axes::Null, tensor(&[2], &[1e30_f32, 1e30])),
            &["float-range=scaled: over [0] to [1]", "float-range=naive: over [0] to [1], naive"],
        ),
        Question::HalfAccumulation => (
            openvino(L2, Axes::list(&[0]), tensor(&[1], &[f16::ONE])),
            &[
                "half-accumulation=wide: over [0] to []",
                "half-accumulation=in-type: over [0] to [], in f16, naive",
            ],
        ),
        Question::F64Precision => (
            onnx(L2, V18, Axes::list(&[0]), tensor(&[1], &[1.0_f64 / 3.0])),
            &[
                "f64-precision=double: over [0] to [1], in f64",
                "f64-precision=single: over [0] to [1], naive",
            ],
        ),
        Question::Subnormals => (
            openvino(L1, Axes::list(&[0]), tensor(&[1], &[1e-40_f32])),
            &["subnormals=kept: over [0] to []", "subnormals=flushed: over [0] to [], flushed"],
        ),
        Question::NanWithInfinity => (
            bnns(&[1], Axes::Null, tensor(&[2], &[f32::NAN, f32::INFINITY])),
            &[
                "nan-with-infinity=nan: over [0] to [1]",
                "nan-with-infinity=inf: over [0] to [1], infinity over NaN",
            ],
        ),
    }
}

#[test]
fn every_question_is_raised_and_read_in_every_way() {
    for question in Question::ALL {
        let (call, expected) = open(question);
        assert!(rule(&call).questions().contains(&question), "{question} is not raised by {call:?}");
        assert_eq!(readings(&call), expected, "{question}");
    }
}

#[rstest]
#[case::rank_0_may_have_no_axis_to_repeat(openvino(L1, Axes::list(&[0, 0]), ones(&[])), &[
    "axis-on-rank-0=accept, duplicate-axes=collapse: over [] to []",
    "axis-on-rank-0=accept, duplicate-axes=reject: rejected for axes-unique",
    "axis-on-rank-0=reject: rejected for axes-range",
])]
#[case::both_kinds_of_duplicate(onnx(L1, V11, Axes::list(&[-1, 0, 0]), ones(&[2])), &[
    "duplicate-axes=collapse, duplicate-axes-mixed-sign=collapse: over [0] to [1]",
    "duplicate-axes=collapse, duplicate-axes-mixed-sign=reject: rejected for axes",
    "duplicate-axes=reject: rejected for axes",
])]
#[case::negative_axis_of_a_scalar_at_opset_1(onnx(L1, V1, Axes::list(&[-1]), ones(&[])), &[
    "axis-range-opset-1=as-later-opsets, axis-on-rank-0=accept: over [] to []",
    "axis-range-opset-1=as-later-opsets, axis-on-rank-0=reject: rejected for axes",
    "axis-range-opset-1=reject: rejected for axes",
])]
#[case::axes_as_a_scalar(onnx(L1, V18, Axes::scalar(0), ones(&[2])), &[
    "axes-tensor-rank=accept: over [0] to [1]",
    "axes-tensor-rank=reject: rejected for axes-list",
])]
#[case::bnns_output_that_fits_no_reduction(bnns(&[3, 2], Axes::list(&[]), ones(&[2, 3])), &[
    "empty-axes-bnns=reduce-all: rejected for output-shape",
    "empty-axes-bnns=reduce-none: over [] to [2, 3]",
    "empty-axes-bnns=reject: rejected for axes",
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
#[case::l1_squares_nothing(openvino(L1, Axes::list(&[0]), tensor(&[2], &[f16::ONE; 2])), &[
    "half-accumulation=wide: over [0] to []",
    "half-accumulation=in-type: over [0] to [], in f16",
])]
#[case::squares_in_the_type_are_naive_already(
    openvino(L2, Axes::list(&[0]), tensor(&[1], &[bf16::from_f32(1e30)])), &[
    "half-accumulation=wide, float-range=scaled: over [0] to []",
    "half-accumulation=wide, float-range=naive: over [0] to [], naive",
    "half-accumulation=in-type: over [0] to [], in bf16, naive",
])]
#[case::nan_and_infinity_never_meet_in_one_term(
    openvino(L2, Axes::list(&[1]), tensor(&[2, 1], &[f32::NAN, f32::INFINITY])), &["over [1] to [2]"])]
#[case::l1_has_no_cast(onnx(L1, V18, Axes::list(&[0]), tensor(&[1], &[1.0_f64])), &["over [0] to [1], in f64"])]
fn call_is_open(#[case] call: Call, #[case] expected: &[&str]) {
    assert_eq!(readings(&call), expected);
}
