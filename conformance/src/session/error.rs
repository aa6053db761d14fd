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
    /// The run to resume had another order.
    #[error("expected the next call of this run, got {0}")]
    NotNext(String),
    /// A record is of another corpus.
    #[error("expected a run of these cases, got one of others")]
    OtherCases,
    /// A record names cases that are not in the corpus.
    #[error("expected each case of the corpus at most once, got one twice or an unknown one")]
    Cases,
    /// A call that was made small is too large for the reference.
    #[error("what {of} was made into: {source}")]
    TooLarge {
        /// The name of the original call.
        of: String,
        /// The error.
        source: TensorError,
    },
    /// A record demands something unknown to this version.
    #[error("{0}")]
    Demands(String),
    /// A record names a generated call that does not exist.
    #[error("generated call {name}: {why}")]
    Name {
        /// The name in the record.
        name: String,
        /// The error.
        why: &'static str,
    },
    /// A record has a generated call twice, or one of another row than its header says.
    #[error("expected each generated call of this run once, got {0} twice or from another run")]
    Stray(String),
    /// A record has more answers than calls to ask.
    #[error("expected {due} {what}, got {there}")]
    TooMany {
        /// Cases, or generated calls.
        what: &'static str,
        /// The number of answers.
        there: usize,
        /// The greatest possible number.
        due: usize,
    },
    /// A record has a second answer without a first.
    #[error("expected a call that was asked before, got {0}")]
    NeverAsked(String),
}
