//! The commands from a user's view: output, exit codes, and a backend in any folder. They build runners, so the first
//! run takes a while.

use std::fs;
use std::path::Path;

use crate::common::{RIGHT, Run, backend, corpus, own_record, run};
use rstest::rstest;
use tempfile::TempDir;

#[test]
fn a_crate_anywhere_on_the_disk_is_judged_and_cannot_end_the_run() {
    let crates = tempfile::tempdir().unwrap();
    let cases = corpus(RIGHT);
    let judge = |path: &Path, more: &[&str]| {
        let (path, cases) = (path.to_str().unwrap(), cases.path().to_str().unwrap());
        let few = ["conformance", "--backend", path, "--cases", cases, "--property", "0"];
        run(&[&few, more].concat())
    };

    let declines = backend(crates.path(), "declines", "Answer::Unsupported(\"nothing yet\".into())");
    let declined =
        judge(&declines, &[]).exits_with(2).prints("shows nothing: \"declines 7\": 7 unsupported of 7 cases");
    assert!(declined.err.contains("no case was executed"), "{}", declined.err);

    let unchanged = backend(crates.path(), "unchanged", "Answer::Tensor(call.data.clone())");
    let failed = judge(&unchanged, &[])
        .exits_with(1)
        .prints(
            "FAIL openvino-l1-all-of-a-vector/ReduceL1-4/f32\n  clause    openvino/ReduceL1-4#norm: Absolute",
        )
        .prints("does not conform: \"unchanged 7\": 1 conform, 6 fail of 7 cases");
    let again: Vec<&str> = failed.out.lines().filter_map(|line| line.strip_prefix("  again     ")).collect();
    assert_eq!(again.len(), 6, "one command a failure");
    for command in again {
        let arguments: Vec<&str> = command.strip_prefix("cargo xtask ").unwrap().split(' ').collect();
        let name = arguments.last().unwrap();
        let alone = run(&arguments).exits_with(1).prints(&format!("FAIL {name}\n"));
        alone.prints("does not conform: \"unchanged 7\": 1 fail, 6 filtered out of 7 cases");
    }
    judge(&unchanged, &["--case", "scalar"]).exits_with(0).prints("empty-axes-identity  x");

    let path = unchanged.to_str().unwrap();
    let generated = run(&["conformance", "--backend", path, "--property", "40", "--seed", "9", "--all"])
        .exits_with(1)
        .prints("FAIL generated-9:")
        .prints("generated, seed 9 ")
        .prints(" of 40 generated calls");
    let mut again = generated.out.lines().filter_map(|line| line.strip_prefix("  again     cargo xtask "));
    let again = again.rfind(|command| command.contains("--case 9:")).unwrap();
    let id = again.rsplit_once(' ').unwrap().1;
    run(&again.split(' ').collect::<Vec<_>>())
        .exits_with(1)
        .prints(&format!("FAIL generated-{id}/"))
        .prints("filtered out of ")
        .prints("cases; 1 fail of 1 generated calls");
    judge(&declines, &["--property", "3"]).exits_with(2);

    // With many failures the report shows the causes, and the next steps last.
    let wide = run(&["conformance", "--backend", path, "--spec", "bnns", "--property", "0"]).exits_with(1);
    let wide = wide.prints("DEFECT 1 of ").prints("\nnext: cargo xtask conformance --backend ");
    assert!(wide.out.ends_with("report show FILE --all | less\n"), "{}", wide.out);
    assert!(!wide.out.contains("\nFAIL "), "{}", wide.out);

    // The unchanged data have the wrong dims. With other kinds in `--fail-on`, the report still says so.
    judge(&unchanged, &["--fail-on", "died,lenient"])
        .exits_with(0)
        .prints("does not conform: \"unchanged 7\": ");
    judge(&unchanged, &["--fail-on", "died,form"]).exits_with(1);
    judge(&unchanged, &["--fail-on", "slow"]).exits_with(2);

    let falls_over = backend(
        crates.path(),
        "falls-over",
        "match call.data.dtype() {
            _ if call.data.rank() == 0 => panic!(\"no scalars\"),
            Dtype::I8 => std::process::abort(),
            Dtype::U8 => loop { std::thread::park() },
            _ => Answer::Tensor(call.data.clone()),
        }",
    );
    judge(&falls_over, &["--timeout", "1"])
        .exits_with(1)
        .prints("CRASH openvino-l1-all-of-a-vector/ReduceL1-4/i8\n")
        .prints("TIMEOUT openvino-l1-all-of-a-vector/ReduceL1-4/u8\n")
        .prints("CRASH openvino-l1-scalar/ReduceL1-4/f32\n")
        .prints("no scalars")
        .prints("FAIL openvino-l1-a-row/ReduceL1-4/f32\n")
        .prints("does not conform: \"falls-over 7\": 4 fail, 3 died of 7 cases");
}

