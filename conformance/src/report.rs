//! Counts a finished run: per spec, per element type, per question; generated calls beside the cases.
//!
//! Only arithmetic over verdicts; `normative-present` lays it out. The counts of verdicts and of cases left out
//! by filters always add up to the corpus.

pub mod baseline;
pub mod defect;
pub mod defects;
pub mod derivation;
pub mod diff;
pub mod divided;
mod explained;
pub mod finding;
pub mod hazard;
pub mod label;
pub mod record;
pub mod tables;
pub mod trace;

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Call, Dtype, Family, Spec};

use crate::corpus::{Case, CaseClaim};
use crate::defect::rules::WrongRules;
use crate::drive::Conduct;
use crate::judge::verdict::Verdict;
use crate::report::baseline::known::BaselineOutcome;
use crate::report::defect::{Defect, Shrunk, Witness};
use crate::run::hazards::{HazardKind, Hazards, Met};
use crate::run::measured::{Decade, Measured, Precision};
use crate::run::neighbours::Neighbours;
use crate::run::probe::Settled;
use crate::run::property::{Find, Generated};
use crate::run::readings::{Answers, ReadingProfile, Row, Split};
use crate::run::repeat::Unstable;
use crate::run::support::{self, Support};
use crate::run::tally::Tally;
use normative_backend::{Capabilities, Identity};

pub use crate::run::readings::Place;

/// A finished run.
#[derive(Clone, Debug, Default)]
pub struct Report<'a> {
    /// The identity of the backend.
    pub identity: Identity,
    /// The capabilities that it states. Bounds use its declared sums if a reading's sums are too narrow.
    pub capabilities: Capabilities,
    /// Every case that ran, in corpus order, and its verdict.
    pub results: Vec<(&'a Case, Verdict)>,
    /// The number of cases in the corpus.
    pub corpus: usize,
    /// The results of generated calls, if any were asked.
    pub generated: Option<Generated>,
    /// The results of further calls about refusals. The verdicts above already include them.
    pub settled: Settled,
    /// Calls that were answered differently when they were asked again.
    pub unstable: Vec<Unstable>,
    /// The behaviour of the worker beside its answers.
    pub conduct: Conduct,
    /// The number of deadlines that were missed, and met when the same calls were asked again with more time. No
    /// verdict depends on it.
    pub late: usize,
    /// The calls that a stopped run did not reach.
    pub missing: Missing,
    /// The comparison with known failures, if a baseline was given.
    pub baseline: Option<BaselineOutcome>,
    /// Failing calls made small, one for each group of failures that the run found.
    pub shrunk: Vec<Shrunk>,
    /// The families left out because the backend does not claim them.
    pub left_out: Vec<Family>,
    /// The defects, if they were already computed, which takes time.
    pub grouped: Option<Vec<Defect<'a>>>,
    /// The conforming answers that defects explain: they tell no reading.
    pub explained: BTreeSet<Witness<'a>>,
    /// Simple wrong implementations that failures are compared with when they are grouped, if any.
    pub rules: Option<&'a dyn WrongRules>,
    /// The readings, if they were already solved for, which takes time, and the answers that they are of.
    pub solved: Option<(Answers<Witness<'a>>, ReadingProfile<Witness<'a>>)>,
}

/// The numbers of selected calls that were not asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Cases.
    pub cases: usize,
    /// Generated calls.
    pub calls: usize,
}

