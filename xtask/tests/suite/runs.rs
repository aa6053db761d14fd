//! Runs that are cut, stopped, killed, continued or split: no answer is lost, and the report is that of an undisturbed
//! run.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{RIGHT, Run, backend, corpus, has_python, run, xtask};
use rstest::rstest;

const FEW: [&str; 7] = ["conformance", "--backend", "ndarray", "--spec", "bnns", "--property", "400"];

fn few(more: &[&str]) -> Run {
    run(&[&FEW, more].concat())
}

/// Reads a record without the date and the load, which differ between equal runs.
fn undated(record: &str) -> String {
    undated_text(&fs::read_to_string(record).unwrap())
}

pub(crate) fn undated_text(text: &str) -> String {
    let begin = text.find("\"started\":\"").unwrap();
    let end = begin + text[begin..].find("\",").unwrap() + 2;
    let text = text[..begin].to_owned() + &text[end..];
    // On a busy machine, the record has the load.
    let Some(begin) = text.find("\"load\":{") else { return text };
    let end = begin + text[begin..].find("},").unwrap() + 2;
    text[..begin].to_owned() + &text[end..]
}

fn lines(record: &Path) -> usize {
    fs::read_to_string(record).map_or(0, |text| text.lines().count())
}

#[test]
fn a_run_that_was_cut_off_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (record, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let whole = few(&["--record", record.to_str().unwrap()]).exits_with(0);
    let bytes = fs::read(&record).unwrap();
    let cut_path = cut.to_str().unwrap();
    // Cut inside a case, inside a generated call, and before the last line.
    for keep in [bytes.len() / 10, bytes.len() * 3 / 4, bytes.len() - 10] {
        fs::write(&cut, &bytes[..keep]).unwrap();
        let shown = run(&["report", "show", cut_path]);
        assert!(shown.out.starts_with(|_| true), "{}", shown.err);
        if keep < bytes.len() - 10 {
            let shown = shown
                .exits_with(2)
                .prints("\nPARTIAL (the run was stopped), conforms as far as it was asked");
            assert!(shown.err.contains("--resume goes on with it"), "{}", shown.err);
            shown.prints(" missing of ");
        }
        let resumed = few(&["--record", cut_path, "--resume"]).exits_with(0);
        assert_eq!(resumed.out, whole.out);
        assert!(resumed.err.contains(" of them on record in "), "{}", resumed.err);
        assert_eq!(undated(cut_path), undated_text(str::from_utf8(&bytes).unwrap()));
    }
    few(&["--record", cut_path, "--resume"]).exits_with(2);
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let other = few(&["--record", cut_path, "--resume", "--seed", "3"]).exits_with(2);
    assert!(
        other.err.contains("expected the record of the same run, got one of another: seed was 1, is 3"),
        "{}",
        other.err
    );
    let none = folder.path().join("none");
    let none = few(&["--record", none.to_str().unwrap(), "--resume"]).exits_with(2);
    assert!(none.err.contains("expected the record of a run, got no file"), "{}", none.err);
}

#[rstest]
#[case::no_record("Hello!\n", "line 1: ")]
#[case::nothing("", "expected the head of a run's record on the first line")]
#[case::no_header(
    r#"{"case":{"name":"a","spec":"onnx/ReduceL1-1","dtype":"f32","verdict":"unsupported","answer":{"unsupported":"no"}}}
"#,
    "expected the head"
)]
#[case::of_another_format("{\"run\":{\"format\":1}}\n", "expected a record of format 11, got format 1")]
fn a_file_that_is_no_record_is_told_apart(#[case] text: &str, #[case] because: &str) {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, text).unwrap();
    run(&["report", "show", file.path().to_str().unwrap()]).refuses(&[because]);
}

