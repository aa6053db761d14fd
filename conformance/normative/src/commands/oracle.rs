//! `cargo xtask oracle`: answers requests of another program on standard input, until that ends.
//!
//! A test suite in another language starts it once, and then asks for exact values and verdicts. `present::oracle`
//! has the requests.

use std::io::{self, BufRead as _, Read as _};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{ArgMatches, Command};
use normative_present::oracle::{self, LONGEST};

use crate::output;
use crate::select::Folder;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("oracle")
        .about("Answer other programs: exact values, and verdicts on answers, a line of JSON each")
        .after_help("Requests are read from standard input; docs/python.md has them.")
        .arg(Folder::option())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let ledger = Folder::of(matches).ledger()?;
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        // Memory grows with what comes, up to the longest line.
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        if line.last() != Some(&b'\n') && read as u64 == LONGEST {
            bail!("expected a line of at most {LONGEST} bytes");
        }
        output::print(&(oracle::reply(&line, &ledger)? + "\n"))?;
    }
}
