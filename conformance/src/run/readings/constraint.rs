//! Collects the statements of a run's answers about readings, each distinct one once.
//!
//! A run makes millions of calls, but its answers make a few hundred statements. Each is kept with its first
//! answers, the count of answers, and the lengths and ranks of their calls.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Call, Choice, Dtype, Question, Spec};

use super::clause::{Clause, Cube, Space};
use super::place::Place;
use crate::judge::verdict::Accepts;

/// The most distinct statements kept. Generated calls make some hundreds. Only a forged record could exceed this, and
/// then the last statements are ignored.
const KEPT: usize = 1 << 14;

/// The most answers of a statement that are kept by name. Statements that contradict the others have few.
const NAMED: usize = 64;

/// The statement of one answer: one of these combinations of readings was taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Constraint {
    pub(super) spec: Spec,
    /// Set if a question about values is among them.
    dtype: Option<Dtype>,
    combinations: Vec<Vec<Choice>>,
}

/// The answers that make a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Support<W> {
    /// The first answer.
    pub(super) first: W,
    /// The first answers, in order.
    pub(super) named: Vec<W>,
    /// The number of answers.
    pub(super) count: usize,
    /// The range of their calls; `None` if not known for all.
    pub(super) reach: Option<Reach>,
}

/// The least and the greatest of some properties of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// The number of elements that go into one output element.
    pub(super) terms: (usize, usize),
    /// The rank of the data.
    pub(super) rank: (usize, usize),
}

/// The statements of a run's answers about readings. `W` names an answer; the least is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers<W>(BTreeMap<Constraint, Support<W>>);

impl<W> Default for Answers<W> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl Constraint {
    /// Returns the statement of an answer to this call; `None` if every combination accepts it.
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

    /// Converts it for the solver; `None` if it leaves everything open.
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
    /// Returns the range of both.
    pub(super) fn and(self, other: Self) -> Self {
        let both = |a: (usize, usize), b: (usize, usize)| (a.0.min(b.0), a.1.max(b.1));
        Self { terms: both(self.terms, other.terms), rank: both(self.rank, other.rank) }
    }
}

impl<W: Ord + Copy> Support<W> {
    /// Adds the answers of another.
    pub(super) fn add(&mut self, other: Self) {
        for answer in other.named {
            let at = self.named.partition_point(|known| *known < answer);
            if at < NAMED {
                self.named.insert(at, answer);
                self.named.truncate(NAMED);
            }
        }
        self.first = self.first.min(other.first);
        self.count += other.count;
        // If the range of one is not known, that of both is not.
        self.reach = self.reach.zip(other.reach).map(|(one, other)| one.and(other));
    }

    /// Returns the support without these answers; `None` if there are no others.
    fn without(mut self, left_out: &BTreeSet<W>) -> Option<Self> {
        let before = self.named.len();
        self.named.retain(|answer| !left_out.contains(answer));
        self.count -= before - self.named.len();
        self.first = *self.named.first()?;
        Some(self)
    }
}

impl<W: Ord + Copy> Answers<W> {
    /// Adds the statement of an answer to a call.
    pub fn add(&mut self, call: &Call, accepts: &Accepts, answer: W) {
        let Some(constraint) = Constraint::of(call, accepts) else { return };
        let (terms, rank) = (accepts.terms(), call.data.rank());
        let reach = terms.map(|terms| Reach { terms: (terms, terms), rank: (rank, rank) });
        self.take(constraint, Support { first: answer, named: vec![answer], count: 1, reach });
    }

    /// Adds the statements of other answers, with new names.
    pub fn add_all<V: Copy>(&mut self, others: &Answers<V>, name: impl Fn(V) -> W) {
        for (constraint, Support { first, named, count, reach }) in &others.0 {
            let named = named.iter().map(|&answer| name(answer)).collect();
            let support = Support { first: name(*first), named, count: *count, reach: *reach };
            self.take(constraint.clone(), support);
        }
    }

    /// Leaves out answers that tell nothing. A statement stays if it has more answers than are kept by name.
    #[must_use]
    pub fn without(self, left_out: &BTreeSet<W>) -> Self {
        let left = |(constraint, support): (Constraint, Support<W>)| {
            let is_known = support.count == support.named.len();
            let left = if is_known { support.without(left_out)? } else { support };
            Some((constraint, left))
        };
        Self(self.0.into_iter().filter_map(left).collect())
    }

    /// Returns answers with the combinations of readings that accept each: the first answers of every statement.
    pub fn accepted(&self) -> impl Iterator<Item = (W, &[Vec<Choice>])> {
        self.0.iter().flat_map(|(constraint, support)| {
            support.named.iter().map(|&answer| (answer, constraint.combinations.as_slice()))
        })
    }

    fn take(&mut self, constraint: Constraint, support: Support<W>) {
        let full = self.0.len() >= KEPT;
        if let Some(known) = self.0.get_mut(&constraint) {
            known.add(support);
        } else if !full {
            self.0.insert(constraint, support);
        }
    }

    /// Returns the statements and their answers, unordered.
    pub(super) fn said(&self) -> impl Iterator<Item = (&Constraint, &Support<W>)> {
        self.0.iter()
    }

    /// Returns the number of distinct statements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no statements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A clause, and the answers that make it.
#[derive(Clone, Debug)]
pub(super) struct Said<W> {
    pub(super) clause: Clause,
    pub(super) support: Support<W>,
}
