//! Finds a smallest set of contradicting answers.
//!
//! Pairs are tried first, then triples, each in the order of showing. Larger sets are only irreducible: each of
//! their answers is needed.

use super::clause::{Clause, Space, Var};
use super::constraint::Said;
use super::solve::Search;

/// The most clauses examined for one set of answers; beyond it, the set so far is taken.
const STEPS: usize = 8_000_000;

/// Answers that contradict each other; without any one of them, the rest do not.
#[derive(Debug)]
pub(super) struct Core<W> {
    /// The answers, in the order of showing.
    pub(super) answers: Vec<Said<W>>,
}

/// Returns the smallest contradicting set with one of `exceptions` in it. If `explains` is true, the
/// contradiction must vanish once `var` is read anew for every answer.
pub(super) fn smallest<W: Ord + Copy>(
    space: &Space,
    part: &[Said<W>],
    exceptions: &[usize],
    var: Var,
    explains: bool,
) -> Core<W> {
    let mut look = Look { space, part, var, explains, search: Search::of(STEPS) };
    let found = look.pair(exceptions).or_else(|| look.triple(exceptions));
    let found = found.or_else(|| exceptions.first().map(|&exception| look.irreducible(exception)));
    let mut found = found.unwrap_or_default();
    found.sort_by_key(|&at| part[at].support.first);
    Core { answers: found.into_iter().map(|at| part[at].clone()).collect() }
}

struct Look<'a, W> {
    space: &'a Space,
    part: &'a [Said<W>],
    var: Var,
    explains: bool,
    search: Search,
}

impl<W: Copy> Look<'_, W> {
    fn contradict(&mut self, answers: &[usize]) -> bool {
        let clauses: Vec<&Clause> = answers.iter().map(|&at| &self.part[at].clause).collect();
        self.search.solve(&clauses, self.space.full.clone()).is_contradiction()
    }

    /// Returns true if answers contradict each other because of how they read the place in question.
    fn is_core(&mut self, answers: &[usize]) -> bool {
        if !self.contradict(answers) {
            return false;
        }
        let free = |&at: &usize| self.part[at].clause.onto(|var| var != self.var, &self.space.full);
        let freed: Vec<Clause> = answers.iter().filter_map(free).collect();
        let freed: Vec<&Clause> = freed.iter().collect();
        !self.explains || !self.search.solve(&freed, self.space.full.clone()).is_contradiction()
    }

    fn shares(&self, one: usize, other: usize) -> bool {
        let other = &self.part[other].clause;
        self.part[one].clause.vars().any(|var| other.mentions(var))
    }

    fn pair(&mut self, exceptions: &[usize]) -> Option<Vec<usize>> {
        let pairs = exceptions.iter().flat_map(|&one| (0..self.part.len()).map(move |other| [one, other]));
        pairs.into_iter().find(|pair| self.shares(pair[0], pair[1]) && self.is_core(pair)).map(Vec::from)
    }

    fn triple(&mut self, exceptions: &[usize]) -> Option<Vec<usize>> {
        let count = self.part.len();
        for &exception in exceptions {
            let near: Vec<usize> = (0..count).filter(|&at| self.shares(exception, at)).collect();
            for &second in &near {
                // Of three that need each other, one shares places with the two others.
                for third in 0..count {
                    let is_late = third <= second && near.contains(&third);
                    if is_late || !(near.contains(&third) || self.shares(second, third)) {
                        continue;
                    }
                    let triple = [exception, second, third];
                    if self.is_core(&triple) {
                        return Some(triple.to_vec());
                    }
                }
            }
        }
        None
    }

    /// Returns a set of any size.
    fn irreducible(&mut self, exception: usize) -> Vec<usize> {
        irreducible(vec![exception], self.part.len(), &mut |answers| self.contradict(answers))
    }
}

/// Extends `core` until `excludes` is true. Each step adds the last number of the shortest sufficient prefix of
/// `0..count`, found by bisection. Numbers are in the order of adding.
pub(super) fn irreducible(
    mut core: Vec<usize>,
    count: usize,
    excludes: &mut impl FnMut(&[usize]) -> bool,
) -> Vec<usize> {
    let mut left: Vec<usize> = (0..count).collect();
    while !excludes(&core) {
        // Bisection: true for the first `enough` numbers, false for fewer than `fewer`.
        let (mut fewer, mut enough) = (0, left.len());
        while fewer < enough {
            let middle = usize::midpoint(fewer, enough);
            if excludes(&[&core[..], &left[..middle]].concat()) {
                enough = middle;
            } else {
                fewer = middle + 1;
            }
        }
        let Some(last) = enough.checked_sub(1) else { break };
        core.push(left[last]);
        left.truncate(last);
    }
    core
}
