//! The question of form alone, asked again after every answer: can one reading a place still explain them all?
//!
//! Cheap while nothing is wrong: most answers say what others said, and a solution of those before mostly holds.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Call, Spec};

use super::clause::{Clause, Mask, Space};
use super::constraint::Constraint;
use super::solve::{Found, Search};
use crate::judge::verdict::Accepts;

/// Clauses that one search may look at before it gives up, and takes the answers to go together.
const STEPS: usize = 4_000_000;

/// Answers seen so far.
#[derive(Debug, Default)]
pub struct Watch(BTreeMap<Spec, Seen>);

#[derive(Debug, Default)]
struct Seen {
    said: BTreeSet<Constraint>,
    space: Space,
    clauses: Vec<Clause>,
    /// Satisfies all of them, as far as it goes.
    solution: Vec<Mask>,
}

impl Watch {
    /// Takes an answer to a call; whether it cannot go together with those before. One that cannot is not kept.
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
        // Places that are new are read in any way.
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
