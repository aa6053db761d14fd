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
    assert!(export(folder.path(), &CASES).starts_with("3 cases written"));
    folder
}

fn export(folder: &Path, cases: &[&str]) -> String {
    let cases: Vec<&str> = cases.iter().flat_map(|case| ["--case", case]).collect();
    let output = ["--output", folder.to_str().unwrap()];
    run(&[&["cases", "export", "--format", "onnx-selfcheck"], &output[..], &cases].concat()).exits_with(0).out
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
    let out = report(&right(exported())).exits_with(0).out;
    let due = "reading     boolean-attributes-noop: nonzero-is-true (1)\n\
               reading     noop-absent-axes: x (1)\n\
               2 right, 0 wrong, 1 refused as a reading allows, 0 without an answer, 0 not judged\n";
    assert_eq!(out, due);
}

#[rstest]
#[case::a_sum(
    "onnx-axis-zero",
    "0",
    "onnx/ReduceL2-18#axes: 1 of 1, the first onnx-axis-zero-is-the-slowest/"
)]
#[case::a_refusal(
    "onnx-axis-equal",
    "0",
    "onnx/ReduceL1-18#axes-range: 1 of 1, the first onnx-axis-equal-to-the-rank"
)]
#[case::not_a_number("onnx-axis-zero", "NaN", "onnx/ReduceL2-18#axes: 1 of 1")]
#[case::negative("onnx-axis-zero", "-1.0", "onnx/ReduceL2-18#axes: 1 of 1")]
#[case::a_fraction("onnx-axis-zero", "0.5", "onnx/ReduceL2-18#axes: 1 of 1")]
#[case::no_reading("onnx-noop", "0", "onnx/ReduceL1-18#noop-values: 1 of 1, the first onnx-noop-minus-one")]
fn a_number_of_no_answer_is_wrong(#[case] name: &str, #[case] number: &str, #[case] said: &str) {
    let out = report(&with(&right(exported()), name, number)).exits_with(1).out;
    assert!(out.contains(&format!("wrong       {said}")), "{out}");
}

#[rstest]
#[case::wrong("1", "gave 1")]
#[case::error("error\tno", "ended in an error")]
fn a_type_whose_control_is_not_met_is_not_judged(#[case] end: &str, #[case] said: &str) {
    let control = "control.18.f32.subnormal-for-zero";
    let out = report(&with(&right(exported()), control, end)).exits_with(2).out;
    let due = format!(
        "not judged  18.f32: {control} {said}\n\
         0 right, 0 wrong, 1 refused as a reading allows, 0 without an answer, 2 not judged\n"
    );
    assert_eq!(out, due);
}

#[test]
fn lines_that_lack_some_are_partial_and_no_success() {
    let lines = right(exported());
    let without = |begin: &str| -> Vec<String> {
        lines.iter().filter(|line| !line.starts_with(begin)).cloned().collect()
    };
    let out = report(&without("onnx-noop")).exits_with(2).out;
    assert!(
        out.contains("1 right, 0 wrong, ") && out.contains("PARTIAL: 26 numbers; all of single are 27, "),
        "{out}"
    );
    let out = report(&without("control.18.f32.zero-for-zero")).exits_with(2).out;
    assert!(out.contains("not judged  18.f32: control.18.f32.zero-for-zero was not printed\n"), "{out}");
}

#[test]
fn errors_of_a_type_without_answers_show_nothing() {
    let names = ["onnx-axis-zero", "onnx-noop"];
    let error = "error\tnot \u{1b}[31mimplemented";
    let lines = names.iter().fold(right(exported()), |lines, name| with(&lines, name, error));
    let out = report(&lines).exits_with(2).out;
    let said =
        "no answer   onnx/ReduceL2-18 f32: 1, the first onnx-axis-zero-is-the-slowest/ReduceL2-18/f32: not ";
    assert!(
        out.contains(said) && out.contains("0 right, 0 wrong, 2 refused as a reading allows, 1 wit"),
        "{out}"
    );
    assert!(!out.contains('\u{1b}'), "{out}");
}

