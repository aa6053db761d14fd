//! Known failures: what a run is expected to show, and everything in which it shows something else.
//!
//! An expected failure is asked like every call, has to fail, and has to fail for the reason on file. Nothing here
//! asks anybody: a report and a baseline go in, what deviates comes out. What deviates may be chance, so a caller asks
//! the [`doubtful`] calls once more, and hands in what came of that.
//!
//! # What an entry names
//!
//! One failure, by what a report calls it: a case; a generated call (`generated-1:17/ReduceL1-13/f32`), which the same
//! seed makes everywhere; or a place where no one reading of a question explains the answers
//! (`onnx/ReduceL1-18: duplicate-axes`). That a call is answered in two ways is no property of the call, and no baseline
//! holds it: `--repeat 0` leaves it be.
//!
//! Or a defect, by its [rule](KnownDefect): the conditions under which calls fail, the ways in which they do, and how
//! many there are. A failure outside the conditions is new, one within that fails in another way is new, and one more
//! than there were is a deviation of the defect.
//!
//! # What a run can say of an entry
//!
//! Nothing, where it was not meant to ask: a case that its filters left out, a generated call of another seed or beyond
//! the number of calls, a question unless the whole corpus and the generated calls that the file was made with were
//! asked. Such entries are neither expected nor missing. Nor does it say how many failures a defect explains, unless it
//! asked all that. An entry is *missing* where the call was to be asked and was not, or the backend calls it unsupported
//! now; it is *stale* where there is no such case, and no such call in that place of the row.

mod file;
pub mod known;
mod rule;
mod told;

use std::collections::{BTreeMap, BTreeSet};

use crate::corpus::Corpus;
use crate::judge::fault::Fault;
use crate::judge::verdict::Verdict;
use crate::report::Report;
use crate::run::property::{self, Id};
use crate::run::readings::Place;
use crate::run::tally::Tally;

pub use self::known::{Again, Deviation, Known, KnownDefect, Name, Outcome};
pub use self::rule::way;

/// What is known to fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// The row of the generated calls that it was made with.
    pub seed: u64,
    /// How many of them.
    pub calls: usize,
    /// What fails, and what is known of it.
    pub known: BTreeMap<Name, Known>,
    /// What fails for a known cause, by the name of the cause.
    pub defects: BTreeMap<String, KnownDefect>,
}

/// What a run was to ask.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    /// Every case there is.
    pub corpus: &'a Corpus,
    /// The names of those that were to be asked.
    pub cases: BTreeSet<&'a str>,
    /// The generated calls that were to be made, in order.
    pub ids: &'a [Id],
    /// The row they stand in.
    pub seed: u64,
}

/// What a run says of an entry, or of a failure.
enum Seen {
    /// It was not meant to say anything.
    Nothing,
    NoSuch,
    NotAsked(String),
    /// It passed, or failed so.
    Asked(Option<Fault>),
}

/// Holds a run against a baseline. `again` has what came of asking the [`doubtful`] calls once more.
pub fn check(baseline: &Baseline, report: &Report<'_>, scope: &Scope<'_>, again: &Again) -> Outcome {
    let look = Look::at(report, scope);
    let mut outcome = Outcome::default();
    let mut explained = rule::explained(&baseline.defects, report);
    for (name, defect) in &baseline.defects {
        let Some(count) = look.count(name, baseline, &explained) else { continue };
        if count != defect.failures {
            let deviation = Deviation::Counts(defect.clone(), count);
            outcome.deviations.insert(Name::Defect(name.clone()), deviation);
        }
        if count > defect.failures {
            // Nobody can tell which of them is new, so that all are shown.
            explained.retain(|_, rule| *rule != name.as_str());
        }
    }
    for name in baseline.known.keys().cloned().chain(look.failing()).collect::<BTreeSet<_>>() {
        let known = baseline.known.get(&name).cloned();
        let deviation = match (look.see(&name, baseline, again), known) {
            (Seen::Asked(fault), _) if again.get(&name).is_some_and(|second| second.fault() != fault) => {
                Deviation::Flaky(fault, again.get(&name).and_then(Verdict::fault))
            }
            (Seen::Asked(Some(fault)), Some(known)) if fault == known.reason => {
                outcome.expected.insert(name);
                continue;
            }
            (Seen::Asked(Some(_)), None) if explained.contains_key(&name) => {
                outcome.expected.insert(name);
                continue;
            }
            (Seen::Asked(Some(fault)), Some(known)) => Deviation::FailsOtherwise(known, fault),
            (Seen::Asked(None), Some(known)) => Deviation::Passes(known),
            (Seen::NoSuch, Some(known)) => Deviation::Stale(known),
            (Seen::NotAsked(why), Some(known)) => Deviation::Missing(known, why),
            (Seen::Nothing, _) | (_, None) => continue,
        };
        outcome.deviations.insert(name, deviation);
    }
    outcome
}

