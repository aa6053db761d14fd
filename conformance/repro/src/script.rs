//! Writes a script: the call and the acceptable answers as data, the runtime's function, and the comparison.
//!
//! The function comes from the runtime's template; the rest is the same for every runtime of a language.
//! Elements are compared by their bits, so printing and rounding do not matter.

use normative_backend::bytes;
use normative_conformance::display;
use normative_onnx::Model;
use normative_openvino_ir::{Ir, ir};
use normative_present::npy::npy;
use normative_reference::{Axes, Dtype, Tensor};

use crate::due::{Due, DueAnswer, DueCondition, DueElement, DueTensor};
use crate::literal::{IN_LINE, name};
use crate::target::{Input, Language};
use crate::words::Words;
use crate::{NoRepro, ReproFile, Subject, template};

/// The parts of a script that depend on the runtime.
#[derive(Default)]
pub(crate) struct Script {
    /// The packages to install.
    pub(crate) needs: Vec<String>,
    /// The imports from Python's standard library, beside those of every script.
    pub(crate) standard: Vec<String>,
    /// The other imports.
    pub(crate) imports: Vec<String>,
    /// The function `call`, and what it needs.
    pub(crate) code: String,
}

/// Returns the parts of the script, its files, and the files that it reads.
///
/// # Errors
/// [`NoRepro`] if the runtime cannot express the call.
pub(crate) fn files(subject: &Subject<'_>) -> Result<(Script, Vec<ReproFile>, Vec<ReproFile>), NoRepro> {
    let (mut beside, fed) = model(subject)?;
    let words = Words { subject, fed: fed.as_ref() };
    let script = script(&words)?;
    let language = subject.target.row.language;
    let (skeletons, check, between): (&[(_, _)], _, _) = match language {
        Language::Python => {
            (&[("repro.py", include_str!("templates/script.py"))], include_str!("templates/check.py"), " ")
        }
        Language::JavaScript => (
            &[
                ("package.json", include_str!("templates/package.json")),
                ("repro.mjs", include_str!("templates/script.mjs")),
            ],
            include_str!("templates/check.mjs"),
            ",\n    ",
        ),
        Language::Rust => (
            &[
                ("Cargo.toml", include_str!("templates/Cargo.toml.txt")),
                ("src/main.rs", include_str!("templates/script.rs.txt")),
            ],
            include_str!("templates/check.rs.txt"),
            "\n",
        ),
    };
    let hole = |hole: &str| {
        Ok(Some(match hole {
            "TITLE" => title(subject),
            "NEEDS" => script.needs.join(between),
            "STANDARD" => script.standard.join("\n"),
            "IMPORTS" => script.imports.join("\n"),
            "CODE" => script.code.clone(),
            "OPEN" => open(subject.due, language),
            "DUE" => due(subject.due, language)?,
            "CHECK" => check.trim_end().to_owned(),
            other => return words.hole(other),
        }))
    };
    let filled = skeletons.iter().map(|(path, skeleton)| {
        Ok(ReproFile::text(path, template::filled(skeleton, |word| words.holds(word), hole)?))
    });
    let scripts = filled.collect::<Result<Vec<_>, NoRepro>>()?;
    let data = &subject.call.data;
    beside.insert(0, ReproFile { path: "data.bin", bytes: bytes::of(data) });
    beside.push(ReproFile { path: "data.npy", bytes: npy(data) });
    beside.extend(fed.map(|axes| ReproFile { path: "axes.npy", bytes: npy(&axes) }));
    // The script names the files that it reads.
    let text =
        scripts.last().map_or_else(String::new, |file| String::from_utf8_lossy(&file.bytes).into_owned());
    beside.retain(|file| text.contains(&format!("{}\"", file.path)));
    Ok((script, scripts, beside))
}

/// Returns the files of the model that the runtime gets, and the axes that it is fed with.
fn model(subject: &Subject<'_>) -> Result<(Vec<ReproFile>, Option<Tensor>), NoRepro> {
    let call = subject.call;
    let no = |why: String| NoRepro::Call { spec: call.spec().name(), why };
    Ok(match (subject.target.row.input, &call.axes) {
        (Input::Onnx(axes, imports), _) => {
            let model = normative_onnx::model_importing(call, axes, imports);
            let Model { bytes, axes } = model.map_err(|why| no(why.to_string()))?;
            (vec![ReproFile { path: "model.onnx", bytes }], axes)
        }
        (Input::Ir(data, axes), _) => {
            let Ir { xml, weights, axes } = ir(call, data, axes).map_err(no)?;
            let weights = ReproFile { path: "model.bin", bytes: weights };
            (vec![ReproFile::text("model.xml", xml), weights], axes)
        }
        (Input::Axes, Axes::Given(axes)) => {
            let axes = normative_onnx::axes_tensor(axes).map_err(|why| no(why.to_string()))?;
            (Vec::new(), Some(axes))
        }
        (Input::Axes | Input::Data, _) => (Vec::new(), None),
    })
}

