//! What came of a call, as whoever asked it saw: an answer of the backend's, or that there was none to be had.
//!
//! An adapter gives an [`Answer`]; nothing else here can be claimed by one. That a process died, was too slow, changed
//! the data or sent more than any reading gives is what the driver of the process saw ([`drive`](crate::drive)).

use std::fmt;
use std::time::Duration;

use normative_backend::Answer;
use normative_reference::{Dtype, Tensor};

/// What came of a call.
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
    /// The runtime has no way to express the call, or says it does not implement it; why.
    Unsupported(String),
    /// The runtime changed the data it was given; what is known of it. Nothing it returned counts.
    ChangedData(String),
    /// No answer came.
    Died(Death),
}

/// How a backend came not to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Death {
    /// It panicked, aborted, was killed, broke the protocol, or said itself that it broke down; what is known of it.
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
