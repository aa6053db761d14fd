//! Tests of the installed program, outside any checkout, with the built-in cases.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may, and so may what tests call"
)]

#[expect(dead_code, reason = "the tests of the workshop use the rest")]
#[path = "../../../xtask/tests/suite/common/mod.rs"]
mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use common::page::root;
use common::{Run, backend, has_python};

/// Runs the installed program in a folder, without the variables that cargo sets.
fn installed(folder: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_normative"));
    // The cache folder is the checkout's target directory, so tests do not build twice.
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    command.env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO").env("NORMATIVE_CACHE", cache);
    let output = command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn the_cases_that_are_built_in_are_those_of_the_checkout() {
    let folder = tempfile::tempdir().unwrap();
    for command in [["conformance", "--list"].as_slice(), &["explain", "1:202"]] {
        let ours = installed(root(), command).exits_with(0).out;
        assert_eq!(installed(folder.path(), command).exits_with(0).out, ours, "{command:?}");
    }
}

/// Otherwise `cargo xtask` would be rebuilt after every edit of a case.
#[test]
fn the_program_of_a_checkout_has_no_cases_in_it() {
    let config = fs::read_to_string(root().join(".cargo/config.toml")).unwrap();
    assert!(config.contains("run --release --package normative --no-default-features --"), "{config}");
    let tree = |more: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["tree", "--offline", "--package", "normative", "--edges", "normal"]).args(more);
        String::from_utf8(cargo.current_dir(root()).output().unwrap().stdout).unwrap()
    };
    assert!(tree(&[]).contains("normative-cases "));
    let without = tree(&["--no-default-features"]);
    assert!(without.contains("normative-conformance ") && !without.contains("normative-cases "), "{without}");
}

#[test]
#[ignore = "weekly: it builds the workspace a second time"]
fn the_installed_program_builds_and_judges_a_crate() {
    let folder = tempfile::tempdir().unwrap();
    let path = backend(folder.path(), "judged-outside", "Answer::Tensor(call.data.clone())");
    // Its own lock file pins all versions, so cargo needs no index.
    fs::copy(root().join("Cargo.lock"), path.join("Cargo.lock")).unwrap();
    let record = folder.path().join("record").display().to_string();
    let judge = ["conformance", "--backend", "./judged-outside", "--spec", "bnns", "--property", "0"];
    let judged = installed(folder.path(), &[&judge, ["--record", record.as_str()].as_slice()].concat());
    judged
        .exits_with(1)
        .prints("does not conform: \"judged-outside 7\": ")
        .prints("next: normative conformance --backend ./judged-outside --case ");
    let shown = installed(folder.path(), &["report", "show", &record]).exits_with(1);
    shown.prints("does not conform: \"judged-outside 7\": ");
}

#[test]
fn the_installed_program_judges_a_command_by_its_name() {
    if !has_python() {
        return eprintln!("left out: no python3 of version 3.9 or later");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("normative")).unwrap();
    let worker = "normative/worker.py";
    fs::copy(root().join("backends/python").join(worker), folder.path().join(worker)).unwrap();
    let worker = "from normative.worker import Identity, Rejected, run
def answer(call):
    raise Rejected('not today')
run(Identity('refuser', '1', 'https://example.org'), answer)
";
    let file = folder.path().join("refuser.py");
    fs::write(&file, worker).unwrap();
    let (command, record) = (format!("cmd:python3 {}", file.display()), folder.path().join("record.ndjson"));
    let judge = |more: &[&str]| {
        let few = [
            "conformance",
            "--backend",
            &command,
            "--name",
            "refuser-1",
            "--spec",
            "bnns",
            "--property",
            "0",
        ];
        let record = ["--record", record.to_str().unwrap()];
        installed(folder.path(), &[few.as_slice(), record.as_slice(), more].concat()).exits_with(1)
    };
    // The terminal shows a command that can be pasted; other formats must not have paths of this machine.
    assert!(judge(&[]).out.contains(&command));
    let named = "--backend BACKEND --name refuser-1";
    let machine = folder.path().display().to_string();
    let others = [
        judge(&["--format", "markdown"]).out,
        judge(&["--format", "html"]).out,
        fs::read_to_string(&record).unwrap(),
        installed(folder.path(), &["report", "show", record.to_str().unwrap()]).out,
    ];
    for text in others {
        assert!(text.contains(named) && text.contains("refuser-1"), "{named} is not in\n{text}");
        assert!(!text.contains(&machine), "{machine} is in\n{text}");
    }
}

/// Returns the words of every subcommand, at any depth.
fn commands_below(command: &clap::Command, before: &[String]) -> Vec<Vec<String>> {
    let below = command.get_subcommands().flat_map(|one| {
        let words = [before, &[one.get_name().to_owned()]].concat();
        [vec![words.clone()], commands_below(one, &words)].concat()
    });
    below.collect()
}

#[test]
fn the_installed_program_goes_by_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    let completions = installed(folder.path(), &["completions", "bash"]).exits_with(0).out;
    assert!(
        completions.contains("complete -F _normative -o") && !completions.contains("xtask"),
        "{completions}"
    );
    let help = installed(folder.path(), &["--help"]).exits_with(0).out;
    assert!(help.contains("Usage: normative [OPTIONS] <COMMAND>"), "{help}");
    for command in commands_below(&normative::command(&[]), &[]) {
        let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let help = installed(folder.path(), &words).exits_with(0).out;
        assert!(!help.contains("xtask"), "{command:?}:\n{help}");
    }
    let new = installed(folder.path(), &["new-backend", "mine"]).exits_with(0);
    new.prints("  normative conformance --backend ./mine\n");
    let manifest = fs::read_to_string(folder.path().join("mine/Cargo.toml")).unwrap();
    assert!(manifest.contains("normative-backend = { version = \"0.1.0\" }"), "{manifest}");
}

#[test]
fn commands_on_a_checkout_are_refused_outside_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let needs = "needs a checkout of Normative, and this folder is not in one";
    for command in [["tidy"].as_slice(), &["cases", "lint"], &["setup", "numpy"]] {
        installed(folder.path(), command).refuses(&[&format!("`normative {}` {needs}", command[0])]);
    }
    let ours = installed(folder.path(), &["conformance", "--backend", "numpy"]);
    assert!(ours.err.contains("the backend numpy needs a checkout of Normative"), "{}", ours.err);
}
