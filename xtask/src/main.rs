//! The project's commands, run as `cargo xtask COMMAND`.
//!
//! This crate parses arguments and calls the libraries; it decides nothing about norms. One file a
//! command. Exit codes: 0 as asked, 1 not (the backend does not conform, a check found something),
//! 2 the command itself could not do its work.

mod cases;
mod conformance;
mod explain;
mod runner;
mod select;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Judges implementations of the norm reductions, and looks after the cases that do.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Judge a backend against the cases.
    Conformance(conformance::Arguments),
    /// Look at the corpus, or check it.
    Cases(cases::Arguments),
    /// Show how the expectation of a case comes about.
    Explain(explain::Arguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Conformance(arguments) => conformance::main(&arguments),
        Command::Cases(arguments) => cases::main(&arguments),
        Command::Explain(arguments) => explain::main(&arguments),
    };
    match done {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whoever read our output has read enough (`cargo xtask cases list | head`).
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
