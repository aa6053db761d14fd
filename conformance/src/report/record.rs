//! Stores a run on file: the calls, every answer, and its verdict, one JSON object a line.
//!
//! Written as the run goes, so that a killed run loses no answer. The first line is the [`Header`], the last an
//! [`End`]; a file without an end is from a run that was cut off. A reader of the verdicts needs neither the
//! corpus nor this crate: each line names its subject ([`mod@line`]), and `record.schema.json` describes the
//! lines. This crate itself trusts only the answers: a report follows from them and the corpus, and the rest of
//! a line is only compared with that ([`explain`]). The counts of the end are checked against the lines before
//! it.

use std::collections::HashSet;
use std::io::{BufRead, Write};

use serde::Deserialize;
use thiserror::Error;

use crate::corpus::{self, Corpus};
use crate::digest::Digest;
use crate::drive::Flake;
use normative_backend::wire::encode_call;

mod backend;
pub mod explain;
mod format;
pub mod line;
pub mod machine;
mod written;

pub use backend::RecordedBackend;
pub use format::FORMAT;
pub use line::{
    Counts, End, Header, Line, Options, Probe, RecordedAccuracy, RecordedEntry, RecordedVerdict, Resettled,
    Smaller,
};
pub use machine::{Machine, WorkerFile};
pub use written::{Written, read_call, write_call};

/// The reason why a record cannot be used.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The stream failed.
    #[error("{0}")]
    Stream(#[from] std::io::Error),
    /// A line does not have the format of this version.
    #[error("line {line}: {source}")]
    Line {
        /// From 1.
        line: usize,
        /// The error.
        source: serde_json::Error,
    },
    /// A line is out of place.
    #[error("line {line}: {what}")]
    Content {
        /// From 1.
        line: usize,
        /// The error.
        what: &'static str,
    },
    /// The end counts lines that are missing, or misses lines that are there.
    #[error(
        "line {line}: of {of} expected {there} {what}, as the lines above have, got a count of {counted}"
    )]
    Counts {
        /// From 1.
        line: usize,
        /// Cases, or generated calls.
        of: &'static str,
        /// The name of the count.
        what: &'static str,
        /// The count in the end.
        counted: usize,
        /// The count of the lines.
        there: usize,
    },
    /// It does not begin with a header.
    #[error("expected the head of a run's record on the first line")]
    NoHeader,
    /// The file holds several runs, or none, where one is expected.
    #[error("expected a record of one run, got {0} runs")]
    Several(usize),
    /// The file is of another version.
    #[error("expected a record of format {FORMAT}, got format {0}")]
    Format(u64),
}

/// A run that was read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The subject of the run.
    pub header: Header,
    /// The answers to cases, in the order asked.
    pub cases: Vec<RecordedEntry>,
    /// The answers to generated calls, in the order asked.
    pub calls: Vec<RecordedEntry>,
    /// The answers to calls that explain refusals, in the order asked.
    pub probes: Vec<Probe>,
    /// The verdicts that changed because of those.
    pub settled: Vec<Resettled>,
    /// The second answers that differ from the first.
    pub then: Vec<RecordedEntry>,
    /// Failing calls made small.
    pub smaller: Vec<Smaller>,
    /// Process faults that no call explains.
    pub flakes: Vec<Flake>,
    /// The end; `None` if the run was cut off.
    pub end: Option<End>,
    /// The length in bytes up to the last answer that a resumed run need not ask for again.
    pub length: u64,
    /// The number of faults within that length.
    pub flakes_within: usize,
}

/// Writes one line.
///
/// # Errors
/// Returns the errors of `to`.
pub fn write(to: &mut impl Write, line: &Line) -> std::io::Result<()> {
    serde_json::to_writer(&mut *to, line)?;
    to.write_all(b"\n")
}

/// Reads the record of one run. A truncated last line is ignored.
///
/// # Errors
/// [`RecordError`] with the line.
pub fn read(from: impl BufRead) -> Result<Record, RecordError> {
    let mut records = read_all(from)?;
    match (records.pop(), records.len()) {
        (Some(record), 0) => Ok(record),
        (_, others) => Err(RecordError::Several(others + 1)),
    }
}

/// Reads the records of one or more runs, one after another. A truncated last line is ignored.
///
/// # Errors
/// [`RecordError`] with the line.
pub fn read_all(mut from: impl BufRead) -> Result<Vec<Record>, RecordError> {
    let mut records: Vec<Record> = Vec::new();
    let mut text = Vec::new();
    let mut length = 0;
    // The faults of the last record.
    let mut faults = HashSet::new();
    for line in 1.. {
        text.clear();
        // Read as bytes: a line may be cut inside a character.
        let read = from.read_until(b'\n', &mut text)?;
        if !text.ends_with(b"\n") {
            break;
        }
        length += read as u64;
        let content = |what| RecordError::Content { line, what };
        match (parsed(&text, line)?, records.last_mut()) {
            (Line::Run(header), last) => {
                if last.is_some_and(|record| record.end.is_none()) {
                    return Err(content("expected the end of the run above, got another header"));
                }
                // The length of a record counts its own lines, wherever in the file it starts.
                length = read as u64;
                faults.clear();
                records.push(Record { length, ..Record::of(header) });
            }
            (_, None) => return Err(RecordError::NoHeader),
            (_, Some(record)) if record.end.is_some() => {
                return Err(content("expected no line after the end, got one"));
            }
            (Line::End(end), Some(record)) => {
                record.check(&end, line)?;
                record.end = Some(end);
            }
            (Line::Case(entry), Some(record)) => record.add(|to| &mut to.cases, entry, length),
            (Line::Call(entry), Some(record)) => record.add(|to| &mut to.calls, entry, length),
            (Line::Probe(probe), Some(record)) => record.add(|to| &mut to.probes, probe, length),
            // These follow from the answers, or a resumed run asks for them again.
            (Line::Settled(resettled), Some(record)) => record.settled.push(resettled),
            (Line::Then(entry), Some(record)) => record.then.push(entry),
            (Line::Smaller(smaller), Some(record)) => record.smaller.push(smaller),
            (Line::Flake(flake), Some(record)) => {
                if !faults.insert(flake.clone()) {
                    return Err(content("expected each fault once, got one twice"));
                }
                record.flakes.push(flake);
            }
        }
    }
    if records.is_empty() { Err(RecordError::NoHeader) } else { Ok(records) }
}

