//! `model`: the table of a model's reductions, and the verdict of a backend on them.

use std::fs;

use normative_conformance::corpus::line;
use normative_onnx::{AxesAs, model};
use normative_openvino_ir::{InputAs, Ir, ir};
use tempfile::TempDir;

use crate::common::page::root;
use crate::common::{has_python, run};

/// A model of one node, which the line of a call says; the path of the file.
fn file(call: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let call = line::cases(call).unwrap().remove(0).call;
    let path = folder.path().join("my model.onnx");
    fs::write(&path, model(&call, AxesAs::Initializer).unwrap().bytes).unwrap();
    let path = path.display().to_string();
    (folder, path)
}

const HALVES: &str =
    "{specs: [onnx/ReduceL2-18], dtypes: [f16], data: {shape: [2, 2048], repeat: 1}, axes: [-1]}";

#[test]
fn a_table_names_each_reduction_and_its_risks_without_a_backend() {
    let (_folder, path) = file(HALVES);
    run(&["model", &path])
        .exits_with(0)
        .prints("1 reduction in ")
        .prints("\n  1  ReduceL2-18  18     f16   [2, 2048]  constant [-1]  1 (default)  ReduceL2 0\n")
        .prints(
            "\n  node 1: a sum of the squares of 2,048 elements in f16 is infinite for magnitudes of about 5.656 and 0 below 0.000173,",
        );
}

#[test]
fn what_is_on_file_is_told_of_nodes_that_have_the_form_alone() {
    const WHOLE: &str =
        "{specs: [onnx/ReduceL2-18], dtypes: [i64], data: {shape: [2, 3], repeat: 1}, axes: [1]}";
    let (_folder, path) = file(WHOLE);
    let told = run(&["model", &path]).exits_with(0);
    let told = told.prints(
        "node 1: ONNX Runtime, since 1.19.0 or before, mended in 1.27.0: hazard: L2 norms may be negative",
    );
    for other in ["Negative axes", "noop", "no answer", "refused", "NumPy", "OpenVINO"] {
        assert!(!told.out.contains(other), "{other}: {}", told.out);
    }
    for (of_form, due) in [
        (
            "data: {shape: [2, 0], values: []}, axes: [-1]",
            "Negative axes are not counted from the end where a dim is 0",
        ),
        (
            "data: {shape: [2, 3], repeat: 1}, axes: [], noop_with_empty_axes: 1",
            "mended in 1.24.1: defect: noop-empty-axes is read in several ways",
        ),
        (
            "data: {shape: [2, 3], repeat: 1}, noop_with_empty_axes: 1",
            "mended in 1.24.1: defect: valid calls refused for 5 types: axes absent, output elements ≥ 2",
        ),
    ] {
        let (_folder, path) = file(&format!("{{specs: [onnx/ReduceL1-18], dtypes: [f32], {of_form}}}"));
        run(&["model", &path]).exits_with(0).prints(due);
    }
    let (_folder, path) = file(&WHOLE.replace("i64", "u64"));
    run(&["model", &path]).exits_with(0).prints("no call of ReduceL2-18 in u64 is answered");
}

#[test]
fn a_model_of_openvino_is_read_with_the_constants_beside_it() {
    const CALL: &str =
        "{specs: [openvino/ReduceL2-4], dtypes: [f32], data: {shape: [3, 5], repeat: 1}, axes: [1]}";
    let folder = tempfile::tempdir().unwrap();
    let Ir { xml, weights, .. } =
        ir(&line::cases(CALL).unwrap().remove(0).call, InputAs::Parameter, InputAs::Constant).unwrap();
    let path = folder.path().join("my.xml").display().to_string();
    fs::write(&path, xml).unwrap();
    run(&["model", &path])
        .exits_with(0)
        .prints("not asked\n  node 1: its axes are a constant of integers, which cannot be read from");
    fs::write(folder.path().join("my.bin"), weights).unwrap();
    let told = run(&["model", &path, "--backend", "ndarray"]).exits_with(0);
    told.prints("\n  1  ReduceL2-4  4      f32   [3, 5]  constant [1]  0 (default)  norm\n")
        .prints("OpenVINO, since 2025.1.0 or before, not mended: hazard: L2 norms may be infinite")
        .prints("conform of 4 cases");
    fs::write(&path, "<net>").unwrap();
    run(&["model", &path]).refuses(&["my.xml: "]);
}

#[test]
fn a_model_without_a_reduction_has_an_empty_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.onnx");
    fs::write(&path, [0x3a, 0]).unwrap();
    let path = path.to_str().unwrap();
    run(&["model", path]).exits_with(0).prints("0 reductions in ").prints("are not looked for");
    let none = run(&["model", path, "--backend", "ndarray"]).exits_with(2);
    assert!(none.err.contains("empty.onnx can be asked"), "{}", none.err);
}

#[test]
fn what_is_no_model_is_refused() {
    run(&["model", "no-such.onnx"]).refuses(&["no-such.onnx"]);
    run(&["model", root().join("Cargo.toml").to_str().unwrap()]).refuses(&["Cargo.toml: "]);
}

#[test]
fn a_right_backend_conforms_by_every_call_of_a_node() {
    let (_folder, path) =
        file("{specs: [onnx/ReduceL1-13], dtypes: [i32], data: {shape: [3, 5], repeat: 1}, axes: [0]}");
    run(&["model", &path, "--backend", "ndarray"]).exits_with(0).prints("3 conform of 3 cases");
}

#[test]
fn a_wrong_backend_fails_by_calls_that_name_the_node_and_run_again() {
    if !has_python() {
        return;
    }
    let (folder, path) = file(HALVES);
    let script = folder.path().join("wrong.py");
    let workers = root().join("backends/python").display().to_string();
    let text = format!(
        "import sys\nsys.path.insert(0, {workers:?})\nfrom normative.worker import Identity, run\n\
         run(Identity('wrong', '1', 'me'), lambda call: call.data)\n"
    );
    fs::write(&script, text).unwrap();
    let backend = format!("cmd:python3 '{}'", script.display());
    let failed = run(&["model", &path, "--backend", &backend]).exits_with(1);
    let name = "node-1-ReduceL2-0-2x2048-usual/ReduceL2-18/f16";
    failed.prints(name).prints(" model '").prints("of 4 cases").prints("\nall:  cargo xtask model ");
    let again = run(&["model", &path, "--backend", &backend, "--case", name]);
    again.exits_with(1).prints("1 fail, 3 filtered out of 4 cases");
}
