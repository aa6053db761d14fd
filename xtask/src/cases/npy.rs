//! A case as arrays of `NumPy`: `case.json`, and beside it every tensor it names, as a file `numpy.load` reads.
//!
//! `NumPy` has no bfloat16; its elements are written as two bytes each (`|V2`), as the extension that has one does.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use normative_backend::bytes;
use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::accepted::accepted;
use normative_conformance::present::export::{Array, Exported, Is};
use normative_conformance::reference::{Dtype, Expected, Kind, Near, Tensor, TensorError, Value};
use normative_conformance::run::Prepared;

/// Writes the folder of a case.
pub(super) fn write(folder: &Path, one: &Prepared<'_>) -> Result<()> {
    fs::create_dir_all(folder)?;
    let save = |name: &str, tensor: &Tensor| {
        fs::write(folder.join(name), npy(tensor)).with_context(|| name.to_owned())
    };
    let mut exported = Exported::of(one.case, &one.sheet);
    save("data.npy", &one.case.call.data)?;
    in_file(&mut exported.call.data);
    for (at, (entry, answer)) in one.sheet.entries.iter().zip(&mut exported.answers).enumerate() {
        match (&entry.expected, &mut answer.is) {
            (Expected::Exactly(tensor), Is::Exactly(array)) => {
                save(&format!("expected-{at}.npy"), tensor)?;
                in_file(array);
            }
            (Expected::Near(near), Is::Near(reals)) => {
                save(&format!("expected-{at}.npy"), &near.rounded()?)?;
                for class in Class::DEMANDED {
                    let (low, high) = bounds(near, class)?;
                    save(&format!("low-{at}-{}.npy", class.name()), &low)?;
                    save(&format!("high-{at}-{}.npy", class.name()), &high)?;
                }
                // Bounds that no pair of arrays can say stay in words.
                reals.elements.retain(|element| {
                    let demanded = |class| Class::DEMANDED.iter().any(|known| known.name() == class);
                    element
                        .accepted
                        .iter()
                        .any(|bounds| bounds.or_zero || bounds.or_infinite || !demanded(bounds.class))
                });
            }
            _ => {}
        }
    }
    let text = serde_json::to_string_pretty(&exported)?;
    Ok(fs::write(folder.join("case.json"), text + "\n")?)
}

/// Elements that have a file of their own need not stand twice.
fn in_file(array: &mut Array) {
    array.values.clear();
    array.bits.clear();
}

/// The least and the greatest float that a class accepts; NaN where it accepts none, and where NaN is due.
fn bounds(near: &Near, class: Class) -> Result<(Tensor, Tensor), TensorError> {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    if let Kind::Float(format) = near.dtype.kind() {
        for value in &near.values {
            let bounds = match value {
                Value::Finite(real) => accepted(real, format, near, None, class)
                    .map_or((format.nan(), format.nan()), |bounds| (bounds.low, bounds.high)),
                Value::Infinite | Value::Nan => (value.round(format), value.round(format)),
            };
            low.push(bounds.0);
            high.push(bounds.1);
        }
    }
    let tensor = |bits: &[u64]| Tensor::from_bits(near.dtype, &near.shape, bits);
    Ok((tensor(&low)?, tensor(&high)?))
}

/// A file of `NumPy`'s format, version 1.0.
fn npy(tensor: &Tensor) -> Vec<u8> {
    let dims = tensor.shape().iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    // Of one dim, the comma says that it is a list.
    let comma = if tensor.shape().len() == 1 { "," } else { "" };
    let mut header = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({dims}{comma}), }}",
        descr(tensor.dtype())
    );
    // The elements begin at a multiple of 64 bytes, after ten bytes and a header that ends a line.
    let padding = 63 - (10 + header.len()) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    // A rank whose dims fill 65 KB, no tensor here has.
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
