//! Which generated calls a run makes.

use normative_reference::Spec;

use super::Part;
use crate::run::property::{self, Id};

/// The generated calls of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Calls {
    /// The first so many of a row that are of these specs.
    Row {
        /// The row.
        seed: u64,
        /// How many; by default that depends on the backend.
        calls: Option<usize>,
        /// Of which specs.
        specs: Vec<Spec>,
    },
    /// One.
    One(Id),
    /// These, of one row.
    These(u64, Vec<Id>),
}

impl Default for Calls {
    /// The usual number, of all specs.
    fn default() -> Self {
        Self::Row { seed: Self::SEED, calls: None, specs: Spec::ALL.to_vec() }
    }
}

impl Calls {
    /// Rounds of calls that are made by default: 8,000 calls of OpenVINO, as many of ONNX, and 2,000 of each other family. So
    /// a family is asked as much whichever others are. With the cases all of them take a fast backend about three seconds.
    pub const USUAL: usize = 500;

    /// Rounds that are made of a backend that declares itself slow. The number depends on no clock: a report is the same on
    /// every machine.
    pub const OF_SLOW: usize = 200;

    /// The row they stand in unless somebody says.
    pub const SEED: u64 = 1;

    /// None.
    pub const fn none() -> Self {
        Self::Row { seed: 0, calls: Some(0), specs: Vec::new() }
    }

    /// The row the calls stand in.
    pub const fn seed(&self) -> u64 {
        match self {
            Self::Row { seed, .. } | Self::One(Id { seed, .. }) | Self::These(seed, _) => *seed,
        }
    }

    /// The default number of calls; `None` if the user chose a number or named the calls.
    pub fn usual(&self, slow: bool) -> Option<usize> {
        match self {
            Self::Row { calls: None, specs, .. } => Some(Self::by_default(slow, specs)),
            Self::Row { calls: Some(_), .. } | Self::One(_) | Self::These(..) => None,
        }
    }

    /// Which calls, of this part, are made of a backend that is slow or not.
    pub fn ids(&self, part: Option<Part>, slow: bool) -> Vec<Id> {
        let is_ours = |id: &Id| part.is_none_or(|part| part.has(&id.to_string()));
        match self {
            Self::One(id) => vec![*id],
            Self::These(_, ids) => ids.iter().copied().filter(is_ours).collect(),
            // Without a spec the row has no end and no call.
            Self::Row { specs, .. } if specs.is_empty() => Vec::new(),
            Self::Row { seed, calls, specs } => {
                let count = calls.unwrap_or_else(|| Self::by_default(slow, specs));
                property::row(*seed, specs).take(count).filter(is_ours).collect()
            }
        }
    }

    /// The number of calls of these specs that a backend is asked by default.
    pub fn by_default(slow: bool, specs: &[Spec]) -> usize {
        property::calls_of_rounds(if slow { Self::OF_SLOW } else { Self::USUAL }, specs)
    }
}
