//! Describes windows of calls that were sent together and not all answered.

use super::process::Fault;
use crate::observed::{Death, Observed};

/// The reason why a window of calls was not answered.
pub(super) enum Lost {
    /// The process failed.
    Window(Loss),
    /// There is no process to ask, and none will be started.
    Halted,
}

/// A window of calls that was lost.
pub(super) struct Loss {
    /// The index of the call in flight.
    pub(super) at: usize,
    /// The index of an earlier call that was answered again instead.
    pub(super) again: Option<usize>,
    /// The end of the process.
    pub(super) end: End,
}

/// The end of a process. The process itself is still there, for details.
pub(super) enum End {
    /// The worker reported its death.
    Reported(Death),
    /// The process broke the rules.
    Fault(Fault),
}

/// Returns the answers before the first missing one.
pub(super) fn first_of(answers: Vec<Option<Observed>>) -> Vec<Observed> {
    answers.into_iter().map_while(|answer| answer).collect()
}
