//! The lock on expectations: that of the corpus is up to date, and a change of any kind is named.

use std::fs;
use std::path::Path;

use crate::common::{RIGHT, Run, corpus, run};
use rstest::rstest;

fn lock(folder: &Path, more: &[&str]) -> Run {
    run(&[&["cases", "lock", "--cases", folder.to_str().unwrap()], more].concat())
}

#[test]
fn what_the_corpus_expects_is_what_is_locked() {
    run(&["cases", "lock", "--check"]).exits_with(0).prints("expectations.lock: as it is locked\n");
}

#[rstest]
#[case::an_expectation(
    "expect: {shape: [2], values: [1, 2]}",
    "expect: {shape: [2], reference: true}",
    "changed openvino-l1-a-row"
)]
#[case::an_element(
    "data: {shape: [1, 2], values: [1, 2]}\n    axes: [0]\n    expect: {shape: [2], values: [1, 2]}",
    "data: {shape: [1, 2], values: [1, 3]}\n    axes: [0]\n    expect: {shape: [2], values: [1, 3]}",
    "changed openvino-l1-one-row"
)]
#[case::a_type("dtypes: [f32, i8, u8, f64]", "dtypes: [f32, i8, u8]", "changed openvino-l1-all-of-a-vector")]
#[case::a_name(
    "openvino-l1-scalar",
    "openvino-l1-rank-0",
    "added openvino-l1-rank-0\nremoved openvino-l1-scalar"
)]
fn a_changed_expectation_is_named_until_it_is_locked(
    #[case] from: &str,
    #[case] to: &str,
    #[case] says: &str,
) {
    let folder = corpus(RIGHT);
    lock(folder.path(), &["--check"]).exits_with(1).prints("added openvino-l1-a-row\n");
    lock(folder.path(), &[]).exits_with(0);
    lock(folder.path(), &["--check"]).exits_with(0);

    let file = folder.path().join("openvino/ReduceL1/few.yaml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{text}");
    // The last of them: another case may say the same.
    let (before, after) = text.rsplit_once(from).unwrap();
    fs::write(&file, format!("{before}{to}{after}")).unwrap();
    let changed = lock(folder.path(), &["--check"]).exits_with(1);
    assert!(changed.out.starts_with(&format!("{says}\n/")), "those and no others:\n{}", changed.out);
    lock(folder.path(), &[]).exits_with(0);
    lock(folder.path(), &["--check"]).exits_with(0);
}

#[test]
fn words_about_a_case_are_no_expectation() {
    let folder = corpus(RIGHT);
    lock(folder.path(), &[]).exits_with(0);
    let file = folder.path().join("openvino/ReduceL1/few.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("why: It is an example.", "why: It is one more example.")).unwrap();
    lock(folder.path(), &["--check"]).exits_with(0);
    let locked = fs::read_to_string(folder.path().join("expectations.lock")).unwrap();
    assert!(locked.contains("\nopenvino-l1-all-of-a-vector  4  "), "{locked}");
    assert!(locked.contains("  f32[] 3\n") && locked.contains("  f32[2] 1 2\n"), "{locked}");
    assert!(
        locked.contains("  open empty-axes-identity: x unchanged; norm-of-each-element f32[] 1\n"),
        "{locked}"
    );
}
