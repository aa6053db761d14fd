//! Writes the record of a run, and reads the answers of an earlier run from it.

use std::fs::{File, TryLockError};
use std::io::{self, BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::SessionError;
use crate::corpus::Ledger;
use crate::outside;
use crate::report::record::{self, Header, Line, Record};

/// A record being written.
#[derive(Debug)]
pub struct Recorder<'l> {
    path: PathBuf,
    file: File,
    /// The clauses, which lines about failures cite.
    pub(super) ledger: &'l Ledger,
    /// The command that repeats the run.
    pub(super) again: String,
    /// The answers of an earlier run, which are not asked for again.
    pub(super) earlier: Record,
}

impl<'l> Recorder<'l> {
    /// Starts the record of a run with this header, and replaces an existing file.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or another run is writing it.
    pub fn create(path: PathBuf, header: &Header, ledger: &'l Ledger) -> Result<Self, SessionError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|source| unusable(&path, source))?;
        }
        // The file is locked before it is emptied, because another run may be writing it.
        let file = own(outside::open_to_write(&path).map_err(|source| unusable(&path, source))?, &path)?;
        if file.metadata().is_ok_and(|file| file.is_file()) {
            file.set_len(0).map_err(|source| unusable(&path, source))?;
        }
        let (again, earlier) = (header.again.clone(), Record::of(header.clone()));
        let mut recorder = Self { path, file, ledger, again, earlier };
        recorder.write(&Line::Run(header.clone()))?;
        Ok(recorder)
    }

    /// Resumes an existing record. The headers must agree in everything but the date, even in the machine, the
    /// backend's files and the options: all answers of a record must come from one setup.
    ///
    /// # Errors
    /// Fails if the file cannot be used, is of another run, or is complete or still being written.
    pub fn resume(path: PathBuf, header: &Header, ledger: &'l Ledger) -> Result<Self, SessionError> {
        let file = own(outside::open_to_append(&path).map_err(|source| absent(&path, source))?, &path)?;
        let earlier = record::read(BufReader::new(&file))
            .map_err(|source| SessionError::Record { path: path.clone(), source })?;
        // The date stays that of the start.
        let now = Header { started: earlier.header.started.clone(), ..header.clone() };
        if earlier.header != now {
            let what = difference(&earlier.header, &now);
            return Err(SessionError::Another { path, what });
        }
        if earlier.end.as_ref().is_some_and(|end| end.complete) {
            return Err(SessionError::Complete(path));
        }
        // A truncated line, or the end of a stopped run, is overwritten.
        file.set_len(earlier.length).map_err(|source| unusable(&path, source))?;
        // Process faults and second answers stay true, whatever happens next.
        let flakes = earlier.flakes.iter().skip(earlier.flakes_within).cloned().map(Line::Flake);
        let stays: Vec<Line> = flakes.chain(earlier.then.iter().cloned().map(Line::Then)).collect();
        let mut recorder = Self { path, file, ledger, again: header.again.clone(), earlier };
        stays.iter().try_for_each(|line| recorder.write(line))?;
        Ok(recorder)
    }

    /// Adds a line in a single write.
    pub(super) fn write(&mut self, line: &Line) -> Result<(), SessionError> {
        let mut text = Vec::new();
        let written = record::write(&mut text, line).and_then(|()| self.file.write_all(&text));
        written.map_err(|source| unusable(&self.path, source))
    }
}

/// Locks the file for this run while it is open; on systems without locks, the file is used unlocked.
fn own(file: File, path: &Path) -> Result<File, SessionError> {
    match file.try_lock() {
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(SessionError::Busy(path.to_owned())),
    }
}

/// Reads the record of one run.
///
/// # Errors
/// Fails if there is no record, or it is not well-formed.
pub fn read(path: &Path) -> Result<Record, SessionError> {
    record::read(open(path)?).map_err(|source| SessionError::Record { path: path.to_owned(), source })
}

/// Reads the records of several runs in one file.
///
/// # Errors
/// Fails if there is no record, or one is not well-formed.
pub fn read_all(path: &Path) -> Result<Vec<Record>, SessionError> {
    record::read_all(open(path)?).map_err(|source| SessionError::Record { path: path.to_owned(), source })
}

fn open(path: &Path) -> Result<BufReader<File>, SessionError> {
    Ok(BufReader::new(outside::open(path).map_err(|source| absent(path, source))?))
}

fn absent(path: &Path, source: io::Error) -> SessionError {
    match source.kind() {
        ErrorKind::NotFound => SessionError::NoRecord(path.to_owned()),
        _ => unusable(path, source),
    }
}

pub(super) fn unusable(path: &Path, source: io::Error) -> SessionError {
    SessionError::File { path: path.to_owned(), source }
}

/// Describes the first difference between two headers.
fn difference(earlier: &Header, now: &Header) -> String {
    let of = |header: &Header| serde_json::to_value(header).unwrap_or_default();
    let (earlier, now) = (of(earlier), of(now));
    // Unknown fields are left out, so the keys of both are needed.
    let mut keys =
        [&now, &earlier].into_iter().filter_map(|header| header.as_object()).flat_map(|fields| fields.keys());
    let of =
        |header: &serde_json::Value, key: &str| header.get(key).unwrap_or(&serde_json::Value::Null).clone();
    let found = keys.find(|key| of(&earlier, key) != of(&now, key));
    found.map_or_else(String::new, |key| format!("{key} was {}, is {}", of(&earlier, key), of(&now, key)))
}
