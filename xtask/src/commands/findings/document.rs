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
//!   - `since`: the first release that has it: `1.27.0`, `1.19.0 or before`, or `unknown`;
//!   - `state`: `open`, `reported` (upstream has a report of it), or `mended`;
//!   - `until`, for a mended defect: the first release without it, in the form of `since`;
//!   - `seen`, for a mended defect: the newest release in which it was seen;
//!   - `upstream`: the link of a report, or `none`;
//!   - `upstream_of`: the subject of that report, if it is not this defect itself; optional.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use normative_conformance::corpus::guard::{self, Key, MAX_BYTES};
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::outside;

use super::error::{FindingError, Problem};
use super::fields::Fields;
use super::finding::Runtime;
use super::rules::{finding, head};
use normative::backends;

/// Reads every file of a folder. The runtimes are in the order of `cargo xtask backends`.
///
/// # Errors
/// All problems in all files; of each finding, the first.
pub(super) fn load(
    folder: &Path,
    corpus: &Corpus,
    ledger: &Ledger,
) -> Result<Vec<Runtime>, Vec<FindingError>> {
    let (mut runtimes, mut errors) = (Vec::new(), Vec::new());
    for file in files(folder)? {
        let whole = |problem| vec![FindingError { file: file.clone(), line: 1, problem }];
        let text = outside::text(&file, MAX_BYTES).map_err(|io| whole(Problem::Unreadable(io.to_string())));
        match text.and_then(|text| load_text(&file, &text, corpus, ledger)) {
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

/// Lists the files of a folder, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Vec<FindingError>> {
    let error = |file: &Path, problem| vec![FindingError { file: file.to_owned(), line: 1, problem }];
    let unreadable = |io: std::io::Error| error(folder, Problem::Unreadable(io.to_string()));
    let mut files = Vec::new();
    for path in outside::entries(folder, outside::ENTRIES).map_err(unreadable)? {
        let kind = fs::symlink_metadata(&path).map_err(unreadable)?.file_type();
        if !kind.is_file() || path.extension().is_none_or(|ending| ending != "yaml") {
            return Err(error(&path, Problem::NotAFile));
        }
        files.push(path);
    }
    if files.is_empty() { Err(error(folder, Problem::NoFiles)) } else { Ok(files) }
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
) -> Result<Runtime, Vec<FindingError>> {
    let error = |line, problem| FindingError { file: file.to_owned(), line, problem };
    if text.len() > MAX_BYTES {
        return Err(vec![error(1, Problem::TooLong)]);
    }
    let outline = guard::scan(text);
    if let Some((refusal, line)) = outline.refusal {
        return Err(vec![error(line, refusal.into())]);
    }
    let fields: Fields = serde_yaml::from_str(text).map_err(|yaml| {
        let last = text.lines().count().max(1);
        let line = yaml.location().map_or(1, |place| place.line().clamp(1, last));
        vec![error(line, Problem::Yaml(yaml.to_string()))]
    })?;
    let lines = Lines::of(outline.keys);
    let checked = head(&fields).map_err(|(field, problem)| vec![error(lines.of_head(field), problem)])?;
    let (mut findings, mut errors, mut seen) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (at, entry) in fields.findings.iter().enumerate() {
        let line = lines.of_entry(at, "defect");
        let key = (&entry.backend, &entry.case, &entry.call);
        if let Some(first) = seen.insert(key, line) {
            errors.push(error(line, Problem::Duplicate(first)));
            continue;
        }
        match finding(entry, line, &fields, &checked, corpus, ledger) {
            Ok(finding) => findings.push(finding),
            Err((field, problem)) => errors.push(error(lines.of_entry(at, field), problem)),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let Fields { runtime: name, part, backends: routes, .. } = fields;
    Ok(Runtime { file: file.to_owned(), name, part, checked, routes, findings })
}

/// The lines of the keys of a file.
struct Lines<'a> {
    keys: Vec<Key<'a>>,
    /// The index in `keys` where each finding begins.
    entries: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(keys: Vec<Key<'a>>) -> Self {
        let entries = (0..keys.len()).filter(|&at| keys[at].is("defect")).collect();
        Self { keys, entries }
    }

    /// Returns the line of a field above the findings, or 1.
    fn of_head(&self, field: &str) -> usize {
        self.keys.iter().find(|key| key.depth == 1 && key.is(field)).map_or(1, |key| key.line)
    }

    /// Returns the line of a finding's field, or else that of the finding.
    fn of_entry(&self, entry: usize, field: &str) -> usize {
        let Some(&begin) = self.entries.get(entry) else { return 1 };
        let end = self.entries.get(entry + 1).copied().unwrap_or(self.keys.len());
        let own = self.keys[begin..end].iter().find(|key| key.is(field));
        own.unwrap_or(&self.keys[begin]).line
    }
}

#[cfg(test)]
mod tests;
