//! The reply of a worker to one call.

use std::time::Duration;

use normative_reference::Dtype;

use crate::Answer;

/// The content of a worker's answer frame: the adapter's answer, or what the worker itself observed instead.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The adapter's answer.
    Answer(Answer),
    /// The runtime changed the data it was given; how. Nothing it returned counts.
    ChangedData(String),
    /// The worker has a deadline of its own, and gave up after this long. [`serve`](crate::serve) never says so.
    TimedOut(Duration),
    /// A result larger than any reading of the call gives, without its elements. Only decoding makes this, so that no
    /// worker decides how much memory its judge takes.
    Oversized {
        /// The element type.
        dtype: Dtype,
        /// The dims.
        shape: Vec<usize>,
    },
}
