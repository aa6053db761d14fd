//! Every file of an evidence folder, made from the records.
//!
//! The same input gives the same files, byte for byte; a reader checks a folder by making it again. Verdicts follow
//! from the answers in the records. Other statements in a record are only compared with them.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow};
use normative_conformance::report::record::{self, Record};
use normative_conformance::report::tables::accuracies;
use normative_conformance::report::trace::Trace;
use normative_conformance::run::property::Id;
use normative_present::evidence::{self, Evidence, EvidenceRun};
use normative_present::page;
use serde::Serialize;
use serde_json::json;

use super::tables;
use crate::provenance::{Suite, of_bytes};
use crate::rebuild::Rebuilder;
use crate::routes;
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
    let runs: Vec<EvidenceRun<'_>> = (read.iter().zip(&columns).zip(&traces))
        .map(|((record, column), trace)| EvidenceRun { column, header: &record.header, trace })
        .collect();
    let named: Vec<(String, EvidenceRun<'_>)> =
        evidence::names(&runs).into_iter().zip(runs.iter().copied()).collect();

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
    let differences = routes::of_records(&read, &corpus)?;
    page::write(&mut report, &columns, &differences, ledger, &identity.suite.made_by())?;
    add("report.html", report.into_bytes());
    let mut index = String::new();
    evidence::write(
        &mut index,
        &Evidence {
            suite: &in_words(&identity.suite),
            runs: &runs,
            untested: &untested(),
            files: &listed(records),
        },
    )?;
    files.insert("index.html".to_owned(), index.into_bytes());
    Ok(files)
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

fn in_words(suite: &Suite) -> Vec<(String, String)> {
    let lock = suite.lock_sha256.clone().unwrap_or_else(|| "there is none".to_owned());
    [
        ("version", suite.version.clone()),
        ("commit", suite.commit_in_words().to_owned()),
        ("cases: digest of what they ask and expect", suite.corpus.clone()),
        ("cases: SHA-256 of the files", suite.cases_sha256.clone()),
        ("ledger of clauses: SHA-256 of the files", suite.ledger_sha256.clone()),
        ("expectations.lock: SHA-256", lock),
    ]
    .map(|(label, value)| (label.to_owned(), value))
    .into()
}

/// Returns the section of results.md on what is not tested, one string a paragraph, without markup.
fn untested() -> Vec<String> {
    let section = RESULTS.split("\n## What is not tested\n").nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let paragraphs =
        section.split("\n\n").map(|lines| lines.split_whitespace().collect::<Vec<_>>().join(" "));
    paragraphs.filter(|paragraph| !paragraph.is_empty()).map(|paragraph| without_markup(&paragraph)).collect()
}

/// Removes emphasis, code marks and the targets of links from a paragraph.
fn without_markup(text: &str) -> String {
    let mut parts = text.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    let text = parts.fold(first, |text, part| text + part.split_once(')').map_or(part, |(_, rest)| rest));
    text.replace(['`', '*', '['], "")
}

/// Lists the files beside the page, each with a description.
fn listed(records: &[Vec<u8>]) -> Vec<(String, String)> {
    let mut listed: Vec<(String, String)> = [
        ("report.html", "every failure, grouped by cause, to be filtered"),
        ("clauses.csv", "every clause, with what came of the cases and calls that test it"),
        ("calls.csv", "every case and generated call, with its verdict and its clauses"),
        ("failures.csv", "every failure, with the clauses it breaks"),
        ("questions.csv", "every question that the answers decide, with the calls that decide it"),
        ("accuracy.csv", "the accuracy reached, by type and number of terms"),
        ("evidence.json", "all of it, for programs"),
        ("identity.json", "which suite judged"),
        ("docs/accuracy.md", "how the bounds are derived"),
        ("docs/results.md", "what may be concluded from a result"),
    ]
    .map(|(name, holds)| (name.to_owned(), holds.to_owned()))
    .into();
    for (at, bytes) in records.iter().enumerate() {
        listed.push((
            record_name(at),
            format!("every answer, as it was recorded: SHA-256 {}", of_bytes(bytes)),
        ));
    }
    listed.push((super::manifest::NAME.to_owned(), "the SHA-256 of every file, for sha256sum -c".to_owned()));
    listed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_tested_is_said_as_the_documentation_says_it() {
        let paragraphs = untested();
        assert_eq!(paragraphs.len(), 1, "{paragraphs:?}");
        assert!(paragraphs[0].starts_with("Speed, memory, threads, devices, gradients"), "{paragraphs:?}");
        assert!(!paragraphs[0].contains("]("), "{paragraphs:?}");
    }
}
