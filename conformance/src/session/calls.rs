//! Chooses the generated calls of a run.

use std::time::Duration;

use normative_backend::{Capabilities, Declared};
use normative_reference::Spec;

use crate::run::property::{self, Id};

/// Calls of a block where time ends them. All workers wait for the last of it, so it is far more than they are dealt at once.
const BLOCK: usize = 4096;

/// The generated calls of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Calls {
    /// The first calls of a row with these specs.
    Row {
        /// The seed of the row.
        seed: u64,
        /// The number of calls; the default depends on the backend.
        calls: Option<usize>,
        /// The specs.
        specs: Vec<Spec>,
    },
    /// The calls of a row with these specs, until this time has passed since the run began.
    Timed {
        /// The seed of the row.
        seed: u64,
        /// The time for the cases and these calls.
        time: Duration,
        /// The specs.
        specs: Vec<Spec>,
    },
    /// These calls; the seed is that of the first.
    These(u64, Vec<Id>),
}

impl Default for Calls {
    /// Returns the usual number of calls, of all specs.
    fn default() -> Self {
        Self::Row { seed: Self::SEED, calls: None, specs: Spec::ALL.to_vec() }
    }
}

impl Calls {
    /// The default number of rounds: of OpenVINO and of ONNX 8,000 calls of L1 and L2, and of each other operator and
    /// family 1,000 calls a spec, whichever others are asked.
    pub const USUAL: usize = 500;

    /// The number of rounds for a backend that declares itself slow. It does not depend on a clock, so a report
    /// is the same on every machine.
    pub const OF_SLOW: usize = 200;

    /// The default seed of the row.
    pub const SEED: u64 = 1;

    /// Returns an empty choice.
    pub const fn none() -> Self {
        Self::Row { seed: 0, calls: Some(0), specs: Vec::new() }
    }

    /// Returns the seed of the row.
    pub const fn seed(&self) -> u64 {
        match self {
            Self::Row { seed, .. } | Self::Timed { seed, .. } | Self::These(seed, _) => *seed,
        }
    }

    /// Returns the default number of calls; `None` if the user chose a number or named the calls.
    pub fn usual(&self, capabilities: &Capabilities) -> Option<usize> {
        match self {
            Self::Row { calls: None, specs, .. } => Some(Self::usual_of(specs, capabilities)),
            Self::Row { calls: Some(_), .. } | Self::Timed { .. } | Self::These(..) => None,
        }
    }

    /// Returns the time for which calls are asked, if no number of them is fixed.
    pub const fn time(&self) -> Option<Duration> {
        if let Self::Timed { time, .. } = self { Some(*time) } else { None }
    }

    /// Returns the specs of the row, unless the calls are named.
    pub(super) const fn specs(&mut self) -> Option<&mut Vec<Spec>> {
        match self {
            Self::Row { specs, .. } | Self::Timed { specs, .. } => Some(specs),
            Self::These(..) => None,
        }
    }

    /// Returns the calls for a backend with these capabilities: of a row, those that it declares. Named calls come with
    /// those that they are to be asked [after](Id::before).
    pub fn ids(&self, capabilities: &Capabilities) -> Vec<Id> {
        match self {
            Self::These(_, ids) => with_those_before(ids.iter().copied()),
            Self::Timed { .. } => Vec::new(),
            Self::Row { seed, calls, specs } => {
                let count = calls.unwrap_or_else(|| Self::usual_of(specs, capabilities));
                let row = property::declared_row(*seed, specs, &capabilities.declared);
                row.take(count).collect()
            }
        }
    }

    /// Returns the blocks of calls, each to be asked in whole before the next: these [`ids`](Self::ids), or, of calls that
    /// time ends, blocks without end.
    pub(super) fn blocks<'a>(
        &'a self,
        ids: Vec<Id>,
        declared: &'a Declared,
    ) -> Box<dyn Iterator<Item = Vec<Id>> + 'a> {
        match self {
            Self::Timed { seed, specs, .. } => {
                let mut row = property::declared_row(*seed, specs, declared).peekable();
                Box::new(std::iter::from_fn(move || {
                    let mut block: Vec<Id> = row.by_ref().take(BLOCK).collect();
                    let last = block.last().copied();
                    block.extend(row.next_if(|id| last.is_some() && id.before() == last));
                    (!block.is_empty()).then_some(block)
                }))
            }
            _ => Box::new(Some(ids).filter(|ids| !ids.is_empty()).into_iter()),
        }
    }

    /// Returns the default number of calls for a backend with these capabilities: by the specs that it declares, and
    /// all of them of its types.
    fn usual_of(specs: &[Spec], capabilities: &Capabilities) -> usize {
        let declared: Vec<Spec> = capabilities.declared.drawn(specs).collect();
        Self::by_default(capabilities.slow, &declared)
    }

    /// The number of calls of these specs that a backend is asked by default.
    pub fn by_default(slow: bool, specs: &[Spec]) -> usize {
        property::calls_of_rounds(if slow { Self::OF_SLOW } else { Self::USUAL }, specs)
    }
}

/// Returns these calls, and before each the one that it is to be asked right after.
fn with_those_before(ids: impl Iterator<Item = Id>) -> Vec<Id> {
    let mut all: Vec<Id> = Vec::new();
    for id in ids {
        all.extend(id.before().filter(|before| all.last() != Some(before)));
        all.push(id);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns some neighbours of the first row, and the calls before them.
    fn neighbours() -> Vec<(Id, Id)> {
        let ids = (0..2000).map(|index| Id::first(1, index));
        ids.filter_map(|id| Some((id.before()?, id))).collect()
    }

    #[test]
    fn a_neighbour_that_is_asked_by_name_is_asked_right_after_the_call_before_it() {
        let named = |ids| Calls::These(1, ids).ids(&Capabilities::default());
        for (before, id) in neighbours() {
            assert_eq!(named(vec![id]), [before, id]);
            assert_eq!(named(vec![before, id]), [before, id]);
        }
        assert_eq!(named(vec![Id::first(1, 2)]), [Id::first(1, 2)]);
    }
}
