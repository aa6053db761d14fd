//! What some clauses come to: the readings that are forced, and the places where one reading does not explain all.
//!
//! Clauses that share no place are settled apart. Where clauses contradict each other, one place is found that
//! explains most of it, read anew for every answer from then on, and the rest is settled again. So one switch is one
//! split, and what it makes of other questions is not held against them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::clause::{Clause, Mask, Space, Var};
use super::constraint::{Reach, Said, Support};
use super::solve::{Found, Search};
use super::witness::{Core, smallest};

/// Clauses that a component's search may look at before it gives up: a second's work at most.
const STEPS: usize = 8_000_000;

/// What clauses come to.
#[derive(Debug)]
pub(super) struct Settled<W> {
    /// The places that every solution reads the same way.
    pub(super) forced: BTreeMap<Var, Mask>,
    /// The places where one reading does not explain the answers.
    pub(super) splits: Vec<RawSplit<W>>,
}

/// A place where one reading does not explain the answers.
#[derive(Debug)]
pub(super) struct RawSplit<W> {
    pub(super) var: Var,
    /// A smallest set of answers that cannot go together.
    pub(super) core: Core<W>,
    /// Of each of them, the readings it may take where the others are as they are, and what the calls that are read
    /// so have in common; nothing where it may take any.
    pub(super) sides: Vec<Option<(Mask, Option<Reach>)>>,
    /// How many answers do not fit in with the others.
    pub(super) exceptions: usize,
    /// How many others there are.
    pub(super) others: usize,
}

/// Joins clauses that say the same.
pub(super) fn merged<W: Ord + Copy>(said: impl IntoIterator<Item = Said<W>>) -> Vec<Said<W>> {
    let mut merged: BTreeMap<Clause, Support<W>> = BTreeMap::new();
    for Said { clause, support } in said {
        merged.entry(clause).and_modify(|known| *known = known.and(support)).or_insert(support);
    }
    let mut said: Vec<Said<W>> =
        merged.into_iter().map(|(clause, support)| Said { clause, support }).collect();
    said.sort_by_key(|said| said.support.first);
    said
}

/// Settles clauses.
pub(super) fn settle<W: Ord + Copy>(space: &Space, said: Vec<Said<W>>) -> Settled<W> {
    let mut settled = Settled { forced: BTreeMap::new(), splits: Vec::new() };
    let mut parts = components(merged(said), space.full.len());
    while let Some(part) = parts.pop() {
        let mut search = Search::of(STEPS);
        let clauses: Vec<&Clause> = part.iter().map(|said| &said.clause).collect();
        match search.solve(&clauses, space.full.clone()) {
            Found::Solution(solution) => {
                settled.forced.extend(forced(&clauses, &solution, space, &mut search));
            }
            Found::GaveUp => {}
            Found::Nothing => {
                let split = split(space, &part, &mut search);
                let freed = part.into_iter().filter_map(|Said { clause, support }| {
                    let clause = clause.onto(|var| var != split.var, &space.full)?;
                    Some(Said { clause, support })
                });
                parts.extend(components(merged(freed), space.full.len()));
                settled.splits.push(split);
            }
        }
    }
    settled
}

/// Clauses that share places, together. Each part keeps their order.
pub(super) fn components<W>(said: Vec<Said<W>>, vars: usize) -> Vec<Vec<Said<W>>> {
    fn root(parents: &[Var], mut var: Var) -> Var {
        while parents[var] != var {
            var = parents[var];
        }
        var
    }
    let mut parents: Vec<Var> = (0..vars).collect();
    for one in &said {
        let mut vars = one.clause.vars();
        let Some(first) = vars.next() else { continue };
        for var in vars {
            let (one, other) = (root(&parents, first), root(&parents, var));
            parents[one.max(other)] = one.min(other);
        }
    }
    let mut parts: BTreeMap<Var, Vec<Said<W>>> = BTreeMap::new();
    for one in said {
        let Some(var) = one.clause.vars().next() else { continue };
        parts.entry(root(&parents, var)).or_default().push(one);
    }
    parts.into_values().collect()
}

fn vars(clauses: &[&Clause]) -> BTreeSet<Var> {
    clauses.iter().flat_map(|clause| clause.vars()).collect()
}

