//! `repro`: folders that reproduce an answer, of which there are none where there cannot be one, and tests that upstreams take.

use std::fs;

use rstest::rstest;

use crate::common::run;

#[rstest]
#[case::an_adapter_that_computes("ndarray", "there is no stand-alone reproduction for ndarray yet")]
#[case::a_command("cmd:python3 x.py", "there is no stand-alone reproduction for cmd:python3 x.py yet")]
#[case::a_path("./ndarray", "there is no stand-alone reproduction for ./ndarray yet")]
#[case::a_release_that_is_not_there("onnxruntime@0.0.0", "cargo xtask setup onnxruntime@0.0.0 installs")]
fn without_a_reproduction_no_folder_is_made(#[case] backend: &str, #[case] because: &str) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("repro");
    run(&["repro", "1:7", "--backend", backend, "--output", output.to_str().unwrap()]).refuses(&[because]);
    assert!(!output.exists());
}

/// A test for an upstream asks no backend, so it takes none.
#[rstest]
#[case::onnx(
    "onnx-node-test",
    "onnx-l1-negative-axis-of-the-zero-sized-dim/ReduceL1-13/f32",
    "node_test.py",
    "expect("
)]
#[case::onnx_runtime("op-tester", "1:292", "op_tester.cc", "OpTester test(\"Reduce")]
#[case::webnn(
    "wpt",
    "webnn-l1-size-one-axis-kept-still-loses-signs/reduceL1-20260122/f32",
    "test.js",
    "'expectedOutputs'"
)]
fn a_test_for_an_upstream_is_written(
    #[case] format: &str,
    #[case] name: &str,
    #[case] file: &str,
    #[case] holds: &str,
) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("test");
    run(&["repro", name, "--format", format, "--output", output.to_str().unwrap()])
        .exits_with(0)
        .prints("written to ")
        .prints(", for ");
    let text = fs::read_to_string(output.join(file)).unwrap();
    assert!(text.contains(holds), "{text}");
}

#[test]
fn a_test_for_an_upstream_needs_a_call_and_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("test");
    let test = |name: &str, more: &[&str]| {
        let plain = ["repro", name, "--format", "op-tester", "--output", output.to_str().unwrap()];
        run(&[&plain, more].concat())
    };
    test("2", &[]).refuses(&["expected --backend with a defect: \"2\" is one of its last full run"]);
    let open = "onnx-l1-axis-named-twice/ReduceL1-18/f32";
    test(open, &[])
        .refuses(&["answers are accepted, and a test states one: --reading leaves one of duplicate-axes="]);
    assert!(!output.exists());
    test(open, &["--reading", "duplicate-axes=reject"]).exits_with(0);
    assert!(fs::read_to_string(output.join("op_tester.cc")).unwrap().contains("kExpectFailure"));
}
