//! Tests malformed folders of cases and malformed ledgers: the error, its file and line.

use std::fs;
use std::path::{Path, PathBuf};

use normative_conformance::corpus::{LoadError, Problem, guard, load, load_ledger};
use normative_reference::Spec;
use proptest::prelude::*;
use rstest::rstest;
use tempfile::TempDir;

use crate::base_files::{BNNS, ONNX, edited};

/// Returns a directory with these files.
fn directory(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    dir
}

/// Returns the file (relative to the directory), line, and kind of every error.
fn briefly(dir: &TempDir, errors: &[LoadError]) -> Vec<(PathBuf, usize, String)> {
    let brief = |error: &LoadError| {
        let file = error.file.strip_prefix(dir.path()).unwrap().to_owned();
        let kind = format!("{:?}", error.problem);
        let kind = kind.split(|c: char| !c.is_alphanumeric()).next().unwrap().to_owned();
        (file, error.line, kind)
    };
    errors.iter().map(brief).collect()
}

#[test]
fn a_directory_is_read_in_sorted_order_without_its_ledger() {
    let dir = directory(&[
        ("onnx/ReduceL1/b.yaml", ONNX.as_bytes()),
        ("bnns/computeNorm/z.yaml", BNNS.as_bytes()),
        ("clauses/c.yaml", b"not: cases"),
        ("onnx/ReduceL1/a.yaml", ONNX.replace("id: onnx-l1", "id: onnx-l1-a").as_bytes()),
        ("README.md", b"Not a case either."),
    ]);
    let corpus = load(dir.path()).unwrap();
    let mut files: Vec<_> =
        corpus.cases.iter().map(|case| case.file.strip_prefix(dir.path()).unwrap()).collect();
    files.dedup();
    assert_eq!(
        files,
        ["bnns/computeNorm/z.yaml", "onnx/ReduceL1/a.yaml", "onnx/ReduceL1/b.yaml"].map(Path::new)
    );
}

#[test]
fn only_the_outermost_folder_of_clauses_is_the_ledger() {
    let dir = directory(&[("onnx/clauses/a.yaml", ONNX.as_bytes())]);
    assert_eq!(load(dir.path()).unwrap().cases.len(), 4 + 1 + 2);
}

#[test]
fn an_id_is_unique_in_the_corpus() {
    let dir = directory(&[("a.yaml", ONNX.as_bytes()), ("b.yaml", ONNX.as_bytes())]);
    let errors = load(dir.path()).unwrap_err();
    let duplicate = |line| (PathBuf::from("b.yaml"), line, "Duplicate".to_owned());
    assert_eq!(briefly(&dir, &errors), [duplicate(4), duplicate(12), duplicate(20)]);
    assert_eq!(errors[1].problem, Problem::Duplicate { file: dir.path().join("a.yaml"), line: 12 });
}

#[test]
fn every_file_that_is_wrong_is_reported() {
    let dir = directory(&[
        ("a.yaml", b"topic: a\nspecs: \xff\n"),
        ("b.yaml", b""),
        ("c.yaml", ONNX.as_bytes()),
        ("d.yaml", &vec![b'#'; guard::MAX_BYTES + 1]),
    ]);
    let expected = [("a.yaml", 2, "NotUtf8"), ("b.yaml", 1, "Yaml"), ("d.yaml", 1, "TooLong")];
    let expected = expected.map(|(file, line, kind)| (file.into(), line, kind.to_owned()));
    assert_eq!(briefly(&dir, &load(dir.path()).unwrap_err()), expected);
}

