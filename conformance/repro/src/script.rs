//! The parts of a Python script that all runtimes share.

use std::borrow::Cow;
use std::fmt::Write as _;

use normative_conformance::{Observed, display};
use normative_present::npy::npy;
use normative_reference::{Dtype, Kind, Magnitude, Tensor};

use crate::arguments::tuple;
use crate::{ReproFile, Subject};

/// The most elements of an array that are written as a list; more go into a file.
pub(crate) const IN_LINE: usize = 64;

/// The parts of a script that depend on the runtime.
pub(crate) struct Script {
    /// The arguments of `pip install`.
    pub(crate) packages: Vec<String>,
    /// The imports from Python's standard library, beside those of every script.
    pub(crate) standard: &'static [&'static str],
    /// The imports of packages, beside `NumPy`.
    pub(crate) imports: Cow<'static, str>,
    /// `DATA`, the function `call`, and `REFUSALS`.
    pub(crate) code: String,
    /// The files it reads.
    pub(crate) files: Vec<ReproFile>,
}

/// Fills in a template's words between `@`. Inserted text is not searched again.
pub(crate) fn filled(template: &str, words: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('@') {
        let filled =
            words.iter().find_map(|(word, with)| Some((with, after.strip_prefix(word)?.strip_prefix('@')?)));
        text += before;
        let (with, after) = filled.unwrap_or((&"@", after));
        text += with;
        rest = after;
    }
    text + rest
}

/// Returns the title of a script.
pub(crate) fn titled(subject: &Subject<'_>) -> String {
    let Subject { identity, call, name, due, .. } = subject;
    let mut text = format!("{} {}: one call of {}.\n", identity.name, identity.version, call.spec().name());
    let _ = write!(text, "\nFrom the conformance suite Normative, {name}.");
    if due.whole {
        text +=
            "\nThe suite looks at the errors of all elements together as well, which this script does not.";
    }
    text
}

/// The most child processes of a script.
pub(crate) const RUNS: usize = 20;

/// The child processes in which a script makes its call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Processes {
    /// One process, because the call killed its process.
    One,
    /// Up to [`RUNS`] processes, until one answer is wrong, because the call got different answers.
    UntilWrong,
}

impl Processes {
    /// Returns the processes that the answers need; `None` for the script's own.
    pub(crate) fn of(subject: &Subject<'_>) -> Option<Self> {
        if subject.again.iter().any(|again| again != subject.came) {
            return Some(Self::UntilWrong);
        }
        matches!(subject.came, Observed::Died(_)).then_some(Self::One)
    }

    /// Returns the lines that start them, from a template in the script's language; `one` starts one process.
    pub(crate) fn filled(self, template: &str, one: &str, until_wrong: &str) -> String {
        let (status, why) = match self {
            Self::One => (one, "the call ended its process, so it is made in one of its own"),
            Self::UntilWrong => {
                (until_wrong, "the answer was not the same each time, so the call is made until it is wrong")
            }
        };
        filled(template.trim_end(), &[("STATUS", status), ("WHY", why)])
    }
}

/// Pins a package, for `pip install`.
pub(crate) fn pin(package: &str, version: &str) -> String {
    format!("{package}=={version}")
}

/// Formats a string of Python.
pub(crate) fn quoted(text: &str) -> String {
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
    quoted.push('"');
    quoted
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

/// Returns a `NumPy` array of these elements, and the file with them if they are many. `NumPy` has no
/// bfloat16: such data become an array of `uint16`, and the library has to be told their type.
pub(crate) fn array(tensor: &Tensor, file: &'static str) -> (String, Option<ReproFile>) {
    if tensor.len() > IN_LINE {
        let view = if tensor.dtype() == Dtype::Bf16 { ".view(np.uint16)" } else { "" };
        return (
            format!("np.load(HERE / \"{file}\"){view}"),
            Some(ReproFile { path: file, bytes: npy(tensor) }),
        );
    }
    (array_in_line(tensor), None)
}

/// Returns the array without a file, for any number of elements.
pub(crate) fn array_in_line(tensor: &Tensor) -> String {
    let (shape, dtype) = (tuple(tensor.shape()), tensor.dtype());
    if let Some(values) = decimals(tensor) {
        return format!("np.array([{values}], np.{}).reshape({shape})", name(dtype));
    }
    let bits: Vec<String> = tensor.bits().into_iter().map(|bits| display::bits(dtype, bits)).collect();
    let view = if dtype == Dtype::Bf16 { String::new() } else { format!(".view(np.{})", name(dtype)) };
    let (bits, word, shown) = (bits.join(", "), 8 * dtype.size(), display::data(tensor));
    format!("np.array([{bits}], np.uint{word}){view}.reshape({shape})  # {shown}")
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
