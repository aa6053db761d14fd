//! `cargo xtask cases fmt`: brings every file of the corpus to the one layout of [`layout`].
//!
//! With `--check` nothing is written; the files that differ are named, and finding one fails.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::cases::{Case, LedgerClause, load_ledger, load_text};

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
            write(&file, &text, &formatted)?;
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
        // A link could lead back up; the loader takes none either.
        if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
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
    // A ledger is loaded by folder, so it is compared when it is written.
    if ledger_folder(file).is_none() {
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

/// The folder of a ledger file; nothing for a case file.
fn ledger_folder(file: &Path) -> Option<&Path> {
    file.parent().filter(|folder| folder.ends_with("clauses"))
}

/// Writes a file; a ledger that then says something else gets its old text back.
fn write(file: &Path, old: &str, new: &str) -> Result<()> {
    let put =
        |text: &str| std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()));
    let Some(folder) = ledger_folder(file) else { return put(new) };
    let before = said(folder)?;
    put(new)?;
    match said(folder) {
        Ok(after) if after == before => Ok(()),
        _ => {
            put(old)?;
            bail!("{}: would say something else; left as it is", file.display())
        }
    }
}

/// What a ledger says, wherever it stands.
fn said(folder: &Path) -> Result<String> {
    let ledger = load_ledger(folder)
        .map_err(|errors| anyhow::anyhow!("a ledger that does not load:\n{}", list(&errors)))?;
    let clauses: Vec<_> = ledger.iter().map(|entry| LedgerClause { line: 0, ..entry.clone() }).collect();
    Ok(format!("{clauses:?}"))
}

/// Whether two loads say the same, wherever it stands.
fn same(before: &[Case], after: &[Case]) -> bool {
    let elsewhere = |case: &Case| Case { line: 0, ..case.clone() };
    // By text, because a NaN is not equal to itself.
    let text = |cases: &[Case]| format!("{:?}", cases.iter().map(elsewhere).collect::<Vec<_>>());
    text(before) == text(after)
}
