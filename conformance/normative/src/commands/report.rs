//! `cargo xtask report show|diff|evidence|selfcheck`: reports on recorded runs, without starting a backend.

mod evidence;
mod selfcheck;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::report::diff;
use normative_conformance::session;
use normative_present::column::Column;

use crate::exit;
use crate::output::{self, Output};
use crate::rebuild::{self, Rebuilder};
use crate::rerun::of_records;
use crate::select::Folder;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    let file = |name: &'static str| {
        Arg::new(name).value_name("FILE").value_parser(clap::value_parser!(PathBuf)).required(true)
    };
    Command::new("report")
        .about("Report on runs that are on record")
        .after_help("Exit codes are those of the run.")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("show")
                .about("Print the report of a run, also of one that was cut off, or the matrix of several")
                .arg(
                    file("file")
                        .action(ArgAction::Append)
                        .num_args(1..)
                        .help("The record; the runs of several stand side by side"),
                )
                .args(Output::options())
                .arg(Folder::option()),
        )
        .subcommand(
            Command::new("diff")
                .about("Tell what changed from one run to another: what became worse first")
                .after_help(
                    "Exit code 0: nothing became worse. 1: something did. 2: they cannot be compared.",
                )
                .arg(file("before").help("The record of a run, or of a matrix"))
                .arg(file("after").help("Another; of two matrices, backends of the same name are compared"))
                .arg(Folder::option()),
        )
        .subcommand(evidence::command())
        .subcommand(selfcheck::command())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("show", matches)) => show(matches),
        Some(("diff", matches)) => {
            let file = |name: &str| matches.get_one::<PathBuf>(name).context("no file");
            diff(file("before")?, file("after")?, &Folder::of(matches))
        }
        Some(("evidence", matches)) => evidence::main(matches),
        Some(("selfcheck", matches)) => selfcheck::main(matches),
        _ => Ok(ExitCode::from(2)),
    }
}

/// Prints the report of a run, or the matrix of several. The exit code is that of the first run that fails.
fn show(matches: &ArgMatches) -> Result<ExitCode> {
    let files: Vec<&PathBuf> = matches.get_many("file").into_iter().flatten().collect();
    let folder = Folder::of(matches);
    let mut records = Vec::new();
    for file in &files {
        records.extend(session::read_all(file)?);
    }
    let corpus = rebuild::with_stated(folder.load()?, &records)?;
    let rebuilder = Rebuilder::over(&corpus, &folder)?;
    let names = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
    let mut columns = rebuilder.columns(&records).with_context(|| names.clone())?;
    distinguish(&mut columns);
    let show = of_records(&files, &folder);
    Output::of(matches).write(&columns, Some(&show), rebuilder.corpus, &rebuilder.ledger)?;
    let several = columns.len() > 1;
    let outcomes = columns.iter().map(|column| {
        exit::code(&column.report, &[])
            .with_context(|| if several { format!("{names}: {}", column.name) } else { names.clone() })
    });
    let outcomes: Vec<ExitCode> = outcomes.collect::<Result<_>>()?;
    // The codes have no order of severity, so take the first that is not success.
    Ok(outcomes.into_iter().find(|code| *code != ExitCode::SUCCESS).unwrap_or(ExitCode::SUCCESS))
}

/// Adds the version to names that several runs have, and a number where that is not enough.
fn distinguish(columns: &mut [Column<'_>]) {
    let doubled = |columns: &[Column<'_>]| -> Vec<bool> {
        let count = |name: &str| columns.iter().filter(|column| column.name == name).count();
        columns.iter().map(|column| count(&column.name) > 1).collect()
    };
    let flags = doubled(columns);
    for (Column { name, report, .. }, _) in columns.iter_mut().zip(flags).filter(|(_, doubled)| *doubled) {
        if !name.contains('@') {
            *name = format!("{name}@{}", report.identity.version);
        }
    }
    let flags = doubled(columns);
    for (at, (column, _)) in columns.iter_mut().zip(flags).enumerate().filter(|(_, (_, doubled))| *doubled) {
        column.name = format!("{} ({})", column.name, at + 1);
    }
}

/// Prints the changes. Two single runs may have different names: two versions, or two backends.
fn diff(before: &Path, after: &Path, folder: &Folder) -> Result<ExitCode> {
    let corpus = folder.load()?;
    let rebuilder = Rebuilder::over(&corpus, folder)?;
    let (before, after) = (rebuilder.read(before)?, rebuilder.read(after)?);
    let single = before.len() == 1 && after.len() == 1;
    let mut text = String::new();
    let mut worse = false;
    for Column { name, report, .. } in &after {
        let Some(earlier) = before.iter().find(|column| single || column.name == *name) else {
            writeln!(text, "{name}: only in the second")?;
            continue;
        };
        worse |= diff::changes(&earlier.report, report).iter().any(|change| change.turn.is_worse());
        diff::write(&mut text, (&earlier.name, &earlier.report), (name, report))?;
    }
    for Column { name, .. } in &before {
        if !single && !after.iter().any(|column| column.name == *name) {
            worse = true;
            writeln!(text, "{name}: only in the first")?;
        }
    }
    output::print(&text)?;
    Ok(ExitCode::from(u8::from(worse)))
}
