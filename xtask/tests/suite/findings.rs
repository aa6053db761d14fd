//! The files of findings: the page is generated from them, and backends are asked if they still hold. The backend here
//! is ndarray, which conforms.

use std::fs;
use std::path::Path;

use rstest::rstest;
use tempfile::TempDir;

use crate::common::{Run, run, xtask};

const CASE: &str = "onnx-norm-over-no-elements-is-zero/ReduceL1-1/f32";

/// Makes a folder with one finding on ndarray, with these lines for its state.
fn findings(state: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "runtime: ndarray
checked: 0.1.0
backends:
  - name: ndarray
findings:
  - defect: zero is not zero
    backend: ndarray
    case: {CASE}
    clause: empty-set
    due: zeros
    came: ones
    {}
    upstream: none
",
        state.replace('\n', "\n    ")
    );
    fs::create_dir(folder.path().join("found")).unwrap();
    fs::write(folder.path().join("found/ndarray.yaml"), text).unwrap();
    folder
}

fn call(folder: &Path, words: &[&str]) -> Run {
    let found = folder.join("found");
    run(&[&["findings"], words, &["--findings", found.to_str().unwrap()]].concat())
}

#[test]
fn the_page_is_what_the_files_say() {
    run(&["findings", "--page", "--check"]).exits_with(0);
}

#[test]
fn a_page_that_is_out_of_date_is_named_and_written() {
    let folder = findings("since: unknown\nstate: open");
    let page = folder.path().join("found.md");
    call(folder.path(), &["--page", "--check"]).exits_with(1).prints("found.md: is not what the files say");
    assert!(!page.exists(), "--check writes nothing");
    call(folder.path(), &["--page"]).exits_with(0).prints("wrote ");
    let text = fs::read_to_string(&page).unwrap();
    let row = format!("| zero is not zero<br>`{CASE}` | empty-set | zeros | ones | unknown | open | – |\n");
    assert!(text.contains(&row), "{text}");
    call(folder.path(), &["--page", "--check"]).exits_with(0);
    fs::write(&page, text.replace("| ones |", "| twos |")).unwrap();
    call(folder.path(), &["--page", "--check"]).exits_with(1);
}

#[rstest]
#[case::open("since: unknown\nstate: open", 1, "ndarray.yaml:6: no longer fails in ")]
#[case::mended(
    "since: unknown\nuntil: 0.1.0\nseen: 0.0.1\nstate: mended",
    0,
    "as on file   onnx-norm-over-no-elements"
)]
fn a_row_that_no_longer_fails_is_out_of_date_until_it_says_so(
    #[case] state: &str,
    #[case] code: i32,
    #[case] says: &str,
) {
    let folder = findings(state);
    let checked = call(folder.path(), &["--backend", "ndarray"]);
    checked.exits_with(code).prints(says).prints("1 rows asked of 1 releases: 1 ");
}

#[test]
fn a_file_that_is_not_in_order_is_named_with_its_line() {
    let folder = findings("since: unknown\nstate: mended");
    call(folder.path(), &[]).refuses(&["ndarray.yaml:6: until: `state: mended` needs it"]);
}

#[rstest]
#[case::without_findings("rten", "no finding is of the backend `rten`; there are findings of ndarray")]
#[case::of_a_crate("ndarray@0.1.0", "ndarray@0.1.0 is not set up")]
fn a_backend_that_cannot_be_asked_is_refused(#[case] backend: &str, #[case] because: &str) {
    let folder = findings("since: unknown\nstate: open");
    call(folder.path(), &["--backend", backend]).refuses(&[because]);
}

/// A set without packages starts no worker, so the output shows the releases asked, whatever the outcome.
#[rstest]
#[case::the_newest(&["1.9.0", "1.10.0"], 1, "numpy@1.10.0 could not be asked", "left out, not set up: numpy@1.8.0\n")]
#[case::what_is_mended_where_it_was_seen(&["1.9.0", "1.8.0"], 1, "numpy@1.8.0 could not be asked", "")]
#[case::nothing(&[], 2, "left out, not set up: numpy\n", "0 rows asked of 0 releases\n")]
fn of_the_releases_that_are_set_up_those_are_asked(
    #[case] set_up: &[&str],
    #[case] code: i32,
    #[case] says: &str,
    #[case] and: &str,
) {
    let folder = findings("since: unknown\nuntil: 1.9.0\nseen: 1.8.0\nstate: mended");
    let file = folder.path().join("found/ndarray.yaml");
    let text = fs::read_to_string(&file).unwrap().replace("ndarray", "numpy").replace("0.1.0", "1.9.0");
    fs::write(&file, text).unwrap();
    for version in set_up {
        let set = folder.path().join(format!("target/normative-setups/numpy@{version}"));
        fs::create_dir_all(&set).unwrap();
        fs::write(set.join("normative-set.txt"), format!("numpy=={version}")).unwrap();
    }
    let mut check = xtask(&["findings", "--findings"]);
    check.arg(folder.path().join("found")).env("CARGO_TARGET_DIR", folder.path().join("target"));
    let output = check.output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(code), "{out}");
    assert!(out.contains(says) && out.contains(and), "{out}");
}