/// Makes a backend that is wrong for some types, in a crate of this name.
fn wrong_of_bytes(folder: &Path, name: &str) -> std::path::PathBuf {
    backend(
        folder,
        name,
        "match call.data.dtype() {
            Dtype::I8 | Dtype::U8 => Answer::Rejected(\"no bytes\".into()),
            _ => Answer::Tensor(call.data.clone()),
        }",
    )
}

#[test]
fn cases_are_picked_by_several_names_ids_and_texts_and_each_has_to_pick_some() {
    let cases = corpus(RIGHT);
    let cases = cases.path().to_str().unwrap();
    let list = |options: &[&str]| run(&[&["conformance", "--list", "--cases", cases], options].concat());
    let one = "openvino-l1-one-row/ReduceL1-4/f32\n";
    let vector: String = ["f32", "i8", "u8", "f64"]
        .map(|dtype| format!("openvino-l1-all-of-a-vector/ReduceL1-4/{dtype}\n"))
        .concat();
    let id = ["--case", "openvino-l1-all-of-a-vector"];
    assert_eq!(list(&id).exits_with(0).out, vector);
    let both = list(&[&id[..], &["--case", "openvino-l1-one-row/ReduceL1-4/f32"]].concat());
    assert_eq!(both.exits_with(0).out, format!("{vector}{one}"));
    let with_text = list(&["--case", "one-row", "--case", "scalar"]).exits_with(0).out;
    assert_eq!(with_text, format!("{one}openvino-l1-scalar/ReduceL1-4/f32\n"));
    assert_eq!(list(&["--case", "one-row", "--case", id[1]]).exits_with(0).out, format!("{one}{vector}"));
    list(&["--case", "one-row", "--case", "no such"]).refuses(&["no case is named no such"]);
    // A text that is not in any name is answered with the nearest id.
    list(&["--case", "openvino-l1-one-rwo"])
        .refuses(&["no case is named openvino-l1-one-rwo; did you mean `openvino-l1-one-row`"]);
    list(&["--case", "one-row", "--spec", "onnx"])
        .refuses(&["no case of 7 matches --spec \"onnx\" --case \"one-row\""]);
}

#[test]
fn a_narrowed_run_leaves_the_record_of_the_full_run_and_what_failed_there_is_asked_again() {
    let crates = tempfile::tempdir().unwrap();
    let cases = corpus(RIGHT);
    let path = wrong_of_bytes(crates.path(), "of-bytes");
    let path = path.to_str().unwrap();
    let judge = |more: &[&str]| {
        let few =
            ["conformance", "--backend", path, "--cases", cases.path().to_str().unwrap(), "--repeat", "0"];
        run(&[&few, more].concat())
    };
    let none = judge(&["--case", "last-failed"]).exits_with(2);
    assert!(
        none.err.contains("--case last-failed needs a full run first: cargo xtask conformance --backend ")
    );
    assert!(
        none.err.contains("expected the record of a run, got no file") && none.out.is_empty(),
        "{}",
        none.err
    );

    let full = judge(&["--property", "200", "--all"]).exits_with(1);
    let failing = |run: &Run| -> std::collections::BTreeSet<String> {
        run.out.lines().filter_map(|line| line.strip_prefix("FAIL ")).map(str::to_owned).collect()
    };
    assert!(failing(&full).iter().any(|name| name.starts_with("generated-1:")), "{}", full.out);
    // These runs are not full runs, so `--case last-failed` still asks the failures of the first.
    judge(&["--case", "openvino-l1-one-row"]).exits_with(1);
    judge(&["--case", "scalar"]).exits_with(0);
    judge(&["--spec", "openvino/ReduceL1-4", "--property", "0"]).exits_with(1);
    judge(&["--case", "1:3"]);
    for _ in 0..2 {
        let last = judge(&["--case", "last-failed", "--all"]).exits_with(1);
        assert_eq!(failing(&last), failing(&full));
        let asked = failing(&full).len();
        let cases = failing(&full).iter().filter(|name| !name.starts_with("generated-")).count();
        last.prints(&format!(
            "{cases} fail, {} filtered out of 7 cases; {} fail of ",
            7 - cases,
            asked - cases
        ));
    }
    for option in [["--case", "x"], ["--spec", "onnx"], ["--case", "1:1"]] {
        judge(&[&["--case", "last-failed"][..], &option].concat()).refuses(&["last-failed"]);
    }
}

