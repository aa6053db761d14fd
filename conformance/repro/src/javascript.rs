//! Writes a script in JavaScript for Node: `repro.mjs`, and `package.json` with the judged version of the
//! package.
//!
//! The script calls each package as its adapter in `backends/javascript` does. It compares as Python scripts
//! do.

use std::fmt::Write as _;

use normative_backend::bytes;
use normative_conformance::display;
use normative_reference::{Axes, Dtype, Norm, Operator, Tensor};

use crate::arguments::{Arguments, Axis};
use crate::arrays::steps_in;
use crate::blas::Routine;
use crate::due::{Due, DueCondition, DueTensor};
use crate::models::no;
use crate::python::said;
use crate::script::{IN_LINE, Processes, RUNS, decimals, filled, name, titled};
use crate::target::{Package, WEBNN_BASELINE, Way};
use crate::{NoRepro, ReproFile, Subject};

/// The parts of a script that depend on the package.
struct Script {
    /// The lines of `dependencies` in `package.json`.
    dependencies: String,
    imports: &'static str,
    /// The functions `call` and `isRefusal`.
    code: String,
}

/// Returns the files of a reproduction in JavaScript.
///
/// # Errors
/// [`NoRepro`] if the runtime cannot express the call.
pub(crate) fn files(subject: &Subject<'_>, package: Package) -> Result<Vec<ReproFile>, NoRepro> {
    let Script { dependencies, imports, code } = match package {
        Package::Tfjs(way) => tfjs(subject, way)?,
        Package::WebNnBaseline => webnn_baseline(subject)?,
        Package::StdlibBlas => stdlib_blas(subject)?,
    };
    let data = &subject.call.data;
    let title: Vec<String> = titled(subject).trim_end().lines().map(|line| format!("// {line}")).collect();
    let main = Processes::of(subject).map_or_else(
        || "main();".into(),
        |processes| {
            let until_wrong = format!(
                "let status = 0;\nfor (let run = 0; run < {RUNS} && status === 0; run += 1) status = alone();"
            );
            processes.filled(include_str!("templates/child.mjs"), "const status = alone();", &until_wrong)
        },
    );
    let text = filled(
        include_str!("templates/script.mjs"),
        &[
            ("TITLE", &title.join("\n").replace("// \n", "//\n")),
            ("IMPORTS", imports),
            ("CALL", &format!("{:?}", display::call(subject.call))),
            ("SHAPE", &format!("{:?}", data.shape())),
            ("DATA", &elements(data)),
            ("CODE", &code),
            ("DUE", &due_text(subject.due)),
            ("CHECK", include_str!("templates/check.mjs").trim_end()),
            ("MAIN", &main),
        ],
    );
    let manifest = format!("{{\n  \"private\": true,\n  \"dependencies\": {{\n{dependencies}\n  }}\n}}\n");
    let mut files = vec![ReproFile::text("package.json", manifest), ReproFile::text("repro.mjs", text)];
    files.extend((data.len() > IN_LINE).then(|| ReproFile { path: "data.bin", bytes: bytes::of(data) }));
    Ok(files)
}

/// Writes a call of TensorFlow.js on its plain JavaScript backend.
fn tfjs(subject: &Subject<'_>, way: Way) -> Result<Script, NoRepro> {
    let (call, version) = (subject.call, &subject.identity.version);
    let dtype = call.data.dtype();
    if !matches!(dtype, Dtype::F32 | Dtype::I32) {
        return Err(no(subject, format!("TensorFlow.js has no tensor of {dtype}")));
    }
    let arguments = Arguments::of(call)?;
    let to = format!("{}, {}", axis_in_numbers(subject, arguments.axis)?, keep(arguments.keepdims));
    let norm = match (way, arguments.norm) {
        (Way::Sum, norm) | (Way::Norm, norm @ Norm::SumSquare) => steps_in("tf", "sum", norm, &to),
        (Way::Norm, Norm::L1) => format!("tf.norm(x, 1, {to})"),
        (Way::Norm, Norm::L2) => format!("tf.norm(x, \"euclidean\", {to})"),
    };
    Ok(Script {
        dependencies: ["core", "backend-cpu"]
            .map(|part| format!("    \"@tensorflow/tfjs-{part}\": \"{version}\""))
            .join(",\n"),
        imports: "const load = createRequire(import.meta.url);\nconst tf = load(\"@tensorflow/tfjs-core\");\n\
                  load(\"@tensorflow/tfjs-backend-cpu\");\n",
        code: format!(
            "function call() {{\n  const x = tf.tensor(DATA, SHAPE, \"{}\");\n  const result = {norm};\n  \
             return [result.dtype, result.shape, result.dataSync()];\n}}\n\nconst isRefusal = (error) => \
             error.constructor === Error;",
            name(dtype)
        ),
    })
}

