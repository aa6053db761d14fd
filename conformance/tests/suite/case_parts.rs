//! Tests cases of several operators: what is said for one norm or family alone, and where it is wrong.

use std::path::Path;

use normative_conformance::corpus::{Case, load_text};
use normative_conformance::run::prepare;
use rstest::rstest;

const TEXT: &str = "\
topic: Both norms
specs: [onnx/ReduceL1-1, onnx/ReduceL2-1, onnx/ReduceL2-13, webnn/reduceL2-20260122]
cases:
  - id: six-and-eight
    clauses: [norm, axes]
    why: One that adds.
    dtypes: [f16, bf16, f32, i32]
    axes: [0]
    keep_dims: true
    l1:
      why: One that squares.
      data: {shape: [2], values: [6, -8]}
      expect: {shape: [1], values: [14]}
    l2:
      data: {shape: [2], values: [-8, 6]}
      expect: {shape: [1], values: [10]}
    webnn: {clauses: [norm]}
";

fn cases(text: &str) -> Vec<Case> {
    load_text(Path::new("both.yaml"), text).unwrap()
}

fn of<'a>(cases: &'a [Case], name: &str) -> &'a Case {
    cases.iter().find(|case| case.name == name).unwrap()
}

#[test]
fn a_field_of_a_part_stands_for_the_cases_own() {
    let cases = cases(TEXT);
    assert!(prepare(&cases).is_ok(), "each norm has its values");
    let (l1, l2) = (of(&cases, "six-and-eight/ReduceL1-1/i32"), of(&cases, "six-and-eight/ReduceL2-1/i32"));
    assert_eq!((l1.why.as_str(), l2.why.as_str()), ("One that squares.", "One that adds."));
    assert_eq!(l1.call.axes, l2.call.axes);
    assert_ne!(l1.call.data.bits(), l2.call.data.bits());
    let of_webnn = of(&cases, "six-and-eight/reduceL2-20260122/f32");
    assert_eq!((of_webnn.clauses.len(), l2.clauses.len()), (1, 2));
    assert_eq!(of_webnn.call.operator.keep_dims(), Some(1));
}

#[test]
fn a_case_of_several_operators_leaves_out_types_that_a_text_does_not_have() {
    let names: Vec<String> = cases(TEXT).into_iter().map(|case| case.name).collect();
    let types = |version: &str| -> Vec<&str> {
        names.iter().filter_map(|name| name.strip_prefix(&format!("six-and-eight/{version}/"))).collect()
    };
    assert_eq!(types("ReduceL1-1"), ["f16", "f32", "i32"]);
    assert_eq!(types("ReduceL2-1"), ["f16", "f32", "i32"]);
    assert_eq!(types("ReduceL2-13"), ["f16", "bf16", "f32", "i32"]);
    assert_eq!(types("reduceL2-20260122"), ["f16", "f32"]);
    assert_eq!(names.len(), 12);
}

/// Such cases test that a type is refused.
#[test]
fn a_case_of_one_operator_keeps_them() {
    let text = TEXT.replace(
        "specs: [onnx/ReduceL1-1, onnx/ReduceL2-1, onnx/ReduceL2-13, webnn/reduceL2-20260122]",
        "specs: [onnx/ReduceL2-1]",
    );
    let (l1, webnn) = (text.find("    l1:").unwrap(), text.find("    l2:").unwrap());
    let text = format!("{}{}", &text[..l1], &text[webnn..]).replace("    webnn: {clauses: [norm]}\n", "");
    assert_eq!(cases(&text).len(), 4);
}

#[rstest]
#[case::of_norm_and_family("    webnn: {clauses", "    webnn: {data: {shape: [2], repeat: 1}, clauses", "data: expected one for webnn/reduceL2-20260122, got one for its norm and one for its family", 15)]
#[case::of_no_spec("    webnn:", "    openvino:", "openvino: expected a norm or a family of the case's specs", 17)]
#[case::left_out("      expect: {shape: [1], values: [10]}\n", "", "expected expect for onnx/ReduceL2-1, got none", 4)]
#[case::no_type("dtypes: [f16, bf16, f32, i32]", "dtypes: [f64]", "dtypes: expected a type that webnn/reduceL2-20260122 has", 7)]
#[case::data("values: [-8, 6]", "values: [-8]", "data.values: expected 2 values for the shape, got 1", 15)]
#[case::expect("values: [10]", "values: [10.5]", "expect.values[0]: expected an integer", 16)]
#[case::clauses("webnn: {clauses: [norm]", "webnn: {clauses: [Norm]", "clauses: expected lower-case words", 17)]
#[case::nothing_of_a_call("webnn: {clauses: [norm]", "webnn: {axes: [1]", "unknown field `axes`", 17)]
#[rustfmt::skip]
fn a_mistake_is_named_where_it_stands(#[case] from: &str, #[case] to: &str, #[case] due: &str, #[case] line: usize) {
    assert!(TEXT.contains(from));
    let errors = load_text(Path::new("both.yaml"), &TEXT.replacen(from, to, 1)).unwrap_err();
    let message = errors[0].to_string();
    assert!(message.starts_with(&format!("both.yaml:{line}: six-and-eight: ")) && message.contains(due), "{message}");
    assert_eq!(errors.len(), 1);
}
