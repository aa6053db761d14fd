//! The task of a call, and an implementation's readings of open questions.

use std::borrow::Cow;

use normative_conformance::reference::{Choice, Dtype, Norm, Question, Reading, Spec};

/// The result of a step, or the text of the refusal.
pub type StepResult<T> = Result<T, String>;

/// An implementation's readings; an unlisted question takes its first reading.
#[derive(Clone, Debug, Default)]
pub struct Readings(pub Vec<Choice>);

impl Readings {
    /// Returns its reading of `question`.
    pub fn of(&self, question: Question) -> Reading {
        let chosen = self.0.iter().find(|choice| choice.question == question);
        chosen.map_or(question.readings()[0], |choice| choice.reading)
    }

    /// Returns the questions about values of a type that it does not read the first way.
    pub fn otherwise(&self, dtype: Dtype) -> impl Iterator<Item = Question> {
        let otherwise = self.0.iter().filter(|choice| choice.reading != choice.question.readings()[0]);
        otherwise.map(|choice| choice.question).filter(move |question| {
            question.concerns_values() && question.is_of_integers() == dtype.is_integer()
        })
    }

    /// Returns the readings that apply to this plan: BLAS demands squares in range.
    pub fn of_plan(&self, plan: &Plan) -> Cow<'_, Self> {
        if !matches!(plan.spec, Spec::Blas(_)) {
            return Cow::Borrowed(self);
        }
        let settled = |choice: &&Choice| choice.question != Question::FloatRange;
        Cow::Owned(Self(self.0.iter().filter(settled).copied().collect()))
    }

    /// Returns true if this is its reading of `question`.
    pub fn has(&self, question: Question, reading: Reading) -> bool {
        self.of(question) == reading
    }
}

/// The meaning of a call that names no axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// The data as they are.
    Unchanged,
    /// The norm of each element.
    Nothing,
    /// Every axis.
    All,
}

/// The computation that a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The operator version.
    pub spec: Spec,
    /// The norm.
    pub norm: Norm,
    /// The element type.
    pub dtype: Dtype,
    /// The data's dims; for BLAS, the vector's.
    pub data: Vec<usize>,
    /// For BLAS, the indices of the vector's elements in the data.
    pub vector: Option<Vec<usize>>,
    /// Row-major axes, each once, in the order in which the call names them.
    pub axes: Vec<usize>,
    /// True if reduced dims stay as 1.
    pub keep: bool,
}

impl Plan {
    /// Returns true if the axis is reduced.
    pub fn reduces(&self, axis: usize) -> bool {
        self.axes.contains(&axis)
    }

    /// Returns the bits of the reduced elements: the data, or a vector out of them. An index beyond the data gives 0.
    pub fn operand(&self, data: Vec<u64>) -> Vec<u64> {
        match &self.vector {
            None => data,
            Some(places) => places.iter().map(|&place| data.get(place).copied().unwrap_or(0)).collect(),
        }
    }

    /// Returns the number of elements that go into an output element.
    pub fn terms(&self) -> usize {
        self.axes.iter().map(|&axis| self.data[axis]).product()
    }
}
