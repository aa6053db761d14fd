//! Groups failures into defects: calls that fail for one cause are one defect.
//!
//! A maintainer fixes causes, not calls. `learn` finds the [`traits`] that failing calls share and conforming
//! ones lack; that is evidence, not proof. If the backend can be asked more, the smallest failing call of each
//! group is made smaller ([`Small`]). Groups whose calls shrink to the same [`Root`] are one, and a trait that
//! a call fails without is not a condition.

mod bits;
mod learn;
mod root;
pub mod rules;
pub mod traits;

pub use root::{Root, Small};

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use bits::Bits;
use learn::{Condition, Table, bits};
use rules::Likeness;
use traits::Trait;

use crate::shrink::Class;

/// The least share of its failures' bits that a condition must save to count as their cause: then nearly all
/// calls that meet it fail. This and the limits below were tuned on every twelfth mutant of the zoo and thirty
/// combinations; the zoo's test of planted mistakes uses others.
const SAYS: f64 = 0.7;

/// The greatest part of a class left over by its conditions that is put down to the first of them.
const FEW: f64 = 0.1;

/// The part of the failures of two clusters that must have each trait of a condition for both.
const COMMON: f64 = 0.8;

/// The part of the smaller cluster's failures that must meet the condition for both.
const COVERED: f64 = 0.7;

/// The most bits that one condition may lose against two, as a part of those of the smaller's failures.
const LOST: f64 = 0.7;

/// The most conditions looked for among the failures of one class: longer lists would not be read.
const CONDITIONS: usize = 8;

/// The part of a cluster's failures that rules must explain together to split it.
const WHOLE: f64 = 0.9;

/// The number of largest clusters among which joins are looked for, because every pair is weighed.
const JOINED: usize = 16;

/// The most failures without a condition that are not a group by themselves.
const TINY: usize = 5;

/// A call and its outcome, for grouping.
#[derive(Clone, Debug)]
pub struct Example {
    /// The traits of the call.
    pub traits: Vec<Trait>,
    /// The class of its failure; `None` if it conforms.
    pub class: Option<Class>,
}

/// Failures that have one cause, as far as the calls of the run show.
#[derive(Clone, Debug)]
pub struct Group {
    /// Their condition; empty if none was found.
    pub condition: Vec<Trait>,
    /// The failures, by their indices.
    pub failures: Vec<usize>,
    /// The groups that were joined to make it, by their earlier indices; one if none were joined.
    pub parts: Vec<usize>,
    /// The conforming calls that meet the condition, by their indices.
    pub conforming: Vec<usize>,
    /// The mistake of a wrong rule that gives these answers, and that almost no conforming call contradicts.
    pub rule: Option<&'static str>,
    /// The mistake of a wrong rule that gives these answers, but also fails on conforming calls.
    pub like: Option<&'static str>,
}

/// The groups, which may still be joined after further calls to the backend.
#[derive(Clone, Debug)]
pub struct Grouping {
    table: Table,
    conforming: Bits,
    clusters: Vec<Cluster>,
}

/// Groups the failures among calls.
pub fn groups(examples: &[Example], likenesses: &[Likeness]) -> Grouping {
    let table = Table::of(examples.iter().map(|one| one.traits.as_slice()));
    let conforming = Bits::of(table.length(), |at| examples[at].class.is_none());
    let classes: BTreeSet<Class> = examples.iter().filter_map(|one| one.class).collect();
    let failing = Bits::of(table.length(), |at| examples[at].class.is_some());
    let mut clusters = Vec::new();
    for class in classes {
        let failing = Bits::of(table.length(), |at| examples[at].class == Some(class));
        clusters.extend(of_class(&table, failing, &conforming));
    }
    join(&table, &mut clusters, &conforming);
    absorb(&table, &mut clusters);
    let told = by_rules(&table, likenesses, failing, &conforming);
    let mut clusters = ruled(&table, &clusters, told);
    largest_first(&mut clusters);
    clusters.iter_mut().enumerate().for_each(|(at, cluster)| cluster.parts = vec![at]);
    Grouping { table, conforming, clusters }
}

impl Grouping {
    /// Returns the failures that represent each group, by their indices, the largest group first: those that
    /// meet its condition. A failure that only fits nowhere else does not represent a group.
    pub fn examples(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        self.clusters.iter().map(|Cluster { failing, condition, .. }| {
            let typical = failing.and(&condition.calls);
            let typical = if typical.count() == 0 { failing } else { &typical };
            typical.places().collect()
        })
    }

