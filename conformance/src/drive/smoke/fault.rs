//! Classifies faults of an answer, and who may have caused them.

use super::found::Found;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Elements, dims or axes were carried wrongly: bytes swapped, dims reversed. Runtimes do not do that.
    Carried,
    /// Another result is wrong.
    Result,
    /// A valid call was refused.
    Refused,
    /// There was no answer.
    Died,
}

/// The outcome of a question.
pub(super) enum Outcome {
    /// The right answer.
    Right,
    /// The backend does not support this; its own words.
    Unsupported(String),
    /// A wrong answer, and a description.
    Fault(Fault, String),
}

impl Outcome {
    /// Converts it to a result of the report. `certain` returns true for faults of the adapter.
    pub(super) fn found(self, certain: impl Fn(Fault) -> bool) -> Found {
        match self {
            Self::Right => Found::Right,
            Self::Unsupported(why) => Found::Unsupported(why),
            Self::Fault(fault, what) if certain(fault) => Found::Wrong(what),
            Self::Fault(_, what) => doubtful(&what),
        }
    }
}

/// Returns a fault that may be the adapter's or the runtime's.
pub(super) fn doubtful(what: &str) -> Found {
    Found::Doubtful(format!("by the adapter or by the runtime: {what}"))
}
