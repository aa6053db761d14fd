//! Learns conditions under which calls fail, from failing and conforming calls.
//!
//! A condition is a few [traits](super::traits) that hold together. Its value is counted in bits: those needed
//! to say which calls fail, less those needed once the condition is known (the minimum description length of
//! Rissanen, 1978). No randomness and no clock: the same calls give the same conditions.

use std::collections::BTreeMap;

use super::bits::Bits;
use super::traits::Trait;

/// The cost of a condition, in bits.
const CONDITION_COST: f64 = 10.0;

/// The cost of each of its traits, in bits: there are about two hundred, so a trait takes 6 to 8 bits.
const TRAIT_COST: f64 = 6.0;

/// The most traits of a condition.
const LENGTH: usize = 4;

/// The part of calls that must have the traits that set them apart, and of the others that must not.
const NEARLY: f64 = 0.9;

/// The number of best conditions of each length that the search extends (a beam search).
const WIDTH: usize = 40;

/// The calls with each trait.
#[derive(Clone, Debug)]
pub(super) struct Table {
    length: usize,
    columns: Vec<(Trait, Bits)>,
}

/// A condition, and the calls that meet it.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// The traits, which must all hold.
    pub(super) traits: Vec<Trait>,
    /// The calls that meet it.
    pub(super) calls: Bits,
    /// The share of its failures' bits that it saves: 1 if all calls that meet it fail and few others do.
    pub(super) share: f64,
    /// The bits that it saves.
    pub(super) saved: f64,
}

/// Returns at most two traits that set calls apart: nearly all of them have these, and hardly any of the others. Empty if
/// none do, or if there are too few calls to tell.
pub fn apart(calls: &[Vec<Trait>], others: &[Vec<Trait>]) -> Vec<Trait> {
    let all: Vec<&[Trait]> = calls.iter().chain(others).map(Vec::as_slice).collect();
    let table = Table::of(all.into_iter());
    let failing = Bits::of(table.length(), |at| at < calls.len());
    let conforming = Bits::of(table.length(), |at| at >= calls.len());
    let nearly_all = |best: &Condition| {
        best.calls.shared(&failing) as f64 >= NEARLY * calls.len() as f64
            && best.calls.shared(&conforming) as f64 <= (1.0 - NEARLY) * others.len() as f64
            && best.traits.len() <= 2
    };
    let best = table.best(&failing, &conforming).filter(nearly_all);
    best.map_or_else(Vec::new, |best| best.traits)
}

