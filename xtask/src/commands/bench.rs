//! `cargo xtask bench`: measures the cost of expectations, and plots its growth.
//!
//! The measurements are in `conformance/oracle/benches`; this command only chooses the path of the plot.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Command};

use normative::runner::{cargo, target_directory};
use normative::select::workspace_root;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("bench")
        .about("Measure what exact expectations cost, beside a plain loop and other ways to be exact")
        .after_help("The plot of the growth is target/bench/growth.svg.")
        .arg(
            Arg::new("quick")
                .long("quick")
                .action(ArgAction::SetTrue)
                .help("Measure less of everything: half a minute"),
        )
        .arg(
            Arg::new("only")
                .long("only")
                .value_name("PART")
                .value_parser(["ratios", "small", "growth", "memory"])
                .help("Measure this part alone"),
        )
        .arg(
            Arg::new("check")
                .long("check")
                .value_name("AGAINST")
                .value_parser(["plain", "rivals"])
                .conflicts_with_all(["quick", "only"])
                .help(
                    "Measure in seconds what has a limit, and exit with 1 beyond it. plain: twice the ratios to a plain loop \
                     that docs/quality.md states; rivals: half the time of every other way to be exact",
                ),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let workspace = workspace_root();
    let plot = target_directory()?.join("bench").join("growth.svg");
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "normative-bench", "--bench", "oracle", "--manifest-path"]);
    bench.arg(workspace.join("Cargo.toml")).arg("--").arg("--svg").arg(plot);
    if matches.get_flag("quick") {
        bench.arg("--quick");
    }
    if let Some(part) = matches.get_one::<String>("only") {
        bench.args(["--only", part]);
    }
    if let Some(against) = matches.get_one::<String>("check") {
        bench.args(["--check", against]);
    }
    let status = bench.status().context("cannot run cargo bench")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
