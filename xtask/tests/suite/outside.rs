//! The folder that the program works in: the checkout it is run in, whichever it was built from, or none.

use std::fs;

use crate::common::page::copy;
use crate::common::{RIGHT, Run, corpus, run, run_in};

/// Two checkouts may share a target directory, and so the program.
#[test]
fn a_checkout_is_that_which_the_program_is_run_in() {
    let cases = corpus(RIGHT);
    let folder = tempfile::tempdir().unwrap();
    copy(cases.path(), &folder.path().join("cases"));
    for path in ["conformance/backend", "xtask"] {
        fs::create_dir_all(folder.path().join(path)).unwrap();
        fs::write(folder.path().join(path).join("Cargo.toml"), "").unwrap();
    }
    let below = folder.path().join("conformance/backend");
    let listed = run_in(&below, &["conformance", "--list"]).exits_with(0).out;
    assert!(listed.starts_with("openvino-l1-all-of-a-vector/ReduceL1-4/f32\n"), "{listed}");
    assert!(listed.lines().count() < 10, "{listed}");
}

#[test]
fn a_folder_of_cases_needs_nothing_beside_it() {
    let cases = corpus(RIGHT);
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(cases.path().join("openvino/ReduceL1/few.yaml")).unwrap();
    // No clauses come with the cases, so those of the checkout apply.
    fs::write(folder.path().join("mine.yaml"), text.replace("[norm]", "[norm-l1]")).unwrap();
    let path = folder.path().to_str().unwrap();
    let lint = run(&["cases", "lint", "--cases", path]);
    assert!(
        lint.out.contains("no clause openvino/ReduceL1-4#norm-l1 in the ledger"),
        "{}{}",
        lint.out,
        lint.err
    );
    let record = format!("{path}/record");
    let few =
        ["conformance", "--backend", "ndarray", "--cases", path, "--property", "0", "--record", &record];
    run(&few).exits_with(0).prints("7 conform of 7 cases");
}

/// A report needs only the record: it does not wait for a build, and works without cargo.
#[test]
fn a_report_on_a_record_builds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record").display().to_string();
    let few =
        ["conformance", "--backend", "ndarray", "--spec", "bnns", "--property", "0", "--record", &record];
    run(&few).exits_with(0);
    for command in [["report", "show", &record].as_slice(), &["report", "diff", &record, &record]] {
        Run::of(crate::common::xtask(command).env("CARGO", "/nowhere/cargo")).exits_with(0);
    }
}
