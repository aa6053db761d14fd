//! One record in every format: their content, that they are reproducible, and output to a file, to a program, or to a
//! closed pipe.

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

use crate::common::{RIGHT, Run, backend, corpus, run, xtask};
use serde_json::Value;
use tempfile::TempDir;

const FORMATS: [&str; 7] = ["terminal", "markdown", "junit", "html", "svg", "badge", "json"];

/// A record of a run of a wrong backend.
struct Stored {
    folder: TempDir,
    cases: TempDir,
    first: Run,
}

impl Stored {
    fn of(more: &[&str]) -> Self {
        let (folder, cases) = (tempfile::tempdir().unwrap(), corpus(RIGHT));
        let wrong = "match call.data.dtype() {
            Dtype::I8 => Answer::Unsupported(\"no i8\".into()),
            Dtype::U8 => std::process::abort(),
            _ => Answer::Tensor(call.data.clone()),
        }";
        let mock = backend(folder.path(), "mock", wrong);
        let record = folder.path().join("record");
        let few = [
            "--cases",
            cases.path().to_str().unwrap(),
            "--property",
            "40",
            "--record",
            record.to_str().unwrap(),
        ];
        let judge = ["conformance", "--backend", mock.to_str().unwrap()];
        let first = run(&[&judge, few.as_slice(), more].concat()).exits_with(1);
        Self { folder, cases, first }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let (record, cases) = (self.path("record"), self.cases.path().to_str().unwrap());
        ["report", "show", &record, "--cases", cases]
            .iter()
            .chain(more)
            .map(|&word| word.to_owned())
            .collect()
    }

    fn show(&self, more: &[&str]) -> Run {
        run(&self.arguments(more))
    }
}

/// Checks that a report for programs has an object for each defect, and refers to no other.
fn agrees_with_itself(json: &Value) {
    let run = &json["runs"][0];
    let list = |name: &str| run[name].as_array().unwrap();
    assert_eq!(run["conforms"], false);
    assert!(list("defects").len() >= 2, "{run:#}");
    for defect in list("defects") {
        assert!(defect["failures"].as_u64() > Some(0), "{defect:#}");
        assert!(!defect["expected"].as_str().unwrap().is_empty(), "{defect:#}");
        let call = defect["call"].as_str().unwrap();
        let bytes = call.as_bytes().chunks(2).map(|two| std::str::from_utf8(two).unwrap());
        let bytes: Vec<u8> = bytes.map(|two| u8::from_str_radix(two, 16).unwrap()).collect();
        normative_backend::wire::decode_call(&bytes).unwrap();
    }
    let mut referred = Vec::new();
    for clause in list("clauses") {
        let defects = clause["defects"].as_array().unwrap();
        assert_eq!(clause["status"] == "fails", !defects.is_empty(), "{clause:#}");
        referred.extend(defects.iter().map(|at| at.as_u64().unwrap() as usize));
    }
    referred.sort_unstable();
    referred.dedup();
    assert_eq!(referred, (0..list("defects").len()).collect::<Vec<_>>());
}

