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
    /// a family is asked as much whichever others are. With the cases all of them take a fast backend about four seconds.
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

    /// Which calls, of this part, are made of a backend that is slow or not. A pair of calls is in one part. Calls that are named
    /// come with those that they are to be asked [after](Id::before).
    pub fn ids(&self, part: Option<Part>, slow: bool) -> Vec<Id> {
        let is_ours = |id: &Id| part.is_none_or(|part| part.has(&id.first_of_pair().to_string()));
        match self {
            Self::One(id) => with_those_before(std::iter::once(*id)),
            Self::These(_, ids) => with_those_before(ids.iter().copied().filter(is_ours)),
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

/// These calls, and before each the one that it is to be asked right after.
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

    /// Some neighbours of the first row, and the calls before them.
    fn neighbours() -> Vec<(Id, Id)> {
        let ids = (0..2000).map(|index| Id::first(1, index));
        ids.filter_map(|id| Some((id.before()?, id))).collect()
    }

    #[test]
    fn a_neighbour_that_is_asked_by_name_is_asked_right_after_the_call_before_it() {
        for (before, id) in neighbours() {
            assert_eq!(Calls::One(id).ids(None, false), [before, id]);
            assert_eq!(Calls::These(1, vec![id]).ids(None, false), [before, id]);
            assert_eq!(Calls::These(1, vec![before, id]).ids(None, false), [before, id]);
        }
        assert_eq!(Calls::One(Id::first(1, 2)).ids(None, false), [Id::first(1, 2)]);
    }

    #[test]
    fn a_neighbour_is_in_the_part_of_the_call_before_it() {
        let parts = (0..3).map(|index| Part { index, of: 3 });
        let parts: Vec<Vec<Id>> = parts.map(|part| Calls::default().ids(Some(part), true)).collect();
        for (before, id) in neighbours() {
            let together = parts.iter().filter(|ids| ids.windows(2).any(|pair| pair == [before, id])).count();
            assert_eq!(together, 1, "{id}");
        }
    }
}