/// Starts a run of a slow backend, and waits until some calls are answered.
fn begin(slow: &str, cases: &str, record: &Path) -> Child {
    let child =
        xtask(&slow_run(slow, cases, record)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while lines(record) < 20 {
        assert!(started.elapsed() < Duration::from_secs(300), "the run does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

fn slow_run(slow: &str, cases: &str, record: &Path) -> Vec<String> {
    let few = ["conformance", "--property", "100", "--repeat", "0", "--backend", slow, "--cases", cases];
    few.into_iter().chain(["--record", record.to_str().unwrap()]).map(str::to_owned).collect()
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
        let more = more.iter().map(|&word| word.to_owned());
        run(&slow_run(slow, cases, &record).into_iter().chain(more).collect::<Vec<_>>()).exits_with(1)
    };
    let undisturbed = resume(&[]).out;
    let whole = undated(record.to_str().unwrap());

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
            assert!(out.contains("\nPARTIAL (the run was stopped), does not conform: \"slow 7\": "), "{out}");
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
        assert_eq!(undated(record.to_str().unwrap()), whole);
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
    // An adapter that passes its data to C can change them.
    let writes = backend(
        crates.path(),
        "writes",
        "unsafe extern \"C\" { fn memset(to: *mut u8, byte: i32, bytes: usize) -> *mut u8; }
        let right = Answer::Tensor(call.data.clone());
        if let normative_backend::reference::Tensor::F32(data) = &call.data {
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
        .prints(&format!("            | {scalar}\n            | {scalar}\n  again     cargo xtask conformance"))
        .prints("does not conform, though each answer does by itself: \"fickle 7\": 1 conform, 6 filtered out of 7 cases; 1 nondeterministic");
    judge(&fickle, &[scalar, "--repeat", "0"]).exits_with(0);
}

/// Further calls settle the meaning of refusals. The record has them as `probe` lines, and changed verdicts as
/// `settled` lines.
#[test]
fn what_refusals_mean_survives_a_cut() {
    let crates = tempfile::tempdir().unwrap();
    let cases = corpus(RIGHT);
    // It refuses every call of other types, and calls of f32 that name an axis from both ends.
    let picky = backend(
        crates.path(),
        "picky",
        "let named = match &call.axes {
            normative_backend::reference::Axes::Given(axes) => axes.values.as_slice(),
            _ => &[],
        };
        let from_the_end = named.iter().filter(|&&axis| axis < 0).count();
        match call.data.dtype() {
            Dtype::F32 if from_the_end == 0 || from_the_end == named.len() => Answer::Tensor(call.data.clone()),
            Dtype::F32 => Answer::Rejected(\"axes from both ends\".into()),
            dtype => Answer::Rejected(format!(\"no {dtype}\")),
        }",
    );
    let (picky, cases_path) = (picky.to_str().unwrap(), cases.path().to_str().unwrap());
    let row = ["--spec", "openvino/ReduceL1-4", "--property", "400", "--repeat", "0"];
    let few = [&["conformance", "--backend", picky, "--cases", cases_path][..], &row].concat();
    let judge = |record: &Path, more: &[&str]| {
        run(&[&few[..], &["--all", "--record", record.to_str().unwrap()], more].concat()).exits_with(1)
    };
    let path = |name: &str| crates.path().join(name);
    let whole = judge(&path("whole"), &[]).prints("refuses the plainest call of f64 too");
    let record = fs::read_to_string(path("whole")).unwrap();

    // The record must have every kind of line, or the rest of the test shows nothing.
    let of_kind = |kind: &str| record.lines().filter(|line| line.starts_with(kind)).collect::<Vec<_>>();
    let (probes, settled) = (of_kind("{\"probe\":"), of_kind("{\"settled\":"));
    let has = |lines: &[&str], what: &str| lines.iter().any(|line| line.contains(what));
    assert!(has(&probes, "{\"rejected\":") && has(&probes, "{\"tensor\":"), "{probes:#?}");
    assert!(has(&settled, "\"unsupported\"") && has(&settled, "\"conforms\""), "{settled:#?}");

    let show = |record: &Path| {
        let (record, cases) = (record.to_str().unwrap(), cases.path().to_str().unwrap());
        run(&["report", "show", record, "--cases", cases, "--all"]).exits_with(1)
    };
    let shown = show(&path("whole"));
    assert_eq!((shown.out, shown.err), (whole.out.clone(), String::new()));

    // Cut inside the first and the last of these lines, and between the two kinds.
    let inside = |line: &str| record.find(line).unwrap() + line.len() / 2;
    let between = record.find(settled[0]).unwrap();
    let ends = |lines: &[&str]| [inside(lines[0]), inside(lines[lines.len() - 1])];
    for keep in [ends(&probes), [between, between], ends(&settled)].concat() {
        fs::write(path("cut"), &record.as_bytes()[..keep]).unwrap();
        assert_eq!(judge(&path("cut"), &["--resume"]).out, whole.out, "{keep}");
        assert_eq!(undated(path("cut").to_str().unwrap()), undated_text(&record), "{keep}");
    }
}

/// A worker in Python that can declare itself slow. It answers one row, and refuses axes that do not exist.
const PYTHON: &str = r#"
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "FOLDER")
from normative.worker import Axes, Identity, OpenVino, Rejected, Tensor, Unsupported, run


def answer(call):
    plain = isinstance(call.operator, OpenVino)
    if plain and call.data.shape == (1, 2) and call.data.elements == struct.pack("<2f", 1, 2):
        return Tensor("f32", (2,), call.data.elements)
    if plain and isinstance(call.axes, Axes):
        rank = len(call.data.shape)
        if any(not -rank <= axis < rank for axis in call.axes.values):
            raise Rejected("there is no such axis")
    raise Unsupported("nothing but one row")


run(Identity("of Python", "7", "me", slow=SLOW), answer)
"#;

#[rstest]
#[case::slow("True", &[], 7_200, " (it declares itself slow)")]
#[case::not_slow("False", &[], 18_000, "")]
#[case::slow_and_asked_so_many_all_the_same("True", &["--property", "300"], 300, " (it declares itself slow)")]
fn a_worker_that_declares_itself_slow_is_asked_fewer_calls(
    #[case] slow: &str,
    #[case] more: &[&str],
    #[case] calls: usize,
    #[case] said: &str,
) {
    if !has_python() {
        eprintln!("left out: no python3 of version 3.9 or later");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (script, record) = (folder.path().join("worker.py"), folder.path().join("record"));
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../backends/python");
    fs::write(&script, PYTHON.replace("FOLDER", library.to_str().unwrap()).replace("SLOW", slow)).unwrap();
    let cases = corpus(RIGHT);
    let backend = format!("cmd:python3 {}", script.display());
    let few = ["conformance", "--backend", &backend, "--cases", cases.path().to_str().unwrap()];
    let few = [&few[..], &["--record", record.to_str().unwrap()], more].concat();
    let judged = run(&few).exits_with(0).prints(&format!(" unsupported of {calls} generated calls{said}\n"));
    let default = format!(": {calls} generated calls, the default");
    assert_eq!(judged.err.contains(&default), more.is_empty(), "{}", judged.err);
    let kept = fs::read_to_string(&record).unwrap();
    let made = kept.lines().filter(|line| line.starts_with("{\"call\":")).count();
    assert_eq!(made, calls);
    assert_eq!(kept.lines().next().unwrap().contains("\"slow\":true"), slow == "True");
}

/// The calls of `--case '{…}'` are no part of the corpus that a record is held against.
#[test]
fn a_record_of_stated_calls_is_shown_as_they_were_judged() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record").display().to_string();
    let call = "{specs: [onnx/ReduceL1-18], dtypes: [f32, i32], data: {shape: [2], values: [3, -4]}}";
    let judged = run(&["conformance", "--backend", "ndarray", "--case", call, "--record", &record]);
    let shown = run(&["report", "show", &record]).exits_with(0);
    assert_eq!(shown.out, judged.exits_with(0).prints("2 conform").out);
}
