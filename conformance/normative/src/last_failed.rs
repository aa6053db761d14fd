//! `--last-failed`: the calls that spoke against a backend in its last full run, by its record.
//!
//! Only which calls to ask is taken from the record: they are asked and judged anew. A narrowed run has a record of its
//! own, so it changes nothing about what the next `--last-failed` asks.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::corpus::{Case, Corpus};
use normative_conformance::report::record::{Entry, Record, Verdict};
use normative_conformance::run::property::Id;
use normative_conformance::session::{self, Calls};

use crate::note::note;
use crate::records::usual_path;
use crate::shell::quoted;

/// The option.
pub(crate) fn option() -> Arg {
    Arg::new("last-failed")
        .long("last-failed")
        .action(ArgAction::SetTrue)
        .conflicts_with_all(["spec", "filter", "case", "property", "seed", "property-call", "list"])
        .help("Ask only the cases and generated calls that failed in the last full run of the backend")
}

/// Whether it is set.
pub(crate) fn is_wanted(matches: &ArgMatches) -> bool {
    matches.get_flag("last-failed")
}

/// What failed in the last full run of a backend.
///
/// # Errors
/// Where there is no record of one, or nothing failed in it that there still is.
pub(crate) fn of<'a>(backend: &str, corpus: &'a Corpus) -> Result<(Vec<&'a Case>, Calls)> {
    let path = usual_path(backend)?;
    let first = || {
        format!("--last-failed needs a full run first: cargo xtask conformance --backend {}", quoted(backend))
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

/// The calls that spoke against the backend: cases by their names, generated calls as `SEED:INDEX`.
fn names(record: &Record) -> BTreeSet<&str> {
    let settled: HashMap<&str, &Verdict> =
        record.settled.iter().map(|one| (one.name.as_str(), &one.verdict)).collect();
    let fails = |entry: &&Entry| {
        let verdict = settled.get(entry.name.as_str()).copied().unwrap_or(&entry.verdict);
        matches!(verdict, Verdict::Fails { .. })
    };
    let failed = record.cases.iter().chain(&record.calls).filter(fails);
    failed.chain(&record.then).map(|entry| entry.name.as_str()).collect()
}
