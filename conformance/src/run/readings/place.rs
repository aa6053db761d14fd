//! Where a question was met: the variables that readings are solved for.
//!
//! A place says what a profile may depend on, and nothing finer: a reading per spec, for questions about values
//! also per element type.

use std::fmt;

use normative_reference::{Call, Dtype, Question, Spec};

/// Where a question was met. Readings that concern values may differ from type to type: a processor may flush f32
/// subnormals and keep those of f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The spec.
    pub spec: Spec,
    /// The question.
    pub question: Question,
    /// The element type, for questions about values.
    pub dtype: Option<Dtype>,
}

impl Place {
    /// Where a call puts a question.
    pub fn of(call: &Call, question: Question) -> Self {
        let dtype = question.concerns_values().then_some(call.data.dtype());
        Self { spec: call.spec(), question, dtype }
    }

    /// The place that is written so.
    pub fn from_name(name: &str) -> Option<Self> {
        let (place, question) = name.split_once(": ")?;
        let (spec, of) = place.split_once(" for ").map_or((place, None), |(spec, of)| (spec, Some(of)));
        let place = Self {
            spec: Spec::from_name(spec)?,
            question: Question::from_name(question)?,
            dtype: of.and_then(Dtype::from_name),
        };
        (place.to_string() == name).then_some(place)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { spec, question, dtype } = self;
        match dtype {
            Some(dtype) => write!(f, "{spec} for {dtype}: {question}"),
            None => write!(f, "{spec}: {question}"),
        }
    }
}
