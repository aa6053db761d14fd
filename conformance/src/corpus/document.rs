//! Parses a file of the corpus: from bytes to typed fields and their lines.
//!
//! Case files, clause ledgers, baselines and the findings of maintainers take the same steps: size, UTF-8,
//! [`super::guard`], YAML crate. Each step sees only input that passed the step before.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::error::{LoadError, Problem};
use super::guard::{self, Key, MAX_BYTES};
use super::misread;
use crate::outside;

/// A file that parsed.
pub struct Document<'a, T> {
    /// The fields.
    pub fields: T,
    file: &'a Path,
    keys: Vec<Key<'a>>,
    /// The index in `keys` of each entry's name, one per entry.
    names: Vec<usize>,
}

impl<'a, T: DeserializeOwned> Document<'a, T> {
    /// Parses a file whose entries (cases, clauses) are named by the key `marker`.
    ///
    /// # Errors
    /// Returns the first thing wrong with the text.
    pub fn parse(file: &'a Path, text: &'a str, marker: &str) -> Result<Self, Vec<LoadError>> {
        let error = |line, case, problem| vec![LoadError { file: file.to_owned(), line, case, problem }];
        if text.len() > MAX_BYTES {
            return Err(error(1, None, Problem::TooLong));
        }
        let outline = guard::scan(text);
        let near = |line, problem| {
            let entry = outline.keys.iter().take_while(|key| key.line <= line).filter(|key| key.is(marker));
            let case = entry.last().and_then(|key| name_on(text.lines().nth(key.line - 1)?, marker));
            error(line, case, problem)
        };
        if let Some((refusal, line)) = outline.refusal {
            return Err(near(line, refusal.into()));
        }
        match serde_yaml::from_str(text) {
            Ok(fields) => {
                let names = (0..outline.keys.len()).filter(|&at| outline.keys[at].is(marker)).collect();
                Ok(Self { fields, file, keys: outline.keys, names })
            }
            Err(error) => {
                // Editors do not count the end of a file after its last line feed as a line.
                let last = text.lines().count().max(1);
                let line = error.location().map_or(1, |place| place.line().clamp(1, last));
                let said = misread::said(&error);
                // The line stands before the message.
                let place =
                    error.location().map(|at| format!(" at line {} column {}", at.line(), at.column()));
                let text = place.and_then(|place| said.strip_suffix(&place)).unwrap_or(&said);
                Err(near(line, Problem::Yaml(text.to_owned())))
            }
        }
    }
}

impl<T> Document<'_, T> {
    /// Returns the line of the first key of that name outside any entry, or 1.
    pub fn line_of(&self, field: &str) -> usize {
        self.keys.iter().find(|key| key.depth == 1 && key.is(field)).map_or(1, |key| key.line)
    }

    /// Returns the line of an entry's name.
    pub fn line_of_entry(&self, entry: usize) -> usize {
        self.names.get(entry).map_or(1, |&at| self.keys[at].line)
    }

    /// Returns the line of a field of an entry, or of a field within a field, or else of the entry's name. It looks
    /// between this name and the next, so a field written before the name is not found.
    pub fn line_of_field(&self, entry: usize, within: Option<&str>, field: &str) -> usize {
        let Some(&at) = self.names.get(entry) else { return 1 };
        let end = self.names.get(entry + 1).copied().unwrap_or(self.keys.len());
        let (name, keys) = (&self.keys[at], &self.keys[at..end]);
        let below = |keys: &'_ [Key<'_>], depth, field: &str| {
            keys.iter().position(|key| key.depth == depth && key.is(field))
        };
        let outer = within.and_then(|within| below(keys, name.depth, within));
        let found = match outer {
            Some(outer) => below(&keys[outer..], name.depth + 1, field).map(|inner| outer + inner),
            None => below(keys, name.depth, field),
        };
        found.map_or(name, |at| &keys[at]).line
    }

    /// Returns a problem at a line.
    pub fn error(&self, line: usize, case: Option<&str>, problem: Problem) -> LoadError {
        LoadError { file: self.file.to_owned(), line, case: case.map(str::to_owned), problem }
    }
}

/// Returns the word after `marker:` on a line, for messages about a file that did not parse.
fn name_on(line: &str, marker: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!("{marker}:"))?;
    let name: String = rest.trim_start().chars().take_while(|&c| c.is_alphanumeric() || c == '-').collect();
    (!name.is_empty()).then_some(name)
}

/// Reads the text of a file.
///
/// # Errors
/// The file cannot be read, is too long, or is not UTF-8.
pub fn read(file: &Path) -> Result<String, Vec<LoadError>> {
    let error = |line, problem| vec![LoadError { file: file.to_owned(), line, case: None, problem }];
    let bytes = outside::bytes(file, MAX_BYTES).map_err(|io| match io.kind() {
        io::ErrorKind::FileTooLarge => error(1, Problem::TooLong),
        io::ErrorKind::InvalidInput => error(1, Problem::NotACaseFile),
        _ => error(1, Problem::Unreadable(io.to_string())),
    })?;
    String::from_utf8(bytes).map_err(|utf8| {
        let valid = &utf8.as_bytes()[..utf8.utf8_error().valid_up_to()];
        error(valid.split(|&byte| byte == b'\n').count(), Problem::NotUtf8)
    })
}

/// Returns every `.yaml` file below `dir`, sorted by path, without the subdirectories `except` of `dir`.
///
/// Files of other kinds are ignored.
///
/// # Errors
/// A folder cannot be read, or there is no file. A link or a `.yml` file would be ignored by mistake, so these are errors.
pub fn walk(dir: &Path, except: &[&str]) -> Result<Vec<PathBuf>, Vec<LoadError>> {
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    let mut pending = vec![dir.to_owned()];
    while let Some(folder) = pending.pop() {
        let mut visit = |path: PathBuf| -> io::Result<()> {
            let kind = fs::symlink_metadata(&path)?.file_type();
            let ends_in = |wanted| path.extension().is_some_and(|extension| extension == wanted);
            if kind.is_dir() {
                let skipped = folder == dir && except.iter().any(|&name| path.ends_with(name));
                if !skipped {
                    pending.push(path);
                }
            } else if kind.is_symlink() || ends_in("yml") || (ends_in("yaml") && !kind.is_file()) {
                errors.push(LoadError { file: path, line: 1, case: None, problem: Problem::NotACaseFile });
            } else if ends_in("yaml") {
                files.push(path);
            }
            Ok(())
        };
        let seen = outside::entries(&folder, outside::ENTRIES);
        let seen = seen.and_then(|paths| paths.into_iter().try_for_each(&mut visit));
        if let Err(io) = seen {
            let problem = match io.kind() {
                io::ErrorKind::NotADirectory => Problem::NotAFolder,
                _ => Problem::Unreadable(io.to_string()),
            };
            errors.push(LoadError { file: folder, line: 1, case: None, problem });
        }
    }
    if files.is_empty() && errors.is_empty() {
        errors.push(LoadError { file: dir.to_owned(), line: 1, case: None, problem: Problem::NoFiles });
    }
    files.sort();
    errors.sort_by(|a, b| a.file.cmp(&b.file));
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}
