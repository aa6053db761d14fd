//! A file of findings: one runtime, the backends that reach it, and its defects. It is parsed as strictly as case
//! files, in the same subset of YAML.
//!
//! - `runtime`, `part`: the heading on the page, before and after the release; `part` is optional.
//! - `checked`: the newest release in which every finding was asked.
//! - `backends`: a list of `name`, as `cargo xtask backends` lists it; `heading` and `note`, for the page, are
//!   optional.
//! - `findings`: a list. Each entry has
//!   - `defect`: a few words, always the first field;
//!   - `backend`: one of `backends`;
//!   - `case` or `call`: the case of the corpus, or the generated call (SEED:INDEX), that shows it;
//!   - `hazard: true`, if the text allows the answer, but it is not the norm, although its type can hold the norm;
//!   - `clause`: the clause of the ledger that it breaks, or that allows the hazard;
//!   - `due`, `came`: the expected and the actual answer;
//!   - `since`: the first release that has it: `1.27.0`, `1.19.0 or before`, or `unknown`; without it, the history of the
//!     backend says `since`, `until` and `seen`, which `cargo xtask history` asks;
//!   - `state`: `open`, `reported` (upstream has a report of it), or `mended`;
//!   - `until`, for a mended defect: the first release without it, in the form of `since`;
//!   - `seen`, for a mended defect: the newest release in which it was seen;
//!   - `upstream`: the link of a report, or `none`;
//!   - `upstream_of`: the subject of that report, if it is not this defect itself; optional.

use std::collections::BTreeMap;
use std::path::Path;

use normative_conformance::corpus::document::{self, Document};
use normative_conformance::corpus::{Corpus, Ledger, LoadError, Problem};

use super::fields::Fields;
use super::finding::Runtime;
use super::rules::{finding, head};
use normative::backends;

/// Reads every file of a folder. The runtimes are in the order of `cargo xtask backends`.
///
/// # Errors
/// All problems in all files; of each finding, the first.
pub(super) fn load(folder: &Path, corpus: &Corpus, ledger: &Ledger) -> Result<Vec<Runtime>, Vec<LoadError>> {
    let (mut runtimes, mut errors) = (Vec::new(), Vec::new());
    for file in document::walk(folder, &[])? {
        match document::read(&file).and_then(|text| load_text(&file, &text, corpus, ledger)) {
            Ok(runtime) => runtimes.push(runtime),
            Err(more) => errors.extend(more),
        }
    }
    let place = |runtime: &Runtime| {
        let first = runtime.routes.first().map(|route| route.name.as_str());
        backends::all().position(|wanted| Some(wanted.known.name) == first)
    };
    runtimes.sort_by_key(place);
    if errors.is_empty() { Ok(runtimes) } else { Err(errors) }
}

/// Parses one file, given as text; `file` is only for messages.
///
/// # Errors
/// All problems in it; of each finding, the first.
pub(super) fn load_text(
    file: &Path,
    text: &str,
    corpus: &Corpus,
    ledger: &Ledger,
) -> Result<Runtime, Vec<LoadError>> {
    // A defect is named by several words, which messages leave out.
    let unnamed = |errors: Vec<LoadError>| {
        errors.into_iter().map(|error| LoadError { case: None, ..error }).collect::<Vec<_>>()
    };
    let document: Document<'_, Fields> = Document::parse(file, text, "defect").map_err(unnamed)?;
    let checked = head(&document.fields)
        .map_err(|(field, why)| vec![document.error(document.line_of(field), None, Problem::Entry(why))])?;
    let (mut findings, mut errors, mut seen) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (at, entry) in document.fields.findings.iter().enumerate() {
        let line = document.line_of_entry(at);
        let key = (&entry.backend, &entry.case, &entry.call);
        if let Some(line_before) = seen.insert(key, line) {
            let twice = Problem::Duplicate { file: file.to_owned(), line: line_before };
            errors.push(document.error(line, None, twice));
            continue;
        }
        match finding(entry, line, &document.fields, &checked, corpus, ledger) {
            Ok(finding) => findings.push(finding),
            Err((field, why)) => {
                errors.push(document.error(
                    document.line_of_field(at, None, field),
                    None,
                    Problem::Entry(why),
                ));
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let Fields { runtime: name, part, backends: routes, .. } = document.fields;
    Ok(Runtime { file: file.to_owned(), name, part, checked, routes, findings })
}

#[cfg(test)]
mod tests;
