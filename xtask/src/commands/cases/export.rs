//! `cargo xtask cases export --format json|npy|onnx|onnx-refusals`: writes the corpus for readers without Rust.
//!
//! `docs/export.md` describes the formats. A case that a format cannot hold is counted, and the reason is printed.

mod onnx;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::run::{Prepared, prepare};
use normative_present::export::Exported;

use super::npy;
use normative::select::{Selection, list};

const FORMATS: [&str; 4] = ["json", "npy", "onnx", "onnx-refusals"];

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("export")
        .about("Write cases, exact results and bounds for other languages and other runners")
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .required(true)
                .value_parser(FORMATS)
                .help(
                    "json: cases.ndjson, a case a line. npy: a folder of \
                     arrays a case. onnx: model directories, as ONNX's backend tests. onnx-refusals: models that must not load",
                ),
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
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    let mut write = |one: &Prepared<'_>, write: &dyn Fn() -> Result<Option<&'static str>>| -> Result<()> {
        let reason = write().with_context(|| one.case.name.clone())?;
        if let Some(reason) = reason {
            *left_out.entry(reason).or_default() += 1;
        }
        Ok(())
    };
    match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => {
            let mut file = BufWriter::new(File::create(output.join("cases.ndjson"))?);
            for expansions in prepared.chunk_by(|one, next| one.case.id == next.case.id) {
                let expansions: Vec<_> = expansions.iter().map(|one| (one.case, &one.sheet)).collect();
                let exported = Exported::of(&expansions).context("a case without a call")?;
                serde_json::to_writer(&mut file, &exported)?;
                file.write_all(b"\n")?;
            }
            file.flush()?;
        }
        Some("npy") => {
            for one in &prepared {
                write(one, &|| npy::write(&output.join(&one.case.name), one).map(|()| None))?;
            }
        }
        Some("onnx-refusals") => {
            let ledger = selection.folder.ledger()?;
            for one in &prepared {
                write(one, &|| onnx::refusal_directory(output, one, &ledger))?;
            }
        }
        _ => {
            for one in &prepared {
                write(one, &|| onnx::test_directory(output, one))?;
            }
        }
    }
    let mut out = std::io::stdout().lock();
    let without: usize = left_out.values().sum();
    writeln!(out, "{} cases written to {}", prepared.len() - without, output.display())?;
    for (reason, count) in left_out {
        writeln!(out, "{count} left out: {reason}")?;
    }
    if without == prepared.len() {
        bail!("nothing was written");
    }
    Ok(ExitCode::SUCCESS)
}
