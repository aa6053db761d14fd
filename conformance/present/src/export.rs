//! Exports cases for readers without Rust: the call and its acceptable answers, as plain data.
//!
//! `docs/export.md` explains each field. Expectations come from the [`Sheet`], and bounds from
//! [`accuracy`](normative_conformance::judge::accuracy), as bits. Elements are row-major for every spec.
//! Cases that differ only in their spec share one [`ExportedCall`]; a repetitive list is shortened (`repeat`).

mod array;
mod reals;
mod repeat;

use std::collections::BTreeMap;

use normative_reference::{Axes, AxesTensor, Call, Choice, Expected, Kind, Setting};
use serde::Serialize;
use serde_json::value::Number;

use normative_conformance::corpus::{Case, CaseClaim};
use normative_conformance::judge::accuracy::converted::ends;
use normative_conformance::judge::verdict::{Entry, Sheet};

pub use array::Array;
pub use reals::{ClassBounds, Offset, Reals};
pub use repeat::shortest;

/// The version of this format.
pub const FORMAT: u32 = 2;

/// A case of a file, in all its specs and element types.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Exported {
    /// [`FORMAT`].
    pub format: u32,
    /// The name that its expansions share.
    pub id: String,
    /// The clauses it tests, the main one first: names in the ledger of each of its specs.
    pub clauses: Vec<String>,
    /// The wrong implementation that it catches.
    pub why: String,
    /// The question it is about, where the text is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// Its calls, each with the acceptable answers.
    pub calls: Vec<ExportedCall>,
}

/// A call and its acceptable answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExportedCall {
    /// The cases that make it: several versions of an operator if they agree.
    pub cases: Vec<ExportedName>,
    /// The attributes that are set, by their names in the spec.
    pub attributes: BTreeMap<&'static str, serde_json::Value>,
    /// The tensor to reduce.
    pub data: Array,
    /// The axes.
    pub axes: GivenAxes,
    /// The acceptable answers; never empty.
    pub answers: Vec<ExportedAnswer>,
    /// True if the bias and spread of all errors together are checked as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
}

/// The name of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedName {
    /// Unique in the corpus.
    pub name: String,
    /// The operator and its version.
    pub spec: &'static str,
}

/// Axes as the call has them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GivenAxes {
    /// Not written: no such input, attribute or argument.
    Absent,
    /// An input with the empty name, or nil.
    Null,
    /// A tensor of integers, even if its element type is a float.
    Tensor {
        /// Its element type.
        dtype: &'static str,
        /// Its dims; `[]` is a scalar.
        shape: Vec<usize>,
        /// Its elements; a number that neither i64 nor u64 holds is a string.
        values: Vec<serde_json::Value>,
        /// True if it is written in the form of another opset; otherwise left out.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        other_form: bool,
    },
}

/// An acceptable answer under some readings.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExportedAnswer {
    /// The combinations of readings under which it is acceptable, each a map of questions to readings. An
    /// empty map means any reading.
    pub readings: Vec<BTreeMap<String, String>>,
    /// The answer.
    pub is: ExportedCondition,
}

/// The condition that an answer must meet.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExportedCondition {
    /// A refusal, because the call breaks this clause of its spec.
    Refused(String),
    /// Anything, because the text puts the consequences of breaking this clause outside its scope.
    Outside(String),
    /// This tensor, bit for bit; any two NaNs are equal.
    Exactly(Array),
    /// Integers between those of two tensors, element by element.
    Between {
        /// The least integers.
        low: Array,
        /// The greatest integers.
        high: Array,
    },
    /// Floats near exact reals.
    Near(Reals),
}

