//! Hostile workers, the kinds of `xtask/tests/hostile/hostile.py`. For each, a table states the output of a run, the
//! blamed cases and the exit code. A run must also take little memory and leave no process behind.
//!
//! Every kind answers correctly, except over one of the seven cases, unless its comment says otherwise. Without Python or
//! `/proc`, the tests are skipped with a message.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use rstest::rstest;
use serde_json::Value;

use crate::common::{RIGHT, corpus, has_python, xtask};

/// The cases that a run blames, by its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blames {
    /// There is no record: the worker did not start.
    NoRun,
    /// No case fails.
    Nobody,
    /// Only the case fails over which the kind misbehaves.
    OneRow,
    /// Every case fails, except for unsupported ones.
    All,
}
use Blames::{All, NoRun, Nobody, OneRow};

/// The kinds, by name: the exit code of the run, the blamed cases, and a part of the output.
const TABLE: [(&str, i32, Blames, &str); 88] = [
    // Kinds that do not start.
    ("hello_never", 2, NoRun, "ended with exit status: 3; stderr: no library | of that name"),
    (
        "hello_garbage",
        2,
        NoRun,
        "broke the protocol: expected a frame of at most 65536 bytes, got 1819043144",
    ),
    ("hello_cut", 2, NoRun, "ended with exit status: 0"),
    ("hello_lying_length", 2, NoRun, "expected a frame of at most 65536 bytes, got 4294967295"),
    ("hello_large", 2, NoRun, "expected a frame of at most 65536 bytes, got 67108895"),
    ("hello_wrong_magic", 2, NoRun, "byte 0: expected a worker's hello, got other bytes"),
    ("hello_other_version", 2, NoRun, "expected protocol version 1, got 9"),
    ("hello_wrong_tag", 2, NoRun, "expected frame tag 1, got 3"),
    ("hello_nameless", 2, NoRun, "expected a hello with a name"),
    ("hello_without_version", 2, NoRun, "expected a hello with a version"),
    ("hello_without_bugs", 2, NoRun, "expected a hello that says where bugs are reported"),
    ("hello_sums_twice", 2, NoRun, "expected a hello that lists the sums of each element type once"),
    ("hello_sums_in_integers", 2, NoRun, "expected a hello whose sums are held in float types"),
    ("hello_no_such_type", 2, NoRun, "expected a valid dtype, got 99"),
    ("hello_no_text", 2, NoRun, "expected UTF-8 for name, got other bytes"),
    ("hello_too_long", 2, NoRun, "expected 4 bytes of list of families, got 1"),
    ("hello_left_to_a_child", 2, NoRun, "ended with exit status: 1"),
    ("unavailable", 2, NoRun, "unavailable: no libx.so error: all is well"),
    ("unavailable_large", 2, NoRun, "expected a frame of at most 65536 bytes, got 8388612"),
    // Kinds that start, and do not disturb the run.
    (
        "hello_long_name",
        0,
        Nobody,
        "conforms: \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn… ",
    ),
    ("hello_with_controls", 0, Nobody, "conforms: \"a [2Jb c d 1 2\": "),
    ("ends_late", 0, Nobody, "conforms"),
    ("leaves_children", 0, Nobody, "conforms"),
    ("leaves_grandchildren", 0, Nobody, "conforms"),
    ("leaves_its_group", 0, Nobody, "conforms"),
    ("floods_stdout", 0, Nobody, "conforms"),
    // Kinds that end.
    ("exits", 1, OneRow, "ended with exit status: 3"),
    ("exits_well", 1, OneRow, "ended with exit status: 0"),
    ("aborts", 1, OneRow, "SIGABRT"),
    ("segfaults", 1, OneRow, "SIGSEGV"),
    ("kills_itself", 1, OneRow, "SIGKILL"),
    ("stops_itself", 1, OneRow, "no answer within 4 s"),
    ("dies_after_its_answer", 1, Nobody, "FLAKY the process, over "),
    ("hangs", 1, OneRow, "no answer within 4 s"),
    ("hangs_deaf_to_signals", 1, OneRow, "no answer within 4 s"),
    ("spins", 1, OneRow, "no answer within 4 s"),
    ("leaves_the_line_to_a_child", 1, OneRow, "ended with exit status: 1"),
    ("leaves_stderr_to_a_child", 1, OneRow, "ended with exit status: 1"),
    ("leaves_many_children", 1, OneRow, "ended with exit status: 1"),
    ("floods_stderr", 1, OneRow, "ended with exit status: 3; stderr: eeee"),
    ("prints_controls", 1, OneRow, "stderr:  [2J all is well"),
    ("closes_stderr", 1, OneRow, "ended with exit status: 3"),
    // Kinds that misuse the connection.
    ("hangs_up", 1, OneRow, "closed the connection and ran on"),
    ("stops_sending", 1, OneRow, "closed the connection and ran on"),
    ("dribbles", 1, OneRow, "no answer within 4 s"),
    ("stalls", 1, OneRow, "no answer within 4 s"),
    ("cuts", 1, OneRow, "ended with exit status: 3"),
    (
        "garbage",
        1,
        OneRow,
        "broke the protocol: expected a frame of at most 1073741824 bytes, got 2779096485",
    ),
    (
        "lying_length",
        1,
        OneRow,
        "broke the protocol: expected a frame of at most 1073741824 bytes, got 4294967295",
    ),
    ("promises", 1, OneRow, "ended with exit status: 3"),
    ("wrong_tag", 1, OneRow, "expected frame tag 3, got 1"),
    ("empty_frame", 1, OneRow, "byte 0: expected 8 bytes of call number, got 0"),
    ("wrong_number", 1, OneRow, "expected the answer to the first open call, got that to another"),
    ("no_such_outcome", 1, OneRow, "byte 8: expected a valid outcome, got 9"),
    ("too_much", 1, OneRow, "expected the end of the message, got 1 more bytes"),
    ("twice", 1, OneRow, "expected one answer to a call, got more"),
    ("endless_answers", 1, OneRow, "expected one answer to a call, got more"),
    ("forges_the_next", 1, OneRow, "expected one answer to a call, got more"),
    ("out_of_order", 1, OneRow, "no answer within 4 s"),
    ("speaks_first", 1, All, "expected no answer before its call, got one"),
    ("hello_twice", 1, All, "expected no answer before its call, got one"),
    // Kinds with bad messages.
    ("says_much", 1, OneRow, " … (cut; 67108864 bytes in all)"),
    ("says_many_lines", 1, OneRow, " … (cut; 2097152 bytes in all)"),
    ("says_controls", 1, OneRow, "oops"),
    ("says_nothing", 1, OneRow, "refus"),
    ("says_no_text", 1, OneRow, "expected UTF-8 for rejection, got other bytes"),
    ("says_it_crashed", 1, OneRow, " … (cut; 33554432 bytes in all)"),
    ("says_it_was_late", 1, OneRow, "no answer within 18446744073"),
    ("says_it_changed_data", 1, OneRow, "changed"),
    ("unsupported_in_many_words", 2, Nobody, "no case was executed"),
    ("refuses_all", 2, All, "no case was executed"),
    // Kinds with bad results.
    ("large_result", 1, OneRow, "expected output type f32, got u8"),
    ("large_shape", 1, OneRow, "expected output shape [2], got [1000000]"),
    ("large_results_each", 1, All, "[10000000]"),
    ("too_many_elements", 1, OneRow, "broke the protocol: byte 22: "),
    ("dims_that_overflow", 1, OneRow, "broke the protocol: byte 30: "),
    ("many_dims", 1, OneRow, "byte 10: expected a valid rank of a result, got 10000"),
    ("no_dims", 1, OneRow, "expected 34359738360 bytes of list of dims, got 0"),
    ("fewer_elements", 1, OneRow, "expected 8 bytes of elements, got 4"),
    ("more_elements", 1, OneRow, "expected the end of the message, got 4 more bytes"),
    ("no_such_element", 1, OneRow, "expected a valid dtype, got 99"),
    ("wrong_type", 1, OneRow, "expected output type f32, got u8"),
    ("wrong_values", 1, OneRow, "1 of 2 elements wrong"),
    ("not_a_number", 1, OneRow, "1 of 2 elements wrong"),
    // Kinds that do not start again, or never work.
    ("starts_once", 2, Nobody, "the worker does not start any more"),
    ("dies_of_everything", 1, All, "ended with exit status: 3"),
    ("is_late_for_everything", 1, All, "no answer within 4 s"),
    ("changes_its_mind", 1, OneRow, "not now"),
];

