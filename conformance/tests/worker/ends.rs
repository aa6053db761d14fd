//! Tests the ends: a worker that no longer starts, a judge that lacks a resource, and leftovers of either.

use std::time::{Duration, Instant};

use normative_conformance::drive::{Halt, Limits, MAX_FAILED_STARTS, Program, StartError};
use normative_conformance::{Death, Driver, Observed, Worker};
use normative_reference::{Axes, Call};
use rstest::rstest;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{answers, bad, crash, echo, good, limits, program, start, unrepeated};

/// Returns the mock in a role for so many starts; then the shell script `instead` runs. A folder counts the starts.
fn starts(times: usize, role: &str, instead: &str) -> (tempfile::TempDir, Program) {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "for n in $(seq {times}); do mkdir {0}/$n 2>/dev/null && exec \"$0\" \"$@\"; done; {instead}",
        folder.path().display()
    );
    let Program { path, args, env, .. } = program(role);
    let args = ["-c".into(), script.into(), path.into()].into_iter().chain(args).collect();
    (folder, Program { args, env, ..Program::new("sh") })
}

const MANY_LINES: &str = "for n in $(seq 1000); do echo line $n >&2; done";

#[rstest]
#[case::exits("exit 3", MAX_FAILED_STARTS, Duration::from_secs(20))]
#[case::hangs("exec sleep 60", 2, Duration::from_millis(1500))]
fn a_worker_that_does_not_start_any_more_is_no_verdict(
    #[case] then: &str,
    #[case] attempts: u32,
    #[case] hello: Duration,
) {
    let (_folder, program) = starts(2, "exit", &format!("{MANY_LINES}; {then}"));
    let mut worker = Worker::start(program, Limits { hello, ..limits() }).unwrap();
    let started = Instant::now();
    // The second process is asked that call alone.
    let got = answers(&mut worker, &[bad(), good(1.0), good(2.0)]);
    let [Observed::Died(Death::Crashed(_))] = &got[..] else { panic!("{got:?}") };
    let Err(Halt::NoStart { attempts: made, lost, why }) = worker.check() else { panic!("it goes on") };
    assert_eq!(made, attempts);
    assert!(lost < started.elapsed() && started.elapsed() < Duration::from_secs(15), "{lost:?}");
    let words =
        "; stderr: line 1 | line 2 | line 3 | … | line 996 | line 997 | line 998 | line 999 | line 1000";
    assert!(why.ends_with(words), "{why}");
    assert_eq!(answers(&mut worker, &[good(1.0)]), []);
}

#[test]
fn a_start_that_fails_now_and_then_costs_no_answer() {
    let (folder, program) = starts(1, "exit", "true");
    // Every second start fails.
    let script = "if mkdir $F/odd 2>/dev/null; then exec \"$0\" \"$@\"; fi; rmdir $F/odd; exit 3";
    let mut args = program.args.clone();
    args[1] = script.into();
    let mut env = program.env.clone();
    env.push(("F".into(), folder.path().into()));
    let mut worker = Worker::start(Program { args, env, ..program }, limits()).unwrap();
    for _ in 0..=MAX_FAILED_STARTS {
        assert!(crash(worker.ask(&bad())).starts_with("ended with exit status: 3"));
    }
    assert_eq!(worker.ask(&good(1.0)), echo(1.0));
}

