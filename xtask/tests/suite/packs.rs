//! Vectors of other projects agree with the reference, and `cases import` makes folders of them that can be run.
//!
//! WPT's tests of WebNN are kept in `tests/packs`; the grid of reference BLAS needs no file. `docs/packs.md` lists
//! other packs with their sources and results.

use std::fs;
use std::path::PathBuf;

use rstest::rstest;
use sha2::{Digest as _, Sha256};

use crate::common::page::root;
use crate::common::run;

fn pack(file: &str) -> PathBuf {
    root().join("xtask/tests/packs/webnn").join(file)
}

#[rstest]
#[case::l1("reduce_l1.json", 45)]
#[case::l2("reduce_l2.json", 43)]
fn every_vector_of_wpt_is_what_the_reference_says(#[case] file: &str, #[case] vectors: usize) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("cases");
    let said = run(&["cases", "import", pack(file).to_str().unwrap(), "--output", output.to_str().unwrap()]);
    // Exit code 0: every vector became a case.
    assert_eq!(said.exits_with(0).out.lines().count(), 1);
    let back = run(&["cases", "lint", "--cases", output.to_str().unwrap()]).exits_with(0);
    assert!(
        back.out.starts_with(&format!("{vectors} cases, {vectors} expanded: nothing to mend")),
        "{}",
        back.out
    );
}

#[rstest]
#[case::l1("reduce_l1.json")]
#[case::l2("reduce_l2.json")]
fn a_kept_pack_has_the_checksum_that_its_page_states(#[case] file: &str) {
    let bytes = fs::read(pack(file)).unwrap();
    // Text files here end with a line feed, and the original does not.
    let digest = Sha256::digest(bytes.strip_suffix(b"\n").unwrap());
    let hex = digest.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    let page = fs::read_to_string(root().join("docs/packs.md")).unwrap();
    assert!(page.contains(&format!("`{file}` {hex}")), "{file} {hex}");
}

#[test]
fn a_vector_that_states_another_norm_is_named_and_makes_no_case() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(pack("reduce_l1.json")).unwrap();
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let stated = &mut file["tests"][0]["graph"]["expectedOutputs"]["reduceL1Output"]["data"];
    // The result is two floats above the only element.
    *stated = serde_json::json!(stated.as_f64().unwrap() * (1.0 + 3.0 / f64::from(1 << 24)));
    let changed = folder.path().join("changed.json");
    fs::write(&changed, file.to_string()).unwrap();
    let output = folder.path().join("cases");
    run(&["cases", "import", changed.to_str().unwrap(), "--output", output.to_str().unwrap()])
        .exits_with(1)
        .prints(
            "float32 0D constant tensor default options: its own output is not what the specification says",
        )
        .prints("44 cases written");
}

#[test]
fn the_grid_of_reference_blas_agrees_and_its_folder_runs_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("cases");
    let output = output.to_str().unwrap();
    run(&["cases", "import", "--grid", "--output", output]).exits_with(0).prints("2480 cases written");
    let record = folder.path().join("record.ndjson");
    let record = ["--record", record.to_str().unwrap()];
    let judged = ["conformance", "--backend", "ndarray", "--cases", output, "--property", "0"];
    run(&[&judged[..], &record].concat()).exits_with(0).prints(": 2480 conform of 2480 cases");
}

#[test]
fn a_case_written_by_hand_runs_from_a_folder_without_a_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("mine");
    fs::create_dir(&cases).unwrap();
    let text = "topic: A call of mine\nspecs: [webnn/reduceL1-20260122]\ncases:\n  - id: webnn-l1-of-mine\n    \
                clauses: [norm]\n    why: One that adds without magnitudes gives -1.\n    dtypes: [f32]\n    \
                data: {shape: [2], values: [1, -2]}\n    expect: {shape: [], values: [3]}\n";
    fs::write(cases.join("mine.yaml"), text).unwrap();
    let record = folder.path().join("record.ndjson");
    let cases = cases.to_str().unwrap();
    let judged = ["conformance", "--backend", "ndarray", "--cases", cases, "--property", "0", "--record"];
    run(&[&judged[..], &[record.to_str().unwrap()]].concat()).exits_with(0).prints(": 1 conform of 1 cases");
}

#[test]
fn help_of_import_says_where_each_pack_is_from() {
    let help = run(&["cases", "import", "--help"]).exits_with(0).out;
    for pack in ["ONNX backend tests", "CORE-MATH", "ITF1788", "WPT webnn", "reference BLAS"] {
        let line = help.lines().find(|line| line.trim_start().starts_with(pack));
        assert!(line.is_some_and(|line| line.ends_with(')')), "the licence of {pack}: {line:?}");
    }
}
