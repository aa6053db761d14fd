//! Every file of an evidence folder, made from the records, the requirements and a statement of identity.
//!
//! The same input gives the same files, byte for byte: to check a folder is to make it again. Verdicts follow from the answers
//! in the records; what a record says beside them is compared, and believed nowhere.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow};
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::report::record::{self, Header, Record};
use normative_conformance::report::routes::Difference;
use normative_conformance::report::tables::accuracies;
use normative_conformance::report::trace::Trace;
use normative_conformance::run::Prepared;
use normative_conformance::run::property::Id;
use normative_conformance::session::{Judge, Rebuilt};
use normative_present::column::Column;
use normative_present::evidence::{self, Evidence, Requirement, Run};
use normative_present::page;
use normative_zoo::rules;
use pulldown_cmark::{Event, Parser, TagEnd};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{requirements, tables};
use crate::provenance::{Suite, of_bytes};
use crate::select::{self, Folder};
use crate::{rebuild, routes};

/// The statement of identity.
pub(super) const IDENTITY: &str = "identity.json";

/// The requirements, as they were given.
pub(super) const REQUIREMENTS: &str = "requirements.csv";

/// The version of this folder's form.
pub(super) const FORMAT: u32 = 1;

/// The pages that the evidence rests on.
const ACCURACY: &str = include_str!("../../../../templates/accuracy.md");
const RESULTS: &str = include_str!("../../../../templates/results.md");

/// What a folder is made from.
pub(super) struct Input {
    /// The records, byte for byte.
    pub(super) records: Vec<Vec<u8>>,
    /// The reader's requirements, byte for byte.
    pub(super) requirements: Option<Vec<u8>>,
}

/// Which suite made a folder, and how it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Identity {
    /// The version of the folder's form.
    format: u32,
    /// The suite that judged.
    pub(super) suite: Suite,
    /// The folder of the cases as it was asked for, where it is not the suite's own.
    cases: Option<String>,
    /// Whether the large cases are among them.
    pub(super) large: bool,
    /// How many records there are.
    pub(super) records: usize,
    /// Whether requirements were given.
    pub(super) requirements: bool,
}

/// The files of a folder.
pub(super) struct Made {
    /// All but the list and its signature, by name.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// Where a record says something else than its answers show.
    pub(super) findings: Vec<String>,
}

/// What judges the records.
pub(super) struct Maker {
    corpus: Corpus,
    ledger: Ledger,
    suite: Suite,
}

/// A run that was judged again.
struct Judged<'a> {
    header: Header,
    column: Column<'a>,
    trace: Trace,
}

/// The name of a record in the folder, from 0.
pub(super) fn record_name(at: usize) -> String {
    format!("records/{}.ndjson", at + 1)
}

impl Maker {
    /// By the cases in a folder.
    pub(super) fn over(folder: &Folder) -> Result<Self> {
        let (corpus, ledger) = (folder.load()?, folder.ledger()?);
        let suite = Suite::of(folder, &corpus, &ledger)?;
        Ok(Self { corpus, ledger, suite })
    }

    /// The suite that judges.
    pub(super) const fn suite(&self) -> &Suite {
        &self.suite
    }

    /// The statement of identity of a folder that is made now.
    pub(super) fn identity(&self, folder: &Folder, input: &Input) -> Result<Identity> {
        let cases =
            folder.given().map(|path| path.to_str().map(str::to_owned).context("--cases is not UTF-8"));
        Ok(Identity {
            format: FORMAT,
            suite: self.suite.clone(),
            cases: cases.transpose()?,
            large: folder.is_with_large(),
            records: input.records.len(),
            requirements: input.requirements.is_some(),
        })
    }