    /// Joins groups whose examples shrink to the same root. `small` has the small call of each group, in their
    /// order. A group without one stays as it is.
    #[must_use]
    pub fn joined(self, small: &[Option<Small>]) -> Self {
        let mut kept: Vec<Cluster> = Vec::new();
        let root = |cluster: &Cluster| {
            let small = cluster.parts.first().and_then(|&at| small.get(at)?.as_ref());
            small.map(|small| &small.root)
        };
        for cluster in self.clusters {
            let is_like = |known: &Root| root(&cluster).is_some_and(|root| known.is_like(root));
            // Two known rules are two causes, even if their calls shrink to the same root.
            let fits = |into: &&mut Cluster| {
                root(into).is_some_and(is_like) && (into.rule.is_none() || cluster.rule.is_none())
            };
            let Some(into) = kept.iter_mut().find(fits) else {
                kept.push(cluster);
                continue;
            };
            into.failing = into.failing.or(&cluster.failing);
            into.parts.extend(cluster.parts);
            into.rule = into.rule.or(cluster.rule);
            if let Some(best) = self.table.best(&into.failing, &self.conforming, COMMON) {
                into.condition = best;
            }
        }
        for Cluster { failing, condition, parts, .. } in &mut kept {
            let smalls: Vec<&Small> = parts.iter().filter_map(|&at| small.get(at)?.as_ref()).collect();
            let holds = |of_call: &Trait| smalls.iter().all(|small| small.traits.contains(of_call));
            if !condition.traits.iter().all(holds) {
                let best = self.table.best_of(failing, &self.conforming, COMMON, holds);
                *condition = best.unwrap_or_else(|| self.table.any());
            }
        }
        largest_first(&mut kept);
        Self { clusters: kept, ..self }
    }

    /// Returns the groups, the largest first.
    pub fn groups(self) -> Vec<Group> {
        let group = |cluster: Cluster| Group {
            failures: cluster.failing.places().collect(),
            parts: cluster.parts,
            conforming: cluster.condition.calls.and(&self.conforming).places().collect(),
            rule: cluster.rule,
            like: None,
            condition: cluster.condition.traits,
        };
        self.clusters.into_iter().map(group).collect()
    }
}

/// Failures, and the condition that covers most of them.
#[derive(Clone, Debug)]
struct Cluster {
    failing: Bits,
    condition: Condition,
    /// The wrong rule that gives the same answers.
    rule: Option<&'static str>,
    /// The groups that were joined to make it, by their earlier indices.
    parts: Vec<usize>,
}

impl Cluster {
    const fn of(failing: Bits, condition: Condition) -> Self {
        Self { failing, condition, rule: None, parts: Vec::new() }
    }
}

/// Clusters failures by the wrong rule with the same answers, greedily: the most explaining rule first.
fn by_rules(table: &Table, likenesses: &[Likeness], failing: Bits, conforming: &Bits) -> Vec<Cluster> {
    let sets: Vec<(Bits, usize)> = likenesses
        .iter()
        .map(|like| {
            let mut same = Bits::none(table.length());
            like.same.iter().for_each(|&at| same.add(at));
            (same, like.same.len() + like.similar.len())
        })
        .collect();
    let mut left = failing;
    let mut clusters = Vec::new();
    loop {
        let explained = |at: &usize| sets[*at].0.shared(&left);
        let best = (0..sets.len()).max_by_key(|at| (explained(at), Reverse(sets[*at].1), Reverse(*at)));
        let Some(best) = best.filter(|best| explained(best) > 0) else { return clusters };
        let failing = sets[best].0.and(&left);
        left = left.without(&failing);
        let condition = table.best(&failing, conforming, COMMON).unwrap_or_else(|| table.any());
        clusters.push(Cluster { rule: Some(likenesses[best].sentence), ..Cluster::of(failing, condition) });
    }
}

/// Splits and joins clusters by rules that explain a cluster nearly whole. A rule that explains only a part may
/// be only half of the truth if no rule explains the rest, so it splits nothing.
fn ruled(table: &Table, clusters: &[Cluster], mut told: Vec<Cluster>) -> Vec<Cluster> {
    let all = |clusters: &[Cluster]| {
        clusters.iter().fold(Bits::none(table.length()), |all, cluster| all.or(&cluster.failing))
    };
    let (explained, mut left) = loop {
        let of_rules = all(&told);
        let is_whole = |cluster: &Cluster| {
            of_rules.shared(&cluster.failing) as f64 >= WHOLE * cluster.failing.count() as f64
        };
        let (explained, left): (Vec<Cluster>, Vec<Cluster>) = clusters.iter().cloned().partition(is_whole);
        let (failures, before) = (all(&explained), told.len());
        told.retain(|rule| 2 * failures.shared(&rule.failing) >= rule.failing.count());
        if told.len() == before {
            break (explained, left);
        }
    };
    let of_rules = all(&told);
    for cluster in &explained {
        // The few failures that no rule explains go to the rule that explains most of their cluster.
        let most = told.iter_mut().max_by_key(|rule| rule.failing.shared(&cluster.failing));
        if let Some(rule) = most {
            rule.failing = rule.failing.or(&cluster.failing.without(&of_rules));
        }
    }
    for cluster in &mut left {
        cluster.failing = cluster.failing.without(&of_rules);
    }
    left.retain(|cluster| cluster.failing.count() > 0);
    left.extend(told);
    left
}

