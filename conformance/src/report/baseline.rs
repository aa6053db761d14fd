//! Compares a run with its known failures, and lists every deviation.
//!
//! An expected failure is asked like every call, has to fail, and has to fail in the recorded way. Nothing here
//! asks a backend: it compares a report with a baseline. A deviation may be nondeterministic, so a caller asks
//! the [`doubtful`] calls once more, and passes those answers in.
//!
//! # What an entry names
//!
//! An entry names the calls that fail for one cause, each by a [short hash](Key) of the call, and the way in
//! which each fails. It covers only these calls: in any run, another failing call is new. So is one that fails
//! in another way, or comes [much further](How::covers) from right than before. Calls that were not asked when
//! the file was written, such as those of another seed, are unknown; an update by a run that asks them adds
//! them.
//!
//! A place that no single reading explains (`onnx/ReduceL1-18: duplicate-axes`) has its own entry. Answers that
//! change on repetition depend on the run, so a baseline cannot record them: `--repeat 0` disables the check.
//!
//! # What a run can say of an entry
//!
//! For a call that the run was to ask: it fails as recorded, or does not, or is *missing* (now unsupported, or not
//! reached). For others nothing, unless the run asks all that the runs which wrote the file asked. Then a call that
//! is not among them is *stale*, and an entry of a question that does not fail has one reading.

mod causes;
mod file;
pub mod known;
mod told;

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::Spec;
use serde::{Deserialize, Serialize};

use crate::corpus::{Case, Corpus};
use crate::judge::fault::Fault;
use crate::judge::verdict::Verdict;
use crate::parallel;
use crate::report::Report;
use crate::run::property::{self, Id};
use crate::run::readings::Place;

pub use self::known::{Again, BaselineOutcome, Deviation, How, Key, Known, KnownEntry, Name};

/// The known failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The runs that it was made with.
    pub runs: BTreeSet<Made>,
    /// The failures, by the name of the cause or of the single failure.
    pub known: BTreeMap<String, KnownEntry>,
}

/// The generated calls of a run that wrote a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The seed of their row.
    pub seed: u64,
    /// The number of calls.
    pub calls: usize,
    /// True if the run was to ask only a part of the cases, or of the claimed specs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub part: bool,
}

/// The calls that a run was to ask.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    /// The whole corpus.
    pub corpus: &'a Corpus,
    /// The names of the cases to ask.
    pub cases: BTreeSet<&'a str>,
    /// The generated calls to ask, in order.
    pub ids: &'a [Id],
    /// The seed of their row.
    pub seed: u64,
}

/// The state of a call that does not fail.
enum Seen {
    Passes,
    NotAsked(String),
}

/// Compares a run with a baseline. `again` has the verdicts from asking the [`doubtful`] calls once more.
pub fn check(baseline: &Baseline, report: &Report<'_>, scope: &Scope<'_>, again: &Again) -> BaselineOutcome {
    Look::at(report, scope).hold(baseline, again).outcome
}

/// Returns the unexpected cases and calls that may be nondeterministic. Crashes were asked twice already.
pub fn doubtful(baseline: &Baseline, report: &Report<'_>, scope: &Scope<'_>) -> Vec<Name> {
    let look = Look::at(report, scope);
    let Held { outcome, unknown, .. } = look.hold(baseline, &Again::new());
    let died: BTreeSet<&Name> = look.failing.iter().filter(|one| one.died()).map(|one| &one.name).collect();
    let passes = outcome.deviations.into_values().filter_map(|deviation| match deviation {
        Deviation::Gone { passes, .. } => Some(passes),
        Deviation::Otherwise { .. } | Deviation::Flaky(..) => None,
    });
    let names: BTreeSet<Name> = unknown.into_keys().chain(passes.flatten()).collect();
    let is_of_calls = |name: &Name| matches!(name, Name::Case(_) | Name::Call(..)) && !died.contains(name);
    names.into_iter().filter(is_of_calls).collect()
}

/// Returns the baseline that this run agrees with. Issues and comments of entries stay, and so do calls that the run
/// says nothing about, or that are flaky.
pub fn updated(earlier: &Baseline, report: &Report<'_>, scope: &Scope<'_>, again: &Again) -> Baseline {
    let look = Look::at(report, scope);
    let Held { mut kept, unknown, .. } = look.hold(earlier, again);
    let made = Made { seed: scope.seed, calls: scope.ids.len(), part: !look.is_unfiltered() };
    let adds_calls = unknown.keys().any(|name| matches!(name, Name::Call(..)));
    let mut runs = if look.is_over(earlier) { BTreeSet::new() } else { earlier.runs.clone() };
    if !made.part || runs.is_empty() || adds_calls {
        runs.insert(made);
    }
    let mut known: BTreeMap<String, KnownEntry> = BTreeMap::new();
    for (name, entry) in &earlier.known {
        let calls = entry.calls.keys().filter_map(|key| kept.remove_entry(key)).collect();
        known.insert(name.clone(), KnownEntry { calls, ..entry.clone() });
    }
    for (name, calls) in causes::entries(report, unknown) {
        known.entry(name).or_default().calls.extend(calls);
    }
    known.retain(|_, entry| !entry.calls.is_empty());
    Baseline { runs, known }
}

