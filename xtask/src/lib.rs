//! The project's commands, run as `cargo xtask COMMAND`.
//!
//! This crate parses arguments and calls the libraries; it decides nothing about norms. One file a
//! command. Exit codes: 0 as asked, 1 not (the backend does not conform, a check found something),
//! 2 the command itself could not do its work.
//!
//! It is a library of two functions, so that tests can hold the commands of the documentation against the
//! command line; the program is `main.rs`.

mod backends;
mod baseline;
mod bench;
mod bisect;
mod cases;
mod conformance;
mod defect;
mod demands;
mod evidence;
mod explain;
mod findings;
mod forecast;
mod fuzz;
mod home;
mod hunt;
mod interrupt;
mod jobs;
mod judging;
mod last_failed;
mod laws;
mod manual;
mod matrix;
mod new;
mod note;
mod output;
mod partition;
mod progress;
mod property;
mod provenance;
mod rebuild;
mod records;
mod refusal;
mod report;
mod repro;
mod rerun;
mod runner;
mod scaffold;
mod screen;
mod sealed;
mod select;
mod setup;
mod smoke;
mod spec;
mod tidy;
mod watch;
mod zoo;

use std::process::ExitCode;

use clap::Command;

/// The commands that work on the files of a checkout.
const OF_A_CHECKOUT: [&str; 8] = ["setup", "backends", "bisect", "findings", "zoo", "bench", "fuzz", "tidy"];

/// The command line.
pub fn command() -> Command {
    manual::as_called(commands())
}

fn commands() -> Command {
    Command::new(home::program())
        .bin_name(home::program())
        .version(env!("CARGO_PKG_VERSION"))
        .about("Judges implementations of the norm reductions, and looks after the cases that do")
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(note::option())
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
        .subcommand(scaffold::command())
        .subcommand(new::command())
        .subcommand(cases::command())
        .subcommand(spec::command())
        .subcommand(explain::command())
        .subcommand(laws::command())
        .subcommand(zoo::command())
        .subcommand(bench::command())
        .subcommand(fuzz::command())
        .subcommand(tidy::command())
        .subcommand(manual::completions_command())
        .subcommand(manual::man_command())
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
            eprintln!("{}", refusal::text(&error, judges));
            return ExitCode::from(2);
        }
        Err(help) => help.exit(),
    };
    note::heed(&matches);
    let done = match matches.subcommand() {
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
        Some(("new-backend", matches)) => scaffold::main(matches),
        Some(("new-case", matches)) => new::main(matches),
        Some(("cases", matches)) => cases::main(matches),
        Some(("spec", matches)) => spec::main(matches),
        Some(("explain", matches)) => explain::main(matches),
        Some(("laws", matches)) => laws::main(matches),
        Some(("zoo", matches)) => zoo::main(matches),
        Some(("bench", matches)) => bench::main(matches),
        Some(("fuzz", matches)) => fuzz::main(matches),
        Some(("tidy", _)) => tidy::main(),
        Some(("completions", matches)) => manual::completions(matches, command()),
        Some(("man", matches)) => manual::man(matches, command()),
        _ => Ok(ExitCode::from(2)),
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

/// Whoever read our output has read enough (`cargo xtask cases list | head`).
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
