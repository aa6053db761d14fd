//! The errors of a file of the corpus, with their places.

use std::path::PathBuf;

use thiserror::Error;

use super::guard::{MAX_BYTES, Refusal};
use super::number::NumberError;
use crate::display;
use crate::judge::accuracy::whole::FEWEST_OUTPUTS;
use crate::nearest::did_you_mean;
use normative_reference::{Dtype, Family, Question, Spec, TensorError};

/// One problem in one file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}:{line}: {}{problem}", file.display(), case.as_ref().map(|case| format!("{case}: ")).unwrap_or_default())]
pub struct LoadError {
    /// The file or directory.
    pub file: PathBuf,
    /// The line, from 1; 1 for a problem of the whole file.
    pub line: usize,
    /// The case or clause, if known.
    pub case: Option<String>,
    /// The problem.
    pub problem: Problem,
}

/// A problem in a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// The file system does not allow to read it.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The file system does not allow to write it.
    #[error("cannot be written: {0}")]
    Unwritable(String),
    /// Neither a directory nor a regular file, or a name that the walk would silently ignore.
    #[error("not a case file: expected a regular file whose name ends in .yaml")]
    NotACaseFile,
    /// A file where a folder is read.
    #[error("expected a folder, got a file")]
    NotAFolder,
    /// There are no files to read.
    #[error("expected at least one .yaml file, got none")]
    NoFiles,
    /// The file is longer than [`MAX_BYTES`].
    #[error("expected at most {MAX_BYTES} bytes, got more")]
    TooLong,
    /// Not UTF-8.
    #[error("expected UTF-8, got other bytes")]
    NotUtf8,
    /// YAML features that the corpus does not use.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// Not YAML, an unknown, missing or repeated field, or a value of the wrong type.
    #[error("{0}")]
    Yaml(String),
    /// A problem of an entry, in the words of a reader outside this crate.
    #[error("{0}")]
    Entry(String),

    /// An empty text, or a title of several lines.
    #[error("{field}: expected a text on one line")]
    Text {
        /// The field.
        field: &'static str,
    },
    /// An empty list.
    #[error("{field}: expected a list of one or more, got an empty one")]
    EmptyList {
        /// The field.
        field: &'static str,
    },
    /// A list that names the same thing twice.
    #[error("{field}: expected each name once, got `{name}` twice")]
    Repeated {
        /// The field.
        field: &'static str,
        /// The repeated name.
        name: String,
    },
    /// An id or a clause name that is not lower-case words and digits joined by '-'.
    #[error("{field}: expected lower-case words and digits joined by '-', got `{name}`")]
    BadName {
        /// The field.
        field: &'static str,
        /// The name in the file.
        name: String,
    },
    /// A second case of that id, or a second clause of that name.
    #[error("expected a name of its own, got that of {}:{line}", file.display())]
    Duplicate {
        /// The file of the first one.
        file: PathBuf,
        /// Its line.
        line: usize,
    },
    /// A name that [`Spec::from_name`] does not know.
    #[error("{field}: expected the name of a spec, got `{name}`{}", did_you_mean(name, Spec::ALL.iter().map(|spec| spec.name())))]
    UnknownSpec {
        /// The field.
        field: &'static str,
        /// The name in the file.
        name: String,
    },
    /// A name that [`Dtype::from_name`](normative_reference::Dtype::from_name) does not know.
    #[error("{field}: expected one of the element types {}, got `{name}`", dtypes())]
    UnknownDtype {
        /// The field.
        field: &'static str,
        /// The name in the file.
        name: String,
    },
    /// A name that [`Question::from_name`] does not know.
    #[error(
        "{field}: expected the name of one question, got `{name}`{}",
        did_you_mean(name, Question::ALL.iter().map(|question| question.name()))
    )]
    UnknownQuestion {
        /// The field.
        field: &'static str,
        /// The name in the file.
        name: String,
    },
    /// The readings differ from the question's own, in its order.
    #[error("expect.open: expected two or more of {}, in this order, for {question}; got {}", expected.join(", "), found.join(", "))]
    Readings {
        /// The question.
        question: Question,
        /// Its readings.
        expected: Vec<&'static str>,
        /// Those in the file.
        found: Vec<String>,
    },
    /// A clause whose level and questions disagree.
    #[error("questions: expected one or more for an open clause, and none for another; got the reverse")]
    Questions,

    /// A field that neither a case nor a part of it has.
    #[error("expected {field} for {spec}, got none")]
    Missing {
        /// The field.
        field: &'static str,
        /// The spec.
        spec: Spec,
    },
    /// A field that both the norm's part and the family's part of a case have.
    #[error("{field}: expected one for {spec}, got one for its norm and one for its family")]
    SaidTwice {
        /// The field.
        field: &'static str,
        /// The spec.
        spec: Spec,
    },
    /// A field of the case that no spec takes.
    #[error("{field}: expected a spec that takes it, but each has its own in its part")]
    Unread {
        /// The field.
        field: &'static str,
    },
    /// A part of a norm or family that the case does not have.
    #[error("{name}: expected a norm or a family of the case's specs")]
    PartOfNone {
        /// The part's name.
        name: &'static str,
    },
    /// A case of several operators without a type for one.
    #[error("dtypes: expected a type that {spec} has")]
    NoType {
        /// The spec.
        spec: Spec,
    },

    /// An attribute of another operator.
    #[error("{field}: expected a field that {spec} takes, got one of other specs")]
    ForeignField {
        /// The field.
        field: &'static str,
        /// The spec.
        spec: Spec,
    },
    /// A BNNS case without its destination.
    #[error("output_shape: expected the dims of the tensor that bnns/computeNorm writes to, got none")]
    NoOutputShape,
    /// A BLAS case without its vector.
    #[error("expected n and incx, as every routine of BLAS takes them; got one or none of them")]
    NoVector,
    /// A BLAS call that reads behind the end of its data, or more elements than data may have.
    #[error("expected at least {reach} elements of data, and n of no more than data may have")]
    BeyondData {
        /// The least length of data that holds the vector.
        reach: u64,
    },
    /// An integer that stands for neither false nor true, or that has a plainer spelling.
    #[error("keep_dims: expected true or false, or for ONNX an integer other than 0 and 1")]
    NoBoolean,
    /// A call for which the spec requires nothing.
    #[error("nothing is required of such a call: expected {expected}")]
    NotRequired {
        /// The calls for which something is required.
        expected: &'static str,
    },
    /// An order that its spec does not have.
    #[error("expected 2 for an L2 norm, and none for an L1 norm; got another")]
    OtherOrder,
    /// A field set with none or several fields, where exactly one is required.
    #[error("{field}: expected exactly one of {}; got {}", wanted.join(", "), if found.is_empty() { "none".to_owned() } else { found.join(", ") })]
    NotOneForm {
        /// The field.
        field: String,
        /// The fields to choose from.
        wanted: &'static [&'static str],
        /// The fields in the file.
        found: Vec<&'static str>,
    },
    /// A field that belongs to another form than the one chosen, or is missing from it.
    #[error("{field}: expected it {} `{form}`, got {}", if *.missing { "with" } else { "without" }, if *.missing { "none" } else { "both" })]
    Companion {
        /// The field.
        field: String,
        /// The form chosen.
        form: &'static str,
        /// True if it is missing rather than out of place.
        missing: bool,
    },
    /// The shapes of readings stand in another place than the format has for them.
    #[error(
        "{field}: expected one shape beside `open` where all that readings state are the same, or else one in each of these"
    )]
    ReadingShape {
        /// The field.
        field: String,
    },
    /// The data are not random floats, or too few, to detect a bias.
    #[error("{field}: expected float data drawn at random, and {} results or more", FEWEST_OUTPUTS)]
    Unbiased {
        /// The field.
        field: String,
    },
    /// A flag that may be left out, but not be false.
    #[error("{field}: expected true or nothing, got false")]
    FalseFlag {
        /// The field.
        field: String,
    },

    /// A shape of too many elements.
    #[error("{field}: {error}")]
    Shape {
        /// The field.
        field: String,
        /// The error.
        error: TensorError,
    },
    /// The file asks for more elements than allowed.
    #[error(
        "expected at most {} elements in the expanded cases of this file, got more",
        super::MAX_FILE_ELEMENTS
    )]
    TooManyElements,
    /// A list that does not fill its shape.
    #[error("{field}: expected {needed} values for the shape, got {given}")]
    Count {
        /// The field.
        field: String,
        /// The product of the dims.
        needed: usize,
        /// The number of values given.
        given: usize,
    },
    /// A flat index beyond the shape.
    #[error("{field}: expected an element below {count}, got {index}")]
    Index {
        /// The field.
        field: String,
        /// The index.
        index: usize,
        /// The product of the dims.
        count: usize,
    },
    /// Rows along missing dims, or dims out of order.
    #[error("{field}: expected dims of the shape, each once and ascending")]
    RowAxes {
        /// The field.
        field: &'static str,
    },
    /// A word that names no spec in a table of kernels.
    #[error(
        "{field}: expected a family, such as openvino, or a version of one, such as onnx-13, got `{name}`"
    )]
    UnknownVersion {
        /// The field.
        field: &'static str,
        /// The name in the file.
        name: String,
    },
    /// A family in a table of kernels without its clauses.
    #[error("expected the clauses of {}, which a row names", family.name())]
    NoClauses {
        /// The family.
        family: Family,
    },
    /// A range without numbers.
    #[error("data.random: expected low to be at most high")]
    EmptyRange,
    /// A spelling that is not a number of the element type.
    #[error("{field}: expected {error}, got `{text}`")]
    Number {
        /// The field.
        field: String,
        /// The spelling, shortened if long.
        text: String,
        /// The error.
        error: NumberError,
    },
}

/// Returns the names of all element types.
fn dtypes() -> String {
    display::joined(Dtype::ALL)
}
