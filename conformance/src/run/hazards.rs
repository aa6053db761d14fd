//! Groups the hazards of a run by kind: the element types and specs of each, and the smallest call that shows it.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Call, Dtype, Norm, Question, Spec};

use crate::judge::hazard::{Gives, Hazard};
use crate::shrink::CallSize;

/// The properties that group hazards in a report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HazardKind {
    /// The way in which elements differ from the norm.
    pub gives: Gives,
    /// L1 or L2.
    pub norm: Norm,
    /// The questions whose readings allow it.
    pub questions: Vec<Question>,
}

/// The hazards of one kind.
#[derive(Clone, Debug)]
pub struct Met<W> {
    /// The element types of the data.
    pub dtypes: BTreeSet<Dtype>,
    /// The specs called.
    pub specs: BTreeSet<Spec>,
    /// The number of calls.
    pub calls: usize,
    /// The name of the answer to the smallest call.
    pub smallest: W,
    /// That call.
    pub call: Call,
    /// The hazard of its answer.
    pub hazard: Hazard,
    size: CallSize,
}

/// The difference from the norm, the spec and type, and every set of questions that allows it.
type Key = (Gives, Spec, Dtype, Vec<Vec<Question>>);

/// All hazards of a run. `W` names an answer; of two calls of equal size, the lesser name is shown.
#[derive(Clone, Debug)]
pub struct Hazards<W>(BTreeMap<Key, Met<W>>);

/// The hazards of one kind in one type, with the number of calls of each spec.
pub type OfType<W> = (BTreeMap<Spec, usize>, Met<W>);

impl<W> Default for Hazards<W> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<W: Ord + Copy> Hazards<W> {
    /// Adds the hazard of an answer.
    pub fn add(&mut self, call: &Call, hazard: &Hazard, answer: W) {
        let (dtypes, specs) = (BTreeSet::from([hazard.dtype]), BTreeSet::from([call.spec()]));
        let (calls, size, call, hazard) = (1, CallSize::of(call), call.clone(), hazard.clone());
        let key = (hazard.gives, call.spec(), hazard.dtype, hazard.allowed_by.clone());
        take(&mut self.0, key, Met { dtypes, specs, calls, smallest: answer, call, hazard, size });
    }

    /// Adds the hazards of other answers, with new names.
    pub fn add_all<V: Copy>(&mut self, others: &Hazards<V>, name: impl Fn(V) -> W) {
        for (key, Met { dtypes, specs, calls, smallest, call, hazard, size }) in &others.0 {
            let (dtypes, specs, calls, size) = (dtypes.clone(), specs.clone(), *calls, size.clone());
            let (smallest, call, hazard) = (name(*smallest), call.clone(), hazard.clone());
            take(&mut self.0, key.clone(), Met { dtypes, specs, calls, smallest, call, hazard, size });
        }
    }

    /// Returns the hazards of each kind.
    pub fn kinds(&self) -> Vec<(HazardKind, Met<W>)> {
        let mut kinds = BTreeMap::new();
        self.rows().for_each(|(kind, _, met)| take(&mut kinds, kind, met.clone()));
        kinds.into_iter().collect()
    }

    /// Returns the hazards of each kind in each type, with the number of calls by spec. The smallest call is of that type.
    pub fn types(&self) -> BTreeMap<(HazardKind, Dtype), OfType<W>> {
        let (mut types, mut counts) = (BTreeMap::new(), BTreeMap::<_, BTreeMap<Spec, usize>>::new());
        for (kind, (spec, dtype), met) in self.rows() {
            take(&mut types, (kind.clone(), dtype), met.clone());
            *counts.entry((kind, dtype)).or_default().entry(spec).or_default() += met.calls;
        }
        types
            .into_iter()
            .map(|(key, met)| (key.clone(), (counts.remove(&key).unwrap_or_default(), met)))
            .collect()
    }

    /// If several sets of questions allow an answer, one that alone allows another answer is preferred: a 0 for a subnormal
    /// norm is not a flushed one if all others come from squares out of range.
    fn rows(&self) -> impl Iterator<Item = (HazardKind, (Spec, Dtype), &Met<W>)> {
        let alone =
            self.0.keys().filter_map(
                |(_, spec, _, sets)| {
                    if let [set] = &sets[..] { Some((spec.norm(), set)) } else { None }
                },
            );
        let alone: BTreeSet<(Norm, &Vec<Question>)> = alone.collect();
        self.0.iter().map(move |((gives, spec, dtype, sets), met)| {
            let known = sets.iter().find(|set| alone.contains(&(spec.norm(), *set)));
            let questions = known.or(sets.first()).cloned().unwrap_or_default();
            (HazardKind { gives: *gives, norm: spec.norm(), questions }, (*spec, *dtype), met)
        })
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
