//! Why bytes are no model, no tensor, or no call.

use normative_backend::bytes::BytesError;
use thiserror::Error;

/// Why something is no call, or no tensor.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The bytes end within a field.
    #[error("the bytes end too early")]
    Truncated,
    /// A field is of a kind that these files do not have.
    #[error("a field has the wire type {0}")]
    WireType(u64),
    /// A text is none.
    #[error("a name is not UTF-8")]
    Text,
    /// The model does not hold exactly one node.
    #[error("the model has {0} nodes, one is due")]
    Nodes(usize),
    /// It is of another operator.
    #[error("{0} is neither ReduceL1 nor ReduceL2")]
    Operator(String),
    /// There is no such version of the operators.
    #[error("no opset is {0}")]
    Opset(i64),
    /// A tensor holds elements of a type that calls do not have.
    #[error("no element type is {0}")]
    ElementType(i64),
    /// A tensor's elements are in another file.
    #[error("the elements are in another file")]
    External,
    /// Elements and dims do not fit each other.
    #[error(transparent)]
    Tensor(#[from] BytesError),
    /// A dim is negative.
    #[error("a dim is {0}")]
    Dim(i64),
    /// An element of axes has a fraction, or is no number.
    #[error("an axis is no integer")]
    Axis,
    /// The model has something that a call has no place for.
    #[error("{0}")]
    NoPlace(String),
}
