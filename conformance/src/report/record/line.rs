//! The lines of a record, field by field: what `record.schema.json` is made from.
//!
//! A line can be understood by itself: names are those of the specs, clauses and readings, and whatever speaks
//! against a backend stands in it as the labelled lines that every report shows. Elements are written as bits:
//! little-endian bytes, row-major, two hexadecimal digits each.

use normative_reference::Call;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

use super::claims;
use super::machine::{Load, Machine, is_zero};
#[cfg(feature = "schema")]
use super::pieces;
#[cfg(feature = "schema")]
use super::written::Written;
use super::written::{dtype, read_answer, read_call, write_answer, write_call};
use crate::drive::Flake;
use crate::judge::verdict::Demands;
use crate::observed::Observed;
use crate::report::finding::Kind;
use normative_backend::{Capabilities, Identity};

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Line {
    /// The first.
    Run(Header),
    /// What was answered to a case.
    Case(Entry),
    /// What was answered to a generated call.
    Call(Entry),
    /// What was answered to a call that was asked after them, to tell why others were refused.
    Probe(Probe),
    /// What became of an earlier line's verdict by that.
    Settled(Resettled),
    /// What was answered to a case or a generated call when it was asked again, where it was something else.
    Then(Entry),
    /// What was answered to a call that was made of a failing one, smaller and failing too.
    Smaller(Smaller),
    /// How the process failed over calls of which none makes it fail alone. It stands before the answers to the calls that
    /// were sent together with those it may have come of.
    Flake(Flake),
    /// The last.
    End(End),
}

/// What a run is of. Two runs whose headers differ in nothing but the date ask the same calls of the same backend on a
/// machine of the same kind, and are judged the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Header {
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::format"))]
    pub format: u32,
    /// The version of the suite that judged.
    pub suite: String,
    /// The commit of its checkout, with `+changes` where files differ from it; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// When the run began, in UTC, such as `2026-11-23T13:40:52Z`; of a run that was joined from parts, when the first
    /// of them began. Absent where it is not known. No report depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// What the backend was asked for by, such as `onnxruntime@1.22.0`.
    pub name: String,
    /// Who is judged.
    pub backend: Backend,
    /// Where it ran; several machines where the parts of a run were joined.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub machines: Vec<Machine>,
    /// How it was asked.
    pub options: Options,
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
    /// Which part of the whole this is, from 0, and of how many.
    pub part: Option<(u64, u64)>,
    /// The accuracy class demanded.
    pub accuracy: Option<String>,
    /// The readings demanded, each `QUESTION=READING`.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[a-z0-9-]+=[a-z0-9-]+$"))))]
    pub readings: Vec<String>,
    /// The families of specs that are left out because the backend does not claim them.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::families"))]
    pub left_out: Vec<String>,
    /// The command that repeats the run.
    pub again: String,
}

/// Who is judged, as it says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Backend {
    /// The runtime's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where its maintainers take bug reports.
    pub report_bugs_to: String,
    /// For a data type, the float type its sums are held in.
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::dtype_pairs"))]
    pub accumulation: Vec<(String, String)>,
    /// Whether it declares itself slow.
    pub slow: bool,
    /// Whether it takes axes in the form of another opset.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_forms: bool,
    /// The layouts in which it takes data, beside row-major.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<String>,
    /// The families of specs that it claims. Default: OpenVINO, ONNX and BNNS.
    #[serde(default = "claims::families_by_default")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::families"))]
    pub families: Vec<String>,
    /// Those of them of which it claims the values alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::families"))]
    pub values_alone: Vec<String>,
}

/// How a backend is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Options {
    /// Seconds an answer may take.
    pub timeout: u64,
    /// Bytes of address space a worker may have, where limited.
    pub memory: Option<u64>,
    /// About how many calls are asked again.
    pub repeat: usize,
}

