//! Checks README.md and the pages of `docs/`: every command in a block is run unchanged in a folder of its own, and
//! must print what the page shows. A table lists commands that cannot run here, with the reason; those are still
//! checked against the command line.
//!
//! If a page names a file above a block, the file is written, or changed by a `diff`. Later commands find it there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::common::page::{
    Block, Command, blocks, commands, copy_of_the_cases, is_shown, planted, prints, root,
};
use crate::common::{Run, has_python, run, run_in};
use clap::error::ErrorKind;

/// Commands that are not run here, with the reason. `…` stands for any text. They are still parsed.
const NOT_RUN: [(&str, &str); 33] = [
    ("setup …", "installs from the network"),
    ("bisect …", "installs from the network"),
    ("history …", "installs from the network"),
    ("site …", "needs a checkout, where another test runs it"),
    ("conformance --backend blis", "needs BLIS"),
    ("spec drift …", "installs from the network, or needs a page of somebody else's"),
    ("spec update …", "changes what is on file"),
    ("conformance --backend onnxruntime", "needs a runtime that is set up"),
    (
        "conformance --backend onnxruntime --spec onnx/ReduceL1-18 --reading newest",
        "needs a runtime that is set up",
    ),
    ("conformance --backend onnxruntime --case last-failed", "needs the record of a runtime that is set up"),
    ("conformance --backend … --case CASE", "needs a runtime that is set up"),
    ("conformance --backend onnxruntime@RELEASE --case …", "needs a runtime that is set up"),
    ("conformance --backend paddle-norm …", "needs PaddlePaddle"),
    ("conformance --backend mlx …", "needs MLX"),
    ("conformance --backend ncnn …", "needs ncnn"),
    ("conformance --backend webnn-baseline …", "needs webnn-baseline"),
    ("conformance --backend numpy", "needs NumPy"),
    ("conformance --backend numpy --spec onnx", "needs NumPy"),
    ("repro …", "needs a runtime that is set up"),
    ("conformance --backend 'cmd:python3 backends/python/numpy_backend.py' --name my-numpy", "needs NumPy"),
    ("report show target/normative-runs/numpy.ndjson …", "needs a record of NumPy"),
    ("report diff target/normative-runs/onnxruntime…", "needs records of runtimes that are set up"),
    ("conformance --backend 'cmd:node ../jsnorms/backend.mjs' …", "needs Node"),
    (
        "conformance --backend 'cmd:node backends/javascript/webnn_baseline_backend.mjs ../webnn-baseline' …",
        "needs Node and a checkout of webnn-baseline",
    ),
    (
        "conformance --backend 'onnx-cmd:python3 backends/python/onnx_reference_models.py' --name mine",
        "needs the package onnx",
    ),
    ("conformance --backend 'cmd:python3 backends/python/blas_backend.py …", "needs a BLAS library"),
    ("smoke --backend cmd:../example_backend", "needs what a C compiler makes"),
    ("conformance --backend cmd:../example_backend --name loops", "needs what a C compiler makes"),
    ("matrix", "judges whatever is set up"),
    ("report selfcheck …", "needs what a device printed"),
    ("model my_model.onnx --backend onnxruntime", "needs a model and a runtime that is set up"),
    ("report show target/normative-runs/matrix.ndjson …", "needs the record of that matrix"),
    ("zoo", "takes minutes"),
];

/// The generated calls of a run whose output no page shows.
const FEW: &str = "300";

/// Commands that show an exit code other than 0.
const NOT_ZERO: [(&str, i32); 4] = [
    ("ask onnxruntime@1.22 …", 1),
    ("conformance --backend ndarray --spec bnns --reading 'float-range=scaled' --all", 1),
    ("conformance --backend ndarray --accuracy faithful", 1),
    ("conformance --backend 'cmd:python3 ../norms/norms.py' …", 1),
];

/// Returns the pages by their paths from the root, README.md first.
fn pages() -> Vec<(String, String)> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.sort();
    pages.insert(0, root().join("README.md"));
    let name = |path: &Path| path.strip_prefix(root()).unwrap().display().to_string();
    pages.into_iter().map(|page| (name(&page), fs::read_to_string(&page).unwrap())).collect()
}

