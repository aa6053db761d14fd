//! Runs that are cut, stopped, killed, continued or split: nothing that was answered is lost, and the report is
//! the one of a run that nobody disturbed.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{RIGHT, Run, backend, corpus, run, xtask};
use rstest::rstest;

const FEW: [&str; 7] = ["conformance", "--backend", "ndarray", "--spec", "bnns", "--property", "400"];

fn few(more: &[&str]) -> Run {
    run(&[&FEW, more].concat())
}

/// The report without what tells how the worker fared.
fn lines(record: &Path) -> usize {
    fs::read_to_string(record).map_or(0, |text| text.lines().count())
}

#[test]
fn parts_of_a_run_add_up_to_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let whole = few(&["--record", &path("whole")]).exits_with(0);
    assert_eq!(run(&["report", "show", &path("whole")]).exits_with(0).out, whole.out);

    let parts: Vec<String> = (1..=4).map(|part| path(&format!("part-{part}"))).collect();
    let part = |part: usize| format!("hash:{part}/4");
    for (at, file) in parts.iter().enumerate().skip(1) {
        few(&["--partition", &part(at + 1), "--record", file]).exits_with(0).prints(" filtered out of ");
    }
    let merge = |files: &[&str], more: &[&str]| run(&[&["report", "merge"], files, more].concat());
    let files: Vec<&str> = parts.iter().map(String::as_str).collect();
    merge(&files[1..], &[]).refuses(&["of 4 parts there is no 1"]);
    merge(&[&[files[1]], &files[1..]].concat(), &[]).refuses(&["part-2: part 2 is there twice"]);
    few(&["--partition", &part(1), "--record", files[0], "--seed", "2"]).exits_with(0);
    merge(&files, &[]).refuses(&["part-2: that is a part of another run than the first"]);
    few(&["--partition", &part(1), "--record", files[0]]).exits_with(0);

    let merged = merge(&files, &["--record", &path("merged")]).exits_with(0);
    assert_eq!(merged.out, whole.out);
    assert_eq!(fs::read(path("merged")).unwrap(), fs::read(path("whole")).unwrap());
    merge(&[&path("whole")], &[]).refuses(&["whole: that is no part"]);
}

#[test]
fn a_run_that_was_cut_off_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (record, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let whole = few(&["--record", record.to_str().unwrap()]).exits_with(0);
    let bytes = fs::read(&record).unwrap();
    let cut_path = cut.to_str().unwrap();
    // Inside a case, inside a generated call, and before the end alone.
    for keep in [bytes.len() / 10, bytes.len() * 3 / 4, bytes.len() - 10] {
        fs::write(&cut, &bytes[..keep]).unwrap();
        let shown = run(&["report", "show", cut_path]);
        assert!(shown.out.starts_with(|_| true), "{}", shown.err);
        if keep < bytes.len() - 10 {
            let shown =
                shown.exits_with(2).prints("\nPARTIAL: the run was stopped. ndarray 0.17 conforms as far");
            assert!(shown.err.contains("--resume goes on with it"), "{}", shown.err);
            shown.prints(" missing of ");
        }
        let resumed = few(&["--record", cut_path, "--resume"]).exits_with(0);
        assert_eq!(resumed.out, whole.out);
        assert!(resumed.err.contains(" of them on record in "), "{}", resumed.err);
        assert_eq!(fs::read(&cut).unwrap(), bytes);
    }
    few(&["--record", cut_path, "--resume"]).exits_with(2);
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let other = few(&["--record", cut_path, "--resume", "--seed", "3"]).exits_with(2);
    assert!(other.err.contains("that run was of something else: seed was 1, is 3"), "{}", other.err);
    let none = folder.path().join("none");
    let none = few(&["--record", none.to_str().unwrap(), "--resume"]).exits_with(2);
    assert!(none.err.contains("there is no record of a run"), "{}", none.err);
}

#[rstest]
#[case::no_record("Hello!\n", "line 1: ")]
#[case::nothing("", "it does not begin as the record of a run does")]
#[case::no_header(
    r#"{"case":{"name":"a","spec":"onnx/ReduceL1-1","dtype":"f32","verdict":"unsupported","answer":{"unsupported":"no"}}}
"#,
    "it does not begin"
)]
#[case::of_another_format("{\"run\":{\"format\":1}}\n", "it is of format 1, this is format 3")]
fn a_file_that_is_no_record_is_told_apart(#[case] text: &str, #[case] because: &str) {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, text).unwrap();
    run(&["report", "show", file.path().to_str().unwrap()]).refuses(&[because]);
}

