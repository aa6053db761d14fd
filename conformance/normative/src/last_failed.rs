//! `--case last-failed`: the calls that failed in a backend's last full run, read from its record.
//!
//! The record only selects the calls, which are asked and judged again. A narrowed run has another record, so it does
//! not change what the next one asks.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context as _, Result, bail};
use normative_conformance::corpus::{Case, Corpus};
use normative_conformance::report::record::{Record, RecordedEntry, RecordedVerdict};
use normative_conformance::run::property::Id;
use normative_conformance::session::{self, Calls};

use crate::note::note;
use crate::records::usual_path;
use normative_conformance::display::shell::quoted;

/// Returns the failures of a backend's last full run.
///
/// # Errors
/// There is no record of one, or none of its failures still exists.
pub(crate) fn of<'a>(backend: &str, corpus: &'a Corpus) -> Result<(Vec<&'a Case>, Calls)> {
    let path = usual_path(backend)?;
    let first = || {
        format!(
            "--case last-failed needs a full run first: cargo xtask conformance --backend {}",
            quoted(backend)
        )
    };
    let record = session::read(&path).with_context(first)?;
    let failed = names(&record);
    let mut cases: Vec<&Case> = Vec::new();
    cases.extend(corpus.cases.iter().filter(|case| failed.contains(case.name.as_str())));
    let ids: BTreeSet<Id> = failed.iter().filter_map(|name| name.parse().ok()).collect();
    let gone = failed.len() - cases.len() - ids.len();
    if gone > 0 {
        note(format_args!("{gone} of the cases that failed are in the corpus no more, and are left out"));
    }
    if cases.is_empty() && ids.is_empty() {
        bail!("nothing failed in the last full run of {backend}: {}", path.display());
    }
    Ok((cases, Calls::These(record.header.seed, ids.into_iter().collect())))
}

/// Returns the names of failed calls: cases by name, generated calls as `SEED:INDEX`.
fn names(record: &Record) -> BTreeSet<&str> {
    let settled: HashMap<&str, &RecordedVerdict> =
        record.settled.iter().map(|one| (one.name.as_str(), &one.verdict)).collect();
    let fails = |entry: &&RecordedEntry| {
        let verdict = settled.get(entry.name.as_str()).copied().unwrap_or(&entry.verdict);
        matches!(verdict, RecordedVerdict::Fails { .. })
    };
    let failed = record.cases.iter().chain(&record.calls).filter(fails);
    failed.chain(&record.then).map(|entry| entry.name.as_str()).collect()
}
