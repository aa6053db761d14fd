//! Chooses the calls of a run that are asked again, and their order.
//!
//! Calls are kept in groups of one spec, element type and dims, because backends key caches by these. A group
//! has a call, one with other data, one with other axes and one with other attributes. Beside the groups stand
//! single calls that may leave state behind: refusals, NaNs, empty data, large data. The choice depends on the
//! calls and their answers alone, never on a clock.

use std::collections::BTreeMap;

use normative_reference::{Call, Dtype, Kind, Magnitude, Operator, Outcome, rule};

use super::{Named, Row, Sample, Step};
use crate::digest::Digest;
use crate::observed::Observed;
use crate::run::property::Id;

/// The number of data elements from which on a runtime may share the work among threads.
const LARGE: usize = 4096;

/// The most single calls kept of each kind.
const SINGLES: usize = 64;

/// The most failing calls asked alone, and the same for neighbours. Each needs a fresh start, which may take seconds.
const FAILING: usize = 8;

/// Calls of a run to be asked again.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// The approximate number of calls in all rows.
    wanted: usize,
    /// Keyed by a digest of spec, type and dims.
    groups: BTreeMap<u64, Vec<Step>>,
    /// Keyed by kind and by a digest of the name.
    singles: BTreeMap<Single, BTreeMap<u64, Step>>,
    /// Failing calls to be asked alone, by digest; the second map has those generated as neighbours.
    failing: [BTreeMap<u64, Step>; 2],
    /// The last call of each worker.
    before: BTreeMap<usize, Named>,
    /// The worker that is asked.
    worker: usize,
}

/// The kind of state that a single call may leave behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Single {
    Refusal,
    Nan,
    Nothing,
    Large,
    /// Nothing in particular.
    Plain,
}

/// Returns true if some reading puts the call out of the text's scope: two answers to it are not a contradiction.
fn is_out_of_scope(call: &Call) -> bool {
    let outside = |outcome: &Outcome| matches!(outcome, Outcome::OutOfScope(_));
    !call.spec().rules().out_of_scope.is_empty()
        && rule(call).alternatives.iter().any(|alternative| outside(&alternative.outcome))
}

impl Pool {
    /// Returns a pool for rows of about so many calls.
    pub fn new(wanted: usize) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// Sets the worker of the calls that are offered next.
    pub fn turn_to(&mut self, worker: usize) {
        self.worker = worker;
    }

    /// Adds a call and its first answer. The caller offers all calls of a run, in order. Calls that crashed or
    /// were declined are left out, because they gave no answer to compare. An answer that `fails` may occur
    /// only in company, so it is also asked alone.
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
            let number = Digest::of(name.as_bytes()).number();
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
                let number = Digest::of(name.as_bytes()).number();
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

    /// Returns some of the failing calls, each to be asked alone.
    pub fn failing(&self) -> Vec<Step> {
        self.failing.iter().flat_map(BTreeMap::values).cloned().collect()
    }

    /// Returns the rows.
    ///
    /// Each row has a group: its first call twice, then every other one followed by the first. Then two single calls,
    /// with the first call of the previous group between them.
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
            rows.push(steps);
        }
        rows
    }
}

impl Single {
    /// Returns the kind of an answered call.
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

/// Returns the index in its group for a call: the first, other data, other axes, or other attributes. `None` if
/// that kind is taken. Other axes and attributes are preferred with the same data.
fn place_in(group: &[Step], call: &Call) -> Option<usize> {
    let Some((first, others)) = group.split_first() else { return Some(0) };
    let first = &first.sample.call;
    let wanted = Relation::of(first, call)?;
    let is_such = |other: &Step| Relation::of(first, &other.sample.call) == Some(wanted);
    let Some(at) = others.iter().position(is_such) else { return Some(group.len()) };
    let is_better = call.data == first.data && others[at].sample.call.data != first.data;
    is_better.then_some(at + 1)
}

/// The difference between a call of a group and its first call.
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

/// Returns the attributes of a call. Dims that a caller allocates follow from the axes, so they do not count.
fn attributes(call: &Call) -> Option<&Operator> {
    match &call.operator {
        Operator::Bnns { .. } => None,
        operator => Some(operator),
    }
}

/// Returns calls of each kind in turn, until all are used.
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

/// Returns a digest of spec, element type and dims.
fn number_of_group(call: &Call) -> u64 {
    let mut digest = Digest::default();
    digest.add(call.spec().name().as_bytes());
    digest.add(call.data.dtype().name().as_bytes());
    for dim in call.data.shape() {
        digest.add(&(*dim as u64).to_le_bytes());
    }
    digest.number()
}

/// Returns true if there is room, or if the number is not above the greatest kept.
fn is_among_least<T>(kept: &BTreeMap<u64, T>, number: u64, most: usize) -> bool {
    kept.len() < most || kept.last_key_value().is_some_and(|(&last, _)| number <= last)
}

fn cut<T>(kept: &mut BTreeMap<u64, T>, most: usize) {
    while kept.len() > most {
        kept.pop_last();
    }
}
