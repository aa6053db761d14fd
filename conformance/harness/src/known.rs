//! Known failures, test by test: each test compares its results with the entries that concern it.
//!
//! [`normative_conformance::report::baseline`] defines and checks the entries. No test sees a whole run, so
//! none reports a question's entry as stale.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use normative_conformance::Identity;
use normative_conformance::corpus::{Corpus, Ledger, LoadError};
use normative_conformance::reference::Spec;
use normative_conformance::report::baseline::{self, Again, Baseline, Made, Scope};
use normative_conformance::report::finding::{self, Finding};
use normative_conformance::report::{Place, Report};
use normative_conformance::run::property::{self, Id};

use crate::corpus;
use crate::name::{CALLS, SEED, Test};

/// The environment variable that makes a run write its failures.
const UPDATE: &str = "NORMATIVE_BASELINE_UPDATE";

/// The generated calls of all tests together.
const ALL: Made = Made { seed: SEED, calls: CALLS * Spec::ALL.len(), part: false };

/// A baseline, and its update.
pub(crate) struct Known {
    path: PathBuf,
    baseline: Baseline,
    /// The updated baseline, if the run writes one.
    updated: Option<Mutex<Baseline>>,
}

impl Known {
    /// Reads the file. A file that the run writes may be missing.
    pub(crate) fn load(path: &Path, under_nextest: bool) -> Result<Self, String> {
        let update = env::var_os(UPDATE).is_some();
        if update && under_nextest {
            return Err(format!(
                "{UPDATE} is for cargo test: the processes of nextest would overwrite each other"
            ));
        }
        let baseline = if update && !path.exists() {
            Baseline::default()
        } else {
            Baseline::load(path).map_err(|errors| unusable(&errors))?
        };
        let updated = update.then(|| {
            let mut updated = baseline.clone();
            updated.runs.insert(ALL);
            Mutex::new(updated)
        });
        Ok(Self { path: path.to_owned(), baseline, updated })
    }

    /// Returns true if the run writes the file.
    pub(crate) const fn is_to_be_written(&self) -> bool {
        self.updated.is_some()
    }

    /// Writes the file, if the run updates it.
    pub(crate) fn save(&self) -> Result<(), String> {
        let Some(updated) = &self.updated else { return Ok(()) };
        let updated = updated.lock().unwrap_or_else(PoisonError::into_inner);
        updated.save(&self.path).map_err(|errors| unusable(&errors))?;
        let calls: usize = updated.known.values().map(|entry| entry.calls.len()).sum();
        eprintln!("{} names {calls} failing calls, in {} entries", self.path.display(), updated.known.len());
        Ok(())
    }

    /// Enters the failures of cases that were asked together, one entry for each defect.
    pub(crate) fn note(&self, report: &Report<'_>) {
        let Some(updated) = &self.updated else { return };
        let mut all = updated.lock().unwrap_or_else(PoisonError::into_inner);
        all.known = baseline::updated(&all, report, &scope(report, &[]), &Again::new()).known;
    }

    /// Returns a test's report, compared with the entries that concern the test.
    pub(crate) fn hold<'a>(&self, report: Report<'a>, test: &Test) -> Report<'a> {
        let ids: Vec<Id> = match test {
            Test::Generated(spec) => property::row(SEED, &[*spec]).take(CALLS).collect(),
            _ => Vec::new(),
        };
        let (scope, again) = (scope(&report, &ids), Again::new());
        let outcome = if let Some(updated) = &self.updated {
            let mut all = updated.lock().unwrap_or_else(PoisonError::into_inner);
            let concerned = concerned(&all, test);
            let mut updated = baseline::updated(&concerned, &report, &scope, &again);
            updated.known.retain(|name, _| speaks_of(test, name));
            all.known.retain(|name, _| !concerned.known.contains_key(name));
            all.known.extend(updated.known.clone());
            baseline::check(&updated, &report, &scope, &again)
        } else {
            baseline::check(&concerned(&self.baseline, test), &report, &scope, &again)
        };
        Report { baseline: Some(outcome), ..report }
    }

    /// Returns a finding for each entry with calls that no test asks; an update removes these. A file that
    /// other runs have written too has no such findings, because the calls of those runs are unknown here.
    pub(crate) fn stale(&self) -> Result<Vec<Finding>, String> {
        if self.baseline.runs.iter().any(|made| *made != ALL) {
            return Ok(Vec::new());
        }
        let mut cases = Vec::new();
        for topic in corpus::topics() {
            cases.extend(corpus::file(topic)?);
        }
        let ids: Vec<Id> = property::row(SEED, &Spec::ALL).take(ALL.calls).collect();
        let there = baseline::There::of(cases, &ids);
        if let Some(updated) = &self.updated {
            let mut updated = updated.lock().unwrap_or_else(PoisonError::into_inner);
            there.prune(&mut updated);
            return Ok(Vec::new());
        }
        let identity =
            Identity { name: String::new(), version: String::new(), report_bugs_to: String::new() };
        let outcome = there.stale(&self.baseline);
        let report = Report { baseline: Some(outcome), ..Report::of(identity, Vec::new(), 0) };
        Ok(finding::all(&report, &Ledger::default(), ""))
    }
}

/// Returns the scope of a report's test, which is never the whole corpus.
fn scope<'a>(report: &Report<'a>, ids: &'a [Id]) -> Scope<'a> {
    static NONE: Corpus = Corpus { cases: Vec::new() };
    let cases: BTreeSet<&str> = report.results.iter().map(|(case, _)| case.name.as_str()).collect();
    Scope { corpus: &NONE, cases, ids, seed: SEED }
}

/// Returns the entries that concern a test.
fn concerned(all: &Baseline, test: &Test) -> Baseline {
    let mut baseline = all.clone();
    baseline.known.retain(|name, _| speaks_of(test, name));
    baseline
}

/// Returns true if an entry concerns a test. Failures of single cases about a question belong to those cases' tests.
fn speaks_of(test: &Test, entry: &str) -> bool {
    let place = Place::from_name(entry);
    match test {
        Test::Case { .. } => place.is_none(),
        Test::Readings(spec, question) => {
            place.is_some_and(|place| place.spec == *spec && place.question == *question)
        }
        Test::Generated(spec) => place.is_none_or(|place| place.spec == *spec),
        Test::TakesUp | Test::Baseline => false,
    }
}

fn unusable(errors: &[LoadError]) -> String {
    format!("the baseline cannot be used:\n{}", corpus::lines(errors))
}
