//! A run on file: what was asked of whom, and every answer, one JSON object a line.
//!
//! Written as the run goes, so that a run that is killed loses nothing that was answered. The first line is
//! the [`Header`], the last an [`End`]; a file without one is that of a run that was cut off. Everything a
//! report says follows from the answers and the corpus, so verdicts stand beside them for people and are
//! not read back. Elements are written as bits: little-endian bytes, row-major, two hexadecimal digits each.

use std::io::{BufRead, Write};
use std::time::Duration;

use normative_reference::{Dtype, Tensor};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::backend::{Answer, Capabilities, Death, Identity};
use crate::cases::Corpus;
use crate::digest::Digest;
use crate::random::splitmix64;
use crate::verdict::Demands;
use crate::worker::Conduct;
use crate::worker::wire::encode_call;

/// The version of this format; a file of another is not read.
pub const FORMAT: u32 = 1;

/// What a run is of. Two runs with the same header ask the same calls and are judged the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub format: u32,
    /// What the backend was asked for by, such as `onnxruntime@1.22.0`.
    pub name: String,
    /// Who is judged.
    pub backend: Backend,
    /// How many cases the corpus has.
    pub corpus: usize,
    /// A digest of what they ask and expect.
    pub digest: String,
    /// How many cases are asked, of this part.
    pub cases: usize,
    /// The row of generated calls.
    pub seed: u64,
    /// How many generated calls are made, of this part.
    pub calls: usize,
    /// Which part of the whole this is, and of how many.
    pub part: Option<(u64, u64)>,
    /// The accuracy class demanded.
    pub accuracy: Option<String>,
    /// The readings demanded.
    pub readings: Vec<String>,
    /// The command that repeats the run.
    pub again: String,
}

/// Who is judged, as it says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Backend {
    /// The runtime's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where its maintainers take bug reports.
    pub report_bugs_to: String,
    /// For a data type, the float type its sums are held in.
    pub accumulation: Vec<(String, String)>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Line {
    /// The first.
    Run(Header),
    /// What was answered to a case.
    Case(Entry),
    /// What was answered to a generated call.
    Call(Entry),
    /// What was answered to one of them when it was asked again, where it was something else.
    Then(Entry),
    /// The last.
    End(End),
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Entry {
    /// The case's name, or the place of the generated call.
    pub name: String,
    /// The verdict, in a word, for people.
    pub verdict: String,
    /// The answer.
    pub answer: Written,
}

/// An answer as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Written {
    /// A tensor.
    Tensor {
        /// The name of its element type.
        dtype: String,
        /// Its dims.
        shape: Vec<usize>,
        /// Its elements.
        bits: String,
    },
    /// A refusal, in the runtime's words.
    Rejected(String),
    /// Why it was not asked.
    Unsupported(String),
    /// What is known of the change.
    ChangedData(String),
    /// What is known of the death.
    Crashed(String),
    /// The deadline, in nanoseconds.
    TimedOut(u64),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct End {
    /// Whether everything was asked.
    pub complete: bool,
    /// How many times a process had to be replaced.
    pub restarts: u64,
    /// Faults put down to no call.
    pub unrepeated: u64,
}

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
    /// A line is out of place, or says what cannot be.
    #[error("line {line}: {what}")]
    Content {
        /// From 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// It does not begin with a header.
    #[error("it does not begin as the record of a run does")]
    NoHeader,
    /// One run was wanted.
    #[error("it holds {0} runs, where one is due")]
    Several(usize),
    /// It is of another version.
    #[error("it is of format {0}, this is format {FORMAT}")]
    Format(u32),
}

/// A run that was read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What it is of.
    pub header: Header,
    /// The answers to cases, in the order asked.
    pub cases: Vec<Answered>,
    /// The answers to generated calls, in the order asked.
    pub calls: Vec<Answered>,
    /// Second answers, where they are others.
    pub then: Vec<Answered>,
    /// How it ended, unless it was cut off.
    pub end: Option<End>,
    /// How many bytes the whole lines before the end take.
    pub length: u64,
}

/// An answer that was read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The case's name, or the place of the generated call.
    pub name: String,
    /// The verdict when it was written.
    pub verdict: String,
    /// The answer.
    pub answer: Answer,
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
    for line in 1.. {
        text.clear();
        // By bytes: a line may be cut inside a character.
        let read = from.read_until(b'\n', &mut text)?;
        if !text.ends_with(b"\n") {
            break;
        }
        let parsed = serde_json::from_slice(&text).map_err(|source| RecordError::Line { line, source })?;
        let content = |what: String| RecordError::Content { line, what };
        match (parsed, records.last_mut()) {
            (Line::Run(header), last) => {
                if header.format != FORMAT {
                    return Err(RecordError::Format(header.format));
                }
                if last.is_some_and(|record| record.end.is_none()) {
                    return Err(content("a second header, and the run before it has not ended".into()));
                }
                let (cases, calls, then) = (Vec::new(), Vec::new(), Vec::new());
                records.push(Record { header, cases, calls, then, end: None, length: read as u64 });
            }
            (_, None) => return Err(RecordError::NoHeader),
            (_, Some(record)) if record.end.is_some() => {
                return Err(content("a line after the end".into()));
            }
            (Line::End(end), Some(record)) => record.end = Some(end),
            (Line::Case(entry), Some(record)) => {
                record.add(|to| &mut to.cases, entry, read).map_err(content)?;
            }
            (Line::Call(entry), Some(record)) => {
                record.add(|to| &mut to.calls, entry, read).map_err(content)?;
            }
            (Line::Then(entry), Some(record)) => {
                record.add(|to| &mut to.then, entry, read).map_err(content)?;
            }
        }
    }
    if records.is_empty() { Err(RecordError::NoHeader) } else { Ok(records) }
}

