//! The hazards of a run, by kind: of each, the element types and specs it was met in, and the smallest call that shows it.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Call, Dtype, Norm, Question, Spec};

use crate::judge::hazard::{Gives, Hazard};
use crate::shrink::Size;

/// What hazards have in common that a report names together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// How elements differ from the norm.
    pub gives: Gives,
    /// L1 or L2.
    pub norm: Norm,
    /// The questions whose readings allow it.
    pub questions: Vec<Question>,
}

/// The answers of one kind.
#[derive(Clone, Debug)]
pub struct Met<W> {
    /// The element types of the data.
    pub dtypes: BTreeSet<Dtype>,
    /// The specs called.
    pub specs: BTreeSet<Spec>,
    /// How many calls there are.
    pub calls: usize,
    /// The smallest of them.
    pub smallest: W,
    /// That call.
    pub call: Call,
    /// What it gives.
    pub hazard: Hazard,
    size: Size,
}

/// How elements differ from the norm, which norm, and every set of questions that allows it.
type Key = (Gives, Norm, Vec<Vec<Question>>);

/// Every hazard that was met. `W` names an answer; of two calls of one size the lesser is shown.
#[derive(Clone, Debug)]
pub struct Hazards<W>(BTreeMap<Key, Met<W>>);

impl<W> Default for Hazards<W> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<W: Ord + Copy> Hazards<W> {
    /// Adds what the answer to a call is.
    pub fn add(&mut self, call: &Call, hazard: &Hazard, answer: W) {
        let (dtypes, specs) = (BTreeSet::from([hazard.dtype]), BTreeSet::from([call.spec()]));
        let (calls, size, call, hazard) = (1, Size::of(call), call.clone(), hazard.clone());
        let key = (hazard.gives, call.spec().norm(), hazard.allowed_by.clone());
        take(&mut self.0, key, Met { dtypes, specs, calls, smallest: answer, call, hazard, size });
    }

    /// Adds those of other answers, each named anew.
    pub fn add_all<V: Copy>(&mut self, others: &Hazards<V>, name: impl Fn(V) -> W) {
        for (key, Met { dtypes, specs, calls, smallest, call, hazard, size }) in &others.0 {
            let (dtypes, specs, calls, size) = (dtypes.clone(), specs.clone(), *calls, size.clone());
            let (smallest, call, hazard) = (name(*smallest), call.clone(), hazard.clone());
            take(&mut self.0, key.clone(), Met { dtypes, specs, calls, smallest, call, hazard, size });
        }
    }

    /// Those of each kind. Where several sets of questions allow an answer, it is put down to one that other answers leave
    /// alone: a 0 in place of a subnormal norm is no flushed subnormal where all others come of squares out of range.
    pub fn kinds(&self) -> Vec<(Kind, Met<W>)> {
        let alone: BTreeSet<(Norm, &Vec<Question>)> = self
            .0
            .keys()
            .filter_map(|(_, norm, sets)| if let [set] = &sets[..] { Some((*norm, set)) } else { None })
            .collect();
        let mut kinds = BTreeMap::new();
        for ((gives, norm, sets), met) in &self.0 {
            let known = sets.iter().find(|set| alone.contains(&(*norm, *set)));
            let questions = known.or(sets.first()).cloned().unwrap_or_default();
            take(&mut kinds, Kind { gives: *gives, norm: *norm, questions }, met.clone());
        }
        kinds.into_iter().collect()
    }
}

fn take<K: Ord, W: Ord>(all: &mut BTreeMap<K, Met<W>>, key: K, mut met: Met<W>) {
    if let Some(known) = all.remove(&key) {
        let (mut smaller, larger) = if (&met.size, &met.smallest) < (&known.size, &known.smallest) {
            (met, known)
        } else {
            (known, met)
        };
        smaller.dtypes.extend(larger.dtypes);
        smaller.specs.extend(larger.specs);
        smaller.calls += larger.calls;
        met = smaller;
    }
    all.insert(key, met);
}