impl<'a> Report<'a> {
    /// Returns the report of a whole run over cases, of a corpus with `corpus` cases, and nothing else.
    pub fn of(identity: Identity, results: Vec<(&'a Case, Verdict)>, corpus: usize) -> Self {
        Self { identity, results, corpus, ..Self::default() }
    }

    /// Takes the defects of all failures, with the calls that were made small, and leaves the conforming answers that
    /// they explain out of the readings.
    pub fn group(&mut self, defects: Vec<Defect<'a>>, shrunk: Vec<Shrunk>) {
        self.explained = defects.iter().flat_map(|defect| &defect.also).copied().collect();
        (self.grouped, self.shrunk) = (Some(defects), shrunk);
    }

    /// Groups the failures if that was not done, and if they are more than `few` or may explain answers that contradict
    /// each other. Then solves for the readings.
    pub fn group_if_needed(&mut self, few: usize) {
        let failures: usize = self.severities().values().sum();
        let is_split = |row: &Row<Witness<'a>>| matches!(row, Row::Split(_));
        let is_needed = failures > few || failures > 0 && self.profile().values().any(is_split);
        if self.grouped.is_none() && is_needed {
            self.group(self.defects(), self.shrunk.clone());
        }
        let answers = self.answers();
        let profile = answers.profile();
        self.solved = Some((answers, profile));
    }

    /// Returns the counts of each spec that ran, in spec order.
    pub fn tallies(&self) -> BTreeMap<Spec, Tally> {
        let mut tallies: BTreeMap<Spec, Tally> = BTreeMap::new();
        for (case, verdict) in &self.results {
            let open = matches!(case.claim, CaseClaim::Open { .. });
            tallies.entry(case.call.spec()).or_default().count(verdict, open);
        }
        tallies
    }

    /// Returns the counts of each spec over cases and generated calls together.
    pub fn calls(&self) -> BTreeMap<Spec, Tally> {
        let mut sums = self.tallies();
        for (spec, tally) in self.generated.iter().flat_map(|generated| &generated.tallies) {
            let sum = sums.entry(*spec).or_default();
            *sum = Tally::sum([&*sum, tally]);
        }
        sums
    }

    /// Returns the counts of cases over all specs.
    pub fn total(&self) -> Tally {
        Tally::sum(self.tallies().values())
    }

    /// Returns the number of cases that filters left out.
    pub fn filtered(&self) -> usize {
        self.corpus - self.results.len() - self.missing.cases
    }

    /// Returns the accuracy per element type and length of reduction, over all answers to cases.
    pub fn precision(&self) -> BTreeMap<(Dtype, Decade), Precision> {
        let mut measured = Measured::default();
        for (case, verdict) in &self.results {
            if let Some(accuracy) = verdict.accuracy() {
                measured.add(&case.call, accuracy);
            }
        }
        measured.precision()
    }

    /// Returns the readings that all answers together allow.
    pub fn profile(&self) -> ReadingProfile<Witness<'a>> {
        let answers = self.answers();
        let solved = self.solved.as_ref().filter(|(of, _)| *of == answers);
        solved.map_or_else(|| answers.profile(), |(_, profile)| profile.clone())
    }