impl Table {
    /// Makes the table of these calls, each with its traits.
    pub(super) fn of<'t>(calls: impl ExactSizeIterator<Item = &'t [Trait]>) -> Self {
        let length = calls.len();
        let mut columns: BTreeMap<Trait, Bits> = BTreeMap::new();
        for (at, traits) in calls.enumerate() {
            for of_call in traits {
                columns.entry(*of_call).or_insert_with(|| Bits::none(length)).add(at);
            }
        }
        Self { length, columns: columns.into_iter().collect() }
    }

    /// Returns the number of calls.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// Returns the calls with this trait.
    pub(super) fn with(&self, of_call: Trait) -> Bits {
        let column = self.columns.iter().find(|(known, _)| *known == of_call);
        column.map_or_else(|| Bits::none(self.length), |(_, column)| column.clone())
    }

    /// Returns the condition that every call meets.
    pub(super) fn any(&self) -> Condition {
        Condition { traits: Vec::new(), calls: Bits::of(self.length, |_| true), share: 0.0, saved: 0.0 }
    }

    /// Returns the condition that saves most bits, if any saves bits. Calls that neither fail nor conform do not matter.
    pub(super) fn best(&self, failing: &Bits, conforming: &Bits) -> Option<Condition> {
        self.best_of(failing, conforming, |column, _| column.shared(failing) > 0)
    }

    /// Returns the best condition that every failure meets, made of traits that may be in it.
    pub(super) fn for_all(
        &self,
        failing: &Bits,
        conforming: &Bits,
        may_be: impl Fn(&Trait) -> bool,
    ) -> Condition {
        let all = failing.count();
        let best = self
            .best_of(failing, conforming, |column, of_call| column.shared(failing) == all && may_be(of_call));
        best.unwrap_or_else(|| self.any())
    }

    fn best_of(
        &self,
        failing: &Bits,
        conforming: &Bits,
        is_useful: impl Fn(&Bits, &Trait) -> bool,
    ) -> Option<Condition> {
        let (failures, others) = (failing.count() as f64, conforming.count() as f64);
        let rate = failures / (failures + others);
        let weigh = |traits: usize, calls: &Bits| {
            let (explained, against) = (calls.shared(failing) as f64, calls.shared(conforming) as f64);
            let within = (explained + 0.5) / (explained + against + 1.0);
            let plain = explained * rate.log2() + against * (1.0 - rate).max(f64::MIN_POSITIVE).log2();
            let known = explained * within.log2() + against * (1.0 - within).log2();
            known - plain - CONDITION_COST - TRAIT_COST * traits as f64
        };
        let useful: Vec<&(Trait, Bits)> =
            self.columns.iter().filter(|(of_call, column)| is_useful(column, of_call)).collect();
        let mut front = vec![(Vec::new(), Bits::of(self.length, |_| true))];
        let mut best: Option<(f64, Condition)> = None;
        for length in 1..=LENGTH {
            let mut next: Vec<(f64, Vec<Trait>, Bits)> = Vec::new();
            for (traits, calls) in &front {
                for (of_call, column) in useful.iter().filter(|(of_call, _)| !traits.contains(of_call)) {
                    let calls = calls.and(column);
                    if calls.shared(failing) > 0 {
                        let mut traits: Vec<Trait> = traits.iter().copied().chain([*of_call]).collect();
                        traits.sort_unstable();
                        next.push((weigh(length, &calls), traits, calls));
                    }
                }
            }
            next.sort_by(|(a, one, _), (b, other, _)| b.total_cmp(a).then_with(|| one.cmp(other)));
            next.dedup_by(|(_, one, _), (_, other, _)| one == other);
            next.dedup_by(|(_, _, one), (_, _, other)| one == other);
            next.truncate(WIDTH);
            if let Some((saved, traits, calls)) = next.first()
                && best.as_ref().is_none_or(|(known, _)| saved > known)
            {
                let explained = calls.shared(failing) as f64;
                let share = saved / (-rate.log2() * explained).max(f64::MIN_POSITIVE);
                let (traits, calls) = (traits.clone(), calls.clone());
                best = Some((*saved, Condition { traits, calls, share, saved: *saved }));
            }
            front = next.into_iter().map(|(_, traits, calls)| (traits, calls)).collect();
        }
        best.filter(|(saved, _)| *saved > 0.0).map(|(_, condition)| condition)
    }
}

/// Returns the bits needed to say which calls fail, if it is known which calls meet which conditions. A call
/// counts for the first condition that it meets.
pub(super) fn bits(conditions: &[&Condition], failing: &Bits, conforming: &Bits) -> f64 {
    let (mut failing, mut conforming) = (failing.clone(), conforming.clone());
    let mut bits = 0.0;
    for condition in conditions {
        bits += CONDITION_COST + TRAIT_COST * condition.traits.len() as f64;
        bits += entropy(condition.calls.shared(&failing), condition.calls.shared(&conforming));
        (failing, conforming) = (failing.without(&condition.calls), conforming.without(&condition.calls));
    }
    bits + entropy(failing.count(), conforming.count())
}

/// Returns the bits needed to say which of `some + others` calls are of which kind.
fn entropy(some: usize, others: usize) -> f64 {
    let all = (some + others) as f64;
    let part = |count: usize| if count == 0 { 0.0 } else { -(count as f64) * (count as f64 / all).log2() };
    part(some) + part(others)
}