#[test]
fn all_formats_come_from_one_stored_stream_and_are_the_same_each_time() {
    let stored = Stored::of(&["--quiet"]);
    assert_eq!(stored.first.err, "");
    let mut shown = Vec::new();
    for format in FORMATS {
        let first = stored.show(&["--format", format]).exits_with(1);
        assert_eq!(first.err, "", "{format}");
        assert_eq!(first.out, stored.show(&["--format", format]).exits_with(1).out, "{format}");
        assert!(!shown.contains(&first.out), "{format} looks like another");
        shown.push(first.out);
    }
    let [terminal, markdown, junit, html, svg, badge, json] = shown.try_into().unwrap();
    assert_eq!(terminal, stored.first.out);
    assert_eq!(stored.show(&[]).exits_with(1).out, terminal);

    // All formats show the same failures.
    let wrong = "openvino-l1-all-of-a-vector/ReduceL1-4/f32";
    let again = format!("--case {wrong}");
    assert!(markdown.contains(&again) && junit.contains(&again));
    assert!(terminal.contains("\n  smallest  openvino-l1-all-of-a-vector/ReduceL1-4/"), "{terminal}");
    assert!(html.starts_with("<!doctype html>") && html.contains(wrong));
    agrees_with_itself(&serde_json::from_str(&json).unwrap());
    let svg = roxmltree::Document::parse(&svg).unwrap();
    let says =
        |words: &str| svg.descendants().filter_map(|node| node.text()).any(|text| text.ends_with(words));
    assert!(says(" fail") && says(" died"));
    assert_eq!(crate::junit_schema::errors(&junit), Vec::<String>::new());
    let junit = roxmltree::Document::parse(&junit).unwrap();
    let tests = |kind: &str| {
        junit.descendants().filter(|node| node.has_tag_name(kind)).filter_map(|node| node.parent()).count()
    };
    let all = stored.show(&["--all"]).exits_with(1).out;
    let failing = all.lines().filter(|line| line.starts_with("FAIL ")).count();
    let dying = all.lines().filter(|line| line.starts_with("CRASH ")).count();
    assert!(failing > 0 && dying > 0);
    assert_eq!((tests("failure"), tests("error")), (failing, dying), "each failure counts once");
    let skipped = junit.descendants().find(|node| node.has_tag_name("skipped")).unwrap();
    assert_eq!(skipped.attribute("message"), Some("unsupported: no i8"));
    let badge: Value = serde_json::from_str(&badge).unwrap();
    assert_eq!((badge["schemaVersion"].as_u64(), badge["color"].as_str()), (Some(1), Some("red")));
}

#[test]
fn a_matrix_has_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let record = record.to_str().unwrap();
    let two = ["matrix", "--backend", "ndarray", "--backend", "ndarray", "--name", "again"];
    let two = [&two[..], &["--spec", "bnns", "--property", "20"]].concat();
    let judge = |more: &[&str]| run(&[&two[..], ["--record", record].as_slice(), more].concat());
    let markdown = judge(&["--format", "markdown", "--quiet"]).exits_with(0);
    assert!(markdown.out.contains("| bnns/computeNorm | conforms | conforms |\n"), "{}", markdown.out);
    assert_eq!(markdown.err, "");
    for format in FORMATS {
        let shown = run(&["report", "show", record, "--format", format]);
        assert_eq!(run(&["report", "show", record, "--format", format]).out, shown.exits_with(0).out);
    }
    let unknown = run(&["report", "show", record, "--format", "sarif"]).exits_with(2);
    assert!(
        unknown.err.contains("[possible values: terminal, markdown, junit, html, svg, badge, json]"),
        "{}",
        unknown.err
    );
}