/// Returns the arguments of a line that calls `cargo xtask`, up to the first word for the shell.
fn arguments(line: &str) -> Option<Vec<String>> {
    let (_, arguments) = line.split_once("cargo xtask ")?;
    let mut words = Vec::new();
    for word in shell_words::split(arguments).unwrap() {
        if ["#", "|", ">", ">>", "&&"].contains(&word.as_str()) {
            break;
        }
        words.push(word.trim_end_matches(';').to_owned());
        if word.ends_with(';') {
            break;
        }
    }
    Some(words)
}

/// Returns the commands of a block: every line of an indented one, and those after a `$` in a fence.
fn pasted<'a>(block: &'a Block<'_>) -> Vec<Command<'a>> {
    let text = &block.text;
    match block.language {
        None => text.lines().enumerate().map(|(at, text)| Command { at, text, shown: Vec::new() }).collect(),
        Some(_) if text.starts_with("$ ") => commands(text),
        Some(_) => {
            let bare = text.lines().find(|line| line.starts_with("cargo xtask "));
            assert_eq!(bare, None, "a command in a fence has a $ before it");
            Vec::new()
        }
    }
}

/// The folder where all commands run, one after another: a copy of the cases, with a few crates beside it.
struct Desk {
    folder: tempfile::TempDir,
    here: PathBuf,
    done: BTreeSet<String>,
    /// Commands whose output differs from the page, with the output, for updating the page.
    wrong: Vec<String>,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let beside = folder.path();
        let here = beside.join("normative");
        copy_of_the_cases(&here);
        // The examples in Python lie where a reader has them.
        fs::create_dir_all(here.join("backends")).unwrap();
        let link = |to: PathBuf, from: PathBuf| std::os::unix::fs::symlink(to, from).unwrap();
        link(root().join("backends/python"), here.join("backends/python"));
        // It is wrong over few calls: with thousands of failures, grouping takes a minute without optimisation.
        let mine = planted(&beside.join("mine"), "documented-mine");
        fs::create_dir_all(beside.join("path/to")).unwrap();
        link(mine, beside.join("path/to/your-crate"));
        link(here.join("known.yaml"), beside.join("path/to/known.yaml"));
        Self { folder, here, done: BTreeSet::new(), wrong: Vec::new() }
    }

    /// Writes the file that is named above a block, or changes its lines.
    fn write(&self, Block { language, file, text, .. }: &Block<'_>) {
        let Some(file) = file.map(|file| self.here.join(file)) else { return };
        if *language != Some("diff") {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            return fs::write(file, text).unwrap();
        }
        let mut lines = text.lines();
        while let (Some(from), Some(to)) = (lines.next(), lines.next()) {
            let (from, to) = (from.strip_prefix('-').unwrap(), to.strip_prefix('+').unwrap());
            let before = fs::read_to_string(&file).unwrap();
            assert_eq!(before.matches(&format!("{from}\n")).count(), 1, "{from}");
            fs::write(&file, before.replace(from, to)).unwrap();
        }
    }

    /// Runs a command unchanged, except that its output files go into the folder. Where the page shows no output, a run
    /// asks few generated calls, and a report is on such a run, to save time.
    fn run(&self, words: &[String], is_shown: bool) -> Run {
        let has = |word: &str| words.iter().any(|other| other == word);
        let usual = self.here.join("target/normative-runs/ndarray.ndjson");
        let small = usual.with_file_name("small.ndjson");
        let mut more: Vec<String> = Vec::new();
        match words[0].as_str() {
            "report" if has("evidence") => {
                fs::remove_dir_all(self.folder.path().join("evidence")).unwrap_or_default();
            }
            "cases" if has("adopt") => more.extend(["--cases", "cases"].map(str::to_owned)),
            "cases" if has("export") => {
                fs::remove_dir_all(self.here.join("DIR")).unwrap_or_default();
                // Export one version only, to save time.
                more.extend(["--spec", "onnx/ReduceL1-13"].map(str::to_owned));
            }
            "conformance" if !has("--record") && !has("--laws") => {
                let plain = words == ["conformance", "--backend", "ndarray"] || has("--resume");
                if !is_shown && !plain && !has("--property") && !has("--case") {
                    more.extend(["--property", FEW].map(str::to_owned));
                }
                let record = if plain { usual.clone() } else { usual.with_file_name("another.ndjson") };
                more.extend(["--record".to_owned(), record.display().to_string()]);
                if has("--resume") {
                    let record = fs::read(&usual).unwrap();
                    fs::write(&usual, &record[..record.len() * 9 / 10]).unwrap();
                }
            }
            _ => {}
        }
        if words[0] == "report" && !small.is_file() {
            let record = small.display().to_string();
            let few = ["conformance", "--backend", "ndarray", "--property", FEW, "--record", &record];
            assert_eq!(run_in(&self.here, &few).code, Some(0));
        }
        let place = |word: &String| match word.as_str() {
            "FILE" | "target/normative-runs/ndarray.ndjson" if words[0] == "report" => {
                small.display().to_string()
            }
            "100000" if !is_shown => FEW.to_owned(),
            _ => word.clone(),
        };
        let words: Vec<String> = words.iter().map(place).chain(more).collect();
        let Run { code, out, err } = run_in(&self.here, &words);
        let out =
            out.replace(" --cases cases ", " ").replace(&format!("{}/", self.folder.path().display()), "../");
        Run { code, out, err }
    }

    /// Runs one command of a page, and notes a difference.
    fn tries(&mut self, place: &str, words: &[String], shown: &[&str]) {
        let line = shell_words::join(words);
        if !self.done.insert(line.clone()) && shown.is_empty() {
            return;
        }
        let started = Instant::now();
        let Run { code, out, err } = self.run(words, !shown.is_empty());
        eprintln!("{place}: {line}: {:.1} s", started.elapsed().as_secs_f64());
        let due = NOT_ZERO.iter().find(|(pattern, _)| is_shown(&line, pattern)).map_or(0, |(_, code)| *code);
        // While smoke is shown to report an error, its exit code is 1.
        let due = if words[0] == "smoke" {
            i32::from(shown.iter().any(|line| line.contains("  wrong: ")))
        } else {
            due
        };
        // A terminal shows standard error too.
        let printed = format!("{out}{}", if due == 2 { err.as_str() } else { "" });
        let as_shown = shown.is_empty() || prints(&printed.lines().collect::<Vec<_>>(), shown);
        if code != Some(due) || !as_shown {
            self.wrong
                .push(format!("{place}: {line} exits with {code:?}, {due} is due, and prints\n{out}{err}"));
        }
    }
}

