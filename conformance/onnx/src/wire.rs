//! Writes Protocol Buffers, as far as a model needs them: varints, strings and nested messages.
//!
//! A library would need a schema and a build step to replace six functions. It would also refuse to write the
//! malformed models that a call may need.

/// A message being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message(Vec<u8>);

/// Wire type of a varint.
const VARINT: u64 = 0;
/// Wire type of a string, bytes or a message.
const DELIMITED: u64 = 2;
/// Wire type of four bytes.
const FIXED_32: u64 = 5;

impl Message {
    /// Appends an integer. Negative ones take ten bytes, the int64 encoding.
    pub(crate) fn integer(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3 | VARINT);
        self.varint(value as u64);
        self
    }

    /// Appends integers, one entry each, as files of syntax 2 have them.
    pub(crate) fn integers(self, field: u64, values: impl IntoIterator<Item = i64>) -> Self {
        values.into_iter().fold(self, |message, value| message.integer(field, value))
    }

    /// Appends single-precision floats, one entry each.
    pub(crate) fn floats(mut self, field: u64, values: impl IntoIterator<Item = f32>) -> Self {
        for value in values {
            self.varint(field << 3 | FIXED_32);
            self.0.extend(value.to_le_bytes());
        }
        self
    }

    /// Appends bytes or text.
    pub(crate) fn bytes(mut self, field: u64, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.varint(field << 3 | DELIMITED);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    /// Appends a nested message.
    pub(crate) fn message(self, field: u64, inner: Self) -> Self {
        self.bytes(field, inner.0)
    }

    /// Returns the bytes of the message.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}