/// Returns the parts that the runtime's template gives.
fn script(words: &Words<'_>) -> Result<Script, NoRepro> {
    let (head, code) = words.subject.target.row.code.split_once("---\n").unwrap_or_default();
    let mut script = Script::default();
    for line in words.filled(head)?.lines() {
        match line.split_once(' ') {
            Some(("no", why)) => return Err(words.no(why)),
            Some(("needs", packages)) => script.needs.push(packages.into()),
            Some(("std", import)) => script.standard.push(import.into()),
            _ => script.imports.push(line.into()),
        }
    }
    if words.subject.target.row.language == Language::Python {
        script.imports.push("import numpy as np".into());
        script.imports.sort_by_key(|line| (line.starts_with("from"), line.clone()));
    }
    Ok(Script { code: words.filled(code)?.trim_end().to_owned(), ..script })
}

/// Returns the title of a script, as a comment or within a docstring.
fn title(subject: &Subject<'_>) -> String {
    let Subject { identity, call, name, due, target, .. } = subject;
    let whole =
        "\nThe suite looks at the errors of all elements together as well, which this script does not.";
    let title = format!(
        "{} {}: one call of {}.\n\nFrom the conformance suite Normative, {name}.{}",
        identity.name,
        identity.version,
        call.spec().name(),
        if due.whole { whole } else { "" }
    );
    let mark = match target.row.language {
        Language::Python => return title.replace('\\', "/").replace("\"\"\"", "'''"),
        Language::JavaScript => "//",
        Language::Rust => "//!",
    };
    title.lines().map(|line| format!("{mark} {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// Returns a comment for each open question.
fn open(due: &Due, language: Language) -> String {
    let mark = if language == Language::Python { "#" } else { "//" };
    due.open().map(|question| format!("{mark} Open: {question}")).collect::<Vec<_>>().join("\n")
}

/// Returns the acceptable answers.
fn due(due: &Due, language: Language) -> Result<String, NoRepro> {
    let template = match language {
        Language::Python => include_str!("templates/due.py"),
        Language::JavaScript => include_str!("templates/due.mjs"),
        Language::Rust => include_str!("templates/due.rs.txt"),
    };
    let answer = |DueAnswer { readings, is }: &DueAnswer| {
        let (clause, tensor) = match is {
            DueCondition::Refused(clause) => (Some(clause), None),
            DueCondition::Tensor(tensor) => (None, Some(tensor)),
        };
        let holds = |word: &str| match word {
            "readings" => !readings.is_empty(),
            "refused" => clause.is_some(),
            "tensor" => tensor.is_some(),
            _ => tensor.is_some_and(|tensor| tensor.single),
        };
        let of = |text: &dyn Fn(&DueTensor) -> String| tensor.map_or_else(String::new, text);
        template::filled(template, holds, |hole| {
            Ok(Some(match hole {
                "READINGS" => language.quoted(readings),
                "CLAUSE" => language.quoted(clause.map_or("", String::as_str)),
                "DTYPE" => of(&|tensor| name(tensor.dtype).into()),
                "SHAPE" => of(&|tensor| format!("{:?}", tensor.shape)),
                "SINGLE" => of(&|tensor| tensor.single.to_string()),
                "ELEMENTS" => of(&|tensor| elements(tensor, language)),
                _ => return Ok(None),
            }))
        })
    };
    let answers = due.answers.iter().map(answer).collect::<Result<String, NoRepro>>()?;
    Ok(answers.trim_end().to_owned())
}

/// Returns a line for each element: the first and the last of the bits in each range, and the best answer.
fn elements(DueTensor { dtype, elements, .. }: &DueTensor, language: Language) -> String {
    let [open, before, between, after, close, mark] = match language {
        Language::Python => ["            (", "", ", ", "", "),", "  # "],
        Language::JavaScript => ["      [", "[", "n, ", "n]", "],", " // "],
        Language::Rust => ["            &[", "(", ", ", ")", "],", "  // "],
    };
    let line = |element: &DueElement| {
        let range = |&(low, high): &(u64, u64)| {
            let [low, high] = [low, high].map(|bits| display::bits(*dtype, bits));
            format!("{before}{low}{between}{high}{after}")
        };
        let ranges: Vec<String> = element.ranges.iter().map(range).collect();
        let line = format!("{open}{}{close}", ranges.join(", "));
        if elements.len() <= IN_LINE { format!("{line}{mark}{}", said(*dtype, element)) } else { line }
    };
    elements.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the best answer for an element in decimal, and the exact value if it differs.
fn said(dtype: Dtype, element: &DueElement) -> String {
    let best = display::element(dtype, element.best);
    match &element.exact {
        Some(exact) if *exact != best => format!("{best}; exactly {exact}"),
        _ => best,
    }
}
