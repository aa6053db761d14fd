//! Tests malformed case files, as texts: the error, its line and its case.

use std::path::Path;

use normative_conformance::corpus::{LoadError, MAX_FILE_ELEMENTS, Problem, guard, load_text};
use proptest::prelude::*;
use rstest::rstest;

use crate::base_files::{BNNS, ONNX, OPENVINO, edited};

/// Asserts that `text` has exactly this one error. A kind is the start of the problem's `Debug`.
#[track_caller]
fn assert_error(text: &str, kind: &str, line: usize, case: Option<&str>) {
    let file = Path::new("onnx/axes.yaml");
    let errors = load_text(file, text).expect_err("the file is malformed");
    let [LoadError { file: found, line: at, case: of, problem }] = errors.as_slice() else {
        panic!("{errors:?}")
    };
    assert!(format!("{problem:?}").starts_with(kind), "{problem:?}");
    assert_eq!((found.as_path(), *at, of.as_deref()), (file, line, case), "{problem}");
    let message = errors[0].to_string();
    assert!(message.starts_with(&format!("onnx/axes.yaml:{line}: ")), "{message}");
    assert!(case.is_none_or(|case| message.contains(case)), "{message}");
    for word in ["struct ", "usize", "invalid type", "missing field"] {
        assert!(!message.contains(word), "{message}");
    }
}

#[test]
fn the_base_files_are_well_formed() {
    for text in [ONNX, BNNS, OPENVINO] {
        assert!(load_text(Path::new(""), text).is_ok());
    }
}

const FIRST: Option<&str> = Some("onnx-l1-first");
const SECOND: Option<&str> = Some("onnx-l1-second");
const THIRD: Option<&str> = Some("onnx-l1-third");

