//! Typical mistakes at the command line. The answer must be one error of at most five lines, without repetition and
//! with a remedy.

use std::fs;
use std::path::Path;

use normative_conformance::parallel::each;

use crate::common::run_in;

/// The typed words, and a part of the answer.
const MISTAKES: [(&[&str], &str); 52] = [
    (&["conformence", "--backend", "ndarray"], "'conformance'"),
    (&["conformance"], "--backend <NAME[@VERSION]|PATH|cmd:PROGRAM ARGS>"),
    (&["conformance", "ndarray"], "tip: a backend is given by an option: --backend ndarray"),
    (&["conformance", "--bakend", "ndarray"], "'--backend'"),
    (&["conformance", "--backend", "ndaray"], "did you mean `ndarray`?"),
    (&["conformance", "--backend", "numppy"], "did you mean `numpy`?"),
    (&["conformance", "--backend", "pytorch"], "did you mean `torch`?"),
    (&["conformance", "--backend", "nobody"], "`cargo xtask backends` lists them"),
    (&["conformance", "--backend", ""], "expected a name, the path of a crate, or cmd:PROGRAM"),
    (&["conformance", "--backend", "numpy@"], "expected a version behind the @"),
    (&["conformance", "--backend", "ndarray@0.17"], "leave out the @"),
    (&["conformance", "--backend", "my_backend.py"], "--backend \"cmd:python3 my_backend.py\""),
    (&["conformance", "--backend", "./worker.js"], "--backend \"cmd:node ./worker.js\""),
    (&["conformance", "--backend", "./worker"], "--backend \"cmd:./worker\""),
    (&["conformance", "--backend", "a-crate/Cargo.toml"], "--backend ./a-crate"),
    (&["conformance", "--backend", "a-crate"], "give --backend ./a-crate"),
    (
        &["conformance", "--backend", "./a-crate"],
        "expected a library crate, which exports `backend()`, got none",
    ),
    (&["conformance", "--backend", "./empty"], "./empty has no Cargo.toml"),
    (&["conformance", "--backend", "./nowhere"], "./nowhere does not exist"),
    (&["conformance", "--backend", "cmd:"], "expected a program, got `cmd:`"),
    (&["conformance", "--backend", "cmd:nowhere-at-all"], "cannot run nowhere-at-all: No such file"),
    (&["conformance", "--backend", "cmd:true"], "expected a hello of true, as PROTOCOL.md has it"),
    (&["conformance", "--backend", "cmd:true", "--name", "ndarray"], "expected another name"),
    (&["conformance", "--backend", "cmd:true", "--name", "a b"], "expected letters, digits"),
    (&["conformance", "--backend", "ndarray", "--spec", "onnx/ReduceL1-17"], "did you mean `onnx/ReduceL1-1"),
    (&["conformance", "--backend", "ndarray", "--spec", "openvino/Reduce"], "openvino/Reduce"),
    (&["conformance", "--backend", "ndarray", "--seed", "one"], "--seed"),
    (&["conformance", "--backend", "ndarray", "--case", "3:1", "--property", "2"], "no --property"),
    (&["conformance", "--backend", "ndarray", "--spec", "ReduceL2-18"], "did you mean `onnx/ReduceL2-18`"),
    (&["conformance", "--backend", "ndarray", "--spec", "onxx"], "did you mean `onnx`?"),
    (
        &["conformance", "--backend", "ndarray", "--case", "bnns-page-axis-3"],
        "did you mean `bnns-page-axis-2`",
    ),
    (
        &["conformance", "--backend", "ndarray", "--case", "bnns-page-axis-2/computeNorm/f16"],
        "did you mean `bnns-page-axis-2/computeNorm/f32`",
    ),
    (
        &["conformance", "--backend", "ndarray", "--reading", "float-rnage=naive"],
        "did you mean `float-range`?",
    ),
    (&["conformance", "--backend", "ndarray", "--reading", "float-range=rescue"], "scaled, rescued, naive"),
    (&["conformance", "--backend", "ndarray", "--reading", "float-range"], "expected QUESTION=READING"),
    (
        &["conformance", "--backend", "ndarray", "--accuracy", "good"],
        "correctly-rounded, faithful, any-order",
    ),
    (&["conformance", "--backend", "ndarray", "--format", "htlm"], "a similar value exists: 'html'"),
    (&["conformance", "--backend", "ndarray", "--case", "1:"], "expected SEED:INDEX"),
    (&["conformance", "--backend", "ndarray", "--case", "1:2", "--case", "xyz"], "no case is named xyz"),
    (
        &["conformance", "--backend", "ndarray", "--case", "{specs: [onnx/ReduceL1-18], dtypes: [f32]}"],
        "expected data for onnx/ReduceL1-18",
    ),
    (
        &["conformance", "--backend", "ndarray", "--fail-on", "wrng"],
        "expected one of died, changed, wrong, form",
    ),
    (&["conformance", "--backend", "ndarray", "--cases", "nowhere"], "nowhere:1: cannot be read"),
    (&["conformance", "--backend", "ndarray", "--baseline", "no.yaml"], "no.yaml:1: cannot be read"),
    (&["report", "show", "nowhere.ndjson"], "expected the record of a run, got no file"),
    (&["report", "show", "notes.txt"], "line 1: expected"),
    (&["report", "diff", "notes.txt"], "Usage: cargo xtask report diff <FILE> <FILE>"),
    (&["explain", "bnns-paeg-axis-2"], "did you mean `bnns-page-axis-2`?"),
    (&["explain", "bnns-page"], "could be any of"),
    (&["explain", "1:two"], "expected SEED:INDEX, two numbers, or SEED:FAMILY:INDEX"),
    (
        &["conformance", "--backend", "ndarray", "--property", "5q"],
        "expected a number, or a time such as 60s",
    ),
    (&["conformance", "--backend", "ndarray", "--property", "5m", "--resume"], "expected a number of calls"),
    (&["conformance", "--backend", "ndarray", "--laws", "--case", "a"], "expected --case SEED:INDEX"),
];

