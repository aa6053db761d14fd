//! Why nothing more can be asked of a worker. It says nothing of any call, so it is never a verdict.
//!
//! A run that ends so is an error of the run. What was answered before stands.

use std::io;

use thiserror::Error;

use super::process::StartError;

/// Why a worker is asked no more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Halt {
    /// The judge itself lacks something: descriptors, processes, threads or memory.
    #[error("the judge ran out of something of its own: {0}")]
    Judge(String),
    /// Somebody wanted [an end](super::stop).
    #[error("stopped")]
    Stopped,
}

impl Halt {
    /// What a start that failed says of the judge; nothing where the worker is what failed.
    pub(super) fn of(error: &StartError) -> Option<Self> {
        match error {
            StartError::Judge(source) => Some(Self::Judge(source.to_string())),
            StartError::Stopped => Some(Self::Stopped),
            StartError::Spawn { .. }
            | StartError::NoHello { .. }
            | StartError::Unavailable(_)
            | StartError::MemoryLimit => None,
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
