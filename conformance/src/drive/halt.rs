//! Why nothing more can be asked of a worker. It says nothing of any call, so it is never a verdict.
//!
//! A run that ends so is an error of the run. What was answered before stands.

use std::io;
use std::time::Duration;

use thiserror::Error;

use super::start::StartError;

/// Why a worker is asked no more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Halt {
    /// The judge itself lacks something: descriptors, processes, threads or memory.
    #[error("the judge ran out of something of its own: {0}")]
    Judge(String),
    /// The worker has started before, and does not start any more. No call is to blame: none was sent.
    #[error("the worker does not start any more, after {attempts} attempts in {:.1} s: {why}", lost.as_secs_f64())]
    NoStart {
        /// Failed starts, over the whole run.
        attempts: u32,
        /// What they took.
        lost: Duration,
        /// Why the last one failed, with the first and the last lines of its standard error.
        why: String,
    },
    /// Somebody wanted [an end](super::stop).
    #[error("stopped")]
    Stopped,
}

/// After this many failed starts in a row a worker is given up: the next will be no better.
pub const MAX_FAILED_STARTS: u32 = 5;

/// Failed starts of a worker that has started before.
#[derive(Default)]
pub(super) struct FailedStarts {
    in_a_row: u32,
    all: u32,
    lost: Duration,
}

impl FailedStarts {
    /// A start went well.
    pub(super) fn end_row(&mut self) {
        self.in_a_row = 0;
    }

    /// Counts a failed start that `took` so long. Whether that is the end: so many failed in a row, or all together took
    /// as long as two hellos may, or it says nothing of the worker.
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

/// Whether the system refused because this process, or all together, have too much already.
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
