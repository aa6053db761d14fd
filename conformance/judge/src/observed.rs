//! The result of asking one call: the backend's answer, or the reason why there is no answer.
//!
//! An adapter gives an [`Answer`] and can claim nothing else. Only the driver of its process
//! (`drive` of `normative-conformance`) sees that the process died, was too slow, changed the data, or sent more than any
//! reading gives.

use std::fmt;
use std::time::Duration;

use normative_backend::Answer;
use normative_reference::{Dtype, Tensor};

/// The result of asking one call.
#[derive(Clone, Debug, PartialEq)]
pub enum Observed {
    /// The output tensor.
    Tensor(Tensor),
    /// An output larger than any reading of the call gives, without its elements.
    Oversized {
        /// The element type.
        dtype: Dtype,
        /// The dims.
        shape: Vec<usize>,
    },
    /// The runtime refused the call as invalid; its own message.
    Rejected(String),
    /// The runtime cannot express the call, or says that it does not implement it; the reason.
    Unsupported(String),
    /// The runtime changed the data that it was given; the details. Its answer does not count.
    ChangedData(String),
    /// No answer came.
    Died(Death),
}

/// The reason why a backend gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Death {
    /// It panicked, aborted, was killed, broke the protocol, or reported its own failure; the details.
    Crashed(String),
    /// It had not answered after this long.
    TimedOut(Duration),
}

impl From<Answer> for Observed {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Tensor(tensor) => Self::Tensor(tensor),
            Answer::Rejected(why) => Self::Rejected(why),
            Answer::Unsupported(why) => Self::Unsupported(why),
            Answer::Crashed(how) => Self::Died(Death::Crashed(how)),
        }
    }
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crashed(how) => write!(f, "crashed: {how}"),
            Self::TimedOut(after) => write!(f, "no answer within {} s", after.as_secs_f64()),
        }
    }
}