/// Returns true in the process that `test` has to itself. Otherwise starts it, and checks that it succeeds.
fn is_alone(test: &str) -> bool {
    const ALONE: &str = "NORMATIVE_TEST_ALONE";
    if std::env::var(ALONE).is_ok_and(|alone| alone == test) {
        return true;
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", test, "--nocapture"]).env(ALONE, test).output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&printed));
    false
}

#[test]
#[cfg(target_os = "linux")]
fn no_descriptor_or_thread_outlives_its_process() {
    if !is_alone("ends::no_descriptor_or_thread_outlives_its_process") {
        return;
    }
    let count = |what| std::fs::read_dir(format!("/proc/self/{what}")).unwrap().count();
    let held = || (count("fd"), count("task"));
    let mut worker = start("leaves-a-child", limits());
    assert_eq!(worker.ask(&good(1.0)), echo(1.0));
    let before = held();
    for _ in 0..3 {
        assert!(crash(worker.ask(&bad())).starts_with("ended with exit status: 3"));
        assert_eq!(worker.ask(&good(2.0)), echo(2.0));
        // A thread that writes to a process ends shortly after it.
        let waited = Instant::now();
        while held() != before && waited.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(held(), before);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_the_judge_lacks_is_put_down_to_no_call() {
    if !is_alone("ends::what_the_judge_lacks_is_put_down_to_no_call") {
        return;
    }
    let mut worker = start("exit", limits());
    assert_eq!(worker.check(), Ok(()));
    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(3), ..before }).unwrap();
    let got = answers(&mut worker, &[good(1.0), bad(), good(2.0)]);
    assert_eq!(got, [], "no answer of a window that was lost counts, and there is nobody to ask again");
    let halt = worker.check().unwrap_err();
    assert!(matches!(&halt, Halt::Judge(why) if why.contains("Too many open files")), "{halt}");
    setrlimit(Resource::Nofile, before).unwrap();
    assert_eq!(answers(&mut worker, &[good(2.0)]), []);
    assert!(worker.is_halted());
}

/// Returns the process ids of a worker and of its child, which the mock sends.
#[cfg(target_os = "linux")]
fn family(worker: &mut Worker) -> Vec<String> {
    let Observed::Rejected(numbers) = worker.ask(&bad()) else { panic!("the mock tells process ids") };
    numbers.split(' ').map(str::to_owned).collect()
}

/// Returns true if none of these processes runs after `patience` at most. A zombie does not run.
#[cfg(target_os = "linux")]
fn are_gone(processes: &[String], patience: Duration) -> bool {
    let runs = |process: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
    };
    let started = Instant::now();
    while processes.iter().any(runs) {
        if started.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_process_started_ends_with_it() {
    let mut worker = start("has-a-child", limits());
    let first = family(&mut worker);
    drop(worker);
    // A killed process disappears after a moment.
    assert!(are_gone(&first, Duration::from_secs(2)));

    let mut worker = start("has-a-child", limits());
    let first = family(&mut worker);
    // The process dies of this call; a fresh one answers it alone.
    let second = family(&mut worker);
    assert_eq!(unrepeated(&worker), 1);
    assert!([first, second].iter().all(|family| are_gone(family, Duration::from_secs(2))));
}

#[test]
fn after_a_stop_no_worker_starts() {
    if !is_alone("ends::after_a_stop_no_worker_starts") {
        return;
    }
    normative_conformance::drive::stop();
    let error = Worker::start(program("well"), limits()).err().unwrap();
    assert!(matches!(error, StartError::Stopped), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn no_process_is_left_behind() {
    for role in ["well", "loop"] {
        let mut worker = start(role, Limits { answer: Duration::from_millis(100), ..limits() });
        let Observed::Rejected(pid) = worker.ask(&Call { axes: Axes::list(&[0]), ..good(0.0) }) else {
            panic!("the mock tells its process id")
        };
        let _ = worker.ask(&bad());
        drop(worker);
        assert!(!std::path::Path::new("/proc").join(&pid).exists(), "{role}: process {pid} is still there");
    }
}

#[test]
fn a_process_that_was_to_be_fresh_is_not_counted_as_one_that_ended() {
    let mut worker = start("exit", limits());
    assert_eq!(worker.ask(&good(1.0)), echo(1.0));
    let before = worker.process_id();
    assert_eq!(worker.ask_afresh(&[&good(2.0)]), [echo(2.0)]);
    assert_ne!(worker.process_id(), before);
    assert_eq!(worker.restarts(), 0);
    crash(worker.ask(&bad()));
    assert_eq!(worker.ask(&good(3.0)), echo(3.0));
    assert_eq!(worker.restarts(), 2, "alone, and after that");
}
