//! The lines of a record, field by field; `record.schema.json` describes them for other programs.
//!
//! A line can be understood by itself: names are those of specs, clauses and readings, and evidence against a
//! backend is written as the labelled lines of every report. Elements are written as bits: little-endian bytes,
//! row-major, two hexadecimal digits each.

use normative_reference::Call;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

use super::backend::RecordedBackend;
use super::machine::{Machine, is_zero};
use super::written::{read_answer, read_call, write_answer, write_call};
use crate::drive::Flake;
use crate::judge::verdict::Demands;
use crate::observed::Observed;
use crate::report::finding::FindingKind;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Line {
    /// The first line.
    Run(Header),
    /// The answer to a case.
    Case(RecordedEntry),
    /// The answer to a generated call.
    Call(RecordedEntry),
    /// The answer to a call that was asked later, to find out why others were refused.
    Probe(Probe),
    /// The verdict of an earlier line, changed because of that.
    Settled(Resettled),
    /// The second answer to a case or a generated call, if it differs from the first.
    Then(RecordedEntry),
    /// The answer to a call that was made from a failing one, and also fails: the smallest first, then those that test
    /// the condition of its defect.
    Smaller(Smaller),
    /// A process failure that no single call reproduces. It stands before the answers to the calls that were
    /// sent together with the suspects.
    Flake(Flake),
    /// The last line.
    End(End),
}

/// The subject of a run. Two runs whose headers differ only in the date ask the same calls of the same backend
/// on the same kind of machine, and are judged the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Header {
    /// The version of the format.
    pub format: u32,
    /// The version of the suite that judged.
    pub suite: String,
    /// The commit of its checkout, with `+changes` if files differ from it; absent if not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The start of the run in UTC, such as `2026-11-23T13:40:52Z`. Absent if not known. No report depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// The name that selected the backend, such as `onnxruntime@1.22.0`.
    pub name: String,
    /// The backend.
    pub backend: RecordedBackend,
    /// The machine of the run, as the one entry of a list.
    pub machines: Vec<Machine>,
    /// The options of the run.
    pub options: Options,
    /// The number of cases in the corpus.
    pub corpus: usize,
    /// A digest of their calls and expectations.
    pub digest: String,
    /// The number of cases to ask.
    pub cases: usize,
    /// The seed of the generated calls.
    pub seed: u64,
    /// The number of generated calls to ask.
    pub calls: Option<usize>,
    /// The accuracy class demanded.
    pub accuracy: Option<String>,
    /// The readings demanded, each `QUESTION=READING`.
    pub readings: Vec<String>,
    /// The families of specs left out because the backend does not claim them.
    pub left_out: Vec<String>,
    /// The command that repeats the run.
    pub again: String,
}

/// The options of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Options {
    /// The seconds that an answer may take.
    pub timeout: u64,
    /// The bytes of address space that a worker may have, if limited.
    pub memory: Option<u64>,
    /// The approximate number of calls asked again.
    pub repeat: usize,
}

/// The answer to one call, and its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RecordedEntry {
    /// The case's name, or the place of the generated call, `SEED:INDEX`.
    pub name: String,
    /// The spec called.
    pub spec: String,
    /// The element type of the data.
    pub dtype: String,
    /// The clauses of that spec that a case tests, or that the answer to a generated call breaks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// The call in words, if it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The verdict on the answer.
    pub verdict: RecordedVerdict,
    /// The answer.
    #[serde(serialize_with = "write_answer", deserialize_with = "read_answer")]
    pub answer: Observed,
    /// For a call answered in two ways: the shortest row of calls, by name, whose last, this call, is answered
    /// differently than alone, each in a fresh process. Empty if no tried row shows it; absent if none was
    /// tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<Vec<String>>,
}

/// The answer to a call that was asked to find out why others were refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Probe {
    /// A digest of the call.
    pub key: String,
    /// The spec called.
    pub spec: String,
    /// The element type of the data.
    pub dtype: String,
    /// The call in words.
    pub call: String,
    /// The answer.
    #[serde(serialize_with = "write_answer", deserialize_with = "read_answer")]
    pub answer: Observed,
}

/// A call made from a failing one; it fails too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Smaller {
    /// The case's name, or the name of the generated call.
    pub of: String,
    /// The spec called.
    pub spec: String,
    /// The element type of the data.
    pub dtype: String,
    /// The call in words.
    pub call: String,
    /// The call in the protocol of workers, numbered 0, in hexadecimal digits.
    #[serde(serialize_with = "write_call", deserialize_with = "read_call")]
    pub bytes: Call,
    /// The answer.
    #[serde(serialize_with = "write_answer", deserialize_with = "read_answer")]
    pub answer: Observed,
}