/// The cases and calls that are other than expected and may be so by chance. Who died has been asked twice already.
pub fn doubtful(baseline: &Baseline, report: &Report<'_>, scope: &Scope<'_>) -> Vec<Name> {
    let look = Look::at(report, scope);
    let explained = rule::explained(&baseline.defects, report);
    let mut names = baseline.known.keys().cloned().chain(look.failing()).collect::<BTreeSet<_>>();
    names.retain(|name| baseline.known.contains_key(name) || !explained.contains_key(name));
    let doubted = |name: &Name| match look.see(name, baseline, &Again::new()) {
        Seen::Asked(Some(Fault::Crashed | Fault::TimedOut))
        | Seen::Nothing
        | Seen::NoSuch
        | Seen::NotAsked(_) => false,
        Seen::Asked(fault) => fault != baseline.known.get(name).map(|known| known.reason),
    };
    names.into_iter().filter(|name| !matches!(name, Name::Place(_)) && doubted(name)).collect()
}

/// The baseline that this run agrees with. What an entry says beside its reason stays; what the run says nothing
/// of stays as it is, and so does what is flaky. A run over everything names defects where they explain at least a few
/// failures; of a run over less, or where more calls fail than conform, nobody can tell what failures have in common, so
/// that it names them one by one.
pub fn updated(earlier: &Baseline, report: &Report<'_>, scope: &Scope<'_>, again: &Again) -> Baseline {
    let look = Look::at(report, scope);
    let outcome = check(earlier, report, scope, again);
    let is_flaky = |name: &Name| matches!(outcome.deviations.get(name), Some(Deviation::Flaky(..)));
    let said = |name: &Name| {
        earlier.known.get(name).is_some_and(|known| known.issue.is_some() || known.comment.is_some())
    };
    let mut defects = earlier.defects.clone();
    if look.is_whole() {
        defects = rule::counted(defects, &earlier.defects, report);
    }
    if look.is_whole() && look.mostly_conforms() {
        let explained = rule::explained(&defects, report);
        let left: BTreeSet<Name> = look
            .failing()
            .filter(|name| !explained.contains_key(name) && !said(name) && !is_flaky(name))
            .collect();
        let found = rule::of(report, &report.defects_among(&|name| left.contains(&Name::of(name))));
        for (name, rule) in found {
            defects.entry(name).or_insert(rule);
        }
        defects = rule::counted(defects, &earlier.defects, report);
    }
    let explained = rule::explained(&defects, report);
    let names = earlier.known.keys().cloned().chain(look.failing()).collect::<BTreeSet<_>>();
    let entry = |name: Name| {
        let known = earlier.known.get(&name).cloned();
        let is_named = known.is_some() && !look.is_whole();
        let known = match look.see(&name, earlier, again) {
            Seen::Nothing => known,
            _ if is_flaky(&name) => known,
            Seen::NoSuch | Seen::NotAsked(_) | Seen::Asked(None) => None,
            Seen::Asked(Some(_)) if explained.contains_key(&name) && !is_named && !said(&name) => None,
            Seen::Asked(Some(reason)) => {
                let (issue, comment) = known.map_or((None, None), |known| (known.issue, known.comment));
                Some(Known { reason, issue, comment })
            }
        };
        known.map(|known| (name, known))
    };
    let known = names.into_iter().filter_map(entry).collect();
    let whole = report.filtered() == 0 || (earlier.known.is_empty() && earlier.defects.is_empty());
    let (seed, calls) = if whole { (scope.seed, scope.ids.len()) } else { (earlier.seed, earlier.calls) };
    Baseline { seed, calls, known, defects }
}

/// A run, by name.
struct Look<'r> {
    report: &'r Report<'r>,
    scope: &'r Scope<'r>,
    cases: BTreeMap<&'r str, &'r Verdict>,
    finds: BTreeMap<Id, &'r Verdict>,
    places: BTreeSet<String>,
}

