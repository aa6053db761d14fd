//! What the answers of a run say of readings, each distinct statement once.
//!
//! A run makes millions of calls, but its answers say a few hundred things. Each is kept with the first answer that
//! says it, how many do, and the lengths and ranks of the calls they are to.

use std::collections::BTreeMap;

use normative_reference::{Call, Choice, Dtype, Question, Spec};

use super::clause::{Clause, Cube, Space};
use super::place::Place;
use crate::judge::verdict::Accepts;

/// Distinct statements that are kept. Calls that are generated make some hundreds; only a record that somebody made
/// up could hold more, and then the last ones are not solved for.
const KEPT: usize = 1 << 14;

/// What one answer says: one of these combinations of readings was taken. Everything that makes up their places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Constraint {
    pub(super) spec: Spec,
    /// Where a question about values is among them.
    dtype: Option<Dtype>,
    combinations: Vec<Vec<Choice>>,
}

/// The answers that say something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Support<W> {
    /// The first.
    pub(super) first: W,
    /// How many.
    pub(super) count: usize,
    /// Which calls they are to.
    pub(super) reach: Option<Reach>,
}

/// What some calls have in common: the least and the greatest of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// Elements that go into one of the output.
    pub(super) terms: (usize, usize),
    /// Axes of the data.
    pub(super) rank: (usize, usize),
}

/// What the answers of a run say of readings. `W` names an answer, the one to be shown first before others.
#[derive(Clone, Debug)]
pub struct Answers<W>(BTreeMap<Constraint, Support<W>>);

impl<W> Default for Answers<W> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl Constraint {
    /// What an answer to this call says; nothing where every combination accepts it.
    pub(super) fn of(call: &Call, accepts: &Accepts) -> Option<Self> {
        let combinations = accepts.combinations().to_vec();
        let mut questions = combinations.iter().flatten().map(|choice| choice.question);
        let dtype = questions.any(Question::concerns_values).then(|| call.data.dtype());
        (!combinations.is_empty()).then(|| Self { spec: call.spec(), dtype, combinations })
    }

    fn place(&self, question: Question) -> Place {
        let dtype = self.dtype.filter(|_| question.concerns_values());
        Place { spec: self.spec, question, dtype }
    }

    /// It, for the solver; `None` where it leaves everything open.
    pub(super) fn clause(&self, space: &mut Space) -> Option<Clause> {
        let mut literal = |choice: &Choice| {
            let readings = choice.question.readings();
            let at = readings.iter().position(|reading| *reading == choice.reading)?;
            Some((space.var(self.place(choice.question)), 1_u8.checked_shl(at as u32)?))
        };
        let cube = |choices: &Vec<Choice>| -> Option<Cube> {
            Cube::of(choices.iter().map(&mut literal).collect::<Option<_>>()?)
        };
        let cubes = self.combinations.iter().filter_map(cube).collect();
        Clause::of(cubes, &space.full)
    }
}

impl Reach {
    /// That of both.
    pub(super) fn and(self, other: Self) -> Self {
        let both = |a: (usize, usize), b: (usize, usize)| (a.0.min(b.0), a.1.max(b.1));
        Self { terms: both(self.terms, other.terms), rank: both(self.rank, other.rank) }
    }
}

impl<W: Ord + Copy> Support<W> {
    /// The answers of both.
    pub(super) fn and(self, other: Self) -> Self {
        // What is not known of some is not known of all.
        let reach = self.reach.zip(other.reach).map(|(one, other)| one.and(other));
        Self { first: self.first.min(other.first), count: self.count + other.count, reach }
    }
}

impl<W: Ord + Copy> Answers<W> {
    /// Adds what an answer to a call says.
    pub fn add(&mut self, call: &Call, accepts: &Accepts, answer: W) {
        let Some(constraint) = Constraint::of(call, accepts) else { return };
        let (terms, rank) = (accepts.terms(), call.data.rank());
        let reach = terms.map(|terms| Reach { terms: (terms, terms), rank: (rank, rank) });
        self.take(constraint, Support { first: answer, count: 1, reach });
    }

    /// Adds what other answers say, each named anew.
    pub fn add_all<V: Copy>(&mut self, others: &Answers<V>, name: impl Fn(V) -> W) {
        for (constraint, &Support { first, count, reach }) in &others.0 {
            self.take(constraint.clone(), Support { first: name(first), count, reach });
        }
    }

    fn take(&mut self, constraint: Constraint, support: Support<W>) {
        let full = self.0.len() >= KEPT;
        if let Some(known) = self.0.get_mut(&constraint) {
            *known = known.and(support);
        } else if !full {
            self.0.insert(constraint, support);
        }
    }

    /// What they say, and who says it, in no order that means anything.
    pub(super) fn said(&self) -> impl Iterator<Item = (&Constraint, &Support<W>)> {
        self.0.iter()
    }

    /// How many distinct things they say.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether they say nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A clause, and the answers that say it.
#[derive(Clone, Debug)]
pub(super) struct Said<W> {
    pub(super) clause: Clause,
    pub(super) support: Support<W>,
}
