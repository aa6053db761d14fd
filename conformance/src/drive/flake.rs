//! Faults of a worker's process that no call repeats: it failed over several calls, and none of them fails alone.
//!
//! No call is blamed for such a fault. The report says that the backend is flaky, because users may meet the failure.

use normative_reference::Call;
use serde::{Deserialize, Serialize};

use crate::display;
use crate::observed::Death;

/// The most such faults kept of a worker. More of them would add nothing.
pub const MAX_FLAKES: usize = 100;

/// The faults of a worker that no call explains.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Conduct {
    /// Faults that none of the suspects repeats alone: the first [`MAX_FLAKES`], each once.
    pub flakes: Vec<Flake>,
}

/// A fault that no call repeats alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Flake {
    /// The calls that may have caused it, in words: the one in flight, then the one before it. A call that died alone
    /// is not listed again, so the list may be empty.
    pub suspects: Vec<String>,
    /// The end of the process, with the last of what it printed.
    pub how: String,
}

impl Conduct {
    /// Adds a fault that no call explains. Returns false if it is known or there are [`MAX_FLAKES`] already.
    pub fn add(&mut self, flake: Flake) -> bool {
        let is_new = self.flakes.len() < MAX_FLAKES && !self.flakes.contains(&flake);
        if is_new {
            self.flakes.push(flake);
        }
        is_new
    }
}

impl Flake {
    /// Makes the fault of a process that ended this way, over these calls.
    pub(super) fn of<'c>(suspects: impl Iterator<Item = &'c Call>, death: &Death) -> Self {
        // With the data, since calls of one form may fail one after another.
        let suspect = |call: &Call| format!("{}: {}", display::call(call), display::some(&call.data, 8));
        Self { suspects: suspects.map(suspect).collect(), how: death.to_string() }
    }
}
