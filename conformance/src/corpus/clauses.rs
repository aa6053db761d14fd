//! The clause ledger: every statement of every spec, by name.
//!
//! It lists the statements to test; the cases for them are elsewhere.
//!
//! # Format
//!
//! `clauses/<source>.yaml` beside the case files, in the same [subset of YAML](super), one file for
//! each source text:
//!
//! - `source`: the text's name, on one line.
//! - `specs`: the specs whose text it is; `specs_ja`: those of them that have a Japanese text, if not all.
//! - `clauses`: a list, not empty, in the order of the text. Each clause has:
//!   - `name`: lower-case words and digits joined by '-', unique for each of its specs.
//!   - `level`: `determined` if an implementation can break it; `open` if it leaves a choice; `informative` if
//!     there is nothing to break (names, categories), so that it needs no case.
//!   - `says`: a paraphrase in our own words.
//!   - `where`: the place in the source text.
//!   - `where_ja`: the place in the Japanese text. Default: none.
//!   - `specs`: the specs that say so, if not all of the file's. Default: the file's.
//!   - `questions`: the questions it gives rise to; at least one if the level is `open`, else none.
//!     Default: none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use normative_reference::{Question, Spec};

use super::ClauseRef;
use super::document::{self, Document};
use super::error::{LoadError, Problem};
use super::format::present;
use super::names::{distinct, filled, specs, title, well_formed};

/// Every clause of every spec.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// In the order of file, position in the file, and spec.
    clauses: Vec<LedgerClause>,
    /// The index of each in `clauses`.
    places: BTreeMap<ClauseRef, usize>,
}

/// One statement of one spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerClause {
    /// Its spec and its name.
    pub clause: ClauseRef,
    /// The kind of statement.
    pub level: Level,
    /// A paraphrase in our own words.
    pub says: String,
    /// The text that contains it.
    pub source: String,
    /// The place in that text.
    pub place: String,
    /// The place in the Japanese text.
    pub place_ja: Option<String>,
    /// The questions it gives rise to; empty unless the level is open.
    pub questions: Vec<Question>,
    /// The ledger file.
    pub file: PathBuf,
    /// The line of its name, from 1.
    pub line: usize,
}

/// The kind of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An implementation can break it.
    Determined,
    /// It leaves a choice.
    Open,
    /// There is nothing to break.
    Informative,
}

impl Ledger {
    /// Returns the clause of that name in that spec.
    pub fn get(&self, spec: Spec, name: &str) -> Option<&LedgerClause> {
        let place = self.places.get(&ClauseRef { spec, name: name.to_owned() })?;
        self.clauses.get(*place)
    }

    /// Returns every clause of every spec, in the order of file, position in the file, and spec.
    pub fn iter(&self) -> impl Iterator<Item = &LedgerClause> {
        self.clauses.iter()
    }

    fn add(&mut self, clause: LedgerClause) -> Result<(), Problem> {
        if let Some(&first) = self.places.get(&clause.clause) {
            let LedgerClause { file, line, .. } = &self.clauses[first];
            return Err(Problem::Duplicate { file: file.clone(), line: *line });
        }
        self.places.insert(clause.clause.clone(), self.clauses.len());
        self.clauses.push(clause);
        Ok(())
    }
}

/// Reads every ledger file below `dir`.
///
/// # Errors
/// Returns everything wrong with any of the files; a directory without a file is wrong too.
pub fn load_ledger(dir: &Path) -> Result<Ledger, Vec<LoadError>> {
    let (mut ledger, mut errors) = (Ledger::default(), Vec::new());
    for file in document::walk(dir, &[])? {
        match document::read(&file) {
            Ok(text) => errors.extend(add_text(&mut ledger, &file, &text)),
            Err(more) => errors.extend(more),
        }
    }
    if errors.is_empty() { Ok(ledger) } else { Err(errors) }
}

/// Reads one ledger file, given as text; `file` is only named in clauses and messages.
///
/// # Errors
/// Returns everything wrong with the file.
pub fn load_ledger_text(file: &Path, text: &str) -> Result<Ledger, Vec<LoadError>> {
    load_ledger_texts([(file, text)])
}

/// Reads ledger files that are given as texts.
///
/// # Errors
/// Returns everything wrong with any of them.
pub fn load_ledger_texts<'a>(
    files: impl IntoIterator<Item = (&'a Path, &'a str)>,
) -> Result<Ledger, Vec<LoadError>> {
    let (mut ledger, mut errors) = (Ledger::default(), Vec::new());
    for (file, text) in files {
        errors.extend(add_text(&mut ledger, file, text));
    }
    if errors.is_empty() { Ok(ledger) } else { Err(errors) }
}