#[rstest]
#[case::anchor("axes: [1]", "axes: &a [1]", "Refused(Anchor)", 9, FIRST)]
#[case::alias("axes: [1]", "axes: [*a]", "Refused(Alias)", 9, FIRST)]
#[case::tag("axes: [1]", "axes: !!seq [1]", "Refused(Tag)", 9, FIRST)]
#[case::merge_key("axes: [1]", "<<: {axes: [1]}", "Refused(MergeKey)", 9, FIRST)]
#[case::two_documents("  - id: onnx-l1-second", "---\n  - id: a", "Refused(DocumentMarker)", 12, FIRST)]
#[case::directive("topic", "%YAML 1.2\ntopic", "Refused(Directive)", 1, None)]
#[case::tab_as_indentation("    axes: [1]", "\taxes: [1]", "Refused(Character('\\t'))", 9, FIRST)]
#[case::byte_order_mark("topic", "\u{feff}topic", "Refused(Character('\\u{feff}'))", 1, None)]
#[case::unclosed_bracket("axes: [1]", "axes: [1", "Yaml", 10, FIRST)]
#[case::bad_indentation("    axes: [1]", "   axes: [1]", "Yaml", 9, FIRST)]
#[case::unknown_field_of_a_file("specs:", "spec:", "Yaml(\"unknown field `spec`", 2, None)]
#[case::unknown_field_of_a_case("axes: [1]", "axis: [1]", "Yaml(\"cases[0]: unknown field `axis`", 9, FIRST)]
#[case::unknown_field_of_data("except:", "but:", "Yaml(\"cases[0].data: unknown field `but`", 8, FIRST)]
#[case::unknown_field_of_random("high: 9", "high: 9, step: 2", "Yaml(\"cases[2].data.random: unknown field", 24, THIRD)]
#[case::unknown_field_of_axes("shape: [1], values: [0]", "dims: [1]", "Yaml(\"cases[2].axes: unknown field", 25, THIRD)]
#[case::unknown_field_of_expect("{rejected: axes}", "{refused: axes}", "Yaml", 19, SECOND)]
#[case::duplicate_key_of_a_file("cases:", "topic: b\ncases:", "Yaml(\"duplicate field `topic`", 1, None)]
#[case::duplicate_key_of_a_case("keep_dims: false", "axes: [0]", "Yaml(\"cases[0]: duplicate field `axes`", 4, FIRST)]
#[case::duplicate_flat_index("{5: 7}", "{5: 7, 0x5: 8}", "Yaml(\"cases[0].data.except: duplicate index 5", 8, FIRST)]
#[case::missing_topic("topic: Axes\n", "", "Yaml(\"expected `topic`, got none", 1, None)]
#[case::missing_data("    data: {shape: [2], cycle: [1]}\n", "", "Missing { field: \"data\", spec: Onnx(L1, V11) }", 12, SECOND)]
#[case::missing_expect("    expect: {shape: [2], values: [6, 16]}\n", "", "Missing { field: \"expect\", spec: Onnx(L1, V1) }", 4, FIRST)]
#[case::missing_shape_of_data("shape: [2], cycle", "cycle", "Yaml(\"cases[1].data: expected `shape`, got none", 17, SECOND)]
#[case::negative_dim("shape: [2, 3]", "shape: [2, -3]", "Yaml(\"cases[0].data.shape[1]: expected an integer of 0 to 18446744073709551615, got `-3`", 8, FIRST)]
#[case::fractional_dim("shape: [2, 3]", "shape: [2, 3.0]", "Yaml(\"cases[0].data.shape[1]", 8, FIRST)]
#[case::negative_flat_index("{5: 7}", "{-1: 7}", "Yaml(\"cases[0].data.except", 8, FIRST)]
#[case::scalar_axes("axes: [1]", "axes: 1", "Yaml(\"cases[0].axes: expected null, a list, or a map of dtypes, shape and values, got `1`", 9, FIRST)]
#[case::nested_axes("axes: [1]", "axes: [[1]]", "Yaml(\"cases[0].axes", 9, FIRST)]
#[case::null_attribute("keep_dims: false", "keep_dims: null", "Yaml(\"cases[0].keep_dims: expected true, false or an integer, got null", 10, FIRST)]
#[case::number_for_a_flag("keep_dims: false", "keep_dims: 0", "NoBoolean", 10, FIRST)]
#[case::word_for_a_flag("keep_dims: false", "keep_dims: no", "Yaml(\"cases[0].keep_dims: expected true, false or an integer, got", 10, FIRST)]
#[case::huge_attribute("keep_dims: false", "keep_dims: 9223372036854775808", "Yaml(\"cases[0].keep_dims: out of range", 10, FIRST)]
#[case::null_values("values: [1, -2, 3, 4, -5, 6]", "values: null", "Yaml(\"cases[0].data.values", 8, FIRST)]
#[case::seed_out_of_range("seed: 1,", "seed: -1,", "Yaml(\"cases[2].data.random.seed", 24, THIRD)]
#[case::case_that_is_a_list("  - id: onnx-l1-third", "  - [a]\n  - id: a", "Yaml(\"cases[2]: expected a map of fields, got a list", 20, SECOND)]
#[case::empty_topic("topic: Axes", "topic: ' '", "Text { field: \"topic\" }", 1, None)]
#[case::topic_of_two_lines("topic: Axes", "topic: \"a\\nb\"", "Text { field: \"topic\" }", 1, None)]
#[case::empty_why("why: Nothing & nobody.", "why: ''", "Text { field: \"why\" }", 6, FIRST)]
#[case::no_specs("specs: [onnx/ReduceL1-1, onnx/ReduceL1-11]", "specs: []", "EmptyList { field: \"specs\" }", 2, None)]
#[case::empty_clauses("clauses: [axes, output-type]", "clauses: []", "EmptyList { field: \"clauses\" }", 5, FIRST)]
#[case::empty_dtypes("dtypes: [f32, i32]", "dtypes: []", "EmptyList { field: \"dtypes\" }", 7, FIRST)]
#[case::empty_cycle("cycle: [1]", "cycle: []", "EmptyList { field: \"data.cycle\" }", 17, SECOND)]
#[case::empty_axes_dtypes("{dtypes: [i64]", "{dtypes: []", "EmptyList { field: \"axes.dtypes\" }", 25, THIRD)]
#[case::unknown_spec("onnx/ReduceL1-11]", "onnx/ReduceL1-12]", "UnknownSpec { field: \"specs\", name: \"onnx/ReduceL1-12\" }", 2, None)]
#[case::unknown_spec_of_a_case("    specs: [onnx/ReduceL1-11]", "    specs: [onnx-12]", "UnknownSpec { field: \"specs\", name: \"onnx-12\" }", 15, SECOND)]
#[case::unknown_dtype("dtypes: [f32, i32]", "dtypes: [f32, float]", "UnknownDtype { field: \"dtypes\", name: \"float\" }", 7, FIRST)]
#[case::unknown_axes_dtype("{dtypes: [i64]", "{dtypes: [int64]", "UnknownDtype { field: \"axes.dtypes\"", 25, THIRD)]
#[case::unknown_question("{duplicate-axes", "{axes", "UnknownQuestion { field: \"expect.open\", name: \"axes\" }", 19, SECOND)]
#[case::repeated_spec("onnx/ReduceL1-11]", "onnx/ReduceL1-1]", "Repeated { field: \"specs\"", 2, None)]
#[case::repeated_spec_of_a_version("onnx/ReduceL1-11]", "onnx-1]", "Repeated { field: \"specs\", name: \"onnx/ReduceL1-1\" }", 2, None)]
#[case::repeated_dtype("dtypes: [f32, i32]", "dtypes: [f32, f32]", "Repeated { field: \"dtypes\", name: \"f32\" }", 7, FIRST)]
#[case::repeated_clause("[axes, output-type]", "[axes, axes]", "Repeated { field: \"clauses\", name: \"axes\" }", 5, FIRST)]
#[case::result_spelled_twice("at: {0: 9}", "at: {0: 9}, roots_at: {0: 81}", "Repeated { field: \"expect.roots_at\", name: \"0\" }", 26, THIRD)]
#[case::capital_in_clause("clauses: [axes, output-type]", "clauses: [Axes]", "BadName { field: \"clauses\"", 5, FIRST)]
#[case::bad_clause_of_a_rejection("{rejected: axes}", "{rejected: a/b}", "BadName { field: \"expect.rejected\"", 19, SECOND)]
#[case::duplicate_id("id: onnx-l1-third", "id: onnx-l1-first", "Duplicate { file: \"onnx/axes.yaml\", line: 4 }", 20, FIRST)]
#[case::part_whose_fields_are_not_indented("    axes: [1]\n", "    l1:\n    axes: [1]\n", "Yaml(\"cases[0].l1: expected a map of fields, got null", 9, FIRST)]
#[case::expectation_that_every_part_replaces("expect: {shape: [2], values: [6, 16]}", "expect: {shape: [2], values: [6, 99]}\n    l1: {expect: {shape: [2], values: [6, 16]}}", "Unread { field: \"expect\" }", 11, FIRST)]
#[case::list_for_a_number("values: [6, 16]", "values: [[6, 16]]", "Yaml(\"cases[0].expect.values[0]: expected a number, got a list", 11, FIRST)]
#[case::two_questions("{duplicate-axes", "{empty-set: {}, duplicate-axes", "UnknownQuestion { field: \"expect.open\", name: \"empty-set, duplicate-axes\" }", 19, SECOND)]
#[case::a_question_twice("{duplicate-axes", "{duplicate-axes: {}, duplicate-axes", "UnknownQuestion", 19, SECOND)]
#[case::unknown_reading("collapse:", "merge:", "Readings { question: DuplicateAxes", 19, SECOND)]
#[case::missing_reading("collapse: {roots: [4]}, ", "", "Readings", 19, SECOND)]
#[case::reading_too_many("reject:", "reject: {unchanged: true}, reject:", "Readings", 19, SECOND)]
#[case::readings_out_of_order(
    "collapse: {roots: [4]}, reject: {rejected: axes}",
    "reject: {rejected: axes}, collapse: {roots: [4]}",
    "Readings", 19, SECOND
)]
#[case::no_readings("{collapse: {roots: [4]}, reject: {rejected: axes}}", "{}", "Readings", 19, SECOND)]
#[case::readings_beside_their_question("{shape: [1], open: {duplicate-axes: {collapse: {roots: [4]}, reject: {rejected: axes}}}}", "{open: duplicate-axes, readings: {reject: {rejected: axes}}}", "Yaml(\"cases[1].expect.open: expected a map, as in `open: {empty-set", 19, SECOND)]
#[case::reading_that_is_a_word("{rejected: axes}", "axes", "Yaml(\"cases[1].expect.open.duplicate-axes.reject: expected a list of values, or a map of what the reading expects, got \\\"axes", 19, SECOND)]
#[case::reading_that_is_a_number("{rejected: axes}", "2", "Yaml(\"cases[1].expect.open.duplicate-axes.reject: expected a list of values, or a map of what the reading expects, got `2", 19, SECOND)]
#[case::map_of_values_alone("{roots: [4]}", "{values: [2]}", "Yaml(\"cases[1].expect.open.duplicate-axes.collapse: expected `values` with a shape, or else their list alone", 19, SECOND)]
#[case::list_without_a_shape("{shape: [1], open: {duplicate-axes: {collapse: {roots: [4]}", "{open: {duplicate-axes: {collapse: [2]", "ReadingShape { field: \"expect.open.duplicate-axes.collapse.shape\" }", 19, SECOND)]
#[case::list_that_does_not_fill_the_shape("{roots: [4]}", "[2, 2]", "Count { field: \"expect.open.duplicate-axes.collapse.values\", needed: 1, given: 2 }", 19, SECOND)]
#[case::shape_beside_the_question_and_in_a_reading("{roots: [4]}", "{shape: [1], roots: [4]}", "ReadingShape { field: \"expect.open.duplicate-axes.collapse.shape\" }", 19, SECOND)]
#[case::shape_of_all_in_each_reading("{shape: [1], open: {duplicate-axes: {collapse: {roots: [4]}", "{open: {duplicate-axes: {collapse: {shape: [1], roots: [4]}", "ReadingShape { field: \"expect.shape\" }", 19, SECOND)]
#[case::shape_of_no_reading("{roots: [4]}", "{unchanged: true}", "ReadingShape { field: \"expect.shape\" }", 19, SECOND)]
#[case::huge_shape_beside_a_question("{shape: [1], open:", "{shape: [1000000, 1000000], open:", "Shape { field: \"expect.shape\"", 19, SECOND)]
#[case::array_api_argument("keep_dims: false", "ord: 2", "ForeignField { field: \"ord\", spec: Onnx(L1, V1) }", 10, FIRST)]
#[case::bnns_argument("keep_dims: false", "output_shape: [1]", "ForeignField { field: \"output_shape\"", 10, FIRST)]
#[case::no_form_of_data("cycle: [1]", "except: {}", "NotOneForm { field: \"data\", wanted: [\"values\", \"repeat\", \"cycle\", \"random\", \"pairs\"], found: [] }", 17, SECOND)]
#[case::two_forms_of_data("cycle: [1]", "cycle: [1], repeat: 1", "NotOneForm { field: \"data\"", 17, SECOND)]
#[case::no_form_of_expect("values: [6, 16]", "printed: [6, 16]", "NotOneForm { field: \"expect\"", 11, FIRST)]
#[case::two_forms_of_expect("values: [6, 16]", "values: [6, 16], repeat: 6", "NotOneForm { field: \"expect\"", 11, FIRST)]
#[case::tensor_and_rejection("values: [6, 16]", "values: [6, 16], rejected: axes", "NotOneForm", 11, FIRST)]
#[case::tensor_and_question("values: [6, 16]", "values: [6, 16], open: {}", "NotOneForm", 11, FIRST)]
#[case::question_inside_a_reading("{rejected: axes}", "{open: {}}", "NotOneForm { field: \"expect.open.duplicate-axes.reject\"", 19, SECOND)]
#[case::values_without_shape("{shape: [2], values: [6, 16]}", "{values: [6, 16]}", "Companion { field: \"expect.shape\", form: \"values\", missing: true }", 11, FIRST)]
#[case::shape_beside_a_rejection("{rejected: axes}", "{rejected: axes, shape: [1]}", "Companion { field: \"expect.open.duplicate-axes.reject.shape\"", 19, SECOND)]
#[case::single_results_beside_all("values: [6, 16]", "values: [6, 16], at: {0: 6}", "Companion { field: \"expect.at\"", 11, FIRST)]
#[case::digits_beside_a_rejection("{rejected: axes}", "{rejected: axes, printed: [1]}", "Companion", 19, SECOND)]
#[case::no_question("values: [6, 16]}", "open: {}}", "UnknownQuestion { field: \"expect.open\", name: \"\" }", 11, FIRST)]
#[case::digits_beside_a_question("{shape: [1], open:", "{shape: [1], printed: [2], open:", "Companion { field: \"expect.printed\", form: \"open\", missing: false }", 19, SECOND)]
#[case::unchanged_that_is_not("{shape: [2], values: [6, 16]}", "{unchanged: false}", "FalseFlag { field: \"expect.unchanged\" }", 11, FIRST)]
#[case::reference_that_is_none("reference: true", "reference: false", "FalseFlag { field: \"expect.reference\" }", 26, THIRD)]
#[case::unbiased_that_is_not("reference: true", "reference: true, unbiased: false", "FalseFlag { field: \"expect.unbiased\" }", 26, THIRD)]
#[case::unbiased_beside_values("values: [6, 16]}", "values: [6, 16], unbiased: true}", "Companion { field: \"expect.unbiased\", form: \"values\", missing: false", 11, FIRST)]
#[case::unbiased_in_few_results("reference: true", "reference: true, unbiased: true", "Unbiased { field: \"expect.unbiased\" }", 26, THIRD)]
#[case::repeated_shape("cycle: [1]", "cycle: [1], shape: [1]", "Yaml", 17, SECOND)]
#[case::huge_data("shape: [2], cycle", "shape: [1000000, 1000000], cycle", "Shape { field: \"data.shape\", error: TooLarge", 17, SECOND)]
#[case::overflowing_data("shape: [2], cycle", "shape: [18446744073709551615, 2], cycle", "Shape", 17, SECOND)]
#[case::dims_beside_a_zero("shape: [2], cycle", "shape: [0, 18446744073709551615, 2], cycle", "Shape", 17, SECOND)]
#[case::many_elements("shape: [2], cycle", "shape: [50000000], cycle", "TooManyElements", 17, SECOND)]
#[case::many_results_of_no_element("shape: [2], cycle", "shape: [0, 50000000], cycle", "TooManyElements", 17, SECOND)]
#[case::huge_result("{shape: [1], open: {duplicate-axes: {collapse: {roots: [4]}", "{open: {duplicate-axes: {collapse: {shape: [1000000, 1000000], repeat: 2}", "Shape { field: \"expect.open.duplicate-axes.collapse.shape\"", 19, SECOND)]
#[case::many_results("{shape: [1], open: {duplicate-axes: {collapse: {roots: [4]}", "{shape: [50000000], open: {duplicate-axes: {collapse: {repeat: 2}", "TooManyElements", 19, SECOND)]
#[case::huge_axes("[i64], shape: [1]", "[i64], shape: [1000000000]", "Shape { field: \"axes.shape\"", 25, THIRD)]
#[case::values_too_few("values: [1, -2, 3, 4, -5, 6]", "values: [1]", "Count { field: \"data.values\", needed: 6, given: 1 }", 8, FIRST)]
#[case::values_too_many("values: [6, 16]", "values: [6, 16, 1]", "Count { field: \"expect.values\", needed: 2, given: 3 }", 11, FIRST)]
#[case::roots_too_many("roots: [4]", "roots: [4, 4]", "Count { field: \"expect.open.duplicate-axes.collapse.roots\", needed: 1, given: 2 }", 19, SECOND)]
#[case::digits_too_few("values: [6, 16]", "values: [6, 16], printed: [6]", "Count { field: \"expect.printed\"", 11, FIRST)]
#[case::axes_too_few("[i64], shape: [1]", "[i64], shape: [2]", "Count { field: \"axes.values\", needed: 2, given: 1 }", 25, THIRD)]
#[case::values_for_a_scalar("{shape: [2], values: [6, 16]}", "{shape: [], values: []}", "Count { field: \"expect.values\", needed: 1, given: 0 }", 11, FIRST)]
#[case::exception_out_of_range("{5: 7}", "{6: 7}", "Index { field: \"data.except\", index: 6, count: 6 }", 8, FIRST)]
#[case::result_out_of_range("at: {0: 9}", "at: {1: 9}", "Index { field: \"expect.at\", index: 1, count: 1 }", 26, THIRD)]
#[case::range_upside_down("low: 0, high: 9", "low: 9, high: 0", "EmptyRange", 24, THIRD)]
#[case::bad_number("[1, -2, 3", "[1, two, 3", "Number { field: \"data.values[1]\", text: \"two\", error: Syntax }", 8, FIRST)]
#[case::octal_number("[1, -2, 3", "[1, 010, 3", "Number { field: \"data.values[1]\", text: \"010\", error: Syntax }", 8, FIRST)]
#[case::fraction_for_an_integer("[1, -2, 3", "[1, -2.5, 3", "Number { field: \"data.values[1]\", text: \"-2.5\", error: NotAnInteger(I32) }", 8, FIRST)]
#[case::integer_out_of_range("{5: 7}", "{5: 2147483648}", "Number { field: \"data.except[5]\", text: \"2147483648\", error: OutOfRange(I32) }", 8, FIRST)]
#[case::float_out_of_range("cycle: [1]", "cycle: [1e39]", "Number { field: \"data.cycle[0]\", text: \"1e39\", error: OutOfRange(F32) }", 17, SECOND)]
#[case::hostile_number("cycle: [1]", "cycle: [1e999999999]", "Number", 17, SECOND)]
#[case::drawn_number_inexact("high: 9", "high: 9, scale: -1080", "Number { field: \"data.random, element", 24, THIRD)]
#[case::negative_root("roots: [4]", "roots: [-4]", "Number { field: \"expect.open.duplicate-axes.collapse.roots[0]\", text: \"-4\", error: NegativeRadicand }", 19, SECOND)]
#[case::root_of_a_nonsquare("shape: [2], values: [6, 16]", "shape: [1], roots: [5]", "Number { field: \"expect.roots[0]\", text: \"5\", error: NotASquare(I32) }", 11, FIRST)]
#[case::fractional_axis("axes: [1]", "axes: [1.0]", "Number { field: \"axes[0]\"", 9, FIRST)]
#[case::axis_out_of_range("values: [0]", "values: [9223372036854775808]", "Number { field: \"axes.values[0]\"", 25, THIRD)]
#[case::digits_of_infinity("values: [6, 16]", "values: [6, 16], printed: [6, .inf]", "Number { field: \"expect.printed[1]\"", 11, FIRST)]
#[rustfmt::skip]
fn a_malformed_file_is_refused_where_it_is_malformed(
    #[case] from: &str,
    #[case] to: &str,
    #[case] kind: &str,
    #[case] line: usize,
    #[case] case: Option<&str>,
) {
    assert_error(&edited(ONNX, from, to), kind, line, case);
}

