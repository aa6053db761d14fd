//! The workshop (`xtask/`): commands for maintainers, which a checkout builds on first use.
//!
//! This program has only their names, so judging a backend does not wait for them to compile.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use anyhow::Result;

use crate::home;
use crate::runner::{cargo, in_foreground};

/// The commands of the workshop, each with its purpose.
pub const COMMANDS: [(&str, &str); 6] = [
    ("findings", "Write docs/findings.md, the page of all findings, from docs/findings"),
    ("site", "Write the results of every runtime and release as pages for a browser"),
    ("cases", "Look at the corpus, check it, lock it, export it"),
    ("spec", "Notice when a source of the clauses changes"),
    ("zoo", "Try wrong implementations, each of which a case must catch"),
    ("tidy", "Check how this repository's own files are written"),
];

/// Returns true if these arguments are for the workshop. In a checkout, that includes `completions`.
pub(crate) fn has(arguments: &[OsString]) -> bool {
    let is = |command: &str| name(arguments).is_some_and(|name| name == command);
    COMMANDS.iter().any(|(name, _)| is(name)) || is("completions") && !home::is_installed()
}

/// Returns the command's name: the first argument that is not an option.
pub(crate) fn name(arguments: &[OsString]) -> Option<&OsStr> {
    let name = arguments.iter().find(|argument| !argument.as_encoded_bytes().starts_with(b"-"));
    name.map(OsString::as_os_str)
}

/// Builds the workshop in this checkout if need be, and runs it with the same arguments.
///
/// # Errors
/// If there is no checkout, or cargo does not start.
pub fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let root =
        home::checkout_for(&format!("`cargo xtask {}`", name(arguments).unwrap_or_default().display()))?;
    let mut command = cargo();
    command.args(["run", "--release", "--package", "xtask", "--no-default-features", "--manifest-path"]);
    command.arg(root.join("Cargo.toml")).arg("--").args(arguments);
    in_foreground(&mut command)
}

/// Returns the list of these commands, for the end of `--help`.
pub(crate) fn help() -> String {
    let lines = COMMANDS.iter().map(|(name, about)| format!("  {name:<13}{about}\n"));
    format!(
        "Commands of the workshop, for maintainers; it is built when one is first used:\n{}",
        lines.collect::<String>()
    )
}
