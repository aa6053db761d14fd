//! The lock on expectations and clauses: that of the corpus is up to date, and every change is named.

use std::fs;
use std::path::Path;

use rstest::rstest;

use crate::common::{RIGHT, Run, corpus, run};

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
    // Replace the last occurrence: another case may have the same text.
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

/// Writes a source file with one sentence, on which `norm` rests. `of_all` is the fingerprint of all sentences.
fn source(fingerprint: &str, of_all: &str) -> String {
    format!(
        "source: A text\naddress: somewhere\nrevision: \"1\"\nobtain: by hand\nspecs: [openvino/ReduceL1-4]\n\
         fingerprint: \"{of_all}\"\nsections:\n  - name: text\n    sentences:\n      \
         - {{marks: [{fingerprint} 20], clauses: [norm]}}\n"
    )
}

/// Two sentences, each with the fingerprint of a file that has it alone.
const FIRST: [&str; 2] = ["0123456789abcdef", "f984db4ef14fde1b"];
const SECOND: [&str; 2] = ["0123456789abcde0", "7718096048cbaec6"];

#[rstest]
#[case::statement("clauses/openvino.yaml", "says: Absolute values are added.", "says: Values are added.", &["norm"])]
#[case::level("clauses/openvino.yaml", "level: determined", "level: informative", &["norm"])]
#[case::citation("clauses/openvino.yaml", "where: Description", "where: Examples", &["norm"])]
#[case::japanese_citation("clauses/openvino.yaml", "where: Description", "where: Description\n    where_ja: 説明", &["norm"])]
#[case::source("clauses/openvino.yaml", "source: OpenVINO ReduceL1-4", "source: OpenVINO ReduceL1-5", &["norm", "open"])]
#[case::question("clauses/openvino.yaml", "questions: [subnormals]", "questions: [empty-set]", &["open"])]
#[case::sentence("sources/text.yaml", &source(FIRST[0], FIRST[1]), &source(SECOND[0], SECOND[1]), &["norm"])]
fn a_changed_clause_is_named_until_it_is_locked(
    #[case] file: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] clauses: &[&str],
) {
    let folder = corpus(RIGHT);
    let ledger = folder.path().join("clauses/openvino.yaml");
    let open = "  - name: open\n    level: open\n    says: It is silent.\n    where: Text\n    questions: [subnormals]\n";
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(ledger, text + open).unwrap();
    fs::create_dir(folder.path().join("sources")).unwrap();
    fs::write(folder.path().join("sources/text.yaml"), source(FIRST[0], FIRST[1])).unwrap();
    lock(folder.path(), &[]).exits_with(0);
    lock(folder.path(), &["--check"]).exits_with(0);

    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&path, text.replacen(from, to, 1)).unwrap();
    let changed = lock(folder.path(), &["--check"]).exits_with(1);
    let is_clause = |line: &&str| line.contains(" clause ");
    let named: Vec<&str> = changed.out.lines().filter(is_clause).collect();
    let expected: Vec<String> =
        clauses.iter().map(|name| format!("changed clause openvino/ReduceL1-4#{name}")).collect();
    assert_eq!(named, expected, "{}", changed.out);
    lock(folder.path(), &[]).exits_with(0);
    lock(folder.path(), &["--check"]).exits_with(0);
}

#[test]
fn a_question_that_another_clause_raises_is_named() {
    let folder = corpus(RIGHT);
    let ledger = folder.path().join("clauses/openvino.yaml");
    let text = fs::read_to_string(&ledger).unwrap();
    let open = |name: &str| {
        format!(
            "  - name: {name}\n    level: open\n    says: It is silent.\n    where: Text\n    questions: [subnormals]\n"
        )
    };
    fs::write(&ledger, text.clone() + &open("first")).unwrap();
    lock(folder.path(), &[]).exits_with(0);
    fs::write(&ledger, text + &open("first") + &open("second")).unwrap();
    let changed = lock(folder.path(), &["--check"]).exits_with(1);
    for line in ["added clause openvino/ReduceL1-4#second\n", "changed question subnormals\n"] {
        assert!(changed.out.contains(line), "{}", changed.out);
    }
}
