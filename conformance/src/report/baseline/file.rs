//! Reads and writes a baseline file: YAML in the [subset](crate::corpus) of case files, and as strictly read.
//!
//! - `runs`: the runs that wrote the file, possibly none. Each has
//!   - `seed`, `calls`: the row of the generated calls, and the number of calls asked;
//!   - `part`: `true` if the run was to ask only a part of the corpus. Default: false.
//! - `known`: a list, possibly empty. Each entry has
//!   - `name`: any title; no two the same. An update writes the reports' name of the defect or the failure;
//!   - `fails`: the calls, by the way in which they fail. Each has
//!     - `way`: a [`Fault`], and after a colon further details ([`How::way`]); no two the same;
//!     - `calls`: the [`Key`]s of the calls, separated by blanks or line feeds; each is unique in the file. After
//!       `^` stands the [distance](How::far) of the answer from right, if elements are wrong;
//!   - `issue`: a reference to an issue, on one line. Default: none;
//!   - `comment`: any text. Default: none. YAML comments are lost when the file is updated.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::known::{How, Key, KnownEntry};
use super::{Baseline, Made};
use crate::corpus::document::{self, Document};
use crate::corpus::format::present;
use crate::corpus::names::{distinct, filled, title};
use crate::corpus::{LoadError, Problem};
use crate::judge::fault::Fault;
use crate::outside;

const HEAD: &str = "# Known failures. `conformance --baseline FILE --baseline-update` writes them anew.\n";

