//! Groups failures into defects: calls that fail for one cause are one defect.
//!
//! A maintainer fixes causes, not calls. `learn` finds the [`traits`] that failing calls share and conforming
//! ones lack; that is evidence, not proof. If the backend can be asked more, the smallest failing call of each
//! group is made smaller ([`Small`]). Groups whose calls shrink to the same [`Root`] are one, and a trait that
//! a call fails without is not a condition.
//!
//! Calls that fail in several ways are one defect only if one wrong rule gives all their answers, so a crash never
//! hides among wrong values. Every failure of a defect meets its condition.

mod bits;
pub(crate) mod bound;
mod cluster;
pub(crate) mod computed;
mod grave;
mod join;
mod learn;
pub(crate) mod returned;
mod root;
pub mod rules;
pub mod traits;
pub(crate) mod unwritten;

pub use learn::apart;
pub use root::{Root, Small};

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bits::Bits;
use cluster::{Cluster, Conforming, largest_first};
use grave::{Grave, grave};
use join::join;
use learn::{Condition, Table};
use rules::Likeness;
use traits::Trait;

use crate::judge::fault::Fault;
use crate::shrink::{FailureClass, FailureErrors};

/// The least share of its failures' bits that a condition must save to count as their cause: then nearly all
/// calls that meet it fail. This and the limits below were tuned on every twelfth mutant of the zoo and thirty
/// combinations; the zoo's test of planted mistakes uses others.
const SAYS: f64 = 0.7;

/// If so many times more calls fail in one way than conform that could have failed so, nearly every call fails: the
/// few that conform say nothing of causes.
const NEARLY_EVERY: usize = 9;

/// The part of a class that a weaker condition must hold of to set the rest apart from it.
const NEARLY_ALL: f64 = 0.8;

/// The most conditions looked for among the failures of one class: longer lists would not be read.
const CONDITIONS: usize = 8;

/// The part of a cluster's failures that rules must explain together to split it.
const WHOLE: f64 = 0.9;

/// A rule must be the first to explain at least this part of what it explains, as a divisor.
const OWN: usize = 4;

/// A call and its outcome, for grouping.
#[derive(Clone, Debug)]
pub struct Example {
    /// The traits of the call.
    pub traits: Vec<Trait>,
    /// The class of its failure; `None` if it conforms.
    pub class: Option<FailureClass>,
    /// The [relative error](crate::shrink::error) of a wrong float, as a power of two.
    pub error: Option<f64>,
}

/// Failures that have one cause, as far as the calls of the run show.
#[derive(Clone, Debug)]
pub struct Group {
    /// Their condition; empty if none was found.
    pub condition: Vec<Trait>,
    /// The range of their errors.
    pub errors: FailureErrors,
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
    conforming: Conforming,
    clusters: Vec<Cluster>,
}

/// Groups the failures among calls.
pub fn groups(examples: &[Example], likenesses: &[Likeness]) -> Grouping {
    let table = Table::of(examples.iter().map(|one| one.traits.as_slice()));
    let conforming = Bits::of(table.length(), |at| examples[at].class.is_none());
    let invalid = conforming.and(&table.with(traits::INVALID));
    // Of calls that may be refused for their values, the conforming ones may have been refused too.
    let valid = conforming.and(&table.with(traits::VALID)).without(&table.with(traits::REFUSABLE));
    let conforming = Conforming { others: conforming.without(&invalid), valid, invalid };
    let mut faults: BTreeMap<Fault, Bits> = BTreeMap::new();
    for (at, class) in examples.iter().enumerate().filter_map(|(at, one)| Some((at, one.class?))) {
        faults.entry(class.fault).or_insert_with(|| Bits::none(table.length())).add(at);
    }
    let classes: BTreeSet<FailureClass> = examples.iter().filter_map(|one| one.class).collect();
    let (mut clusters, mut apart) = (Vec::new(), Vec::new());
    for (&fault, failing) in &faults {
        let others = conforming.beside(fault);
        if others.count() * NEARLY_EVERY <= failing.count() {
            let condition = table.for_all(failing, others, |_| true);
            clusters.push(Cluster::of(fault, failing.clone(), condition));
            continue;
        }
        for &class in classes.iter().filter(|class| class.fault == fault) {
            let failing = Bits::of(table.length(), |at| examples[at].class == Some(class));
            let Some(Grave { failing: gravely, condition, from }) =
                grave(&table, &failing, others, |at| examples[at].error)
            else {
                clusters.extend(of_class(&table, fault, failing, others));
                continue;
            };
            let mildly = of_class(&table, fault, failing.without(&gravely), others);
            let mild = FailureErrors { below: from, ..FailureErrors::ALL };
            clusters.extend(mildly.into_iter().map(|cluster| Cluster { errors: mild, ..cluster }));
            let errors = FailureErrors { least: from, ..FailureErrors::ALL };
            apart.push(Cluster { errors, ..Cluster::of(fault, gravely, condition) });
        }
    }
    join(&table, &mut clusters, &conforming);
    clusters.extend(apart);
    let (told, similar) = by_rules(&table, likenesses, &faults, &conforming);
    let mut clusters = ruled(&table, &clusters, told, &similar, &conforming);
    largest_first(&mut clusters);
    clusters.iter_mut().enumerate().for_each(|(at, cluster)| cluster.parts = vec![at]);
    Grouping { table, conforming, clusters }
}

