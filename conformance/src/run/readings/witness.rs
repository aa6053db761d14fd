//! The smallest set of answers that cannot go together.
//!
//! Two are looked for first, then three, each time the answers to be shown first before others; sets that are larger
//! are only irreducible: each of their answers is needed.

use super::clause::{Clause, Space, Var};
use super::constraint::Said;
use super::solve::Search;

/// Clauses looked at for a set of three, and for a larger one; then whatever is left over is taken.
const STEPS: usize = 8_000_000;

/// Answers that cannot go together, though all but any one of them can.
#[derive(Debug)]
pub(super) struct Core<W> {
    /// In the order in which they are to be shown.
    pub(super) answers: Vec<Said<W>>,
}

/// The smallest set with one of `exceptions` in it that cannot go together. Where `explains`, the set is one that
/// goes together once `var` may be read anew for every answer.
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

    /// Whether answers cannot go together for how they read the place in question.
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

    /// A set of any size.
    fn irreducible(&mut self, exception: usize) -> Vec<usize> {
        irreducible(vec![exception], self.part.len(), &mut |answers| self.contradict(answers))
    }
}

/// Adds to `core`, of the first `count` numbers, what is needed until `excludes` holds of it: the number without which the
/// smallest numbers that are enough would not be, and so on. In the order of adding.
pub(super) fn irreducible(
    mut core: Vec<usize>,
    count: usize,
    excludes: &mut impl FnMut(&[usize]) -> bool,
) -> Vec<usize> {
    let mut left: Vec<usize> = (0..count).collect();
    while !excludes(&core) {
        // Of so many of the first it holds, of fewer it does not.
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
