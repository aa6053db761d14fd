//! Counts verdicts.

use crate::judge::verdict::Verdict;

/// The counts of the cases, or of the generated calls, of one spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls asked.
    pub run: usize,
    /// Answers that some honest reading accepts.
    pub conforms: usize,
    /// Answers that no reading accepts.
    pub fails: usize,
    /// Calls that crashed the backend or timed out.
    pub died: usize,
    /// Calls that the backend does not support.
    pub unsupported: usize,
    /// Calls, among those asked, with an open question.
    pub open: usize,
}

impl Tally {
    /// Counts one verdict.
    pub fn count(&mut self, verdict: &Verdict, open: bool) {
        self.run += 1;
        self.open += usize::from(open);
        match verdict {
            Verdict::Conforms { .. } => self.conforms += 1,
            Verdict::Fails(_) => self.fails += 1,
            Verdict::Crashed(_) | Verdict::TimedOut(_) => self.died += 1,
            Verdict::Unsupported(_) => self.unsupported += 1,
        }
    }

    /// Returns the sum of these counts.
    pub fn sum<'t>(tallies: impl IntoIterator<Item = &'t Self>) -> Self {
        tallies.into_iter().fold(Self::default(), |sum, tally| Self {
            run: sum.run + tally.run,
            conforms: sum.conforms + tally.conforms,
            fails: sum.fails + tally.fails,
            died: sum.died + tally.died,
            unsupported: sum.unsupported + tally.unsupported,
            open: sum.open + tally.open,
        })
    }

    /// Returns the number of calls that the backend executed, whatever the verdict.
    pub fn executed(&self) -> usize {
        self.run - self.unsupported
    }
}