    /// The files. Messages name the requirements `named`.
    ///
    /// # Errors
    /// Where a record is of other cases or is none, or the requirements name what there is not.
    pub(super) fn made(&self, input: &Input, identity: &Identity, named: &str) -> Result<Made> {
        let prepared = select::prepared(&self.corpus.cases)?;
        let (judged, findings, differences) = self.judged(input, identity, &prepared)?;
        let requirements = input.requirements.as_deref();
        let requirements =
            requirements.map(|bytes| requirements::read(named, bytes, &self.ledger)).transpose()?;
        let runs: Vec<Run<'_>> =
            judged.iter().map(|Judged { header, column, trace }| Run { column, header, trace }).collect();
        let names = evidence::names(&runs);
        let named_runs: Vec<(String, Run<'_>)> = names.iter().cloned().zip(runs.iter().copied()).collect();

        let mut files = tables::all(&named_runs, requirements.as_deref())?;
        let mut add = |name: &str, bytes: Vec<u8>| files.insert(name.to_owned(), bytes);
        for (at, bytes) in input.records.iter().enumerate() {
            add(&record_name(at), bytes.clone());
        }
        if let Some(bytes) = &input.requirements {
            add(REQUIREMENTS, bytes.clone());
        }
        add(IDENTITY, pretty(identity)?);
        add("docs/accuracy.md", ACCURACY.into());
        add("docs/results.md", RESULTS.into());
        add("evidence.json", json(identity, &named_runs, requirements.as_deref())?);
        let columns: Vec<Column<'_>> = judged.iter().map(|judged| judged.column.clone()).collect();
        let mut report = String::new();
        let suite = &identity.suite;
        page::write(&mut report, &columns, &differences, &self.ledger, &suite.made_by())?;
        add("report.html", report.into_bytes());
        let listed = listed(&files, input);
        let mut index = String::new();
        evidence::write(
            &mut index,
            &Evidence {
                suite: &in_words(suite),
                runs: &runs,
                requirements: requirements.as_deref(),
                untested: &untested(),
                files: &listed,
            },
        )?;
        files.insert("index.html".to_owned(), index.into_bytes());
        Ok(Made { files, findings })
    }

    /// Every run of the records, judged again.
    fn judged<'a>(
        &'a self,
        input: &Input,
        identity: &Identity,
        prepared: &'a [Prepared<'a>],
    ) -> Result<(Vec<Judged<'a>>, Vec<String>, Vec<Difference>)> {
        let rules = Some(rules::mutants());
        let judge = Judge { corpus: &self.corpus, ledger: &self.ledger, prepared, rules };
        let folder = Folder::at(identity.cases.clone().map(Into::into), identity.large);
        let (mut judged, mut findings, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for (at, bytes) in input.records.iter().enumerate() {
            let name = record_name(at);
            for record in record::read_all(&bytes[..]).with_context(|| name.clone())? {
                let Rebuilt { report, differs } = judge.rebuilt(&record).with_context(|| name.clone())?;
                findings.extend(differs.map(|differs| {
                    format!(
                        "{name}: {} lines, the first about {}, say something else than their answers show",
                        differs.lines, differs.first
                    )
                }));
                let rebuilt = Rebuilt { report, differs: None };
                let column = rebuild::column(&record.header, rebuilt, &folder)?;
                let trace =
                    Trace::of(&column.report, &self.corpus, &self.ledger, &ids(&record)?, &column.again);
                judged.push(Judged { header: record.header.clone(), column, trace });
                records.push(record);
            }
        }
        let differences = routes::of_records(&records, &self.corpus)?;
        Ok((judged, findings, differences))
    }
}

/// All of it, for programs.
fn json(
    identity: &Identity,
    runs: &[(String, Run<'_>)],
    requirements: Option<&[Requirement]>,
) -> Result<Vec<u8>> {
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
    let requirements = requirements.map(|all| {
        all.iter().map(|one| json!({"requirement": one.id, "clause": one.clause})).collect::<Vec<_>>()
    });
    let mut bytes = serde_json::to_vec(&json!({
        "format": FORMAT, "identity": identity, "requirements": requirements, "runs": runs,
    }))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn pretty(identity: &Identity) -> Result<Vec<u8>> {
    Ok((serde_json::to_string_pretty(identity)? + "\n").into_bytes())
}

/// The generated calls that a record has answers to.
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

/// What results.md says is not tested, paragraph by paragraph, without markup.
fn untested() -> Vec<String> {
    let section = RESULTS.split("\n## What is not tested\n").nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let (mut paragraphs, mut words) = (Vec::new(), String::new());
    for event in Parser::new(section) {
        match event {
            Event::Text(text) | Event::Code(text) => words.push_str(&text),
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            Event::End(TagEnd::Paragraph | TagEnd::Item) => paragraphs.push(std::mem::take(&mut words)),
            _ => {}
        }
    }
    paragraphs
}

/// The files beside the page, each with what it holds.
fn listed(files: &BTreeMap<String, Vec<u8>>, input: &Input) -> Vec<(String, String)> {
    let mut listed: Vec<(String, String)> = [
        ("report.html", "every failure, grouped by cause, to be filtered"),
        ("clauses.csv", "every clause, with what came of the cases and calls that test it"),
        ("calls.csv", "every case and generated call, with its verdict and its clauses"),
        ("failures.csv", "every failure, with the clauses it breaks"),
        ("questions.csv", "every question that the answers decide, with the calls that decide it"),
        ("accuracy.csv", "the accuracy reached, by type and number of terms"),
        ("requirements-matrix.csv", "your requirements, with what is known of their clauses"),
        ("requirements.csv", "your requirements, as they were given"),
        ("evidence.json", "all of it, for programs"),
        ("identity.json", "which suite judged"),
        ("docs/accuracy.md", "how the bounds are derived"),
        ("docs/results.md", "what may be concluded from a result"),
    ]
    .into_iter()
    .filter(|(name, _)| files.contains_key(*name))
    .map(|(name, holds)| (name.to_owned(), holds.to_owned()))
    .collect();
    for (at, bytes) in input.records.iter().enumerate() {
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