/// A run of a backend that takes its time, some of its calls answered.
fn begin(slow: &str, cases: &str, record: &Path) -> Child {
    let arguments = slow_run(slow, cases, record);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let child = xtask(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while lines(record) < 20 {
        assert!(started.elapsed() < Duration::from_secs(300), "the run does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

fn slow_run(slow: &str, cases: &str, record: &Path) -> Vec<String> {
    let few = [
        "conformance",
        "--backend",
        slow,
        "--cases",
        cases,
        "--property",
        "100",
        "--repeat",
        "0",
        "--record",
    ];
    few.into_iter().chain([record.to_str().unwrap()]).map(str::to_owned).collect()
}

#[test]
fn a_run_that_is_stopped_or_killed_loses_nothing_that_was_answered() {
    let crates = tempfile::tempdir().unwrap();
    let cases = corpus(RIGHT);
    let cases = cases.path().to_str().unwrap();
    let slow = backend(
        crates.path(),
        "slow",
        "std::thread::sleep(std::time::Duration::from_millis(25)); Answer::Tensor(call.data.clone())",
    );
    let slow = slow.to_str().unwrap();
    let record = crates.path().join("record");
    let resume = |more: &[&str]| {
        let arguments = slow_run(slow, cases, &record);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(more.iter().copied()).collect();
        run(&arguments).exits_with(1)
    };
    let undisturbed = resume(&[]).out;
    let whole = fs::read(&record).unwrap();

    for signal in ["-INT", "-TERM", "-KILL"] {
        fs::remove_file(&record).unwrap();
        let child = begin(slow, cases, &record);
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        if signal == "-KILL" {
            assert_eq!(output.status.code(), None);
        } else {
            assert_eq!(output.status.code(), Some(1), "{out}");
            assert!(out.contains("\nPARTIAL: the run was stopped. slow 7 does not conform: "), "{out}");
            assert!(out.contains(" missing of 100 generated calls"), "{out}");
        }
        let kept = fs::read(&record).unwrap();
        assert!(kept.len() < whole.len());
        let shown = run(&["report", "show", record.to_str().unwrap(), "--cases", cases]).exits_with(1);
        if signal == "-KILL" {
            shown.prints("PARTIAL");
        } else {
            assert_eq!(shown.out, out);
        }
        let resumed = resume(&["--resume"]);
        assert_eq!(resumed.out, undisturbed);
        assert_eq!(fs::read(&record).unwrap(), whole);
    }
}

#[test]
fn a_backend_that_changes_its_data_or_its_mind_is_caught() {
    let crates = tempfile::tempdir().unwrap();
    let cases = corpus(RIGHT);
    let judge = |path: &Path, more: &[&str]| {
        let (path, cases) = (path.to_str().unwrap(), cases.path().to_str().unwrap());
        let few = ["conformance", "--backend", path, "--cases", cases, "--property", "0", "--case"];
        run(&[&few, more].concat())
    };
    // As an adapter does that hands its data to C.
    let writes = backend(
        crates.path(),
        "writes",
        "unsafe extern \"C\" { fn memset(to: *mut u8, byte: i32, bytes: usize) -> *mut u8; }
        let right = Answer::Tensor(call.data.clone());
        if let normative_conformance::reference::Tensor::F32(data) = &call.data {
            unsafe { memset(data.as_ptr() as *mut u8, 0, 4); }
        }
        right",
    );
    let one_row = "openvino-l1-one-row/ReduceL1-4/f32";
    judge(&writes, &[one_row])
        .exits_with(1)
        .prints("  result    expected the data as they were, got them changed: the call is not what it was before it was made");

    let fickle = backend(
        crates.path(),
        "fickle",
        "static ASKED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        match ASKED.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0 => Answer::Tensor(call.data.clone()),
            _ => Answer::Rejected(\"not again\".into()),
        }",
    );
    let scalar = "openvino-l1-scalar/ReduceL1-4/f32";
    judge(&fickle, &[scalar, "--repeat", "10"])
        .exits_with(1)
        .prints("NONDETERMINISTIC openvino-l1-scalar/ReduceL1-4/f32\n")
        .prints("  first     f32[] [-1]\n  then      refused: not again\n")
        .prints("  row       after the others, in one fresh process, the last of these is answered otherwise than alone:\n")
        .prints(&format!("--case {scalar}\n            cargo xtask conformance"))
        .prints("fickle 7 does not conform: 1 conform, 6 filtered out of 7 cases; 1 nondeterministic");
    judge(&fickle, &[scalar, "--repeat", "0"]).exits_with(0);
}
