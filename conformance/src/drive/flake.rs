//! Faults that are put down to no call: the process failed among several, and none of the suspects fails alone.
//!
//! That says nothing of any call, so it is no verdict on one. It says something of the backend: whoever ships it has such
//! an end to expect.

use normative_reference::Call;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::display;
use normative_backend::Death;

/// Most such faults that are kept of a worker. One that has so many is known well enough.
pub const MAX_FLAKES: usize = 100;

/// How a worker behaved, beside its answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    /// How many times a process had to be replaced.
    pub restarts: u64,
    /// Faults that none of the suspects repeats alone: the first [`MAX_FLAKES`], each once.
    pub flakes: Vec<Flake>,
}

/// A fault that no call repeats alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Flake {
    /// The calls it may have come of, that in flight before the one ahead of it. None where both had their trial before.
    pub suspects: Vec<Suspect>,
    /// How the process ended, with the last of what it printed.
    pub how: String,
}

/// A call that a fault may have come of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
