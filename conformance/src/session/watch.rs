//! What a run tells whoever watches it, and how it is stopped.

use std::collections::BTreeMap;

use normative_reference::Spec;

use crate::judge::verdict::Verdict;

/// What a run is asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Cases.
    Cases,
    /// Generated calls.
    Calls,
    /// Calls that tell why others were refused.
    Probes,
    /// Ever smaller calls that fail, of each group of failures, and the grouping itself.
    Defects,
}

/// Somebody who watches a run. `()` does not, and stops nothing.
pub trait Watch {
    /// So many cases and generated calls of each spec are to be judged in all.
    fn plans(&mut self, _calls: &BTreeMap<Spec, usize>) {}

    /// So many calls are to be asked from here on. The answers to the first `on_record` are of an earlier run.
    fn begins(&mut self, _stage: Stage, _calls: usize, _on_record: usize) {}

    /// One of them, of this spec, was judged.
    fn judged(&mut self, _spec: Spec, _verdict: &Verdict) {}

    /// So many were asked, the last of them just now. `on_record` of them are of an earlier run.
    fn ends(&mut self, _stage: Stage, _asked: usize, _on_record: usize) {}

    /// How many processes want a processor of this machine, on average over the last minute; `None` where that is not known.
    fn load(&self) -> Option<f64> {
        None
    }

    /// Whether the run is to end before it has asked everything.
    fn stops(&self) -> bool {
        false
    }
}

impl Watch for () {}
