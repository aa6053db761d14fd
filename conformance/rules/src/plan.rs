//! What a call asks an implementation to compute, and how it reads what the texts leave open.

use std::borrow::Cow;

use normative_conformance::reference::{Choice, Dtype, Norm, Question, Reading, Spec};

/// What a step gives, or the words of the refusal.
pub type Step<T> = Result<T, String>;

/// How an implementation reads what the texts leave open; a question not listed is read the first way.
#[derive(Clone, Debug, Default)]
pub struct Readings(pub Vec<Choice>);

impl Readings {
    /// How it reads `question`.
    pub fn of(&self, question: Question) -> Reading {
        let chosen = self.0.iter().find(|choice| choice.question == question);
        chosen.map_or(question.readings()[0], |choice| choice.reading)
    }

    /// The questions about values of a type that it does not read the first way.
    pub fn otherwise(&self, dtype: Dtype) -> impl Iterator<Item = Question> {
        let otherwise = self.0.iter().filter(|choice| choice.reading != choice.question.readings()[0]);
        otherwise.map(|choice| choice.question).filter(move |question| {
            question.concerns_values() && question.is_of_integers() == dtype.is_integer()
        })
    }

    /// What of them leaves a choice where this is computed: BLAS says that squares are kept in range.
    pub fn of_plan(&self, plan: &Plan) -> Cow<'_, Self> {
        if !matches!(plan.spec, Spec::Blas(_)) {
            return Cow::Borrowed(self);
        }
        let settled = |choice: &&Choice| choice.question != Question::FloatRange;
        Cow::Owned(Self(self.0.iter().filter(settled).copied().collect()))
    }

    /// Whether it reads `question` so.
    pub fn has(&self, question: Question, reading: Reading) -> bool {
        self.of(question) == reading
    }
}

/// What a call that names no axis asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// The data as they are.
    Unchanged,
    /// The norm of each element.
    Nothing,
    /// Every axis.
    All,
}

/// What is to be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The operator version.
    pub spec: Spec,
    /// The norm.
    pub norm: Norm,
    /// The element type.
    pub dtype: Dtype,
    /// The data's dims; of BLAS, the vector's.
    pub data: Vec<usize>,
    /// Of BLAS, where the elements of the vector stand in the data.
    pub vector: Option<Vec<usize>>,
    /// Row-major axes, each once, in the order in which the call names them.
    pub axes: Vec<usize>,
    /// Whether reduced dims stay as 1.
    pub keep: bool,
}

impl Plan {
    /// Whether the axis is one of those reduced.
    pub fn reduces(&self, axis: usize) -> bool {
        self.axes.contains(&axis)
    }

    /// The bits of what is reduced: the data, or a vector out of them. For what stands nowhere in them there is a 0.
    pub fn operand(&self, data: Vec<u64>) -> Vec<u64> {
        match &self.vector {
            None => data,
            Some(places) => places.iter().map(|&place| data.get(place).copied().unwrap_or(0)).collect(),
        }
    }

    /// How many elements go into an output element.
    pub fn terms(&self) -> usize {
        self.axes.iter().map(|&axis| self.data[axis]).product()
    }
}
