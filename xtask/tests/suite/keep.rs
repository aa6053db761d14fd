//! A planted failure in a backend outside the workspace: hunted, shrunk, kept, adopted, and then a case of the corpus.
//! The test builds a runner, so the first run takes a while.

use std::fs;
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

    let found = folder.path().join("found");
    let asked = [
        "conformance",
        "--backend",
        planted,
        "--spec",
        "onnx/ReduceL1-13",
        "--cases",
        dir,
        "--property",
        "6000",
    ];
    let keeps = |record: &str| {
        let record = folder.path().join(record);
        let more = ["--record", record.to_str().unwrap(), "--keep", found.to_str().unwrap()];
        run(&[&asked[..], &more].concat())
    };
    let (code, _, err) = keeps("1.ndjson");
    assert_eq!(code, Some(1), "{err}");
    let kept: Vec<_> = fs::read_dir(&found).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [lying] = &kept[..] else { panic!("one defect makes one case, got {kept:?}\n{err}") };
    let id = &lying.file_stem().unwrap().display().to_string();
    assert!(
        id.starts_with("onnx-l1-found-") && err.contains(&format!("kept {}: ", lying.display())),
        "{err}"
    );
    let text = fs::read_to_string(lying).unwrap();
    assert!(text.contains("data: {shape: [1, 5], repeat: 0}\n    axes: [-2]\n"), "{text}");
    assert_eq!(keeps("2.ndjson").0, Some(1));
    assert_eq!(fs::read_to_string(lying).unwrap(), text, "the same again");
    let (lying, name) = (lying.clone(), format!("{id}/ReduceL1-18/f32"));
    let at = found.to_str().unwrap();

    // The kept file can be run in its folder, and is in order.
    expect(1, &["conformance", "--backend", planted, "--cases", at, "--case", &name]);
    expect(0, &["cases", "fmt", "--cases", at]);
    expect(0, &["cases", "lint", "--cases", at]);
    let text = fs::read_to_string(&lying).unwrap();

    let adopt = ["cases", "adopt", lying.to_str().unwrap(), "--into", "axes", "--cases", dir];
    let adopted = expect(0, &adopt);
    assert!(adopted.starts_with(&format!("adopted {name} into {dir}/onnx/axes.yaml\n")), "{adopted}");
    assert!(!lying.exists());
    let record = format!("{dir}/../record");
    let judged = |backend, code| {
        let of_it =
            ["conformance", "--backend", backend, "--cases", dir, "--case", &name, "--record", &record];
        expect(code, &of_it)
    };
    judged(planted, 1);
    judged("ndarray", 0);
    expect(0, &["cases", "lint", "--cases", dir]);
    assert_eq!(expect(0, &["cases", "fmt", "--check", "--cases", dir]), "0 files differ\n");

    // The corpus refuses a case that it has, under the same name or another.
    fs::write(&lying, &text).unwrap();
    let (code, _, err) = run(&adopt);
    assert!(code == Some(2) && err.contains(&format!("already has a case {id}")), "{err}");
    fs::write(&lying, text.replace(id, "onnx-l1-another-name")).unwrap();
    let (code, _, err) = run(&adopt);
    assert!(code == Some(2) && err.contains(&format!("makes this call already, as {name}")), "{err}");
    assert!(lying.exists());
}

#[test]
fn a_file_that_is_not_in_order_is_not_adopted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.yaml");
    let case = "topic: Wrong\nspecs: [onnx/ReduceL1-13]\ncases:\n  - id: onnx-l1-wrong\n    clauses: [CLAUSE]\n    why: None.\n    \
        dtypes: [f32]\n    data: {shape: [1], values: [77]}\n    expect: {shape: [1], values: [VALUE]}\n";
    for (clause, value, because) in [
        ("norm", "78", "expected the exact value 77"),
        ("no-such-clause", "77", "no clause onnx/ReduceL1-13#no-such-clause"),
    ] {
        fs::write(&file, case.replace("CLAUSE", clause).replace("VALUE", value)).unwrap();
        let (code, out, err) = run(&["cases", "adopt", file.to_str().unwrap()]);
        assert!(code == Some(2) && out.is_empty() && err.contains(because), "{err}");
        assert!(file.exists());
    }
}
