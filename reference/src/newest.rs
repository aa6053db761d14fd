//! Questions of the judged revision of a text that a later revision answers.
//!
//! A text may change without a new version of its operator. The judge uses the revision from which the ledger
//! of clauses was written. Reports print the later answer beside the question, and a user can demand it.

use crate::question::{Choice, Question, Reading};

/// The answer of the newest revision of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newest {
    /// The reading that it states.
    pub reading: Reading,
    /// The first release that does.
    pub since: &'static str,
    /// The place in the newest text.
    pub place: &'static str,
}

/// The answer for all three operators: the text of the attribute, and of the input that it is about.
const NOOP: Newest = Newest {
    reading: Reading::NormOfEachElement,
    since: "onnx 1.20.0",
    place: "ReduceL1-18, ReduceL2-18 and ReduceSumSquare-18: Attributes, noop_with_empty_axes, on true; Inputs, axes, on no axes",
};

impl Question {
    /// Returns the newest text's answer, if the judged text leaves the question open and a later one does
    /// not. Every spec that raises the question has that text.
    pub const fn newest(self) -> Option<Newest> {
        match self {
            Self::NoopAbsentAxes | Self::NoopNullAxes | Self::NoopEmptyAxes => Some(NOOP),
            _ => None,
        }
    }
}

/// Returns the readings that the newest texts state.
pub fn newest() -> impl Iterator<Item = Choice> {
    let settled = |question: Question| Some(Choice { question, reading: question.newest()?.reading });
    Question::ALL.into_iter().filter_map(settled)
}
