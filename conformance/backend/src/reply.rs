//! The reply of a worker to one call.

use std::time::Duration;

use normative_reference::Dtype;

use crate::Answer;

/// The content of a worker's answer frame: the adapter's answer, or what the worker itself observed instead.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The adapter's answer.
    Answer(Answer),
    /// The runtime changed its input data; the text describes how. Its result does not count.
    ChangedData(String),
    /// The worker has its own deadline and gave up after this time. [`serve`](crate::serve) never sends this.
    TimedOut(Duration),
    /// A result larger than any reading of the call gives, without its elements. Only decoding makes this, so
    /// that a worker cannot decide how much memory its judge takes.
    Oversized {
        /// The element type.
        dtype: Dtype,
        /// The dims.
        shape: Vec<usize>,
    },
}
