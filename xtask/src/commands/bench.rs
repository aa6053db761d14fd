//! `cargo xtask bench`: measures the time of expectations, with `reference/benches`.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Arg, ArgMatches, Command};

use normative::runner::cargo;
use normative::select::workspace_root;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("bench")
        .about("Measure what exact expectations cost, beside a plain loop and other ways to be exact")
        .arg(
            Arg::new("check")
                .long("check")
                .value_name("AGAINST")
                .value_parser(["plain", "rivals"])
                .help(
                    "Measure what has a limit, and exit with 1 beyond it. plain: twice the ratios to a plain loop that \
                     docs/quality.md states; rivals: the time of every other way to be exact",
                ),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "normative-bench", "--bench", "exact", "--manifest-path"]);
    bench.arg(workspace_root().join("Cargo.toml")).arg("--");
    if let Some(against) = matches.get_one::<String>("check") {
        bench.args(["--check", against]);
    }
    let status = bench.status().context("cannot run cargo bench")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