#[test]
fn every_command_of_the_documentation_runs_and_prints_what_is_shown() {
    let mut desk = Desk::new();
    let mut needed = [false; NOT_RUN.len()];
    for (name, page) in pages() {
        for block in blocks(&page) {
            desk.write(&block);
            for Command { at, text, shown } in pasted(&block) {
                if let Some(files) = text.strip_prefix("cp ") {
                    let (from, to) = files.split_once(' ').unwrap();
                    let to = desk.here.join(to);
                    fs::create_dir_all(to.parent().unwrap()).unwrap();
                    fs::copy(desk.here.join(from), to).unwrap();
                }
                let Some(words) = arguments(text) else { continue };
                let (place, line) = (format!("{name}:{}", block.line + at), shell_words::join(&words));
                match NOT_RUN.iter().position(|(pattern, _)| is_shown(&line, pattern)) {
                    Some(row) => needed[row] = true,
                    None if line.contains("cmd:python3") && !has_python() => {
                        eprintln!("{place}: left out: no python3 of version 3.9 or later");
                    }
                    None => desk.tries(&place, &words, &shown),
                }
            }
        }
    }
    assert!(desk.wrong.is_empty(), "{}", desk.wrong.join("\n\n"));
    for ((pattern, _), needed) in NOT_RUN.iter().zip(needed) {
        assert!(needed, "no page has {pattern}");
    }
}

#[test]
fn every_command_of_the_documentation_is_one_of_the_command_line() {
    let mut parsed = 0;
    for (name, page) in pages() {
        for block in blocks(&page) {
            for Command { at, text, .. } in pasted(&block) {
                let Some(words) = arguments(text) else { continue };
                let words = ["xtask"].into_iter().map(str::to_owned).chain(words);
                if let Err(error) = xtask::command().try_get_matches_from(words) {
                    panic!("{name}:{}: {error}", block.line + at);
                }
                parsed += 1;
            }
        }
    }
    assert!(parsed >= 50, "{parsed}");
}

