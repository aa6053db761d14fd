//! The reasons why a worker can be asked nothing more. They concern no call, so they are never a verdict.
//!
//! A run that ends this way is an error. Earlier answers stand.

use std::io;
use std::time::Duration;

use thiserror::Error;

use super::start::StartError;

/// The reason why a worker is asked no more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Halt {
    /// The judge itself lacks a resource: descriptors, processes, threads or memory.
    #[error("the judge ran out of something of its own: {0}")]
    Judge(String),
    /// The worker started before, but does not start any more. No call is to blame: none was sent.
    #[error("the worker does not start any more, after {attempts} attempts in {:.1} s: {why}", lost.as_secs_f64())]
    NoStart {
        /// Failed starts, over the whole run.
        attempts: u32,
        /// The time they took.
        lost: Duration,
        /// The reason of the last failure, with the first and the last lines of its standard error.
        why: String,
    },
    /// The caller asked for [an end](super::stop).
    #[error("stopped")]
    Stopped,
}

/// After this many failed starts in a row a worker is given up, because further ones are unlikely to succeed.
pub const MAX_FAILED_STARTS: u32 = 5;

/// Failed starts of a worker that has started before.
#[derive(Default)]
pub(super) struct FailedStarts {
    in_a_row: u32,
    all: u32,
    lost: Duration,
}

impl FailedStarts {
    /// Ends the row of failures, after a successful start.
    pub(super) fn end_row(&mut self) {
        self.in_a_row = 0;
    }

    /// Counts a failed start that `took` this long. Returns the halt after [`MAX_FAILED_STARTS`] in a row, or a
    /// total of two hello limits, or an error that does not concern the worker.
    pub(super) fn count(&mut self, error: StartError, took: Duration, hello: Duration) -> Option<Halt> {
        match error {
            StartError::Judge(source) => Some(Halt::Judge(source.to_string())),
            StartError::Stopped => Some(Halt::Stopped),
            error @ (StartError::Spawn { .. }
            | StartError::NoHello { .. }
            | StartError::Unavailable(_)
            | StartError::MemoryLimit) => {
                self.in_a_row += 1;
                self.all += 1;
                self.lost += took;
                let (attempts, lost) = (self.all, self.lost);
                let over = self.in_a_row >= MAX_FAILED_STARTS || lost >= hello * 2;
                over.then(|| Halt::NoStart { attempts, lost, why: error.to_string() })
            }
        }
    }
}

/// Returns true if the system refused because a process or system-wide limit is reached.
#[cfg(unix)]
pub(super) fn is_short_of(error: &io::Error) -> bool {
    use rustix::io::Errno;

    let short = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM, Errno::NOBUFS];
    Errno::from_io_error(error).is_some_and(|errno| short.contains(&errno))
}

#[cfg(not(unix))]
pub(super) fn is_short_of(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
}
