//! Errors of reading a model, a tensor, or a call.

use normative_backend::bytes::BytesError;
use thiserror::Error;

/// The reason why bytes are not a call or a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The bytes end within a field.
    #[error("expected more bytes, got the end")]
    Truncated,
    /// A field has a wire type that these files do not use.
    #[error("unexpected wire type {0}")]
    WireType(u64),
    /// A field has the number 0, which no message has.
    #[error("expected the number of a field, got 0")]
    NoField,
    /// A model has no graph.
    #[error("expected a model with a graph, got none")]
    NoGraph,
    /// A text is not UTF-8.
    #[error("expected a name in UTF-8, got other bytes")]
    Text,
    /// The operators have no version at that opset.
    #[error("expected an opset of the operator, got {0}")]
    Opset(i64),
    /// A tensor has an element type that calls do not have.
    #[error("expected a known element type, got {0}")]
    ElementType(i64),
    /// A tensor's elements are in another file.
    #[error("expected elements in the model, got another file")]
    External,
    /// The elements do not fill the dims.
    #[error(transparent)]
    Tensor(#[from] BytesError),
    /// A dim is negative.
    #[error("expected a dim of 0 or more, got {0}")]
    Dim(i64),
    /// An axis has a fraction, or is not finite.
    #[error("expected integers as axes, got another type")]
    Axis,
    /// A graph, or a node of it, is larger than any that is read.
    #[error("expected a graph of at most 512 MiB and nodes of at most 64 MiB, got {0} bytes")]
    TooLarge(u64),
    /// The file cannot be read.
    #[error("{0}")]
    File(String),
    /// The model has a part that a call cannot hold.
    #[error("{0}")]
    NoPlace(String),
}

impl From<std::io::Error> for ReadError {
    fn from(error: std::io::Error) -> Self {
        Self::File(error.to_string())
    }
}
