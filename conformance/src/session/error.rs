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
    #[error("{}: there is no record of a run", .0.display())]
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
    #[error("{}: that run was of something else: {what}", path.display())]
    Another {
        /// The record.
        path: PathBuf,
        /// The difference.
        what: String,
    },
    /// The run to resume is complete.
    #[error("{}: that run is complete", .0.display())]
    Complete(PathBuf),
    /// The run to resume had another order.
    #[error("{0} is not what comes next in this run")]
    NotNext(String),
    /// A record is of another corpus.
    #[error("that run was of other cases than these")]
    OtherCases,
    /// A record names cases that are not in the corpus.
    #[error("it names cases twice, or cases that there are not")]
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
    /// A record has a generated call twice, or one of another row or part than its header says.
    #[error("generated call {0} is there twice, or is none of this run")]
    Stray(String),
    /// A record is of a part that does not exist.
    #[error("it is of part {index} of {of}")]
    Part {
        /// The number of the part, from 1.
        index: u64,
        /// The number of parts.
        of: u64,
    },
    /// A record has more answers than calls to ask.
    #[error("it has {there} {what}, where {due} are due")]
    TooMany {
        /// Cases, or generated calls.
        what: &'static str,
        /// The number of answers.
        there: usize,
        /// The greatest possible number.
        due: usize,
    },
    /// A record has a second answer without a first.
    #[error("{0} was asked again, but never asked")]
    NeverAsked(String),
    /// A record to be merged is of a whole run.
    #[error("{}: that is no part", .0.display())]
    NoPart(PathBuf),
    /// A part to be merged lacks its end.
    #[error("{}: that run was cut off", .0.display())]
    CutOff(PathBuf),
    /// Parts to be merged do not belong together.
    #[error("{}: that is a part of another run than the first", .0.display())]
    OfAnother(PathBuf),
    /// Two files hold one part.
    #[error("{}: part {part} is there twice", path.display())]
    Twice {
        /// The second file.
        path: PathBuf,
        /// The number of the part, from 1.
        part: u64,
    },
    /// Some parts to be merged are missing.
    #[error("of {of} parts there is no {missing}")]
    Missing {
        /// The number of parts.
        of: u64,
        /// The missing parts.
        missing: String,
    },
    /// There is nothing to merge.
    #[error("no record")]
    Nothing,
}
