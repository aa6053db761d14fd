//! Joins clusters of failures that one condition explains nearly as well as two.

use std::collections::HashMap;

use super::cluster::{Cluster, Conforming, largest_first};
use super::learn::{Condition, Table, bits};
use crate::shrink::FailureErrors;

/// The most bits that one condition may lose against two, as a part of those of the smaller's failures.
const LOST: f64 = 0.7;

/// The number of largest clusters among which joins are looked for, because every pair is weighed.
const JOINED: usize = 16;

/// Joins clusters if one condition explains nearly as much of both as their own: the smallest first, with the
/// one that loses least.
pub(super) fn join(table: &Table, clusters: &mut Vec<Cluster>, conforming: &Conforming) {
    largest_first(clusters);
    let small = clusters.split_off(clusters.len().min(JOINED));
    let mut left: Vec<(usize, Cluster)> = std::mem::take(clusters).into_iter().enumerate().collect();
    // The result for a pair is valid until one of them is joined, and then gets a new number.
    let mut known: HashMap<(usize, usize), Option<Union>> = HashMap::new();
    let mut next = left.len();
    while let Some((into, from, condition)) = next_join(table, &left, conforming, &mut known) {
        let failing = left[into].1.failing.or(&left[from].1.failing);
        let Cluster { fault, errors, .. } = left[into].1;
        let errors = if left[from].1.errors == errors { errors } else { FailureErrors::ALL };
        left[into] = (next, Cluster { errors, ..Cluster::of(fault, failing, condition) });
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
fn union(table: &Table, large: &Cluster, small: &Cluster, conforming: &Conforming) -> Option<Union> {
    let conforming = conforming.beside(large.fault);
    let both = large.failing.or(&small.failing);
    let condition = table.for_all(&both, conforming, |_| true);
    if large.fault != small.fault || condition.saved <= 0.0 {
        return None;
    }
    let one = bits(&[&condition], &both, conforming);
    let two = bits(&[&large.condition, &small.condition], &both, conforming);
    let failing = both.count() as f64;
    let rate = failing / (failing + conforming.count() as f64);
    let loses = (one - two) / (small.failing.count() as f64 * -rate.log2()).max(1.0);
    (loses <= LOST).then_some(Union { condition, loses })
}

/// Returns the indices of the two clusters to join next, and the condition for both.
fn next_join(
    table: &Table,
    clusters: &[(usize, Cluster)],
    conforming: &Conforming,
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
