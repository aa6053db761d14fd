//! Verdicts, counted.

use crate::judge::verdict::Verdict;

/// What became of the cases, or of the generated calls, of one spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls made.
    pub run: usize,
    /// Answers some honest reading accepts.
    pub conforms: usize,
    /// Answers none accepts.
    pub fails: usize,
    /// Calls that brought the backend down, or that it did not answer in time.
    pub died: usize,
    /// Calls the backend says it cannot do.
    pub unsupported: usize,
    /// Calls, among those made, that put an open question.
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

    /// The counts of all these together.
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

    /// How many calls the backend took up, whatever came of them.
    pub fn executed(&self) -> usize {
        self.run - self.unsupported
    }
}
