//! `cargo xtask zoo`: how much the cases catch, and whether they refuse anybody honest.
//!
//! This hands over to the zoo's own program. What a run of a backend takes of the zoo, its mutants as wrong rules for
//! the grouping of failures, it takes of the crate.

use std::process::{Command as Process, ExitCode};

use anyhow::{Context as _, Result};
use clap::{Arg, ArgMatches, Command};

use normative::runner::cargo;
use normative::select::workspace_root;

/// What the command takes.
pub(crate) fn command() -> Command {
    Command::new("zoo")
        .about("Try wrong implementations, each of which a case must catch, and right ones, which none may refuse")
        .after_help("Exit code 0: all are caught, none is refused. 1: not so. 2: the run itself went wrong.")
        .arg(Arg::new("mutant").value_name("MUTANT").help("Show every case that catches this one"))
        .arg(
            Arg::new("hunt")
                .long("hunt")
                .value_name("CALLS")
                .value_parser(clap::value_parser!(usize))
                .conflicts_with("mutant")
                .help("Hunt every mutant instead, and ask the honest so many generated calls all together"),
        )
        .arg(
            Arg::new("drawn")
                .long("drawn")
                .value_name("SEED")
                .value_parser(clap::value_parser!(u64))
                .conflicts_with_all(["mutant", "hunt"])
                .help("Try 300 wrong kernels that this seed draws instead, of which a default run must find three of four"),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let mut zoo: Process = cargo();
    zoo.current_dir(workspace_root());
    zoo.args(["run", "--release", "--quiet", "--package", "normative-zoo", "--"]);
    zoo.args(matches.get_one::<String>("mutant"));
    if let Some(calls) = matches.get_one::<usize>("hunt") {
        zoo.args(["--hunt", &calls.to_string()]);
    }
    if let Some(seed) = matches.get_one::<u64>("drawn") {
        zoo.args(["--drawn", &seed.to_string()]);
    }
    let status = zoo.status().context("cannot run cargo")?;
    // A signal leaves no code.
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}
