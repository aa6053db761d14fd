//! `cargo xtask setup NAME[@VERSION]…`: installs the requirements of backends, builds them, and starts each once.
//!
//! It installs under the target directory only; nothing else on the machine changes.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::Driver as _;
use normative_conformance::display;
use normative_conformance::drive::{Limits, Worker};

use crate::backends::{self, SetupState};
use crate::note;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("setup")
        .about("Install what backends need, under the target directory, and build them")
        .after_help(
            "cargo xtask backends lists the names. Python's packages come by pip into a virtual environment: \
             in the usual version those of backends/locks, by their digests, in any other what the index has.",
        )
        .arg(
            Arg::new("names")
                .value_name("NAME[@VERSION]")
                .action(ArgAction::Append)
                .num_args(1..)
                .required_unless_present("renew-locks")
                .help("The backends; `all` for every one that is for this system"),
        )
        .arg(
            Arg::new("renew-locks")
                .long("renew-locks")
                .action(ArgAction::SetTrue)
                .conflicts_with("names")
                .help("Write the files in backends/locks again: every package with the digests of its files"),
        )
}

/// Runs the command. It reports a backend that cannot be set up, and continues with the next.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    let mut failed = false;
    if matches.get_flag("renew-locks") {
        for name in backends::renew_locks()? {
            writeln!(out, "backends/locks/{name}.txt")?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    for name in names(matches)? {
        match set_up(&name) {
            Ok(identity) => writeln!(out, "{name} is ready: {identity}")?,
            Err(error) => {
                failed = true;
                writeln!(out, "{name} is not ready: {}", note::once(&error))?;
            }
        }
        out.flush()?;
    }
    Ok(ExitCode::from(u8::from(failed)))
}

fn names(matches: &ArgMatches) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for name in matches.get_many::<String>("names").into_iter().flatten() {
        if name == "all" {
            for wanted in backends::all() {
                if !matches!(wanted.state()?, SetupState::ElsewhereOnly(_)) {
                    names.push(wanted.known.name.to_owned());
                }
            }
        } else {
            names.push(name.clone());
        }
    }
    Ok(names)
}

fn set_up(name: &str) -> Result<String> {
    let Some(wanted) = backends::find(name)? else {
        let near = backends::did_you_mean(name);
        let near = if near.is_empty() { "; cargo xtask backends lists them" } else { &near };
        bail!("there is no such backend here{near}");
    };
    if let SetupState::ElsewhereOnly(system) = wanted.state()? {
        bail!("it is for {system} only");
    }
    wanted.install()?;
    let worker = Worker::start(wanted.program(name)?, Limits::default())?;
    let identity = worker.identity();
    Ok(display::who(&identity))
}
