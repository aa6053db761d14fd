//! A script in Python: the call and what is due as data, a function that makes the call, and the lines that compare.
//!
//! The function is [`arrays`](crate::arrays)' or [`models`](crate::models)' to write; the rest is the same for every
//! runtime. Elements are compared by their bits, so nothing that prints or rounds decides.

use std::fmt::Write as _;

use normative_conformance::present::npy::npy;
use normative_conformance::{Answer, display};
use normative_reference::{Dtype, Kind, Magnitude, Tensor};

use crate::arguments::tuple;
use crate::due::{Due, Element, Form, Is};
use crate::target::Target;
use crate::{File, NoRepro, Subject, arrays, models};

/// Elements of an array that are written as a list; more are a file.
const IN_LINE: usize = 64;

/// What is written for one runtime.
pub(crate) struct Script {
    /// What `pip install` is given.
    pub(crate) packages: Vec<String>,
    /// What it imports of Python's own modules, beside what every script does.
    pub(crate) standard: &'static [&'static str],
    /// What it imports beside `NumPy`.
    pub(crate) imports: &'static str,
    /// `DATA`, the function `call`, and `REFUSALS`.
    pub(crate) code: String,
    /// The files it reads.
    pub(crate) files: Vec<File>,
}

/// The files of a reproduction in Python.
///
/// # Errors
/// Where the runtime has no place for the call.
pub(crate) fn files(subject: &Subject<'_>) -> Result<Vec<File>, NoRepro> {
    let Script { packages, standard, imports, code, mut files } = match subject.target {
        Target::Array(library, way) => arrays::script(subject, library, way)?,
        Target::OnnxRuntime(axes) => models::onnx_runtime(subject, axes)?,
        Target::OnnxReference(axes) => models::onnx_reference(subject, axes)?,
        Target::OpenVinoIr(data) => models::openvino_ir(subject, data)?,
        Target::OpenVinoOnnx => models::openvino_onnx(subject)?,
        Target::Crate(_) => return Ok(Vec::new()),
    };
    let dies = matches!(subject.came, Answer::Died(_));
    let mut modules = vec!["import struct", "import sys", "import traceback"];
    modules.extend(standard);
    modules.extend(dies.then_some("import subprocess"));
    modules.sort_unstable();
    let text = filled(
        include_str!("templates/script.py"),
        &[
            ("TITLE", &title(subject)),
            ("PACKAGES", &packages.join(" ")),
            ("STANDARD", &modules.join("\n")),
            ("IMPORTS", &libraries(imports)),
            ("CALL", &quoted(&display::call(subject.call))),
            ("CODE", code.trim_end()),
            ("DUE", &due(subject.due)),
            ("CHECK", include_str!("templates/check.py").trim_end()),
            (
                "MAIN",
                if dies {
                    include_str!("templates/child.py").trim_end()
                } else {
                    "if __name__ == \"__main__\":\n    main()"
                },
            ),
        ],
    );
    files.push(File::text("repro.py", text));
    Ok(files)
}

/// The lines that import what is not Python's own, in the order that Python's users keep.
fn libraries(imports: &str) -> String {
    let mut lines: Vec<&str> = std::iter::once("import numpy as np").chain(imports.lines()).collect();
    lines.sort_by_key(|line| (line.starts_with("from"), *line));
    lines.join("\n")
}

/// A template whose words between `@` are filled in. What is filled in is not looked at again.
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

/// The packages that the target needs, as `pip install` takes them.
pub(crate) fn pin(package: &str, version: &str) -> String {
    format!("{package}=={version}")
}

/// The first lines of what is to be read.
fn title(subject: &Subject<'_>) -> String {
    let Subject { identity, call, name, due, .. } = subject;
    let mut text = format!("{} {}: one call of {}.\n", identity.name, identity.version, call.spec().name());
    let _ = write!(text, "\nFrom the conformance suite Normative, {name}.");
    if due.whole {
        text +=
            "\nThe suite looks at the errors of all elements together as well, which this script does not.";
    }
    text.replace('\\', "/").replace("\"\"\"", "'''")
}

/// A string of Python's.
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

/// What `NumPy` calls an element type, and everything that follows it.
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

