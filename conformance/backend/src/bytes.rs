//! Tensors as the bytes of their elements: row-major, each element's lowest byte first.
//!
//! Workers, records and libraries get tensors in this form. Element types and shapes travel beside the bytes.
//! This module knows no file format.

use normative_reference::tensor::{element_count, row_major};
use normative_reference::{Dtype, Element, Tensor, TensorError, with_array};
use thiserror::Error;

/// The reason why bytes are not a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BytesError {
    /// No tensor can have that shape.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// They do not fill the shape.
    #[error("expected {needed} bytes for shape {shape:?} of {dtype}, got {given}")]
    Count {
        /// The element type asked for.
        dtype: Dtype,
        /// The dims asked for.
        shape: Vec<usize>,
        /// The product of the dims times the element's size.
        needed: usize,
        /// The number of bytes given.
        given: usize,
    },
}

/// Returns the bytes of a tensor.
pub fn of(tensor: &Tensor) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(tensor.len() * tensor.dtype().size());
    put(tensor, &mut bytes);
    bytes
}

/// Appends the bytes of a tensor.
pub fn put(tensor: &Tensor, out: &mut Vec<u8>) {
    // The size is known to the compiler, so that it copies elements without a call.
    fn each<T: Element>(elements: &[T], out: &mut Vec<u8>) {
        for x in elements {
            out.extend_from_slice(&x.to_u64().to_le_bytes()[..T::DTYPE.size()]);
        }
    }
    with_array!(tensor, array => each(&row_major(array), out));
}

/// Reads the tensor of these bytes.
///
/// # Errors
/// [`BytesError`] when they do not fill `shape` exactly, or `shape` is too large.
pub fn tensor(dtype: Dtype, shape: &[usize], bytes: &[u8]) -> Result<Tensor, BytesError> {
    // At most 8 · MAX_ELEMENTS.
    let (needed, given) = (element_count(shape)? * dtype.size(), bytes.len());
    if given != needed {
        return Err(BytesError::Count { dtype, shape: shape.to_vec(), needed, given });
    }
    let bits = match dtype.size() {
        1 => words::<1>(bytes),
        2 => words::<2>(bytes),
        4 => words::<4>(bytes),
        _ => words::<8>(bytes),
    };
    Ok(Tensor::from_bits(dtype, shape, &bits)?)
}

fn words<const SIZE: usize>(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8; SIZE]| {
        let mut word = [0; 8];
        word[..SIZE].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    bytes.as_chunks().0.iter().map(word).collect()
}
