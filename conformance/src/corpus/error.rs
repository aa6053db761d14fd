//! What can be wrong with a file of the corpus, and where.

use std::path::PathBuf;

use thiserror::Error;

use super::guard::{MAX_BYTES, Refusal};
use super::number::NumberError;
use crate::judge::accuracy::whole::FEWEST_OUTPUTS;
use crate::nearest::did_you_mean;
use normative_reference::{Dtype, Question, Spec, TensorError};

/// One problem in one file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}:{line}: {}{problem}", file.display(), case.as_ref().map(|case| format!("{case}: ")).unwrap_or_default())]
pub struct LoadError {
    /// The file or directory.
    pub file: PathBuf,
    /// The line, from 1; 1 where the problem is the file as a whole.
    pub line: usize,
    /// The case or clause, where it is known.
    pub case: Option<String>,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// The file system says no.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// Nor can it be put there.
    #[error("cannot be written: {0}")]
    Unwritable(String),
    /// Neither a directory nor a regular file, or a name the walk would pass over in silence.
    #[error("is no case file: it wants a regular file whose name ends in .yaml")]
    NotACaseFile,
    /// Nothing to read at all.
    #[error("holds no .yaml file")]
    NoFiles,
    /// Beyond [`MAX_BYTES`].
    #[error("is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// Not UTF-8.
    #[error("is not UTF-8")]
    NotUtf8,
    /// YAML that the corpus does without.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// Not YAML, an unknown, missing or repeated field, or a value of the wrong type.
    #[error("{0}")]
    Yaml(String),

