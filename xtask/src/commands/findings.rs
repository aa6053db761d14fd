//! `cargo xtask findings`: the defects found in other projects' runtimes, as data.
//!
//! Each runtime has a file of defects in `docs/findings`. The command asks the installed runtimes whether each defect
//! still occurs, and with `--page` it generates `docs/findings.md`. It does not search for defects, and does not change
//! the files: a maintainer edits them.

mod ask;
mod check;
mod document;
mod fields;
mod finding;
mod history;
mod page;
mod plan;
mod release;
mod rules;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::outside;

use self::finding::Runtime;
use normative::judging::PATIENCE;
use normative::select::{Folder, list, workspace_root};
use normative::{demands, home, output};

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
        .about("Ask the runtimes that are set up whether each finding of docs/findings still holds")
        .after_help(
            "Of a runtime in several releases the newest is asked; a defect that is mended is also asked in the release \
             that it was seen in. Exit code 0: all as on file. 1: a finding is out of date, a runtime does not start, or, \
             with --page and --check, the page is out of date. 2: no runtime could be asked, or the command itself went \
             wrong.",
        )
        .arg(
            Arg::new("page")
                .long("page")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["backend", "timeout"])
                .help("Ask nothing; write docs/findings.md, the page of all findings"),
        )
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .requires("page")
                .help("Write nothing; fail if the page is not what the files say, or the files not what histories show"),
        )
        .arg(
            Arg::new("backend")
                .long("backend")
                .value_name("NAME[@VERSION]")
                .action(ArgAction::Append)
                .help("Ask this backend alone, in this release where one is named (repeatable)"),
        )
        .arg(demands::timeout(PATIENCE))
        .args([folder(), Folder::option()])
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    if matches.get_flag("page") { write_page(matches) } else { check::main(matches) }
}

/// Returns the folder of the findings.
fn folder(matches: &ArgMatches) -> PathBuf {
    let given: Option<&PathBuf> = matches.get_one("findings");
    given.cloned().unwrap_or_else(|| workspace_root().join("docs/findings"))
}

/// Reads the findings, which must fit the corpus and its clauses.
fn load(matches: &ArgMatches, corpus: &Corpus, ledger: &Ledger) -> Result<Vec<Runtime>> {
    document::load(&folder(matches), corpus, ledger)
        .map_err(|errors| anyhow!("the findings cannot be used:\n{}", list(&errors)))
}

fn write_page(matches: &ArgMatches) -> Result<ExitCode> {
    let cases = Folder::of(matches);
    let runtimes = load(matches, &cases.load()?, &cases.ledger()?)?;
    if matches.get_flag("check") {
        let disagreements = check::disagreements(&runtimes)?;
        if !disagreements.is_empty() {
            output::print(&disagreements)?;
            return Ok(ExitCode::FAILURE);
        }
    }
    let mut text = String::new();
    page::write(&mut text, &runtimes)?;
    let file = folder(matches).with_extension("md");
    let name = || file.display().to_string();
    let written = match outside::text(&file, outside::WRITTEN) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(name),
    };
    if written.as_deref() == Some(text.as_str()) {
        return Ok(ExitCode::SUCCESS);
    }
    if matches.get_flag("check") {
        output::print(&format!(
            "{}: is not what the files say; run {} findings --page\n",
            file.display(),
            home::program()
        ))?;
        return Ok(ExitCode::FAILURE);
    }
    fs::write(&file, text).with_context(name)?;
    output::print(&format!("wrote {}\n", file.display()))?;
    Ok(ExitCode::SUCCESS)
}
