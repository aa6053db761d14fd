//! `cargo xtask cases export`: writes the corpus for readers without Rust, as `docs/export.md` describes it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::report::record::digest;
use normative_conformance::run::prepare;
use normative_present::export::Exported;

use super::selfcheck;
use normative::select::{Selection, list};

/// The format of models that judge themselves.
const SELFCHECK: &str = "onnx-selfcheck";

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("export")
        .about("Write cases, exact results and bounds for other languages")
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["json", SELFCHECK])
                .default_value("json")
                .help("json: cases.ndjson, a case a line; onnx-selfcheck: models that judge themselves"),
        )
        .arg(normative::output::output_folder())
        .args(Selection::options())
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let selection = Selection::of(matches);
    let corpus = selection.folder.load()?;
    let prepared = prepare(selection.select(&corpus)?)
        .map_err(|errors| anyhow!("cases and reference disagree; nothing is written:\n{}", list(&errors)))?;
    let output = matches.get_one::<PathBuf>("output").context("no folder is given")?;
    normative::output::fresh_folder(output)?;
    if matches.get_one::<String>("format").is_some_and(|format| format == SELFCHECK) {
        normative::output::print(&selfcheck::write(&prepared, &digest(&corpus), output)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut file = BufWriter::new(File::create(output.join("cases.ndjson"))?);
    for expansions in prepared.chunk_by(|one, next| one.case.id == next.case.id) {
        let expansions: Vec<_> = expansions.iter().map(|one| (one.case, &one.sheet)).collect();
        let exported = Exported::of(&expansions).context("a case without a call")?;
        serde_json::to_writer(&mut file, &exported)?;
        file.write_all(b"\n")?;
    }
    file.flush()?;
    normative::output::print(&format!("{} cases written to {}\n", prepared.len(), output.display()))?;
    Ok(ExitCode::SUCCESS)
}
