//! What a run tells whoever watches it, and how it is stopped.

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
}

/// Somebody who watches a run. `()` does not, and stops nothing.
pub trait Watch {
    /// So many calls are to be asked from here on.
    fn begins(&mut self, _stage: Stage, _calls: usize) {}

    /// One of them was judged.
    fn judged(&mut self, _verdict: &Verdict) {}

    /// So many were asked, the last of them just now. `on_record` of them are of an earlier run.
    fn ends(&mut self, _stage: Stage, _asked: usize, _on_record: usize) {}

    /// Whether the run is to end before it has asked everything.
    fn stops(&self) -> bool {
        false
    }
}

impl Watch for () {}
