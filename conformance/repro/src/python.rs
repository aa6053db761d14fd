//! Writes a Python script: the call and the acceptable answers as data, the call's function, and the
//! comparison.
//!
//! The function comes from `arrays`, `models`, `layers` or `blas`; the rest is the same for every runtime.
//! Elements are compared by their bits, so printing and rounding do not matter.

use std::fmt::Write as _;

use normative_conformance::display;
use normative_reference::Dtype;

use crate::due::{Due, DueCondition, DueElement, DueTensor};
use crate::script::{IN_LINE, Processes, RUNS, Script, filled, name, quoted, titled};
use crate::target::Target;
use crate::{NoRepro, ReproFile, Subject, arrays, blas, layers, models, snippet};

/// Returns the files of a reproduction in Python, and the [snippet] for an issue, if there can be one.
///
/// # Errors
/// [`NoRepro`] if the runtime cannot express the call.
pub(crate) fn files(subject: &Subject<'_>) -> Result<(Vec<ReproFile>, Option<String>), NoRepro> {
    let script = match subject.target {
        Target::Array(library, way) => arrays::script(subject, library, way)?,
        Target::OnnxRuntime(onnx, optimised) => models::onnx_runtime(subject, onnx, optimised)?,
        Target::OnnxReference(onnx) => models::onnx_reference(subject, onnx)?,
        Target::OpenVinoIr { data, axes } => models::openvino_ir(subject, data, axes)?,
        Target::OpenVinoOnnx(axes) => models::openvino_onnx(subject, axes)?,
        Target::OpenVinoEvaluate => layers::openvino_evaluate(subject)?,
        Target::Compiler(compiler) => models::compiled(subject, compiler)?,
        Target::Ncnn => layers::ncnn(subject)?,
        Target::LiteRt(kernels) => layers::litert(subject, kernels)?,
        Target::Blas(library) => blas::script(subject, library)?,
        Target::Crate(_) | Target::Package(_) => return Ok((Vec::new(), None)),
    };
    let snippet = snippet::python(subject, &script, &libraries(&script.imports));
    let Script { packages, standard, imports, code, mut files } = script;
    let processes = Processes::of(subject);
    let mut modules = vec!["import struct", "import sys", "import traceback"];
    modules.extend(standard);
    modules.extend(processes.is_some().then_some("import subprocess"));
    let main = processes.map_or_else(
        || "if __name__ == \"__main__\":\n    main()".into(),
        |processes| {
            let until_wrong = format!("next(filter(None, (alone() for _ in range({RUNS}))), 0)");
            processes.filled(include_str!("templates/child.py"), "alone()", &until_wrong)
        },
    );
    modules.sort_unstable();
    let text = filled(
        include_str!("templates/script.py"),
        &[
            ("TITLE", &title(subject)),
            ("PACKAGES", &packages.join(" ")),
            ("STANDARD", &modules.join("\n")),
            ("IMPORTS", &libraries(&imports)),
            ("CALL", &quoted(&display::call(subject.call))),
            ("CODE", code.trim_end()),
            ("DUE", &due(subject.due)),
            ("CHECK", include_str!("templates/check.py").trim_end()),
            ("MAIN", &main),
        ],
    );
    files.push(ReproFile::text("repro.py", text));
    Ok((files, snippet))
}

/// Returns the imports of installed packages, in the usual order of Python.
fn libraries(imports: &str) -> String {
    let mut lines: Vec<&str> = std::iter::once("import numpy as np").chain(imports.lines()).collect();
    lines.sort_by_key(|line| (line.starts_with("from"), *line));
    lines.join("\n")
}

/// Returns the first lines of a script, safe within a docstring.
fn title(subject: &Subject<'_>) -> String {
    titled(subject).replace('\\', "/").replace("\"\"\"", "'''")
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
            DueCondition::Refused(clause) => {
                let _ = writeln!(text, "        \"refused\": {},", quoted(clause));
            }
            DueCondition::Tensor(form) => tensor(&mut text, form),
        }
        text += "    },\n";
    }
    text + "]"
}

fn tensor(text: &mut String, DueTensor { dtype, shape, elements, single }: &DueTensor) {
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

/// Returns the best answer for an element in decimal, and the exact value if it differs.
pub(crate) fn said(dtype: Dtype, element: &DueElement) -> String {
    let best = display::element(dtype, element.best);
    match &element.exact {
        Some(exact) if *exact != best => format!("{best}; exactly {exact}"),
        _ => best,
    }
}
