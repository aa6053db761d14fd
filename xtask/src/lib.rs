//! The workshop: commands for those who maintain the cases, the sources' fingerprints, the findings and the tests.
//!
//! One file a command in `commands/`; what they share lies beside it. The program has the product's commands as well
//! (`conformance/normative`), so that one program built by the tests runs all of them. Exit codes are those of the product.

// They panic where nobody reads any more: `output::print` and `note` do not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod cases;
mod commands;
mod spec;

use std::process::ExitCode;

use clap::Command;

/// The command line.
pub fn command() -> Command {
    normative::command(&commands::WORKSHOP)
}

/// Does what the arguments of this process say.
pub fn main() -> ExitCode {
    normative::main(&commands::WORKSHOP)
}
