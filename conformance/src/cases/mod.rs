//! The case corpus: its file format and its loader.

use std::fmt;
use std::path::PathBuf;

use normative_reference::{Call, Clause, Question, Reading, Spec};

pub mod clauses;
pub mod error;
pub mod load;

pub use clauses::{Ledger, LedgerClause, Level, load_ledger};
pub use error::{LoadError, Problem};
pub use load::{load, load_text};

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
    /// The file, below the directory given to [`load`].
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