#[test]
fn a_defect_is_named_by_its_number_in_the_last_full_run() {
    let refused = |backend: &str, arguments: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        let run = run(&[arguments, &["--backend", backend, "--output", output.to_str().unwrap()]].concat());
        assert!(!output.exists());
        run.exits_with(2).err
    };
    // This backend has no stand-alone reproduction, whatever the call.
    assert!(refused("ndarray", &["repro", "1"]).contains("no stand-alone reproduction for ndarray yet"));
    let none = refused("numpy@0.0.1", &["repro", "1"]);
    assert!(
        none.contains("a defect is one of the last full run: cargo xtask conformance --backend numpy@0.0.1"),
        "{none}"
    );
    assert!(none.contains("expected the record of a run, got no file"), "{none}");
    let none = run(&["bisect", "numpy", "--defect", "1", "--case", "x"]).exits_with(2).err;
    assert!(none.contains("cannot be used with"), "{none}");
}

#[test]
fn a_conforming_backend_exits_with_0_and_prints_the_same_bytes_every_time() {
    let (_folder, record) = own_record();
    let arguments =
        ["conformance", "--backend", "ndarray", "--spec", "openvino", "--record", &record, "--all"];
    let first = run(&arguments)
        .exits_with(0)
        .prints("generated, seed 1 ")
        .prints("; 10000 conform of 10000 generated calls")
        .prints("run  conforms  fails  died  unsupported  open\nopenvino/ReduceL1-4 ")
        .prints("\ntype  terms")
        .prints("empty-axes-identity")
        .prints("\nconforms with 2 hazards: \"ndarray 0.17\": ");
    assert_eq!(run(&arguments).out, first.out);
    assert!(!first.err.is_empty(), "progress goes to standard error");
}

#[test]
fn a_demanded_reading_fails_a_backend_that_takes_another() {
    let (_folder, record) = own_record();
    let judge = |reading| {
        let pinned = ["--spec", "onnx/ReduceL1-18", "--reading", reading, "--record", &record];
        run(&[&["conformance", "--backend", "ndarray"], &pinned[..]].concat())
    };
    judge("noop-empty-axes=x").exits_with(0);
    let failed = judge("noop-empty-axes=norm-of-each-element")
        .exits_with(1)
        .prints("expected noop-empty-axes to be read as norm-of-each-element, got x");
    let again = failed.out.lines().find_map(|line| line.strip_prefix("  again     cargo xtask ")).unwrap();
    let again = shell_words::split(again).unwrap();
    run(&again).exits_with(1).prints("noop-empty-axes");
}

#[test]
fn smoke_checks_the_adapter_and_a_command_is_judged_like_the_crate_it_was_built_from() {
    run(&["smoke", "--backend", "ndarray"])
        .exits_with(0)
        .prints("hello                 ok\n")
        .prints("onnx/ReduceL2-18      ok\n")
        .prints("the end               ok\n");
    // The workers that it builds lie beside this xtask.
    let target = Path::new(env!("CARGO_BIN_EXE_xtask")).ancestors().nth(2).unwrap();
    let worker = target.join("release/runner-of-normative-backend-ndarray");
    // Link to it by a name that needs quotes.
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("it's a worker");
    std::os::unix::fs::symlink(worker, &link).unwrap();
    let command = format!("cmd:{} 'an argument'", shell_words::quote(link.to_str().unwrap()));
    let pinned = ["--spec", "onnx/ReduceL1-18", "--reading", "noop-empty-axes=norm-of-each-element"];
    let failed = run(&[&["conformance", "--backend", &command][..], &pinned].concat()).exits_with(1);
    assert!(!failed.err.contains("building"), "{}", failed.err);
    let again = failed.out.lines().find_map(|line| line.strip_prefix("  again     cargo xtask ")).unwrap();
    let words = shell_words::split(again).unwrap();
    assert!(words.contains(&command), "{again}");
    run(&words).exits_with(1).prints("noop-empty-axes");
}