#[test]
fn nothing_is_passed_over_in_silence() {
    let dir = directory(&[("a.yaml", ONNX.as_bytes()), ("b.yml", b""), ("c/d.yml", b"")]);
    fs::create_dir(dir.path().join("folder.yaml")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(dir.path(), dir.path().join("loop")).unwrap();
    let found = briefly(&dir, &load(dir.path()).unwrap_err());
    let expected = if cfg!(unix) { vec!["b.yml", "c/d.yml", "loop"] } else { vec!["b.yml", "c/d.yml"] };
    let expected: Vec<_> =
        expected.into_iter().map(|file| (PathBuf::from(file), 1, "NotACaseFile".to_owned())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_corpus_without_files_is_an_error() {
    let dir = directory(&[("clauses/a.yaml", b"")]);
    assert_eq!(briefly(&dir, &load(dir.path()).unwrap_err()), [(PathBuf::new(), 1, "NoFiles".to_owned())]);
    let missing = dir.path().join("missing");
    let errors = load(&missing).unwrap_err();
    assert!(
        matches!(&errors[..], [LoadError { file, problem: Problem::Unreadable(_), .. }] if *file == missing)
    );
    let file = dir.path().join("clauses/a.yaml");
    assert!(matches!(&load(&file).unwrap_err()[..], [LoadError { problem: Problem::NotAFolder, .. }]));
}

const LEDGER: &str = "\
source: ONNX ReduceL1
specs: [onnx/ReduceL1-1, onnx/ReduceL1-11]
clauses:
  - name: axes-range
    level: determined
    says: Each axis is in [-r, r-1].
    where: Attributes, axes
    specs: [onnx/ReduceL1-11]
  - name: axes
    level: open
    says: A list of axes; nothing forbids [1, 1].
    where: Attributes
    where_ja: 属性
    questions: [duplicate-axes]
";

#[test]
fn a_ledger_has_a_clause_for_every_spec_that_says_so() {
    let dir = directory(&[("onnx.yaml", LEDGER.as_bytes())]);
    let ledger = load_ledger(dir.path()).unwrap();
    let names: Vec<_> = ledger.iter().map(|clause| clause.clause.to_string()).collect();
    assert_eq!(names, ["onnx/ReduceL1-11#axes-range", "onnx/ReduceL1-1#axes", "onnx/ReduceL1-11#axes"]);
    let [one, eleven] = ["onnx/ReduceL1-1", "onnx/ReduceL1-11"].map(|name| Spec::from_name(name).unwrap());
    assert_eq!(ledger.get(one, "axes-range"), None);
    let axes = ledger.get(eleven, "axes").unwrap();
    assert_eq!(
        (axes.line, axes.source.as_str(), axes.place_ja.as_deref()),
        (9, "ONNX ReduceL1", Some("属性"))
    );
    assert_eq!(axes.questions, [normative_reference::Question::DuplicateAxes]);
}

#[rstest]
#[case::unknown_field("level: open", "grade: open", "Yaml", 10, "axes")]
#[case::unknown_level("level: open", "level: closed", "Yaml", 10, "axes")]
#[case::null_place("where_ja: 属性", "where_ja:", "Text", 13, "axes")]
#[case::empty_statement("says: Each axis is in [-r, r-1].", "says: ''", "Text", 6, "axes-range")]
#[case::capital("name: axes-range", "name: Axes", "BadName", 4, "Axes")]
#[case::duplicate("name: axes-range", "name: axes", "Duplicate", 9, "axes")]
#[case::unknown_spec("    specs: [onnx/ReduceL1-11]", "    specs: [onnx-12]", "UnknownSpec", 8, "axes-range")]
#[case::unknown_question("[duplicate-axes]", "[axes]", "UnknownQuestion", 14, "axes")]
#[case::repeated_question("[duplicate-axes]", "[duplicate-axes, duplicate-axes]", "Repeated", 14, "axes")]
#[case::no_questions("[duplicate-axes]", "[]", "EmptyList", 14, "axes")]
#[case::open_without_a_question("    questions: [duplicate-axes]\n", "", "Questions", 9, "axes")]
#[case::question_of_what_is_determined("level: open", "level: determined", "Questions", 14, "axes")]
#[case::alias("level: open", "level: *open", "Refused", 10, "axes")]
fn a_malformed_ledger_is_refused_where_it_is_malformed(
    #[case] from: &str,
    #[case] to: &str,
    #[case] kind: &str,
    #[case] line: usize,
    #[case] clause: &str,
) {
    let dir = directory(&[("onnx.yaml", edited(LEDGER, from, to).as_bytes())]);
    let errors = load_ledger(dir.path()).unwrap_err();
    assert_eq!(briefly(&dir, &errors), [(PathBuf::from("onnx.yaml"), line, kind.to_owned())], "{errors:?}");
    assert_eq!(errors[0].case.as_deref(), Some(clause));
}

#[test]
fn a_clause_is_unique_over_all_ledger_files() {
    let dir = directory(&[("a.yaml", LEDGER.as_bytes()), ("b.yaml", LEDGER.as_bytes())]);
    let errors = load_ledger(dir.path()).unwrap_err();
    let duplicate = |line| (PathBuf::from("b.yaml"), line, "Duplicate".to_owned());
    assert_eq!(briefly(&dir, &errors), [duplicate(4), duplicate(9)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_bytes_panic(bytes: Vec<u8>) {
        let dir = directory(&[("a.yaml", &bytes)]);
        prop_assert!(load(dir.path()).is_err());
        prop_assert!(load_ledger(dir.path()).is_err());
    }
}
