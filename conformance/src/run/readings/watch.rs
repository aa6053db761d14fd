//! Checks after every answer if one reading a place still explains all answers, for questions of form alone.
//!
//! Cheap while nothing is wrong: most statements repeat, and the last solution mostly still holds.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Call, Spec};

use super::clause::{Clause, Mask, Space};
use super::constraint::Constraint;
use super::solve::{Found, Search};
use crate::judge::verdict::Accepts;

/// The most clauses that one search examines before it gives up and assumes no contradiction.
const STEPS: usize = 4_000_000;

/// The statements seen so far.
#[derive(Debug, Default)]
pub struct Watch(BTreeMap<Spec, Seen>);

#[derive(Debug, Default)]
struct Seen {
    said: BTreeSet<Constraint>,
    space: Space,
    clauses: Vec<Clause>,
    /// An assignment that satisfies all clauses, unless a search gave up.
    solution: Vec<Mask>,
}

impl Watch {
    /// Adds an answer to a call. Returns true if it contradicts those before; such an answer is not kept.
    pub fn contradicts(&mut self, call: &Call, accepts: &Accepts) -> bool {
        let is_form = |choices: &Vec<normative_reference::Choice>| {
            choices.iter().any(|choice| !choice.question.concerns_values())
        };
        if !accepts.combinations().iter().any(is_form) {
            return false;
        }
        let Some(constraint) = Constraint::of(call, accepts) else { return false };
        self.0.entry(constraint.spec).or_default().contradicts(constraint)
    }
}

impl Seen {
    fn contradicts(&mut self, constraint: Constraint) -> bool {
        if self.said.contains(&constraint) {
            return false;
        }
        let Self { space, clauses, solution, .. } = self;
        let clause = constraint
            .clause(space)
            .and_then(|clause| clause.onto(|var| !space.place(var).question.concerns_values(), &space.full));
        let Some(clause) = clause else {
            self.said.insert(constraint);
            return false;
        };
        // New places start with their first reading.
        solution.extend(space.full[solution.len()..].iter().map(|mask| mask & mask.wrapping_neg()));
        if !clause.holds(solution) {
            let together: Vec<&Clause> = clauses.iter().chain([&clause]).collect();
            match Search::of(STEPS).solve(&together, space.full.clone()) {
                Found::Nothing => return true,
                Found::Solution(found) => *solution = found,
                Found::GaveUp => {}
            }
        }
        clauses.push(clause);
        self.said.insert(constraint);
        false
    }
}
