//! Finds the readings that explain all answers of a run, and answers that contradict each other.
//!
//! An answer says that one of some combinations of readings was taken: those that accept it. All answers
//! together are constraints over [places](Place), and a profile is the common part of all solutions.
//!
//! - Questions about the *form* of a call have one reading per spec. If no assignment explains all answers, the
//!   backend is inconsistent in some place. That is a failure.
//! - Questions about *values* have at most one reading per spec and element type. No text requires one
//!   computation everywhere, so a backend may honestly choose for every call. If no assignment explains all
//!   answers, the place is mixed. That is never a failure.
//!
//! Form is settled first, with the readings of values left free for every answer; then values, with the form that was
//! forced. `solve` is the solver and `settle` poses its problems; nothing here knows the layout of a report.

mod clause;
mod constraint;
mod forcing;
mod place;
mod settle;
mod solve;
mod witness;

use std::collections::BTreeMap;

use normative_reference::{Question, Reading};

use clause::{Clause, Mask, Space, Var};
use constraint::Reach;
use constraint::Said;
use settle::{RawSplit, Settled, Side, settle};

pub use constraint::Answers;
pub use forcing::Forcing;
pub use place::Place;

/// The readings of a run by place. Places that the answers leave open are left out.
pub type ReadingProfile<W> = BTreeMap<Place, Row<W>>;

/// The reading of a question in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row<W> {
    /// Forced: no other reading explains the answers.
    Forced(Reading),
    /// Split: no single reading explains the answers.
    Split(Split<W>),
}

/// A place that no single reading explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<W> {
    /// A minimal set of contradicting answers. Sets of two or three are smallest; from larger ones no answer
    /// can be removed.
    pub witness: Vec<Statement<W>>,
    /// The number of answers that contradict the others.
    pub exceptions: usize,
    /// The number of other answers that concern the place.
    pub others: usize,
}

/// An answer of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement<W> {
    /// The first answer that makes the statement.
    pub answer: W,
    /// The number of answers that make it.
    pub count: usize,
    /// The statement, limited to what other answers of the witness contradict.
    pub says: String,
    /// The readings that it allows while the others of the witness stand; empty if it allows all.
    pub reads: Vec<Reading>,
    /// The first answers that read the place so.
    pub so: Vec<W>,
    /// The range of their calls if it sets them apart from the others, such as `terms: 1 to 8`.
    pub at: Option<String>,
}

impl<W> Row<W> {
    /// Returns every reading taken.
    pub fn readings(&self) -> Vec<Reading> {
        match self {
            Self::Forced(reading) => vec![*reading],
            Self::Split(split) => {
                let mut readings: Vec<Reading> =
                    split.witness.iter().flat_map(|answer| answer.reads.iter().copied()).collect();
                readings.sort_unstable();
                readings.dedup();
                readings
            }
        }
    }

    /// Returns the contradiction if it is a failure: a question about the form of a call has one reading.
    pub fn inconsistent(&self, place: &Place) -> Option<&Split<W>> {
        self.split().filter(|_| !place.question.concerns_values())
    }

    /// Returns the contradiction if it is allowed: a question about values.
    pub fn mixed(&self, place: &Place) -> Option<&Split<W>> {
        self.split().filter(|_| place.question.concerns_values())
    }

    const fn split(&self) -> Option<&Split<W>> {
        match self {
            Self::Forced(_) => None,
            Self::Split(split) => Some(split),
        }
    }
}

impl<W: Ord + Copy> Answers<W> {
    /// Solves for the readings of all places.
    pub fn profile(&self) -> ReadingProfile<W> {
        let Stages { space, form, values } = self.stages();
        let mut profile = ReadingProfile::new();
        for (_, Settled { forced, splits }) in [form, values] {
            for (var, mask) in forced {
                let readings = readings(space.place(var).question, mask);
                profile.extend(readings.first().map(|&reading| (space.place(var), Row::Forced(reading))));
            }
            for split in splits {
                profile.insert(space.place(split.var), Row::Split(shown(&space, &split)));
            }
        }
        profile
    }

