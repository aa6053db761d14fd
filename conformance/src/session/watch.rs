//! Informs an observer of a run's progress, and lets it stop the run.

use crate::judge::verdict::Verdict;

/// The stage of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Cases.
    Cases,
    /// Generated calls.
    Calls,
    /// Calls that explain refusals.
    Probes,
    /// Smaller and smaller calls that fail, for each group of failures, and the grouping itself.
    Defects,
}

/// An observer of a run. `()` ignores everything and never stops a run.
pub trait Watch {
    /// Gets the number of calls of the stage that begins; the first `on_record` answers are of an earlier run.
    fn begins(&mut self, _stage: Stage, _calls: usize, _on_record: usize) {}

    /// Gets the verdict on one of them.
    fn judged(&mut self, _verdict: &Verdict) {}

    /// Gets the number of calls asked when the stage ends; `on_record` of them are of an earlier run.
    fn ends(&mut self, _stage: Stage, _asked: usize, _on_record: usize) {}

    /// Returns true to end the run before everything is asked.
    fn stops(&self) -> bool {
        false
    }
}

impl Watch for () {}
