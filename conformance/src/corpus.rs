//! The case corpus: the format of its files, and their loader.
//!
//! A case file states a call and its answer. This module turns text into [`Case`]s and judges nothing about
//! norms. Other modules check against the reference that a claim is true, that its clauses exist, and that the
//! readings of an open case can be told apart. No input makes it panic, hang or allocate without bound; any
//! error in a file is a [`LoadError`] that names file, line and case.
//!
//! # Format
//!
//! `docs/case-format.md` explains the files, field by field, with examples of the corpus.
//! `cargo xtask cases lock` makes it from the JSON Schemas in `cases/schema`, whose fields are those of the
//! types here; tests hold both together. The files are in one directory: `<family>/<topic>.yaml`, or
//! `<topic>.yaml` for several families. Beside them are `clauses`, the [ledger](clauses), `schema` and `found`,
//! the calls that runs kept.
//!
//! In a [`Case`] the shapes of data and results are row-major, even for BNNS, whose files write them from the
//! fastest axis; that of [`Operator::Bnns`] stays as written.

pub(crate) mod cited;
pub mod claim;

use std::fmt;
use std::path::PathBuf;

#[cfg(doc)]
use normative_reference::Operator;
use normative_reference::{Call, Clause, Question, Reading, Spec};

mod budget;
pub mod clauses;
mod data;
pub mod document;
mod elements;
pub mod error;
mod expand;
mod expect;
pub(crate) mod format;
mod forms;
pub mod guard;
pub mod kernels;
pub mod line;
pub mod load;
pub mod misread;
pub(crate) mod names;
pub mod number;
pub mod stated;
pub mod write;

pub use clauses::{Ledger, LedgerClause, Level, load_ledger, load_ledger_text, load_ledger_texts};
pub use error::{LoadError, Problem};
pub use expand::name;
pub use format::Random;
pub use load::{load, load_text, load_texts};
pub use names::prefix;

/// The most elements that the cases of one file may hold, all expansions together.
///
/// Other parts that an expansion copies (its data's dims, its texts, its results) have a similar price, so this
/// bounds the memory for a file by about 200 MB.
pub const MAX_FILE_ELEMENTS: usize = 20_000_000;

/// The most bytes that loading a file holds at a time for each byte of its text, besides the bound by
/// [`MAX_FILE_ELEMENTS`] and [`SPARE`] bytes.
///
/// The worst case is a text of brackets and single letters, in the YAML crate and the outline of keys.
pub const EXPANSION: usize = 512;

/// The bytes that loading may hold besides that, however short the text.
pub const SPARE: usize = 128 * 1024;

/// Every case of a directory, in file, then file position, then spec, dtype and axes dtype order.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The expanded cases.
    pub cases: Vec<Case>,
}

/// One call with a claim about its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The expanded name, unique in the corpus: `<id>/<version>/<dtype>`, then `/axes-<dtype>` if the case
    /// lists several types for its axes tensor.
    pub name: String,
    /// The name of the case in its file; its expansions share it.
    pub id: String,
    /// The file: the directory given to [`load()`], and the path below it.
    pub file: PathBuf,
    /// The line of the `id`, from 1.
    pub line: usize,
    /// The clauses it tests, the main one first. Empty for a call that a user [wrote](mod@line), which claims nothing.
    pub clauses: Vec<ClauseRef>,
    /// The wrong implementation that it catches.
    pub why: String,
    /// The call for the implementation.
    pub call: Call,
    /// The rule that drew the data, if they were drawn.
    pub random: Option<Random>,
    /// The claim of the file about the answer.
    pub claim: CaseClaim,
}

/// The claim of a case about the answer to its call.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseClaim {
    /// The text decides.
    Determined(Statement),
    /// The text does not decide, and each reading of one question expects another answer.
    Open {
        /// The open question.
        question: Question,
        /// Every reading of the question, in the question's order.
        readings: Vec<(Reading, Statement)>,
    },
}

impl CaseClaim {
    /// Returns true if the errors of all elements are also judged [together](crate::judge::accuracy::whole).
    pub fn is_of_the_whole(&self) -> bool {
        let whole = |statement: &Statement| matches!(statement, Statement::Tensor(stated) if stated.unbiased);
        match self {
            Self::Determined(statement) => whole(statement),
            Self::Open { readings, .. } => readings.iter().any(|(_, statement)| whole(statement)),
        }
    }

    /// Returns bytes for a digest: equal only for equal claims. Each list has its length before it.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Determined(statement) => {
                out.push(1);
                statement.put(&mut out);
            }
            Self::Open { question, readings } => {
                out.push(2);
                put_text(&mut out, question.name());
                put_number(&mut out, readings.len() as u64);
                for (reading, statement) in readings {
                    put_text(&mut out, reading.name());
                    statement.put(&mut out);
                }
            }
        }
        out
    }
}

fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend(text.as_bytes());
}

impl Statement {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Tensor(TensorStatement { shape, elements, printed, unbiased }) => {
                out.push(1);
                put_number(out, shape.len() as u64);
                for &dim in shape {
                    put_number(out, dim as u64);
                }
                put_number(out, elements.len() as u64);
                for &(at, bits) in elements {
                    put_number(out, at as u64);
                    put_number(out, bits);
                }
                put_number(out, printed.len() as u64);
                for digits in printed {
                    put_number(out, digits.to_bits());
                }
                out.push(u8::from(*unbiased));
            }
            Self::Unchanged => out.push(2),
            Self::Rejected { clause } => {
                out.push(3);
                put_text(out, clause);
            }
            Self::Outside { clause } => {
                out.push(4);
                put_text(out, clause);
            }
        }
    }
}

/// The answer under one reading.
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
    /// Any answer, because the text says that this is outside its scope.
    Outside {
        /// The name of the clause that the call breaks, like for a refusal.
        clause: String,
    },
}

/// The claim about an output tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorStatement {
    /// Its dims, row-major: axis 0 is the slowest for every spec.
    pub shape: Vec<usize>,
    /// The elements spelled out: the flat row-major index, and the bits of the correctly rounded result in the
    /// data's dtype. Ascending by index. All of them, or, if the file leaves the values to the reference
    /// evaluator, any part.
    pub elements: Vec<(usize, u64)>,
    /// The digits the source prints, one per output element, or empty.
    pub printed: Vec<f64>,
    /// True if the errors of all elements are also judged [together](crate::judge::accuracy::whole).
    pub unbiased: bool,
}

/// A clause by name; the [`Ledger`] knows if it exists.
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
