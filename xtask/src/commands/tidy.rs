//! `cargo xtask tidy`: checks rules on this repository's files.
//!
//! It does not repeat other tools: CI runs `cargo fmt`, clippy and rustdoc separately, and `cargo xtask cases fmt` and
//! `lint` for cases.

mod circles;
mod dependencies;
mod direction;
mod door;
mod links;
mod names;
mod plain;
mod promises;
mod workflows;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{ArgMatches, Command};
use normative_conformance::drive::{Bounds, errand};
use normative_conformance::outside;

use normative::select::workspace_root;

/// The maximum number of lines of a Rust file.
const LINES: usize = 450;

/// An adapter must have fewer lines than this, so that a reviewer can check it in one sitting.
const ADAPTER_LINES: usize = 150;

/// The endings of generated files.
const MADE: [&str; 3] = [".lock", ".snap", ".schema.json"];

/// The folder of inputs that fuzzers generated.
const INPUTS: &str = "fuzz/kept/";

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("tidy")
        .about("Check how this repository's own files are written")
        .after_help("Exit code 0: nothing to mend. 1: something, a line each. 2: the files cannot be read.")
}

/// Runs the command.
pub(crate) fn main(_: &ArgMatches) -> Result<ExitCode> {
    let root = workspace_root();
    let mut findings = Vec::new();
    let files = files(root)?;
    let mut code = Vec::new();
    for file in &files {
        let bytes =
            outside::bytes(&root.join(file), outside::WRITTEN).with_context(|| file.display().to_string())?;
        findings
            .extend(of_file(root, file, &bytes).into_iter().map(|what| format!("{}{what}", file.display())));
        code.extend(String::from_utf8(bytes).ok().map(|text| (file.clone(), text)));
    }
    findings.extend(circles::findings(&code));
    let page = outside::text(&root.join(dependencies::PAGE), outside::WRITTEN).unwrap_or_default();
    findings.extend(
        dependencies::differences(root, &page)?
            .into_iter()
            .map(|what| format!("{}: {what}", dependencies::PAGE)),
    );
    let page = outside::text(&root.join(promises::PAGE), outside::WRITTEN).unwrap_or_default();
    let unheld = promises::unheld(root, &files, &page).into_iter();
    findings.extend(unheld.map(|what| format!("{}: {what}", promises::PAGE)));
    let mut out = std::io::stdout().lock();
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    writeln!(out, "{} files, {} findings", files.len(), findings.len())?;
    Ok(ExitCode::from(u8::from(!findings.is_empty())))
}

/// The limits of git for listing the files.
const GIT: Bounds = Bounds { within: Duration::from_secs(60), memory: None, kept: outside::WRITTEN };

/// Lists every file in the repository, and every new one that git does not ignore.
fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    let mut git = Process::new("git");
    git.args(arguments).current_dir(root);
    let output = errand(&git, GIT).context("git does not run")?;
    if !output.status.success() {
        bail!("git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let names = String::from_utf8(output.stdout).context("a file's name is not UTF-8")?;
    // Git lists a deleted file until the deletion is committed. A link is skipped: its target is checked itself.
    let is_there = |file: &PathBuf| fs::symlink_metadata(root.join(file)).is_ok_and(|file| file.is_file());
    let there = names.split_terminator('\0').map(PathBuf::from).filter(is_there);
    Ok(there.collect())
}

/// Returns the findings in a file: `:LINE: what`, or `: what`.
fn of_file(root: &Path, file: &Path, bytes: &[u8]) -> Vec<String> {
    let name = file.to_string_lossy();
    let Ok(text) = std::str::from_utf8(bytes) else { return vec![": is no text".into()] };
    if text.contains('\0') {
        return vec![": is no text".into()];
    }
    let is_made = MADE.iter().any(|ending| name.ends_with(ending)) || name.starts_with(INPUTS);
    if is_made || text.is_empty() {
        return Vec::new();
    }
    let mut findings: Vec<String> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        findings.extend(of_line(&name, line).into_iter().map(|what| format!(":{}: {what}", at + 1)));
    }
    if text.contains('\r') || !text.ends_with('\n') {
        findings.push(": lines end with a line feed, the last one too".into());
    }
    if name.ends_with(".rs") {
        let lines = text.lines().count();
        if lines > LINES {
            findings.push(format!(": has {lines} lines, and {LINES} are enough for one idea"));
        }
        // A module of tests belongs to its parent, which has the head.
        if !text.starts_with("//!") && !name.ends_with("/tests.rs") {
            findings.push(": does not begin by saying what it is for (//!)".into());
        }
        findings.extend(plain::against(text));
    }
    let lines = text.lines().count();
    if is_adapter(file) && lines >= ADAPTER_LINES {
        findings
            .push(format!(": has {lines} lines, and a file of an adapter has fewer than {ADAPTER_LINES}"));
    }
    findings.extend(direction::against(file, text));
    findings.extend(door::against(file, text));
    if name.ends_with(".md") {
        findings.extend(links::broken(root, file, text).into_iter().map(|what| format!(": {what}")));
    }
    findings
}

