use rstest::rstest;

use super::*;

/// Questions with parts of the answer, and parts that must not occur. Most were held against
/// runs of their smallest calls in that release, by hand, after `ask` was written.
#[rstest]
#[case::another_norm_has_its_own_hazards("openvino ReduceL2 f64", &["L2 norms may be 0"], &["L1 norms"])]
#[case::each_opset_has_its_hazards("onnxruntime@1.22 ReduceL2-18 i64", &["L2 norms may be negative"], &[])]
#[case::squares_that_wrap("onnxruntime@1.22 ReduceL2 int64", &["NOT SAFE", "L2 norms may be negative", "mended in 1.27.0"], &[])]
#[case::until_the_release_before("onnxruntime@1.26 ReduceL2 i64", &["L2 norms may be negative"], &[])]
#[case::not_since_then("onnxruntime@1.27 ReduceL2 i64", &["L2 norms may be another number"], &["negative"])]
#[case::before_sums_in_f64("onnxruntime@1.26 ReduceL1 long", &[], &["defect  wrong values"])]
#[case::sums_in_f64("onnxruntime@1.27 ReduceL1 long", &["computed in f64", "since 1.27.0, not mended"], &[])]
#[case::a_crash_of_f16("onnxruntime@1.22.0 ReduceL2-18 half", &["crashed (SIGSEGV): 16-bit data, a dim of 0, axes absent", "mended in 1.30.0"], &["opset = 1\n", "no answer"])]
#[case::a_crash_by_its_clause("onnxruntime@1.22 empty-set", &["crashed (SIGSEGV): a dim of 0, axes null", "empty-set, norm"], &["wrong dims"])]
#[case::the_crash_is_gone("onnxruntime@1.30 ReduceL2-18 f16", &["wrong dims of the output"], &["crashed"])]
#[case::a_crash_of_i64("onnxruntime@1.22 ReduceL2 int64", &["crashed (SIGSEGV): a dim of 0, axes null"], &["no answer"])]
#[case::a_crash_of_f64("onnxruntime@1.19.0 ReduceL2-18 double", &["crashed (SIGSEGV)", "mended in 1.20.0"], &[])]
#[case::a_crash_that_only_followed_calls_show("onnxruntime@1.22 ReduceL1-18 f32", &["crashed (SIGSEGV): a dim of 0, axes null", "mended in 1.30.0"], &[])]
#[case::the_newest_is_safe("onnxruntime@1.32 ReduceL2-18 f32", &["no defect known, 2 hazards", "take    this one"], &["defect  "])]
#[case::wrong_dims("onnxruntime@1.31 ReduceL2-18 f32", &["wrong dims of the output", "mended in 1.32.0", "take    1.32.0"], &[])]
#[case::f16_of_opset_1("onnxruntime@1.22 ReduceL2-1 fp16", &["defect  valid calls refused: 16-bit data, opset = 1\n", "not mended"], &[])]
#[case::a_release_to_take_that_has_another_defect("onnxruntime@1.26 i64 ReduceSum", &["take    1.32.0: 1 defect", "it adds: wrong values for i64, as if: The result is computed in f64"], &[])]
#[case::a_type_that_older_releases_refuse("onnxruntime@1.22 ReduceL2-18 f64", &["since 1.20.0, mended in 1.24.1"], &["1.20.0 or before"])]
#[case::a_type_that_is_not_there("onnxruntime ReduceL1 bfloat16", &["not supported", "none is refused", "why     cargo xtask conformance --backend onnxruntime@1.32.0 --case '{specs: [onnx/ReduceL1-13], dtypes: [bf16], data: ", "never   answered in any judged release"], &["defect  "])]
#[case::not_supported_without_a_followed_call("candle ReduceL2-4 i64", &["not supported", "why     cargo xtask conformance --backend candle --spec openvino/ReduceL2-4\n"], &["defect  "])]
#[case::refused_or_not_supported("onnxruntime@1.22 ReduceL2-1", &["never   answered in any judged release: onnx/ReduceL2-1 u32 u64", "never   answered, but refused, in any judged release: onnx/ReduceL2-1 f16"], &["why     "])]
#[case::a_reason_until_another("onnxruntime@1.26 ReduceL2 i64", &["since 1.19.0 or before, for another reason since 1.27.0; "], &[])]
#[case::another_reason_since("onnxruntime@1.32 ReduceL2 i64", &["since 1.27.0, not mended; ", "integer-l2-precision"], &["1.19.0"])]
#[case::a_way_to_fail("onnxruntime@1.22 crashed", &["NOT SAFE: 2 defects", "a dim of 0, axes null"], &["wrong dims", "refused"])]
#[case::another_word_for_a_way("onnxruntime@1.22 crashes", &["NOT SAFE: 2 defects", "a dim of 0, axes null"], &["wrong dims", "refused"])]
#[case::a_way_to_fail_beside_hazards("onnxruntime@1.22 ReduceL2 int64 wrong-value", &["no hazard known; without the word wrong-value: 5 defects, 3 hazards"], &[])]
#[case::a_release_without_that_failure("onnxruntime@1.32 int64 wrong-value", &["take    no other: no judged release is better (without the word wrong-value)"], &[])]
#[case::a_way_to_fail_of_a_type("onnxruntime@1.32 i64 wrong-value", &["1 defect, 0 hazards", "computed in f64"], &["hazard  "])]
#[case::topics_each_of_which_is_found("onnxruntime@1.22 crash refused", &["crashed (SIGSEGV)", "valid calls refused"], &["no defect"])]
#[case::an_overflow_of_floats("onnxruntime@1.22 ReduceL2 f32 overflow", &["L2 norms may be infinite"], &["take    this one"])]
#[case::words_between_others("candle norm and f16", &["L2 norms may be infinite"], &["without the word"])]
#[case::a_version_with_its_letter("onnxruntime@v1.22 ReduceL2 i64", &["ONNX Runtime 1.22.1"], &[])]
#[case::the_norm_of_the_library("numpy vector_norm", &["own norm: cargo xtask ask numpy-norm"], &[])]
#[case::axes_of_a_type("onnx-reference ReduceL2 f16", &["The type of axes is not checked, and only a float is no index"], &[])]
#[case::the_answers_to_another_call("onnxruntime@1.26 ReduceL2 i64", &["in onnx/ReduceL1-18 f32: due shape [1], came shape [0]"], &["for 5 types"])]
#[case::a_version_beside_the_one_that_the_run_met("onnxruntime@1.32 ReduceL2-18 i32", &["L2 norms may be another number"], &["defect  "])]
#[case::a_question("onnxruntime@1.22 noop-empty-axes", &["read in several ways", "mended in 1.24.1"], &["hazard  "])]
#[case::the_question_since_then("onnxruntime@1.24.1 noop-empty-axes", &["no defect", "reads   noop-empty-axes: norm-of-each-element"], &[])]
#[case::a_clause("onnxruntime@1.22 axes-range", &["Negative axes are not counted from the end"], &["crashed"])]
#[case::of_everything("onnxruntime", &["valid calls refused: 16-bit data, opset = 1 (f16)", "computed in f64", "take    no other: no judged release is better"], &["crashed"])]
#[case::another_runtime("openvino empty-axes", &["An empty list of axes is refused", "since 2025.1.0 or before, not mended"], &[])]
#[case::a_sum_by_its_own_call("onnxruntime@1.22 ReduceSum int64", &["wrong dims of the output", "[onnx/ReduceSum-13], dtypes: [i64], data: {shape: [0]", "crashed (SIGSEGV): ", "noop_with_empty_axes is not read where a dim is 0"], &["[onnx/ReduceL1"])]
#[case::a_blas_of_a_wheel("scipy-blas@1.12 nrm2 f64", &["NOT SAFE", "1.10.1 or before, not answered since 1.13.1", "incx: -1"], &["asum"])]
#[case::not_since_its_wrapper_refuses("scipy-blas nrm2", &["no defect"], &["defect  "])]
#[case::an_older_release_of_the_reference("onnx-reference@1.21 ReduceSumSquare-18 i32", &["wrong type of the output", "since 1.20.1 or before, not mended"], &[])]
#[case::subnormals_flushed("jax vector_norm f32", &["no defect known", "L1 norms may be 0", "L2 norms may be infinite"], &["NOT SAFE"])]
#[case::between_the_ends_of_a_history("openvino@2026.2 ReduceL1 i32", &["2026.2.1", "NOT SAFE", "An empty list of axes is refused", "since 2025.1.0 or before, not mended"], &[])]
#[case::a_report_of_a_runtime_in_python("torch@2.9 vector_norm f32", &["PyTorch sum 2.9.1", "wrong dims of the output", "since 2.6.0 or before, not mended", "upstream: https://github.com/pytorch/pytorch/issues/29137"], &[])]
#[case::a_function_without_its_version("numpy vector_norm", &["no defect known"], &[])]
#[case::a_type_that_the_text_excludes("onnx-reference ReduceL2 i8", &["NOT SAFE", "due a refusal", "take    no other"], &[])]
#[case::one_version_alone("onnxruntime@1.32 ReduceL2 f16", &["NOT SAFE in onnx/ReduceL2-1 alone: 1 defect"], &[])]
#[case::every_version("onnxruntime@1.22 ReduceL2 f16", &["NOT SAFE: "], &[" alone"])]
#[case::a_run_shows_what_is_read_in_several_ways("onnxruntime@1.22 noop-empty-axes", &["conformance --backend onnxruntime@1.22.1 --spec onnx/ReduceL1-18"], &["--case"])]
#[case::a_name_in_capitals("ONNXRuntime@1.32 ReduceL1 f32", &["ONNX Runtime 1.32.0"], &[])]
#[case::a_report_upstream("onnxruntime@1.22 ReduceL1-1 f16", &["upstream: https://github.com/microsoft/onnxruntime/issues/"], &[])]
#[case::the_smallest_call_is_of_another_type("openvino@2026.4 ReduceL2 u8", &["in openvino/ReduceL1-4 f64: due inf"], &["in openvino/ReduceL2-4 u8: due"])]
#[case::each_family_by_its_name("burn@0.22 ReduceL2 f16", &["ReduceL2-18 f16; openvino/ReduceL2-4 f16"], &["ReduceL2-18 ReduceL2-4"])]
#[case::a_defect_that_stands_at_another_clause("scipy-blas@1.11 nrm2 f32 incx-negative", &["no hazard known; without the word incx-negative: 1 defect"], &[])]
#[case::a_release_to_take_that_answers_less("scipy-blas@1.11 nrm2 f32", &["take    1.17.1: 0 defects, 0 hazards; it answers 479 of 608 calls, this one 573"], &[])]
#[case::a_word_of_the_call_is_no_topic("onnxruntime axes", &["no defect"], &["defect  "])]
#[case::texts_that_a_library_does_not_claim("torch f32", &["1 defect, "], &["openvino"])]
#[case::a_wrong_answer_is_an_answer("rten ReduceL2 i32", &["NOT SAFE"], &["never   answered in any judged release: onnx/ReduceL2-1 "])]
#[case::a_suite_with_changes("tract ReduceL2-18 f32", &["+changes\n"], &[])]
#[case::a_suite_of_a_commit("onnxruntime@1.22 ReduceL2-18 f16", &["suite 0.1.0 f0727211\n"], &[])]
fn an_answer_is_that_of_a_run(#[case] question: &str, #[case] due: &[&str], #[case] not: &[&str]) {
    let mut words = question.split(' ').map(str::to_owned);
    let runtime = words.next().unwrap();
    let (text, is_unsafe) = answer(&runtime, &words.collect::<Vec<_>>()).unwrap();
    assert!(due.iter().all(|part| text.contains(part)), "{text}");
    assert!(!not.iter().any(|part| text.contains(part)), "{text}");
    assert_eq!(is_unsafe, text.contains("NOT SAFE") || text.contains("not supported"), "{text}");
}

