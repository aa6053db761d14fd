//! `cargo xtask smoke --backend NAME`: checks a backend's adapter, before the implementation is judged.
//!
//! It prints one line for each probe on standard output.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::drive::{self, smoke};

use crate::{demands, runner};

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("smoke")
        .about("Check a backend's adapter, and say what is wrong with it")
        .after_help(
            "Exit code 0: nothing is wrong; with --strict, nothing is doubtful either. 1: something is. 2: the backend cannot \
             be run.",
        )
        .arg(runner::option().required(true))
        .arg(Arg::new("strict").long("strict").action(ArgAction::SetTrue).help(
            "End with 1 for what is doubtful, too: mistakes that are the adapter's or the runtime's",
        ))
        .arg(demands::timeout())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let backend = matches.get_one::<String>("backend").map_or("", String::as_str);
    let program = runner::program(backend)?;
    let limits = demands::limits(matches);
    let mut out = std::io::stdout().lock();
    let (mut written, mut crashes) = (Ok(()), BTreeSet::new());
    // Print each line at once: a probe may take as long as an answer may.
    let lines = smoke::program(program, limits, |line| {
        if written.is_ok() {
            let line = line.to_string();
            // A module that cannot be imported makes every call crash, and needs to be told once.
            written = match line.split_once(smoke::CRASHED) {
                Some((probe, crash)) if !crashes.insert(drive::without_printed(crash).to_owned()) => {
                    writeln!(out, "{probe}crashed, as above")
                }
                _ => writeln!(out, "{line}"),
            };
        }
    })
    .context("the worker did not start")?;
    written?;
    if smoke::passes(&lines) && !smoke::checked_anything(&lines) {
        writeln!(out, "nothing could be checked: the backend says it supports none of these calls")?;
    }
    let (strict, doubtful) = (matches.get_flag("strict"), smoke::doubtful(&lines));
    if !strict && doubtful > 0 && smoke::passes(&lines) {
        writeln!(
            out,
            "{doubtful} doubtful, by the adapter or by the runtime: --strict ends with 1 for that"
        )?;
    }
    out.flush()?;
    let fails = if strict { !smoke::is_clear(&lines) } else { !smoke::passes(&lines) };
    Ok(ExitCode::from(u8::from(fails)))
}
