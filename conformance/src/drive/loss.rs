//! What becomes of calls that were sent together and not all answered.

use super::process::Fault;
use crate::observed::{Death, Observed};

/// Why a window of calls was not answered.
pub(super) enum Lost {
    /// Something befell the process.
    Window(Loss),
    /// There is no process to ask, and will be none.
    Halted,
}

/// A window of calls that came to nothing.
pub(super) struct Loss {
    /// The call in flight, counted in the window.
    pub(super) at: usize,
    /// An earlier one of the window that was answered again instead.
    pub(super) again: Option<usize>,
    /// What befell the process.
    pub(super) end: End,
}

/// How a process came to an end. The process itself is still there, to be asked how.
pub(super) enum End {
    /// It said so.
    Reported(Death),
    /// It did otherwise than it should.
    Fault(Fault),
}

/// The answers before the first that is missing.
pub(super) fn first_of(answers: Vec<Option<Observed>>) -> Vec<Observed> {
    answers.into_iter().map_while(|answer| answer).collect()
}