impl Grouping {
    /// Returns the failures of each group, by their indices, and the range of their errors; the largest group first.
    pub fn examples(&self) -> impl Iterator<Item = (Vec<usize>, FailureErrors)> + '_ {
        self.clusters.iter().map(|cluster| (cluster.failing.places().collect(), cluster.errors))
    }

    /// Returns the wrong rule that explains a group, by its index.
    pub fn rule(&self, at: usize) -> Option<&'static str> {
        self.clusters.get(at)?.rule
    }

    /// Makes a failure of a group, by its index, a group of its own. The others are the last group then.
    #[must_use]
    pub fn parted(mut self, at: usize, failure: usize) -> Self {
        let last = self.clusters.len();
        if let Some(cluster) = self.clusters.get_mut(at) {
            let rest = Cluster { parts: vec![last], ..cluster.clone() };
            cluster.failing = Bits::of(self.table.length(), |place| place == failure);
            let failing = rest.failing.without(&cluster.failing);
            self.clusters.push(Cluster { failing, ..rest });
        }
        self
    }

    /// Returns true if neither a condition nor a rule explains a group, by its index.
    pub fn is_unexplained(&self, at: usize) -> bool {
        let explained = |cluster: &Cluster| cluster.rule.is_some() || !cluster.condition.traits.is_empty();
        !self.clusters.get(at).is_some_and(explained)
    }

    /// Takes their rules from the groups for which `is_false` holds, by their indices.
    #[must_use]
    pub fn unruled(mut self, is_false: impl Fn(usize, &str) -> bool) -> Self {
        for (at, cluster) in self.clusters.iter_mut().enumerate() {
            cluster.rule = cluster.rule.filter(|rule| !is_false(at, rule));
        }
        self
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
                let (one, other) = (into.rule, cluster.rule);
                into.errors == cluster.errors
                    && root(into).is_some_and(is_like)
                    && into.fault == cluster.fault
                    && (one.is_none() || other.is_none())
            };
            let Some(into) = kept.iter_mut().find(fits) else {
                kept.push(cluster);
                continue;
            };
            let ruled = [&*into, &cluster].into_iter().find(|part| part.rule.is_some());
            let ruled = ruled.map(|part| (part.rule, part.failing.count()));
            into.failing = into.failing.or(&cluster.failing);
            into.parts.extend(cluster.parts);
            // A rule that explains a part alone is at most half of the truth.
            let is_whole = |count: usize| count as f64 >= WHOLE * into.failing.count() as f64;
            into.rule = ruled.filter(|&(_, count)| is_whole(count)).and_then(|(rule, _)| rule);
            let conforming = self.conforming.beside(into.fault);
            into.condition = self.table.for_all(&into.failing, conforming, |_| true);
        }
        for Cluster { fault, failing, condition, parts, .. } in &mut kept {
            let smalls: Vec<&Small> = parts.iter().filter_map(|&at| small.get(at)?.as_ref()).collect();
            let holds = |of_call: &Trait| smalls.iter().all(|small| small.traits.contains(of_call));
            if !condition.traits.iter().all(holds) {
                *condition = self.table.for_all(failing, self.conforming.beside(*fault), holds);
            }
        }
        largest_first(&mut kept);
        Self { clusters: kept, ..self }
    }

    /// Adds the wrong rule that is likest to each group that no rule explains. Groups of one such rule are joined, also if
    /// it makes calls fail in several ways. `likest` takes the failures, the conforming calls that meet their condition,
    /// and the rules named so far. A failure that meets the condition of another group as well, and whose answer the rule
    /// does not give (`gives`), is of that group.
    #[must_use]
    pub fn likened(
        self,
        likest: impl Fn(&[usize], &[usize], &[&'static str]) -> Option<&'static str>,
        gives: impl Fn(usize, &'static str) -> bool,
    ) -> Self {
        let Self { table, conforming, clusters } = self;
        let mut left: VecDeque<Cluster> = clusters.into();
        let mut kept: Vec<Cluster> = Vec::new();
        while let Some(mut cluster) = left.pop_front() {
            if cluster.rule.is_none() {
                let beside = kept.iter().chain(&left).filter(|other| other.sets_apart(cluster.fault));
                let elsewhere =
                    beside.fold(Bits::none(table.length()), |all, other| all.or(&other.condition.calls));
                let own = cluster.failing.without(&elsewhere);
                let is_most = 2 * own.count() >= cluster.failing.count();
                let failures: Vec<usize> = if is_most { &own } else { &cluster.failing }.places().collect();
                let so: Vec<usize> =
                    cluster.condition.calls.and(conforming.beside(cluster.fault)).places().collect();
                let named: Vec<&str> = kept.iter().filter_map(|known| known.rule.or(known.like)).collect();
                cluster.like = likest(&failures, &so, &named);
                if let Some(rule) = cluster.like.filter(|_| is_most) {
                    let others = kept.iter_mut().chain(&mut left);
                    for other in others.filter(|other| other.sets_apart(cluster.fault)) {
                        let shared = cluster.failing.and(&other.condition.calls);
                        let mut strays = Bits::none(table.length());
                        shared.places().filter(|&at| !gives(at, rule)).for_each(|at| strays.add(at));
                        other.failing = other.failing.or(&strays);
                        cluster.failing = cluster.failing.without(&strays);
                    }
                }
            }
            // Mild and grave errors of one rule are one cause.
            let is_same =
                |known: &&mut Cluster| cluster.like.is_some() && known.rule.or(known.like) == cluster.like;
            match kept.iter_mut().find(is_same) {
                Some(into) => {
                    into.errors =
                        if into.errors == cluster.errors { into.errors } else { FailureErrors::ALL };
                    into.failing = into.failing.or(&cluster.failing);
                    into.parts.extend(cluster.parts);
                    into.condition = table.for_all(&into.failing, conforming.beside(into.fault), |_| true);
                }
                None => kept.push(cluster),
            }
        }
        largest_first(&mut kept);
        Self { table, conforming, clusters: kept }
    }

    /// Learns a condition anew if a further call that fails does not meet it. `further` takes the parts of a group, by
    /// their earlier indices, and returns the traits of such calls.
    #[must_use]
    pub fn refuted(mut self, further: impl Fn(&[usize]) -> Vec<Vec<Trait>>) -> Self {
        for Cluster { fault, failing, condition, parts, .. } in &mut self.clusters {
            let further = further(parts);
            let holds = |of_call: &Trait| further.iter().all(|traits| traits.contains(of_call));
            if !condition.traits.iter().all(holds) {
                *condition = self.table.for_all(failing, self.conforming.beside(*fault), holds);
            }
        }
        self
    }

    /// Returns the groups, the largest first.
    pub fn groups(self) -> Vec<Group> {
        let group = |cluster: Cluster| Group {
            failures: cluster.failing.places().collect(),
            parts: cluster.parts,
            conforming: cluster.condition.calls.and(self.conforming.beside(cluster.fault)).places().collect(),
            rule: cluster.rule,
            like: cluster.like,
            errors: cluster.errors,
            condition: cluster.condition.traits,
        };
        self.clusters.into_iter().map(group).collect()
    }
}

/// Clusters failures by the wrong rule with the same answers, greedily: the most explaining rule first. Returns the failures
/// that only resemble its own as well.
fn by_rules(
    table: &Table,
    likenesses: &[Likeness],
    faults: &BTreeMap<Fault, Bits>,
    conforming: &Conforming,
) -> (Vec<Cluster>, Bits) {
    let set = |places: &[usize]| {
        let mut set = Bits::none(table.length());
        for &at in places {
            set.add(at);
        }
        set
    };
    let sets: Vec<[Bits; 2]> =
        likenesses.iter().map(|like| [&like.same, &like.similar].map(|places| set(places))).collect();
    let size = |at: usize| likenesses[at].same.len() + likenesses[at].similar.len();
    let mut left = faults.values().fold(Bits::none(table.length()), |all, calls| all.or(calls));
    let mut told: Vec<(usize, Bits)> = Vec::new();
    loop {
        let explained = |at: &usize| sets[*at][0].shared(&left);
        let best = (0..sets.len()).max_by_key(|at| (explained(at), Reverse(size(*at)), Reverse(*at)));
        // If others explain nearly all that a rule explains, the rest is no evidence for it.
        let is_evidence =
            |best: &usize| explained(best) > 0 && explained(best) * OWN >= likenesses[*best].same.len();
        let Some(best) = best.filter(is_evidence) else { break };
        let failing = sets[best][0].and(&left);
        left = left.without(&failing);
        told.push((best, failing));
    }
    let mut resembling = Bits::none(table.length());
    let cluster = |(rule, mut failing): (usize, Bits)| {
        // Calls on which the rule fails in the same way, with another answer, are its own where no rule gives theirs.
        let similar = sets[rule][1].and(&left);
        left = left.without(&similar);
        failing = failing.or(&similar);
        resembling = resembling.or(&sets[rule][1].and(&failing));
        let (&fault, _) = faults.iter().max_by_key(|(_, calls)| failing.shared(calls))?;
        let condition = table.for_all(&failing, conforming.beside(fault), |_| true);
        let rule = Some(likenesses[rule].sentence);
        Some(Cluster { rule, ..Cluster::of(fault, failing, condition) })
    };
    (told.into_iter().filter_map(cluster).collect(), resembling)
}

/// Splits and joins clusters by rules that explain a cluster nearly whole. A rule that explains only a part may
/// be only half of the truth if no rule explains the rest, so it splits nothing.
fn ruled(
    table: &Table,
    clusters: &[Cluster],
    mut told: Vec<Cluster>,
    similar: &Bits,
    conforming: &Conforming,
) -> Vec<Cluster> {
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
    // A failure that only resembles those of a rule is of the condition that it meets.
    let is_set_apart = |cluster: &&Cluster| cluster.condition.share >= SAYS;
    let held: Vec<Cluster> = left.iter().filter(is_set_apart).cloned().collect();
    let held = all(&held).and(similar);
    for rule in &mut told {
        rule.failing = rule.failing.without(&held);
    }
    told.retain(|rule| rule.failing.count() > 0);
    // The few failures that no rule explains have causes of their own: what all of a cluster had in common says nothing,
    // and what sets them apart from the others as well does.
    left.extend(explained);
    let of_rules = all(&told);
    let rest = |cluster: Cluster| {
        let Cluster { fault, errors, .. } = cluster;
        let failing = cluster.failing.without(&of_rules);
        if failing.count() == cluster.failing.count() {
            return vec![cluster];
        }
        let rest = of_class(table, fault, failing, &conforming.beside(fault).or(&of_rules)).into_iter();
        rest.map(|cluster| Cluster { errors, ..cluster }).collect()
    };
    left.into_iter().flat_map(rest).chain(told).collect()
}

/// Clusters the failures of one class by conditions. The rest forms one cluster.
fn of_class(table: &Table, fault: Fault, failing: Bits, conforming: &Bits) -> Vec<Cluster> {
    let mut left = failing;
    let mut clusters: Vec<Cluster> = Vec::new();
    while left.count() > 0 && clusters.len() < CONDITIONS {
        let says = |best: &Condition| {
            best.share >= SAYS || best.calls.shared(&left) as f64 >= NEARLY_ALL * left.count() as f64
        };
        let Some(best) = table.best(&left, conforming).filter(says) else { break };
        let failing = best.calls.and(&left);
        left = left.without(&best.calls);
        clusters.push(Cluster::of(fault, failing, best));
    }
    if left.count() > 0 {
        let condition = table.for_all(&left, conforming, |_| true);
        clusters.push(Cluster::of(fault, left, condition));
    }
    clusters
}
