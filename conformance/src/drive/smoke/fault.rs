//! What is wrong with an answer, and whose fault it can be.

use super::found::Found;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Elements, dims or axes were carried wrongly: bytes in another order, dims reversed. Runtimes do not do that.
    Carried,
    /// Another result is wrong.
    Result,
    /// A valid call was refused.
    Refused,
    /// There was no answer.
    Died,
}

/// What came of a question.
pub(super) enum Outcome {
    /// The right answer.
    Right,
    /// The backend says it cannot do this; its own words.
    Unsupported(String),
    /// A wrong answer, and what is wrong with it.
    Fault(Fault, String),
}

impl Outcome {
    /// As a line of the report says it, where `certain` says which faults are the adapter's.
    pub(super) fn found(self, certain: impl Fn(Fault) -> bool) -> Found {
        match self {
            Self::Right => Found::Right,
            Self::Unsupported(why) => Found::Unsupported(why),
            Self::Fault(fault, what) if certain(fault) => Found::Wrong(what),
            Self::Fault(_, what) => doubtful(&what),
        }
    }
}

/// A fault of which the call cannot tell whose it is.
pub(super) fn doubtful(what: &str) -> Found {
    Found::Doubtful(format!("by the adapter or by the runtime: {what}"))
}