/// The verdict on a refusal after those calls. It replaces the one in the line of that name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Resettled {
    /// The case's name, or the place of the generated call.
    pub name: String,
    /// The final verdict.
    pub verdict: RecordedVerdict,
    /// The reason why the call is unsupported, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// The verdict on an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RecordedVerdict {
    /// Some honest reading accepts it.
    Conforms {
        /// The readings it tells, each `QUESTION=READING`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        readings: Vec<String>,
        /// The accuracy of its floats, if any were measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        accuracy: Option<RecordedAccuracy>,
        /// The value in place of the norm, if the type holds the norm and a reading allows another value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hazard: Option<String>,
    },
    /// The answer speaks against the backend.
    Fails {
        /// The kind of finding.
        kind: FindingKind,
        /// The details, in reading order: pairs of a label and a text.
        lines: Vec<(String, String)>,
    },
    /// The backend does not support this; its words are the answer.
    Unsupported,
}

/// The accuracy of an answer's floats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RecordedAccuracy {
    /// The loosest class that any element needed.
    pub class: String,
    /// The greatest error, in ulp.
    pub worst: f64,
    /// The mean error, in ulp.
    pub mean: f64,
    /// The number of measured elements.
    pub elements: usize,
    /// The number of further elements, allowed only because squares or results leave their range.
    pub out_of_range: usize,
    /// The number of terms of each.
    pub terms: usize,
    /// The conditions that errors are measured against: the reading under which the answer is accepted.
    pub against: String,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct End {
    /// True if everything was asked: nothing is missing.
    pub complete: bool,
    /// The counts of the cases; they add up to the corpus.
    pub cases: Counts,
    /// The counts of the generated calls; they add up to the number wanted.
    pub calls: Counts,
    /// The number of calls answered in two ways.
    pub nondeterministic: usize,
    /// The questions about the form of calls that no single reading explains.
    pub inconsistent: Vec<Split>,
    /// The questions about values that no single reading explains, which is allowed.
    pub mixed: Vec<Split>,
    /// The kinds of accepted answers that are not the norm, though their type holds it.
    pub hazards: Vec<Split>,
    /// The number of deadlines that were missed, and met when the same calls were asked again with more time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late: usize,
    /// The number of process faults that no call explains, of the first hundred.
    pub flakes: usize,
}

/// The counts of some calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Counts {
    /// Accepted.
    pub conforms: usize,
    /// Answered, and not accepted.
    pub fails: usize,
    /// Crashed, or not answered in time.
    pub died: usize,
    /// Declined.
    pub unsupported: usize,
    /// Left out by filters.
    pub filtered: usize,
    /// Wanted, and not asked.
    pub missing: usize,
}

/// A result of several answers together: for a question, a smallest set of answers that no single reading
/// explains; for a hazard, the smallest call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Split {
    /// The place of the question, or the hazard in a sentence.
    pub name: String,
    /// The reading or value of each answer, with a command that shows it: pairs of a label and a text.
    pub lines: Vec<(String, String)>,
}

impl Header {
    /// Returns the demands of the run.
    ///
    /// # Errors
    /// Returns the first unknown name.
    pub fn demands(&self) -> Result<Demands, String> {
        let readings =
            self.readings.iter().map(|text| Demands::reading(text)).collect::<Result<_, String>>()?;
        let accuracy = self.accuracy.as_ref().map(|name| Demands::class(name)).transpose()?;
        Ok(Demands { capabilities: self.backend.capabilities()?, accuracy, readings })
    }
}

impl Counts {
    /// Counts these calls, of `wanted` ones; settled verdicts replace those of the entries.
    pub fn of(entries: &[RecordedEntry], settled: &[Resettled], filtered: usize, wanted: usize) -> Self {
        let settled: HashMap<&str, &RecordedVerdict> =
            settled.iter().map(|one| (one.name.as_str(), &one.verdict)).collect();
        let missing = wanted.saturating_sub(entries.len());
        let mut counts = Self { filtered, missing, ..Self::default() };
        for entry in entries {
            *match settled.get(entry.name.as_str()).copied().unwrap_or(&entry.verdict) {
                RecordedVerdict::Conforms { .. } => &mut counts.conforms,
                RecordedVerdict::Fails { kind: FindingKind::Crash | FindingKind::Timeout, .. } => {
                    &mut counts.died
                }
                RecordedVerdict::Fails { .. } => &mut counts.fails,
                RecordedVerdict::Unsupported => &mut counts.unsupported,
            } += 1;
        }
        counts
    }

    /// Returns each count with its name.
    pub const fn named(&self) -> [(&'static str, usize); 6] {
        let Self { conforms, fails, died, unsupported, filtered, missing } = *self;
        [
            ("conforms", conforms),
            ("fails", fails),
            ("died", died),
            ("unsupported", unsupported),
            ("filtered", filtered),
            ("missing", missing),
        ]
    }

    /// Returns the sum of all counts.
    pub fn sum(&self) -> usize {
        // A forged record may have counts of any size.
        self.named().into_iter().fold(0, |sum, (_, count)| sum.saturating_add(count))
    }
}
