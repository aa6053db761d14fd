//! Decides when a worker is given up: after too many calls in a row that crashed it or timed out.
//!
//! Calls are counted in the order in which they were given, not in the order asked. So the call from which on
//! nothing more is asked depends on the answers alone, not on window sizes or the number of workers.

use super::without_printed;
use crate::observed::{Death, Observed};

/// After this many faults without an answer between them, a worker is given up: each costs processes, and
/// further ones are unlikely to be better.
pub const MAX_FAULTS: u32 = 200;

/// After this many timeouts without an answer between them, a worker is given up. Each costs a deadline and [a
/// longer one](super::SECOND_LIMIT), so together they take as long as 40 deadlines.
pub const MAX_TIMEOUTS: u32 = 8;

/// The faults of the last calls in a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patience {
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
        (self.faults, self.timeouts) = match answer {
            Observed::Died(Death::TimedOut(_)) => (self.faults + 1, self.timeouts + 1),
            Observed::Died(Death::Crashed(how)) => {
                without_printed(how).clone_into(&mut self.crash);
                (self.faults + 1, self.timeouts)
            }
            Observed::Tensor(_)
            | Observed::Oversized { .. }
            | Observed::Rejected(_)
            | Observed::Unsupported(_)
            | Observed::ChangedData(_) => (0, 0),
        };
    }

    /// Returns the count after these answers.
    pub(crate) fn after<'a>(mut self, answers: impl IntoIterator<Item = &'a Observed>) -> Self {
        answers.into_iter().for_each(|answer| self.count(answer));
        self
    }

    /// Returns the answer to every further call, once the worker is given up.
    pub(crate) fn lost(&self) -> Option<Observed> {
        let why = match (self.faults, self.timeouts) {
            (MAX_FAULTS.., _) => {
                format!("not asked after {MAX_FAULTS} faults in a row, such as {}", self.crash)
            }
            (_, MAX_TIMEOUTS..) => {
                format!("not asked after {MAX_TIMEOUTS} calls in a row without an answer in time")
            }
            _ => return None,
        };
        Some(Observed::Died(Death::Crashed(why)))
    }
}
