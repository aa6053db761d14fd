//! Records the faults that no call explains, of this run and an earlier one: each once, with the names of the
//! suspected calls.
//!
//! A worker knows calls, but not their names in reports. A fault is known before the answers of its calls are
//! judged, so the names of its calls come later, in a run and in a record.

use std::collections::BTreeMap;

use normative_reference::Call;

use super::{Recorder, SessionError};
use crate::digest::Digest;
use crate::drive::{Conduct, Flake};
use crate::report::record::Line;

/// The faults of a run.
#[derive(Default)]
pub(super) struct Faults {
    /// The recorded faults.
    pub(super) known: Conduct,
    /// The calls that may have caused them.
    pub(super) suspects: Suspects,
}

impl Faults {
    /// Starts with the faults of an earlier run.
    pub(super) fn of(flakes: Vec<Flake>) -> Self {
        let suspects = Suspects::of(&flakes);
        Self { known: Conduct { flakes }, suspects }
    }

    /// Records the faults that are new.
    pub(super) fn add(
        &mut self,
        flakes: &[Flake],
        mut recorder: Option<&mut Recorder<'_>>,
    ) -> Result<(), SessionError> {
        for flake in flakes {
            if self.known.add(flake.clone()) {
                self.suspects.add(flake);
                if let Some(recorder) = recorder.as_deref_mut() {
                    recorder.write(&Line::Flake(flake.clone()))?;
                }
            }
        }
        Ok(())
    }
}

/// Suspected calls by digest, with their names as far as known.
#[derive(Default)]
pub(super) struct Suspects(BTreeMap<String, Option<String>>);

impl Suspects {
    /// Returns the suspects of some faults.
    pub(super) fn of(flakes: &[Flake]) -> Self {
        let mut suspects = Self::default();
        for flake in flakes {
            suspects.add(flake);
        }
        suspects
    }

    /// Adds the suspects of another fault.
    pub(super) fn add(&mut self, flake: &Flake) {
        for suspect in &flake.suspects {
            self.0.entry(suspect.key.clone()).or_default();
        }
    }

    /// Notes a call that was asked. Of equal calls, the first gives the name.
    pub(super) fn met(&mut self, name: &str, call: &Call) {
        if self.0.is_empty() {
            return;
        }
        if let Some(known @ None) = self.0.get_mut(&Digest::of_call(call).to_string()) {
            *known = Some(name.to_owned());
        }
    }

    /// Returns the names that were found, by digest.
    pub(super) fn named(self) -> BTreeMap<String, String> {
        self.0.into_iter().filter_map(|(key, name)| Some((key, name?))).collect()
    }
}
