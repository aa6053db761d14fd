//! Writes a tensor as a file that `numpy.load` reads.
//!
//! `NumPy` has no bfloat16; its elements are two bytes each (`|V2`), as with `ml_dtypes`.

use normative_backend::bytes;
use normative_reference::{Dtype, Tensor};

/// Returns a file in `NumPy`'s format, version 1.0.
pub fn npy(tensor: &Tensor) -> Vec<u8> {
    let dims = tensor.shape().iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    // The comma makes a tuple of one dim.
    let comma = if tensor.shape().len() == 1 { "," } else { "" };
    let mut header = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({dims}{comma}), }}",
        descr(tensor.dtype())
    );
    // The elements begin at a multiple of 64 bytes, after ten bytes and a header that ends a line.
    let padding = 63 - (10 + header.len()) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    // No tensor here has dims that fill 65 KB.
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX);
    [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..], header.as_bytes(), &bytes::of(tensor)].concat()
}

const fn descr(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F16 => "<f2",
        Dtype::Bf16 => "|V2",
        Dtype::F32 => "<f4",
        Dtype::F64 => "<f8",
        Dtype::I8 => "|i1",
        Dtype::I16 => "<i2",
        Dtype::I32 => "<i4",
        Dtype::I64 => "<i8",
        Dtype::U8 => "|u1",
        Dtype::U16 => "<u2",
        Dtype::U32 => "<u4",
        Dtype::U64 => "<u8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_begin_at_a_multiple_of_64_bytes_and_a_scalar_has_no_dims() {
        for (shape, dims) in [(vec![], "()"), (vec![2], "(2,)"), (vec![1, 2, 1], "(1,2,1)")] {
            let count = shape.iter().product();
            let tensor = Tensor::from_bits(Dtype::F16, &shape, &vec![0x3c00; count]).unwrap();
            let bytes = npy(&tensor);
            let header = u16::from_le_bytes([bytes[8], bytes[9]]);
            assert_eq!((10 + usize::from(header)) % 64, 0);
            let text = std::str::from_utf8(&bytes[10..10 + usize::from(header)]).unwrap();
            assert!(text.contains(&format!("'shape': {dims}")) && text.ends_with('\n'), "{text:?}");
            assert_eq!(bytes[10 + usize::from(header)..], bytes::of(&tensor));
        }
    }
}
