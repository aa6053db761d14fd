//! Tests tables of kernels: the cases that a row stands for, and a row that stands for none.

use std::path::Path;

use normative_conformance::corpus::{Case, CaseClaim, Statement, load_text};
use normative_conformance::run::prepare;
use normative_reference::Axes;
use rstest::rstest;

const TABLE: &str = "\
topic: Lengths
why: One that drops an element.
clauses: {openvino: [norm, slices], onnx: [norm, axes], bnns: [norm, axes-some], webnn: [norm, axes]}
rows:
  - {id: ROW}
";

fn table(row: &str) -> String {
    TABLE.replace("ROW", row)
}

fn cases(row: &str) -> Vec<Case> {
    load_text(Path::new("kernels.yaml"), &table(row)).unwrap()
}

#[test]
fn a_row_is_a_case_for_each_spec_and_type_in_this_order() {
    let cases =
        cases("a, shape: [4], axes: [0], but: [bf16, f16, f64, i64, u64], l1: [onnx-13, webnn], l2: [bnns]");
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "a/ReduceL1-13/f32",
            "a/ReduceL1-13/i32",
            "a/ReduceL1-13/u32",
            "a/reduceL1-20260122/f32",
            "a/reduceL1-20260122/i32",
            "a/reduceL1-20260122/u32",
            "a/computeNorm/f32",
        ]
    );
    assert!(cases.iter().all(|case| case.line == 5 && case.why == "One that drops an element."));
    assert_eq!(cases[6].clauses[1].to_string(), "bnns/computeNorm#axes-some");
}

/// A family alone names all of its versions; a version, that one.
#[rstest]
#[case("onnx", 7 + 7 + 8 + 8)]
#[case("onnx-1", 7)]
#[case("onnx-18", 8)]
#[case("openvino", 12)]
#[case("openvino-4", 12)]
fn a_word_names_a_family_or_a_version(#[case] word: &str, #[case] count: usize) {
    assert_eq!(cases(&format!("a, shape: [4], axes: [0], l2: [{word}]")).len(), count);
}

#[rstest]
#[case::dropped_by_default("openvino", "", None, &[2, 3])]
#[case::kept("openvino", ", keep: true", Some(1), &[2, 1, 3])]
#[case::dropped("onnx-18", "", Some(0), &[2, 3])]
#[case::kept_by_default("onnx-18", ", keep: true", None, &[2, 1, 3])]
fn only_what_is_not_the_default_is_said(
    #[case] word: &str,
    #[case] keep: &str,
    #[case] said: Option<i64>,
    #[case] shape: &[usize],
) {
    let cases = cases(&format!("a, shape: [2, 9, 3], axes: [-2]{keep}, l1: [{word}]"));
    for case in &cases {
        assert_eq!(case.call.operator.keep_dims(), said);
        assert_eq!(case.call.axes, Axes::list(&[-2]));
        let CaseClaim::Determined(Statement::Tensor(stated)) = &case.claim else {
            panic!("{:?}", case.claim)
        };
        assert_eq!((stated.shape.as_slice(), stated.elements.len()), (shape, 6), "each result is stated");
    }
}

#[test]
fn a_spec_that_counts_no_axis_from_the_end_gets_it_from_the_start() {
    let row = "a, shape: [2, 9, 3], axes: [-3, -1], l2: [webnn, bnns, openvino]";
    let cases = cases(row);
    for (spec, axes) in [("webnn", vec![0, 2]), ("bnns", vec![0, 2]), ("openvino", vec![-3, -1])] {
        let case = cases.iter().find(|case| case.call.spec().name().starts_with(spec)).unwrap();
        assert_eq!((&case.call.axes, case.call.data.shape()), (&Axes::list(&axes), &[2, 9, 3][..]), "{spec}");
    }
}

/// The last dims of a BNNS shape are its first axes.
#[test]
fn the_axes_of_bnns_count_from_the_fastest() {
    let cases = cases("a, shape: [2, 9, 3], axes: [1, 2], keep: true, l2: [bnns, webnn]");
    assert_eq!(cases[0].call.axes, Axes::list(&[0, 1]));
    assert_eq!(cases[0].call.data.bits(), cases[2].call.data.bits(), "the elements are the same");
}