impl<'r> Look<'r> {
    fn at(report: &'r Report<'r>, scope: &'r Scope<'r>) -> Self {
        let cases = report.results.iter().map(|(case, verdict)| (case.name.as_str(), verdict)).collect();
        let finds = report.generated.iter().flat_map(|generated| &generated.finds);
        let finds = finds.map(|find| (find.id, &find.verdict)).collect();
        let twice = report.profile().into_iter().filter(|(place, row)| row.inconsistent(place).is_some());
        let places = twice.map(|(place, _)| place.to_string()).collect();
        Self { report, scope, cases, finds, places }
    }

    /// Everything that fails.
    fn failing(&self) -> impl Iterator<Item = Name> {
        let cases = self.report.failures().map(|(case, _)| Name::Case(case.name.clone()));
        let finds = self.report.generated.iter().flat_map(|generated| &generated.finds);
        let finds = finds.map(|find| Name::Call(find.id, find.name()));
        cases.chain(finds).chain(self.places.iter().cloned().map(Name::Place))
    }

    /// Whether everything was asked that there is, and every generated call that was to be made. A test of one call has
    /// no corpus to speak of.
    fn is_whole(&self) -> bool {
        let all = self.scope.corpus.cases.len();
        all > 0 && self.scope.cases.len() == all && self.report.filtered() == 0 && self.report.is_complete()
    }

    /// Whether no more calls fail than conform: what failing calls have in common is told by those that conform.
    fn mostly_conforms(&self) -> bool {
        let generated = self.report.generated.as_ref().map(property::Generated::total).unwrap_or_default();
        let total = Tally::sum([&self.report.total(), &generated]);
        total.fails + total.died <= total.conforms
    }

    /// How many failures a rule explains, among the calls that the baseline was made with; nothing where others were asked.
    fn count(&self, rule: &str, baseline: &Baseline, explained: &BTreeMap<Name, &str>) -> Option<usize> {
        let row = self.scope.seed == baseline.seed && self.scope.ids.len() >= baseline.calls;
        if !self.is_whole() || !(row || baseline.calls == 0) {
            return None;
        }
        let made: BTreeSet<Id> = self.scope.ids.iter().take(baseline.calls).copied().collect();
        let is_counted = |name: &Name| match name {
            Name::Call(id, _) => made.contains(id),
            Name::Case(_) | Name::Place(_) | Name::Defect(_) => true,
        };
        Some(explained.iter().filter(|(name, by)| **by == rule && is_counted(name)).count())
    }

    fn see(&self, name: &Name, baseline: &Baseline, again: &Again) -> Seen {
        const STOPPED: &str = "the run was stopped before it was asked";
        let unsupported = |why: &str| Seen::NotAsked(format!("unsupported: {why}"));
        match name {
            Name::Case(name) => match self.cases.get(name.as_str()) {
                Some(Verdict::Unsupported(why)) => unsupported(why),
                Some(verdict) => Seen::Asked(verdict.fault()),
                None if self.scope.cases.contains(name.as_str()) => Seen::NotAsked(STOPPED.into()),
                None if self.scope.corpus.cases.iter().any(|case| case.name == *name) => Seen::Nothing,
                None => Seen::NoSuch,
            },
            Name::Call(id, text) if property::name(*id, &id.call()) != *text => Seen::NoSuch,
            Name::Call(id, _) => {
                let asked = self.scope.ids.len() - self.report.missing.calls.min(self.scope.ids.len());
                let place = self.scope.ids.iter().position(|known| known == id);
                match (place, self.finds.get(id), again.get(name)) {
                    (None, ..) => Seen::Nothing,
                    (Some(place), ..) if place >= asked => Seen::NotAsked(STOPPED.into()),
                    (_, Some(verdict), _) => Seen::Asked(verdict.fault()),
                    // Of a call that does not fail a report does not say whether it was supported.
                    (_, None, Some(Verdict::Unsupported(why))) => unsupported(why),
                    (_, None, _) => Seen::Asked(None),
                }
            }
            Name::Defect(_) => Seen::Nothing,
            Name::Place(place) if self.places.contains(place) => Seen::Asked(Some(Fault::Inconsistent)),
            Name::Place(place) if Place::from_name(place).is_none() => Seen::NoSuch,
            Name::Place(_) => {
                let generated = self.scope.seed == baseline.seed && self.scope.ids.len() >= baseline.calls;
                let whole = self.report.filtered() == 0 && self.report.is_complete() && generated;
                if whole { Seen::Asked(None) } else { Seen::Nothing }
            }
        }
    }
}
