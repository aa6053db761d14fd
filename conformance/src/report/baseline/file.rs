//! A baseline on file: YAML, in the [subset](crate::corpus) that case files are written in and as strictly read.
//!
//! - `seed`, `calls`: the row of the generated calls that the file was made with, and how many of them.
//! - `known`: a list, possibly empty. Each entry has
//!   - `name`: what the report calls the failure; no two the same;
//!   - `reason`: the [`Fault`];
//!   - `issue`: where it is being dealt with, on one line. Default: none;
//!   - `comment`: whatever there is to say. Default: none. Comments of YAML's own are lost when the file is updated.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Baseline, Known, Name};
use crate::corpus::document::{self, Document};
use crate::corpus::format::present;
use crate::corpus::names::{filled, title};
use crate::corpus::{LoadError, Problem};
use crate::report::fault::Fault;

const HEAD: &str =
    "# Known failures. cargo xtask conformance --baseline FILE --baseline-update writes them anew.\n";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    seed: u64,
    calls: usize,
    known: Vec<Entry>,
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
        Self { seed, calls, known: BTreeMap::new() }
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
        let Fields { seed, calls, known: entries } = &document.fields;
        let (mut known, mut lines) = (BTreeMap::new(), BTreeMap::new());
        let mut errors = Vec::new();
        for (at, Entry { name, reason, issue, comment }) in entries.iter().enumerate() {
            let line = document.line_of_entry(at);
            let mut wrong = |field, problem| {
                errors.push(document.error(document.line_of_field(at, field), Some(name), problem));
            };
            for (field, text) in [("name", Some(name)), ("issue", issue.as_ref())] {
                if let Err(problem) = text.map_or(Ok(()), |text| title(field, text)) {
                    wrong(field, problem);
                }
            }
            if let Err(problem) = comment.as_ref().map_or(Ok(()), |text| filled("comment", text)) {
                wrong("comment", problem);
            }
            let key = Name::of(name);
            if let Some(&line) = lines.get(&key) {
                wrong("name", Problem::Duplicate { file: path.to_owned(), line });
            }
            lines.entry(key.clone()).or_insert(line);
            known.insert(key, Known { reason: *reason, issue: issue.clone(), comment: comment.clone() });
        }
        if errors.is_empty() { Ok(Self { seed: *seed, calls: *calls, known }) } else { Err(errors) }
    }

    /// The text of a file that reads back as this, sorted by name: cases, then generated calls in the order of their
    /// row, then questions.
    ///
    /// # Errors
    /// Why there is no such file: there are too many entries for one, or a comment has characters that none may have.
    pub fn to_text(&self, path: &Path) -> Result<String, Vec<LoadError>> {
        let entry = |(name, known): (&Name, &Known)| {
            let Known { reason, issue, comment } = known.clone();
            Entry { name: name.text().to_owned(), reason, issue, comment }
        };
        let known = self.known.iter().map(entry).collect();
        let fields = Fields { seed: self.seed, calls: self.calls, known };
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