#[rstest]
#[case::capital("onnx-l1-First")]
#[case::underscore("onnx-l1-a_b")]
#[case::slash("onnx-l1-a/b")]
#[case::double_dash("onnx-l1--a")]
#[case::trailing_dash("onnx-l1-")]
#[case::letter_of_another_script("onnx-l1-ä")]
fn an_id_is_lower_case_words(#[case] id: &str) {
    assert_error(&edited(ONNX, "id: onnx-l1-first", &format!("id: {id}")), "BadName", 4, Some(id));
}

#[rstest]
#[case::an_integer_type("dtypes: [f32]", "dtypes: [f32, i32]", "NotRequired")]
#[case::a_16_bit_float("dtypes: [f32]", "dtypes: [f16]", "NotRequired")]
#[case::axes_of_another_type("axes: [0]", "axes: {dtypes: [i32], shape: [], values: [0]}", "NotRequired")]
#[case::axes_of_two_dims("axes: [0]", "axes: {dtypes: [i64], shape: [1, 1], values: [0]}", "NotRequired")]
#[case::keep_dims_of_2("axes: [0]", "axes: [0]\n    keep_dims: 2", "NoBoolean")]
#[case::another_order("axes: [0]", "axes: [0]\n    ord: 1", "OtherOrder")]
#[case::noop(
    "axes: [0]",
    "axes: [0]\n    noop_with_empty_axes: 1",
    "ForeignField { field: \"noop_with_empty_axes\""
)]
fn a_call_of_the_array_api_is_one_that_it_requires(#[case] from: &str, #[case] to: &str, #[case] kind: &str) {
    let text = "topic: Some\nspecs: [array-api/vector_norm-l2-2022.12]\ncases:\n  - id: array-api-l2-first\n    \
                clauses: [norm]\n    why: Some.\n    dtypes: [f32]\n    data: {shape: [2], values: [3, -4]}\n    \
                axes: [0]\n    expect: {shape: [], values: [5]}\n";
    assert_eq!(load_text(Path::new("x.yaml"), text).unwrap().len(), 1);
    let errors = load_text(Path::new("x.yaml"), &text.replace(from, to)).unwrap_err();
    assert!(errors.iter().all(|error| format!("{error:?}").contains(kind)), "{errors:?}");
}

