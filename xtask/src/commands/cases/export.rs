//! `cargo xtask cases export --format json|npy|onnx`: the corpus for whoever has no Rust.
//!
//! `docs/export.md` says what is written. A case that a format has no place for is counted and named, with the
//! reason; nothing is left out in silence.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::{Case, Claim};
use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::accepted::{Accepted, accepted};
use normative_conformance::reference::textbook::to_f64;
use normative_conformance::reference::{Expected, Kind, Operator, Tensor, Value};
use normative_conformance::run::{Prepared, prepare};
use normative_onnx::{Model, model_of_test, tensor};
use normative_present::export::Exported;

use super::npy;
use crate::select::{Selection, list};

const FORMATS: [&str; 3] = ["json", "npy", "onnx"];

/// What the command takes.
pub(super) fn command() -> Command {
    Command::new("export")
        .about("Write cases, exact results and bounds for other languages and other runners")
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .required(true)
                .value_parser(FORMATS)
                .help("json: cases.ndjson, a case a line. npy: a folder of arrays a case. onnx: model directories, as ONNX's backend tests"),
        )
        .arg(crate::output::output_folder())
        .args(Selection::options())
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let selection = Selection::of(matches);
    let corpus = selection.folder.load()?;
    let prepared = prepare(selection.select(&corpus)?)
        .map_err(|errors| anyhow!("cases and reference disagree; nothing is written:\n{}", list(&errors)))?;
    let output = matches.get_one::<PathBuf>("output").context("no folder is given")?;
    crate::output::fresh_folder(output)?;
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
            for one in &prepared {
                serde_json::to_writer(&mut file, &Exported::of(one.case, &one.sheet))?;
                file.write_all(b"\n")?;
            }
            file.flush()?;
        }
        Some("npy") => {
            for one in &prepared {
                write(one, &|| npy::write(&output.join(&one.case.name), one).map(|()| None))?;
            }
        }
        _ => {
            for one in &prepared {
                write(one, &|| test_directory(output, one))?;
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

/// A case as `model.onnx` and `test_data_set_0`, or why there is no place for it.
fn test_directory(output: &Path, one: &Prepared<'_>) -> Result<Option<&'static str>> {
    let Case { name, call, claim, .. } = one.case;
    if !matches!(call.operator, Operator::Onnx { .. }) {
        return Ok(Some("of another standard than ONNX"));
    }
    if matches!(claim, Claim::Open { .. }) {
        return Ok(Some("open: a runner of such directories knows one answer"));
    }
    let result = match one.sheet.entries.first().map(|entry| &entry.expected) {
        Some(Expected::Near(near)) => near.rounded()?,
        Some(Expected::Exactly(tensor)) => tensor.clone(),
        Some(Expected::Rejection(_)) | None => {
            return Ok(Some("to be refused: a runner of such directories knows results alone"));
        }
    };
    let Ok(Model { bytes, axes }) = model_of_test(call, result.shape()) else {
        return Ok(Some("a model has no place for the axes"));
    };
    let folder = output.join(format!("test_{}", name.replace(['-', '/'], "_")));
    let data_set = folder.join("test_data_set_0");
    fs::create_dir_all(&data_set)?;
    fs::write(folder.join("model.onnx"), bytes)?;
    let inputs: Vec<Tensor> = std::iter::once(call.data.clone()).chain(axes).collect();
    for (at, input) in inputs.iter().enumerate() {
        let name = if at == 0 { normative_onnx::DATA } else { normative_onnx::AXES };
        fs::write(data_set.join(format!("input_{at}.pb")), tensor(name, input))?;
    }
    fs::write(data_set.join("output_0.pb"), tensor(normative_onnx::OUTPUT, &result))?;
    let (rtol, atol) = tolerances(&result, one);
    fs::write(folder.join("data.json"), format!("{{\"rtol\": {rtol:e}, \"atol\": {atol:e}}}\n"))?;
    Ok(None)
}

/// What a runner of such directories has for bounds: one pair of tolerances for all elements. The least that let
/// every honest answer pass: relative where the nearest float is not zero, absolute where it is.
fn tolerances(result: &Tensor, one: &Prepared<'_>) -> (f64, f64) {
    let Kind::Float(format) = result.dtype().kind() else { return (0.0, 0.0) };
    // The runner subtracts and multiplies in the type of the result.
    let room = 1.0 + 8.0 * 2_f64.powi(-(format.precision as i32));
    let (mut rtol, mut atol) = (0_f64, 0_f64);
    for entry in &one.sheet.entries {
        let Expected::Near(near) = &entry.expected else { continue };
        for (value, bits) in near.values.iter().zip(result.bits()) {
            let Value::Finite(real) = value else { continue };
            let Some(Accepted { low, high, .. }) = accepted(real, format, near, None, Class::Vacuous) else {
                continue;
            };
            let float = |bits: u64| to_f64(result.dtype(), bits);
            let (nearest, low) = (float(bits), float(low));
            // Infinity is near nothing; a runner fails it wherever the nearest float is another.
            let high = float(high.min(format.infinity() - 1));
            let off = (nearest - low).max(high - nearest);
            if nearest == 0.0 { atol = atol.max(off) } else { rtol = rtol.max(off / nearest.abs() * room) }
        }
    }
    (rtol, atol)
}
