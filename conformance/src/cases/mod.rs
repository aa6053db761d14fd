//! The case corpus: the format of its files, and their loader.
//!
//! A case file says what to ask of an implementation and what the answer is. This module turns
//! text into [`Case`]s and judges nothing about norms: whether a claim is true, whether its clauses
//! exist, and whether the readings of an open case can be told apart is checked elsewhere, against
//! the reference. No input makes it panic, hang or allocate without bound; whatever is wrong with a
//! file is a [`LoadError`] that names file, line and case.
//!
//! # Format
//!
//! Case files are `<family>/<Operator>/<topic>.yaml` below one directory (the folder `clauses`
//! beside the families is the [ledger](clauses), `schema` holds JSON Schemas of both, and `found` what a
//! [hunt](crate::hunt) found, which belongs to the corpus once somebody has adopted it). They are UTF-8 YAML 1.2 without what parsers
//! disagree on: no anchors, aliases, tags, merge keys, directives, document markers (`---`, `...`),
//! tabs or line breaks other than LF and CRLF. A file has at most [1 MiB](guard::MAX_BYTES), and
//! its cases, expanded, at most [ten million elements](MAX_FILE_ELEMENTS). Unknown fields, repeated
//! keys, and `null` where it is not listed as a value are errors.
//!
//! - `topic`: what the cases have in common, on one line.
//! - `specs`: the specs every case expands over, by name (`onnx/ReduceL1-13`); at least one.
//! - `cases`: a list, not empty.
//!
//! ## A case
//!
//! - `id`: unique in the corpus; lower-case words and digits joined by '-'. It starts with the
//!   operator (`openvino-l1-`, `openvino-l2-`, `onnx-l1-`, `onnx-l2-`, `bnns-`), so that all specs of
//!   a case are versions of one operator, and it states the rule rather than count.
//! - `clauses`: names of the clauses it tests, the one it mainly tests first; at least one. Each is
//!   in the ledger of each of the case's specs.
//! - `why`: which wrong implementation it catches. A case that catches none is not worth having.
//! - `specs`: replaces the file's list. Default: the file's.
//! - `dtypes`: the element types of data it expands over: `f16` `bf16` `f32` `f64` `i8` `i16` `i32`
//!   `i64` `u8` `u16` `u32` `u64`; at least one.
//! - `data`: the tensor to reduce; see [below](#data).
//! - `axes`: see [below](#axes). Default: absent.
//! - `keep_dims`: OpenVINO's attribute, a boolean. Default: absent, which is not the same as false.
//! - `keepdims`, `noop_with_empty_axes`: ONNX's attributes, any integers, at any opset, because a
//!   model can carry any. Default: absent.
//! - `output_shape`: the dims of the tensor that a BNNS caller allocated, fastest axis first.
//!   Required for BNNS, which has no other way to learn of it, and an error elsewhere.
//! - `expect`: see [below](#expect).
//!
//! A case expands over specs, `dtypes` and the dtypes of an axes tensor, in this order and each in
//! the order of the file. An expansion is named `<id>/<version>/<dtype>`, version being the spec
//! after its slash, and `/axes-<dtype>` follows where an axes tensor lists several dtypes:
//! `openvino-l1-axis-zero/ReduceL1-4/f32`.
//!
//! ## Data
//!
//! - `shape`: the dims, a list of integers; `[]` is a scalar.
//! - exactly one of
//!   - `values`: every element;
//!   - `repeat`: one number, every element's;
//!   - `cycle`: a list, not empty, over and over until the shape is full;
//!   - `random`: a map of `seed`, `low`, `high` and `scale` (default 0). Element i, from 0, is
//!     (low + splitmix64(seed, i) mod (high - low + 1)) · 2^scale, which every dtype listed must hold
//!     exactly. splitmix64(seed, i), modulo 2^64 throughout, is
//!     z = seed + (i + 1) · 0x9E3779B97F4A7C15; z = (z ^ z >> 30) · 0xBF58476D1CE4E5B9;
//!     z = (z ^ z >> 27) · 0x94D049BB133111EB; z ^ z >> 31.
//! - `except`: a map of flat index, from 0, to the number that stands there instead. Default: none.
//!
//! Elements are row-major, the last axis fastest. BNNS is written as its page writes it: shapes
//! have the fastest axis first (width, height, channels), in `data`, `expect` and `output_shape`;
//! values and flat indices are in memory order, which is the same for everybody. In a [`Case`] the
//! shapes of data and results are reversed into row-major; that of [`Operator::Bnns`] is not.
//!
//! ## Axes
//!
//! - left out: absent, no such input, attribute or argument;
//! - `null`: an input with the empty name, or `nil`;
//! - a list, possibly empty: so many int64;
//! - a map of `dtypes`, `shape` and `values`: an axes tensor, one expansion per dtype. `shape: []` is
//!   a scalar, `[1, 1]` has two axes. Values are integers, for float dtypes too.
//!
//! ## Expect
//!
//! Exactly one of
//!
//! - `shape` and `values`: every result, rounded as written from the exact one;
//! - `shape` and `roots`: the results are the square roots of these non-negative numbers (decimal or
//!   hexadecimal); for integer dtypes, of perfect squares;
//! - `shape` and `repeat`: all results are this number;
//! - `shape` and `reference: true`: the results are whatever the reference evaluator says, and the
//!   file says so. `at` (flat index to result) and `roots_at` (flat index to the square of the
//!   result) may spell single ones. Default: none. `unbiased: true` has their errors looked at
//!   [together](crate::accuracy::whole) as well; only of float data drawn at random, and of a thousand
//!   results or more;
//! - `unchanged: true`: the data come back as they are;
//! - `rejected`: the name of the clause that the call breaks, so that it must be refused;
//! - `open` and `readings`: a [`Question`] by name, and a map with every reading of it, in the
//!   question's order, each to one of the forms above.
//!
//! Beside any `shape` there may be
//!
//! - `printed`: the digits the source prints, one finite number per result. They are known to be
//!   rounded carelessly and are held against the exact result only loosely. Default: none.
//!
//! ## Numbers
//!
//! A number is read exactly from its text and rounded once, to nearest, ties to even, for each
//! dtype of the case. It is one of
//!
//! - a decimal: `-1.5`, `1e-40`, `6.02e23`; no leading '+', zero or point;
//! - hexadecimal: `0x7f`, `0x1.8p3`, `-0x1p-149`;
//! - for a float dtype, `.inf`, `-.inf`, `.nan`, `tiny` (the smallest subnormal) and `normal` (the
//!   smallest normal number);
//! - `max` and `min`: the greatest finite value of the dtype and the smallest (for floats, -max);
//! - `bits:0x7fc00001`: the element's bits.
//!
//! For an integer dtype a number is an integer in range, spelled without point and exponent: `1.0`
//! and `-0.0` mean to say something that an integer does not. For a float dtype a finite number that
//! rounds to infinity is an error, because it is a mistake more often than not; write `.inf`. One
//! that is too small becomes a zero of its sign.