#[rstest]
#[case::integer_on_openvino(OPENVINO, "keep_dims: true", "keep_dims: 2", "NoBoolean", 10)]
#[case::noop_on_openvino(OPENVINO, "keep_dims: true", "noop_with_empty_axes: 1", "ForeignField { field: \"noop_with_empty_axes\"", 10)]
#[case::keep_dims_on_bnns(BNNS, "    expect", "    keep_dims: true\n    expect", "ForeignField { field: \"keep_dims\"", 10)]
#[case::no_output_shape_on_bnns(BNNS, "    output_shape: [1]\n", "", "NoOutputShape", 4)]
#[case::another_form_on_openvino(OPENVINO, "axes: [0]", "axes: {dtypes: [i64], shape: [1], values: [0], other_form: true}", "NotRequired", 9)]
#[case::another_form_on_bnns(BNNS, "    output", "    axes: {dtypes: [i64], shape: [1], values: [0], other_form: true}\n    output", "NotRequired", 9)]
#[case::huge_output_shape(BNNS, "output_shape: [1]", "output_shape: [1000000000]", "Shape { field: \"output_shape\"", 9)]
#[rustfmt::skip]
fn an_operator_has_its_own_attributes_and_no_others(
    #[case] base: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] kind: &str,
    #[case] line: usize,
) {
    let id = if base == BNNS { "bnns-first" } else { "openvino-l1-first" };
    assert_error(&edited(base, from, to), kind, line, Some(id));
}