    /// Returns the statement of each answer about readings, without answers that a defect explains.
    pub fn answers(&self) -> Answers<Witness<'a>> {
        self.all_answers().without(&self.explained)
    }

    fn all_answers(&self) -> Answers<Witness<'a>> {
        let mut answers = Answers::default();
        for (at, (case, verdict)) in self.results.iter().enumerate() {
            if let Verdict::Conforms { accepting, .. } = verdict {
                answers.add(&case.call, accepting, Witness::Case(at, &case.name));
            }
        }
        if let Some(generated) = &self.generated {
            answers.add_all(&generated.readings, Witness::Call);
        }
        answers
    }

    /// Returns the accepted answers that are not the norm, though their type holds it: of cases and generated calls.
    pub fn hazards(&self) -> Vec<(HazardKind, Met<Witness<'a>>)> {
        self.all_hazards().kinds()
    }

    /// Returns the same, to be grouped otherwise.
    pub fn all_hazards(&self) -> Hazards<Witness<'a>> {
        let mut hazards = Hazards::default();
        for (at, (case, verdict)) in self.results.iter().enumerate() {
            if let Some(hazard) = verdict.hazard() {
                hazards.add(&case.call, hazard, Witness::Case(at, &case.name));
            }
        }
        if let Some(generated) = &self.generated {
            hazards.add_all(&generated.hazards, Witness::Call);
        }
        hazards
    }

    /// Returns the questions about values that no single reading explains, which is allowed.
    pub fn mixed(&self) -> Vec<(Place, Split<Witness<'a>>)> {
        let split = |(place, row): (Place, Row<Witness<'a>>)| Some((place, row.mixed(&place)?.clone()));
        self.profile().into_iter().filter_map(split).collect()
    }

    /// Returns the unsupported calls that are invalid or have answered neighbours: cases and generated calls.
    pub fn neighbours(&self) -> Neighbours {
        let mut neighbours = Neighbours::default();
        for (case, verdict) in &self.results {
            // A type that is unsupported for all its calls hides nothing.
            if !self.settled.is_unsupported(&case.name) {
                neighbours.count(&case.name, &case.call, verdict);
            }
        }
        if let Some(generated) = &self.generated {
            neighbours.extend(&generated.neighbours);
        }
        neighbours
    }

    /// Returns the support of the element types of each spec, from cases and generated calls.
    pub fn support(&self) -> Support {
        let mut support = Support::default();
        for (case, verdict) in &self.results {
            support.count(&case.call, support::is_valid(&case.call), verdict);
        }
        if let Some(generated) = &self.generated {
            support.extend(&generated.support);
        }
        support
    }

    /// Returns every case whose verdict speaks against the backend.
    pub fn failures(&self) -> impl Iterator<Item = (&'a Case, &Verdict)> {
        self.results
            .iter()
            .filter(|(_, verdict)| verdict.is_failure())
            .map(|(case, verdict)| (*case, verdict))
    }

    /// Returns every failing generated call.
    pub fn finds(&self) -> impl Iterator<Item = &Find> {
        self.generated.iter().flat_map(|generated| &generated.finds)
    }

    /// Returns the call and the verdict of a failure; `None` if it is of another report.
    pub fn failure(&self, witness: &Witness<'_>) -> Option<(&Call, &Verdict)> {
        match witness {
            Witness::Case(at, _) => self.results.get(*at).map(|(case, verdict)| (&case.call, verdict)),
            Witness::Call(id) => {
                self.finds().find(|find| find.id == *id).map(|find| (&find.call, &find.verdict))
            }
        }
    }

    /// Returns the number of calls that the backend executed, whatever the verdict. A run in which it declined
    /// all of them has shown nothing.
    pub fn executed(&self) -> usize {
        Tally::sum(self.calls().values()).executed()
    }

    /// Returns true if every selected call was asked.
    pub fn is_complete(&self) -> bool {
        self.missing == Missing::default()
    }

    /// Returns true if a failure of this name is a known one.
    pub fn expects(&self, name: &str) -> bool {
        self.baseline.as_ref().is_some_and(|outcome| outcome.expects(name))
    }

    /// Returns true if nothing speaks against the backend: no call failed or was answered in two ways, and one
    /// reading of each question of form explains all answers. Known failures do not count, but must occur.
    pub fn is_clean(&self) -> bool {
        self.baseline.as_ref().is_none_or(|outcome| outcome.deviations.is_empty())
            && self.failures().all(|(case, _)| self.expects(&case.name))
            && self.finds().all(|find| self.expects(&find.name()))
            && self.unstable.is_empty()
            && self.is_consistent()
    }

    /// Returns true if one reading of each question of form explains all answers, except for known failures.
    pub fn is_consistent(&self) -> bool {
        self.inconsistent().is_empty()
    }

    /// Returns the questions of form that no single reading explains, except for known failures.
    pub fn inconsistent(&self) -> Vec<Place> {
        let profile = self.profile().into_iter();
        let places = profile.filter(|(place, row)| row.inconsistent(place).is_some()).map(|(place, _)| place);
        places.filter(|place| !self.expects(&place.to_string())).collect()
    }

    /// Returns true if the backend's process ended or broke the protocol, and no single call reproduces it. No
    /// call is to blame, but users of the backend can expect such failures.
    pub const fn is_flaky(&self) -> bool {
        !self.conduct.flakes.is_empty()
    }

    /// Returns true if the backend conforms: it was asked everything, executed at least one call, nothing
    /// speaks against it, and it is not flaky.
    pub fn conforms(&self) -> bool {
        self.is_complete() && self.executed() > 0 && self.is_clean() && !self.is_flaky()
    }
}
