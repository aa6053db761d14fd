//! `cargo xtask backends`: the backends of this repository, and which of them are ready.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Command};

use crate::backends::{SetupState, all};
use crate::home;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("backends").about("List the backends of this repository, and which of them are ready")
}

/// Runs the command.
pub(crate) fn main(_: &ArgMatches) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    let width = all().map(|wanted| wanted.known.name.len()).max().unwrap_or(0);
    for wanted in all() {
        let known = wanted.known;
        let state = match wanted.state()? {
            SetupState::Ready => "ready".to_owned(),
            SetupState::NeedsSetup => "needs setup".to_owned(),
            SetupState::ElsewhereOnly(system) => format!("{system} only"),
        };
        let version = wanted.set().map_or_else(String::new, |set| format!(" ({})", set.version));
        writeln!(out, "{:<width$}  {state:<11}  {}{version}", known.name, known.what)?;
    }
    writeln!(
        out,
        "\n{called} setup NAME[@VERSION] makes one ready, {called} conformance --backend judges it",
        called = home::program()
    )?;
    Ok(ExitCode::SUCCESS)
}