/// The most calls of one way on one line. Beyond it, each first digit has a line, to keep diffs small.
const ON_A_LINE: usize = 12;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    runs: Vec<Made>,
    known: Vec<EntryFields>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryFields {
    name: String,
    fails: Vec<WayFields>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    issue: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WayFields {
    way: String,
    calls: String,
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// Returns everything wrong with the file.
    pub fn load(path: &Path) -> Result<Self, Vec<LoadError>> {
        Self::load_text(path, &document::read(path)?)
    }

    /// Parses the text of a file; `path` is only named in messages.
    ///
    /// # Errors
    /// Returns everything wrong with the text.
    pub fn load_text(path: &Path, text: &str) -> Result<Self, Vec<LoadError>> {
        let document: Document<Fields> = Document::parse(path, text, "name")?;
        let Fields { runs, known: entries } = &document.fields;
        let runs = runs.iter().copied().collect();
        let (mut known, mut lines, mut all) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let mut errors = Vec::new();
        for (at, EntryFields { name, fails, issue, comment }) in entries.iter().enumerate() {
            let mut wrong = |field: &str, problem| {
                errors.push(document.error(document.line_of_field(at, None, field), Some(name), problem));
            };
            for (field, problem) in texts(name, issue.as_ref(), comment.as_ref()) {
                wrong(field, problem);
            }
            let line = document.line_of_entry(at);
            if let Some(&line) = lines.get(name) {
                wrong("name", Problem::Duplicate { file: path.to_owned(), line });
            }
            lines.entry(name).or_insert(line);
            let calls = calls_of(fails, &mut all).unwrap_or_else(|problem| {
                wrong("fails", problem);
                BTreeMap::new()
            });
            known.insert(name.clone(), KnownEntry { calls, issue: issue.clone(), comment: comment.clone() });
        }
        if errors.is_empty() { Ok(Self { runs, known }) } else { Err(errors) }
    }

    /// Returns the text of a file that reads back as this, sorted by name and, within an entry, by way.
    ///
    /// # Errors
    /// Fails if there are too many entries for a file, or a comment has forbidden characters.
    pub fn to_text(&self, path: &Path) -> Result<String, Vec<LoadError>> {
        let entry = |(name, entry): (&String, &KnownEntry)| {
            let KnownEntry { calls, issue, comment } = entry.clone();
            EntryFields { name: name.clone(), fails: ways_of(&calls), issue, comment }
        };
        let runs = self.runs.iter().copied().collect();
        let fields = Fields { runs, known: self.known.iter().map(entry).collect() };
        let yaml = serde_yaml::to_string(&fields).map_err(|error| {
            let problem = Problem::Yaml(error.to_string());
            vec![LoadError { file: path.to_owned(), line: 1, case: None, problem }]
        })?;
        let text = format!("{HEAD}{yaml}");
        Self::load_text(path, &text).map(|_| text)
    }

    /// Writes to a temporary file and renames it, so that a reader never sees a partial file.
    ///
    /// # Errors
    /// Fails like [`Self::to_text`], or returns the error of the file system.
    pub fn save(&self, path: &Path) -> Result<(), Vec<LoadError>> {
        let text = self.to_text(path)?;
        outside::write(path, |file| file.write_all(text.as_bytes())).map_err(|error| {
            let problem = Problem::Unwritable(error.to_string());
            vec![LoadError { file: path.to_owned(), line: 1, case: None, problem }]
        })
    }
}

/// Returns the problems in the texts of an entry.
fn texts(name: &str, issue: Option<&String>, comment: Option<&String>) -> Vec<(&'static str, Problem)> {
    let titles = [("name", Some(name)), ("issue", issue.map(String::as_str))];
    let titles = titles.into_iter().filter_map(|(field, text)| Some((field, title(field, text?).err()?)));
    let comment = comment.and_then(|text| Some(("comment", filled("comment", text).err()?)));
    titles.chain(comment).collect()
}

/// Parses the calls of an entry; `all` has those of earlier entries.
fn calls_of(fails: &[WayFields], all: &mut BTreeSet<Key>) -> Result<BTreeMap<Key, How>, Problem> {
    let ways: Vec<String> = fails.iter().map(|one| one.way.clone()).collect();
    distinct("fails", &ways)?;
    let mut known = BTreeMap::new();
    for WayFields { way, calls } in fails {
        let word = way.split_once(": ").map_or(way.as_str(), |(word, _)| word);
        if !Fault::ALL.iter().any(|fault| fault.word() == word) {
            let words: Vec<&str> = Fault::ALL.iter().map(|fault| fault.word()).collect();
            return Err(Problem::Yaml(format!(
                "way: unknown way `{way}`, expected one of {}",
                words.join(", ")
            )));
        }
        filled("calls", calls)?;
        for word in calls.split_whitespace() {
            let Some((key, far)) = key_of(word) else {
                let expected = "expected eight hexadecimal digits, and behind `^` a power of two";
                return Err(Problem::Yaml(format!("calls: {expected}, got `{word}`")));
            };
            if !all.insert(key) {
                return Err(Problem::Repeated { field: "calls", name: key.to_string() });
            }
            known.insert(key, How { way: way.clone(), far });
        }
    }
    Ok(known)
}

fn key_of(word: &str) -> Option<(Key, Option<u8>)> {
    let (key, far) = match word.split_once('^') {
        Some((key, far)) => (key, Some(far.parse().ok().filter(|read: &u8| read.to_string() == far)?)),
        None => (word, None),
    };
    Some((key.parse().ok()?, far))
}

/// Groups the calls of an entry by the way in which they fail.
fn ways_of(calls: &BTreeMap<Key, How>) -> Vec<WayFields> {
    let mut ways: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (key, How { way, far }) in calls {
        let far = far.map_or_else(String::new, |far| format!("^{far}"));
        ways.entry(way).or_default().push(format!("{key}{far}"));
    }
    let fields = |(way, calls): (&str, Vec<String>)| {
        let calls = if calls.len() > ON_A_LINE {
            let lines = calls.chunk_by(|one, next| one.as_bytes().first() == next.as_bytes().first());
            lines.map(|line| line.join(" ")).collect::<Vec<_>>().join("\n")
        } else {
            calls.join(" ")
        };
        WayFields { way: way.to_owned(), calls }
    };
    ways.into_iter().map(fields).collect()
}
