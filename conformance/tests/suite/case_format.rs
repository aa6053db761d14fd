//! Tests valid case files: every field, and its value after loading.

use std::path::Path;

use normative_conformance::corpus::{Case, CaseClaim, Problem, Statement, TensorStatement, load_text};
use normative_reference::{Axes, AxesTensor, Dtype, Norm, Operator, Opset, Question, Reading, Spec};
use rstest::rstest;

use crate::calls::tensor;

const ONNX: &str = "\
# A comment, with *stars* & ampersands!
topic: How axes are spelled
specs: [onnx/ReduceL1-11, onnx/ReduceL1-1]
cases:
  - id: onnx-negative-axis-counts-from-the-end
    clauses: [axes-range, output-type]
    why: An implementation that takes axes as unsigned reduces axis 0
      * or fails & says so.
    specs: [onnx/ReduceL1-11]
    dtypes: [i16, f32]
    data: {shape: [2, 3], values: [1, -2, 3, 4, -5, 6], except: {5: max, 0: 0x7}}
    axes: [-1]
    keep_dims: false
    noop_with_empty_axes: -3
    expect: {shape: [2], values: [12, 136], printed: [12, -0.5e1]}
  - id: onnx-l1-absent-axes-reduce-everything
    clauses: [axes]
    why: |
      The first axis alone is reduced.
    dtypes: [f16]
    data:
      shape: [2, 2, 2]
      cycle: [1, -2, 3]
    expect:
      shape: []
      repeat: 15
";

const OPENVINO: &str = "\
topic: Roots
specs: [openvino/ReduceL2-4]
cases:
- id: openvino-l2-axes-of-any-integer-type
  clauses: [axes-types]
  why: The axes are read as int64 whatever their type.
  dtypes: [f32, i32]
  data: {shape: [3, 2], repeat: 1, except: {0: 3, 1: 4}}
  axes: {dtypes: [u8, i64], shape: [], values: [1]}
  keep_dims: true
  expect: {shape: [3, 1], reference: true, at: {2: 1}, roots_at: {0: 25}}
- id: openvino-l2-axes-of-a-float-type
  clauses: [axes-types]
  why: The axes are converted.
  dtypes: [f64]
  data: {shape: [1], values: [bits:0x3ff0000000000001]}
  axes: {dtypes: [f32], shape: [1, 1], values: [-1]}
  expect: {rejected: axes-types}
- id: openvino-l2-null-axes
  clauses: [axes-required]
  why: Nothing is reduced.
  dtypes: [u16]
  data: {shape: [0, 2], values: []}
  axes: null
  expect: {shape: [2, 0], roots: []}
- id: openvino-l2-empty-axes
  clauses: [axes]
  why: Everything is reduced.
  dtypes: [f32]
  data: {shape: [2], random: {seed: 1234567, low: -9, high: -1, scale: -1}}
  axes: []
  expect: {shape: [2], open: {empty-axes-identity: {x: {unchanged: true}, norm-of-each-element: {roots: [2, 0.25]}}}}
";

const BNNS: &str = "\
topic: The layout
specs: [bnns/computeNorm]
cases:
  - id: bnns-fastest-axis-first
    clauses: [axes]
    why: Axes are counted from the slowest.
    dtypes: [f32]
    data: {shape: [3, 2, 4], random: {seed: 7, low: 0, high: 0}, except: {23: tiny}}
    axes: [2]
    output_shape: [3, 2]
    expect: {shape: [3, 2], reference: true, at: {5: tiny}}
";

fn cases(text: &str) -> Vec<Case> {
    load_text(Path::new("a/file.yaml"), text).unwrap()
}

fn determined(case: &Case) -> &TensorStatement {
    match &case.claim {
        CaseClaim::Determined(Statement::Tensor(statement)) => statement,
        other => panic!("{}: {other:?}", case.name),
    }
}

