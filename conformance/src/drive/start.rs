//! The reasons why a worker could not be started.

use std::io;
use std::path::PathBuf;

use normative_backend::Unavailable;
use thiserror::Error;

/// The reason why a worker could not be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// There is no such program, or the system refused to run it.
    #[error("cannot run {}: {source}", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The judge lacks a resource to start it: descriptors, processes, threads or memory.
    #[error("the judge ran out of something of its own: {0}")]
    Judge(io::Error),
    /// The caller asked for [an end](super::stop).
    #[error("stopped")]
    Stopped,
    /// It ran, but its hello never came, or was invalid.
    #[error("expected a hello of {}, as PROTOCOL.md has it; got none: {why}", program.display())]
    NoHello {
        /// The program.
        program: PathBuf,
        /// The details, with the first and the last lines of its standard error.
        why: String,
    },
    /// It said that its runtime is not available.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// A memory limit was asked for on a system without `ulimit`.
    #[error("a memory limit needs a Unix system")]
    MemoryLimit,
}
