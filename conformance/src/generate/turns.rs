//! Which specs take turns in a row of generated calls.
//!
//! The place of a call in a row says which spec it calls, so a spec more would move every call after it, and reports and
//! baselines name calls by their places. The families that were there first therefore share one row for good, and each
//! family that came later has a row of its own. A run goes round all rows: in each round a spec has one turn or several,
//! so that what a family is asked does not depend on which others are.

use std::fmt;
use std::sync::LazyLock;

use normative_reference::{Family, Spec};

/// The families that share a row. They stand before all others.
const FIRST: [Family; 3] = [Family::OpenVino, Family::Onnx, Family::Bnns];

/// The specs that share a row, each called in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turns {
    /// OpenVINO, ONNX and BNNS.
    First,
    /// One family that came later.
    Of(Family),
}

impl Turns {
    /// Every row, in the order in which a run goes round them.
    pub const ALL: [Self; Self::COUNT] = {
        let mut all = [Self::First; Self::COUNT];
        let mut at = 1;
        while at < Self::COUNT {
            all[at] = Self::Of(Family::ALL[FIRST.len() + at - 1]);
            at += 1;
        }
        all
    };

    const COUNT: usize = 1 + Family::ALL.len() - FIRST.len();

    /// The row that a spec has its turns in.
    pub fn of(spec: Spec) -> Self {
        let family = spec.family();
        if FIRST.contains(&family) { Self::First } else { Self::Of(family) }
    }

    /// The specs in the order of their turns.
    pub fn specs(self) -> &'static [Spec] {
        const ALL: &[Spec] = &Spec::ALL;
        match self {
            Self::First => ALL.split(|&spec| Self::of(spec) != Self::First).next().unwrap_or(ALL),
            Self::Of(family) => {
                let mut specs = ALL.split(|spec| spec.family() != family);
                specs.find(|specs| !specs.is_empty()).unwrap_or_default()
            }
        }
    }

    /// The specs of a round, a turn each.
    pub fn slots(self) -> &'static [Spec] {
        static FIRST: LazyLock<Vec<Spec>> = LazyLock::new(|| interleaved(Turns::First.specs()));
        match self {
            Self::First => &FIRST,
            Self::Of(_) => self.specs(),
        }
    }

    /// The row that a generated call names.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|turns| turns.family().is_some_and(|family| family.name() == name))
    }

    /// The family whose row it is alone.
    const fn family(self) -> Option<Family> {
        match self {
            Self::First => None,
            Self::Of(family) => Some(family),
        }
    }
}

/// A round of the families that were there first. Those of OpenVINO, which takes four types that no other family does, have their
/// turns before every two specs of ONNX, and BNNS, of one spec, has one after every four.
fn interleaved(specs: &[Spec]) -> Vec<Spec> {
    let of = |family| -> Vec<Spec> { specs.iter().copied().filter(|spec| spec.family() == family).collect() };
    let [openvino, onnx, bnns] = FIRST.map(of);
    let turns = |(at, two): (usize, &[Spec])| {
        let last: &[Spec] = if at % 2 == 1 { &bnns } else { &[] };
        [&openvino, two, last].concat()
    };
    onnx.chunks(2).enumerate().flat_map(turns).collect()
}

impl fmt::Display for Turns {
    /// Nothing for the first row; a family and a colon for another.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.family().map_or(Ok(()), |family| write!(f, "{family}:"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_spec_has_its_turns_in_one_row() {
        let specs: Vec<Spec> = Turns::ALL.iter().flat_map(|turns| turns.specs()).copied().collect();
        assert_eq!(specs, Spec::ALL);
        for turns in Turns::ALL {
            assert!(turns.specs().iter().all(|&spec| Turns::of(spec) == turns), "{turns:?}");
            let slots: BTreeSet<Spec> = turns.slots().iter().copied().collect();
            assert_eq!(slots, turns.specs().iter().copied().collect());
        }
    }
}
