//! `cargo xtask findings`: the defects found in other projects' runtimes, as data.
//!
//! Each runtime has a file of defects in `docs/findings`. The command generates `docs/findings.md` from them, and with
//! `--check` compares the files with the histories of releases. It does not search for defects, and does not change the
//! files: a maintainer edits them.

mod document;
mod fields;
mod finding;
mod history;
mod page;
mod release;
mod rules;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::made;
use normative::output;
use normative::select::{Folder, list, workspace_root};

/// Returns the command's options.
pub(crate) fn command() -> Command {
    let folder = || {
        Arg::new("findings")
            .long("findings")
            .value_name("DIR")
            .value_parser(clap::value_parser!(PathBuf))
            .help("Read the findings from this folder [default: docs/findings]")
    };
    Command::new("findings")
        .about("Write docs/findings.md, the page of all findings, from docs/findings")
        .arg(Arg::new("check").long("check").action(ArgAction::SetTrue).help(
            "Write nothing; fail if the page is not what the files say, or the files not what histories show",
        ))
        .args([folder(), Folder::option()])
}

/// Returns the folder of the findings.
fn folder(matches: &ArgMatches) -> PathBuf {
    let given: Option<&PathBuf> = matches.get_one("findings");
    given.cloned().unwrap_or_else(|| workspace_root().join("docs/findings"))
}

/// Runs the command. The findings must fit the corpus and its clauses.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let cases = Folder::of(matches);
    let runtimes = document::load(&folder(matches), &cases.load()?, &cases.ledger()?)
        .map_err(|errors| anyhow!("the findings cannot be used:\n{}", list(&errors)))?;
    let check = matches.get_flag("check");
    if check {
        let disagreements = history::disagreements(&runtimes)?;
        if !disagreements.is_empty() {
            output::print(&disagreements)?;
            return Ok(ExitCode::FAILURE);
        }
    }
    let mut text = String::new();
    page::write(&mut text, &runtimes)?;
    let differed = made::write(&folder(matches).with_extension("md"), &text, check, "files", "findings")?;
    Ok(ExitCode::from(u8::from(check && differed)))
}
