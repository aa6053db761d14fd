//! Writes `ISSUE.md`: the upstream's issue form, filled in as far as the facts are known.
//!
//! ONNX Runtime and OpenVINO have their own forms; the others want a short script and the environment. Angle
//! brackets mark facts that only the reporter knows.

use std::fmt::Write as _;

use normative_conformance::display;
use normative_conformance::observed::Observed;
use normative_conformance::report::finding::Line;
use normative_conformance::report::label;
use normative_conformance::report::record::Machine;
use normative_reference::{Dtype, Family, Norm, Spec};

use crate::due::{DueCondition, DueTensor};
use crate::literal::name;
use crate::target::Language;
use crate::words::Words;
use crate::{NoRepro, ReproFile, Subject, template};

/// The most elements of an expected tensor that are written out.
const ELEMENTS: usize = 8;

/// The most characters of a title.
const HEADLINE: usize = 100;

/// The words of forms for what a machine calls itself, each after that.
const PLATFORMS: [(&str, &str); 5] =
    [("linux", "Linux"), ("windows", "Windows"), ("macos", "Mac"), ("x86_64", "X64"), ("aarch64", "ARM64")];

/// Returns the text; `snippet` is the call as a few lines of Python.
pub(crate) fn text(
    subject: &Subject<'_>,
    files: &[ReproFile],
    snippet: Option<&str>,
) -> Result<String, NoRepro> {
    let Subject { identity, call, machine, .. } = subject;
    let Machine { os, arch, system, processor, .. } = machine;
    let named = |word: &str| {
        let known = PLATFORMS.iter().find(|(own, _)| *own == word);
        known.map_or("Other / Unknown", |(_, named)| named).to_owned()
    };
    let words = Words { subject, fed: None };
    let form = template::filled(
        subject.target.row.form,
        |word| words.holds(word),
        |hole| {
            Ok(Some(match hole {
                "ABOUT" => {
                    let language = subject.target.row.language;
                    let [expected, extent] =
                        [expected(subject), extent(subject)].map(|text| in_words_of(language, &text));
                    let about = [expected, observed(subject), extent, releases(subject)];
                    let about: Vec<&str> =
                        about.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
                    about.join("\n\n")
                }
                "STEPS" => steps(subject, files, snippet).trim_end().to_owned(),
                "NAME" => identity.name.clone(),
                "OPERATOR" => operator(call.spec()),
                "CAME" => came(subject),
                "OS" => named(os),
                "ARCHITECTURE" => named(arch),
                "OPENVINO_OS" => listed(os, arch).to_owned(),
                "SYSTEM" => system.as_ref().unwrap_or(os).clone(),
                "MACHINE" => arch.clone(),
                "PYTHON" => python(machine),
                "PROCESSOR" => processor.as_ref().map(|model| format!(", {model}")).unwrap_or_default(),
                other => return words.hole(other),
            }))
        },
    )?;
    // A failure without a defect may quote the runtime.
    let wrong = match subject.defect {
        Some((defect, _)) => in_words_of(subject.target.row.language, defect),
        None => subject.wrong.unwrap_or("conforms").to_owned(),
    };
    Ok(format!(
        "<!-- To be filed at {} -->\n\n# {} {}: {}: {}\n\n{form}",
        identity.report_bugs_to,
        identity.name,
        identity.version,
        operator(call.spec()),
        headline(&wrong)
    ))
}

/// Returns the version of Python behind a comma, if the files of the backend tell it.
fn python(machine: &Machine) -> String {
    let version = |name: &str| {
        let minor = name.trim_start_matches("lib").strip_prefix("python3.")?.split('.').next()?;
        minor.parse::<u32>().ok().map(|minor| format!(", Python 3.{minor}"))
    };
    machine.worker.iter().find_map(|file| version(&file.name)).unwrap_or_default()
}

/// Writes element types as the language does: `int64`, where Rust has `i64`. Not for words of a runtime.
fn in_words_of(language: Language, text: &str) -> String {
    if language == Language::Rust {
        return text.to_owned();
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| is_part(c) != is_part(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        words += match Dtype::from_name(word) {
            Some(dtype) => name(dtype),
            None => word,
        };
        rest = after;
    }
    words
}

/// Returns the operating system as OpenVINO's form lists it.
fn listed(os: &str, arch: &str) -> &'static str {
    match (os, arch) {
        ("windows", _) => "Windows System",
        ("macos", "x86_64") => "macOS Systems for Intel CPU",
        ("macos", _) => "macOS Systems for Apple Silicon",
        _ => "Other (Please specify in description)",
    }
}

/// Returns what is known of the defect beyond the one call.
fn extent(subject: &Subject<'_>) -> String {
    let Some((_, lines)) = subject.defect else { return String::new() };
    let lines = lines.iter().map(|line| {
        let label = if line.label == label::EXPLAINS { "seen in" } else { line.label };
        format!("- {label}: {}\n", line.text)
    });
    format!("Its extent, in a run of the conformance suite Normative:\n{}", lines.collect::<String>())
}

/// Returns the releases with the failure, and its reports.
fn releases(subject: &Subject<'_>) -> String {
    let lines = subject.releases.iter().map(|Line { label, text }| format!("- {label}: {text}\n"));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("In releases:\n{lines}") }
}

/// Returns the first line of the failure, without Markdown's backquotes, cut to a title's length.
fn headline(wrong: &str) -> String {
    let text = Line::new("wrong", wrong).text.replace('`', "'");
    let first: Vec<char> = text.lines().next().unwrap_or_default().chars().collect();
    let cut = if first.len() > HEADLINE { "…" } else { "" };
    first.iter().take(HEADLINE).collect::<String>() + cut
}

