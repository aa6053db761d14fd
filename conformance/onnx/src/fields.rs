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
        if key >> 3 == 0 {
            return Err(ReadError::NoField);
        }
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

/// Returns the first text of this field in a message.
pub(crate) fn text_of(message: &[u8], field: u64) -> Result<Option<String>, ReadError> {
    let text = fields(message)?.into_iter().find_map(|(known, value)| match value {
        Value::Bytes(text) if known == field => Some(text),
        _ => None,
    });
    text.map(string).transpose()
}

/// Reads a text.
pub(crate) fn string(bytes: &[u8]) -> Result<String, ReadError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| ReadError::Text)
}

/// Reads one integer, or several packed ones.
pub(crate) fn integers(value: Value<'_>) -> Result<Vec<i64>, ReadError> {
    match value {
        Value::Integer(value) => Ok(vec![value as i64]),
        Value::Bytes(mut packed) => {
            let mut values = Vec::new();
            while !packed.is_empty() {
                values.push(varint(&mut packed)? as i64);
            }
            Ok(values)
        }
        Value::Four(_) => Err(ReadError::WireType(5)),
        Value::Eight(_) => Err(ReadError::WireType(1)),
    }
}
