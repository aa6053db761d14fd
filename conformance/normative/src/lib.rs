//! The program that users run: `normative` if installed, `cargo xtask` in a checkout.
//!
//! This crate parses arguments and calls the libraries; it has no rules about norms. Each command has a file in
//! `commands/`; shared modules lie beside it. Exit codes: 0 success, 1 the backend does not conform or a check found
//! something, 2 the command itself could not do its work.
//!
//! It is also the library of the workshop (`xtask/`), whose commands use the same modules.

#![allow(clippy::missing_errors_doc, reason = "an error is text for the user, who reads it as it is")]
// These macros panic on a closed pipe; `output::print` and `note` do not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod backends;
mod baseline;
mod commands;
mod defect;
pub mod demands;
mod exit;
mod facts;
pub mod findings;
pub mod history;
pub mod home;
pub mod interrupt;
mod jobs;
pub mod judging;
pub mod keep;
mod last_failed;
mod laws;
mod named;
pub mod note;
pub mod outcome;
pub mod output;
pub mod progress;
mod property;
pub mod provenance;
mod quiet;
mod rebuild;
pub mod records;
mod refusal;
mod releases;
pub mod rerun;
pub mod runner;
mod screen;
pub mod search;
pub mod select;
mod skeleton;
mod watch;
pub mod workshop;

use std::process::ExitCode;

pub use commands::{OneCommand, command};

/// Runs the command line of this process. `workshop` lists the commands of the workshop; `normative` passes none.
pub fn main(workshop: &[OneCommand]) -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    // The full version takes a second to find, so only `--version` computes it; `-V` prints the number alone.
    if arguments.first().is_some_and(|first| first == "--version") {
        let printed = output::print(&provenance::version());
        return ExitCode::from(if printed.is_ok() { 0 } else { 2 });
    }
    let done = if workshop.is_empty() && workshop::has(&arguments) {
        workshop::run(&arguments)
    } else {
        let matches = match command(workshop).try_get_matches() {
            Ok(matches) => matches,
            Err(error) if error.use_stderr() => {
                let all = command(workshop);
                let named = workshop::name(&arguments).and_then(|name| all.find_subcommand(name));
                let judges =
                    named.is_some_and(|one| one.get_arguments().any(|arg| arg.get_id() == "backend"));
                progress::write_lines(&refusal::text(&error, judges));
                return ExitCode::from(2);
            }
            Err(help) => help.exit(),
        };
        quiet::heed(&matches);
        commands::run(&matches, workshop)
    };
    match done {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            note::error(format_args!("error: {}", note::once(&error)));
            ExitCode::from(2)
        }
    }
}

/// Returns true if the error is a reader that has closed its end (`cargo xtask backends | head`).
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