/// A `NumPy` array of these elements, and the file it is read from where they are many. `NumPy` has no bfloat16: what
/// comes of such data is an array of `uint16`, which the library has to be told how to read.
pub(crate) fn array(tensor: &Tensor, file: &'static str) -> (String, Option<File>) {
    let shape = tuple(tensor.shape());
    if tensor.len() > IN_LINE {
        let view = if tensor.dtype() == Dtype::Bf16 { ".view(np.uint16)" } else { "" };
        return (format!("np.load(HERE / \"{file}\"){view}"), Some(File { path: file, bytes: npy(tensor) }));
    }
    let dtype = tensor.dtype();
    if let Some(values) = decimals(tensor) {
        return (format!("np.array([{values}], np.{}).reshape({shape})", name(dtype)), None);
    }
    let bits: Vec<String> = tensor.bits().into_iter().map(|bits| display::bits(dtype, bits)).collect();
    let view = if dtype == Dtype::Bf16 { String::new() } else { format!(".view(np.{})", name(dtype)) };
    let (bits, word, shown) = (bits.join(", "), 8 * dtype.size(), display::data(tensor));
    (format!("np.array([{bits}], np.uint{word}){view}.reshape({shape})  # {shown}"), None)
}

/// The elements as numbers of Python's, where those give the same bits.
fn decimals(tensor: &Tensor) -> Option<String> {
    let dtype = tensor.dtype();
    let number = |bits| match dtype.kind() {
        _ if dtype == Dtype::Bf16 => None,
        Kind::Integer(_) => Some(display::element(dtype, bits)),
        Kind::Float(format) => match format.magnitude(bits) {
            // Which NaN it is, no number says.
            Magnitude::Nan => (bits == format.nan()).then(|| "np.nan".to_owned()),
            Magnitude::Infinite if bits == format.infinity() => Some("np.inf".into()),
            Magnitude::Infinite => Some("-np.inf".into()),
            Magnitude::Finite { .. } => {
                let text = display::element(dtype, bits);
                // Python reads an f64 and NumPy rounds that.
                let wide: f64 = text.parse().ok()?;
                let same = dtype != Dtype::F32 || u64::from((wide as f32).to_bits()) == bits;
                let whole = !text.contains(['.', 'e']);
                same.then(|| if whole { format!("{text}.0") } else { text })
            }
        },
    };
    Some(tensor.bits().into_iter().map(number).collect::<Option<Vec<_>>>()?.join(", "))
}

fn due(due: &Due) -> String {
    let mut text = String::from(
        "# What is due: one of these. Of each element, the bits from the first number to the second are accepted, both\n\
         # included; where there are four numbers, also from the third to the fourth, and so on.\n",
    );
    for question in due.open() {
        let _ = writeln!(text, "# Open: {question}");
    }
    text += "DUE = [\n";
    for answer in &due.answers {
        text += "    {\n";
        if !answer.readings.is_empty() {
            let _ = writeln!(text, "        \"if\": {},", quoted(&answer.readings));
        }
        match &answer.is {
            Is::Refused(clause) => {
                let _ = writeln!(text, "        \"refused\": {},", quoted(clause));
            }
            Is::Tensor(form) => tensor(&mut text, form),
        }
        text += "    },\n";
    }
    text + "]"
}

fn tensor(text: &mut String, Form { dtype, shape, elements, single }: &Form) {
    let _ = writeln!(text, "        \"dtype\": \"{}\",", name(*dtype));
    let _ = writeln!(text, "        \"shape\": {shape:?},");
    if *single {
        *text +=
            "        # Of the first range, only numbers that float32 has too.\n        \"float32\": True,\n";
    }
    *text += "        \"elements\": [\n";
    let commented = elements.len() <= IN_LINE;
    for element in elements {
        let ends = element.ranges.iter().flat_map(|&(low, high)| [low, high]);
        let ends: Vec<String> = ends.map(|bits| display::bits(*dtype, bits)).collect();
        let comment = if commented { format!("  # {}", said(*dtype, element)) } else { String::new() };
        let _ = writeln!(text, "            ({}),{comment}", ends.join(", "));
    }
    *text += "        ],\n";
}

/// The best answer for an element in decimal, and the exact value where that is another.
pub(crate) fn said(dtype: Dtype, element: &Element) -> String {
    let best = display::element(dtype, element.best);
    match &element.exact {
        Some(exact) if *exact != best => format!("{best}; exactly {exact}"),
        _ => best,
    }
}