#[rstest]
#[case::nothing("")]
#[case::a_comment("# nothing\n")]
#[case::a_scalar("nothing")]
#[case::a_list("- nothing")]
#[case::null("~")]
fn a_file_without_fields_is_refused(#[case] text: &str) {
    assert_error(text, "Yaml", 1, None);
}

#[test]
fn a_file_without_cases_is_refused() {
    assert_error(
        "topic: a\nspecs: [bnns/computeNorm]\ncases: []\n",
        "EmptyList { field: \"cases\" }",
        3,
        None,
    );
}

#[test]
fn the_first_problem_of_every_case_is_reported() {
    let text = ONNX.replace("dtypes: [f", "dtypes: [g").replace("why: Nothing", "why: Something");
    let errors = load_text(Path::new("x.yaml"), &text).unwrap_err();
    let lines: Vec<_> = errors.iter().map(|error| error.line).collect();
    assert_eq!(lines, [7, 16, 23]);
}

#[test]
fn a_file_of_the_greatest_size_is_read_and_a_byte_more_is_not() {
    let padded = |length: usize| format!("{ONNX}#{}", "x".repeat(length - ONNX.len() - 1));
    assert!(load_text(Path::new("x.yaml"), &padded(guard::MAX_BYTES)).is_ok());
    assert_error(&padded(guard::MAX_BYTES + 1), "TooLong", 1, None);
}

