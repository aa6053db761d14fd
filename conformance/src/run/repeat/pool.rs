//! Which calls of a run are asked again, and in which order.
//!
//! Calls are kept in groups of one spec, element type and dims, because a backend keeps things by these: in each a
//! call, one with other data, one with other axes and one with other attributes. Beside the groups stand single calls
//! that leave something behind: refusals, NaNs, outputs without an element, large data. What is kept depends on
//! the calls and their answers alone, and on no clock.

use std::collections::BTreeMap;

use normative_reference::{Call, Dtype, Kind, Magnitude, Operator, Outcome, rule};

use super::{Named, Row, Sample, Step};
use crate::digest::Digest;
use crate::observed::Observed;
use crate::run::property::Id;

/// Elements of data from which on a runtime may share the work among threads.
const LARGE: usize = 4096;

/// Single calls kept of each kind.
const SINGLES: usize = 64;

/// Failing calls asked alone, and as many of those that are neighbours. Each takes a fresh start, which may take seconds.
const FAILING: usize = 8;

/// Calls of a run to be asked again.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// About how many calls the rows shall have.
    wanted: usize,
    /// By the number of their spec, type and dims.
    groups: BTreeMap<u64, Vec<Step>>,
    /// By kind and number.
    singles: BTreeMap<Single, BTreeMap<u64, Step>>,
    /// Failing calls, by number, to be asked alone; those apart that are generated to be the neighbours of the call before.
    failing: [BTreeMap<u64, Step>; 2],
    /// The last call of each worker.
    before: BTreeMap<usize, Named>,
    /// The worker that is asked.
    worker: usize,
}

/// What a single call leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Single {
    Refusal,
    Nan,
    Nothing,
    Large,
    /// Nothing in particular.
    Plain,
}

/// Whether the text says that what the call leads to is outside its scope: two answers to it are no contradiction.
fn is_out_of_scope(call: &Call) -> bool {
    let outside = |outcome: &Outcome| matches!(outcome, Outcome::OutOfScope(_));
    !call.spec().rules().out_of_scope.is_empty()
        && rule(call).alternatives.iter().any(|alternative| outside(&alternative.outcome))
}

impl Pool {
    /// A pool for rows of about so many calls.
    pub fn new(wanted: usize) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// What is offered next was asked of this worker, whose last call came before it.
    pub fn turn_to(&mut self, worker: usize) {
        self.worker = worker;
    }

    /// Takes note of a call and its first answer. To be offered all of a run, in order. Only answers that a runtime
    /// gave of its own accord can be held against it, so whoever died or declined is left out. An answer that `fails` may
    /// be one that the call has only in company.
    pub fn offer(&mut self, name: &str, call: &Call, first: &Observed, fails: bool) {
        if self.wanted == 0 || is_out_of_scope(call) {
            return;
        }
        let before = self.before.get(&self.worker);
        let step = || {
            let sample = Sample { name: name.to_owned(), call: call.clone(), first: first.clone() };
            Step { sample, before: before.cloned() }
        };
        let kind = Single::of(call, first);
        if fails && kind.is_some() {
            let number = number_of(name.as_bytes());
            let is_neighbour = name.parse::<Id>().is_ok_and(|id| id.before().is_some());
            let failing = &mut self.failing[usize::from(is_neighbour)];
            if is_among_least(failing, number, FAILING) {
                failing.insert(number, step());
                cut(failing, FAILING);
            }
        }
        match kind {
            Some(Single::Plain) => {
                let (number, wanted) = (number_of_group(call), self.wanted);
                if is_among_least(&self.groups, number, wanted) {
                    let group = self.groups.entry(number).or_default();
                    match place_in(group, call) {
                        Some(place) if place < group.len() => group[place] = step(),
                        Some(_) => group.push(step()),
                        None => {}
                    }
                    cut(&mut self.groups, wanted);
                }
            }
            Some(single) => {
                let number = number_of(name.as_bytes());
                let kept = self.singles.entry(single).or_default();
                if is_among_least(kept, number, SINGLES) {
                    kept.insert(number, step());
                    cut(kept, SINGLES);
                }
            }
            None => {}
        }
        self.before.insert(self.worker, Named { name: name.to_owned(), call: call.clone() });
    }

    /// Some of the calls that failed: each to be asked alone.
    pub fn failing(&self) -> Vec<Step> {
        self.failing.iter().flat_map(BTreeMap::values).cloned().collect()
    }

