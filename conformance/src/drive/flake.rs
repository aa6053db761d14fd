//! Faults of a worker's process that no call repeats: the process failed over several calls, and none of them fails alone.
//!
//! No call is blamed for such a fault. The report says that the backend is flaky, because its users may meet the same failure.

use normative_reference::Call;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::display;
use crate::observed::Death;

/// Most such faults that are kept of a worker. One that has so many is known well enough.
pub const MAX_FLAKES: usize = 100;

/// The faults of a worker that were put down to no call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Conduct {
    /// Faults that none of the suspects repeats alone: the first [`MAX_FLAKES`], each once.
    pub flakes: Vec<Flake>,
}

/// A fault that no call repeats alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Flake {
    /// The calls that may have caused it: the one in flight, then the one before it. A call that died alone is not listed
    /// again, so the list may be empty.
    pub suspects: Vec<Suspect>,
    /// How the process ended, with the last of what it printed.
    pub how: String,
}

/// A call that may have caused a fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Suspect {
    /// A digest of it.
    pub key: String,
    /// The call in words.
    pub call: String,
}

impl Conduct {
    /// Takes note of a fault that was put down to no call, unless it is known, or there are enough. Whether it did.
    pub fn add(&mut self, flake: Flake) -> bool {
        let is_new = self.flakes.len() < MAX_FLAKES && !self.flakes.contains(&flake);
        if is_new {
            self.flakes.push(flake);
        }
        is_new
    }
}

impl Flake {
    /// This end of a process, over these calls.
    pub(super) fn of<'c>(suspects: impl Iterator<Item = &'c Call>, death: &Death) -> Self {
        let suspect = |call| Suspect { key: Digest::of_call(call).to_string(), call: display::call(call) };
        Self { suspects: suspects.map(suspect).collect(), how: death.to_string() }
    }
}