#[test]
fn brackets_are_counted_before_anything_parses_them() {
    let text = edited(ONNX, "axes: [1]", &format!("axes: {}", "[".repeat(100_000)));
    assert_error(&text, "Refused(Nesting)", 9, FIRST);
}

#[test]
fn blocks_nested_without_end_are_refused() {
    let text = edited(ONNX, "axes: [1]", &format!("axes:\n      {}1", "- ".repeat(100_000)));
    assert_error(&text, "Yaml", 10, FIRST);
}

#[test]
fn a_file_pays_for_all_its_expansions_together() {
    let one = MAX_FILE_ELEMENTS / 10;
    let shape = format!("shape: [{one}], repeat: 1");
    let dtypes =
        |count| ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16"][..count].join(", ");
    let text = |count| {
        let text = edited(OPENVINO, "shape: [1], repeat: 1", &shape);
        edited(&text, "dtypes: [f32]", &format!("dtypes: [{}]", dtypes(count)))
    };
    assert_eq!(load_text(Path::new("x.yaml"), &text(9)).map(|cases| cases.len()), Ok(9));
    let errors = load_text(Path::new("x.yaml"), &text(10)).unwrap_err();
    assert_eq!(errors[0].problem, Problem::TooManyElements);
}

#[test]
fn a_file_pays_for_the_text_its_expansions_repeat() {
    let why = format!("why: {}", "x".repeat(guard::MAX_BYTES - 1000));
    let text = edited(
        &edited(OPENVINO, "why: Nothing.", &why),
        "[f32]",
        "[f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64]",
    );
    let errors = load_text(Path::new("x.yaml"), &text).unwrap_err();
    assert_eq!(errors[0].problem, Problem::TooManyElements);
}