/// Returns true if a file adapts a runtime. Tests do not, nor do the worker modules that adapters import.
fn is_adapter(file: &Path) -> bool {
    let parts: Vec<&str> = file.iter().filter_map(|part| part.to_str()).collect();
    match parts.as_slice() {
        ["backends", "shared", ..] | [.., "tests.rs"] => false,
        ["backends", _, "src", ..] => true,
        ["backends", "python" | "javascript" | "c", name] => {
            !name.starts_with("normative_worker.")
                && [".py", ".mjs", ".c"].iter().any(|ending| name.ends_with(ending))
        }
        _ => false,
    }
}

fn of_line(name: &str, line: &str) -> Vec<&'static str> {
    // Split the words, so that this file passes.
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];
    let homes = [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];
    let mut findings = Vec::new();
    if line.ends_with([' ', '\t']) {
        findings.push("ends with a blank");
    }
    if line.contains('\t') && !name.ends_with("Makefile") {
        findings.push("has a tab");
    }
    if marks.iter().any(|mark| line.contains(mark)) {
        findings.push("leaves something for later");
    }
    if homes.iter().any(|home| line.contains(home)) {
        findings.push("names a folder of somebody's machine");
    }
    if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
        findings.push("is left of a merge");
    }
    findings.extend(workflows::unpinned(name, line));
    findings
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::in_order("a.rs", "//! Prints a page.\n", &[])]
    #[case::without_a_head("a.rs", "fn a() {}\n", &[": does not begin by saying what it is for (//!)"])]
    #[case::tests_have_their_parents("a/tests.rs", "fn a() {}\n", &[])]
    #[case::trailing("a.yaml", "a: 1 \n", &[":1: ends with a blank"])]
    #[case::tab("a.yaml", "a:\n\tb\n", &[":2: has a tab"])]
    #[case::carriage_return("a.md", "a\r\n", &[": lines end with a line feed, the last one too"])]
    #[case::cut_short("a.md", "a", &[": lines end with a line feed, the last one too"])]
    #[case::later("a.py", concat!("# TO", "DO\n"), &[":1: leaves something for later"])]
    #[case::of_a_fuzzer("fuzz/kept/a.txt", concat!("TO", "DO \n"), &[])]
    #[case::machine("a.py", concat!("open('/ho", "me/me')\n"), &[":1: names a folder of somebody's machine"])]
    #[case::merge("a.md", "<<<<<<< HEAD\n", &[":1: is left of a merge"])]
    #[case::dead_link("a.md", "[a](nowhere.md#part)\n", &[": links to nowhere.md, which is not there"])]
    #[case::dead_part("a.md", "[a](README.md#no-such)\n", &[": links to README.md#no-such, and there is no such heading"])]
    #[case::dead_part_here("a.md", "# A part\n[a](#part)\n", &[": links to #part, and there is no such heading"])]
    #[case::live_links("a.md", "# A part\n[a](Cargo.toml) [b](#a-part) [c](https://example.org/x)\n", &[])]
    #[case::live_parts("a.md", "[a](docs/quality.md#quality) [b](xtask/src/commands/tidy.rs#L7)\n", &[])]
    #[case::no_text("a.rs", "\0", &[": is no text"])]
    #[case::made("Cargo.lock", "a \n", &[])]
    fn what_is_out_of_order_is_named(#[case] name: &str, #[case] text: &str, #[case] findings: &[&str]) {
        assert_eq!(of_file(workspace_root(), Path::new(name), text.as_bytes()), findings);
    }

    #[test]
    fn a_file_of_too_many_lines_is_named_and_one_of_enough_is_not() {
        let lines = |count: usize| "//! a\n".repeat(count);
        assert!(of_file(workspace_root(), Path::new("a.rs"), lines(LINES).as_bytes()).is_empty());
        let found = of_file(workspace_root(), Path::new("a.rs"), lines(LINES + 1).as_bytes());
        assert_eq!(found, [": has 451 lines, and 450 are enough for one idea"]);
    }

    #[rstest]
    #[case::in_rust("backends/a/src/lib.rs", true)]
    #[case::a_part_of_one("backends/a/src/b/c.rs", true)]
    #[case::its_tests("backends/a/src/tests.rs", false)]
    #[case::what_several_share("backends/shared/a/src/lib.rs", false)]
    #[case::in_python("backends/python/a_backend.py", true)]
    #[case::in_javascript("backends/javascript/a_backend.mjs", true)]
    #[case::a_worker("backends/python/normative/worker.py", false)]
    #[case::elsewhere("a.rs", false)]
    fn a_file_of_an_adapter_has_fewer_than_150_lines(#[case] name: &str, #[case] is_bound: bool) {
        let of_lines = |count: usize| {
            let text = "//! a\n".repeat(count);
            of_file(workspace_root(), Path::new(name), text.as_bytes())
        };
        assert!(of_lines(149).is_empty());
        let found = of_lines(150);
        assert_eq!(found.iter().any(|what| what.contains("an adapter has fewer than 150")), is_bound);
    }
}
