//! Models that judge themselves: the folder, and the report on what they printed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use tempfile::{NamedTempFile, TempDir};

use crate::common::{Run, run};

/// A sum, a refusal, and a call on which the text is open.
const CASES: [&str; 3] = [
    "onnx-axis-zero-is-the-slowest/ReduceL2-18/f32",
    "onnx-axis-equal-to-the-rank-is-out-of-range/ReduceL1-18/f32",
    "onnx-noop-minus-one-without-an-axes-input/ReduceL1-18/f32",
];

/// Exports the cases, once for all tests.
fn exported() -> &'static Path {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(made);
    FOLDER.path()
}

fn made() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let cases: Vec<&str> = CASES.iter().flat_map(|case| ["--case", case]).collect();
    let output = ["--output", folder.path().to_str().unwrap()];
    let command = [&["cases", "export", "--format", "onnx-selfcheck"], &output[..], &cases].concat();
    assert!(run(&command).exits_with(0).out.starts_with("3 cases written"));
    folder
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap()
}

/// Returns the lines that a right runtime prints, by the table of answers.
fn right(folder: &Path) -> Vec<String> {
    let (mut lines, mut seen) =
        (vec![format!("suite\t{}", read(folder, "suite.txt").trim())], BTreeSet::new());
    for line in read(folder, "answers.tsv").lines().skip(1) {
        let [name, number, _] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        if seen.insert(name.to_owned()) {
            let said = if number == "refused" { "error\tno such axis" } else { number };
            lines.push(format!("{name}\t{said}"));
        }
    }
    lines
}

fn report(lines: &[String]) -> Run {
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), lines.join("\n")).unwrap();
    run(&["report", "selfcheck", file.path().to_str().unwrap()])
}

/// Returns the lines with another end of the one that begins so.
fn with(lines: &[String], begin: &str, end: &str) -> Vec<String> {
    let changed = lines.iter().map(|line| {
        let is_it = line.split('\t').next().is_some_and(|name| name.starts_with(begin));
        if is_it { format!("{}\t{end}", line.split('\t').next().unwrap()) } else { line.clone() }
    });
    let changed: Vec<String> = changed.collect();
    assert_ne!(lines, changed, "no line begins with {begin}");
    changed
}

#[test]
fn every_model_is_listed_and_bundles_have_what_may_not_be_refused() {
    let folder = exported();
    let files = |of: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(folder.join(of)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let stems = CASES.map(|case| format!("{}.onnx", case.replace('/', ".")));
    let single = ["control.18.f32.onnx".to_owned(), "control.18.f32.txt".to_owned()];
    assert_eq!(files("single"), stems.iter().cloned().chain(single).collect());
    assert_eq!(files("bundles"), ["18.f32.0.onnx", "18.f32.0.txt"].map(str::to_owned).into());
    let bundled = read(folder, "bundles/18.f32.0.txt");
    let cases: Vec<&str> = bundled.lines().filter(|line| !line.starts_with("control.")).collect();
    assert_eq!(cases, ["onnx-axis-zero-is-the-slowest.ReduceL2-18.f32"]);
    assert!(bundled.lines().count() > 20, "{bundled}");
}

#[test]
fn acceptable_numbers_pass_with_their_readings() {
    let folder = exported();
    let out = report(&right(folder)).exits_with(0).out;
    let due = "reading     boolean-attributes-noop: nonzero-is-true (1)\n\
               reading     noop-absent-axes: x (1)\n\
               2 right, 0 wrong, 1 refused as a reading allows, 0 without an answer, 0 not judged\n";
    assert_eq!(out, due);
}

#[rstest]
#[case::a_sum(
    "onnx-axis-zero",
    "0",
    "wrong       onnx/ReduceL2-18#axes: 1 of 1, the first onnx-axis-zero-is-the-slowest/ReduceL2-18/f32: "
)]
#[case::a_refusal(
    "onnx-axis-equal",
    "0",
    "wrong       onnx/ReduceL1-18#axes-range: 1 of 1, the first onnx-axis-equal-to-the-rank"
)]
#[case::no_reading(
    "onnx-noop",
    "0",
    "wrong       onnx/ReduceL1-18#noop-values: 1 of 1, the first onnx-noop-minus-one"
)]
#[case::comparison(
    "control.18.f32.subnormal-for-zero",
    "1",
    "not judged  18.f32: the runtime compares wrongly, see control.18.f32.subnormal-for-zero\n"
)]
fn a_wrong_number_fails(#[case] name: &str, #[case] number: &str, #[case] said: &str) {
    let folder = exported();
    let out = report(&with(&right(folder), name, number)).exits_with(1).out;
    assert!(out.contains(said), "{out}");
}

#[test]
fn an_error_that_no_reading_allows_is_no_answer() {
    let folder = exported();
    let lines = with(&right(folder), "onnx-axis-zero", "error\tnot implemented");
    let out = report(&lines).exits_with(0).out;
    let said =
        "no answer   18.f32: 1, the first onnx-axis-zero-is-the-slowest/ReduceL2-18/f32: not implemented\n";
    assert!(out.contains(said), "{out}");
}

#[rstest]
#[case::another_suite("suite", "0123", "expected numbers of the cases ")]
#[case::no_number(
    "onnx-axis-zero",
    "1.5",
    "expected a name, a tab and a number or error, got \"onnx-axis-zero"
)]
#[case::a_bit_of_no_answer("onnx-axis-zero", "2", "expected a number of its acceptable answers, got 2")]
#[case::a_bit_of_a_refusal("onnx-noop", "8", "expected a number of its acceptable answers, got 8")]
fn lines_of_something_else_are_an_error(#[case] name: &str, #[case] end: &str, #[case] said: &str) {
    let folder = exported();
    let error = report(&with(&right(folder), name, end)).exits_with(2).err;
    assert!(error.contains(said), "{error}");
}

#[test]
fn a_name_is_printed_once_and_is_a_case() {
    let folder = exported();
    let right = right(folder);
    for more in [right.last().unwrap().as_str(), "no-such-case.ReduceL1-18.f32\t1"] {
        let error = report(&[&right[..], &[more.to_owned()]].concat()).exits_with(2).err;
        assert!(error.contains("expected a case of ONNX, each once, got "), "{error}");
    }
    let error = report(&right[1..]).exits_with(2).err;
    assert!(error.contains("expected the line suite"), "{error}");
}

#[test]
fn another_familys_cases_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let format = ["cases", "export", "--format", "onnx-selfcheck", "--output", output, "--spec", "bnns"];
    let error = run(&format).exits_with(2).err;
    assert!(error.contains("expected cases of ONNX, which have models, got none"), "{error}");
}
