use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use normative_conformance::corpus::{self, load_ledger};
use rstest::rstest;

use super::super::finding::{State, Upstream, Witness};
use super::super::release::{Due, Release};
use super::*;
use normative::select::workspace_root;

/// A valid file, whose finding begins on line 8.
const FILE: &str = "\
runtime: ONNX Runtime
part: CPU
checked: 1.32.0
backends:
  - name: onnxruntime
    heading: Axes as a constant
findings:
  - defect: zeros are lost
    backend: onnxruntime
    case: onnx-norm-over-no-elements-is-zero/ReduceL1-1/f32
    clause: empty-set
    due: zeros
    came: 'a panic: it divides'
    since: 1.19.0 or before
    until: 1.32.0
    seen: 1.31.1
    state: mended
    upstream: none
";

static CASES: LazyLock<(Corpus, Ledger)> = LazyLock::new(|| {
    let cases = workspace_root().join("cases");
    (corpus::load(&cases).unwrap(), load_ledger(&cases.join("clauses")).unwrap())
});

fn read(text: &str) -> Result<Runtime, Vec<LoadError>> {
    load_text(Path::new("ort.yaml"), text, &CASES.0, &CASES.1)
}

/// Returns the file with one text replaced.
fn changed(from: &str, to: &str) -> String {
    assert_eq!(FILE.matches(from).count(), 1, "{from}");
    FILE.replace(from, to)
}

#[test]
fn a_file_gives_its_fields() {
    let runtime = read(FILE).unwrap();
    assert_eq!((runtime.name.as_str(), runtime.part.as_deref()), ("ONNX Runtime", Some("CPU")));
    let [finding] = runtime.findings.as_slice() else { panic!("{runtime:?}") };
    assert_eq!((finding.line, finding.state, &finding.upstream), (8, State::Mended, &None));
    assert_eq!(
        finding.witness,
        Witness::Case("onnx-norm-over-no-elements-is-zero/ReduceL1-1/f32".to_owned())
    );
    let due = |release: &str| finding.life.due(&release.parse::<Release>().unwrap());
    assert_eq!((due("1.18.0"), due("1.31.1"), due("1.32.0")), (Due::Unknown, Due::Fails, Due::Conforms));
}

#[test]
fn a_report_of_something_else_keeps_what_it_is_of() {
    let link = "https://github.com/a/b/issues/7";
    let text = changed("upstream: none", &format!("upstream: {link}\n    upstream_of: another operator"));
    let upstream = Upstream { link: link.to_owned(), of: Some("another operator".to_owned()) };
    assert_eq!(read(&text).unwrap().findings[0].upstream, Some(upstream));
}

