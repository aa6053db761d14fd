//! `cargo xtask site --output DIR`: the results of every runtime and release, as static files for a browser.
//!
//! It judges nothing, and is a pure function of the histories, `docs/findings` and the ledger:
//!
//! - `index.html`: all views, in one file that loads nothing;
//! - `data/index.json`, `data/RUNTIME.json`: the same data for programs, at addresses that stay;
//! - `badges/RUNTIME.svg`: the newest judged release of a runtime.

mod data;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative::runner::in_foreground;
use normative::select::Folder;
use normative::{backends, findings, history, home, output, provenance, workshop};
use normative_conformance::report::record;
use normative_present::{badge, site};
use serde_json::{Map, Value, json};

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("site")
        .about("Write the results of every runtime and release as pages for a browser")
        .after_help(
            "With --judge, releases that appeared since the newest one on file are judged first, as `history` does, and \
             the program is built again with them.",
        )
        .arg(
            Arg::new("output")
                .long("output")
                .value_name("DIR")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Write into this folder"),
        )
        .arg(
            Arg::new("judge")
                .long("judge")
                .action(ArgAction::SetTrue)
                .help("Judge new releases of every runtime with a history first"),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = matches.get_one::<PathBuf>("output").context("--output is required")?;
    if matches.get_flag("judge") {
        history::backends().try_for_each(judge)?;
        return workshop::run(&["site".into(), "--output".into(), folder.into()]);
    }
    let cases = Folder::ours();
    let (ledger, runtimes) = (cases.ledger()?, findings::all()?);
    let (mut all, mut rows) = (Map::new(), Vec::new());
    for backend in history::backends() {
        let history = history::of(backend)?.context(backend)?;
        let value = data::runtime(history, &ledger, &runtimes)?;
        let row = data::row(history, &ledger)?;
        output::write_file(&folder.join(format!("data/{backend}.json")), value.to_string())?;
        let (message, color) = data::badge(&row);
        output::write_file(
            &folder.join(format!("badges/{backend}.svg")),
            badge::svg(&history.runtime, &message, color),
        )?;
        rows.push(row);
        all.insert(backend.to_owned(), value);
    }
    let made_by = provenance::made_by(&cases.load()?);
    let index = json!({
        "format": data::FORMAT, "record-format": record::FORMAT, "suite": made_by, "runtimes": rows,
        "by-hand": data::by_hand(&runtimes), "clauses": data::clauses(&ledger),
    });
    output::write_file(&folder.join("data/index.json"), index.to_string())?;
    let mut page = String::new();
    site::write(&mut page, &json!({ "index": index, "runtimes": Value::Object(all) }), &made_by)?;
    output::write_file(&folder.join("index.html"), &page)?;
    output::print(&format!("wrote {}\n", home::shown(&folder.join("index.html"))))?;
    Ok(ExitCode::SUCCESS)
}

/// Judges the releases of a runtime from the newest one on file on.
fn judge(backend: &str) -> Result<()> {
    let history = history::of(backend)?.context(backend.to_owned())?;
    let newest =
        history.results.keys().chain(history.absent.keys()).max().context("no release is on file")?;
    let mut words = vec!["history", backend];
    if backends::find(backend)?.is_some_and(|wanted| wanted.has_releases()) {
        words.extend(["--from", &newest.0]);
    }
    let mut command = std::process::Command::new(std::env::current_exe()?);
    if in_foreground(command.args(&words))? == ExitCode::SUCCESS {
        return Ok(());
    }
    bail!("`{} {}` did not do its work", home::program(), words.join(" "))
}