/// Adds the clauses of one ledger file, given as text, and returns the errors in it.
fn add_text(ledger: &mut Ledger, file: &Path, text: &str) -> Vec<LoadError> {
    let document: Document<LedgerFile> = match Document::parse(file, text, "name") {
        Ok(document) => document,
        Err(errors) => return errors,
    };
    let fields = &document.fields;
    let at_top = |field, problem| vec![document.error(document.line_of(field), None, problem)];
    if let Err(problem) = title("source", &fields.source) {
        return at_top("source", problem);
    }
    let file_specs = match specs("specs", &fields.specs) {
        Ok(specs) => specs,
        Err(problem) => return at_top("specs", problem),
    };
    let japanese =
        match fields.specs_ja.as_ref().map_or(Ok(file_specs.clone()), |names| specs("specs_ja", names)) {
            Ok(specs) => specs,
            Err(problem) => return at_top("specs_ja", problem),
        };
    if fields.clauses.is_empty() {
        return at_top("clauses", Problem::EmptyList { field: "clauses" });
    }
    let mut errors = Vec::new();
    for (at, entry) in fields.clauses.iter().enumerate() {
        let line = document.line_of_entry(at);
        let added = expanded(entry, &fields.source, &file_specs, file, line).and_then(|clauses| {
            clauses.into_iter().try_for_each(|mut clause| {
                clause.place_ja = clause.place_ja.filter(|_| japanese.contains(&clause.clause.spec));
                ledger.add(clause).map_err(|problem| ("name", problem))
            })
        });
        if let Err((field, problem)) = added {
            errors.push(document.error(document.line_of_field(at, None, field), Some(&entry.name), problem));
        }
    }
    errors
}

/// A clause ledger: every statement of one source text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LedgerFile {
    /// The text's name, on one line.
    source: String,
    /// The specs whose text it is.
    specs: Vec<String>,
    /// Those of them whose text there is in Japanese too; `where_ja` is for these alone. Default: all.
    #[serde(default, deserialize_with = "present")]
    specs_ja: Option<Vec<String>>,
    /// The clauses, in the order of the text.
    clauses: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Lower-case words and digits joined by '-', unique for each of its specs.
    name: String,
    /// The kind of statement.
    level: Level,
    /// A paraphrase in our own words.
    says: String,
    /// The place in the source text.
    #[serde(rename = "where")]
    place: String,
    /// The place in the Japanese text. Default: none.
    #[serde(default, rename = "where_ja", deserialize_with = "present")]
    place_ja: Option<String>,
    /// The specs that say so. Default: the file's.
    #[serde(default, deserialize_with = "present")]
    specs: Option<Vec<String>>,
    /// The questions it gives rise to: at least one if the level is open, else none.
    #[serde(default, deserialize_with = "present")]
    questions: Option<Vec<String>>,
}

/// Returns the clauses of an entry, one per spec.
fn expanded(
    entry: &Entry,
    source: &str,
    file_specs: &[Spec],
    file: &Path,
    line: usize,
) -> Result<Vec<LedgerClause>, (&'static str, Problem)> {
    let at = |field| move |problem| (field, problem);
    well_formed("name", &entry.name).map_err(at("name"))?;
    filled("says", &entry.says).map_err(at("says"))?;
    title("where", &entry.place).map_err(at("where"))?;
    entry.place_ja.iter().try_for_each(|place| title("where_ja", place)).map_err(at("where_ja"))?;
    let specs = match &entry.specs {
        Some(names) => specs("specs", names).map_err(at("specs"))?,
        None => file_specs.to_vec(),
    };
    let questions = questions(entry).map_err(at("questions"))?;
    let clause = |&spec: &Spec| LedgerClause {
        clause: ClauseRef { spec, name: entry.name.clone() },
        level: entry.level,
        says: entry.says.clone(),
        source: source.to_owned(),
        place: entry.place.clone(),
        place_ja: entry.place_ja.clone(),
        questions: questions.clone(),
        file: file.to_owned(),
        line,
    };
    Ok(specs.iter().map(clause).collect())
}

fn questions(entry: &Entry) -> Result<Vec<Question>, Problem> {
    if entry.questions.is_some() != (entry.level == Level::Open) {
        return Err(Problem::Questions);
    }
    let Some(names) = &entry.questions else { return Ok(Vec::new()) };
    let field = "questions";
    distinct(field, names)?;
    let known = |name: &String| {
        Question::from_name(name).ok_or_else(|| Problem::UnknownQuestion { field, name: name.clone() })
    };
    names.iter().map(known).collect()
}
