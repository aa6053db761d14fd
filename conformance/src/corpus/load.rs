//! Reads the corpus: from files to cases.
//!
//! All errors are reported at once: the first problem of each case, of each file. A corpus with any problem is
//! rejected, so that no case can go missing.

use std::collections::BTreeMap;
use std::path::Path;

use super::budget::Budget;
use super::document::{self, Document};
use super::error::{LoadError, Problem};
use super::expand::{self, Fault};
use super::format::CaseFile;
use super::kernels::{self, KernelFile};
use super::names;
use super::{Case, Corpus};
use crate::parallel;

/// The folders without cases of a usual run: the clause ledger, the fingerprints of its sources, the JSON
/// Schemas, finds, because unreviewed files must not change a run, and cases so large that a runtime takes minutes.
const OTHERS: [&str; 5] = ["clauses", "sources", "schema", "found", "large"];

/// Reads every case file below `dir`, except its folders `clauses`, `sources`, `schema`, `found` and `large`.
///
/// # Errors
/// Returns everything wrong with any of the files; a directory without a file is wrong too.
pub fn load(dir: &Path) -> Result<Corpus, Vec<LoadError>> {
    let files = document::walk(dir, &OTHERS)?;
    joined(parallel::each(&files, |file| document::read(file).and_then(|text| load_text(file, &text))))
}

/// Reads case files that are given as texts, in this order; their paths only appear in cases and messages.
///
/// # Errors
/// Returns everything wrong with any of them.
pub fn load_texts(files: &[(&Path, &str)]) -> Result<Corpus, Vec<LoadError>> {
    joined(parallel::each(files, |(file, text)| load_text(file, text)))
}

/// Joins the cases that were loaded file by file.
fn joined(files: Vec<Result<Vec<Case>, Vec<LoadError>>>) -> Result<Corpus, Vec<LoadError>> {
    let (mut cases, mut errors) = (Vec::new(), Vec::new());
    for loaded in files {
        match loaded {
            Ok(more) => cases.extend(more),
            Err(more) => errors.extend(more),
        }
    }
    errors.extend(shared_ids(&cases));
    if errors.is_empty() { Ok(Corpus { cases }) } else { Err(errors) }
}

/// Reads one case file, given as text; `file` only appears in cases and messages.
///
/// # Errors
/// Returns everything wrong with the file.
pub fn load_text(file: &Path, text: &str) -> Result<Vec<Case>, Vec<LoadError>> {
    if kernels::is_table(file) {
        let document: Document<KernelFile> = Document::parse(file, text, "id")?;
        let table = &document.fields;
        let at_top =
            |Fault { field, problem, .. }| vec![document.error(document.line_of(field), None, problem)];
        table.check().map_err(at_top)?;
        let ids = table.rows.iter().map(|row| row.id.as_str());
        return expanded(&document, file, ids, |at, line, budget| {
            table.cases(&table.rows[at], file, line, budget)
        });
    }
    let document: Document<CaseFile> = Document::parse(file, text, "id")?;
    let fields = &document.fields;
    let at_top = |field, problem| vec![document.error(document.line_of(field), None, problem)];
    names::title("topic", &fields.topic).map_err(|problem| at_top("topic", problem))?;
    let specs = names::specs("specs", &fields.specs).map_err(|problem| at_top("specs", problem))?;
    if fields.cases.is_empty() {
        return Err(at_top("cases", Problem::EmptyList { field: "cases" }));
    }
    let ids = fields.cases.iter().map(|entry| entry.id.as_str());
    expanded(&document, file, ids, |at, line, budget| {
        expand::cases(&fields.cases[at], &specs, file, line, budget)
    })
}

/// Expands every entry of a document, each of which is at a place in its list, and on a line.
fn expanded<'e, T>(
    document: &Document<'_, T>,
    file: &Path,
    ids: impl Iterator<Item = &'e str>,
    mut expand: impl FnMut(usize, usize, &mut Budget) -> Result<Vec<Case>, Fault>,
) -> Result<Vec<Case>, Vec<LoadError>> {
    let (mut cases, mut errors) = (Vec::new(), Vec::new());
    let mut budget = Budget::new();
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, id) in ids.enumerate() {
        let line = document.line_of_entry(at);
        if let Some(&first) = first.get(id) {
            let problem = Problem::Duplicate { file: file.to_owned(), line: first };
            errors.push(document.error(line, Some(id), problem));
            continue;
        }
        first.insert(id, line);
        match expand(at, line, &mut budget) {
            Ok(more) => cases.extend(more),
            Err(Fault { within, field, problem }) => {
                let line = document.line_of_field(at, within, field);
                errors.push(document.error(line, Some(id), problem));
            }
        }
    }
    if errors.is_empty() { Ok(cases) } else { Err(errors) }
}

/// Returns errors for ids that are in more than one file.
fn shared_ids(cases: &[Case]) -> Vec<LoadError> {
    let mut first: BTreeMap<&str, &Case> = BTreeMap::new();
    let mut errors: Vec<LoadError> = Vec::new();
    for case in cases {
        let original = *first.entry(&case.id).or_insert(case);
        // Expansions of one entry are adjacent, and one error is enough for them.
        let said = |last: &LoadError| last.file == case.file && last.line == case.line;
        if original.file != case.file && !errors.last().is_some_and(said) {
            errors.push(LoadError {
                file: case.file.clone(),
                line: case.line,
                case: Some(case.id.clone()),
                problem: Problem::Duplicate { file: original.file.clone(), line: original.line },
            });
        }
    }
    errors
}
