//! A baseline on file: YAML, in the [subset](crate::corpus) that case files are written in and as strictly read.
//!
//! - `seed`, `calls`: the row of the generated calls that the file was made with, and how many of them.
//! - `known`: a list, possibly empty. Each entry has
//!   - `name`: what the report calls the failure; no two the same;
//!   - `reason`: the [`Fault`];
//!   - `issue`: where it is being dealt with, on one line. Default: none;
//!   - `comment`: whatever there is to say. Default: none. Comments of YAML's own are lost when the file is updated.
//! - `defects`: a list. Default: none. Each entry has
//!   - `name`: whatever it is to be called; no two the same;
//!   - `reasons`: the ways in which its calls fail: a [`Fault`], and behind a colon what sets it apart from others ([`way`](super::way));
//!   - `where`: what is so of all its calls, in the words of reports;
//!   - `failures`: how many calls fail so, in a run over everything;
//!   - `issue`, `comment`: as above.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Baseline;
use super::known::{Known, KnownDefect, Name};
use crate::corpus::document::{self, Document};
use crate::corpus::format::present;
use crate::corpus::names::{distinct, filled, title};
use crate::corpus::{LoadError, Problem};
use crate::judge::fault::Fault;

const HEAD: &str = "# Known failures. `conformance --baseline FILE --baseline-update` writes them anew.\n";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    seed: u64,
    calls: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    defects: Vec<DefectEntry>,
    known: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DefectEntry {
    name: String,
    reasons: Vec<String>,
    r#where: Vec<String>,
    failures: usize,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    issue: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    reason: Fault,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    issue: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

impl Baseline {
    /// Nothing known, of a run with these generated calls.
    pub fn empty(seed: u64, calls: usize) -> Self {
        Self { seed, calls, known: BTreeMap::new(), defects: BTreeMap::new() }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Everything wrong with it.
    pub fn load(path: &Path) -> Result<Self, Vec<LoadError>> {
        Self::load_text(path, &document::read(path)?)
    }

    /// Reads a file that is given as text; `path` is only named in messages.
    ///
    /// # Errors
    /// Everything wrong with it.
    pub fn load_text(path: &Path, text: &str) -> Result<Self, Vec<LoadError>> {
        let document: Document<Fields> = Document::parse(path, text, "name")?;
        let Fields { seed, calls, known: entries, defects: rules } = &document.fields;
        // Both lists have names; which are which is told by the list that stands first.
        let rules_first = document.line_of("defects") < document.line_of("known");
        let (first_entry, first_rule) = if rules_first { (rules.len(), 0) } else { (0, entries.len()) };
        let (mut known, mut defects) = (BTreeMap::new(), BTreeMap::new());
        let (mut lines, mut rule_lines) = (BTreeMap::new(), BTreeMap::new());
        let mut errors = Vec::new();
        let mut wrong = |at: usize, field: &str, name: &str, problem| {
            errors.push(document.error(document.line_of_field(at, field), Some(name), problem));
        };
        for (at, Entry { name, reason, issue, comment }) in (first_entry..).zip(entries) {
            for (field, problem) in texts(name, issue.as_ref(), comment.as_ref()) {
                wrong(at, field, name, problem);
            }
            let (key, line) = (Name::of(name), document.line_of_entry(at));
            if let Some(&line) = lines.get(&key) {
                wrong(at, "name", name, Problem::Duplicate { file: path.to_owned(), line });
            }
            lines.entry(key.clone()).or_insert(line);
            known.insert(key, Known { reason: *reason, issue: issue.clone(), comment: comment.clone() });
        }
        for (at, entry) in (first_rule..).zip(rules) {
            let DefectEntry { name, reasons, r#where: conditions, failures, issue, comment } = entry;
            let texts = texts(name, issue.as_ref(), comment.as_ref());
            for (field, problem) in texts.into_iter().chain(lists(reasons, conditions)) {
                wrong(at, field, name, problem);
            }
            if let Some(&line) = rule_lines.get(name) {
                wrong(at, "name", name, Problem::Duplicate { file: path.to_owned(), line });
            }
            rule_lines.entry(name).or_insert(document.line_of_entry(at));
            let known = KnownDefect {
                reasons: reasons.iter().cloned().collect(),
                conditions: conditions.clone(),
                failures: *failures,
                issue: issue.clone(),
                comment: comment.clone(),
            };
            defects.insert(name.clone(), known);
        }
        if errors.is_empty() { Ok(Self { seed: *seed, calls: *calls, known, defects }) } else { Err(errors) }
    }

    /// The text of a file that reads back as this, sorted by name: defects, then cases, then generated calls in the order
    /// of their row, then questions.
    ///
    /// # Errors
    /// Why there is no such file: there are too many entries for one, or a comment has characters that none may have.
    pub fn to_text(&self, path: &Path) -> Result<String, Vec<LoadError>> {
        let entry = |(name, known): (&Name, &Known)| {
            let Known { reason, issue, comment } = known.clone();
            Entry { name: name.text().to_owned(), reason, issue, comment }
        };
        let known = self.known.iter().map(entry).collect();
        let rule = |(name, defect): (&String, &KnownDefect)| {
            let KnownDefect { reasons, conditions, failures, issue, comment } = defect.clone();
            let reasons = reasons.into_iter().collect();
            DefectEntry { name: name.clone(), reasons, r#where: conditions, failures, issue, comment }
        };
        let defects = self.defects.iter().map(rule).collect();
        let fields = Fields { seed: self.seed, calls: self.calls, defects, known };
        let yaml = serde_yaml::to_string(&fields).map_err(|error| {
            let problem = Problem::Yaml(error.to_string());
            vec![LoadError { file: path.to_owned(), line: 1, case: None, problem }]
        })?;
        let text = format!("{HEAD}{yaml}");
        Self::load_text(path, &text).map(|_| text)
    }

    /// Writes the file beside its place and moves it there: nobody finds half of it.
    ///
    /// # Errors
    /// As [`Self::to_text`], or what the file system says.
    pub fn save(&self, path: &Path) -> Result<(), Vec<LoadError>> {
        let text = self.to_text(path)?;
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        fs::write(&beside, text).and_then(|()| fs::rename(&beside, path)).map_err(|error| {
            let problem = Problem::Unwritable(error.to_string());
            vec![LoadError { file: path.to_owned(), line: 1, case: None, problem }]
        })
    }
}

/// What is wrong with the texts of an entry.
fn texts(name: &str, issue: Option<&String>, comment: Option<&String>) -> Vec<(&'static str, Problem)> {
    let titles = [("name", Some(name)), ("issue", issue.map(String::as_str))];
    let titles = titles.into_iter().filter_map(|(field, text)| Some((field, title(field, text?).err()?)));
    let comment = comment.and_then(|text| Some(("comment", filled("comment", text).err()?)));
    titles.chain(comment).collect()
}

/// What is wrong with the lists of a defect.
fn lists(reasons: &[String], conditions: &[String]) -> Vec<(&'static str, Problem)> {
    let lists = [("reasons", reasons), ("where", conditions)];
    let lists = lists.into_iter().filter_map(|(field, list)| Some((field, distinct(field, list).err()?)));
    let is_unknown = |reason: &&String| {
        let word = reason.split_once(": ").map_or(reason.as_str(), |(word, _)| word);
        !Fault::ALL.iter().any(|fault| fault.word() == word)
    };
    let unknown = reasons.iter().find(is_unknown).map(|reason| {
        let words: Vec<&str> = Fault::ALL.iter().map(|fault| fault.word()).collect();
        let text = format!("reasons: unknown reason `{reason}`, expected one of {}", words.join(", "));
        ("reasons", Problem::Yaml(text))
    });
    lists.chain(unknown).collect()
}