/// In running text a command may be incomplete, but its words must exist.
#[test]
fn a_command_named_in_a_sentence_exists() {
    let mut named = 0;
    for page in [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        ".cargo/mutants-equivalent.md",
        "conformance/backend/PROTOCOL.md",
    ] {
        named += commands_in_sentences(page, &fs::read_to_string(root().join(page)).unwrap());
    }
    for (name, page) in pages() {
        named += commands_in_sentences(&name, &page);
    }
    assert!(named >= 25, "{named}");
}

fn commands_in_sentences(name: &str, page: &str) -> usize {
    // A fence has three backquotes, so every second piece is still code.
    let spans = page.split('`').skip(1).step_by(2).filter(|span| !span.contains('\n'));
    let spans = spans.filter_map(|span| span.strip_prefix("cargo xtask "));
    let cut_short = [ErrorKind::MissingRequiredArgument, ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand];
    let mut named = 0;
    for span in spans {
        let words = shell_words::split(span).unwrap();
        let parsed = xtask::command().try_get_matches_from(["xtask".to_owned()].into_iter().chain(words));
        if let Err(error) = parsed {
            assert!(cut_short.contains(&error.kind()), "{name}: {span}: {error}");
        }
        named += 1;
    }
    named
}

/// The README shows the commands that CI runs, so that they work on a fresh machine.
#[test]
fn the_readme_has_a_command_for_the_main_job_and_one_for_the_tests() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    let blocks = blocks(&page);
    let pasted: Vec<&str> = blocks.iter().flat_map(pasted).map(|command| command.text).collect();
    for (command, of_ci) in [
        ("cargo test --workspace --locked", "cargo test --workspace --locked"),
        ("cargo xtask conformance --backend ndarray", "xtask conformance --backend ndarray"),
    ] {
        assert_eq!(pasted.iter().filter(|line| **line == command).count(), 1, "{command}");
        assert!(ci.lines().any(|line| line == of_ci), "{of_ci}");
    }
}

#[test]
fn the_readme_is_short_and_fits_a_screen() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(page.lines().count() <= 150, "{}", page.lines().count());
    let is_wide = |line: &&str| line.chars().count() > 100 && !line.starts_with("| ");
    assert_eq!(page.lines().filter(is_wide).collect::<Vec<_>>(), Vec::<&str>::new());
}

/// The matrix needs runtimes, except for its names and the column of `ndarray`.
#[test]
fn the_matrix_of_the_tour_is_what_ndarray_does() {
    let page = fs::read_to_string(root().join("docs/tour.md")).unwrap();
    let blocks = blocks(&page);
    let matrix =
        blocks.iter().find(|block| block.text.starts_with("spec  ") && block.text.contains(" defect"));
    let rows: Vec<Vec<&str>> = matrix
        .unwrap()
        .text
        .lines()
        .filter(|line| *line != "…")
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    let (head, rows) = rows.split_first().unwrap();
    let ready = run(&["backends"]).exits_with(0).out;
    for name in &head[1..] {
        let listed = ready.lines().any(|line| line.split_whitespace().next() == Some(name));
        assert!(listed, "{name} is not in\n{ready}");
    }
    let column = head.iter().position(|name| *name == "ndarray").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record").display().to_string();
    let specs = rows.iter().flat_map(|row| ["--spec", row[0]]);
    // One backend alone has no matrix.
    let twice = ["matrix", "--backend", "ndarray", "--backend", "ndarray", "--name", "again"];
    let few = ["--property", "500", "--record", record.as_str()];
    let judged = run(&twice.into_iter().chain(few).chain(specs).collect::<Vec<_>>()).exits_with(0).out;
    for row in rows {
        assert_eq!(row.len(), head.len(), "{row:?}");
        let line = judged.lines().find(|line| line.split_whitespace().next() == Some(row[0])).unwrap();
        assert_eq!(line.split_whitespace().nth(1), Some(row[column]), "{line}");
    }
    assert!(rows.len() >= 2);
}
