//! The project's commands, run as `cargo xtask COMMAND`.
//!
//! This crate parses arguments and calls the libraries; it decides nothing about norms. One file a command
//! in `commands/`; what they share lies beside it. Exit codes: 0 as asked, 1 not (the backend does not conform, a check found something),
//! 2 the command itself could not do its work.
//!
//! It is a library of two functions, so that tests can hold the commands of the documentation against the
//! command line; the program is `main.rs`.

// They panic where nobody reads any more: `output::print` and `note` do not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod backends;
mod baseline;
mod cases;
mod commands;
mod defect;
mod demands;
mod exit;
mod forecast;
mod home;
mod interrupt;
mod jobs;
mod judging;
mod last_failed;
mod note;
mod outcome;
mod output;
mod partition;
mod progress;
mod property;
mod provenance;
mod quiet;
mod rebuild;
mod records;
mod refusal;
mod rerun;
mod routes;
mod runner;
mod screen;
mod select;
mod shell;
mod spec;
mod watch;

use std::process::ExitCode;

use clap::Command;

/// The command line.
pub fn command() -> Command {
    commands::completions::as_called(commands::all())
}

/// Does what the arguments of this process say.
pub fn main() -> ExitCode {
    // It takes a second to find out, so only who asks pays; `-V` prints the number alone.
    if std::env::args_os().nth(1).is_some_and(|first| first == "--version") {
        let printed = output::print(&provenance::version());
        return ExitCode::from(if printed.is_ok() { 0 } else { 2 });
    }
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => {
            let named = std::env::args().nth(1).unwrap_or_default();
            let all = command();
            let judges = all
                .find_subcommand(&named)
                .is_some_and(|one| one.get_arguments().any(|arg| arg.get_id() == "backend"));
            progress::write_lines(&refusal::text(&error, judges));
            return ExitCode::from(2);
        }
        Err(help) => help.exit(),
    };
    quiet::heed(&matches);
    let done = commands::run(&matches);
    match done {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            note::error(format_args!("error: {}", note::once(&error)));
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