/// Runs a command whose standard output is closed.
fn unread<S: AsRef<OsStr>>(arguments: &[S]) -> Output {
    let mut child = xtask(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

#[test]
fn a_closed_pipe_changes_nothing_about_what_came_of_a_run() {
    let stored = Stored::of(&[]);
    for format in FORMATS {
        let Output { status, stderr, .. } = unread(&stored.arguments(&["--format", format]));
        assert_eq!((status.code(), String::from_utf8(stderr).unwrap().as_str()), (Some(1), ""), "{format}");
    }
    let right =
        ["conformance", "--backend", "ndarray", "--spec", "bnns", "--property", "0", "--quiet", "--record"];
    let record = stored.path("right");
    let Output { status, stderr, .. } = unread(&[&right[..], &[&record]].concat());
    assert_eq!((status.code(), stderr.as_slice()), (Some(0), b"".as_slice()));
    for other in [["conformance", "--list"], ["cases", "coverage"], ["completions", "bash"]] {
        let Output { status, stderr, .. } = unread(&other);
        assert_eq!((status.code(), stderr.as_slice()), (Some(0), b"".as_slice()));
    }
    // A closed standard error does not matter either.
    let mut child = xtask(&["report", "show", "/no/such/record"]).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn where_nobody_watches_there_is_no_progress_and_nowhere_a_colour() {
    let stored = Stored::of(&[]);
    // Other tests build at the same time.
    let beside = |line: &&str| line.starts_with("waiting for another build");
    let lines: Vec<&str> = stored.first.err.lines().filter(|line| !beside(line)).collect();
    assert!(lines[0].starts_with("building a worker for "), "{lines:?}");
    assert!(
        lines[1].starts_with("7 cases in ") && lines[2].starts_with("40 generated calls in "),
        "{lines:?}"
    );
    assert!(lines[3].contains(" failures grouped in "), "{lines:?}");
    // The backend aborts on u8.
    assert!(lines[4].ends_with(" worker processes ended and were replaced"), "{lines:?}");
    assert_eq!(lines.len(), 5);
    for text in [&stored.first.out, &stored.first.err] {
        assert!(!text.contains(['\x1b', '\r']), "{text:?}");
    }
    // NO_COLOR has nothing to remove, and CLICOLOR_FORCE adds nothing.
    for (name, value) in [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")] {
        let shown = Run::of(xtask(&stored.arguments(&[])).env(name, value));
        assert_eq!(shown.out, stored.first.out, "{name}");
    }
}

/// Returns the commands that the help lists.
fn commands() -> Vec<String> {
    let help = run(&["--help"]).exits_with(0).out;
    let listed = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names: Vec<String> = listed
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|name| name != "help")
        .collect();
    assert!(names.len() >= 15 && names.iter().any(|name| name == "completions"), "{names:?}");
    names
}

#[test]
fn completions_name_every_command() {
    let shells = ["bash", "elvish", "fish", "powershell", "zsh"];
    let completions = shells.map(|shell| run(&["completions", shell]).exits_with(0).out);
    for name in commands() {
        for (shell, text) in shells.iter().zip(&completions) {
            let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
            assert!(words.contains(&name.as_str()), "{shell} does not complete {name}");
        }
    }
    assert_eq!(run(&["completions", "dos"]).code, Some(2));
}

#[test]
fn bash_completes_what_stands_after_cargo_xtask_and_leaves_the_rest_to_cargo() {
    let script = run(&["completions", "bash"]).exits_with(0).out;
    // Call the function as bash does on Tab: with the words so far, and the index of the cursor's word.
    let asked = format!(
        "_cargo() {{ COMPREPLY=(of-cargo); }}\n{script}
        tab() {{ COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            _cargo_or_xtask cargo \"${{@: -1}}\" \"${{@: -2:1}}\"; echo \"${{COMPREPLY[*]}}\"; }}
        complete -p cargo
        tab cargo xtask conf; tab cargo xtask cases cov; tab cargo xta; tab cargo build --rel"
    );
    let output = Command::new("bash").args(["--norc", "-c", &asked]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].ends_with(" -F _cargo_or_xtask cargo"), "{said}");
    assert_eq!(lines[1..], ["conformance", "coverage", "of-cargo", "of-cargo"]);
}

#[test]
fn zsh_and_fish_are_told_about_cargos_own_subcommand() {
    // The completions of zsh for cargo call this function.
    let zsh = run(&["completions", "zsh"]).exits_with(0).out;
    assert!(zsh.starts_with("#compdef cargo-xtask\n") && zsh.contains("\n_cargo-xtask() {"), "{zsh}");
    let fish = run(&["completions", "fish"]).exits_with(0).out;
    assert!(
        fish.lines().all(|line| !line.starts_with("complete ") || line.starts_with("complete -c cargo "))
    );
    assert!(
        fish.contains("__fish_cargo_using_subcommand xtask") && fish.contains(" -a \"conformance\""),
        "{fish}"
    );
}
