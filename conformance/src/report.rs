//! A finished run, counted: per spec, per element type, per question; generated calls beside the cases.
//!
//! Only arithmetic over verdicts; `normative-present` lays it out. The counts of
//! verdicts and of cases left out by filters always add up to the corpus.

pub mod baseline;
pub mod defect;
pub mod defects;
pub mod derivation;
pub mod diff;
pub mod finding;
pub mod hazard;
pub mod record;
pub mod routes;
pub mod tables;
pub mod trace;

use std::collections::BTreeMap;

use normative_reference::{Dtype, Family, Spec};

use crate::corpus::{Case, Claim};
use crate::defect::rules::WrongRules;
use crate::drive::Conduct;
use crate::judge::verdict::Verdict;
use crate::report::baseline::known::Outcome;
use crate::report::defect::{Defect, Shrunk, Witness};
use crate::report::record::Load;
use crate::run::hazards::{Hazards, Kind, Met};
use crate::run::measured::{Decade, Measured, Precision};
use crate::run::neighbours::Neighbours;
use crate::run::probe::Settled;
use crate::run::property::Generated;
use crate::run::readings::{Answers, Profile, Row, Split};
use crate::run::repeat::Unstable;
use crate::run::support::{self, Support};
use crate::run::tally::Tally;
use normative_backend::{Capabilities, Identity};

pub use crate::run::readings::Place;

/// A finished run.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// Who was judged.
    pub identity: Identity,
    /// What it says of itself; its bounds rest on it where a reading's sums are too narrow to say anything.
    pub capabilities: Capabilities,
    /// Every case that ran, in corpus order, and what came of it.
    pub results: Vec<(&'a Case, Verdict)>,
    /// How many cases the corpus has.
    pub corpus: usize,
    /// What came of generated calls, where any were made.
    pub generated: Option<Generated>,
    /// What further calls showed of refusals. The verdicts above are those after it.
    pub settled: Settled,
    /// Calls that were answered otherwise when they were asked again.
    pub unstable: Vec<Unstable>,
    /// How the worker behaved beside its answers.
    pub conduct: Conduct,
    /// What the clock showed.
    pub clock: Clock,
    /// The calls that its faults may have come of: their names, by digest.
    pub suspects: BTreeMap<String, String>,
    /// What a run that was stopped did not come to.
    pub missing: Missing,
    /// How the run agrees with what was known to fail, where somebody said so.
    pub baseline: Option<Outcome>,
    /// Failing calls made small, one for each group of failures that the run found.
    pub shrunk: Vec<Shrunk>,
    /// The families that were left out because the backend does not claim them.
    pub left_out: Vec<Family>,
    /// The defects, where they were found already: that takes time.
    pub grouped: Option<Vec<Defect<'a>>>,
    /// Simple wrong implementations that failures are held against when they are grouped, where there are any.
    pub rules: Option<&'a dyn WrongRules>,
}

/// What the clock showed of a run. No verdict depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// How many deadlines were missed, and met when the same calls were asked again with more time.
    pub late: usize,
    /// How busy the machine was, where that is known.
    pub load: Option<Load>,
}

/// What was selected and not asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Cases.
    pub cases: usize,
    /// Generated calls.
    pub calls: usize,
}

impl<'a> Report<'a> {
    /// The report of a whole run over cases, of a corpus of so many, and nothing else.
    pub fn of(identity: Identity, results: Vec<(&'a Case, Verdict)>, corpus: usize) -> Self {
        let (unstable, conduct, missing) = (Vec::new(), Conduct::default(), Missing::default());
        let capabilities = Capabilities::default();
        Self {
            identity,
            capabilities,
            results,
            corpus,
            generated: None,
            settled: Settled::default(),
            unstable,
            conduct,
            clock: Clock::default(),
            suspects: BTreeMap::new(),
            missing,
            baseline: None,
            shrunk: Vec::new(),
            left_out: Vec::new(),
            grouped: None,
            rules: None,
        }
    }

    /// The counts of each spec that ran, in spec order.
    pub fn tallies(&self) -> BTreeMap<Spec, Tally> {
        let mut tallies: BTreeMap<Spec, Tally> = BTreeMap::new();
        for (case, verdict) in &self.results {
            let open = matches!(case.claim, Claim::Open { .. });
            tallies.entry(case.call.spec()).or_default().count(verdict, open);
        }
        tallies
    }

    /// The counts of cases over all specs.
    pub fn total(&self) -> Tally {
        Tally::sum(self.tallies().values())
    }

    /// Cases of the corpus that filters left out.
    pub fn filtered(&self) -> usize {
        self.corpus - self.results.len() - self.missing.cases
    }

    /// The accuracy reached per element type and length of reduction, over all answers to cases.
    pub fn precision(&self) -> BTreeMap<(Dtype, Decade), Precision> {
        let mut measured = Measured::default();
        for (case, verdict) in &self.results {
            if let Some(accuracy) = verdict.accuracy() {
                measured.add(&case.call, accuracy);
            }
        }
        measured.precision()
    }

    /// What all answers together say of the readings.
    pub fn profile(&self) -> Profile<Witness<'a>> {
        self.answers().profile()
    }

