//! Decides when a worker is given up: after too many calls in a row that crashed it or timed out.
//!
//! Calls are counted in the order in which they were given, not in the order asked. So the call from which on
//! nothing more is asked depends on the answers alone, not on window sizes or the number of workers.

use super::without_printed;
use crate::judge::verdict::Verdict;
use crate::observed::{Death, Observed};

/// After this many faults without an answer between them, a worker is given up: each costs processes, and
/// further ones are unlikely to be better.
pub const MAX_FAULTS: u32 = 200;

/// After this many timeouts without an answer between them, a worker is given up. Each costs a deadline and [a
/// longer one](super::SECOND_LIMIT), so together they take as long as 40 deadlines.
pub const MAX_TIMEOUTS: u32 = 8;

/// After this many timeouts, a worker that never gave an answer is given up.
pub const MAX_FIRST_TIMEOUTS: u32 = 3;

/// The first words of the reason why a worker that was given up was not asked a call.
const NOT_ASKED: &str = "not asked after";

/// Returns true if this verdict is on a call that was not asked, because its worker was given up before.
pub(crate) fn is_not_asked(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Crashed(how) if how.starts_with(NOT_ASKED))
}

/// The faults of the last calls in a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patience {
    /// True once it answered a call.
    answered: bool,
    faults: u32,
    timeouts: u32,
    /// The words of the last crash.
    crash: String,
}

impl Patience {
    /// Counts the answer to the next call. Once the worker is given up, nothing counts.
    pub(crate) fn count(&mut self, answer: &Observed) {
        if self.lost().is_some() {
            return;
        }
        match answer {
            Observed::Died(Death::TimedOut(_)) => {
                self.faults += 1;
                self.timeouts += 1;
            }
            Observed::Died(Death::Crashed(how)) => {
                without_printed(how).clone_into(&mut self.crash);
                self.faults += 1;
            }
            // The call may not have been sent at all.
            Observed::Unsupported(_) => {}
            Observed::Tensor(_)
            | Observed::Oversized { .. }
            | Observed::Rejected(_)
            | Observed::ChangedData(_) => *self = Self { answered: true, ..Self::default() },
        }
    }

    /// Returns the count after these answers.
    pub(crate) fn after<'a>(mut self, answers: impl IntoIterator<Item = &'a Observed>) -> Self {
        answers.into_iter().for_each(|answer| self.count(answer));
        self
    }

    /// Returns the answer to every further call, once the worker is given up.
    pub(crate) fn lost(&self) -> Option<Observed> {
        let timeouts = if self.answered { MAX_TIMEOUTS } else { MAX_FIRST_TIMEOUTS };
        let why = if self.faults >= MAX_FAULTS {
            format!("{NOT_ASKED} {MAX_FAULTS} faults in a row, such as {}", self.crash)
        } else if self.timeouts >= timeouts {
            format!("{NOT_ASKED} {timeouts} calls in a row without an answer in time")
        } else {
            return None;
        };
        Some(Observed::Died(Death::Crashed(why)))
    }
}
