//! Failures that are known, test by test: each test holds what it saw against the entries that it can speak of.
//!
//! What an entry means is said in [`normative_conformance::report::baseline`]; nothing is decided here. No test sees a whole
//! run, so none calls a question's entry out of date.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use normative_conformance::Identity;
use normative_conformance::corpus::{Corpus, Ledger, LoadError};
use normative_conformance::reference::Spec;
use normative_conformance::report::baseline::{self, Again, Baseline, Name, Scope};
use normative_conformance::report::finding::{self, Finding};
use normative_conformance::report::{Place, Report};
use normative_conformance::run::property::{self, Id};

use crate::corpus;
use crate::name::{CALLS, SEED, Test};

/// The variable that makes a run write what fails.
const UPDATE: &str = "NORMATIVE_BASELINE_UPDATE";

/// A baseline, and what is to become of it.
pub(crate) struct Known {
    path: PathBuf,
    baseline: Baseline,
    /// The file to be written, where it is to be.
    updated: Option<Mutex<Baseline>>,
}

impl Known {
    /// Reads the file. One that is to be written need not be there.
    pub(crate) fn load(path: &Path, under_nextest: bool) -> Result<Self, String> {
        let update = env::var_os(UPDATE).is_some();
        if update && under_nextest {
            return Err(format!(
                "{UPDATE} is for cargo test: the processes of nextest would overwrite each other"
            ));
        }
        let baseline = if update && !path.exists() {
            Baseline::empty(SEED, CALLS * Spec::ALL.len())
        } else {
            Baseline::load(path).map_err(|errors| unusable(&errors))?
        };
        let updated = update.then(|| Mutex::new(baseline.clone()));
        Ok(Self { path: path.to_owned(), baseline, updated })
    }

    /// Writes the file, where that is wanted.
    pub(crate) fn save(&self) -> Result<(), String> {
        let Some(updated) = &self.updated else { return Ok(()) };
        let updated = updated.lock().unwrap_or_else(PoisonError::into_inner);
        updated.save(&self.path).map_err(|errors| unusable(&errors))?;
        eprintln!("{} names {} failures", self.path.display(), updated.known.len());
        Ok(())
    }

    /// A test's report, with what it says of the entries that the test can speak of.
    pub(crate) fn hold<'a>(&self, report: Report<'a>, test: &Test) -> Report<'a> {
        let ids: Vec<Id> = match test {
            Test::Generated(spec) => property::row(SEED, &[*spec]).take(CALLS).collect(),
            _ => Vec::new(),
        };
        let scope = Scope {
            // Only of what was not to be asked does it matter whether it exists.
            corpus: &Corpus { cases: Vec::new() },
            cases: report.results.iter().map(|(case, _)| case.name.as_str()).collect(),
            ids: &ids,
            seed: SEED,
        };
        let concerned = self.concerned(|name| speaks_of(test, name));
        let again = Again::new();
        let updated = self.updated.as_ref().map(|all| {
            let mut updated = baseline::updated(&concerned, &report, &scope, &again);
            updated.known.retain(|name, _| speaks_of(test, name));
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.known.retain(|name, _| !concerned.known.contains_key(name));
            all.known.extend(updated.known.clone());
            updated
        });
        let outcome = baseline::check(&updated.unwrap_or(concerned), &report, &scope, &again);
        Report { baseline: Some(outcome), ..report }
    }

    /// The entries that name nothing. An update leaves them out.
    pub(crate) fn stale(&self) -> Result<Vec<Finding>, String> {
        let mut cases = Vec::new();
        for topic in corpus::topics() {
            cases.extend_from_slice(corpus::file(topic)?);
        }
        let identity =
            Identity { name: String::new(), version: String::new(), report_bugs_to: String::new() };
        let asked_nothing = Report::of(identity, Vec::new(), cases.len());
        let scope =
            Scope { corpus: &Corpus { cases }, cases: BTreeSet::new(), ids: &[], seed: self.baseline.seed };
        let outcome = baseline::check(&self.baseline, &asked_nothing, &scope, &Again::new());
        if let Some(updated) = &self.updated {
            let mut updated = updated.lock().unwrap_or_else(PoisonError::into_inner);
            updated.known.retain(|name, _| !outcome.deviations.contains_key(name));
            return Ok(Vec::new());
        }
        let report = Report { baseline: Some(outcome), ..asked_nothing };
        Ok(finding::all(&report, &Ledger::default(), ""))
    }

    fn concerned(&self, keep: impl Fn(&Name) -> bool) -> Baseline {
        let mut baseline = self.baseline.clone();
        baseline.known.retain(|name, _| keep(name));
        baseline
    }
}

/// Whether a test asks what an entry names.
fn speaks_of(test: &Test, name: &Name) -> bool {
    match (test, name) {
        (Test::Case { name: case, .. }, Name::Case(name)) => case == name,
        (Test::Generated(spec), Name::Call(id, text)) => {
            id.spec() == *spec && property::name(*id, &id.call()) == *text
        }
        (Test::Generated(spec), Name::Place(text)) => {
            Place::from_name(text).is_some_and(|place| place.spec == *spec)
        }
        (Test::Readings(spec, question), Name::Place(text)) => {
            Place::from_name(text).is_some_and(|place| place.spec == *spec && place.question == *question)
        }
        _ => false,
    }
}

fn unusable(errors: &[LoadError]) -> String {
    format!("the baseline cannot be used:\n{}", corpus::lines(errors))
}