    /// What each answer says of the readings.
    pub fn answers(&self) -> Answers<Witness<'a>> {
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

    /// Answers that are accepted and are not the norm, though their type holds it: of cases and generated calls.
    pub fn hazards(&self) -> Vec<(Kind, Met<Witness<'a>>)> {
        let mut hazards = Hazards::default();
        for (at, (case, verdict)) in self.results.iter().enumerate() {
            if let Some(hazard) = verdict.hazard() {
                hazards.add(&case.call, hazard, Witness::Case(at, &case.name));
            }
        }
        if let Some(generated) = &self.generated {
            hazards.add_all(&generated.hazards, Witness::Call);
        }
        hazards.kinds()
    }

    /// The questions about values that no one reading explains, which none has to.
    pub fn mixed(&self) -> Vec<(Place, Split<Witness<'a>>)> {
        let split = |(place, row): (Place, Row<Witness<'a>>)| Some((place, row.mixed(&place)?.clone()));
        self.profile().into_iter().filter_map(split).collect()
    }

    /// Where calls are unsupported whose neighbours are answered, or that are invalid: of cases and generated calls.
    pub fn neighbours(&self) -> Neighbours {
        let mut neighbours = Neighbours::default();
        for (case, verdict) in &self.results {
            // That the type is not supported is known of all its calls, and hides nothing.
            if !self.settled.is_unsupported(&case.name) {
                neighbours.count(&case.name, &case.call, verdict);
            }
        }
        if let Some(generated) = &self.generated {
            neighbours.extend(&generated.neighbours);
        }
        neighbours
    }

    /// Which element types of each spec are supported: by cases and generated calls.
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

    /// Every case whose verdict speaks against the backend.
    pub fn failures(&self) -> impl Iterator<Item = (&'a Case, &Verdict)> {
        self.results
            .iter()
            .filter(|(_, verdict)| verdict.is_failure())
            .map(|(case, verdict)| (*case, verdict))
    }

    /// How many calls the backend took up, whatever came of them. A run in which it declined all has
    /// shown nothing.
    pub fn executed(&self) -> usize {
        let generated = self.generated.as_ref().map_or(0, |generated| generated.total().executed());
        self.total().executed() + generated
    }

    /// Whether everything was asked that was selected.
    pub fn is_complete(&self) -> bool {
        self.missing == Missing::default()
    }

    /// Whether a failure of this name is a known one.
    pub fn expects(&self, name: &str) -> bool {
        self.baseline.as_ref().is_some_and(|outcome| outcome.expects(name))
    }

    /// Whether nothing speaks against the backend: no call failed, none was answered in two ways, and one reading of
    /// each question about the form of a call explains all answers. What is known to fail does not count, but has to.
    pub fn is_clean(&self) -> bool {
        let mut finds = self.generated.iter().flat_map(|generated| &generated.finds);
        self.baseline.as_ref().is_none_or(|outcome| outcome.deviations.is_empty())
            && self.failures().all(|(case, _)| self.expects(&case.name))
            && finds.all(|find| self.expects(&find.name()))
            && self.unstable.is_empty()
            && self.is_consistent()
    }

    /// Whether one reading of each question about the form of a call explains all answers, but for what is known.
    pub fn is_consistent(&self) -> bool {
        let expected = |place: &Place| self.expects(&place.to_string());
        self.profile().iter().all(|(place, row)| row.inconsistent(place).is_none() || expected(place))
    }

    /// Whether the backend's process ended or broke the protocol over calls of which none does so alone. No call is to
    /// blame, and yet whoever ships it has such an end to expect.
    pub const fn is_flaky(&self) -> bool {
        !self.conduct.flakes.is_empty()
    }

    /// Whether the backend conforms: it was asked everything, took up at least one call, nothing speaks against it, and
    /// it is not flaky.
    pub fn conforms(&self) -> bool {
        self.is_complete() && self.executed() > 0 && self.is_clean() && !self.is_flaky()
    }
}