#[rstest]
#[case::never_asked(
    "onnxruntime@1.22.7",
    "1.22.7 was never asked; judged before it: 1.22.1; after it: 1.23.0"
)]
#[case::does_not_start(
    "onnxruntime@1.15",
    "1.15.1 could not be asked by the adapter of this suite: adapter does not start"
)]
#[case::no_history("onnxruntimes", "did you mean `onnxruntime`?")]
#[case::no_such_word("onnxruntime ReduceL3", "did you mean `ReduceL1-")]
#[case::part_of_an_operator(
    "onnxruntime@1.22 Reduce",
    "expected an operator (ReduceL1, ReduceL2, ReduceSum, ReduceSumSquare), a type, or a clause"
)]
#[case::part_of_a_type(
    "onnxruntime@1.22 f1",
    "expected an operator (ReduceL1, ReduceL2, ReduceSum, ReduceSumSquare), a type, or a clause"
)]
#[case::part_of_a_clause(
    "onnxruntime@1.22 ReduceL2 red",
    "expected an operator (ReduceL1, ReduceL2, ReduceSum, ReduceSumSquare), a type, or a clause"
)]
#[case::no_topic(
    "onnxruntime@1.22 a",
    "expected an operator (ReduceL1, ReduceL2, ReduceSum, ReduceSumSquare), a type, or a clause"
)]
#[case::no_version("onnxruntime@latest", "expected a version such as 1.22, got \"latest\"")]
#[case::another_runtime("onnxruntime numpy ReduceL2", "expected one runtime, got onnxruntime and numpy")]
#[case::an_empty_version("numpy@", "expected a version such as 1.22, got \"\"")]
#[case::a_version_without_its_mark("onnxruntime 1.22", "expected a version behind @, as in onnxruntime@1.22")]
#[case::an_operator_of_another_text(
    "numpy ReduceL2",
    "got \"ReduceL2\", an operator of other texts; the same norm: vector_norm-l2"
)]
#[case::a_runtime_without_a_history("mlx", "docs/findings.md has what is known of others")]
#[case::two_versions("onnxruntime@1.22@2", "expected a version such as 1.22, got \"1.22@2\"")]
#[case::one_type_of_two("jax f64 f16", "expected a type that was asked (f32, f64), got f16")]
#[case::a_question_of_other_texts("openvino ReduceL2 noop-absent-axes", "did you mean `noop-null-axes` or")]
#[case::an_empty_word("onnxruntime ", "or a kind of failure such as crashed, got \"\"")]
#[case::an_operator_of_no_such_norm("numpy ReduceSum", "got \"ReduceSum\", an operator of other texts")]
#[case::part_of_a_failure("jax output-shap", "did you mean `output-shape`")]
#[case::an_empty_runtime("", "torch-norm, tract), got \"\"")]
#[case::no_such_type("onnxruntime flot32", "did you mean")]
fn what_was_not_asked_is_said(#[case] question: &str, #[case] because: &str) {
    let mut words = question.split(' ').map(str::to_owned);
    let runtime = words.next().unwrap();
    let error = answer(&runtime, &words.collect::<Vec<_>>()).unwrap_err().to_string();
    assert!(error.contains(because), "{error}");
}