/// What was answered to one call, and what that proves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Entry {
    /// The case's name, or the place of the generated call, `SEED:INDEX`.
    pub name: String,
    /// The spec called.
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::spec"))]
    pub spec: String,
    /// The element type of the data.
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::dtype"))]
    pub dtype: String,
    /// The clauses of that spec that a case tests, or that the answer to a generated call breaks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// The call in words, where it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// What the answer proves.
    pub verdict: Verdict,
    /// The answer.
    #[serde(serialize_with = "write_answer", deserialize_with = "read_answer")]
    #[cfg_attr(feature = "schema", schemars(with = "Written"))]
    pub answer: Observed,
    /// Of a call that was answered in two ways: the shortest row of calls, by name, whose last, this call, is answered
    /// otherwise than by itself, each in a fresh process. Empty where none of those tried shows it; left out where none
    /// was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<Vec<String>>,
}

/// What was answered to a call that was asked to tell why others were refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Probe {
    /// A digest of the call.
    pub key: String,
    /// The spec called.
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::spec"))]
    pub spec: String,
    /// The element type of the data.
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::dtype"))]
    pub dtype: String,
    /// The call in words.
    pub call: String,
    /// The answer.
    #[serde(serialize_with = "write_answer", deserialize_with = "read_answer")]
    #[cfg_attr(feature = "schema", schemars(with = "Written"))]
    pub answer: Observed,
}

/// A failing call made small by asking about ever smaller ones: what is left of it fails too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Smaller {
    /// The case's name, or the name of the generated call.
    pub of: String,
    /// The spec called.
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::spec"))]
    pub spec: String,
    /// The element type of the data.
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::dtype"))]
    pub dtype: String,
    /// The call in words.
    pub call: String,
    /// The call as the protocol of workers sends it, numbered 0, in hexadecimal digits.
    #[serde(serialize_with = "write_call", deserialize_with = "read_call")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub bytes: Call,
    /// The answer.
    #[serde(serialize_with = "write_answer", deserialize_with = "read_answer")]
    #[cfg_attr(feature = "schema", schemars(with = "Written"))]
    pub answer: Observed,
}

/// The verdict on a refusal after those calls. It stands in place of the one in the line of that name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Resettled {
    /// The case's name, or the place of the generated call.
    pub name: String,
    /// What the answer proves after all.
    pub verdict: Verdict,
    /// Why the call is unsupported, where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// What an answer proves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Verdict {
    /// Some honest reading accepts it.
    Conforms {
        /// The readings it tells, each `QUESTION=READING`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[a-z0-9-]+=[a-z0-9-]+$"))))]
        readings: Vec<String>,
        /// How near its floats came, where any were measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        accuracy: Option<Accuracy>,
        /// What it gives in place of the norm, where the type holds the norm and a reading allows another value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hazard: Option<String>,
    },
    /// It speaks against the backend.
    Fails {
        /// What is the matter.
        kind: Kind,
        /// What is known of it, in the order it is to be read: pairs of a label and a text.
        lines: Vec<(String, String)>,
    },
    /// The backend says it cannot do this; its words are the answer.
    Unsupported,
}

/// How near the floats of an answer came to the exact values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Accuracy {
    /// The loosest class any element needed.
    #[cfg_attr(feature = "schema", schemars(schema_with = "pieces::class"))]
    pub class: String,
    /// The greatest error, in ulp.
    pub worst: f64,
    /// The mean error, in ulp.
    pub mean: f64,
    /// How many elements were measured.
    pub elements: usize,
    /// How many more are allowed only because squares, or results, leave their range.
    pub out_of_range: usize,
    /// How many terms each has.
    pub terms: usize,
    /// What errors are measured against: the reading under which the answer is accepted.
    pub against: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct End {
    /// Whether everything was asked: nothing is missing.
    pub complete: bool,
    /// What became of the cases; all counts together are the corpus.
    pub cases: Counts,
    /// What became of the generated calls; all counts together are those wanted.
    pub calls: Counts,
    /// How many calls were answered in two ways.
    pub nondeterministic: usize,
    /// The questions about the form of calls that no one reading explains.
    pub inconsistent: Vec<Split>,
    /// The questions about values that no one reading explains, which no text asks for.
    pub mixed: Vec<Split>,
    /// The kinds of accepted answers that are not the norm, though their type holds it. Absent in records of earlier versions.
    #[serde(default)]
    pub hazards: Vec<Split>,
    /// How many deadlines were missed, and met when the same calls were asked again with more time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late: usize,
    /// How busy the machine was, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// How many faults were put down to no call, of the first hundred.
    pub flakes: usize,
}

