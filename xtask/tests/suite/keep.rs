//! A planted failure in a backend outside the workspace: hunted, shrunk, kept, adopted, and then a case of the corpus.
//! The test builds a runner, so the first run takes a while.

use std::fs;

use crate::common::page::{copy, planted, root};
use crate::common::run;

#[test]
fn a_planted_disagreement_becomes_a_case_with_two_commands() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases");
    copy(&root().join("cases"), &cases);
    let planted = planted(&folder.path().join("planted"), "outside-planted");
    let (planted, dir) = (planted.to_str().unwrap(), cases.to_str().unwrap());

    let found = folder.path().join("found");
    let few = ["--spec", "onnx/ReduceL1-13", "--property", "6000"];
    let asked = [&["conformance", "--backend", planted, "--cases", dir][..], &few].concat();
    let keeps = |record: &str| {
        let record = folder.path().join(record);
        let more = ["--record", record.to_str().unwrap(), "--keep", found.to_str().unwrap()];
        run(&[&asked[..], &more].concat())
    };
    let err = keeps("1.ndjson").exits_with(1).err;
    let kept: Vec<_> = fs::read_dir(&found).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [lying] = &kept[..] else { panic!("one defect makes one case, got {kept:?}\n{err}") };
    let id = &lying.file_stem().unwrap().display().to_string();
    assert!(
        id.starts_with("onnx-l1-found-") && err.contains(&format!("kept {}: ", lying.display())),
        "{err}"
    );
    let text = fs::read_to_string(lying).unwrap();
    assert!(text.contains("data: {shape: [1, 5], repeat: 0}\n    axes: [-2]\n"), "{text}");
    keeps("2.ndjson").exits_with(1);
    assert_eq!(fs::read_to_string(lying).unwrap(), text, "the same again");
    let (lying, name) = (lying.clone(), format!("{id}/ReduceL1-18/f32"));
    let at = found.to_str().unwrap();

    // The kept file can be run in its folder, and is in order.
    run(&["conformance", "--backend", planted, "--cases", at, "--case", &name]).exits_with(1);
    run(&["cases", "fmt", "--cases", at]).exits_with(0);
    run(&["cases", "lint", "--cases", at]).exits_with(0);
    let text = fs::read_to_string(&lying).unwrap();

    let adopt = ["cases", "adopt", lying.to_str().unwrap(), "--into", "axes", "--cases", dir];
    let adopted = run(&adopt).exits_with(0).out;
    assert!(adopted.starts_with(&format!("adopted {name} into {dir}/onnx/axes.yaml\n")), "{adopted}");
    assert!(!lying.exists());
    let record = format!("{dir}/../record");
    let judged = |backend, code| {
        let of_it =
            ["conformance", "--backend", backend, "--cases", dir, "--case", &name, "--record", &record];
        run(&of_it).exits_with(code);
    };
    judged(planted, 1);
    judged("ndarray", 0);
    run(&["cases", "lint", "--cases", dir]).exits_with(0);
    assert_eq!(run(&["cases", "fmt", "--check", "--cases", dir]).exits_with(0).out, "0 files differ\n");

    // The corpus refuses a case that it has, under the same name or another.
    fs::write(&lying, &text).unwrap();
    let err = run(&adopt).exits_with(2).err;
    assert!(err.contains(&format!("already has a case {id}")), "{err}");
    fs::write(&lying, text.replace(id, "onnx-l1-another-name")).unwrap();
    let err = run(&adopt).exits_with(2).err;
    assert!(err.contains(&format!("makes this call already, as {name}")), "{err}");
    assert!(lying.exists());
}

#[test]
fn a_file_that_is_not_in_order_is_not_adopted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.yaml");
    let case = "topic: Wrong\nspecs: [onnx/ReduceL1-13]\ncases:\n  - id: onnx-l1-wrong\n    clauses: [CLAUSE]\n    why: None.\n    \
        dtypes: [f32]\n    data: {shape: [1], values: [77]}\n    expect: {shape: [1], values: [VALUE]}\n";
    for (clause, value, because) in [
        ("norm", "78", "expected the exact value 77"),
        ("no-such-clause", "77", "no clause onnx/ReduceL1-13#no-such-clause"),
    ] {
        fs::write(&file, case.replace("CLAUSE", clause).replace("VALUE", value)).unwrap();
        run(&["cases", "adopt", file.to_str().unwrap()]).refuses(&[because]);
        assert!(file.exists());
    }
}
