//! Errors in a frame's body, each with the byte at which it shows.

use thiserror::Error;

use crate::bytes::BytesError;

/// The reason why a body is not the message that its tag announces.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// The body ends inside a part.
    #[error("byte {at}: expected {needed} bytes of {what}, got {left}")]
    Truncated {
        /// Offset in the body.
        at: usize,
        /// The part being read.
        what: &'static str,
        /// Bytes it needs.
        needed: usize,
        /// Bytes that are left.
        left: usize,
    },
    /// The body goes on after the message.
    #[error("byte {at}: expected the end of the message, got {left} more bytes")]
    Trailing {
        /// Offset in the body.
        at: usize,
        /// Bytes too many.
        left: usize,
    },
    /// A number without a meaning here.
    #[error("byte {at}: expected a valid {what}, got {code}")]
    Code {
        /// Offset in the body.
        at: usize,
        /// The part being read.
        what: &'static str,
        /// The number.
        code: u64,
    },
    /// A text is not UTF-8.
    #[error("byte {at}: expected UTF-8 for {what}, got other bytes")]
    NotUtf8 {
        /// Offset in the body.
        at: usize,
        /// The part being read.
        what: &'static str,
    },
    /// A tensor cannot be built.
    #[error("byte {at}: {source}")]
    Tensor {
        /// Offset in the body.
        at: usize,
        /// The reason.
        source: BytesError,
    },
    /// A call of BLAS reads beyond the end of its data, or more elements than data may have.
    #[error(
        "expected at least {reach} elements of data and n of no more than data may have, got {length} elements"
    )]
    BeyondData {
        /// The least length of data that holds every element that the call reads.
        reach: u64,
        /// The length of its data.
        length: usize,
    },
    /// A hello does not begin with the magic bytes.
    #[error("byte 0: expected a worker's hello, got other bytes")]
    Magic,
    /// A hello breaks this rule of the protocol.
    #[error("expected a hello {0}")]
    Hello(&'static str),
    /// A hello is of another protocol version.
    #[error("byte 8: expected protocol version {ours}, got {theirs}")]
    Version {
        /// The version in the hello.
        theirs: u32,
        /// The version of this side.
        ours: u32,
    },
}