/// What became of some calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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

/// What several answers show together: of a question, a smallest set of answers that no one reading of it explains; of a
/// hazard, the smallest call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Split {
    /// The question, and where it was met; or the hazard in a sentence.
    pub name: String,
    /// What each answer reads or gives, with a command that shows it: pairs of a label and a text.
    pub lines: Vec<(String, String)>,
}

impl Backend {
    /// What it says of itself.
    pub fn of(identity: &Identity, capabilities: &Capabilities) -> Self {
        let Identity { name, version, report_bugs_to } = identity.clone();
        let accumulation = capabilities.accumulation.iter();
        let accumulation = accumulation.map(|(data, sums)| (data.to_string(), sums.to_string())).collect();
        let (families, values_alone) = claims::written(&capabilities.claims);
        let layouts = capabilities.layouts.iter().map(ToString::to_string).collect();
        let Capabilities { slow, other_forms, .. } = *capabilities;
        Self {
            name,
            version,
            report_bugs_to,
            accumulation,
            slow,
            other_forms,
            layouts,
            families,
            values_alone,
        }
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
        let pairs = self.backend.accumulation.iter();
        let accumulation =
            pairs.map(|(data, sums)| Ok((dtype(data)?, dtype(sums)?))).collect::<Result<_, String>>()?;
        let layout = |name: &String| name.parse().map_err(|_| format!("{name} is no layout"));
        let layouts = self.backend.layouts.iter().map(layout).collect::<Result<_, String>>()?;
        let claims = claims::read(&self.backend.families, &self.backend.values_alone)?;
        let readings =
            self.readings.iter().map(|text| Demands::reading(text)).collect::<Result<_, String>>()?;
        let accuracy = self.accuracy.as_ref().map(|name| Demands::class(name)).transpose()?;
        Ok(Demands {
            capabilities: Capabilities {
                accumulation,
                slow: self.backend.slow,
                claims,
                other_forms: self.backend.other_forms,
                layouts,
            },
            accuracy,
            readings,
        })
    }
}

impl Counts {
    /// What became of these calls, of so many that were wanted; those that were settled later count as settled.
    pub fn of(entries: &[Entry], settled: &[Resettled], filtered: usize, wanted: usize) -> Self {
        let settled: HashMap<&str, &Verdict> =
            settled.iter().map(|one| (one.name.as_str(), &one.verdict)).collect();
        let missing = wanted.saturating_sub(entries.len());
        let mut counts = Self { filtered, missing, ..Self::default() };
        for entry in entries {
            *match settled.get(entry.name.as_str()).copied().unwrap_or(&entry.verdict) {
                Verdict::Conforms { .. } => &mut counts.conforms,
                Verdict::Fails { kind: Kind::Crash | Kind::Timeout, .. } => &mut counts.died,
                Verdict::Fails { .. } => &mut counts.fails,
                Verdict::Unsupported => &mut counts.unsupported,
            } += 1;
        }
        counts
    }

    /// Each count with its name.
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

    /// All of them together.
    pub fn sum(&self) -> usize {
        // A count may be of any size where somebody wrote it.
        self.named().into_iter().fold(0, |sum, (_, count)| sum.saturating_add(count))
    }
}
