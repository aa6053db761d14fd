//! Limits the part of an answer that a judge keeps: lengths of texts, and the size of a result.
//!
//! The rest changes no verdict, so a worker that sends more costs no memory.

use normative_reference::tensor::MAX_ELEMENTS;
use normative_reference::{Call, Operator};

/// Bytes that a small call, or a small answer, takes beside its data.
pub(crate) const ROOM: usize = 128;

/// Bytes kept of a text from a worker: enough for a runtime's error message, too few for a dump.
pub const MAX_TEXT: usize = 2048;
/// Lines kept of a text from a worker.
pub const MAX_LINES: usize = 20;
/// Bytes kept of each of the three texts in a hello.
pub const MAX_NAME: usize = 200;
/// The longest body of a hello, or of the message that comes instead of one, in bytes.
pub const MAX_HELLO: usize = 1 << 16;

/// Elements that any result may have, whatever the call.
const SPARE_ELEMENTS: usize = 1024;
/// Dims that any result may have, whatever the call.
const SPARE_RANK: usize = 64;

/// The largest result whose elements a judge keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultBound {
    /// The most elements. A larger result is [`Reply::Oversized`](crate::wire::Reply::Oversized).
    pub elements: usize,
    /// The most dims. A result with more breaks the protocol.
    pub rank: usize,
}

impl ResultBound {
    /// The bound of every tensor, and no other.
    pub const NONE: Self = Self { elements: MAX_ELEMENTS, rank: usize::MAX };

    /// Returns the bound of answers to this call. No reading gives a larger result: reduction does not add
    /// elements, a dim of 0 becomes at most 1, and a BNNS call states the dims of its output.
    pub fn of(call: &Call) -> Self {
        let given = call.data.shape();
        let output: &[usize] = match &call.operator {
            Operator::Bnns { output_shape } => output_shape,
            _ => &[],
        };
        let elements = |dims: &[usize]| dims.iter().fold(1_usize, |all, &dim| all.saturating_mul(dim.max(1)));
        let most = elements(given).max(elements(output));
        Self {
            elements: most.clamp(SPARE_ELEMENTS, MAX_ELEMENTS),
            rank: given.len().max(output.len()).max(SPARE_RANK),
        }
    }

    /// Returns the bytes of an answer's body to keep: the rest changes no verdict.
    pub fn bytes(self) -> usize {
        let result = self.elements.saturating_add(self.rank).saturating_mul(8);
        ROOM.saturating_add(result).max(ROOM + MAX_TEXT)
    }
}