/// Parses a line. A line of another version may have other fields, so its version is reported first.
fn parsed(text: &[u8], line: usize) -> Result<Line, RecordError> {
    #[derive(Deserialize)]
    struct Any {
        run: Format,
    }
    #[derive(Deserialize)]
    struct Format {
        format: u64,
    }
    let format = |text| serde_json::from_slice(text).map_or(u64::from(FORMAT), |any: Any| any.run.format);
    match serde_json::from_slice(text) {
        Ok(Line::Run(Header { format, .. })) if format != FORMAT => {
            Err(RecordError::Format(u64::from(format)))
        }
        Ok(parsed) => Ok(parsed),
        Err(_) if format(text) != u64::from(FORMAT) => Err(RecordError::Format(format(text))),
        Err(source) => Err(RecordError::Line { line, source }),
    }
}

impl Record {
    /// Returns a record with a header and nothing else.
    pub fn of(header: Header) -> Self {
        let (cases, calls, then) = (Vec::new(), Vec::new(), Vec::new());
        let (probes, settled, smaller, flakes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (end, length, flakes_within) = (None, 0, 0);
        Self { header, cases, calls, probes, settled, then, smaller, flakes, end, length, flakes_within }
    }

    /// Returns its lines. Faults come first: a record does not say which answers they came with.
    pub fn lines(self) -> impl Iterator<Item = Line> {
        let Self { header, cases, calls, probes, settled, then, smaller, flakes, end, .. } = self;
        std::iter::once(Line::Run(header))
            .chain(flakes.into_iter().map(Line::Flake))
            .chain(cases.into_iter().map(Line::Case))
            .chain(calls.into_iter().map(Line::Call))
            .chain(probes.into_iter().map(Line::Probe))
            .chain(settled.into_iter().map(Line::Settled))
            .chain(then.into_iter().map(Line::Then))
            .chain(smaller.into_iter().map(Line::Smaller))
            .chain(end.map(Line::End))
    }

    fn add<T>(&mut self, list: impl Fn(&mut Self) -> &mut Vec<T>, line: T, length: u64) {
        list(self).push(line);
        self.length = length;
        self.flakes_within = self.flakes.len();
    }

    /// Returns the number of generated calls to ask. Of a run that time was to end, these are the calls asked, and one more
    /// if the run is not complete.
    pub fn wanted_calls(&self, is_complete: bool) -> usize {
        self.header.calls.unwrap_or(self.calls.len() + usize::from(!is_complete))
    }

    /// Holds an end against the lines before it, and both against what was wanted.
    fn check(&self, end: &End, line: usize) -> Result<(), RecordError> {
        let Header { corpus, cases, .. } = self.header;
        let calls = self.wanted_calls(end.complete);
        let filtered = corpus.saturating_sub(cases);
        let there = (
            Counts::of(&self.cases, &self.settled, filtered, cases),
            Counts::of(&self.calls, &self.settled, 0, calls),
        );
        let differs = |of, counted: &Counts, there: &Counts| {
            let pairs = counted.named().into_iter().zip(there.named());
            let mut wrong = pairs.filter(|((_, counted), (_, there))| counted != there);
            wrong.next().map_or(Ok(()), |((what, counted), (_, there))| {
                Err(RecordError::Counts { line, of, what, counted, there })
            })
        };
        differs("cases", &end.cases, &there.0)?;
        differs("generated calls", &end.calls, &there.1)?;
        let add_up = |of, counts: &Counts, there| match counts.sum() {
            sum if sum == there => Ok(()),
            counted => Err(RecordError::Counts { line, of, what: "in all", counted, there }),
        };
        add_up("cases", &end.cases, self.header.corpus)?;
        add_up("generated calls", &end.calls, calls)?;
        let lists = [
            ("calls", "nondeterministic", end.nondeterministic, self.then.len()),
            ("faults", "put down to no call", end.flakes, self.flakes.len()),
        ];
        if let Some((of, what, counted, there)) =
            lists.into_iter().find(|(.., counted, there)| counted != there)
        {
            return Err(RecordError::Counts { line, of, what, counted, there });
        }
        let content = |what| Err(RecordError::Content { line, what });
        match (end.complete, end.cases.missing + end.calls.missing) {
            (true, 1..) => content("expected a partial run, as answers are missing, got a complete one"),
            (false, 0) => content("expected a complete run, as nothing is missing, got a partial one"),
            _ => Ok(()),
        }
    }
}

/// Returns a digest of the calls and expectations of all cases.
pub fn digest(whole: &Corpus) -> String {
    let mut digest = Digest::default();
    // The name of a stated call says all of it.
    for case in whole.cases.iter().filter(|case| !corpus::line::is_one(&case.name)) {
        digest.add(case.name.as_bytes());
        digest.add(&encode_call(0, &case.call));
        digest.add(&case.claim.bytes());
    }
    digest.to_string()
}
