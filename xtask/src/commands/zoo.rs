//! `cargo xtask zoo`: measures how many wrong implementations the cases catch, and checks that they accept right ones.
//!
//! It runs the program of the zoo crate, which tries the mutants of `conformance/rules`.

use std::process::{Command as Process, ExitCode};

use anyhow::Result;
use clap::{Arg, ArgMatches, Command};

use normative::runner::{cargo, in_foreground};
use normative::select::workspace_root;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("zoo")
        .about("Try wrong implementations, each of which a case must catch, and right ones, which none may refuse")
        .after_help("Exit code 0: all are caught, none is refused. 1: not so. 2: the run itself went wrong.")
        .arg(Arg::new("mutant").value_name("MUTANT").help("Show every case that catches this one"))
        .arg(
            Arg::new("drawn")
                .long("drawn")
                .value_name("SEED")
                .value_parser(clap::value_parser!(u64))
                .conflicts_with("mutant")
                .help("Try 300 wrong kernels that this seed draws instead, of which a default run must find three of four"),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let mut zoo: Process = cargo();
    zoo.current_dir(workspace_root());
    zoo.args(["run", "--release", "--quiet", "--package", "normative-zoo", "--"]);
    zoo.args(matches.get_one::<String>("mutant"));
    if let Some(seed) = matches.get_one::<u64>("drawn") {
        zoo.args(["--drawn", &seed.to_string()]);
    }
    in_foreground(&mut zoo)
}
