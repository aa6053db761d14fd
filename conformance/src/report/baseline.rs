//! Known failures: what a run is expected to show, and everything in which it shows something else.
//!
//! An expected failure is asked like every call, has to fail, and has to fail as it does on file. Nothing here
//! asks anybody: a report and a baseline go in, what deviates comes out. What deviates may be chance, so a caller asks
//! the [`doubtful`] calls once more, and hands in what came of that.
//!
//! # What an entry names
//!
//! The calls that fail for one cause, each by a [short hash](Key) of what is asked, and how each of them fails. So an entry explains
//! nothing but the calls that it knows: whatever part of whatever run is asked, another call that fails is new. So is
//! one that fails in another way, or comes [much further](How::covers) from right than it did. Calls that were not asked when the file was
//! written, such as those of another seed, are not known: nobody can tell whether they would have failed. An update by a
//! run that asks them adds them.
//!
//! A place where no one reading of a question explains the answers (`onnx/ReduceL1-18: duplicate-axes`) has an entry of its own. That a
//! call is answered in two ways depends on the run, so a baseline cannot record it: `--repeat 0` disables the check.
//!
//! # What a run can say of an entry
//!
//! Of each call that it was meant to ask: the call fails so, or does not, or is *missing*, where the backend calls it
//! unsupported now or the run was stopped before it. Of others nothing, unless the run asks everything that the runs
//! asked which wrote the file. Then a call that is not among them is *stale*, and a question has one reading where none fails.

mod causes;
mod file;
pub mod known;
mod told;

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::Spec;

use crate::corpus::{Case, Corpus};
use crate::judge::fault::Fault;
use crate::judge::verdict::Verdict;
use crate::parallel;
use crate::report::Report;
use crate::run::property::{self, Id};
use crate::run::readings::Place;

pub use self::known::{Again, Deviation, Entry, How, Key, Known, Name, Outcome};

/// What is known to fail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The runs that it was made with.
    pub runs: BTreeSet<Made>,
    /// What fails, by the name of the cause, or of the failure.
    pub known: BTreeMap<String, Entry>,
}

/// The generated calls of a run that wrote a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Made {
    /// Their row.
    pub seed: u64,
    /// How many of them.
    pub calls: usize,
    /// Whether the run was to ask a part of the cases, and of the specs that the backend claims.
    pub part: bool,
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

/// What a run says of a call that does not fail.
enum Seen {
    Passes,
    NotAsked(String),
}

/// Holds a run against a baseline. `again` has what came of asking the [`doubtful`] calls once more.
pub fn check(baseline: &Baseline, report: &Report<'_>, scope: &Scope<'_>, again: &Again) -> Outcome {
    Look::at(report, scope).hold(baseline, again).outcome
}

/// The cases and calls that are other than expected and may be so by chance. Who died has been asked twice already.
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

/// The baseline that this run agrees with. What an entry says beside its calls stays; what the run says nothing
/// of stays as it is, and so does what is flaky.
pub fn updated(earlier: &Baseline, report: &Report<'_>, scope: &Scope<'_>, again: &Again) -> Baseline {
    let look = Look::at(report, scope);
    let Held { mut kept, unknown, .. } = look.hold(earlier, again);
    let made = Made { seed: scope.seed, calls: scope.ids.len(), part: !look.is_unfiltered() };
    let adds_calls = unknown.keys().any(|name| matches!(name, Name::Call(..)));
    let mut runs = if look.is_over(earlier) { BTreeSet::new() } else { earlier.runs.clone() };
    if !made.part || runs.is_empty() || adds_calls {
        runs.insert(made);
    }
    let mut known: BTreeMap<String, Entry> = BTreeMap::new();
    for (name, entry) in &earlier.known {
        let calls = entry.calls.keys().filter_map(|key| kept.remove_entry(key)).collect();
        known.insert(name.clone(), Entry { calls, ..entry.clone() });
    }
    for (name, calls) in causes::entries(report, unknown) {
        known.entry(name).or_default().calls.extend(calls);
    }
    known.retain(|_, entry| !entry.calls.is_empty());
    Baseline { runs, known }
}

/// All calls that some runs can ask.
pub struct There(BTreeSet<Key>);

impl There {
    /// These cases and generated calls.
    pub fn of<'c>(cases: impl IntoIterator<Item = &'c Case>, ids: &[Id]) -> Self {
        let mut there: BTreeSet<Key> = cases.into_iter().map(Key::of_case).collect();
        there.extend(parallel::each(ids, |id| Key::of_call(&id.call())));
        Self(there)
    }

    fn has(&self, entry: &str, key: Key) -> bool {
        self.0.contains(&key) || is_place(entry, key)
    }

    /// The entries with calls that are none of these, and no place.
    pub fn stale(&self, baseline: &Baseline) -> Outcome {
        let mut outcome = Outcome::default();
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

    /// Takes these calls out.
    pub fn prune(&self, baseline: &mut Baseline) {
        for (name, entry) in &mut baseline.known {
            entry.calls.retain(|key, _| self.has(name, *key));
        }
        baseline.known.retain(|_, entry| !entry.calls.is_empty());
    }
}

/// Whether an entry is one of a place that there is.
fn is_place(entry: &str, key: Key) -> bool {
    key == Key::of_place(entry) && Place::from_name(entry).is_some()
}

/// Something that fails.
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

/// How a run and a baseline agree, and what an update makes of that.
#[derive(Default)]
struct Held {
    outcome: Outcome,
    /// What is known and stays so.
    kept: BTreeMap<Key, How>,
    /// What fails and is not known to, or not so.
    unknown: BTreeMap<Name, (Key, How)>,
}

/// A run, by what fails in it.
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
        let finds = report.generated.iter().flat_map(|generated| &generated.finds);
        let finds = finds.filter_map(|find| {
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
        let known: BTreeMap<Key, (&Entry, &How)> = entries
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

    /// What the run says of calls that do not fail in it, of those that it was to ask. Generated calls are made again for it.
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

    /// Whether every case was asked of the families that the backend claims, and generated calls of all their specs or none. A test
    /// of one call has no corpus to speak of.
    fn is_unfiltered(&self) -> bool {
        let Scope { corpus, cases, ids, .. } = self.scope;
        let is_claimed = |spec: Spec| !self.report.left_out.contains(&spec.family());
        let mut due = corpus.cases.iter().filter(|case| is_claimed(case.call.spec()));
        let specs: BTreeSet<Spec> = ids.iter().map(|id| id.spec()).collect();
        let mut claimed = Spec::ALL.into_iter().filter(|&spec| is_claimed(spec));
        !corpus.cases.is_empty()
            && due.all(|case| cases.contains(case.name.as_str()))
            && (ids.is_empty() || claimed.all(|spec| specs.contains(&spec)))
    }

    /// Whether the run asked all that the runs asked which wrote the baseline.
    fn is_over(&self, baseline: &Baseline) -> bool {
        let Scope { ids, seed, .. } = self.scope;
        let is_within = |made: &Made| !made.part && made.seed == *seed && made.calls <= ids.len();
        self.is_unfiltered() && self.report.is_complete() && baseline.runs.iter().all(is_within)
    }
}
