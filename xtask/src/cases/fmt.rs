//! `cargo xtask cases fmt`: brings every file of the corpus to the one layout of [`layout`].
//!
//! With `--check` nothing is written; the files that differ are named, and finding one fails.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::cases::{Case, load_text};

use super::layout;
use crate::select::{Selection, list};

/// What the command takes.
pub(super) fn command() -> Command {
    Command::new("fmt")
        .about("Bring every case and clause file to one layout")
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Name the files that differ, and fail"),
        )
        .args(Selection::options())
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let (selection, check) = (Selection::of(matches), matches.get_flag("check"));
    let mut files = Vec::new();
    walk(&selection.folder(), &mut files)?;
    if files.is_empty() {
        bail!("{}: no files", selection.folder().display());
    }
    let (mut out, mut differ) = (std::io::stdout().lock(), 0_usize);
    for file in files {
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let formatted = formatted(&file, &text)?;
        if formatted == text {
            continue;
        }
        differ += 1;
        writeln!(out, "{}", file.display())?;
        if !check {
            std::fs::write(&file, formatted).with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    writeln!(out, "{differ} files {}", if check { "differ" } else { "changed" })?;
    Ok(ExitCode::from(u8::from(check && differ > 0)))
}

/// Every YAML file below `folder`, in order.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<_>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    Ok(())
}

/// The file's text in the canonical layout.
fn formatted(file: &Path, text: &str) -> Result<String> {
    let mut layout = layout::parse(text).map_err(|line| {
        anyhow::anyhow!("{}:{line}: neither a field nor a comment above a case", file.display())
    })?;
    layout.sort();
    let formatted = layout.to_string();
    // A ledger has no cases; its fields are moved as whole lines all the same.
    if !file.parent().is_some_and(|folder| folder.ends_with("clauses")) {
        let load = |text: &str| {
            load_text(file, text)
                .map_err(|errors| anyhow::anyhow!("a file that does not load:\n{}", list(&errors)))
        };
        if !same(&load(text)?, &load(&formatted)?) {
            bail!("{}: would say something else; left as it is", file.display());
        }
    }
    Ok(formatted)
}

/// Whether two loads say the same, wherever it stands.
fn same(before: &[Case], after: &[Case]) -> bool {
    let elsewhere = |case: &Case| Case { line: 0, ..case.clone() };
    // By text, because a NaN is not equal to itself.
    let text = |cases: &[Case]| format!("{:?}", cases.iter().map(elsewhere).collect::<Vec<_>>());
    text(before) == text(after)
}