#[rstest]
#[case::one_row("[8]", "[0]")]
#[case::one_short_row("[3]", "[0]")]
#[case::rows_of_one("[5, 1]", "[1]")]
#[case::columns("[9, 7]", "[0]")]
#[case::two_axes("[2, 3, 5, 4]", "[0, 2]")]
fn the_results_stated_are_the_norms(#[case] shape: &str, #[case] axes: &str) {
    let cases = cases(&format!("a, shape: {shape}, axes: {axes}, l1: [openvino, webnn], l2: [onnx, bnns]"));
    if let Err(errors) = prepare(&cases) {
        panic!("{}", errors[0]);
    }
}

#[rstest]
#[case::no_spec("a, shape: [4], axes: [0]", "l1, l2, sum-square: expected a list of one or more, got an empty one")]
#[case::unknown_family("a, shape: [4], axes: [0], l1: [onnx-12]", "l1: expected a family, such as openvino, or a version of one, such as onnx-13, got `onnx-12`")]
#[case::of_another_norm("a, shape: [4], axes: [0], l1: [bnns]", "l1: expected a family, such as openvino, or a version of one, such as onnx-13, got `bnns`")]
#[case::family_without_clauses("a, shape: [4], axes: [0], l1: [array-api]", "expected the clauses of array-api, which a row names")]
#[case::axis_beyond("a, shape: [4], axes: [1], l1: [onnx]", "axes: expected dims of the shape, each once and ascending")]
#[case::axis_far_below("a, shape: [4], axes: [-9223372036854775808], l1: [onnx]", "axes: expected dims of the shape, each once and ascending")]
#[case::axis_twice("a, shape: [2, 4], axes: [1, -1], l1: [onnx]", "axes: expected dims of the shape, each once and ascending")]
#[case::axes_out_of_order("a, shape: [2, 4], axes: [1, 0], l1: [onnx]", "axes: expected dims of the shape, each once and ascending")]
#[case::no_axes("a, shape: [4], axes: [], l1: [onnx]", "axes: expected dims of the shape, each once and ascending")]
#[case::bad_id("A, shape: [4], axes: [0], l1: [onnx]", "id: expected lower-case words and digits joined by '-', got `A`")]
#[case::no_type_left("a, shape: [4], axes: [0], but: [f32, f64, f16, i32], l2: [bnns]", "dtypes: expected a list of one or more, got an empty one")]
#[case::huge("a, shape: [0, 60000000], axes: [0], l1: [onnx]", "expected at most 20000000 elements in the expanded cases of this file, got more")]
#[rustfmt::skip]
fn a_row_that_stands_for_nothing_is_refused_on_its_line(#[case] row: &str, #[case] due: &str) {
    let errors = load_text(Path::new("kernels.yaml"), &table(row)).unwrap_err();
    let id = row.split(',').next().unwrap();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].to_string(), format!("kernels.yaml:5: {id}: {due}"));
}

#[rstest]
#[case::family("bnns:", "cudnn:", "clauses: expected a family", 3)]
#[case::why("One that drops an element.", "''", "why: expected a text", 2)]
#[case::rows("rows:\n  - {id: ROW}", "rows: []", "rows: expected a list of one or more", 4)]
#[case::cases("rows:", "cases:", "unknown field `cases`", 4)]
fn a_head_is_refused_where_it_is_wrong(
    #[case] from: &str,
    #[case] to: &str,
    #[case] due: &str,
    #[case] line: usize,
) {
    let text = table("a, shape: [4], axes: [0], l1: [onnx]")
        .replace(&from.replace("ROW", "a, shape: [4], axes: [0], l1: [onnx]"), to);
    let errors = load_text(Path::new("kernels.yaml"), &text).unwrap_err();
    assert!(errors[0].to_string().starts_with(&format!("kernels.yaml:{line}: ")), "{}", errors[0]);
    assert!(errors[0].to_string().contains(due), "{}", errors[0]);
}
