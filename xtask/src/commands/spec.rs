//! `cargo xtask spec …`: checks that the texts behind the clauses are unchanged.

mod drift;
mod update;

use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Command};

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("spec")
        .about("Notice when a source of the clauses changes")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(drift::command())
        .subcommand(update::command())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("drift", matches)) => drift::main(matches),
        Some(("update", matches)) => update::main(matches),
        _ => Ok(ExitCode::from(2)),
    }
}
