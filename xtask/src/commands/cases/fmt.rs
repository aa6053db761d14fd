//! `cargo xtask cases fmt`: brings every file of the corpus into its [canonical](mod@crate::cases::content) form.
//!
//! With `--check` it writes nothing; it names the files that differ, and fails if there are any. Before it writes, it
//! loads every new text and checks that its content is unchanged.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::outside;

use normative_conformance::corpus::Ledger;

use crate::cases::content::File;
use crate::cases::files::{files, said};
use normative::select::Folder;

/// Returns the command's options.
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
        let text = outside::text(file, outside::WRITTEN).with_context(|| file.display().to_string())?;
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
