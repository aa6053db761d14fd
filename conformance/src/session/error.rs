//! The reasons why a run, or the report of a record, fails.

use std::io;
use std::path::PathBuf;

use normative_reference::TensorError;
use thiserror::Error;

use crate::drive::Halt;
use crate::report::record::RecordError;
use crate::run::property::Id;

/// The reason why there is no report.
#[derive(Debug, Error)]
pub enum SessionError {
    /// No more calls can be asked.
    #[error(transparent)]
    Halted(#[from] Halt),
    /// A generated call is too large to be made.
    #[error("generated call {id}: {source}")]
    Unmade {
        /// The call.
        id: Id,
        /// The error.
        source: TensorError,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// There is no such record.
    #[error("{}: expected the record of a run, got no file", .0.display())]
    NoRecord(PathBuf),
    /// A record is not well-formed.
    #[error("{}: {source}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The error.
        source: RecordError,
    },
    /// Another run writes the record.
    #[error("{}: another run is writing this record", .0.display())]
    Busy(PathBuf),
    /// The run to resume asked something else.
    #[error("{}: expected the record of the same run, got one of another: {what}", path.display())]
    Another {
        /// The record.
        path: PathBuf,
        /// The difference.
        what: String,
    },
    /// The run to resume is complete.
    #[error("{}: expected a run that was cut off, got a complete one", .0.display())]
    Complete(PathBuf),
    /// A record does not fit the run to resume, the cases, or this version.
    #[error("{0}")]
    Unfit(String),
}