/// The places that every solution reads as this one does.
fn forced(clauses: &[&Clause], solution: &[Mask], space: &Space, search: &mut Search) -> Vec<(Var, Mask)> {
    let mut candidates: BTreeMap<Var, Mask> =
        vars(clauses).into_iter().map(|var| (var, solution[var])).collect();
    let mut forced = Vec::new();
    while let Some((var, reading)) = candidates.pop_first() {
        let mut otherwise = space.full.clone();
        otherwise[var] &= !reading;
        match search.solve(clauses, otherwise) {
            Found::Nothing => forced.push((var, reading)),
            // Whatever this solution reads otherwise is not forced either.
            Found::Solution(other) => candidates.retain(|&var, reading| other[var] == *reading),
            Found::GaveUp => {}
        }
    }
    forced
}

/// The place that explains most of what does not go together.
fn split<W: Ord + Copy>(space: &Space, part: &[Said<W>], search: &mut Search) -> RawSplit<W> {
    let (kept, exceptions) = kept(space, part, search);
    let clauses: Vec<&Clause> = part.iter().map(|said| &said.clause).collect();
    let mut best: Option<(usize, Var, Vec<usize>)> = None;
    for var in vars(&clauses) {
        let free = |&at: &usize| part[at].clause.onto(|other| other != var, &space.full);
        let freed: Vec<Clause> = kept.iter().filter_map(free).collect();
        let explains = |&at: &usize| {
            let own = free(&at);
            let together: Vec<&Clause> = freed.iter().chain(&own).collect();
            own.is_none() || !search.solve(&together, space.full.clone()).is_contradiction()
        };
        let explained: Vec<usize> = exceptions.iter().copied().filter(explains).collect();
        let count = explained.iter().map(|&at| part[at].support.count).sum();
        if best.as_ref().is_none_or(|(most, ..)| count > *most) {
            best = Some((count, var, explained));
        }
    }
    // A part that cannot be satisfied has places and exceptions.
    let (count, var, explained) = best.unwrap_or_default();
    let about = if explained.is_empty() { &exceptions } else { &explained };
    let core = smallest(space, part, about, var, !explained.is_empty());
    let others = kept.iter().filter(|&&at| part[at].clause.mentions(var));
    let others = others.map(|&at| part[at].support.count).sum();
    let sides = sides(space, part, &core, var);
    RawSplit { var, core, sides, exceptions: count, others }
}

/// Which clauses go together, those that most answers say first, and which do not go with them.
fn kept<W: Ord + Copy>(space: &Space, part: &[Said<W>], search: &mut Search) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..part.len()).collect();
    order.sort_by_key(|&at| (Reverse(part[at].support.count), part[at].support.first));
    let (mut kept, mut exceptions): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut solution: Option<Vec<Mask>> = None;
    for at in order {
        let clause = &part[at].clause;
        if !solution.as_ref().is_some_and(|solution| clause.holds(solution)) {
            let together: Vec<&Clause> = kept.iter().map(|&at| &part[at].clause).chain([clause]).collect();
            match search.solve(&together, space.full.clone()) {
                Found::Solution(found) => solution = Some(found),
                Found::GaveUp => solution = None,
                Found::Nothing => {
                    exceptions.push(at);
                    continue;
                }
            }
        }
        kept.push(at);
    }
    exceptions.sort_unstable();
    (kept, exceptions)
}

/// How the answers of a core read a place, each by itself, where all other places are read one way.
fn sides<W: Copy>(
    space: &Space,
    part: &[Said<W>],
    core: &Core<W>,
    var: Var,
) -> Vec<Option<(Mask, Option<Reach>)>> {
    let mut full = space.full.clone();
    let first = full.len();
    full.extend(core.answers.iter().map(|_| space.full[var]));
    let apart: Vec<Clause> =
        core.answers.iter().enumerate().map(|(at, said)| said.clause.renamed(var, first + at)).collect();
    let apart: Vec<&Clause> = apart.iter().collect();
    let mut search = Search::of(STEPS);
    let mut side = |(at, said): (usize, &Said<W>)| {
        let possible = |bit: &u32| {
            let mut state = full.clone();
            state[first + at] &= 1 << bit;
            state[first + at] != 0 && !search.solve(&apart, state).is_contradiction()
        };
        let mut mask = (0..Mask::BITS).filter(possible).fold(0, |mask, bit| mask | 1 << bit);
        if mask == 0 {
            // This place alone does not explain it.
            mask = said.clause.mask(var, &space.full);
        }
        let says = |said: &&Said<W>| said.clause.mask(var, &space.full) & !mask == 0;
        let reaches: Option<Vec<Reach>> = part.iter().filter(says).map(|said| said.support.reach).collect();
        let reach = reaches.and_then(|reaches| reaches.into_iter().reduce(Reach::and));
        (mask != space.full[var]).then_some((mask, reach))
    };
    core.answers.iter().enumerate().map(&mut side).collect()
}
