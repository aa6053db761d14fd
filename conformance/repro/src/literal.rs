//! Writes tensors and strings as each language does.

use std::fmt::Write as _;

use normative_conformance::display;
use normative_reference::{Dtype, Kind, Magnitude, Tensor};

use crate::arguments::tuple;
use crate::target::Language;

/// The most elements that are written out; more go into a file.
pub(crate) const IN_LINE: usize = 64;

impl Language {
    /// Formats a string.
    pub(crate) fn quoted(self, text: &str) -> String {
        if self != Self::Python {
            return format!("{text:?}");
        }
        let mut quoted = String::from('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                ' '..='~' => quoted.push(c),
                _ => {
                    let _ = write!(quoted, "\\U{:08x}", u32::from(c));
                }
            }
        }
        quoted + "\""
    }
}

/// Returns the name of an element type in `NumPy`, and in libraries with the same names.
pub(crate) const fn name(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F16 => "float16",
        Dtype::Bf16 => "bfloat16",
        Dtype::F32 => "float32",
        Dtype::F64 => "float64",
        Dtype::I8 => "int8",
        Dtype::I16 => "int16",
        Dtype::I32 => "int32",
        Dtype::I64 => "int64",
        Dtype::U8 => "uint8",
        Dtype::U16 => "uint16",
        Dtype::U32 => "uint32",
        Dtype::U64 => "uint64",
    }
}

/// Returns the bits of all elements.
pub(crate) fn words(tensor: &Tensor) -> String {
    let words = tensor.bits().into_iter().map(|bits| display::bits(tensor.dtype(), bits));
    words.collect::<Vec<_>>().join(", ")
}

/// Returns a `NumPy` array of these elements, from a file if they are many, and a comment. `NumPy` has no
/// bfloat16: such data become an array of `uint16`, and the library has to be told their type.
pub(crate) fn array(tensor: &Tensor) -> (String, String) {
    if tensor.len() <= IN_LINE {
        return array_in_line(tensor);
    }
    let view = if tensor.dtype() == Dtype::Bf16 { ".view(np.uint16)" } else { "" };
    (format!("np.load(HERE / \"data.npy\"){view}"), String::new())
}

/// Returns the array without a file, for any number of elements, and a comment.
pub(crate) fn array_in_line(tensor: &Tensor) -> (String, String) {
    let (shape, dtype) = (tuple(tensor.shape()), tensor.dtype());
    if let Some(values) = decimals(tensor) {
        return (format!("np.array([{values}], np.{}).reshape({shape})", name(dtype)), String::new());
    }
    let view = if dtype == Dtype::Bf16 { String::new() } else { format!(".view(np.{})", name(dtype)) };
    let array = format!("np.array([{}], np.uint{}){view}.reshape({shape})", words(tensor), 8 * dtype.size());
    (array, format!("  # {}", display::data(tensor)))
}

/// Returns the elements as Python numbers, if those give the same bits.
pub(crate) fn decimals(tensor: &Tensor) -> Option<String> {
    let dtype = tensor.dtype();
    // NumPy has no bfloat16, so even an empty array is written by bits.
    if dtype == Dtype::Bf16 {
        return None;
    }
    let number = |bits| match dtype.kind() {
        Kind::Integer(_) => Some(display::element(dtype, bits)),
        Kind::Float(format) => match format.magnitude(bits) {
            // A number cannot say which NaN it is.
            Magnitude::Nan => (bits == format.nan()).then(|| "np.nan".to_owned()),
            Magnitude::Infinite if bits == format.infinity() => Some("np.inf".into()),
            Magnitude::Infinite => Some("-np.inf".into()),
            Magnitude::Finite { .. } => {
                let text = display::element(dtype, bits);
                // Python parses an f64, and NumPy rounds that again.
                let wide: f64 = text.parse().ok()?;
                let same = dtype != Dtype::F32 || u64::from((wide as f32).to_bits()) == bits;
                let whole = !text.contains(['.', 'e']);
                same.then(|| if whole { format!("{text}.0") } else { text })
            }
        },
    };
    Some(tensor.bits().into_iter().map(number).collect::<Option<Vec<_>>>()?.join(", "))
}

/// Returns the array type of JavaScript for elements.
pub(crate) const fn typed_array(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F16 => "Float16Array",
        Dtype::F32 => "Float32Array",
        Dtype::F64 => "Float64Array",
        Dtype::I8 => "Int8Array",
        Dtype::I16 => "Int16Array",
        Dtype::I32 => "Int32Array",
        Dtype::I64 => "BigInt64Array",
        Dtype::U8 => "Uint8Array",
        Dtype::Bf16 | Dtype::U16 => "Uint16Array",
        Dtype::U32 => "Uint32Array",
        Dtype::U64 => "BigUint64Array",
    }
}

/// Returns a typed array of JavaScript with these elements, and the rest of its line.
pub(crate) fn in_typed_array(tensor: &Tensor) -> String {
    let (dtype, size) = (tensor.dtype(), tensor.dtype().size());
    let with_unit = |numbers: &str, unit: &str| {
        let numbers = numbers.split(", ").filter(|number| !number.is_empty());
        numbers.map(|number| format!("{number}{unit}")).collect::<Vec<_>>().join(", ")
    };
    let array = typed_array(dtype);
    if dtype != Dtype::F16
        && let Some(numbers) = decimals(tensor)
    {
        let numbers = numbers.replace("np.inf", "Infinity").replace("np.nan", "NaN");
        let unit = if size == 8 && dtype.is_integer() { "n" } else { "" };
        return format!("{array}.of({});", with_unit(&numbers, unit));
    }
    let (bits, unit) = match size {
        2 => ("Uint16Array", ""),
        8 => ("BigUint64Array", "n"),
        _ => ("Uint32Array", ""),
    };
    format!(
        "new {array}({bits}.of({}).buffer); // {}",
        with_unit(&words(tensor), unit),
        display::data(tensor)
    )
}

/// Returns true if an element is a 64-bit integer that no number of JavaScript holds exactly.
pub(crate) fn is_beyond_numbers(tensor: &Tensor) -> bool {
    let magnitude = |bits| match tensor.dtype() {
        Dtype::I64 => (bits as i64).unsigned_abs(),
        Dtype::U64 => bits,
        _ => 0,
    };
    tensor.bits().into_iter().any(|bits| magnitude(bits) >= 1 << 53)
}

/// Returns a vector of Rust with these integers as i32: rten converts int64 in models to i32 as well.
pub(crate) fn vector_of_i32(tensor: &Tensor) -> String {
    let numbers =
        tensor.bits().into_iter().map(|bits| format!("{}_i32", display::element(tensor.dtype(), bits)));
    let numbers: Vec<String> = numbers.collect();
    if numbers.is_empty() { "Vec::<i32>::new()".into() } else { format!("vec![{}]", numbers.join(", ")) }
}
