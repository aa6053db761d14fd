//! Reads serialised tensors, and the versions and names that models hold: the inverse of [`crate::model`], with
//! [`crate::nodes`].
//!
//! It judges nothing. No bytes cause a panic.

use normative_backend::bytes::{self, BytesError};
use normative_reference::{Dtype, Norm, Opset, Spec, Tensor};

pub use crate::error::ReadError;
use crate::fields::{Value, fields, integers, string, text_of};
use crate::{AXES, data_type, op_type};

/// Returns the norm of the operator of this name.
pub(crate) fn norm_named(name: &str) -> Option<Norm> {
    Norm::ALL.into_iter().find(|&norm| op_type(norm) == name)
}

/// The most dims, above any runtime's limit. Ruling on a call compares each dim with each axis.
pub(crate) const MOST_DIMS: usize = 1000;

pub(crate) const KNOWN: [&str; 3] = [AXES, "keepdims", "noop_with_empty_axes"];

/// Returns the tensor in a serialised `TensorProto`, and its name.
///
/// # Errors
/// [`ReadError`] if the bytes are not a tensor that a call can have.
pub fn tensor(bytes: &[u8]) -> Result<(String, Tensor), ReadError> {
    let (mut name, mut dims, mut code) = (String::new(), Vec::new(), 0);
    let (mut raw, mut elements) = (None, Vec::new());
    for (field, value) in fields(bytes)? {
        match (field, value) {
            (1, value) => dims.extend(integers(value)?),
            (2, Value::Integer(value)) => code = value as i64,
            (8, Value::Bytes(text)) => name = string(text)?,
            (9, Value::Bytes(bytes)) => raw = Some(bytes),
            (14, Value::Integer(1)) => return Err(ReadError::External),
            // Floats, int32, int64, doubles and uint64 each have their own field and width.
            (4, Value::Four(bits)) => elements.push(u32::from_le_bytes(bits).into()),
            (4, Value::Bytes(packed)) => {
                elements.extend(packed.as_chunks().0.iter().map(|&four| u64::from(u32::from_le_bytes(four))));
            }
            (10, Value::Eight(bits)) => elements.push(u64::from_le_bytes(bits)),
            (10, Value::Bytes(packed)) => {
                elements.extend(packed.as_chunks().0.iter().map(|&eight| u64::from_le_bytes(eight)));
            }
            (5 | 7 | 11, value) => elements.extend(integers(value)?.into_iter().map(|value| value as u64)),
            _ => {}
        }
    }
    let known = Dtype::ALL.into_iter().find(|&dtype| data_type(dtype) == code);
    let dtype = known.ok_or(ReadError::ElementType(code))?;
    if dims.len() > MOST_DIMS {
        return Err(ReadError::NoPlace(format!(
            "a tensor has {} dims, {MOST_DIMS} are the most",
            dims.len()
        )));
    }
    let dim = |dim: i64| usize::try_from(dim).map_err(|_| ReadError::Dim(dim));
    let shape = dims.into_iter().map(dim).collect::<Result<Vec<_>, _>>()?;
    // A negative integer is written with all 64 bits, whatever its type.
    let mask = u64::MAX >> (64 - 8 * dtype.size());
    let tensor = if let Some(bytes) = raw {
        bytes::tensor(dtype, &shape, bytes)?
    } else {
        let bits: Vec<u64> = elements.into_iter().map(|bits: u64| bits & mask).collect();
        Tensor::from_bits(dtype, &shape, &bits).map_err(BytesError::from)?
    };
    Ok((name, tensor))
}

/// Returns the opset version that a model imports for the standard operators.
pub(crate) fn opset_of(import: &[u8]) -> Result<Option<i64>, ReadError> {
    let standard = matches!(text_of(import, 1)?.as_deref(), None | Some("" | "ai.onnx"));
    let version = fields(import)?.into_iter().find_map(|(field, value)| match (field, value) {
        (2, Value::Integer(version)) => Some(version as i64),
        _ => None,
    });
    Ok(version.filter(|_| standard))
}

/// Returns the version of the operator that an opset uses: the last one up to that opset.
pub(crate) fn opset(norm: Norm, version: i64) -> Result<Opset, ReadError> {
    let there_by_then =
        |&opset: &Opset| i64::from(opset.number()) <= version && Spec::Onnx(norm, opset).exists();
    Opset::ALL.into_iter().rfind(there_by_then).ok_or(ReadError::Opset(version))
}