#[test]
fn a_number_may_have_a_decimal_point() {
    let lines: Vec<String> = right(exported());
    let with_points = lines.iter().map(|line| match line.rsplit_once('\t') {
        Some((name, number)) if number.parse::<u32>().is_ok() => format!("{name}\t{number}.0"),
        _ => line.clone(),
    });
    assert_eq!(report(&with_points.collect::<Vec<_>>()).exits_with(0).out, report(&lines).out);
}

/// The lines of two cases of one operator and type: an error, and a right number.
fn an_error_beside_an_answer() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        "onnx-axis-zero-is-the-slowest/ReduceL2-18/f32",
        "onnx-axes-absent-reduces-every-dim/ReduceL2-18/f32",
    ];
    export(folder.path(), &cases);
    with(&right(folder.path()), "onnx-axis-zero", "error\tno such axis")
}

#[test]
fn an_error_of_a_type_whose_controls_fail_is_not_wrong() {
    let lines = an_error_beside_an_answer();
    let out = report(&with(&lines, "control.18.f32.zero", "error\tno")).exits_with(2).out;
    assert!(
        out.contains("0 wrong, 0 refused as a reading allows, 1 without an answer, 1 not judged"),
        "{out}"
    );
}

#[test]
fn an_error_of_a_type_with_answers_is_wrong() {
    let lines = an_error_beside_an_answer();
    let out = report(&lines).exits_with(1).out;
    let said = "wrong       onnx/ReduceL2-18#axes: 1 of 1, the first onnx-axis-zero-is-the-slowest/ReduceL2-18/f32: no such axis\n";
    assert!(out.contains(said), "{out}");
}

#[rstest]
#[case::another_suite("suite", "0123 1 1", "expected numbers of the cases ")]
#[case::half_a_suite("suite", "0123", "line 1: expected the text of suite.txt, got \"0123\"")]
#[case::no_number(
    "onnx-axis-zero",
    "one",
    "expected a name, a tab and a number or error, got \"onnx-axis-zero"
)]
#[case::a_sign("onnx-axis-zero", "+1", "expected a name, a tab and a number or error, got \"onnx-axis-zero")]
#[case::beyond_all("onnx-axis-zero", "99999999999", "expected a number of 24 bits, got 99999999999")]
#[case::a_bit_of_no_answer("onnx-axis-zero", "2", "expected a number of its acceptable answers, got 2")]
#[case::a_bit_of_a_refusal("onnx-noop", "8", "expected a number of its acceptable answers, got 8")]
fn lines_of_something_else_are_an_error(#[case] name: &str, #[case] end: &str, #[case] said: &str) {
    let error = report(&with(&right(exported()), name, end)).exits_with(2).err;
    assert!(error.contains(said), "{error}");
}

#[test]
fn a_name_is_printed_once_and_is_a_case() {
    let right = right(exported());
    let with = |more: &str| report(&[&right[..], &[more.to_owned()]].concat()).exits_with(2).err;
    let twice = with(right.last().unwrap());
    assert!(twice.contains("line 29: expected each name once, got onnx-noop-minus-one"), "{twice}");
    let unknown = with("no-such-case.ReduceL1-18.f32\t1");
    assert!(
        unknown.contains("line 29: expected a case of ONNX, got no-such-case.ReduceL1-18.f32"),
        "{unknown}"
    );
    let error = report(&right[1..]).exits_with(2).err;
    assert!(error.contains("expected the line suite"), "{error}");
}

#[test]
fn what_else_a_device_prints_is_passed_over() {
    let mut lines = right(exported());
    lines.insert(0, "\u{feff}Loading...".to_owned());
    lines.push("done\r".to_owned());
    report(&lines).exits_with(0);
}

#[test]
fn another_familys_cases_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let format = ["cases", "export", "--format", "onnx-selfcheck", "--output", output, "--spec", "bnns"];
    let error = run(&format).exits_with(2).err;
    assert!(error.contains("expected cases of ONNX, which have models, got none"), "{error}");
}
