//! Errors of reading a model, a tensor, or a call.

use normative_backend::bytes::BytesError;
use thiserror::Error;

/// The reason why bytes are not a call or a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The bytes end within a field.
    #[error("the bytes end too early")]
    Truncated,
    /// A field has a wire type that these files do not use.
    #[error("a field has the wire type {0}")]
    WireType(u64),
    /// A text is not UTF-8.
    #[error("a name is not UTF-8")]
    Text,
    /// The model does not hold exactly one node.
    #[error("the model has {0} nodes, one is due")]
    Nodes(usize),
    /// The node is of another operator.
    #[error("{0} is neither ReduceL1 nor ReduceL2")]
    Operator(String),
    /// The operators have no version at that opset.
    #[error("no opset is {0}")]
    Opset(i64),
    /// A tensor has an element type that calls do not have.
    #[error("no element type is {0}")]
    ElementType(i64),
    /// A tensor's elements are in another file.
    #[error("the elements are in another file")]
    External,
    /// The elements do not fill the dims.
    #[error(transparent)]
    Tensor(#[from] BytesError),
    /// A dim is negative.
    #[error("a dim is {0}")]
    Dim(i64),
    /// An axis has a fraction, or is not finite.
    #[error("an axis is no integer")]
    Axis,
    /// The model has a part that a call cannot hold.
    #[error("{0}")]
    NoPlace(String),
}