/// Writes a call of the W3C group's own implementation, whose tensors hold numbers without a type.
fn webnn_baseline(subject: &Subject<'_>) -> Result<Script, NoRepro> {
    let call = subject.call;
    let dtype = call.data.dtype();
    let Operator::WebNn { norm, keep_dimensions } = call.operator else {
        return Err(no(subject, "webnn-baseline is WebNN alone".into()));
    };
    let mut options = Vec::new();
    match &call.axes {
        Axes::Absent => {}
        Axes::Given(axes) if axes.shape.len() == 1 => {
            options.push(format!("axes: {}", axis_in_numbers(subject, Axis::of(axes))?));
        }
        Axes::Null | Axes::Given(_) | Axes::OtherForm(_) => {
            return Err(no(subject, "it has no bindings to refuse what is no list".into()));
        }
    }
    options.extend(keep_dimensions.map(|keep| format!("keepDimensions: {keep}")));
    let back = match dtype {
        Dtype::F16 => "new Uint16Array(Float16Array.from(data).buffer)".to_owned(),
        Dtype::F32 | Dtype::I32 | Dtype::U32 => format!("{}.from(data)", array_of(dtype)),
        Dtype::I64 | Dtype::U64 => {
            if call.data.bits().into_iter().any(|bits| !is_safe(dtype, bits)) {
                return Err(no(subject, "no number of JavaScript holds this integer".into()));
            }
            format!("{}.from(data, BigInt)", array_of(dtype))
        }
        _ => return Err(no(subject, "its tensors have no element type to refuse".into())),
    };
    let function = match norm {
        Norm::L1 => "reduceL1",
        Norm::L2 => "reduceL2",
        Norm::SumSquare => "reduceSumSquare",
    };
    let options = if options.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", options.join(", ")) };
    Ok(Script {
        dependencies: format!(
            "    \"webnn-baseline\": \"github:webmachinelearning/webnn-baseline#{WEBNN_BASELINE}\""
        ),
        imports: "const load = createRequire(new URL(\"node_modules/webnn-baseline/package.json\", import.meta.url));\n\
                  const { Float16Array } = load(\"@petamoriken/float16\");\n\
                  const { Tensor } = await import(\"./node_modules/webnn-baseline/src/lib/tensor.js\");\n\
                  const { reduceL1, reduceL2, reduceSumSquare } = await import(\"./node_modules/webnn-baseline/src/reduce.js\");\n",
        code: format!(
            "function call() {{\n  const input = new Tensor(SHAPE, Array.from(DATA, Number));\n  \
             const {{ shape, data }} = {function}(input, {options});\n  // Its numbers have no type: an array of the \
             operand's type makes elements of them.\n  return [\"{}\", shape, {back}];\n}}\n\nconst isRefusal = (error) => \
             [Error, TypeError].includes(error.constructor);",
            name(dtype)
        ),
    })
}

/// Writes a call of @stdlib's routine; each precision has its own package.
fn stdlib_blas(subject: &Subject<'_>) -> Result<Script, NoRepro> {
    let Routine { name: routine, n, incx } = Routine::of(subject)?;
    let dtype = subject.call.data.dtype();
    // The known version is that of the double-precision routine.
    let version = if dtype == Dtype::F64 { subject.identity.version.as_str() } else { "*" };
    Ok(Script {
        dependencies: format!("    \"@stdlib/blas-base-{routine}\": \"{version}\""),
        imports: "const load = createRequire(import.meta.url);\n",
        code: format!(
            "function call() {{\n  const {routine} = load(\"@stdlib/blas-base-{routine}\");\n  \
             return [\"{}\", [], {}.of({routine}({n}, DATA, {incx}))];\n}}\n\nconst isRefusal = () => false;",
            name(dtype),
            array_of(dtype)
        ),
    })
}

