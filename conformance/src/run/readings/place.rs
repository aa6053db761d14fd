//! A place is a spec and a question: the variables that readings are solved for.
//!
//! A profile depends on nothing finer than a place: one reading per spec, and per element type for questions
//! about values.

use std::fmt;

use normative_reference::{Call, Dtype, Question, Spec};

/// A question in a spec. Readings that concern values may differ from type to type: a processor may flush f32
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
    /// Returns the place of a question that this call raises.
    pub fn of(call: &Call, question: Question) -> Self {
        let dtype = question.concerns_values().then_some(call.data.dtype());
        Self { spec: call.spec(), question, dtype }
    }

    /// Parses the name of a place.
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