impl Record {
    fn add(
        &mut self,
        list: impl Fn(&mut Self) -> &mut Vec<Answered>,
        entry: Entry,
        bytes: usize,
    ) -> Result<(), String> {
        list(self).push(entry.read()?);
        self.length += bytes as u64;
        Ok(())
    }
}

impl Backend {
    /// What it says of itself.
    pub fn of(identity: &Identity, capabilities: &Capabilities) -> Self {
        let Identity { name, version, report_bugs_to } = identity.clone();
        let accumulation = capabilities.accumulation.iter();
        let accumulation = accumulation.map(|(data, sums)| (data.to_string(), sums.to_string())).collect();
        Self { name, version, report_bugs_to, accumulation }
    }

    /// Who it is.
    pub fn identity(&self) -> Identity {
        let Self { name, version, report_bugs_to, .. } = self.clone();
        Identity { name, version, report_bugs_to }
    }
}

impl Header {
    /// What was demanded.
    ///
    /// # Errors
    /// The name that is none.
    pub fn demands(&self) -> Result<Demands, String> {
        let dtype =
            |name: &String| Dtype::from_name(name).ok_or_else(|| format!("no element type is {name:?}"));
        let pairs = self.backend.accumulation.iter();
        let accumulation =
            pairs.map(|(data, sums)| Ok((dtype(data)?, dtype(sums)?))).collect::<Result<_, String>>()?;
        let readings =
            self.readings.iter().map(|text| Demands::reading(text)).collect::<Result<_, String>>()?;
        let accuracy = self.accuracy.as_ref().map(|name| Demands::class(name)).transpose()?;
        Ok(Demands { capabilities: Capabilities { accumulation }, accuracy, readings })
    }
}

impl Entry {
    /// What was answered, and what that proves in a word.
    pub fn of(name: &str, verdict: &str, answer: &Answer) -> Self {
        Self { name: name.to_owned(), verdict: verdict.to_owned(), answer: Written::of(answer) }
    }

    fn read(self) -> Result<Answered, String> {
        let Self { name, verdict, answer } = self;
        Ok(Answered { name, verdict, answer: answer.read()? })
    }
}

impl Written {
    /// An answer as it is written. A deadline of 584 years or more is written as the longest there is.
    pub fn of(answer: &Answer) -> Self {
        match answer {
            Answer::Tensor(tensor) => Self::Tensor {
                dtype: tensor.dtype().to_string(),
                shape: tensor.shape().to_vec(),
                bits: hexadecimal(&tensor.to_le_bytes()),
            },
            Answer::Rejected(why) => Self::Rejected(why.clone()),
            Answer::Unsupported(why) => Self::Unsupported(why.clone()),
            Answer::ChangedData(how) => Self::ChangedData(how.clone()),
            Answer::Died(Death::Crashed(how)) => Self::Crashed(how.clone()),
            Answer::Died(Death::TimedOut(after)) => {
                Self::TimedOut(u64::try_from(after.as_nanos()).unwrap_or(u64::MAX))
            }
        }
    }

    /// The answer that was written.
    ///
    /// # Errors
    /// Why it is no tensor.
    pub fn read(self) -> Result<Answer, String> {
        Ok(match self {
            Self::Tensor { dtype, shape, bits } => {
                let dtype =
                    Dtype::from_name(&dtype).ok_or_else(|| format!("no element type is {dtype:?}"))?;
                let bytes = bytes(&bits).ok_or("the bits are not pairs of hexadecimal digits")?;
                Answer::Tensor(
                    Tensor::from_le_bytes(dtype, &shape, &bytes).map_err(|error| error.to_string())?,
                )
            }
            Self::Rejected(why) => Answer::Rejected(why),
            Self::Unsupported(why) => Answer::Unsupported(why),
            Self::ChangedData(how) => Answer::ChangedData(how),
            Self::Crashed(how) => Answer::Died(Death::Crashed(how)),
            Self::TimedOut(nanos) => Answer::Died(Death::TimedOut(Duration::from_nanos(nanos))),
        })
    }
}

impl End {
    /// The end of a run of a worker.
    pub fn of(complete: bool, Conduct { restarts, unrepeated }: Conduct) -> Self {
        Self { complete, restarts, unrepeated }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).collect()
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16).map(|digit| digit as u8);
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

/// A digest of everything the cases of a corpus ask and expect.
pub fn digest(corpus: &Corpus) -> String {
    let mut digest = Digest::default();
    for case in &corpus.cases {
        digest.add(case.name.as_bytes());
        digest.add(&encode_call(0, &case.call));
        digest.add(format!("{:?}", case.claim).as_bytes());
    }
    digest.to_string()
}

/// Which of `parts` parts the call of this name or number belongs to, from 0: the same on every machine.
pub fn part_of(name: &str, parts: u64) -> u64 {
    let sum = name.bytes().fold(0, |state, byte| splitmix64(state, u64::from(byte)));
    splitmix64(sum, 0) % parts.max(1)
}