#[test]
fn a_file_pays_for_the_axes_its_expansions_repeat() {
    let (count, dtypes) = (200_000, "[f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64]");
    let axes = format!("{{dtypes: {dtypes}, shape: [{count}], values: [{}]}}", "0, ".repeat(count));
    let text = edited(&edited(OPENVINO, "[0]", &axes), "[f32]", dtypes);
    let errors = load_text(Path::new("x.yaml"), &text).unwrap_err();
    assert_eq!(errors[0].problem, Problem::TooManyElements);
}

#[test]
fn a_file_pays_for_printed_digits() {
    let (count, dtypes) = (120_000, "[f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64]");
    let axes = "{dtypes: [i8, i16, i32, i64, u8, u16, u32, u64], shape: [1], values: [0]}";
    let result = format!("{{shape: [{count}], reference: true}}");
    let text = edited(&edited(OPENVINO, "[0]", axes), "[f32]", dtypes);
    let text = edited(&text, "expect: {shape: [1], repeat: 1}", &format!("expect: {result}"));
    assert_eq!(load_text(Path::new("x.yaml"), &text).map(|cases| cases.len()), Ok(96));
    let text = edited(&text, "true}", &format!("true, printed: [{}]}}", "1, ".repeat(count)));
    let errors = load_text(Path::new("x.yaml"), &text).unwrap_err();
    assert_eq!(errors[0].problem, Problem::TooManyElements);
}

