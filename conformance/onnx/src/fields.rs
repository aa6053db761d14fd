//! Reads Protocol Buffers, as far as a model needs them: the fields of a message, one after another.
//!
//! It never panics, and keeps no bytes but the given ones.

use crate::error::ReadError;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// A varint.
    Integer(u64),
    /// Four bytes.
    Four([u8; 4]),
    /// Eight bytes.
    Eight([u8; 8]),
    /// A string, bytes, a message, or packed numbers.
    Bytes(&'a [u8]),
}

/// Returns the fields of a message, in the order of its bytes.
pub(crate) fn fields(mut bytes: &[u8]) -> Result<Vec<(u64, Value<'_>)>, ReadError> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let value = match key & 7 {
            0 => Value::Integer(varint(&mut bytes)?),
            1 => Value::Eight(array(&mut bytes)?),
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).map_err(|_| ReadError::Truncated)?;
                Value::Bytes(bytes.split_off(..length).ok_or(ReadError::Truncated)?)
            }
            5 => Value::Four(array(&mut bytes)?),
            kind => return Err(ReadError::WireType(kind)),
        };
        fields.push((key >> 3, value));
    }
    Ok(fields)
}

/// Reads a varint and advances past it.
pub(crate) fn varint(bytes: &mut &[u8]) -> Result<u64, ReadError> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = *bytes.split_off_first().ok_or(ReadError::Truncated)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(ReadError::Truncated)
}

fn array<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], ReadError> {
    let (array, rest) = bytes.split_first_chunk().ok_or(ReadError::Truncated)?;
    *bytes = rest;
    Ok(*array)
}
