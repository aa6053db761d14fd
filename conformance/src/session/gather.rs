//! Gathers verdicts into a report: the only place that makes a report from answers.
//!
//! A run and a record that is read both use it. [`probe`](crate::run::probe) decides which verdicts wait for
//! further calls, and how these change them.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::observed::Observed;
use normative_backend::{Capabilities, Identity};
use normative_reference::{Call, Family};

use super::SessionError;
use crate::corpus::Case;
use crate::drive::Conduct;
use crate::judge::verdict::Verdict;
use crate::report::record::{RecordedEntry, Resettled, explain};
use crate::report::{Missing, Report};
use crate::run::probe::{Doubts, Settled};
use crate::run::property::{Generated, Made};
use crate::run::repeat::{Sample, Unstable};
use crate::run::{Asked as _, Judged, Prepared};

/// Verdicts on calls that were answered once.
pub(super) struct Gathered<'a> {
    results: Vec<(&'a Case, Verdict)>,
    generated: Generated,
    doubts: Doubts,
    /// Generated calls whose verdicts further calls may change.
    held: Vec<Judged<Made>>,
}

/// The final verdicts.
pub(super) struct Final<'a> {
    results: Vec<(&'a Case, Verdict)>,
    generated: Generated,
    settled: Settled,
    /// The verdicts that further calls changed.
    pub(super) resettled: Vec<Resettled>,
}

/// Second answers on record, and the first answers as far as known. A call answered in two ways stays so,
/// whatever is answered later.
#[derive(Default)]
pub(super) struct Seconds {
    then: Vec<RecordedEntry>,
    /// The names of their calls.
    names: HashSet<String>,
    first: BTreeMap<String, Sample>,
}

/// The parts of a report besides verdicts.
pub(super) struct Besides {
    /// The identity of the backend.
    pub(super) identity: Identity,
    /// The capabilities that it states.
    pub(super) capabilities: Capabilities,
    /// The number of cases in the corpus.
    pub(super) corpus: usize,
    /// The numbers of cases and generated calls to ask.
    pub(super) wanted: (usize, usize),
    /// Calls that were answered differently when they were asked again.
    pub(super) unstable: Vec<Unstable>,
    /// The process faults of the worker.
    pub(super) conduct: Conduct,
    /// The families left out because the backend does not claim them.
    pub(super) left_out: Vec<Family>,
}

impl<'a> Gathered<'a> {
    /// Starts without verdicts, for generated calls of this seed and a backend with these capabilities.
    pub(super) fn of(seed: u64, capabilities: &Capabilities) -> Self {
        let generated = Generated { seed, ..Generated::default() };
        Self { results: Vec::new(), generated, doubts: Doubts::of(capabilities), held: Vec::new() }
    }

    /// Adds the answer to a case.
    pub(super) fn case(&mut self, judged: Judged<&Prepared<'a>>) {
        self.doubts.offer(&judged);
        self.results.push((judged.asked.case, judged.verdict));
    }

    /// Adds the answer to a generated call.
    pub(super) fn call(&mut self, judged: Judged<Made>) {
        if self.doubts.offer(&judged) { self.held.push(judged) } else { self.generated.count(&judged) }
    }

    /// Returns the number of answered cases.
    pub(super) fn cases(&self) -> usize {
        self.results.len()
    }

    /// Returns the calls that explain refusals.
    pub(super) fn probes(&self) -> Vec<Call> {
        self.doubts.calls()
    }

    /// Changes verdicts according to the answers to [those calls](Self::probes), each under its key.
    pub(super) fn settle(mut self, answers: &HashMap<String, Observed>) -> Final<'a> {
        let settled = self.doubts.settle_by(answers);
        let verdicts = self.results.iter().map(|(case, verdict)| (case.name.clone(), verdict));
        let verdicts = verdicts.chain(self.held.iter().map(|held| (held.asked.name(), &held.verdict)));
        let resettled = explain::of_settled(&settled, verdicts);
        for (case, verdict) in &mut self.results {
            settled.apply(&case.name, verdict);
        }
        self.generated.count_settled(self.held, &settled);
        Final { results: self.results, generated: self.generated, settled, resettled }
    }
}

impl<'a> Final<'a> {
    /// Makes the report.
    pub(super) fn report(self, besides: Besides) -> Report<'a> {
        let Self { results, generated, settled, .. } = self;
        let Besides { identity, capabilities, corpus, wanted, unstable, conduct, left_out } = besides;
        let (cases, calls) = wanted;
        let missing = Missing {
            cases: cases.saturating_sub(results.len()),
            calls: calls.saturating_sub(generated.total().run),
        };
        let generated = (calls > 0).then_some(generated);
        let report = Report::of(identity, results, corpus);
        Report { capabilities, generated, settled, unstable, conduct, missing, left_out, ..report }
    }
}

impl Seconds {
    /// Starts with the second answers on record.
    pub(super) fn of(then: Vec<RecordedEntry>) -> Self {
        let names = then.iter().map(|again| again.name.clone()).collect();
        Self { then, names, first: BTreeMap::new() }
    }

    /// Returns the names of their calls.
    pub(super) fn names(&self) -> HashSet<String> {
        self.names.clone()
    }

    /// Notes a first answer.
    pub(super) fn met(&mut self, name: &str, call: &Call, answer: &Observed) {
        if self.names.contains(name) {
            let sample = Sample { name: name.to_owned(), call: call.clone(), first: answer.clone() };
            self.first.insert(name.to_owned(), sample);
        }
    }

    /// Returns the calls answered in two ways, by name: those on record, and those found since.
    ///
    /// # Errors
    /// Fails if a call on record has no first answer, or is there twice.
    pub(super) fn unstable(mut self, since: Vec<Unstable>) -> Result<Vec<Unstable>, SessionError> {
        let mut unstable = Vec::with_capacity(self.then.len() + since.len());
        for RecordedEntry { name, answer: then, row, .. } in self.then {
            let first = self.first.remove(&name);
            let why = || SessionError::Unfit(format!("expected a call that was asked before, got {name}"));
            let sample = first.ok_or_else(why)?;
            unstable.push(Unstable { sample, then, row });
        }
        unstable.extend(since.into_iter().filter(|one| !self.names.contains(&one.sample.name)));
        unstable.sort_by(|a, b| a.sample.name.cmp(&b.sample.name));
        Ok(unstable)
    }
}