use std::fmt;
use std::path::PathBuf;

#[cfg(doc)]
use normative_reference::Operator;
use normative_reference::{Call, Clause, Question, Reading, Spec};

mod budget;
pub mod clauses;
mod data;
pub(crate) mod document;
mod elements;
pub mod error;
mod expand;
mod expect;
pub(crate) mod format;
pub mod guard;
pub mod load;
pub(crate) mod names;
pub mod number;
#[cfg(feature = "schema")]
pub mod schema;
pub mod write;

pub use clauses::{Ledger, LedgerClause, Level, load_ledger, load_ledger_text};
pub use error::{LoadError, Problem};
pub use expand::{name, prefix};
pub use load::{load, load_text};

/// The most elements that the cases of one file may hold, all expansions together.
///
/// What else an expansion copies (its data's dims, its texts, its results) is counted at a like
/// price, so this bounds the memory a file can ask for, by about 200 MB.
pub const MAX_FILE_ELEMENTS: usize = 10_000_000;

/// Loading a file holds at most so many bytes at a time for each byte of its text, besides what
/// [`MAX_FILE_ELEMENTS`] bounds and [`SPARE`] bytes.
///
/// The most is what the YAML crate and the outline of keys make of a text of brackets and single letters.
pub const EXPANSION: usize = 512;

/// What loading may hold beside that, however short the text.
pub const SPARE: usize = 128 * 1024;

/// Every case of a directory, in file, then file position, then spec, dtype and axes dtype order.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The expanded cases.
    pub cases: Vec<Case>,
}

/// One call with what is claimed of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The expanded name, unique in the corpus: `<id>/<version>/<dtype>`, then `/axes-<dtype>` where
    /// the case lists several types for its axes tensor.
    pub name: String,
    /// The name the case has in its file; its expansions share it.
    pub id: String,
    /// The file: the directory given to [`load()`], and the path below it.
    pub file: PathBuf,
    /// The line of the `id`, from 1.
    pub line: usize,
    /// The clauses it tests, the main one first.
    pub clauses: Vec<ClauseRef>,
    /// Which wrong implementation it catches.
    pub why: String,
    /// What is asked of the implementation.
    pub call: Call,
    /// What the file says of the answer.
    pub claim: Claim,
}

/// What a case says of the answer to its call.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// The text decides.
    Determined(Statement),
    /// The text does not, and each reading of one question says something else.
    Open {
        /// What is open.
        question: Question,
        /// Every reading of the question, in the question's order.
        readings: Vec<(Reading, Statement)>,
    },
}

impl Claim {
    /// Whether the errors of all elements are looked at [together](crate::accuracy::whole) as well.
    pub fn is_of_the_whole(&self) -> bool {
        let whole = |statement: &Statement| matches!(statement, Statement::Tensor(stated) if stated.unbiased);
        match self {
            Self::Determined(statement) => whole(statement),
            Self::Open { readings, .. } => readings.iter().any(|(_, statement)| whole(statement)),
        }
    }
}

/// What an answer is under one reading.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A tensor of the data's dtype.
    Tensor(TensorStatement),
    /// The data as they are.
    Unchanged,
    /// A refusal.
    Rejected {
        /// The name of the clause that the call breaks, in the ledger of the call's spec.
        clause: String,
    },
}

/// What is said of an output tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorStatement {
    /// Its dims, row-major: axis 0 is the slowest for every spec.
    pub shape: Vec<usize>,
    /// The elements spelled out: flat row-major index, and the bits in the data's dtype of the
    /// correctly rounded result. Ascending by index. All of them, or, where the file leaves the
    /// values to the reference evaluator, some or none.
    pub elements: Vec<(usize, u64)>,
    /// The digits the source prints, one per output element, or empty.
    pub printed: Vec<f64>,
    /// Whether the errors of all elements are looked at [together](crate::accuracy::whole) as well.
    pub unbiased: bool,
}

/// A clause by name; whether there is such a clause, the [`Ledger`] knows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClauseRef {
    /// The spec whose text makes the statement.
    pub spec: Spec,
    /// The statement's name within that spec.
    pub name: String,
}

impl From<&Clause> for ClauseRef {
    fn from(clause: &Clause) -> Self {
        Self { spec: clause.spec, name: clause.name.to_owned() }
    }
}

impl fmt::Display for ClauseRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.spec, self.name)
    }
}
