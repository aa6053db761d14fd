//! Folders that reproduce an answer: none where there cannot be one, and, where a runtime is set up, scripts that say
//! what the judge says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rstest::rstest;

use crate::common::{Run, run};

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

/// Scripts that are run of a backend.
const SCRIPTS: usize = 4;

/// The interpreter of a set, where it is set up.
fn interpreter(set: &str) -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_BIN_EXE_xtask")).ancestors().nth(2)?;
    let sets = fs::read_dir(target.join("normative-setups")).ok()?.flatten();
    let is_ours = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with(&format!("{set}@")))
    };
    sets.map(|entry| entry.path())
        .filter(is_ours)
        .map(|set| set.join("bin/python"))
        .find(|python| python.is_file())
}

#[rstest]
#[case::numpy("numpy", "numpy")]
#[case::onnxruntime("onnxruntime", "onnxruntime")]
#[case::onnxruntime_axes_input("onnxruntime-axes-input", "onnxruntime")]
#[case::openvino("openvino", "openvino")]
#[case::openvino_constant("openvino-constant", "openvino")]
#[case::openvino_onnx("openvino-onnx", "openvino")]
fn a_script_says_what_the_judge_says(#[case] backend: &str, #[case] set: &str) {
    let Some(python) = interpreter(set) else {
        println!("left out: {set} is not set up");
        return;
    };
    let mut written = 0;
    for index in (0..500).step_by(7) {
        if written == SCRIPTS {
            break;
        }
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("repro");
        let name = format!("1:{index}");
        let Run { code, out, err } =
            run(&["repro", &name, "--backend", backend, "--output", output.to_str().unwrap()]);
        if code == Some(2) && (err.contains("unsupported") || err.contains("is unavailable")) {
            assert!(!output.exists(), "{err}");
            continue;
        }
        assert_eq!(code, Some(0), "{name}: {err}");
        let fails = out.contains("FAIL:");
        let ran = Command::new(&python).arg("repro.py").current_dir(&output).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        assert_eq!(ran.status.code(), Some(i32::from(fails)), "{name}: {out}{said}");
        assert!(said.ends_with(if fails { "FAIL\n" } else { "PASS\n" }), "{name}: {out}{said}");
        written += 1;
    }
    assert_eq!(written, SCRIPTS, "{backend}");
}
