//! Every file of an evidence folder, made from the records.
//!
//! The same input gives the same files, byte for byte; a reader checks a folder by making it again. Verdicts follow
//! from the answers in the records. Other statements in a record are only compared with them.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow};
use normative_conformance::display;
use normative_conformance::drive::Asking;
use normative_conformance::report::record::{self, Record};
use normative_conformance::report::tables::accuracies;
use normative_conformance::report::trace::Trace;
use normative_conformance::run::property::Id;
use normative_present::page;
use serde::Serialize;
use serde_json::json;

use super::tables::{self, EvidenceRun};
use crate::provenance::Suite;
use crate::rebuild::Rebuilder;
use crate::select::Folder;

/// The version of the folder's format.
const FORMAT: u32 = 2;

/// The pages of documentation that a folder includes.
const ACCURACY: &str = include_str!("../../../../templates/accuracy.md");
const RESULTS: &str = include_str!("../../../../templates/results.md");

/// The suite that made a folder, and its options.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Identity<'a> {
    /// The version of the folder's format.
    format: u32,
    /// The suite that judged.
    suite: Suite,
    /// The folder that `--cases` names, if any.
    cases: Option<&'a str>,
}

/// Returns all files except the manifest, by name. Records are included byte for byte.
///
/// # Errors
/// A record is malformed, or was made with other cases.
pub(super) fn files(folder: &Folder, records: &[Vec<u8>]) -> Result<BTreeMap<String, Vec<u8>>> {
    let corpus = folder.load()?;
    let rebuilder = Rebuilder::over(&corpus, folder)?;
    let ledger = &rebuilder.ledger;
    let cases =
        folder.given().map(|path| path.to_str().context("--cases: expected a path in UTF-8")).transpose()?;
    let suite = Suite::of(folder, &corpus, ledger)?;
    let identity = Identity { format: FORMAT, suite, cases };

    let (mut read, mut columns) = (Vec::new(), Vec::new());
    for (at, bytes) in records.iter().enumerate() {
        let of_file = record::read_all(&bytes[..]).with_context(|| record_name(at))?;
        columns.extend(rebuilder.columns(&of_file).with_context(|| record_name(at))?);
        read.extend(of_file);
    }
    let traces: Vec<Trace> = (read.iter().zip(&columns))
        .map(|(record, column)| Ok(Trace::of(&column.report, &corpus, ledger, &ids(record)?, &column.again)))
        .collect::<Result<_>>()?;
    let runs = (read.iter().zip(&columns).zip(&traces)).map(|((record, column), trace)| EvidenceRun {
        column,
        header: &record.header,
        trace,
    });
    let mut named: Vec<(String, EvidenceRun<'_>)> = Vec::new();
    for run in runs {
        let name = name_of(&run);
        let other = (2..).map(|nth| format!("{name} ({nth})"));
        let is_free = |name: &String| named.iter().all(|(other, _)| other != name);
        let free = std::iter::once(name.clone()).chain(other).find(is_free);
        named.extend(free.map(|name| (name, run)));
    }

    let mut files = tables::all(&named)?;
    let mut add = |name: &str, bytes: Vec<u8>| files.insert(name.to_owned(), bytes);
    for (at, bytes) in records.iter().enumerate() {
        add(&record_name(at), bytes.clone());
    }
    add("identity.json", (serde_json::to_string_pretty(&identity)? + "\n").into_bytes());
    add("docs/accuracy.md", ACCURACY.into());
    add("docs/results.md", RESULTS.into());
    add("evidence.json", json(&identity, &named)?);
    let mut report = String::new();
    page::write(&mut report, &columns, ledger, &identity.suite.made_by())?;
    add("report.html", report.into_bytes());
    Ok(files)
}

/// Returns the command-line name of a backend, or, for a command, the backend's own name.
fn name_of(run: &EvidenceRun<'_>) -> String {
    if Asking::of_command(&run.header.name).is_none() {
        return run.header.name.clone();
    }
    display::who(&run.column.report.identity)
}

/// Returns the name of a record in the folder; `at` counts from 0.
fn record_name(at: usize) -> String {
    format!("records/{}.ndjson", at + 1)
}

/// Returns the whole evidence as JSON, for programs.
fn json(identity: &Identity<'_>, runs: &[(String, EvidenceRun<'_>)]) -> Result<Vec<u8>> {
    let runs: Vec<_> = runs
        .iter()
        .map(|(name, run)| {
            let accuracies = accuracies(&run.column.report).into_iter();
            let accuracy: Vec<_> = accuracies
                .map(|(of, grid)| json!({"of": of, "header": grid.header, "rows": grid.rows}))
                .collect();
            json!({
                "run": name,
                "conforms": run.column.report.conforms(),
                "header": run.header,
                "trace": run.trace,
                "accuracy": accuracy,
            })
        })
        .collect();
    let mut bytes = serde_json::to_vec(&json!({"format": FORMAT, "identity": identity, "runs": runs}))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Returns the generated calls that a record has answers to.
fn ids(record: &Record) -> Result<Vec<Id>> {
    let id = |name: &str| name.parse().map_err(|why| anyhow!("{name}: {why}"));
    record.calls.iter().map(|entry| id(&entry.name)).collect()
}