/// Kinds that leave a process running, in different ways.
const LEFT_RUNNING: [&str; 6] = [
    "hangs",
    "leaves_many_children",
    "leaves_grandchildren",
    "leaves_its_group",
    "ends_late",
    "dies_of_everything",
];

/// The maximum memory of the judge, in KiB.
const MOST_MEMORY: u64 = 300 << 10;

/// The outcome of a run.
struct Outcome {
    code: Option<i32>,
    blames: Blames,
    printed: String,
    took: Duration,
    /// In KiB.
    peak: u64,
    /// Processes that still ran 2 s after the judge had ended.
    left: Vec<String>,
}

/// The file of all workers.
const WORKERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hostile/hostile.py");

/// Runs a kind. `patience` is the maximum time of an answer in seconds.
fn judged(kind: &str, cases: &Path, patience: &str) -> Outcome {
    let own = tempfile::tempdir().unwrap();
    let [record, out, err] = ["record", "out", "err"].map(|name| own.path().join(name));
    let mut judge = judge(kind, cases, patience, own.path());
    judge.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
    let started = Instant::now();
    let mut judge = judge.spawn().unwrap();
    let mut peak = 0;
    let status = loop {
        // The last reading is the highest. The first one may still be that of this test's process, before the exec.
        peak = peak_of(judge.id()).unwrap_or(peak);
        if let Some(status) = judge.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > Duration::from_secs(120) {
            judge.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(5));
    };
    let took = started.elapsed();
    let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let printed = text(&out) + &text(&err);
    Outcome { code: status.code(), blames: blamed(&record), printed, took, peak, left: left(own.path()) }
}

