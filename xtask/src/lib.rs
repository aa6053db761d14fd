//! The workshop: commands for the maintainers of the cases, the sources' fingerprints, the findings and the tests.
//!
//! Each command has a file in `commands/`; shared modules lie beside it. The program also has the product's commands
//! (`conformance/normative`), so that tests build one program only. Exit codes are those of the product.

// These macros panic on a closed pipe; `output::print` and `note` do not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod cases;
mod commands;
mod made;
mod spec;

use std::process::ExitCode;

use clap::Command;

/// Returns the command line.
pub fn command() -> Command {
    normative::command(&commands::WORKSHOP)
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    normative::main(&commands::WORKSHOP)
}
