//! A baseline on file: YAML, in the [subset](crate::corpus) that case files are written in and as strictly read.
//!
//! - `runs`: the runs that wrote the file, possibly none. Each has
//!   - `seed`, `calls`: the row of the generated calls, and how many of them were made;
//!   - `part`: `true` where the run was to ask a part of what there is. Default: false.
//! - `known`: a list, possibly empty. Each entry has
//!   - `name`: whatever it is to be called; no two the same. An update writes what reports call the defect, or the failure;
//!   - `fails`: the calls, by the way in which they fail. Each has
//!     - `way`: a [`Fault`], and behind a colon what sets it apart from others ([`How::way`]); no two the same;
//!     - `calls`: the [`Key`]s of the calls, divided by blanks or line feeds; none stands in the file twice. Behind `^` stands
//!       [how far](How::far) an answer is from right, where elements are wrong;
//!   - `issue`: where it is being dealt with, on one line. Default: none;
//!   - `comment`: whatever there is to say. Default: none. Comments of YAML's own are lost when the file is updated.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::known::{Entry, How, Key};
use super::{Baseline, Made};
use crate::corpus::document::{self, Document};
use crate::corpus::format::present;
use crate::corpus::names::{distinct, filled, title};
use crate::corpus::{LoadError, Problem};
use crate::judge::fault::Fault;
use crate::outside;

const HEAD: &str = "# Known failures. `conformance --baseline FILE --baseline-update` writes them anew.\n";

/// Calls of one way that stand on one line. More are on a line for each first digit, so that a call more changes one line.
const ON_A_LINE: usize = 12;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    runs: Vec<RunFields>,
    known: Vec<EntryFields>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunFields {
    seed: u64,
    calls: usize,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    part: bool,
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
    /// Everything wrong with it.
    pub fn load(path: &Path) -> Result<Self, Vec<LoadError>> {
        Self::load_text(path, &document::read(path)?)
    }

    /// Reads a file that is given as text; `path` is only named in messages.
    ///
    /// # Errors
    /// Everything wrong with it.
    pub fn load_text(path: &Path, text: &str) -> Result<Self, Vec<LoadError>> {
        let document: Document<Fields> = Document::parse(path, text, "name").map_err(|mut errors| {
            // Files that counted failures began so.
            if let Some(at) = text.lines().position(|line| line.starts_with("seed:")) {
                errors = vec![LoadError {
                    file: path.to_owned(),
                    line: at + 1,
                    case: None,
                    problem: Problem::OldBaseline,
                }];
            }
            errors
        })?;
        let Fields { runs, known: entries } = &document.fields;
        let runs = runs.iter().map(|&RunFields { seed, calls, part }| Made { seed, calls, part }).collect();
        let (mut known, mut lines, mut all) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let mut errors = Vec::new();
        for (at, EntryFields { name, fails, issue, comment }) in entries.iter().enumerate() {
            let mut wrong = |field: &str, problem| {
                errors.push(document.error(document.line_of_field(at, field), Some(name), problem));
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
            known.insert(name.clone(), Entry { calls, issue: issue.clone(), comment: comment.clone() });
        }
        if errors.is_empty() { Ok(Self { runs, known }) } else { Err(errors) }
    }

    /// The text of a file that reads back as this, sorted by name and, within an entry, by way.
    ///
    /// # Errors
    /// Why there is no such file: there are too many entries for one, or a comment has characters that none may have.
    pub fn to_text(&self, path: &Path) -> Result<String, Vec<LoadError>> {
        let entry = |(name, entry): (&String, &Entry)| {
            let Entry { calls, issue, comment } = entry.clone();
            EntryFields { name: name.clone(), fails: ways_of(&calls), issue, comment }
        };
        let runs = self.runs.iter().map(|&Made { seed, calls, part }| RunFields { seed, calls, part });
        let fields = Fields { runs: runs.collect(), known: self.known.iter().map(entry).collect() };
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
        outside::write(path, |file| file.write_all(text.as_bytes())).map_err(|error| {
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

/// The calls of an entry; `all` are those of the entries before it.
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

/// The calls of an entry, by the way in which they fail.
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