/// Makes the folder in which the commands run.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("my_backend.py", "");
    write("worker.js", "");
    write("worker", "#!/bin/sh\n");
    write("notes.txt", "hello\n");
    write("a-crate/Cargo.toml", "[package]\nname = \"a-crate\"\n");
    write("a-crate/src/main.rs", "fn main() {}\n");
    fs::create_dir(folder.path().join("empty")).unwrap();
    folder
}

/// Returns the problem with an answer, if any.
fn objection(folder: &Path, typed: &[&str], due: &str) -> Option<String> {
    let run = run_in(folder, typed);
    let lines: Vec<&str> = run.err.lines().collect();
    let mut parts: Vec<&str> = run.err.split(": ").map(str::trim).collect();
    parts.sort_unstable();
    let why = if run.code != Some(2) {
        "does not exit with 2"
    } else if !run.out.is_empty() {
        "prints something on standard output"
    } else if run.err.matches("error: ").count() != 1 || !run.err.starts_with("error: ") {
        "does not give one error"
    } else if lines.len() > 5 {
        "takes more than five lines"
    } else if parts.windows(2).any(|two| two[0] == two[1]) {
        "says something twice"
    } else if run.err.contains("building") {
        "says that it builds what does not exist"
    } else if !run.err.contains(due) {
        "does not say what to do"
    } else {
        return None;
    };
    Some(format!("{typed:?} {why}, {due:?} is due:\n{}{}", run.err, run.out))
}

#[test]
fn a_mistake_gets_one_short_error_with_the_remedy() {
    let folder = folder();
    let wrong: Vec<String> =
        each(&MISTAKES, |(typed, due)| objection(folder.path(), typed, due)).into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_case_is_asked_in_all_its_expansions_where_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let list = ["conformance", "--list", "--case", "onnx-axis-named-twice"];
    let listed = run_in(folder.path(), &list).exits_with(0).out;
    assert!(listed.lines().count() > 1, "{listed}");
    assert!(listed.lines().all(|line| line.starts_with("onnx-axis-named-twice/")), "{listed}");
}

#[test]
fn what_a_reading_expects_is_derived_from_the_numbers_of_the_call_and_the_clause() {
    let folder = tempfile::tempdir().unwrap();
    let explain = |name: &str| run_in(folder.path(), &["explain", name]).exits_with(0).out;
    let from_the_end = explain("1:390");
    for line in [
        "  axes      [-3] of rank 3: -3 + 3 = 0\n",
        "  dims      [1, 0, 5] to [1, 0, 5]: reduced dims stay, as 1\n",
        "  dims      [1, 0, 5] to [0, 5]: reduced dims are removed\n",
        "  refused, because it breaks onnx/ReduceL2-13#keepdims-values\n  clause    onnx/ReduceL2-13#keepdims-values: keepdims is ",
        "  call has  i64 data of rank 3; axes i64 [-3]; keepdims -9223372036854775808\n",
    ] {
        assert!(from_the_end.contains(line), "{line}{from_the_end}");
    }
    let twice = explain("1:3280");
    assert!(
        twice.contains("  call has  u32 data of rank 1; axes i64 [0, 0]; 0 and 0 name one axis\n"),
        "{twice}"
    );
    // Three widths of squares, which L1 has none of, expect the same, with each of two roundings.
    let half = explain("half-sum-of-two-is-rounded-or-cut/ReduceL1-18/f16");
    let count = |start: &str| half.lines().filter(|line| line.starts_with(start)).count();
    let counts = ["  output ", "half-accumulation=", "or half-accumulation="].map(count);
    assert_eq!(counts, [3, 3, 4], "{half}");
}

#[test]
fn a_generated_call_is_explained_with_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let explain = |name: &str| run_in(folder.path(), &["explain", name]).exits_with(0);
    for (name, call) in [("1:202", "generated call 1:202"), ("1:array-api:5", "array-api/vector_norm")] {
        let run = explain(name).prints(call);
        let labels = ["  kind      ", "  call      ", "  data      ["];
        assert!(labels.iter().all(|label| run.out.contains(label)), "{}", run.out);
    }
    explain("generated-1:202/ReduceL1-13/f32").prints("generated call 1:202");
    explain("bnns-page-axis-2").prints("  data      [");
}
