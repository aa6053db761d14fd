//! A run on file: what was asked of whom, every answer, and what it proves, one JSON object a line.
//!
//! Written as the run goes, so that a run that is killed loses nothing that was answered. The first line is
//! the [`Header`], the last an [`End`]; a file without one is that of a run that was cut off. Whoever reads the
//! verdicts needs neither the corpus nor this crate: a line says what it is about ([`mod@line`]), and
//! `record.schema.json` says what a line is. This crate itself believes only the answers: everything a report
//! says follows from them and the corpus, and what a line says beside its answer is compared with that
//! ([`explain`]), never taken for it. The counts of the end are held against the lines before it.

use std::io::{BufRead, Write};

use serde::Deserialize;
use thiserror::Error;

use crate::corpus::Corpus;
use crate::digest::Digest;
use crate::drive::Flake;
use normative_backend::wire::encode_call;

mod claims;
pub mod explain;
mod format;
mod hex;
pub mod line;
pub mod machine;
#[cfg(feature = "schema")]
mod pieces;
#[cfg(feature = "schema")]
pub mod schema;
mod written;

pub use format::FORMAT;
pub use line::{
    Accuracy, Backend, Counts, End, Entry, Header, Line, Options, Probe, Resettled, Smaller, Verdict,
};
pub use machine::{Load, Machine, WorkerFile};
pub use written::Written;

/// Why a record cannot be used.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The stream failed.
    #[error("{0}")]
    Stream(#[from] std::io::Error),
    /// A line is not what this version writes.
    #[error("line {line}: {source}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A line is out of place.
    #[error("line {line}: {what}")]
    Content {
        /// From 1.
        line: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// An end counts what is not there, or does not count what is.
    #[error("line {line}: of {of} it counts {counted} {what}, where there are {there}")]
    Counts {
        /// From 1.
        line: usize,
        /// Cases, or generated calls.
        of: &'static str,
        /// Which count.
        what: &'static str,
        /// What it says.
        counted: usize,
        /// What the lines say.
        there: usize,
    },
    /// It does not begin with a header.
    #[error("it does not begin as the record of a run does")]
    NoHeader,
    /// One run was wanted.
    #[error("it holds {0} runs, where one is due")]
    Several(usize),
    /// It is of another version.
    #[error("it is of format {0}, this is format {FORMAT}")]
    Format(u64),
}

/// A run that was read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What it is of.
    pub header: Header,
    /// The answers to cases, in the order asked.
    pub cases: Vec<Entry>,
    /// The answers to generated calls, in the order asked.
    pub calls: Vec<Entry>,
    /// The answers to calls that were asked to tell why others were refused, in the order asked.
    pub probes: Vec<Probe>,
    /// The verdicts that became others by those.
    pub settled: Vec<Resettled>,
    /// Second answers, where they are others.
    pub then: Vec<Entry>,
    /// Failing calls made small.
    pub smaller: Vec<Smaller>,
    /// Faults put down to no call.
    pub flakes: Vec<Flake>,
    /// How it ended, unless it was cut off.
    pub end: Option<End>,
    /// How many bytes the whole lines up to the last answer take that a resumed run need not ask for again.
    pub length: u64,
    /// How many of the faults stand there.
    pub flakes_within: usize,
}

/// Writes one line.
///
/// # Errors
/// Whatever `to` returns.
pub fn write(to: &mut impl Write, line: &Line) -> std::io::Result<()> {
    serde_json::to_writer(&mut *to, line)?;
    to.write_all(b"\n")
}

/// Reads the record of one run. A last line that was cut off is as if it had not been written.
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

/// Reads the records of runs that stand one after another: at least one. A last line that was cut off is as if it
/// had not been written.
///
/// # Errors
/// [`RecordError`] with the line.
pub fn read_all(mut from: impl BufRead) -> Result<Vec<Record>, RecordError> {
    let mut records: Vec<Record> = Vec::new();
    let mut text = Vec::new();
    let mut length = 0;
    for line in 1.. {
        text.clear();
        // By bytes: a line may be cut inside a character.
        let read = from.read_until(b'\n', &mut text)?;
        if !text.ends_with(b"\n") {
            break;
        }
        length += read as u64;
        let content = |what| RecordError::Content { line, what };
        match (parsed(&text, line)?, records.last_mut()) {
            (Line::Run(header), last) => {
                if last.is_some_and(|record| record.end.is_none()) {
                    return Err(content("a second header, and the run before it has not ended"));
                }
                // A record is as long as its own lines, wherever in the file it stands.
                length = read as u64;
                records.push(Record { length, ..Record::of(header) });
            }
            (_, None) => return Err(RecordError::NoHeader),
            (_, Some(record)) if record.end.is_some() => return Err(content("a line after the end")),
            (Line::End(end), Some(record)) => {
                record.check(&end, line)?;
                record.end = Some(end);
            }
            (Line::Case(entry), Some(record)) => record.add(|to| &mut to.cases, entry, length),
            (Line::Call(entry), Some(record)) => record.add(|to| &mut to.calls, entry, length),
            (Line::Probe(probe), Some(record)) => record.add(|to| &mut to.probes, probe, length),
            // These follow from the answers, or are asked for again by a run that goes on.
            (Line::Settled(resettled), Some(record)) => record.settled.push(resettled),
            (Line::Then(entry), Some(record)) => record.then.push(entry),
            (Line::Smaller(smaller), Some(record)) => record.smaller.push(smaller),
            (Line::Flake(flake), Some(record)) if record.flakes.contains(&flake) => {
                return Err(content("the same fault is there twice"));
            }
            (Line::Flake(flake), Some(record)) => record.flakes.push(flake),
        }
    }
    if records.is_empty() { Err(RecordError::NoHeader) } else { Ok(records) }
}

/// A line of this version. One of another may have other fields, and that it is of another is what to say of it.
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
    /// That of a run of which nothing is known but what it is of.
    pub fn of(header: Header) -> Self {
        let (cases, calls, then) = (Vec::new(), Vec::new(), Vec::new());
        let (probes, settled, smaller, flakes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (end, length, flakes_within) = (None, 0, 0);
        Self { header, cases, calls, probes, settled, then, smaller, flakes, end, length, flakes_within }
    }

    /// Its lines. Faults come first: of one that was joined from parts nobody knows which answers they came with.
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

    /// Holds an end against the lines before it, and both against what was wanted.
    fn check(&self, end: &End, line: usize) -> Result<(), RecordError> {
        let Header { corpus, cases, calls, .. } = self.header;
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
        add_up("generated calls", &end.calls, self.header.calls)?;
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
            (true, 1..) => content("it is said to be complete, and something is missing"),
            (false, 0) => content("it is said to be partial, and nothing is missing"),
            _ => Ok(()),
        }
    }
}

/// A digest of everything the cases of a corpus ask and expect.
pub fn digest(corpus: &Corpus) -> String {
    let mut digest = Digest::default();
    for case in &corpus.cases {
        digest.add(case.name.as_bytes());
        digest.add(&encode_call(0, &case.call));
        digest.add(&case.claim.bytes());
    }
    digest.to_string()
}
