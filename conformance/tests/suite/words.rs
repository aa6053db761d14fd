//! Tests the text of a failure: each reading's expectation in one line, and the deciding clause.

use normative_conformance::corpus::{Case, CaseClaim, Statement};
use normative_conformance::reference::{
    Axes, AxesTensor, Call, Dtype, Norm, Operator, Opset, Question, Reading, Tensor,
};
use normative_conformance::report::Report;
use normative_conformance::report::finding::{self, Line};
use normative_conformance::run::property::{Find, Id};
use normative_conformance::{Identity, Observed, Verdict};
use rstest::rstest;

use crate::calls::verdict;
use crate::example::{self, LEDGER};

fn openvino(norm: Norm, dtype: Dtype, bits: &[u64]) -> Call {
    let data = Tensor::from_bits(dtype, &[bits.len()], bits).unwrap();
    Call::new(Operator::OpenVino { norm, keep_dims: None }, data, Axes::list(&[0]))
}

fn scalar(dtype: Dtype, bits: u64) -> Observed {
    Observed::Tensor(Tensor::from_bits(dtype, &[], &[bits]).unwrap())
}

fn texts<'a>(lines: &'a [Line], label: &str) -> Vec<&'a str> {
    lines.iter().filter(|line| line.label == label).map(|line| line.text.as_str()).collect()
}

/// [300] in f16, answered with 256.
#[test]
fn each_reading_says_what_it_expects_and_why_it_is_not_the_norm() {
    let call = openvino(Norm::L2, Dtype::F16, &[0x5cb0]);
    let lines = finding::of_call(&call, &verdict(&call, &scalar(Dtype::F16, 0x5c00)));
    assert_eq!(texts(&lines, "expected"), ["300  0x1.2cp+8  0x5cb0"]);
    assert_eq!(texts(&lines, "got"), ["256  0x1p+8  0x5c00"]);
    let otherwise = texts(&lines, "or under");
    assert_eq!(otherwise.len(), 2, "{otherwise:?}");
    assert!(otherwise[0].starts_with("half-accumulation=squares-in-type"), "{otherwise:?}");
    assert!(
        otherwise[0].ends_with("expected inf at [], because a square exceeds the range of f16"),
        "{otherwise:?}"
    );
    assert!(
        otherwise[1].ends_with("expected inf at [], because the sum of squares exceeds the range of f16"),
        "{otherwise:?}"
    );
    for line in &lines {
        assert!(!line.text.contains("inf ulp") && !line.text.contains("allowed 0 ulp"), "{line:?}");
    }
}

#[test]
fn squares_that_underflow_are_expected_to_give_zero() {
    // 2^-80 in f32, answered with 1.
    let call = openvino(Norm::L2, Dtype::F32, &[0x1780_0000]);
    let lines = finding::of_call(&call, &verdict(&call, &scalar(Dtype::F32, 0x3f80_0000)));
    let otherwise = texts(&lines, "or under");
    assert!(
        otherwise
            .iter()
            .any(|text| text.ends_with("expected 0 at [], because every square underflows in f32")),
        "{lines:?}"
    );
}

#[test]
fn what_all_readings_expect_alike_is_said_once() {
    // Two subnormals, answered with a refusal.
    let call = openvino(Norm::L1, Dtype::F32, &[1, 2]);
    let lines = finding::of_call(&call, &verdict(&call, &Observed::Rejected("no".into())));
    assert_eq!(texts(&lines, "result"), ["expected a tensor, got a refusal: no"]);
    assert!(texts(&lines, "under").is_empty() && texts(&lines, "or under").is_empty(), "{lines:?}");
}

fn list(dtype: Dtype, shape: &[usize], values: &[i128]) -> Axes {
    Axes::Given(AxesTensor { dtype, shape: shape.to_vec(), values: values.to_vec() })
}

fn onnx(opset: Opset, keepdims: Option<i64>, noop: Option<i64>) -> Operator {
    Operator::Onnx { norm: Norm::L1, opset, keepdims, noop_with_empty_axes: noop }
}

const OPENVINO: Operator = Operator::OpenVino { norm: Norm::L1, keep_dims: Some(false) };

