//! The files of findings: the page is generated from them.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{Run, run};

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
    run(&["findings", "--check"]).exits_with(0);
}

#[test]
fn a_page_that_is_out_of_date_is_named_and_written() {
    let folder = findings("since: unknown\nstate: open");
    let page = folder.path().join("found.md");
    call(folder.path(), &["--check"]).exits_with(1).prints("found.md: is not what the files say");
    assert!(!page.exists(), "--check writes nothing");
    call(folder.path(), &[]).exits_with(0).prints("wrote ");
    let text = fs::read_to_string(&page).unwrap();
    let row = format!("| zero is not zero<br>`{CASE}` | empty-set | zeros | ones | unknown | open | – |\n");
    assert!(text.contains(&row), "{text}");
    call(folder.path(), &["--check"]).exits_with(0);
    fs::write(&page, text.replace("| ones |", "| twos |")).unwrap();
    call(folder.path(), &["--check"]).exits_with(1);
}

#[test]
fn a_file_that_is_not_in_order_is_named_with_its_line() {
    let folder = findings("since: unknown\nstate: mended");
    call(folder.path(), &[]).refuses(&["ndarray.yaml:6: until: expected it with `state: mended`, got none"]);
}