/// The calls that some runs can ask.
pub struct There(BTreeSet<Key>);

impl There {
    /// Returns the set of these cases and generated calls.
    pub fn of<'c>(cases: impl IntoIterator<Item = &'c Case>, ids: &[Id]) -> Self {
        let mut there: BTreeSet<Key> = cases.into_iter().map(Key::of_case).collect();
        there.extend(parallel::each(ids, |id| Key::of_call(&id.call())));
        Self(there)
    }

    fn has(&self, entry: &str, key: Key) -> bool {
        self.0.contains(&key) || is_place(entry, key)
    }

    /// Returns the entries with calls outside this set; places are never stale.
    pub fn stale(&self, baseline: &Baseline) -> BaselineOutcome {
        let mut outcome = BaselineOutcome::default();
        for (name, entry) in &baseline.known {
            let stale = entry.calls.keys().filter(|key| !self.has(name, **key)).count();
            if stale > 0 {
                let (known, passes, missing) = (entry.of_all(), Vec::new(), Vec::new());
                let gone = Deviation::Gone { known, passes, missing, stale };
                outcome.deviations.insert(Name::Entry(name.clone()), gone);
            }
        }
        outcome
    }

    /// Removes these calls from a baseline.
    pub fn prune(&self, baseline: &mut Baseline) {
        for (name, entry) in &mut baseline.known {
            entry.calls.retain(|key, _| self.has(name, *key));
        }
        baseline.known.retain(|_, entry| !entry.calls.is_empty());
    }
}

/// Returns true if an entry is for a valid place.
fn is_place(entry: &str, key: Key) -> bool {
    key == Key::of_place(entry) && Place::from_name(entry).is_some()
}

/// A failure of the run.
struct Failing {
    key: Key,
    name: Name,
    how: How,
    fault: Option<Fault>,
}

impl Failing {
    fn of(key: Key, name: Name, verdict: &Verdict) -> Option<Self> {
        Some(Self { key, name, how: How::of(verdict)?, fault: verdict.fault() })
    }

    const fn died(&self) -> bool {
        matches!(self.fault, Some(Fault::Crashed | Fault::TimedOut))
    }
}

/// The comparison of a run with a baseline, and the input of an update.
#[derive(Default)]
struct Held {
    outcome: BaselineOutcome,
    /// Known calls that stay in the baseline.
    kept: BTreeMap<Key, How>,
    /// Failures that are unknown, or differ from the known ones.
    unknown: BTreeMap<Name, (Key, How)>,
}

/// A run, as its failures.
struct Look<'r> {
    report: &'r Report<'r>,
    scope: &'r Scope<'r>,
    failing: Vec<Failing>,
}

impl<'r> Look<'r> {
    fn at(report: &'r Report<'r>, scope: &'r Scope<'r>) -> Self {
        let cases = report.failures().filter_map(|(case, verdict)| {
            Failing::of(Key::of_case(case), Name::Case(case.name.clone()), verdict)
        });
        let finds = report.finds().filter_map(|find| {
            Failing::of(Key::of_call(&find.call), Name::Call(find.id, find.name()), &find.verdict)
        });
        let twice = report.profile().into_iter().filter(|(place, row)| row.inconsistent(place).is_some());
        let places = twice.map(|(place, _)| {
            let name = place.to_string();
            let (key, how) = (Key::of_place(&name), How::inconsistent());
            Failing { key, name: Name::Place(name), how, fault: Some(Fault::Inconsistent) }
        });
        Self { report, scope, failing: cases.chain(finds).chain(places).collect() }
    }

