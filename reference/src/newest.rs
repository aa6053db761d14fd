//! What a later revision of a text says of a question that the revision judged leaves open.
//!
//! A text may change without a new version of its operator. A backend is judged by the revision from which the ledger of
//! clauses was written; what a later one settles stands here, for reports to say beside the question, and for who demands it.

use crate::question::{Choice, Question, Reading};

/// What the newest revision of a text settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newest {
    /// The reading that it states.
    pub reading: Reading,
    /// The first release that does.
    pub since: &'static str,
    /// Where it stands there.
    pub place: &'static str,
}

/// Of the attribute, both operators, and of the input that it is about.
const NOOP: Newest = Newest {
    reading: Reading::NormOfEachElement,
    since: "onnx 1.20.0",
    place: "ReduceL1-18 and ReduceL2-18: Attributes, noop_with_empty_axes, on true; Inputs, axes, on no axes",
};

impl Question {
    /// What the newest text says of the question, where the text judged leaves it open and a later one does not. Every spec
    /// that raises the question has that text.
    pub const fn newest(self) -> Option<Newest> {
        match self {
            Self::NoopAbsentAxes | Self::NoopNullAxes | Self::NoopEmptyAxes => Some(NOOP),
            _ => None,
        }
    }
}

/// The readings that the newest texts state.
pub fn newest() -> impl Iterator<Item = Choice> {
    let settled = |question: Question| Some(Choice { question, reading: question.newest()?.reading });
    Question::ALL.into_iter().filter_map(settled)
}
