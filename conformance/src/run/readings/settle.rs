//! Settles clauses: finds the forced readings, and the places that no single reading explains.
//!
//! Clauses that share no place are settled apart. If clauses contradict each other, the place that explains
//! most of it is read anew for every answer, and the rest is settled again. So one switch is one split, and its
//! effects on other questions are not held against those.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::clause::{Clause, Mask, Space, Var};
use super::constraint::{Reach, Said, Support};
use super::solve::{Found, Search};
use super::witness::{Core, smallest};

/// The most clauses that the search of a component examines before it gives up: at most a second's work.
const STEPS: usize = 8_000_000;

/// The result of settling clauses.
#[derive(Debug)]
pub(super) struct Settled<W> {
    /// The places that every solution reads the same way.
    pub(super) forced: BTreeMap<Var, Mask>,
    /// The places that no single reading explains.
    pub(super) splits: Vec<RawSplit<W>>,
}

/// A place that no single reading explains.
#[derive(Debug)]
pub(super) struct RawSplit<W> {
    pub(super) var: Var,
    /// A minimal set of contradicting answers.
    pub(super) core: Core<W>,
    /// For each of them, the readings that it may take while the others stay. `None` if it may take any reading.
    pub(super) sides: Vec<Option<Side<W>>>,
    /// The number of answers that contradict the others.
    pub(super) exceptions: usize,
    /// The number of other answers.
    pub(super) others: usize,
}

/// One way in which a place is read.
#[derive(Clone, Debug)]
pub(super) struct Side<W> {
    /// The readings.
    pub(super) mask: Mask,
    /// The first answers that read it so, of each statement.
    pub(super) answers: Vec<W>,
    /// The range of the calls; `None` if not known for all.
    pub(super) reach: Option<Reach>,
}

/// Joins equal clauses.
pub(super) fn merged<W: Ord + Copy>(said: impl IntoIterator<Item = Said<W>>) -> Vec<Said<W>> {
    let mut merged: BTreeMap<Clause, Support<W>> = BTreeMap::new();
    for Said { clause, support } in said {
        match merged.get_mut(&clause) {
            Some(known) => known.add(support),
            None => drop(merged.insert(clause, support)),
        }
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

/// Groups clauses that share places. Each part keeps their order.
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

/// Returns the places that every solution reads as this one does.
fn forced(clauses: &[&Clause], solution: &[Mask], space: &Space, search: &mut Search) -> Vec<(Var, Mask)> {
    let mut candidates: BTreeMap<Var, Mask> =
        vars(clauses).into_iter().map(|var| (var, solution[var])).collect();
    let mut forced = Vec::new();
    while let Some((var, reading)) = candidates.pop_first() {
        let mut otherwise = space.full.clone();
        otherwise[var] &= !reading;
        match search.solve(clauses, otherwise) {
            Found::Nothing => forced.push((var, reading)),
            // Places that this solution reads otherwise are not forced either.
            Found::Solution(other) => candidates.retain(|&var, reading| other[var] == *reading),
            Found::GaveUp => {}
        }
    }
    forced
}

/// Finds the place that explains most of the contradictions.
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
    // The default is never taken: an unsatisfiable part has places and exceptions.
    let (count, var, explained) = best.unwrap_or_default();
    let about = if explained.is_empty() { &exceptions } else { &explained };
    let core = smallest(space, part, about, var, !explained.is_empty());
    let others = kept.iter().filter(|&&at| part[at].clause.mentions(var));
    let others = others.map(|&at| part[at].support.count).sum();
    let sides = sides(space, part, &core, var);
    RawSplit { var, core, sides, exceptions: count, others }
}

/// Splits clauses into a consistent set, taken by descending answer count, and those that contradict it.
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

/// Returns the readings of a place that each answer of a core allows, while all other places are read one way.
fn sides<W: Copy>(space: &Space, part: &[Said<W>], core: &Core<W>, var: Var) -> Vec<Option<Side<W>>> {
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
            // Freeing this place alone does not resolve the contradiction.
            mask = said.clause.mask(var, &space.full);
        }
        let says = |said: &&Said<W>| said.clause.mask(var, &space.full) & !mask == 0;
        let so: Vec<&Support<W>> = part.iter().filter(says).map(|said| &said.support).collect();
        let reaches: Option<Vec<Reach>> = so.iter().map(|support| support.reach).collect();
        let reach = reaches.and_then(|reaches| reaches.into_iter().reduce(Reach::and));
        let answers = so.into_iter().flat_map(|support| support.named.iter().copied()).collect();
        (mask != space.full[var]).then_some(Side { mask, answers, reach })
    };
    core.answers.iter().enumerate().map(&mut side).collect()
}