/// Makes the command of a judge that keeps its record in a folder of its own.
fn judge(kind: &str, cases: &Path, patience: &str, own: &Path) -> Command {
    // Without site packages, Python starts faster. With -B it writes nothing beside the sources.
    let command = format!("cmd:python3 -SEB {WORKERS} {kind}");
    let mut judge = xtask(&["conformance", "--backend", &command, "--cases", cases.to_str().unwrap()]);
    judge
        .args(["--property", "0", "--repeat", "0", "--timeout", patience, "--record"])
        .arg(own.join("record"));
    // All processes that the judge starts inherit this variable, so `left` finds them by it.
    judge.env("HOSTILE_FOLDER", own);
    judge.stdout(Stdio::null()).stderr(Stdio::null());
    judge
}

/// Returns the peak memory of a process so far, in KiB.
fn peak_of(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn blamed(record: &Path) -> Blames {
    let Ok(record) = fs::read_to_string(record) else { return NoRun };
    let lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let cases: Vec<&Value> = lines.iter().filter_map(|line| line.get("case")).collect();
    let fails = |case: &&&Value| case["verdict"].get("fails").is_some();
    let failing: Vec<&str> = cases.iter().filter(fails).map(|case| case["name"].as_str().unwrap()).collect();
    match failing[..] {
        [] => Nobody,
        [one] if one.contains("one-row") => OneRow,
        _ if failing.len() == cases.len() => All,
        _ => panic!("blamed are {failing:?} of {}", cases.len()),
    }
}

/// Returns the processes that a run has left, after at most 2 s. A zombie has no environment, so it does not count.
fn left(folder: &Path) -> Vec<String> {
    let mark = format!("HOSTILE_FOLDER={}", folder.display()).into_bytes();
    let ended = Instant::now();
    loop {
        let is_its = |process: &PathBuf| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == mark)
        };
        let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        let left: Vec<PathBuf> = processes.filter(is_its).collect();
        if left.is_empty() || ended.elapsed() > Duration::from_secs(2) {
            let name = |process: &PathBuf| fs::read_to_string(process.join("cmdline")).unwrap_or_default();
            return left.iter().map(name).collect();
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Returns true if the workers can run here, and `/proc` shows their processes.
fn can_be_watched() -> bool {
    let can = has_python() && Path::new("/proc/self/environ").exists();
    if !can {
        eprintln!("left out: no python3 of version 3.9 or later, or no /proc");
    }
    can
}

/// Returns the differences between an outcome and its row.
fn wrong(kind: &str, (code, blames, says): (i32, Blames, &str), outcome: &Outcome) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |holds: bool, what: String| {
        if !holds {
            wrong.push(format!("{kind}: {what}\n{}", outcome.printed));
        }
    };
    check(outcome.code == Some(code), format!("expected exit code {code}, got {:?}", outcome.code));
    check(outcome.blames == blames, format!("expected that it blames {blames:?}, got {:?}", outcome.blames));
    check(outcome.printed.contains(says), format!("expected to read {says:?}"));
    let steers = |c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
    };
    check(!outcome.printed.contains(steers), "expected text that steers nothing".into());
    let longest = outcome.printed.lines().map(str::len).max().unwrap_or_default();
    check(longest < 5000, format!("expected lines of a length to be read, got {longest} bytes"));
    check(outcome.peak < MOST_MEMORY, format!("expected at most {MOST_MEMORY} KiB, got {}", outcome.peak));
    check(outcome.left.is_empty(), format!("expected that it leaves no process, got {:?}", outcome.left));
    wrong
}