    /// The rows.
    ///
    /// Of each group: its first call twice, then every other one and the first again; then two single calls, and
    /// between them the first call of the group before. Every second row shares the memory of its data.
    pub fn rows(mut self) -> Vec<Row> {
        let (groups, alone): (Vec<_>, Vec<_>) =
            self.groups.into_iter().partition(|(_, group)| group.len() > 1);
        let alone = alone.into_iter().filter_map(|(number, group)| Some((number, group.into_iter().next()?)));
        self.singles.entry(Single::Plain).or_default().extend(alone);
        let mut singles = in_turn(self.singles);
        let mut rows: Vec<Row> = Vec::new();
        let mut groups = groups.into_iter().map(|(_, group)| group);
        let mut last: Option<Step> = None;
        let mut count = 0;
        while count < self.wanted {
            let group = groups.next().unwrap_or_default();
            let mut steps = Vec::new();
            if let Some((first, others)) = group.split_first() {
                steps.extend([first.clone(), first.clone()]);
                steps.extend(others.iter().flat_map(|other| [other.clone(), first.clone()]));
            }
            steps.extend(singles.next());
            steps.extend(last.take());
            steps.extend(singles.next());
            last = group.into_iter().next();
            if steps.is_empty() {
                break;
            }
            count += steps.len();
            rows.push(Row { steps, shares_memory: rows.len() % 2 == 1 });
        }
        rows
    }
}

impl Single {
    /// What the call leaves behind, of those that were answered.
    fn of(call: &Call, answer: &Observed) -> Option<Self> {
        let output = match answer {
            Observed::Rejected(_) => return Some(Self::Refusal),
            Observed::Tensor(output) => output,
            Observed::Oversized { .. }
            | Observed::Unsupported(_)
            | Observed::ChangedData(_)
            | Observed::Died(_) => {
                return None;
            }
        };
        let is_nan = |dtype: Dtype, bits| dtype.magnitude(bits) == Magnitude::Nan;
        Some(match output.dtype().kind() {
            _ if call.data.len() >= LARGE => Self::Large,
            _ if call.data.is_empty() => Self::Nothing,
            Kind::Float(_) if output.bits().iter().any(|&bits| is_nan(output.dtype(), bits)) => Self::Nan,
            _ => Self::Plain,
        })
    }
}

/// Where in its group a call goes: the first call, one with other data, one with other axes, one with other
/// attributes. Nothing where these are there. Other axes and attributes are better beside the same data.
fn place_in(group: &[Step], call: &Call) -> Option<usize> {
    let Some((first, others)) = group.split_first() else { return Some(0) };
    let first = &first.sample.call;
    let wanted = Relation::of(first, call)?;
    let is_such = |other: &Step| Relation::of(first, &other.sample.call) == Some(wanted);
    let Some(at) = others.iter().position(is_such) else { return Some(group.len()) };
    let is_better = call.data == first.data && others[at].sample.call.data != first.data;
    is_better.then_some(at + 1)
}

/// In what the call of a group differs from its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Data,
    Axes,
    Attributes,
}

impl Relation {
    fn of(first: &Call, other: &Call) -> Option<Self> {
        let attributes = attributes(first) != attributes(other);
        match (first.axes != other.axes, attributes) {
            (false, false) => (first.data != other.data).then_some(Self::Data),
            (true, false) => Some(Self::Axes),
            (false, true) => Some(Self::Attributes),
            (true, true) => None,
        }
    }
}

/// The attributes of a call. The dims that a caller allocates follow from the axes.
fn attributes(call: &Call) -> Option<&Operator> {
    match &call.operator {
        Operator::Bnns { .. } => None,
        operator => Some(operator),
    }
}

/// Calls of each kind in turn, as long as there are any.
fn in_turn(singles: BTreeMap<Single, BTreeMap<u64, Step>>) -> impl Iterator<Item = Step> {
    let mut kinds: Vec<_> = singles.into_values().map(BTreeMap::into_values).collect();
    let mut turn = 0;
    std::iter::from_fn(move || {
        for _ in 0..kinds.len() {
            turn += 1;
            let at = turn % kinds.len();
            if let Some(step) = kinds[at].next() {
                return Some(step);
            }
        }
        None
    })
}

/// A number that is the same wherever spec, element type and dims are.
fn number_of_group(call: &Call) -> u64 {
    let mut digest = Digest::default();
    digest.add(call.spec().name().as_bytes());
    digest.add(call.data.dtype().name().as_bytes());
    for dim in call.data.shape() {
        digest.add(&(*dim as u64).to_le_bytes());
    }
    digest.number()
}

fn number_of(bytes: &[u8]) -> u64 {
    let mut digest = Digest::default();
    digest.add(bytes);
    digest.number()
}

/// Whether a number is there, or among the least so many.
fn is_among_least<T>(kept: &BTreeMap<u64, T>, number: u64, most: usize) -> bool {
    kept.len() < most || kept.last_key_value().is_some_and(|(&last, _)| number <= last)
}

fn cut<T>(kept: &mut BTreeMap<u64, T>, most: usize) {
    while kept.len() > most {
        kept.pop_last();
    }
}
