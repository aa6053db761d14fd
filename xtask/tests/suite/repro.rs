//! `repro`: it makes no folder if an answer cannot be reproduced, and one with a place to fill in for a command.

use rstest::rstest;

use crate::common::{python_worker, run};

#[rstest]
#[case::an_adapter_that_computes("ndarray", "there is no stand-alone reproduction for ndarray yet")]
#[case::a_command_that_does_not_start("cmd:sh -c 'exit 3'", "the worker did not start")]
#[case::a_path("./ndarray", "there is no stand-alone reproduction for ./ndarray yet")]
#[case::a_release_that_is_not_there("onnxruntime@0.0.0", "cargo xtask setup onnxruntime@0.0.0 installs")]
fn without_a_reproduction_no_folder_is_made(#[case] backend: &str, #[case] because: &str) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("repro");
    run(&["repro", "1:7", "--backend", backend, "--output", output.to_str().unwrap()]).refuses(&[because]);
    assert!(!output.exists());
}

#[test]
fn the_script_of_a_command_has_a_place_for_the_function() {
    let backend = python_worker("planted.py", "data-through-f32");
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("repro");
    let call = "{specs: [onnx/ReduceL1-18], dtypes: [i32], data: {shape: [1], values: [16777217]}, keep_dims: false}";
    run(&["repro", call, "--backend", &backend, "--output", output.to_str().unwrap()])
        .exits_with(0)
        .prints("FAIL: ")
        .prints("; there, fill in the call of your function, and run python repro.py");
    let script = std::fs::read_to_string(output.join("repro.py")).unwrap();
    assert!(script.contains("\nARGUMENTS = {\"keepdims\": 0}\n"), "{script}");
}
