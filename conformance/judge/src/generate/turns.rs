//! Assigns specs to the turns of rows of generated calls.
//!
//! The place of a call in a row decides its spec, so a new spec would move every call after it, and reports and
//! baselines name calls by their places. So the first families share one fixed row, and each later family and
//! operator has its own. A run visits all rows in rounds. In each round a spec has one or more turns, so the calls of a
//! family do not depend on the others.

use std::fmt;
use std::sync::LazyLock;

use normative_reference::{Family, Norm, Spec};

/// The families that share a row. They come before all others.
const FIRST: [Family; 3] = [Family::OpenVino, Family::Onnx, Family::Bnns];

/// The specs that share a row and take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turns {
    /// OpenVINO, ONNX and BNNS.
    First,
    /// One family that was added later.
    Of(Family),
    /// One operator that was added later, of every family that has it.
    Added(Norm),
}

impl Turns {
    /// Every row, in the order of a round.
    pub const ALL: [Self; Self::COUNT] = {
        let mut all = [Self::Added(Norm::Sum); Self::COUNT];
        all[0] = Self::First;
        let mut at = 1;
        while at < Self::COUNT - 2 {
            all[at] = Self::Of(Family::ALL[FIRST.len() + at - 1]);
            at += 1;
        }
        all[at] = Self::Added(Norm::SumSquare);
        all
    };

    const COUNT: usize = 3 + Family::ALL.len() - FIRST.len();

    /// Returns the row in which a spec has its turns.
    pub fn of(spec: Spec) -> Self {
        let family = spec.family();
        match spec.norm() {
            norm @ (Norm::SumSquare | Norm::Sum) => Self::Added(norm),
            Norm::L1 | Norm::L2 if FIRST.contains(&family) => Self::First,
            Norm::L1 | Norm::L2 => Self::Of(family),
        }
    }

    /// Returns the place of a spec among those of all rows.
    pub(super) fn place(spec: Spec) -> usize {
        Self::ALL.iter().flat_map(|turns| turns.specs()).position(|&other| other == spec).unwrap_or(0)
    }

    /// Returns the specs in the order of their turns.
    pub fn specs(self) -> &'static [Spec] {
        static EACH: LazyLock<[Vec<Spec>; Turns::COUNT]> = LazyLock::new(|| {
            Turns::ALL.map(|turns| Spec::ALL.into_iter().filter(|&spec| Turns::of(spec) == turns).collect())
        });
        Self::ALL.into_iter().zip(&*EACH).find(|(turns, _)| *turns == self).map_or(&[], |(_, specs)| specs)
    }

    /// Returns the specs of a round, one entry a turn.
    pub fn slots(self) -> &'static [Spec] {
        static EACH: LazyLock<[Vec<Spec>; Turns::COUNT]> =
            LazyLock::new(|| Turns::ALL.map(|turns| interleaved(turns.specs())));
        Self::ALL.into_iter().zip(&*EACH).find(|(turns, _)| *turns == self).map_or(&[], |(_, slots)| slots)
    }

    /// Returns the row with this name in a generated call's id.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|turns| turns.name() == Some(name))
    }

    /// Returns its name in the ids of calls; the first row has none.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::First => None,
            Self::Of(family) => Some(family.name()),
            Self::Added(Norm::Sum) => Some("sum"),
            Self::Added(_) => Some("sum-square"),
        }
    }
}

/// Returns a round of these specs. OpenVINO, which accepts four types that no other family does, has its turns before
/// every two specs of ONNX. BNNS, with one spec, has one after every four. Further families come last.
fn interleaved(specs: &[Spec]) -> Vec<Spec> {
    let of = |family| -> Vec<Spec> { specs.iter().copied().filter(|spec| spec.family() == family).collect() };
    let [openvino, onnx, bnns] = FIRST.map(of);
    let turns = |(at, two): (usize, &[Spec])| {
        let last: &[Spec] = if at % 2 == 1 { &bnns } else { &[] };
        [&openvino, two, last].concat()
    };
    let later = specs.iter().filter(|spec| !FIRST.contains(&spec.family()));
    onnx.chunks(2).enumerate().flat_map(turns).chain(later.copied()).collect()
}

impl fmt::Display for Turns {
    /// Writes nothing for the first row, and the name of another with a colon.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().map_or(Ok(()), |name| write!(f, "{name}:"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_spec_has_its_turns_in_one_row() {
        let mut specs: Vec<Spec> = Turns::ALL.iter().flat_map(|turns| turns.specs()).copied().collect();
        assert!(specs.iter().enumerate().all(|(at, &spec)| Turns::place(spec) == at));
        specs.sort_by_key(|spec| Spec::ALL.iter().position(|other| other == spec));
        assert_eq!(specs, Spec::ALL);
        for turns in Turns::ALL {
            assert!(turns.specs().iter().all(|&spec| Turns::of(spec) == turns), "{turns:?}");
            let slots: BTreeSet<Spec> = turns.slots().iter().copied().collect();
            assert_eq!(slots, turns.specs().iter().copied().collect());
        }
    }
}
