//! `cargo xtask spec …`: checks that the texts behind the clauses are unchanged.

mod drift;
mod since;
mod update;

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Command};

use crate::spec::sources;
use normative::select::{Folder, list};

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("spec")
        .about("Notice when a source of the clauses changes")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(drift::command())
        .subcommand(since::command())
        .subcommand(update::command())
        .subcommand(
            Command::new("check")
                .about("Check that every clause of a source on file rests on one of its sentences, or on its silence")
                .arg(Folder::option()),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("drift", matches)) => drift::main(matches),
        Some(("since", matches)) => since::main(matches),
        Some(("update", matches)) => update::main(matches),
        Some(("check", matches)) => check(&Folder::of(matches)),
        _ => Ok(ExitCode::from(2)),
    }
}

fn check(folder: &Folder) -> Result<ExitCode> {
    let (ledger, sources) = (folder.ledger()?, sources::load(&folder.path()?)?);
    let found = sources::differences(&sources, &ledger);
    let mut out = std::io::stdout().lock();
    write!(out, "{}", list(&found))?;
    writeln!(out, "{} sources, {} findings", sources.len(), found.len())?;
    Ok(ExitCode::from(u8::from(!found.is_empty())))
}
