//! Runs with a resource missing: threads, an open terminal, or a reader of the output.
//!
//! Without Python, the tests of runs are skipped with a message.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rstest::rstest;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};

use crate::common::{RIGHT, corpus, has_python, python_worker, xtask};

/// Makes a command that asks a Python worker a few cases and generated calls.
fn judged(cases: &Path, calls: &str) -> Option<Command> {
    if !has_python() {
        eprintln!("left out: no python3 of version 3.9 or later");
        return None;
    }
    let backend = python_worker("sums.py", "echoes");
    let (cases, record) = (cases.to_str().unwrap(), cases.join("record"));
    let mut command = xtask(&["conformance", "--backend", &backend, "--cases", cases, "--property", calls]);
    command.args(["--spec", "openvino", "--jobs", "2", "--record"]).arg(record);
    Some(command)
}

/// Runs the command with address space for the stacks of this many threads, each of 4 GiB.
fn with_threads(command: &Command, threads: u64) -> Output {
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("ulimit -v {}; exec \"$0\" \"$@\"", (threads << 22) + 3_000_000)]);
    limited.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.env("RUST_MIN_STACK", (4_u64 << 30).to_string()).output().unwrap()
}

#[test]
fn a_run_without_threads_ends_with_an_error_or_does_without() {
    let cases = corpus(RIGHT);
    let Some(mut command) = judged(cases.path(), "300") else { return };
    let undisturbed = command.output().unwrap().status.code().unwrap();
    let mut codes = Vec::new();
    for threads in 0..12 {
        let Output { status, stderr, .. } = with_threads(&command, threads);
        let said = String::from_utf8(stderr).unwrap();
        assert!(!said.contains("panicked"), "of {threads} threads: {said}");
        let code = status.code().unwrap();
        assert!(code == undisturbed || code == 2 && said.contains("error: "), "{threads}: {code}, {said}");
        codes.push(code);
    }
    assert!(undisturbed != 2 && codes[0] == 2 && codes[11] == undisturbed, "{undisturbed}, then {codes:?}");
}

#[test]
fn what_needs_no_worker_needs_no_threads() {
    let cases = corpus(RIGHT);
    let Some(mut command) = judged(cases.path(), "2000") else { return };
    assert_eq!(command.output().unwrap().status.code(), Some(1));
    let (folder, record) = (cases.path().to_str().unwrap(), cases.path().join("record"));
    let show = ["report", "show", record.to_str().unwrap(), "--cases", folder];
    // The corpus has one finding, and the backend fails: an error would be 2.
    for words in [&["cases", "lint", "--cases", folder][..], &show] {
        let Output { status, stderr, .. } = with_threads(&xtask(words), 0);
        assert_eq!(status.code(), Some(1), "{words:?}: {}", String::from_utf8_lossy(&stderr));
    }
}

#[test]
fn a_run_whose_terminal_is_closed_while_a_bar_is_drawn_goes_on() {
    let cases = corpus(RIGHT);
    let Some(mut command) = judged(cases.path(), "2000") else { return };
    // A child that inherits this end keeps the terminal open, and waits for a reader of it.
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let terminal = openpt(flags).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let shown = ioctl_tiocgptpeer(&terminal, flags).unwrap();
    let child = command.env("TERM", "xterm").stdout(Stdio::piped()).stderr(shown).spawn().unwrap();
    // Drop the command: its copy of the other end would keep the terminal open.
    drop(command);
    let (mut terminal, mut seen) = (File::from(terminal), Vec::new());
    while !String::from_utf8_lossy(&seen).contains('░') {
        let mut bytes = [0; 4096];
        let read = terminal.read(&mut bytes).unwrap();
        seen.extend(&bytes[..read]);
    }
    drop(terminal);
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    let report = String::from_utf8(stdout).unwrap();
    assert_eq!(status.code(), Some(1), "{status} {report}");
    assert!(report.contains("of 2000 generated calls"), "{report}");
}

#[rstest]
#[case::of_the_command_line(&["conformance", "--no-such-option"])]
#[case::of_the_command(&["report", "show", "no such file"])]
fn an_error_that_nobody_reads_has_its_exit_code(#[case] words: &[&str]) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(xtask(words).stderr(writer).status().unwrap().code(), Some(2));
}
