//! The commands, one file or folder each.
//!
//! No command names another one: what two of them need lies beside this folder. `cargo xtask tidy` holds that.

mod backends;
mod bench;
mod bisect;
mod cases;
pub(crate) mod completions;
mod conformance;
mod explain;
mod findings;
mod fuzz;
mod hunt;
mod laws;
mod matrix;
mod new_backend;
mod new_case;
mod report;
mod repro;
mod setup;
mod smoke;
mod spec;
mod tidy;
mod zoo;

use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Command};

use crate::{home, quiet};

/// The commands that work on the files of a checkout.
const OF_A_CHECKOUT: [&str; 8] = ["setup", "backends", "bisect", "findings", "zoo", "bench", "fuzz", "tidy"];

/// Every command.
pub(crate) fn all() -> Command {
    Command::new(home::program())
        .bin_name(home::program())
        .version(env!("CARGO_PKG_VERSION"))
        .about("Judges implementations of the norm reductions, and looks after the cases that do")
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(quiet::option())
        .subcommand(conformance::command())
        .subcommand(backends::command())
        .subcommand(setup::command())
        .subcommand(hunt::command())
        .subcommand(bisect::command())
        .subcommand(findings::command())
        .subcommand(matrix::command())
        .subcommand(report::command())
        .subcommand(repro::command())
        .subcommand(smoke::command())
        .subcommand(new_backend::command())
        .subcommand(new_case::command())
        .subcommand(cases::command())
        .subcommand(spec::command())
        .subcommand(explain::command())
        .subcommand(laws::command())
        .subcommand(zoo::command())
        .subcommand(bench::command())
        .subcommand(fuzz::command())
        .subcommand(tidy::command())
        .subcommand(completions::command())
}

/// Does what the command line says.
///
/// # Errors
/// What kept the command from its work.
pub(crate) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some((name, _)) if OF_A_CHECKOUT.contains(&name) && home::checkout().is_none() => {
            home::checkout_for(&format!("`cargo xtask {name}`")).map(|_| ExitCode::from(2))
        }
        Some(("conformance", matches)) => conformance::main(matches),
        Some(("backends", matches)) => backends::main(matches),
        Some(("setup", matches)) => setup::main(matches),
        Some(("hunt", matches)) => hunt::main(matches),
        Some(("bisect", matches)) => bisect::main(matches),
        Some(("findings", matches)) => findings::main(matches),
        Some(("matrix", matches)) => matrix::main(matches),
        Some(("report", matches)) => report::main(matches),
        Some(("repro", matches)) => repro::main(matches),
        Some(("smoke", matches)) => smoke::main(matches),
        Some(("new-backend", matches)) => new_backend::main(matches),
        Some(("new-case", matches)) => new_case::main(matches),
        Some(("cases", matches)) => cases::main(matches),
        Some(("spec", matches)) => spec::main(matches),
        Some(("explain", matches)) => explain::main(matches),
        Some(("laws", matches)) => laws::main(matches),
        Some(("zoo", matches)) => zoo::main(matches),
        Some(("bench", matches)) => bench::main(matches),
        Some(("fuzz", matches)) => fuzz::main(matches),
        Some(("tidy", _)) => tidy::main(),
        Some(("completions", matches)) => completions::main(matches, crate::command()),
        _ => Ok(ExitCode::from(2)),
    }
}
