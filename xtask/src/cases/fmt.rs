//! `cargo xtask cases fmt`: brings every file of the corpus to its [canonical](mod@super::canonical) form.
//!
//! With `--check` nothing is written; the files that differ are named, and finding one fails. Before
//! anything is written, every new text has been loaded and says what the old one said.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::corpus::{
    Case, Corpus, Ledger, LedgerClause, LoadError, load_ledger_text, load_text,
};

use super::content::{File, Source};
use crate::select::{Folder, list};

/// What the command takes.
pub(super) fn command() -> Command {
    Command::new("fmt")
        .about("Bring every case and clause file to its one canonical form")
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
    folder.path()?;
    let ledger = if folder.own_ledger().is_some() { folder.ledger()? } else { Ledger::default() };
    let corpus = folder.load()?;
    let mut changes = Vec::new();
    for (source, file) in files(&corpus, &ledger) {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let canonical = File::read(source, file, &text)?.to_string();
        if canonical == text {
            continue;
        }
        if said(source, file, &text)? != said(source, file, &canonical)? {
            bail!("{}: would say something else; nothing is written", file.display());
        }
        changes.push((file, canonical));
    }
    let mut out = std::io::stdout().lock();
    for (file, canonical) in &changes {
        writeln!(out, "{}", file.display())?;
        if !check {
            std::fs::write(file, canonical).with_context(|| file.display().to_string())?;
        }
    }
    writeln!(out, "{} files {}", changes.len(), if check { "differ" } else { "changed" })?;
    Ok(ExitCode::from(u8::from(check && !changes.is_empty())))
}

/// Every file once. The loader has been through the folder already and knows them.
pub(super) fn files<'a>(corpus: &'a Corpus, ledger: &'a Ledger) -> Vec<(Source, &'a Path)> {
    let cases: BTreeSet<&Path> = corpus.cases.iter().map(|case| case.file.as_path()).collect();
    let ledgers: BTreeSet<&Path> = ledger.iter().map(|entry| entry.file.as_path()).collect();
    let cases = cases.into_iter().map(|file| (Source::Cases, file));
    cases.chain(ledgers.into_iter().map(|file| (Source::Ledger, file))).collect()
}

/// What a text says, wherever in the file it stands. As text, because a NaN is not equal to itself.
pub(super) fn said(source: Source, file: &Path, text: &str) -> Result<String> {
    match source {
        Source::Cases => {
            let cases = load_text(file, text).map_err(|errors| refused(&errors))?;
            let said: Vec<_> = cases.into_iter().map(|case| Case { line: 0, ..case }).collect();
            Ok(format!("{said:?}"))
        }
        Source::Ledger => {
            let ledger = load_ledger_text(file, text).map_err(|errors| refused(&errors))?;
            let said: Vec<_> = ledger.iter().map(|entry| LedgerClause { line: 0, ..entry.clone() }).collect();
            Ok(format!("{said:?}"))
        }
    }
}

fn refused(errors: &[LoadError]) -> anyhow::Error {
    anyhow!("a file that does not load:\n{}", list(errors))
}
