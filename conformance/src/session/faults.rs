//! Faults that were put down to no call, in this run and an earlier one: each on record once, with the names of the calls
//! it may have come of.
//!
//! A worker knows calls, not what reports call them. A fault is known before the answers of its calls are judged, so its
//! calls are still to come then, in a run as in a record.

use std::collections::BTreeMap;

use normative_reference::Call;

use super::{Recorder, SessionError};
use crate::digest::Digest;
use crate::drive::{Conduct, Flake};
use crate::report::record::Line;

/// The faults of a run, as they come.
#[derive(Default)]
pub(super) struct Faults {
    /// Those on record.
    pub(super) known: Conduct,
    /// The calls that they may have come of.
    pub(super) suspects: Suspects,
}

impl Faults {
    /// Those of an earlier run.
    pub(super) fn of(flakes: Vec<Flake>) -> Self {
        let suspects = Suspects::of(&flakes);
        Self { known: Conduct { flakes }, suspects }
    }

    /// Puts those on record that are not there yet.
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

/// Calls under suspicion, by digest, and their names as far as they were met.
#[derive(Default)]
pub(super) struct Suspects(BTreeMap<String, Option<String>>);

impl Suspects {
    /// Those of some faults.
    pub(super) fn of(flakes: &[Flake]) -> Self {
        let mut suspects = Self::default();
        for flake in flakes {
            suspects.add(flake);
        }
        suspects
    }

    /// Those of one fault more.
    pub(super) fn add(&mut self, flake: &Flake) {
        for suspect in &flake.suspects {
            self.0.entry(suspect.key.clone()).or_default();
        }
    }

    /// A call that was asked. Of two that are the same the first gives its name.
    pub(super) fn met(&mut self, name: &str, call: &Call) {
        if self.0.is_empty() {
            return;
        }
        if let Some(known @ None) = self.0.get_mut(&Digest::of_call(call).to_string()) {
            *known = Some(name.to_owned());
        }
    }

    /// The names that were found, by digest.
    pub(super) fn named(self) -> BTreeMap<String, String> {
        self.0.into_iter().filter_map(|(key, name)| Some((key, name?))).collect()
    }
}