#[rstest]
#[case::a_tab("runtime: ONNX Runtime", "runtime:\tONNX Runtime", "1: character U+0009 is not used here")]
#[case::an_anchor("due: zeros", "due: &a zeros", "12: anchors are not used here")]
#[case::an_unknown_field("    due: zeros", "    dues: zeros", "12: ")]
#[case::a_state("state: mended", "state: fixed", "17: ")]
#[case::a_checked_release(
    "checked: 1.32.0",
    "checked: newest",
    "3: checked: expected a release such as 1.27.0, got `newest`"
)]
#[case::an_unknown_backend(
    "  - name: onnxruntime",
    "  - name: onnxrt",
    "4: backends: expected a backend that cargo xtask backends lists, got `onnxrt`"
)]
#[case::a_backend_of_no_finding(
    "  - name: onnxruntime",
    "  - name: openvino\n  - name: onnxruntime",
    "4: backends: expected each backend once, with at least one finding: `openvino`"
)]
#[case::a_backend_twice(
    "  - name: onnxruntime",
    "  - name: onnxruntime\n  - name: onnxruntime",
    "4: backends: expected each backend once, with at least one finding: `onnxruntime`"
)]
#[case::a_backend_not_in_the_head(
    "backend: onnxruntime",
    "backend: openvino",
    "4: backends: expected each backend once, with at least one finding: `onnxruntime`"
)]
#[case::an_empty_text("due: zeros", "due: ''", "12: due: expected a text on one line without `|`")]
#[case::a_bar("due: zeros", "due: a | b", "12: due: expected a text on one line without `|`")]
#[case::an_unknown_case(
    "ReduceL1-1/f32",
    "ReduceL1-1/f33",
    "10: case: expected a case of the corpus, got `onnx-norm"
)]
#[case::a_case_and_a_call(
    "    clause:",
    "    call: '1:2'\n    clause:",
    "8: expected one of `case` and `call`, got both"
)]
#[case::a_bad_call(
    "case: onnx-norm-over-no-elements-is-zero/ReduceL1-1/f32",
    "call: '12'",
    "10: call: expected SEED:INDEX"
)]
#[case::an_unknown_clause(
    "clause: empty-set",
    "clause: empty",
    "11: clause: expected a clause of onnx/ReduceL1-1, got `empty`"
)]
#[case::a_bound(
    "since: 1.19.0 or before",
    "since: before 1.19.0",
    "14: since: expected a release such as 1.27.0, `1.27.0 or before`, or `unknown`, got `before 1.19.0`"
)]
#[case::since_after_it_was_seen(
    "since: 1.19.0 or before",
    "since: 1.32.0",
    "14: expected `since` to be before `seen`"
)]
#[case::seen_when_it_was_gone("seen: 1.31.1", "seen: 1.32.0", "16: expected `seen` to be before `until`")]
#[case::gone_after_it_was_checked(
    "until: 1.32.0",
    "until: 1.32.1",
    "15: expected `until` to be before `checked`"
)]
#[case::mended_without_until(
    "    until: 1.32.0\n",
    "",
    "8: until: expected it with `state: mended`, got none"
)]
#[case::open_with_until(
    "state: mended",
    "state: open",
    "15: until: expected it without `state: open`, got both"
)]
#[case::no_link("upstream: none", "upstream: '#7'", "18: upstream: expected `none` or a link")]
fn what_is_wrong_is_named_with_its_line(#[case] from: &str, #[case] to: &str, #[case] because: &str) {
    let errors = read(&changed(from, to)).unwrap_err();
    let [error] = errors.as_slice() else { panic!("{errors:?}") };
    let error = error.to_string();
    assert!(error.starts_with(&format!("ort.yaml:{because}")), "{error}");
}

#[test]
fn a_reported_defect_has_a_report_of_itself() {
    let open = FILE.replace("    until: 1.32.0\n    seen: 1.31.1\n", "");
    let reported = open.replace("state: mended", "state: reported");
    let error = read(&reported).unwrap_err()[0].to_string();
    assert_eq!(error, "ort.yaml:16: upstream: expected it with `state: reported`, got none");
    let link = "upstream: https://github.com/a/b/issues/7";
    assert!(read(&reported.replace("upstream: none", link)).is_ok());
    let of_another = reported.replace("upstream: none", &format!("{link}\n    upstream_of: another"));
    let error = read(&of_another).unwrap_err()[0].to_string();
    assert_eq!(error, "ort.yaml:17: upstream_of: expected it without `state: reported`, got both");
}

#[test]
fn every_finding_that_is_wrong_is_named_and_one_that_stands_twice() {
    let (head, finding) = FILE.split_once("findings:\n").unwrap();
    let bad = finding.replace("ReduceL1-1/f32", "ReduceL1-1/f33");
    let errors = read(&format!("{head}findings:\n{bad}{finding}{finding}")).unwrap_err();
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let of_case = "ort.yaml:10: case: expected a case of the corpus, got `onnx-norm-over-no-elements-is-zero/ReduceL1-1/f33`";
    assert_eq!(errors, [of_case, "ort.yaml:30: expected a name of its own, got that of ort.yaml:19"]);
}

#[test]
fn a_folder_holds_files_of_findings_alone() {
    let folder = tempfile::tempdir().unwrap();
    let load = || load(folder.path(), &CASES.0, &CASES.1).map_err(|errors| errors[0].problem.clone());
    assert_eq!(load().unwrap_err(), Problem::NoFiles);
    fs::write(folder.path().join("a.yaml"), FILE).unwrap();
    assert_eq!(load().unwrap().len(), 1);
    fs::write(folder.path().join("b.yml"), FILE).unwrap();
    assert_eq!(load().unwrap_err(), Problem::NotACaseFile);
}