    fn hold(&self, baseline: &Baseline, again: &Again) -> Held {
        let mut held = Held::default();
        let flaky = |name: &Name, fault: Option<Fault>| {
            let second = again.get(name)?.fault();
            (second != fault).then_some(Deviation::Flaky(fault, second))
        };
        let entries = baseline.known.iter();
        let known: BTreeMap<Key, (&KnownEntry, &How)> = entries
            .flat_map(|(_, entry)| entry.calls.iter().map(move |(&key, how)| (key, (entry, how))))
            .collect();
        for Failing { key, name, how, fault } in &self.failing {
            let of_key = known.get(key);
            if let Some(deviation) = flaky(name, *fault) {
                held.kept.extend(of_key.map(|(_, known)| (*key, (*known).clone())));
                held.outcome.deviations.insert(name.clone(), deviation);
            } else if let Some((_, known)) = of_key.filter(|(_, known)| known.covers(how)) {
                held.kept.insert(*key, known.lowered(how).clone());
                held.outcome.expected.insert(name.clone());
            } else {
                held.unknown.insert(name.clone(), (*key, how.clone()));
                let other = of_key.map(|(entry, known)| Deviation::Otherwise {
                    known: entry.of_one(known),
                    now: how.clone(),
                });
                held.outcome.deviations.extend(other.map(|other| (name.clone(), other)));
            }
        }
        let failing: BTreeSet<Key> = self.failing.iter().map(|one| one.key).collect();
        let others = self.others(&known.keys().copied().filter(|key| !failing.contains(key)).collect());
        let is_over = self.is_over(baseline);
        for (title, entry) in &baseline.known {
            let (mut passes, mut missing, mut stale) = (Vec::new(), Vec::new(), 0);
            for (&key, how) in entry.calls.iter().filter(|(key, _)| !failing.contains(key)) {
                match others.get(&key) {
                    Some((name, Seen::Passes)) => match flaky(name, None) {
                        Some(deviation) => {
                            held.kept.insert(key, how.clone());
                            held.outcome.deviations.insert(name.clone(), deviation);
                        }
                        None => passes.push(name.clone()),
                    },
                    Some((name, Seen::NotAsked(why))) => missing.push((name.clone(), why.clone())),
                    None if is_over && is_place(title, key) => passes.push(Name::Place(title.clone())),
                    None if is_over => stale += 1,
                    None => drop(held.kept.insert(key, how.clone())),
                }
            }
            if !passes.is_empty() || !missing.is_empty() || stale > 0 {
                let gone = Deviation::Gone { known: entry.of_all(), passes, missing, stale };
                held.outcome.deviations.insert(Name::Entry(title.clone()), gone);
            }
        }
        held
    }

    /// Returns the state of wanted calls that do not fail. Generated calls are made again for it.
    fn others(&self, wanted: &BTreeSet<Key>) -> BTreeMap<Key, (Name, Seen)> {
        const STOPPED: &str = "the run was stopped before it was asked";
        let mut others = BTreeMap::new();
        if wanted.is_empty() {
            return others;
        }
        let mut asked = BTreeSet::new();
        for (case, verdict) in &self.report.results {
            asked.insert(case.name.as_str());
            let seen = match verdict {
                Verdict::Unsupported(why) => Seen::NotAsked(format!("unsupported: {why}")),
                _ => Seen::Passes,
            };
            others.insert(Key::of_case(case), (Name::Case(case.name.clone()), seen));
        }
        let is_left = |case: &&Case| {
            self.scope.cases.contains(case.name.as_str()) && !asked.contains(case.name.as_str())
        };
        for case in self.scope.corpus.cases.iter().filter(is_left) {
            let seen = Seen::NotAsked(STOPPED.to_owned());
            others.entry(Key::of_case(case)).or_insert_with(|| (Name::Case(case.name.clone()), seen));
        }
        let conforming: BTreeSet<Id> =
            self.report.generated.iter().flat_map(|generated| &generated.conforming).copied().collect();
        let answered = self.scope.ids.len().saturating_sub(self.report.missing.calls);
        let made = parallel::each(self.scope.ids, |id| {
            let call = id.call();
            let key = Key::of_call(&call);
            wanted.contains(&key).then(|| (key, Name::Call(*id, property::name(*id, &call))))
        });
        for (at, (id, made)) in self.scope.ids.iter().zip(made).enumerate() {
            let Some((key, name)) = made else { continue };
            let seen = match (conforming.contains(id), at < answered) {
                (true, _) => Seen::Passes,
                (false, true) => Seen::NotAsked("unsupported".to_owned()),
                (false, false) => Seen::NotAsked(STOPPED.to_owned()),
            };
            others.entry(key).or_insert((name, seen));
        }
        others.retain(|key, _| wanted.contains(key));
        others
    }

    /// Returns true if all cases of the claimed families were asked, and generated calls of all their specs that the
    /// backend lists, or none. False for an empty corpus, as in a test of one call.
    fn is_unfiltered(&self) -> bool {
        let Scope { corpus, cases, ids, .. } = self.scope;
        let is_claimed = |spec: Spec| !self.report.left_out.contains(&spec.family());
        let mut due = corpus.cases.iter().filter(|case| is_claimed(case.call.spec()));
        let specs: BTreeSet<Spec> = ids.iter().map(|id| id.spec()).collect();
        let mut drawn = self.report.capabilities.declared.drawn(&Spec::ALL).filter(|&spec| is_claimed(spec));
        !corpus.cases.is_empty()
            && due.all(|case| cases.contains(case.name.as_str()))
            && (ids.is_empty() || drawn.all(|spec| specs.contains(&spec)))
    }

    /// Returns true if the run asked everything that the runs which wrote the baseline asked.
    fn is_over(&self, baseline: &Baseline) -> bool {
        let Scope { ids, seed, .. } = self.scope;
        let is_within = |made: &Made| !made.part && made.seed == *seed && made.calls <= ids.len();
        self.is_unfiltered() && self.report.is_complete() && baseline.runs.iter().all(is_within)
    }
}
