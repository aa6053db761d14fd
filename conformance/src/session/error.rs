//! Why a run, or the report of one that is on record, does not come about.

use std::io;
use std::path::PathBuf;

use normative_reference::TensorError;
use thiserror::Error;

use crate::drive::Halt;
use crate::report::record::RecordError;
use crate::run::property::Id;

/// Why there is no report.
#[derive(Debug, Error)]
pub enum SessionError {
    /// Nothing more can be asked.
    #[error(transparent)]
    Halted(#[from] Halt),
    /// A generated call is too large to be made.
    #[error("generated call {id}: {source}")]
    Unmade {
        /// Which.
        id: Id,
        /// Why.
        source: TensorError,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
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
        /// Why.
        source: RecordError,
    },
    /// Another run writes the record.
    #[error("{}: another run is writing this record", .0.display())]
    Busy(PathBuf),
    /// The run to go on with was of something else.
    #[error("{}: that run was of something else: {what}", path.display())]
    Another {
        /// The record.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// The run to go on with has ended.
    #[error("{}: that run is complete", .0.display())]
    Complete(PathBuf),
    /// The run to go on with had another order.
    #[error("{0} is not what comes next in this run")]
    NotNext(String),
    /// A record is of another corpus.
    #[error("that run was of other cases than these")]
    OtherCases,
    /// A record names what is not in the corpus.
    #[error("it names cases twice, or cases that there are not")]
    Cases,
    /// A call that was made small is too large for the reference.
    #[error("what {of} was made into: {source}")]
    TooLarge {
        /// What it was made from.
        of: String,
        /// Why.
        source: TensorError,
    },
    /// A record demands what this version does not know.
    #[error("{0}")]
    Demands(String),
    /// A record names a generated call that there is not.
    #[error("generated call {name}: {why}")]
    Name {
        /// What it says.
        name: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A record has a generated call twice, or one of another row or part than its header says.
    #[error("generated call {0} is there twice, or is none of this run")]
    Stray(String),
    /// A record says that it is of a part that there is not.
    #[error("it is of part {index} of {of}")]
    Part {
        /// Which part, from 1.
        index: u64,
        /// How many there are.
        of: u64,
    },
    /// A record has more answers than were to be asked for.
    #[error("it has {there} {what}, where {due} are due")]
    TooMany {
        /// Cases, or generated calls.
        what: &'static str,
        /// How many there are.
        there: usize,
        /// How many there should be at most.
        due: usize,
    },
    /// A record has a second answer without a first.
    #[error("{0} was asked again, but never asked")]
    NeverAsked(String),
    /// A record to be merged is that of a whole run.
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
        /// The second of them.
        path: PathBuf,
        /// Which part, from 1.
        part: u64,
    },
    /// Parts to be merged are not all.
    #[error("of {of} parts there is no {missing}")]
    Missing {
        /// How many there should be.
        of: u64,
        /// Those that are not there.
        missing: String,
    },
    /// There is nothing to merge.
    #[error("no record")]
    Nothing,
}