#[test]
fn no_worker_gets_past_a_run() {
    if !can_be_watched() {
        return;
    }
    let cases = corpus(RIGHT);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    // Runs mostly wait. The longest ones are last in the table, and start first.
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(&(kind, code, blames, says)) =
                    TABLE.iter().rev().nth(next.fetch_add(1, Ordering::Relaxed))
                {
                    // On a busy machine, a kind that is not late needs a long timeout.
                    let is_late = says.starts_with("no answer within");
                    let outcome = judged(kind, cases.path(), if is_late { "1" } else { "30" });
                    let wrong = wrong(kind, (code, blames, says), &outcome);
                    done.lock().unwrap().push((kind, outcome, wrong));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(kind, ..)| *kind);
    for (kind, Outcome { code, blames, took, peak, left, .. }, _) in &done {
        let (code, seconds, left) = (code.unwrap_or(-1), took.as_secs_f64(), left.len());
        println!("{kind:<28} {code:>2} {blames:<7?} {seconds:>5.1} s {:>4} MiB {left} left", peak >> 10);
    }
    let wrong: Vec<String> = done.into_iter().flat_map(|(.., wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[rstest]
#[case::ctrl_c("-INT")]
#[case::polite("-TERM")]
fn a_run_is_stopped_within_a_second_while_a_worker_hangs(#[case] signal: &str) {
    if !can_be_watched() {
        return;
    }
    let (cases, own) = (corpus(RIGHT), tempfile::tempdir().unwrap());
    let mut judge = judge("hangs_deaf_to_signals", cases.path(), "60", own.path()).spawn().unwrap();
    // Give the worker time to start and to hang.
    thread::sleep(Duration::from_secs(3));
    assert_eq!(judge.try_wait().unwrap(), None);
    let sent = Instant::now();
    let kill = Command::new("kill").args([signal, &judge.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let status = judge.wait().unwrap();
    assert!(sent.elapsed() < Duration::from_secs(1), "{:?}", sent.elapsed());
    // Nothing was executed, so the run is an error without a verdict.
    assert_eq!(status.code(), Some(2));
    assert_eq!(left(own.path()), [""; 0]);
}

#[test]
fn nothing_is_left_of_a_run_that_is_killed() {
    if !can_be_watched() {
        return;
    }
    let cases = corpus(RIGHT);
    let mut moments = TestRunner::deterministic();
    for kill in 0..times("NORMATIVE_KILLS", 15) {
        let kind = LEFT_RUNNING[kill % LEFT_RUNNING.len()];
        let after = (0..1000_u64).new_tree(&mut moments).unwrap().current();
        let own = tempfile::tempdir().unwrap();
        let mut judge = judge(kind, cases.path(), "60", own.path()).spawn().unwrap();
        thread::sleep(Duration::from_millis(after));
        judge.kill().unwrap();
        judge.wait().unwrap();
        assert_eq!(left(own.path()), [""; 0], "{kind}, killed after {after} ms");
    }
}

/// Returns the number of repetitions: that of the environment variable, or `usual`.
fn times(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |count| count.parse().expect("a number"))
}

#[test]
fn a_record_that_may_not_grow_is_an_error_of_the_run() {
    if !can_be_watched() {
        return;
    }
    let (cases, own) = (corpus(RIGHT), tempfile::tempdir().unwrap());
    let judge = judge("exits", cases.path(), "30", own.path());
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""]).arg(judge.get_program()).args(judge.get_args());
    limited.env("HOSTILE_FOLDER", own.path());
    let output = limited.output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("File too large"), "{err}");
    assert_eq!(left(own.path()), [""; 0]);
}

#[rstest]
#[case::a_record(&["report", "show", "PIPE"])]
#[case::cases_to_adopt(&["cases", "adopt", "PIPE"])]
#[case::a_baseline(&["conformance", "--backend", "cmd:true", "--baseline", "PIPE"])]
fn a_pipe_in_the_place_of_a_file_is_refused_at_once(#[case] command: &[&str]) {
    let own = tempfile::tempdir().unwrap();
    let pipe = own.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let path = |word: &&str| match *word {
        "PIPE" => pipe.to_str().unwrap().to_owned(),
        word => word.to_owned(),
    };
    let words: Vec<String> = command.iter().map(path).collect();
    let (out, err) =
        (File::create(own.path().join("out")).unwrap(), File::create(own.path().join("err")).unwrap());
    let mut child = xtask(&words).stdout(out).stderr(err).spawn().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(10));
    }
    let printed = ["out", "err"].map(|file| fs::read_to_string(own.path().join(file)).unwrap()).concat();
    assert!(printed.contains("a regular file"), "{printed}");
    assert!(matches!(child.wait().unwrap().code(), Some(1 | 2)), "{printed}");
}

#[test]
fn every_hostile_worker_has_a_row() {
    if !has_python() {
        return;
    }
    let printed = Command::new("python3").args(["-SEB", WORKERS]).output().unwrap().stdout;
    let printed = String::from_utf8(printed).unwrap();
    let kinds: BTreeSet<&str> = printed.lines().collect();
    let rows: BTreeSet<&str> = TABLE.iter().map(|(kind, ..)| *kind).collect();
    assert_eq!(rows, kinds);
    assert_eq!(rows.len(), TABLE.len(), "a kind has two rows");
}