#[test]
fn expansions_come_in_spec_dtype_axes_dtype_order_of_the_file() {
    let names = |text| cases(text).into_iter().map(|case| case.name).collect::<Vec<_>>();
    assert_eq!(
        names(ONNX),
        [
            "onnx-negative-axis-counts-from-the-end/ReduceL1-11/i16",
            "onnx-negative-axis-counts-from-the-end/ReduceL1-11/f32",
            "onnx-l1-absent-axes-reduce-everything/ReduceL1-11/f16",
            "onnx-l1-absent-axes-reduce-everything/ReduceL1-1/f16",
        ]
    );
    assert_eq!(
        names(OPENVINO),
        [
            "openvino-l2-axes-of-any-integer-type/ReduceL2-4/f32/axes-u8",
            "openvino-l2-axes-of-any-integer-type/ReduceL2-4/f32/axes-i64",
            "openvino-l2-axes-of-any-integer-type/ReduceL2-4/i32/axes-u8",
            "openvino-l2-axes-of-any-integer-type/ReduceL2-4/i32/axes-i64",
            "openvino-l2-axes-of-a-float-type/ReduceL2-4/f64",
            "openvino-l2-null-axes/ReduceL2-4/u16",
            "openvino-l2-empty-axes/ReduceL2-4/f32",
        ]
    );
    assert_eq!(names(BNNS), ["bnns-fastest-axis-first/computeNorm/f32"]);
}

#[test]
fn an_onnx_case_carries_every_field() {
    let cases = cases(ONNX);
    let case = &cases[0];
    assert_eq!(case.id, "onnx-negative-axis-counts-from-the-end");
    assert_eq!((case.file.as_path(), case.line), (Path::new("a/file.yaml"), 5));
    let clauses: Vec<_> = case.clauses.iter().map(ToString::to_string).collect();
    assert_eq!(clauses, ["onnx/ReduceL1-11#axes-range", "onnx/ReduceL1-11#output-type"]);
    assert_eq!(
        case.why,
        "An implementation that takes axes as unsigned reduces axis 0 * or fails & says so."
    );
    let (norm, opset) = (Norm::L1, Opset::V11);
    let operator = Operator::Onnx { norm, opset, keepdims: Some(0), noop_with_empty_axes: Some(-3) };
    assert_eq!(case.call.operator, operator);
    assert_eq!(case.call.axes, Axes::list(&[-1]));
    assert_eq!(case.call.data, tensor(&[2, 3], &[7_i16, -2, 3, 4, -5, i16::MAX]));
    let expected = TensorStatement {
        shape: vec![2],
        elements: vec![(0, 12), (1, 136)],
        printed: vec![12.0, -5.0],
        unbiased: false,
    };
    assert_eq!(*determined(case), expected);
    assert_eq!(cases[1].call.data, tensor(&[2, 3], &[7_f32, -2.0, 3.0, 4.0, -5.0, f32::MAX]));
    assert_eq!(determined(&cases[1]).elements[1], (1, u64::from(136_f32.to_bits())));
}

#[test]
fn what_is_left_out_is_absent() {
    let case = &cases(ONNX)[3];
    let (norm, opset) = (Norm::L1, Opset::V1);
    let operator = Operator::Onnx { norm, opset, keepdims: None, noop_with_empty_axes: None };
    assert_eq!(case.call.operator, operator);
    assert_eq!(case.call.spec(), Spec::Onnx(Norm::L1, Opset::V1));
    assert_eq!(case.call.axes, Axes::Absent);
    assert_eq!(determined(case).shape, [0_usize; 0]);
    assert_eq!(determined(case).printed, [0.0_f64; 0]);
}

#[test]
fn a_cycle_starts_over_until_the_shape_is_full() {
    let bits = cases(ONNX)[2].call.data.bits();
    let [one, two, three] = [0x3c00, 0xc000, 0x4200];
    assert_eq!(bits, [one, two, three, one, two, three, one, two]);
}

#[test]
fn axes_tensors_keep_dtype_and_shape() {
    let cases = cases(OPENVINO);
    let axes = |dtype, shape: &[usize], value| {
        Axes::Given(AxesTensor { dtype, shape: shape.to_vec(), values: vec![value] })
    };
    assert_eq!(cases[0].call.axes, axes(Dtype::U8, &[], 1));
    assert_eq!(cases[1].call.axes, axes(Dtype::I64, &[], 1));
    assert_eq!(cases[4].call.axes, axes(Dtype::F32, &[1, 1], -1));
    assert_eq!(cases[5].call.axes, Axes::Null);
    assert_eq!(cases[6].call.axes, Axes::list(&[]));
}