    /// Settles form first, then values with the form that was forced.
    fn stages(&self) -> Stages<W> {
        let mut space = Space::default();
        let said: Vec<Said<W>> = self
            .said()
            .filter_map(|(constraint, support)| {
                Some(Said { clause: constraint.clause(&mut space)?, support: support.clone() })
            })
            .collect();
        let is_value = |var: Var| space.place(var).question.concerns_values();
        let of_form = said.iter().filter_map(|Said { clause, support }| {
            Some(Said { clause: clause.onto(|var| !is_value(var), &space.full)?, support: support.clone() })
        });
        let of_form: Vec<Said<W>> = of_form.collect();
        let form = settle(&space, of_form.clone());
        let mut state = space.full.clone();
        for (&var, &reading) in &form.forced {
            state[var] = reading;
        }
        let of_values = said.iter().filter_map(|Said { clause, support }| {
            let clause = clause.within(&state, &space.full)?.onto(is_value, &space.full)?;
            Some(Said { clause, support: support.clone() })
        });
        let of_values: Vec<Said<W>> = of_values.collect();
        let values = settle(&space, of_values.clone());
        Stages { space, form: (of_form, form), values: (of_values, values) }
    }
}

/// The two steps of the solution: for each, the statements and the result.
struct Stages<W> {
    space: Space,
    form: (Vec<Said<W>>, Settled<W>),
    values: (Vec<Said<W>>, Settled<W>),
}

fn readings(question: Question, mask: Mask) -> Vec<Reading> {
    let all = question.readings().iter().enumerate();
    all.filter(|(at, _)| mask.checked_shr(*at as u32).unwrap_or(0) & 1 != 0)
        .map(|(_, &reading)| reading)
        .collect()
}

fn shown<W: Copy>(space: &Space, split: &RawSplit<W>) -> Split<W> {
    let answers = &split.core.answers;
    let question = space.place(split.var).question;
    let at = apart(&split.sides);
    let statement = |(number, said): (usize, &Said<W>)| {
        let elsewhere = |var: Var| {
            let mut others = answers.iter().enumerate().filter(|(other, _)| *other != number);
            others.any(|(_, other)| other.clause.mentions(var))
        };
        // A place that no other answer mentions cannot contradict.
        let clause = said.clause.onto(elsewhere, &space.full);
        let says = in_words(space, clause.as_ref().unwrap_or(&said.clause), split.var);
        let side = split.sides.get(number).and_then(Option::as_ref);
        let reads = side.map_or_else(Vec::new, |side| readings(question, side.mask));
        let so = side.map_or_else(Vec::new, |side| side.answers.clone());
        let at = at.get(number).cloned();
        Statement { answer: said.support.first, count: said.support.count, says, reads, so, at }
    };
    let witness = answers.iter().enumerate().map(statement).collect();
    Split { witness, exceptions: split.exceptions, others: split.others }
}

/// Writes a clause as text: readings alone if it concerns the place `about`.
fn in_words(space: &Space, clause: &Clause, about: Var) -> String {
    let names = |var: Var, mask: Mask| {
        let readings = readings(space.place(var).question, mask);
        readings.iter().map(|reading| reading.name()).collect::<Vec<_>>().join(" or ")
    };
    let cubes = clause.cubes().iter().map(|cube| match cube.literals() {
        [(var, mask)] if *var == about => names(*var, *mask),
        literals => {
            let literal =
                |&(var, mask): &(Var, Mask)| format!("{}={}", space.place(var).question, names(var, mask));
            literals.iter().map(literal).collect::<Vec<_>>().join(" with ")
        }
    });
    cubes.collect::<Vec<_>>().join(", or ")
}

/// The fewest answers whose range tells more than chance.
const FEWEST: usize = 3;

/// Returns the range of terms or ranks of each side, if these ranges do not overlap.
fn apart<W>(sides: &[Option<Side<W>>]) -> Vec<String> {
    let reach = |side: &Side<W>| side.reach.filter(|_| side.answers.len() >= FEWEST);
    let reaches: Option<Vec<Reach>> = sides.iter().map(|side| reach(side.as_ref()?)).collect();
    let reaches = reaches.unwrap_or_default();
    let by = |(one, several): (&str, &str), of: fn(&Reach) -> (usize, usize)| {
        let ranges: Vec<(usize, usize)> = reaches.iter().map(of).collect();
        let mut sorted = ranges.clone();
        sorted.sort_unstable();
        let text = |&(least, most): &(usize, usize)| {
            if least == most { format!("{one} {least}") } else { format!("{several} {least} to {most}") }
        };
        let is_apart = ranges.len() > 1 && sorted.windows(2).all(|pair| pair[0].1 < pair[1].0);
        is_apart.then(|| ranges.iter().map(text).collect())
    };
    let apart = by(("terms:", "terms:"), |reach| reach.terms);
    apart.or_else(|| by(("rank", "ranks"), |reach| reach.rank)).unwrap_or_default()
}
