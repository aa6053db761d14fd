//! What `new-backend` and `new-case` make works before anybody has filled it in.

use std::fs;

use crate::common::{RIGHT, corpus, run};

#[test]
fn a_new_backend_compiles_and_passes_smoke_and_supports_nothing_until_it_is_filled_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deeper/another-runtime");
    let path = path.to_str().unwrap();
    run(&["new-backend", path]).exits_with(0).prints(&format!("cargo xtask smoke --backend {path}"));
    run(&["smoke", "--backend", path])
        .exits_with(0)
        .prints("openvino/ReduceL1-4")
        .prints("the operators of OpenVINO are not adapted yet")
        .prints("nothing could be checked");
    // A run that has shown nothing is no success.
    let judged = run(&["conformance", "--backend", path, "--spec", "bnns", "--property", "0"]).exits_with(2);
    assert!(judged.err.contains("no case was executed"), "{}", judged.err);
    // Filled in by the smallest edit, it is judged.
    let file = folder.path().join("deeper/another-runtime/src/lib.rs");
    let text = fs::read_to_string(&file).unwrap();
    let filled = text.replace(r#"not_yet("BNNS")"#, "Answer::Tensor(call.data.clone())");
    assert_ne!(filled, text);
    fs::write(&file, filled).unwrap();
    run(&["conformance", "--backend", path, "--spec", "bnns", "--property", "0"])
        .exits_with(1)
        .prints("another-runtime 0.0.0 does not conform");
    let again = run(&["new-backend", path]).exits_with(2);
    assert!(again.err.contains(path), "{}", again.err);
}

#[test]
fn a_new_backend_must_be_called_what_a_crate_can_be_called() {
    for name in ["1st", "a b", "a.b", "ü"] {
        let refused = run(&["new-backend", &format!("/tmp/nowhere-at-all/{name}")]).exits_with(2);
        assert!(refused.err.contains("a crate's name is"), "{}", refused.err);
    }
}

#[test]
fn a_new_case_loads_and_can_be_adopted_and_is_made_once() {
    let cases = corpus(RIGHT);
    let folder = cases.path().to_str().unwrap();
    let make = ["new-case", "a-rule", "--spec", "openvino/ReduceL1-4", "--cases", folder];
    run(&make).exits_with(0).prints("openvino-l1-a-rule.yaml");
    let file = cases.path().join("found/openvino-l1-a-rule.yaml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("values: [7, 17]"), "{text}");
    let refused = run(&make).exits_with(2);
    assert!(refused.err.contains("openvino-l1-a-rule.yaml"), "{}", refused.err);
    run(&["cases", "adopt", file.to_str().unwrap(), "--cases", folder, "--into", "rules"])
        .exits_with(0)
        .prints("adopted openvino-l1-a-rule/ReduceL1-4/f32");
    let refused = run(&make).exits_with(2);
    assert!(refused.err.contains("already has a case openvino-l1-a-rule"), "{}", refused.err);
}

#[test]
fn there_is_a_new_case_for_every_spec() {
    let ours = [
        "openvino/ReduceL2-4",
        "onnx/ReduceL1-1",
        "onnx/ReduceL2-11",
        "onnx/ReduceL1-13",
        "onnx/ReduceL2-18",
        "bnns/computeNorm",
    ];
    let folder = tempfile::tempdir().unwrap();
    // The ledger of the corpus, and none of its cases but one.
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("cases");
    for name in ["clauses", "bnns/computeNorm"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
        for file in fs::read_dir(root.join(name)).unwrap().flatten() {
            fs::copy(file.path(), folder.path().join(name).join(file.file_name())).unwrap();
        }
    }
    let path = folder.path().to_str().unwrap();
    for (at, spec) in ours.iter().enumerate() {
        let id = format!("number-{at}");
        run(&["new-case", &id, "--spec", spec, "--cases", path]).exits_with(0);
    }
    let found = folder.path().join("found");
    run(&["cases", "lint", "--cases", found.to_str().unwrap()])
        .exits_with(0)
        .prints("6 cases, 6 expanded: nothing to mend");
}