#[test]
fn results_left_to_the_reference_may_be_spelled_one_by_one() {
    let cases = cases(OPENVINO);
    let statement = determined(&cases[0]);
    assert_eq!(statement.shape, [3, 1]);
    let bits = |value: f32| u64::from(value.to_bits());
    assert_eq!(statement.elements, [(0, bits(5.0)), (2, bits(1.0))]);
    assert_eq!(determined(&cases[2]).elements, [(0, 5), (2, 1)]);
}

#[test]
fn every_form_of_expectation_has_its_statement() {
    let cases = cases(OPENVINO);
    assert_eq!(
        cases[4].claim,
        CaseClaim::Determined(Statement::Rejected { clause: "axes-types".to_owned() })
    );
    let empty = TensorStatement { shape: vec![2, 0], elements: vec![], printed: vec![], unbiased: false };
    assert_eq!(cases[5].claim, CaseClaim::Determined(Statement::Tensor(empty)));
    let bits = |value: f32| u64::from(value.to_bits());
    let roots = TensorStatement {
        shape: vec![2],
        elements: vec![(0, bits(std::f32::consts::SQRT_2)), (1, bits(0.5))],
        printed: vec![],
        unbiased: false,
    };
    let readings = vec![
        (Reading::Unchanged, Statement::Unchanged),
        (Reading::NormOfEachElement, Statement::Tensor(roots)),
    ];
    assert_eq!(cases[6].claim, CaseClaim::Open { question: Question::EmptyAxesIdentity, readings });
}

#[test]
fn random_data_follow_the_formula() {
    // 6457827717110365317 mod 9 = 0 and 3203168211198807973 mod 9 = 7, from the published sequence.
    let data = &cases(OPENVINO)[6].call.data;
    assert_eq!(*data, tensor(&[2], &[-4.5_f32, -1.0]));
}

#[test]
fn bnns_shapes_are_reversed_and_memory_order_stays() {
    let case = &cases(BNNS)[0];
    assert_eq!(case.call.operator, Operator::Bnns { output_shape: vec![3, 2] });
    assert_eq!(case.call.data.shape(), [4, 2, 3]);
    let bits = case.call.data.bits();
    assert_eq!(bits.iter().position(|&bits| bits == 1), Some(23));
    assert_eq!(determined(case).shape, [2, 3]);
    assert_eq!(determined(case).elements, [(5, 1)]);
}

#[test]
fn line_ends_of_windows_change_nothing() {
    for text in [ONNX, OPENVINO, BNNS] {
        assert_eq!(cases(&text.replace('\n', "\r\n")), cases(text));
    }
}

#[test]
fn quoted_keys_change_nothing() {
    for key in ["\"id\"", "'id'"] {
        // Only the first case's line: it proves that the key is read, because the first case would differ otherwise.
        assert_eq!(cases(&ONNX.replacen("id:", &format!("{key}:"), 1)), cases(ONNX));
    }
}

#[test]
fn a_title_may_end_its_line() {
    let text = BNNS.replace("topic: The layout", "topic: |\n  The layout");
    assert_eq!(cases(&text).len(), 1);
}

#[rstest]
#[case::drawn_floats("f32", "random: {seed: 1, low: -9, high: 9}", 1000, true)]
#[case::too_few("f32", "random: {seed: 1, low: -9, high: 9}", 999, false)]
#[case::integers("i32", "random: {seed: 1, low: -9, high: 9}", 1000, false)]
#[case::not_drawn("f32", "cycle: [1, 2, 3]", 1000, false)]
fn only_many_results_of_drawn_floats_are_looked_at_together(
    #[case] dtype: &str,
    #[case] data: &str,
    #[case] results: usize,
    #[case] taken: bool,
) {
    let text = format!(
        "topic: T\nspecs: [openvino/ReduceL1-4]\ncases:\n  - id: openvino-l1-x\n    clauses: [norm]\n    why: w\n    \
         dtypes: [{dtype}]\n    data: {{shape: [{results}, 2], {data}}}\n    axes: [1]\n    \
         expect: {{shape: [{results}], reference: true, unbiased: true}}\n"
    );
    match load_text(Path::new("x.yaml"), &text) {
        Ok(cases) => assert!(taken && cases[0].claim.is_of_the_whole()),
        Err(errors) => assert!(!taken && matches!(errors[0].problem, Problem::Unbiased { .. }), "{errors:?}"),
    }
}
