//! `repro`: it makes no folder if an answer cannot be reproduced.

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