    /// A baseline of a version that counted failures.
    #[error(
        "expected a baseline that names calls, got one of an earlier version: move it away, write it anew with --baseline-update, and \
         copy what it says under `issue` and `comment`"
    )]
    OldBaseline,

    /// A text that must say something, on one line where it is a title.
    #[error("{field}: is empty, or has a line too many")]
    Text {
        /// The field.
        field: &'static str,
    },
    /// A list that must hold something.
    #[error("{field}: is empty")]
    EmptyList {
        /// The field.
        field: &'static str,
    },
    /// A list that names the same thing twice.
    #[error("{field}: names `{name}` twice")]
    Repeated {
        /// The field.
        field: &'static str,
        /// What it names.
        name: String,
    },
    /// An id or a clause name that is not lower-case words and digits joined by '-'.
    #[error("{field}: `{name}` is not lower-case words and digits joined by '-'")]
    BadName {
        /// The field.
        field: &'static str,
        /// What it says.
        name: String,
    },
    /// An id that does not start with its operator.
    #[error("id: a case of {spec} starts with `{prefix}`")]
    WrongPrefix {
        /// One of the case's specs.
        spec: Spec,
        /// What its ids start with.
        prefix: &'static str,
    },
    /// A second case of that id, or a second clause of that name.
    #[error("is already at {}:{line}", file.display())]
    Duplicate {
        /// Where the first one is.
        file: PathBuf,
        /// Its line.
        line: usize,
    },
    /// A name that [`Spec::from_name`] does not know.
    #[error("{field}: there is no spec `{name}`{}", did_you_mean(name, Spec::ALL.iter().map(|spec| spec.name())))]
    UnknownSpec {
        /// The field.
        field: &'static str,
        /// What it says.
        name: String,
    },
    /// A name that [`Dtype::from_name`](normative_reference::Dtype::from_name) does not know.
    #[error("{field}: there is no element type `{name}`, only {}", dtypes())]
    UnknownDtype {
        /// The field.
        field: &'static str,
        /// What it says.
        name: String,
    },
    /// A name that [`Question::from_name`] does not know.
    #[error(
        "{field}: there is no question `{name}`{}",
        did_you_mean(name, Question::ALL.iter().map(|question| question.name()))
    )]
    UnknownQuestion {
        /// The field.
        field: &'static str,
        /// What it says.
        name: String,
    },
    /// Readings other than the question's own, in its order.
    #[error("expect.readings: expected two or more of {}, in this order, for {question}; got {}", expected.join(", "), found.join(", "))]
    Readings {
        /// The question.
        question: Question,
        /// Its readings.
        expected: Vec<&'static str>,
        /// Those in the file.
        found: Vec<String>,
    },
    /// A clause whose level and questions disagree.
    #[error("questions: an open clause names at least one, another clause none")]
    Questions,

    /// An attribute of some other operator.
    #[error("{field}: {spec} has none")]
    ForeignField {
        /// The field.
        field: &'static str,
        /// The spec.
        spec: Spec,
    },
    /// A BNNS case without its destination.
    #[error("output_shape: is missing, and bnns/computeNorm writes into a tensor of the caller's")]
    NoOutputShape,
    /// A BLAS case without its vector.
    #[error("expected n and incx, which every routine of BLAS takes")]
    NoVector,
    /// A BLAS call that reads behind the end of its data, or more elements than data may have.
    #[error("expected at least {reach} elements of data, and n of no more than data may have")]
    BeyondData {
        /// The least length of data that holds the vector.
        reach: u64,
    },
    /// An integer that stands for neither false nor true.
    #[error("expected 0 for false or 1 for true")]
    NoBoolean,
    /// A call of which the spec says that nothing is required.
    #[error("nothing is required of such a call: expected {expected}")]
    NotRequired {
        /// What something is required of.
        expected: &'static str,
    },
    /// An order that its spec does not have.
    #[error("expected 2, the order of an L2 norm; the case of an L1 norm leaves it out")]
    OtherOrder,
    /// None, or more than one, of the fields of which there must be exactly one.
    #[error("{field}: wants exactly one of {}; has {}", wanted.join(", "), if found.is_empty() { "none".to_owned() } else { found.join(", ") })]
    NotOneForm {
        /// The field.
        field: String,
        /// The fields to choose from.
        wanted: &'static [&'static str],
        /// Those that are there.
        found: Vec<&'static str>,
    },
    /// A field that belongs to another form than the one chosen, or is missing from it.
    #[error("{field}: `{form}` {}", if *.missing { "needs it" } else { "does not take it" })]
    Companion {
        /// The field.
        field: String,
        /// The form chosen.
        form: &'static str,
        /// Whether it is missing rather than out of place.
        missing: bool,
    },
    /// Too little is known of the data, or asked of them, to tell a bias.
    #[error("{field}: wants float data drawn at random, and {} results or more", FEWEST_OUTPUTS)]
    Unbiased {
        /// The field.
        field: String,
    },
    /// A flag that may be left out, but not be false.
    #[error("{field}: is true or left out")]
    FalseFlag {
        /// The field.
        field: String,
    },

    /// A shape of too many elements.
    #[error("{field}: {error}")]
    Shape {
        /// The field.
        field: String,
        /// What is wrong with it.
        error: TensorError,
    },
    /// More than a file may ask for.
    #[error("the cases of this file, expanded, hold more than {} elements", super::MAX_FILE_ELEMENTS)]
    TooManyElements,
    /// A list that does not fill its shape.
    #[error("{field}: the shape needs {needed} values, {given} given")]
    Count {
        /// The field.
        field: String,
        /// The product of the dims.
        needed: usize,
        /// How many there are.
        given: usize,
    },
    /// A flat index beyond the shape.
    #[error("{field}: there is no element {index} in {count}")]
    Index {
        /// The field.
        field: String,
        /// The index.
        index: usize,
        /// The product of the dims.
        count: usize,
    },
    /// Rows along dims that are not there, or not in order.
    #[error("data.pairs.along: expected dims of the shape, each once and ascending")]
    RowAxes,
    /// A range without numbers.
    #[error("data.random: low is above high")]
    EmptyRange,
    /// A spelling that is no number of the element type.
    #[error("{field}: `{text}` {error}")]
    Number {
        /// The field.
        field: String,
        /// The spelling, cut where it is long.
        text: String,
        /// What is wrong with it.
        error: NumberError,
    },
}

/// The names of all element types.
fn dtypes() -> String {
    Dtype::ALL.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