/// Formats axes as JavaScript numbers, which have no integer type and at most 53 bits.
fn axis_in_numbers(subject: &Subject<'_>, axis: Axis<'_>) -> Result<String, NoRepro> {
    const MOST: u128 = (1 << 53) - 1;
    if let Axis::Given(axes) = axis
        && (!axes.dtype.is_integer() || axes.values.iter().any(|axis| axis.unsigned_abs() > MOST))
    {
        return Err(no(subject, "no number of JavaScript is this axis alone".into()));
    }
    Ok(axis.in_javascript())
}

fn keep(keepdims: i64) -> String {
    match keepdims {
        0 => "false".into(),
        1 => "true".into(),
        other => other.to_string(),
    }
}

/// Returns true if a JavaScript number holds this 64-bit integer exactly.
fn is_safe(dtype: Dtype, bits: u64) -> bool {
    let magnitude = if dtype == Dtype::I64 { (bits as i64).unsigned_abs() } else { bits };
    magnitude < 1 << 53
}

const fn array_of(dtype: Dtype) -> &'static str {
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

/// Returns the line with a typed array of these elements; a long tensor is read from a file.
fn elements(tensor: &Tensor) -> String {
    let dtype = tensor.dtype();
    let array = array_of(dtype);
    if tensor.len() > IN_LINE {
        return format!(
            "new {array}(Uint8Array.from(readFileSync(new URL(\"data.bin\", import.meta.url))).buffer);"
        );
    }
    let unit = if dtype.size() == 8 && dtype.is_integer() { "n" } else { "" };
    if dtype != Dtype::F16
        && let Some(numbers) = decimals(tensor)
    {
        let numbers = numbers.split(", ").filter(|number| !number.is_empty()).map(|number| {
            let number = number.replace("np.inf", "Infinity").replace("np.nan", "NaN");
            format!("{number}{unit}")
        });
        return format!("{array}.of({});", numbers.collect::<Vec<_>>().join(", "));
    }
    let (word, unit) = match dtype.size() {
        2 => ("Uint16Array", ""),
        8 => ("BigUint64Array", "n"),
        _ => ("Uint32Array", ""),
    };
    let bits = tensor.bits().into_iter().map(|bits| format!("{}{unit}", display::bits(dtype, bits)));
    let bits: Vec<String> = bits.collect();
    format!("new {array}({word}.of({}).buffer); // {}", bits.join(", "), display::data(tensor))
}

fn due_text(due: &Due) -> String {
    let mut text = String::from(
        "// What is due: one of these. Of each element, the bits from the first number of a pair to the second are accepted,\n\
         // both included.\n",
    );
    for question in due.open() {
        let _ = writeln!(text, "// Open: {question}");
    }
    text += "const DUE = [\n";
    for answer in &due.answers {
        text += "  {\n";
        if !answer.readings.is_empty() {
            let _ = writeln!(text, "    if: {:?},", answer.readings);
        }
        match &answer.is {
            DueCondition::Refused(clause) => {
                let _ = writeln!(text, "    refused: {clause:?},");
            }
            DueCondition::Tensor(form) => tensor(&mut text, form),
        }
        text += "  },\n";
    }
    text + "];"
}

/// Writes the accepted elements. `single` is unused, because no package here has ReduceL2-18 of f64.
fn tensor(text: &mut String, DueTensor { dtype, shape, elements, single: _ }: &DueTensor) {
    let _ = writeln!(text, "    dtype: \"{}\",\n    shape: {shape:?},\n    elements: [", name(*dtype));
    let commented = elements.len() <= IN_LINE;
    for element in elements {
        let pairs = element.ranges.iter().map(|&(low, high)| {
            format!("[{}n, {}n]", display::bits(*dtype, low), display::bits(*dtype, high))
        });
        let comment = if commented { format!(" // {}", said(*dtype, element)) } else { String::new() };
        let _ = writeln!(text, "      [{}],{comment}", pairs.collect::<Vec<_>>().join(", "));
    }
    *text += "    ],\n";
}
