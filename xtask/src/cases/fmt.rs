//! `cargo xtask cases fmt`: brings every file of the corpus to the one layout of [`layout`].
//!
//! With `--check` nothing is written; the files that differ are named, and finding one fails.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::cases::{Case, Ledger, LedgerClause, load_text};

use super::layout;
use crate::select::{Folder, list};

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
        .arg(Folder::option())
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let (folder, check) = (Folder::of(matches), matches.get_flag("check"));
    let (corpus, ledger) = (folder.load()?, folder.ledger()?);
    // The loader has been through the folder already and knows its files.
    let cases: BTreeSet<&Path> = corpus.cases.iter().map(|case| case.file.as_path()).collect();
    let ledgers: BTreeSet<&Path> = ledger.iter().map(|entry| entry.file.as_path()).collect();
    let (mut out, mut differ) = (std::io::stdout().lock(), 0_usize);
    for &file in cases.iter().chain(&ledgers) {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let formatted = formatted(file, &text)?;
        if formatted == text {
            continue;
        }
        let put = |text: &str| {
            std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
        };
        differ += 1;
        writeln!(out, "{}", file.display())?;
        if cases.contains(file) && !same_cases(&load(file, &text)?, &load(file, &formatted)?) {
            bail!("{}: would say something else; left as it is", file.display());
        }
        if check {
            continue;
        }
        put(&formatted)?;
        // A ledger is loaded by folder, so it is compared where it lies.
        if ledgers.contains(file) && !folder.ledger().is_ok_and(|after| said(&after) == said(&ledger)) {
            put(&text)?;
            bail!("{}: would say something else; left as it is", file.display());
        }
    }
    writeln!(out, "{differ} files {}", if check { "differ" } else { "changed" })?;
    Ok(ExitCode::from(u8::from(check && differ > 0)))
}

/// The file's text in the canonical layout.
fn formatted(file: &Path, text: &str) -> Result<String> {
    let mut layout = layout::parse(text).map_err(|line| {
        anyhow::anyhow!("{}:{line}: neither a field nor a comment above a case", file.display())
    })?;
    layout.sort();
    Ok(layout.to_string())
}

fn load(file: &Path, text: &str) -> Result<Vec<Case>> {
    load_text(file, text).map_err(|errors| anyhow::anyhow!("a file that does not load:\n{}", list(&errors)))
}

/// What a ledger says, wherever it stands.
fn said(ledger: &Ledger) -> Vec<LedgerClause> {
    ledger.iter().map(|entry| LedgerClause { line: 0, ..entry.clone() }).collect()
}

/// Whether two loads say the same, wherever it stands.
fn same_cases(before: &[Case], after: &[Case]) -> bool {
    let elsewhere = |case: &Case| Case { line: 0, ..case.clone() };
    // By text, because a NaN is not equal to itself.
    let text = |cases: &[Case]| format!("{:?}", cases.iter().map(elsewhere).collect::<Vec<_>>());
    text(before) == text(after)
}