impl Exported {
    /// Exports the expansions of one case, each with its sheet; `None` if the list is empty.
    pub fn of(expansions: &[(&Case, &Sheet)]) -> Option<Self> {
        let (first, _) = expansions.first()?;
        let open = match &first.claim {
            CaseClaim::Determined(_) => None,
            CaseClaim::Open { question, .. } => Some(question.to_string()),
        };
        let mut calls: Vec<ExportedCall> = Vec::new();
        for (case, sheet) in expansions {
            let asked = ExportedCall::of(case, sheet);
            match calls.iter_mut().find(|known| known.is_alike(&asked)) {
                Some(known) => known.cases.extend(asked.cases),
                None => calls.push(asked),
            }
        }
        Some(Self {
            format: FORMAT,
            id: first.id.clone(),
            clauses: first.clauses.iter().map(|clause| clause.name.clone()).collect(),
            why: first.why.clone(),
            open,
            calls,
        })
    }
}

impl ExportedCall {
    /// Exports the call of a case, with the answers that its sheet accepts.
    pub fn of(case: &Case, sheet: &Sheet) -> Self {
        let call = &case.call;
        let attributes = call.operator.attributes().into_iter();
        let attributes = attributes.filter_map(|(name, set)| Some((name, value(set?)))).collect();
        let axes = match &call.axes {
            Axes::Absent => GivenAxes::Absent,
            Axes::Null => GivenAxes::Null,
            Axes::Given(AxesTensor { dtype, shape, values })
            | Axes::OtherForm(AxesTensor { dtype, shape, values }) => GivenAxes::Tensor {
                other_form: matches!(call.axes, Axes::OtherForm(_)),
                dtype: dtype.name(),
                shape: shape.clone(),
                values: values.iter().map(|&value| integer(value)).collect(),
            },
        };
        Self {
            cases: vec![ExportedName { name: case.name.clone(), spec: call.spec().name() }],
            attributes,
            data: Array::of(&call.data, case.random),
            axes,
            answers: answers(call, sheet),
            whole: sheet.whole,
        }
    }

    /// Returns true if both ask and expect the same; names do not count.
    fn is_alike(&self, other: &Self) -> bool {
        let Self { cases: _, attributes, data, axes, answers, whole } = self;
        (attributes, data, axes, answers, whole)
            == (&other.attributes, &other.data, &other.axes, &other.answers, &other.whole)
    }
}

/// Exports all answers that a sheet accepts to its call.
pub fn answers(call: &Call, sheet: &Sheet) -> Vec<ExportedAnswer> {
    let one = |entry: &Entry| answer(call, &entry.expected, &entry.choices);
    sheet.entries.iter().filter_map(one).collect()
}

fn value(setting: Setting) -> serde_json::Value {
    match setting {
        Setting::Boolean(value) => value.into(),
        Setting::Integer(value) => value.into(),
        Setting::Dims(dims) => dims.into(),
    }
}

fn integer(value: i128) -> serde_json::Value {
    Number::from_i128(value).map_or_else(|| value.to_string().into(), Into::into)
}

fn answer(call: &Call, expected: &Expected, choices: &[Vec<Choice>]) -> Option<ExportedAnswer> {
    let pair = |choice: &Choice| (choice.question.to_string(), choice.reading.to_string());
    let readings = choices.iter().map(|choices| choices.iter().map(pair).collect()).collect();
    let is = match expected {
        Expected::Rejection(clause) if clause.spec == call.spec() => {
            ExportedCondition::Refused(clause.name.to_owned())
        }
        Expected::Rejection(clause) => ExportedCondition::Refused(clause.to_string()),
        Expected::Anything(clause) => ExportedCondition::Outside(clause.name.to_owned()),
        Expected::Exactly(tensor) => ExportedCondition::Exactly(Array::of(tensor, None)),
        Expected::Converted(converted) => {
            let [low, high] = ends(converted)?;
            ExportedCondition::Between { low: Array::of(&low, None), high: Array::of(&high, None) }
        }
        Expected::Near(near) => match near.dtype.kind() {
            Kind::Float(format) => ExportedCondition::Near(Reals::of(near, format)),
            // Integers never have expectations near a real.
            Kind::Integer(_) => return None,
        },
    };
    Some(ExportedAnswer { readings, is })
}
