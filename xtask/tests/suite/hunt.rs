//! A planted failure in a backend outside the workspace: hunted, shrunk, kept, adopted, and then a case of the corpus.
//! The test builds a runner, so the first run takes a while.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::page::{copy, planted, root};

/// A finished command: exit code, standard output, standard error.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let Output { status, stdout, stderr } = command.args(arguments).stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[track_caller]
fn expect(code: i32, arguments: &[&str]) -> String {
    let (got, out, err) = run(arguments);
    assert_eq!(got, Some(code), "{arguments:?}\n{out}{err}");
    out
}

#[test]
fn a_planted_disagreement_becomes_a_case_with_two_commands() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases");
    copy(&root().join("cases"), &cases);
    let planted = planted(&folder.path().join("planted"), "outside-planted");
    let (planted, dir) = (planted.to_str().unwrap(), cases.to_str().unwrap());

    let spec = ["--spec", "onnx/ReduceL1-13", "--cases", dir];
    let hunted = |jobs| {
        expect(1, &[&["hunt", "--backend", planted, "--calls", "6000", "--jobs", jobs], &spec[..]].concat())
    };
    let report = hunted("1");
    let id = "onnx-l1-13-refusal-of-2d-data-axis-minus-2";
    let found = cases.join(format!("found/{id}.yaml"));
    assert!(report.starts_with(&format!("FIND {id}\n  file      {}\n", found.display())), "{report}");
    assert!(report.contains("  call      onnx/ReduceL1-13 data f32[1, 5], axes i64 [-2]\n"), "{report}");
    assert!(report.contains("expected a tensor, got a refusal: no such axis"), "{report}");
    assert!(report.contains("\n1 find; "), "{report}");
    let text = fs::read_to_string(&found).unwrap();
    assert_eq!(hunted("2"), report, "the same again, and with another number of jobs");
    assert_eq!(fs::read_to_string(&found).unwrap(), text);

    let named = ["hunt", "--backend", planted, "--name", "mine", "--calls", "6000"];
    let named = expect(1, &[&named, &spec[..]].concat());
    assert!(named.contains(&format!("conformance --backend {planted} --name mine --cases ")), "{named}");
    assert!(named.contains("\nmine: ") && !named.contains(&format!("\n{planted}: ")), "{named}");

    // The kept case runs from its folder, and does not change other runs.
    let again = report.lines().find_map(|line| line.strip_prefix("  again     cargo xtask ")).unwrap();
    expect(1, &again.split(' ').collect::<Vec<_>>());
    let lying = cases.join("found");
    expect(0, &["cases", "lint", "--cases", lying.to_str().unwrap()]);
    assert_eq!(
        expect(0, &["cases", "fmt", "--check", "--cases", lying.to_str().unwrap()]),
        "0 files differ\n"
    );
    assert!(!expect(0, &["cases", "list", "--cases", dir]).contains(id));

    let adopt = ["cases", "adopt", found.to_str().unwrap(), "--into", "axes", "--cases", dir];
    let adopted = expect(0, &adopt);
    let name = format!("{id}/ReduceL1-13/f32");
    assert!(
        adopted.starts_with(&format!("adopted {name} into {dir}/onnx/ReduceL1/axes.yaml\n")),
        "{adopted}"
    );
    assert!(adopted.contains(&format!("--case {name}\n")), "{adopted}");
    assert!(!found.exists());
    let judged =
        |backend, code| expect(code, &["conformance", "--backend", backend, "--cases", dir, "--case", &name]);
    judged(planted, 1);
    judged("ndarray", 0);
    expect(0, &["cases", "lint", "--cases", dir]);
    assert_eq!(expect(0, &["cases", "fmt", "--check", "--cases", dir]), "0 files differ\n");

    // The corpus refuses a case that it has, under the same name or another.
    fs::write(&found, &text).unwrap();
    let (code, _, err) = run(&adopt);
    assert!(code == Some(2) && err.contains(&format!("already has a case {id}")), "{err}");
    fs::write(&found, text.replace(id, "onnx-l1-13-another-name")).unwrap();
    let (code, _, err) = run(&adopt);
    assert!(code == Some(2) && err.contains(&format!("makes this call already, as {name}")), "{err}");
    assert!(found.exists());
}

#[test]
fn nothing_is_found_wrong_with_ndarray_and_two_of_it_do_not_differ() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases");
    copy(&root().join("cases/clauses"), &cases.join("clauses"));
    let cases = cases.to_str().unwrap();
    let arguments = ["--against", "ndarray", "--calls", "500", "--seed", "5", "--cases", cases];
    let report = expect(0, &[&["hunt", "--backend", "ndarray"], &arguments[..]].concat());
    assert!(report.starts_with("ndarray: 500 calls, 500 conform, 0 fail, 0 unsupported\n"), "{report}");
    assert!(report.contains("\n0 finds; "), "{report}");
    assert!(!Path::new(cases).join("found").exists());
}

#[test]
fn a_file_that_is_not_in_order_is_not_adopted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.yaml");
    let case = "topic: Wrong\nspecs: [onnx/ReduceL1-13]\ncases:\n  - id: onnx-l1-wrong\n    clauses: [CLAUSE]\n    why: None.\n    \
        dtypes: [f32]\n    data: {shape: [1], values: [77]}\n    expect: {shape: [1], values: [VALUE]}\n";
    for (clause, value, because) in [
        ("norm", "78", "the exact value is 77"),
        ("no-such-clause", "77", "no clause onnx/ReduceL1-13#no-such-clause"),
    ] {
        fs::write(&file, case.replace("CLAUSE", clause).replace("VALUE", value)).unwrap();
        let (code, out, err) = run(&["cases", "adopt", file.to_str().unwrap()]);
        assert!(code == Some(2) && out.is_empty() && err.contains(because), "{err}");
        assert!(file.exists());
    }
}
