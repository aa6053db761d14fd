//! Backtracking search over clauses, with propagation.
//!
//! The problems are small: a spec has about a dozen questions with two or three readings each. A forged record
//! may pose hard ones, so a search counts the clauses it examines and gives up at a limit. A search that gave
//! up counts as satisfiable: that can hide a contradiction, but never invents one.

use super::clause::{Clause, Mask, Var};

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// This assignment satisfies all clauses: one reading a place.
    Solution(Vec<Mask>),
    /// No assignment satisfies all clauses.
    Nothing,
    /// The limit was reached.
    GaveUp,
}

impl Found {
    /// Returns true if no assignment satisfies all clauses.
    pub(super) fn is_contradiction(&self) -> bool {
        *self == Self::Nothing
    }
}

/// A search with a limit on the clauses it examines.
#[derive(Debug)]
pub(super) struct Search {
    left: usize,
}

impl Search {
    /// Returns a search that may examine so many clauses.
    pub(super) const fn of(steps: usize) -> Self {
        Self { left: steps }
    }

    /// Finds an assignment within `state` that satisfies all clauses.
    pub(super) fn solve(&mut self, clauses: &[&Clause], mut state: Vec<Mask>) -> Found {
        match self.propagate(clauses, &mut state) {
            None => return Found::GaveUp,
            Some(false) => return Found::Nothing,
            Some(true) => {}
        }
        let open = clauses.iter().filter(|clause| !clause.holds(&state));
        let width = |clause: &&&Clause| clause.cubes().iter().filter(|cube| cube.meets(&state)).count();
        let Some(clause) = open.min_by_key(width) else {
            // Any of the remaining readings is fine; take the lowest.
            return Found::Solution(state.into_iter().map(|mask| mask & mask.wrapping_neg()).collect());
        };
        for cube in clause.cubes().iter().filter(|cube| cube.meets(&state)) {
            let mut within = state.clone();
            for &(var, mask) in cube.literals() {
                within[var] &= mask;
            }
            match self.solve(clauses, within) {
                Found::Nothing => {}
                found => return found,
            }
        }
        Found::Nothing
    }

    /// Removes readings that no solution has, as far as single clauses tell. Returns true if each clause can
    /// still be satisfied, or `None` at the limit.
    fn propagate(&mut self, clauses: &[&Clause], state: &mut [Mask]) -> Option<bool> {
        loop {
            let mut changed = false;
            for clause in clauses {
                self.left = self.left.checked_sub(1)?;
                let mut meeting = clause.cubes().iter().filter(|cube| cube.meets(state));
                let Some(first) = meeting.next() else { return Some(false) };
                let mut masks: Vec<(Var, Mask)> = first.literals().to_vec();
                for cube in meeting {
                    masks.retain_mut(|(var, mask)| {
                        let other = cube.literals().iter().find(|(known, _)| known == var);
                        other.is_some_and(|(_, other)| {
                            *mask |= other;
                            true
                        })
                    });
                }
                for (var, mask) in masks {
                    changed |= state[var] & !mask != 0;
                    state[var] &= mask;
                }
            }
            if !changed {
                return Some(true);
            }
        }
    }
}
