//! A backend's releases and their answers, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::spans::{Release, Span, Verdicts, spans};
use crate::outcome::ReleaseVerdict;

/// A backend's releases and their answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The name that `--backend` takes.
    pub backend: String,
    /// The name of the runtime.
    pub runtime: String,
    /// The runs, and what they found.
    pub results: BTreeMap<Release, (ReleaseRun, Facts)>,
    /// The releases that could not be asked, and the reasons.
    pub absent: BTreeMap<Release, String>,
    /// The verdicts on each followed call.
    pub calls: BTreeMap<String, Verdicts>,
}

/// The run that judged a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseRun {
    /// The day, in UTC.
    pub judged: String,
    /// The version and the commit of the suite.
    pub suite: String,
    /// The digest of the cases.
    pub digest: String,
    /// The number of cases.
    pub cases: usize,
    /// The seed of the generated calls.
    pub seed: u64,
    /// The number of generated calls.
    pub generated: usize,
}

/// The findings in a release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The counts of each spec and type.
    pub types: BySpec<ReleaseCounts>,
    /// The readings, by question, spec, and type for questions about values.
    pub readings: BTreeMap<(String, String, String), String>,
    /// The defects, the worst first.
    pub defects: Vec<Fact>,
    /// The hazards.
    pub hazards: Vec<Fact>,
}

/// A value for each spec and type.
pub type BySpec<T> = BTreeMap<String, BTreeMap<String, T>>;

/// The counts of the calls of a spec and type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReleaseCounts {
    /// Answered calls, of the valid ones.
    pub answered: usize,
    /// Calls that no reading refuses.
    pub valid: usize,
    /// Wrong answers, of all calls.
    pub wrong: usize,
    /// Calls that ended the process.
    pub died: usize,
}

/// A defect or a hazard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// The clauses that failing calls break, or the questions whose readings allow a hazard.
    pub clauses: BTreeSet<String>,
    /// The number of calls of each spec and type.
    pub extent: BySpec<usize>,
    /// Its smallest call.
    pub call: String,
    /// The answer due to that call.
    pub due: String,
    /// The answer that came.
    pub came: String,
}

impl History {
    /// Sets the result of a release, or the reason why it could not be asked.
    pub fn set(&mut self, release: Release, result: Result<(ReleaseRun, Facts), String>) {
        self.results.remove(&release);
        self.absent.remove(&release);
        self.calls.values_mut().for_each(|verdicts| _ = verdicts.remove(&release));
        match result {
            Ok(result) => _ = self.results.insert(release, result),
            Err(why) => _ = self.absent.insert(release, why),
        }
    }

    /// Returns the releases in which the verdict on this call is so.
    pub fn spans(&self, call: &str, is_so: impl Fn(&Release, ReleaseVerdict) -> bool) -> Vec<Span> {
        let Some(verdicts) = self.calls.get(call) else { return Vec::new() };
        let answered = verdicts
            .iter()
            .filter_map(|(release, verdict)| Some((release.clone(), is_so(release, (*verdict)?))));
        let mut spans = spans(answered);
        // A release that does not support the call was asked: the first span did not hold before it.
        let is_older = |first: &Span| verdicts.keys().next().is_some_and(|oldest| *oldest < first.since);
        spans.first_mut().into_iter().filter(|first| is_older(first)).for_each(|first| first.came = true);
        let silent = verdicts.iter().rev().take_while(|(_, verdict)| verdict.is_none()).last();
        if let Some(last) = spans.last_mut().filter(|last| last.until.is_none()) {
            last.silent = silent.map(|(release, _)| release.clone());
        }
        spans
    }
}

impl ReleaseCounts {
    /// Reads `ANSWERED/VALID WRONG DIED`.
    pub fn of(text: &str) -> Option<Self> {
        let numbers: Option<Vec<usize>> = text.split(['/', ' ']).map(|part| part.parse().ok()).collect();
        let &[answered, valid, wrong, died] = numbers?.as_slice() else { return None };
        Some(Self { answered, valid, wrong, died })
    }
}

impl fmt::Display for ReleaseCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { answered, valid, wrong, died } = self;
        write!(f, "{answered}/{valid} {wrong} {died}")
    }
}