#[rstest]
#[case::scalar_axes(OPENVINO, Dtype::F32, &[2, 3], list(Dtype::I64, &[], &[1]), "axes-scalar-or-1d")]
#[case::negative_axis(OPENVINO, Dtype::F32, &[2, 3], list(Dtype::I64, &[1], &[-1]), "axes-negative")]
#[case::axes_of_i8(OPENVINO, Dtype::F32, &[2, 3], list(Dtype::I8, &[1], &[1]), "axes-types")]
#[case::no_axis(OPENVINO, Dtype::F32, &[2, 3], list(Dtype::I64, &[0], &[]), "empty-axes")]
#[case::data_of_u16(OPENVINO, Dtype::U16, &[2, 3], list(Dtype::I64, &[1], &[1]), "types")]
#[case::every_axis(OPENVINO, Dtype::F32, &[2, 3], list(Dtype::I64, &[2], &[0, 1]), "all-axes")]
#[case::nothing_special(OPENVINO, Dtype::F32, &[2, 3], list(Dtype::I64, &[1], &[1]), "norm")]
#[case::a_scalar(onnx(Opset::V13, None, None), Dtype::F32, &[], Axes::Absent, "rank-zero")]
#[case::a_scalar_at_11(onnx(Opset::V11, None, None), Dtype::F32, &[], Axes::Absent, "rank-zero-unstated")]
#[case::nothing_to_add(onnx(Opset::V13, None, None), Dtype::F32, &[2, 0], list(Dtype::I64, &[1], &[1]), "empty-set")]
#[case::axes_left_out(onnx(Opset::V18, None, None), Dtype::F32, &[2], Axes::Absent, "axes-default")]
#[case::axes_null(onnx(Opset::V18, None, None), Dtype::F32, &[2], Axes::Null, "axes-optional")]
#[case::noop(onnx(Opset::V18, None, Some(1)), Dtype::F32, &[2], Axes::Absent, "noop-true")]
#[case::noop_is_false(onnx(Opset::V18, None, Some(0)), Dtype::F32, &[2], Axes::Absent, "noop-false")]
#[case::noop_with_axes(onnx(Opset::V18, None, Some(1)), Dtype::F32, &[2], list(Dtype::I64, &[1], &[0]), "noop-nonempty")]
#[case::negative_in_onnx(onnx(Opset::V18, None, None), Dtype::F32, &[2], list(Dtype::I64, &[1], &[-1]), "axes-range")]
#[case::odd_keepdims(onnx(Opset::V18, Some(2), None), Dtype::F32, &[2], list(Dtype::I64, &[1], &[0]), "keepdims-values")]
fn a_wrong_refusal_cites_the_clause_that_makes_the_call_valid(
    #[case] operator: Operator,
    #[case] dtype: Dtype,
    #[case] shape: &[usize],
    #[case] axes: Axes,
    #[case] clause: &str,
) {
    let data = Tensor::from_bits(dtype, shape, &vec![0; shape.iter().product()]).unwrap();
    let call = Call::new(operator, data, axes);
    let mismatch = normative_conformance::judge::compare::Mismatch::Rejected { message: "no".into() };
    let miss = normative_conformance::judge::verdict::Miss { readings: vec![], mismatch, accuracy: None };
    let find = Find { id: Id::first(1, 0), call, verdict: Verdict::Fails(vec![miss]) };
    assert_eq!(find.clause(&LEDGER).name, clause);
}

#[rstest]
#[case::left_out_in_openvino(Operator::OpenVino { norm: Norm::L1, keep_dims: None }, "keep-dims-default")]
#[case::false_in_openvino(OPENVINO, "output-removed-dims")]
#[case::true_in_openvino(Operator::OpenVino { norm: Norm::L1, keep_dims: Some(true) }, "keep-dims-true")]
#[case::left_out_in_onnx(onnx(Opset::V18, None, None), "keepdims-default")]
#[case::zero_in_onnx(onnx(Opset::V18, Some(0), None), "reduced-dims-pruned")]
#[case::one_in_onnx(onnx(Opset::V18, Some(1), None), "output-rank-kept")]
fn wrong_dims_cite_the_clause_on_the_attribute_as_it_was_given(
    #[case] operator: Operator,
    #[case] clause: &str,
) {
    let data = Tensor::from_bits(Dtype::F32, &[2, 3], &[0; 6]).unwrap();
    let call = Call::new(operator, data, Axes::list(&[1]));
    // Only the dim of 1 that the attribute is about is wrong.
    let keeps = call.operator.keep_dims().map_or(call.spec().rules().keep_dims_default, |keep| keep != 0);
    let shape: &[usize] = if keeps { &[2] } else { &[2, 1] };
    let wrong = Observed::Tensor(Tensor::from_bits(Dtype::F32, shape, &[0; 2]).unwrap());
    let find = Find { id: Id::first(1, 0), verdict: verdict(&call, &wrong), call };
    assert_eq!(find.clause(&LEDGER).name, clause);
}

#[test]
fn what_the_text_determines_comes_before_what_it_leaves_open_and_shows_its_data() {
    let call = openvino(Norm::L1, Dtype::F32, &[0x3f80_0000, 0xc000_0000]);
    let statement = || Statement::Rejected { clause: "norm".into() };
    let open = CaseClaim::Open {
        question: Question::EmptyAxesIdentity,
        readings: vec![(Reading::Unchanged, statement())],
    };
    let cases: Vec<Case> = [("open", open), ("determined", CaseClaim::Determined(statement()))]
        .map(|(name, claim)| Case { claim, ..example::case(name, call.clone()) })
        .into();
    let fails = verdict(&call, &scalar(Dtype::F32, 0));
    let results = cases.iter().map(|case| (case, fails.clone())).collect();
    let identity = Identity { name: "x".into(), version: "0".into(), report_bugs_to: "y".into() };
    let report = Report::of(identity, results, 2);
    let findings = finding::all(&report, &LEDGER, "cargo xtask conformance");
    let names: Vec<&str> = findings.iter().map(|finding| finding.name.as_str()).collect();
    assert_eq!(names, ["determined", "open"]);
    assert_eq!(texts(&findings[0].lines, "data"), ["[1, -2]"]);
}

#[rstest]
#[case::refused(Observed::Rejected("no".into()), "expected a tensor, got a refusal: no")]
#[case::type_of(scalar(Dtype::F64, 0), "expected output type f32, got f64")]
#[case::shape_of(
    Observed::Tensor(Tensor::from_bits(Dtype::F32, &[1], &[0]).unwrap()),
    "expected output shape [], got [1]"
)]
fn a_failure_says_what_was_expected_and_what_came(#[case] answer: Observed, #[case] text: &str) {
    let call = openvino(Norm::L1, Dtype::F32, &[0x3f80_0000]);
    assert_eq!(verdict(&call, &answer).reason(), text);
}