/// Returns the operator's usual name.
fn operator(spec: Spec) -> String {
    format!(
        "{} of {}",
        display::version(spec),
        match spec.family() {
            Family::Onnx => "ONNX",
            Family::OpenVino => "OpenVINO",
            Family::Bnns => "BNNS",
            Family::ArrayApi => "the Python array API standard",
            Family::WebNn => "W3C WebNN",
            Family::Blas => "the reference implementation of BLAS",
        }
    )
}

fn expected(subject: &Subject<'_>) -> String {
    let mut text = format!(
        "The call: {}.\nThe data: {}.\n\nExpected{}:\n",
        display::call(subject.call),
        display::data(&subject.call.data),
        if subject.due.answers.len() > 1 { ", any one of these" } else { "" }
    );
    for answer in &subject.due.answers {
        let condition =
            if answer.readings.is_empty() { String::new() } else { format!(" (where {})", answer.readings) };
        let what = match &answer.is {
            DueCondition::Refused(_) => "a refusal of the call".to_owned(),
            DueCondition::Tensor(form) => tensor(form),
        };
        let _ = writeln!(text, "- {what}{condition}");
    }
    if !subject.due.questions.is_empty() {
        text += "\nThe specification leaves open what these names stand for:\n";
        for question in subject.due.open() {
            let _ = writeln!(text, "- {question}");
        }
    }
    text += "\nBy:\n";
    for clause in subject.clauses {
        let link = link(clause.spec);
        let _ = match subject.ledger.get(clause.spec, &clause.name) {
            Some(entry) => writeln!(text, "- {} ([{clause}]({link}), {})", entry.says, entry.place),
            None => writeln!(text, "- [{clause}]({link})"),
        };
    }
    text
}

fn tensor(DueTensor { dtype, shape, elements, .. }: &DueTensor) -> String {
    let shown = elements.iter().take(ELEMENTS).map(|element| {
        let best = display::element(*dtype, element.best);
        match element.ranges.first() {
            Some((low, high)) if low != high => {
                let [low, high] = [low, high].map(|&bits| display::element(*dtype, bits));
                format!("{best} (accepted: {low} to {high})")
            }
            _ => best,
        }
    });
    let shown: Vec<String> = shown.collect();
    let more =
        if elements.len() > ELEMENTS { format!(", … ({} in all)", elements.len()) } else { String::new() };
    format!("{} of shape {shape:?}: {}{more}", name(*dtype), shown.join(", "))
}

fn observed(subject: &Subject<'_>) -> String {
    let note = if subject.varies() { "\n\nAsked again, it answered otherwise." } else { "" };
    format!("Observed:\n\n```text\n{}\n```{note}", came(subject))
}

/// Returns the answer as text that cannot end its code block.
fn came(subject: &Subject<'_>) -> String {
    let came = Line::new("came", &display::answer(subject.came)).text.replace("```", "'''");
    match subject.came {
        Observed::Tensor(_) => in_words_of(subject.target.row.language, &came),
        _ => came,
    }
}

/// Returns the code: the few lines, or else the script, with the names of the files to attach.
fn steps(subject: &Subject<'_>, files: &[ReproFile], snippet: Option<&str>) -> String {
    if let Some(snippet) = snippet {
        return format!("```python\n{}\n```", snippet.trim_end());
    }
    let mut text = format!("`{}` prints what is due and what comes.\n", subject.target.command());
    for ReproFile { path, bytes } in files {
        let _ = match (path.rsplit('.').next(), std::str::from_utf8(bytes)) {
            (Some(language @ ("py" | "mjs" | "rs" | "toml" | "json")), Ok(code)) => {
                write!(text, "\n`{path}`:\n\n```{language}\n{}\n```\n", code.trim_end())
            }
            _ => writeln!(text, "\n`{path}` is attached."),
        };
    }
    text
}

/// Returns the link to the page of the spec.
fn link(spec: Spec) -> String {
    match spec {
        Spec::OpenVino(norm) => format!(
            "https://docs.openvino.ai/2025/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/\
             reduce-{}-{}.html",
            lower(norm),
            if norm == Norm::Sum { 1 } else { 4 }
        ),
        Spec::Onnx(norm, opset) => {
            let (norm, page) = (lower(norm), normative_onnx::op_type(norm));
            format!(
                "https://onnx.ai/onnx/operators/onnx__{page}.html#l-onnx-op-reduce{norm}-{}",
                opset.number()
            )
        }
        Spec::Blas(norm) => format!(
            "https://github.com/Reference-LAPACK/lapack/blob/v3.12.0/BLAS/SRC/{}",
            if norm == Norm::L1 { "dasum.f" } else { "dnrm2.f90" }
        ),
        Spec::WebNn(_) => "https://www.w3.org/TR/2026/CR-webnn-20260122/#api-mlgraphbuilder-reduce".into(),
        Spec::ArrayApi(_) => {
            "https://data-apis.org/array-api/latest/extensions/generated/array_api.linalg.vector_norm.html"
                .into()
        }
        Spec::Bnns => {
            "https://developer.apple.com/documentation/accelerate/bnns/computenorm(input:output:axes:)".into()
        }
    }
}

const fn lower(norm: Norm) -> &'static str {
    match norm {
        Norm::L1 => "l1",
        Norm::L2 => "l2",
        Norm::SumSquare => "sumsquare",
        Norm::Sum => "sum",
    }
}