#[test]
fn a_field_is_told_from_an_inner_one_of_its_name() {
    let inner = "    axes: {dtypes: [i64], shape: [1], values: [0]}\n";
    let text =
        edited(&edited(ONNX, inner, ""), "    dtypes: [f64]\n", &format!("{inner}    dtypes: [double]\n"));
    assert_error(&text, "UnknownDtype { field: \"dtypes\"", 24, THIRD);
    let specs = "specs: [onnx/ReduceL1-1, onnx/ReduceL1-11]\n";
    let text = format!("{}specs: [onnx-12]\n", edited(ONNX, specs, ""));
    assert_error(&text, "UnknownSpec", 26, None);
}

/// Draws one small edit: a place, the number of bytes to remove, and the text to insert.
fn edit() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
    let pieces = vec![
        "",
        " ",
        "\n",
        ":",
        ": ",
        "-",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "*a",
        "&a ",
        "!a ",
        "'",
        "\"",
        "#",
        "0",
        "-1",
        "9999999999",
        "1e999999999",
        ".nan",
        "null",
        "true",
        "\u{0}",
        "é",
        "f16",
        "random",
        "values",
        "x: {unchanged: true}",
    ];
    (any::<prop::sample::Index>(), 0..12_usize, prop::sample::select(pieces).prop_map(str::to_owned))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_mutated_file_is_read_or_refused_with_a_place(
        base in prop::sample::select(vec![ONNX, BNNS, OPENVINO]),
        edits in prop::collection::vec(edit(), 1..6),
    ) {
        let mut text = base.to_owned();
        for (at, length, piece) in edits {
            let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
            let start = if places.is_empty() { 0 } else { *at.get(&places) };
            let end = places.iter().copied().find(|&place| place >= start + length).unwrap_or(text.len());
            text.replace_range(start..end, &piece);
        }
        if let Err(errors) = load_text(Path::new("x.yaml"), &text) {
            let lines = text.split('\n').count();
            prop_assert!(!errors.is_empty());
            prop_assert!(errors.iter().all(|error| (1..=lines).contains(&error.line)), "{:?}", errors);
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,200}|[ \\na-z0-9:,{}\\[\\]#'\"&*!|>-]{0,200}") {
        let _ = load_text(Path::new("x.yaml"), &text);
    }
}
