//! The commands, each in a file or folder, and the table of them.
//!
//! Commands do not use each other: shared modules lie beside this folder. `cargo xtask tidy` checks this.

mod ask;
mod backends;
mod bisect;
pub(crate) mod completions;
mod conformance;
mod explain;
mod history;
mod init;
mod matrix;
mod model;
mod new_backend;
mod oracle;
mod report;
mod repro;
mod setup;
mod smoke;

use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Command};

use crate::{home, quiet, workshop};

/// A command: its command line, and the function that runs it.
#[derive(Clone, Copy, Debug)]
pub struct OneCommand {
    /// Its name, options and help.
    pub command: fn() -> Command,
    /// Runs it, with its own options.
    ///
    /// # Errors
    /// The reason why it could not do its work.
    pub run: fn(&ArgMatches) -> Result<ExitCode>,
    /// True if it works on the files of a checkout.
    pub of_a_checkout: bool,
}

const fn anywhere(command: fn() -> Command, run: fn(&ArgMatches) -> Result<ExitCode>) -> OneCommand {
    OneCommand { command, run, of_a_checkout: false }
}

const fn in_a_checkout(command: fn() -> Command, run: fn(&ArgMatches) -> Result<ExitCode>) -> OneCommand {
    OneCommand { command, run, of_a_checkout: true }
}

/// The commands of the product, in the order of `--help`.
const PRODUCT: &[OneCommand] = &[
    anywhere(conformance::command, conformance::main),
    in_a_checkout(backends::command, backends::main),
    in_a_checkout(setup::command, setup::main),
    in_a_checkout(bisect::command, bisect::main),
    in_a_checkout(history::command, history::main),
    anywhere(ask::command, ask::main),
    anywhere(matrix::command, matrix::main),
    anywhere(model::command, model::main),
    anywhere(report::command, report::main),
    anywhere(repro::command, repro::main),
    anywhere(smoke::command, smoke::main),
    anywhere(init::command, init::main),
    anywhere(new_backend::command, new_backend::main),
    anywhere(explain::command, explain::main),
    anywhere(oracle::command, oracle::main),
];

/// The whole command line: the product's commands and those of the workshop.
pub fn command(workshop: &[OneCommand]) -> Command {
    let all = Command::new(if home::is_installed() { home::INSTALLED } else { home::program() })
        .bin_name(home::program())
        .version(env!("CARGO_PKG_VERSION"))
        .about("Judges implementations of the norm reductions")
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(quiet::option())
        .subcommands(PRODUCT.iter().chain(workshop).map(|one| (one.command)()))
        .subcommand(completions::command());
    let all = if workshop.is_empty() { all.after_help(workshop::help()) } else { all };
    completions::as_called(all)
}

/// Runs the command that the command line names.
///
/// # Errors
/// The reason why the command could not do its work.
pub(crate) fn run(matches: &ArgMatches, workshop: &[OneCommand]) -> Result<ExitCode> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(ExitCode::from(2)) };
    let one = PRODUCT.iter().chain(workshop).find(|one| (one.command)().get_name() == name);
    match one {
        Some(one) if one.of_a_checkout => {
            home::checkout_for(&format!("`cargo xtask {name}`"))?;
            (one.run)(matches)
        }
        Some(one) => (one.run)(matches),
        None => completions::main(matches, command(workshop)),
    }
}