#[rstest]
#[case::malformed("expect: {shape: [2], values: [1, 2]", &["few.yaml:", "the cases cannot be used"])]
#[case::unknown_field("expct: {unchanged: true}", &["few.yaml:", "expct"])]
#[case::of_the_wrong_length(
    "expect: {shape: [2], values: [1]}",
    &["few.yaml:31: openvino-l1-a-row: expect.values"]
)]
#[case::at_odds_with_the_reference(
    "expect: {shape: [2], values: [1, 3]}",
    &["few.yaml:25: case openvino-l1-a-row/ReduceL1-4/f32: element 1: expected the exact value 2, the nearest f32 2, got 3"]
)]
fn nobody_is_judged_by_cases_that_are_wrong(#[case] last_case: &str, #[case] because: &[&str]) {
    let cases = corpus(last_case);
    let cases = cases.path().to_str().unwrap();
    run(&["conformance", "--backend", "ndarray", "--cases", cases]).refuses(because);
}

#[test]
fn a_ledger_that_cannot_be_read_judges_nobody() {
    let cases = corpus(RIGHT);
    fs::write(cases.path().join("clauses/openvino.yaml"), "source: 3\n").unwrap();
    let cases = cases.path().to_str().unwrap();
    run(&["conformance", "--backend", "ndarray", "--cases", cases]).refuses(&["ledger"]);
}

#[test]
fn files_that_say_the_same_are_written_the_same() {
    let (one, other) = (corpus(RIGHT), corpus("# Why\n    expect: {shape: [2], values: [1, 2]}"));
    let read = |folder: &TempDir| {
        ["clauses/openvino.yaml", "openvino/ReduceL1/few.yaml"]
            .map(|file| fs::read_to_string(folder.path().join(file)).unwrap())
    };
    let fmt = |folder: &TempDir, more: &[&str]| {
        run(&[&["cases", "fmt", "--cases", folder.path().to_str().unwrap()], more].concat())
    };
    let before = read(&one);
    fmt(&one, &["--check"]).exits_with(1).prints("few.yaml\n1 files differ\n");
    assert_eq!(read(&one), before, "a check writes nothing");
    fmt(&one, &[]).exits_with(0).prints("few.yaml\n1 files changed\n");
    let canonical = read(&one);
    assert_eq!(fmt(&one, &["--check"]).exits_with(0).out, "0 files differ\n");

    let before = read(&other);
    fmt(&other, &[]).refuses(&["few.yaml:31: expected comments"]);
    assert_eq!(read(&other), before, "a file that is refused stays, and so do all others");
    let [ledger, few] = before.map(|text| text.replace("# Why\n    ", ""));
    let ledger = ledger.replace("level: determined", "'level': \"determined\"\n");
    fs::write(other.path().join("clauses/openvino.yaml"), ledger).unwrap();
    fs::write(other.path().join("openvino/ReduceL1/few.yaml"), few.replace("why: It", "why: >-\n      It"))
        .unwrap();
    fmt(&other, &[]).exits_with(0).prints("2 files changed\n");
    assert_eq!(read(&other), canonical);
}

#[rstest]
fn a_command_about_the_whole_corpus_offers_nothing_that_narrows_it(
    #[values("fmt", "coverage", "lock")] command: &str,
    #[values("--spec", "--case")] option: &str,
) {
    run(&["cases", command, option, "onnx"]).refuses(&[option]);
}

#[test]
fn laws_are_broken_by_an_answer_that_contradicts_another_and_each_repeats_alone() {
    let crates = tempfile::tempdir().unwrap();
    let unchanged = backend(crates.path(), "contradicts", "Answer::Tensor(call.data.clone())");
    let path = unchanged.to_str().unwrap();
    let broken = run(&["conformance", "--backend", path, "--laws", "--property", "40"])
        .exits_with(1)
        .prints("BROKEN signs: ")
        .prints("\nlaw                 held  broken  declined  does not apply\nsame-call ");
    let mut again = broken.out.lines().filter_map(|line| line.strip_prefix("  again     cargo xtask "));
    let again: Vec<&str> = again.next_back().unwrap().split(' ').collect();
    run(&again).exits_with(1).prints("BROKEN ");
    let none = run(&["conformance", "--backend", path, "--laws", "--property", "0"]).exits_with(2);
    assert!(none.err.contains("no law applied"), "{}", none.err);
}

#[test]
fn explain_works_out_the_element_that_is_asked_for() {
    let explained =
        |element: &str| run(&["explain", "bnns-page-axis-2", "--element", element]).exits_with(0).out;
    assert!(explained("0").contains("\n  terms     1, 10, 100, 1000\n"));
    assert!(explained("5").contains("\n  terms     6, 60, 600, 6000\n"));
    assert!(explained("6").contains("\n  the output has no element 6\n"));
}