/// Clusters the failures of one class by conditions. The rest forms one cluster.
fn of_class(table: &Table, failing: Bits, conforming: &Bits) -> Vec<Cluster> {
    let whole = failing.count() as f64;
    let mut left = failing;
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut usual = None;
    while left.count() > 0 && clusters.len() < CONDITIONS {
        let Some(best) = table.best(&left, conforming, 0.0) else { break };
        if best.share < SAYS {
            usual = Some(best);
            break;
        }
        let failing = best.calls.and(&left);
        left = left.without(&best.calls);
        clusters.push(Cluster::of(failing, best));
    }
    let few = left.count() as f64 <= FEW * whole;
    match clusters.first_mut().filter(|_| few) {
        Some(first) => first.failing = first.failing.or(&left),
        None => clusters.push(Cluster::of(left, usual.unwrap_or_else(|| table.any()))),
    }
    clusters.retain(|cluster| cluster.failing.count() > 0);
    clusters
}

fn largest_first(clusters: &mut [Cluster]) {
    clusters.sort_by_key(|cluster| Reverse(cluster.failing.count()));
}

/// Joins clusters if one condition explains nearly as much of both as their own: the smallest first, with the
/// one that loses least.
fn join(table: &Table, clusters: &mut Vec<Cluster>, conforming: &Bits) {
    largest_first(clusters);
    let small = clusters.split_off(clusters.len().min(JOINED));
    let mut left: Vec<(usize, Cluster)> = std::mem::take(clusters).into_iter().enumerate().collect();
    // The result for a pair is valid until one of them is joined, and then gets a new number.
    let mut known: HashMap<(usize, usize), Option<Union>> = HashMap::new();
    let mut next = left.len();
    while let Some((into, from, condition)) = next_join(table, &left, conforming, &mut known) {
        let failing = left[into].1.failing.or(&left[from].1.failing);
        left[into] = (next, Cluster::of(failing, condition));
        left.remove(from);
        next += 1;
    }
    clusters.extend(left.into_iter().map(|(_, cluster)| cluster));
    clusters.extend(small);
}

/// A condition for two clusters, and the share of the smaller one's bits that it loses against their own.
#[derive(Clone, Debug)]
struct Union {
    condition: Condition,
    loses: f64,
}

/// Returns the condition that can stand for both, if any.
fn union(table: &Table, large: &Cluster, small: &Cluster, conforming: &Bits) -> Option<Union> {
    let both = large.failing.or(&small.failing);
    let condition = table.best(&both, conforming, COMMON)?;
    let covered = condition.calls.shared(&small.failing) as f64 / small.failing.count() as f64;
    let one = bits(&[&condition], &both, conforming);
    let two = bits(&[&large.condition, &small.condition], &both, conforming);
    let failing = both.count() as f64;
    let rate = failing / (failing + conforming.count() as f64);
    let loses = (one - two) / (small.failing.count() as f64 * -rate.log2()).max(1.0);
    (covered >= COVERED && loses <= LOST).then_some(Union { condition, loses })
}

/// Returns the indices of the two clusters to join next, and the condition for both.
fn next_join(
    table: &Table,
    clusters: &[(usize, Cluster)],
    conforming: &Bits,
    known: &mut HashMap<(usize, usize), Option<Union>>,
) -> Option<(usize, usize, Condition)> {
    let mut order: Vec<usize> = (0..clusters.len()).collect();
    order.sort_by_key(|&at| (clusters[at].1.failing.count(), at));
    for (rank, &from) in order.iter().enumerate() {
        let mut best: Option<(usize, Union)> = None;
        for &into in &order[rank + 1..] {
            let ((larger, large), (smaller, small)) = (&clusters[into], &clusters[from]);
            let union =
                known.entry((*larger, *smaller)).or_insert_with(|| union(table, large, small, conforming));
            if let Some(union) = union
                && best.as_ref().is_none_or(|(_, best)| union.loses < best.loses)
            {
                best = Some((into, union.clone()));
            }
        }
        if let Some((into, Union { condition, .. })) = best {
            return Some((into, from, condition));
        }
    }
    None
}

/// Moves a few failures without a condition to the cluster whose condition they nearly meet.
fn absorb(table: &Table, clusters: &mut Vec<Cluster>) {
    largest_first(clusters);
    let mut at = clusters.len();
    while at > 1 {
        at -= 1;
        let few = &clusters[at];
        if few.condition.saved > 0.0 || few.failing.count() > TINY {
            continue;
        }
        let missed = |cluster: &Cluster| {
            let missed = |of_call: &&Trait| table.with(**of_call).shared(&few.failing) < few.failing.count();
            cluster.condition.traits.iter().filter(missed).count()
        };
        let nearest = (0..at).min_by_key(|&other| (missed(&clusters[other]), other));
        if let Some(into) = nearest.filter(|&other| missed(&clusters[other]) <= 1) {
            let joined = clusters[into].failing.or(&clusters[at].failing);
            clusters[into].failing = joined;
            clusters.remove(at);
        }
    }
}
