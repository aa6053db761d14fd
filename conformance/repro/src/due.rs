//! Lists the acceptable answers to a call as bits, so that a script reaches the judge's verdict by itself.
//!
//! This module decides nothing. The [`Sheet`] lists the answers, [`judge`](fn@normative_conformance::judge)
//! selects them by the demanded readings, and [`accepted`], which uses the judge's own measure, gives the
//! floats that are near enough.
//!
//! Elements are judged one by one. The accepted floats of an element are a run of neighbours, and sometimes
//! zero or infinity. So ranges of bits describe each element, with two exceptions. If a root is held in a
//! narrower format, only numbers of that format count ([`DueTensor::single`]). If a case checks the errors of all
//! elements together, ranges cannot express that, and [`Due::whole`] is set.

use normative_conformance::display;
use normative_conformance::judge::accuracy::accepted::{Accepted, accepted};
use normative_conformance::judge::accuracy::converted::{may_be_refused, runs};
use normative_conformance::judge::accuracy::signed::span;
use normative_conformance::judge::accuracy::{Class, RoundingSteps};
use normative_conformance::judge::compare::declared_accumulation;
use normative_conformance::{Demands, Sheet};
use normative_reference::{
    Choice, Clause, Converted, Dtype, Expected, FloatFormat, Kind, Magnitude, Near, Question, Spec, Tensor,
    Value,
};

use crate::NoRepro;

/// All acceptable answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The accepted answers; any of them is enough. Never empty.
    pub answers: Vec<DueAnswer>,
    /// The open questions that appear in the answers' `readings`, each once.
    pub questions: Vec<Question>,
    /// True if the judge also checks the errors of all elements together, which a script does not.
    pub whole: bool,
}

/// One accepted answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueAnswer {
    /// The readings of open questions that lead to it; empty if nothing is open.
    pub readings: String,
    /// The answer.
    pub is: DueCondition,
}

/// The condition that an answer must meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DueCondition {
    /// A refusal, because of this clause.
    Refused(String),
    /// A tensor.
    Tensor(DueTensor),
}

/// A tensor whose elements lie within ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueTensor {
    /// Its element type.
    pub dtype: Dtype,
    /// Its dims, row-major.
    pub shape: Vec<usize>,
    /// Its elements, row-major.
    pub elements: Vec<DueElement>,
    /// True if only numbers of f32 are accepted in the first range of each element.
    pub single: bool,
}

/// The accepted bits of one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueElement {
    /// Ranges of bits as unsigned integers, both ends included. Never empty.
    pub ranges: Vec<(u64, u64)>,
    /// The bits of the best answer.
    pub best: u64,
    /// The exact value in decimal, if it differs from the best answer.
    pub exact: Option<String>,
}

impl Due {
    /// Returns the answers that a sheet accepts under these demands on a backend.
    ///
    /// # Errors
    /// [`NoRepro::NothingAccepted`] if the demanded readings leave no answer.
    pub fn of(sheet: &Sheet, spec: Spec, demands: &Demands) -> Result<Self, NoRepro> {
        let mut answers: Vec<(DueCondition, Vec<&[Choice]>)> = Vec::new();
        for entry in &sheet.entries {
            let choices: Vec<&[Choice]> = entry.choices.iter().map(Vec::as_slice).collect();
            let left: Vec<&[Choice]> =
                choices.into_iter().filter(|choices| is_allowed(choices, &demands.readings)).collect();
            if left.is_empty() {
                continue;
            }
            let mut due = vec![is(&entry.expected, spec, demands)?];
            if let Expected::Converted(converted) = &entry.expected
                && may_be_refused(converted)
            {
                due.push(DueCondition::Refused(Clause { spec, name: "output-type" }.to_string()));
            }
            for is in due {
                match answers.iter_mut().find(|(other, _)| *other == is) {
                    Some((_, more)) => more.extend(&left),
                    None => answers.push((is, left.clone())),
                }
            }
        }
        let named = answers.iter().filter_map(|(_, choices)| choices.first()).copied().flatten();
        let mut questions: Vec<Question> = named.map(|choice| choice.question).collect();
        questions.sort_unstable();
        questions.dedup();
        let answers: Vec<DueAnswer> =
            answers.into_iter().map(|(is, choices)| DueAnswer { readings: readings(&choices), is }).collect();
        if answers.is_empty() {
            return Err(NoRepro::NothingAccepted);
        }
        Ok(Self { answers, questions, whole: sheet.whole })
    }

    /// Returns a line for each open question: its name, as `readings` writes it, and the question in words.
    pub(crate) fn open(&self) -> impl Iterator<Item = String> {
        self.questions.iter().map(|&question| said(question))
    }

    /// Returns true if a refusal is accepted.
    pub fn accepts_refusal(&self) -> bool {
        self.answers.iter().any(|answer| matches!(answer.is, DueCondition::Refused(_)))
    }

    /// Returns true if a tensor is accepted, by the same rule as in a script made of this.
    pub fn accepts(&self, tensor: &Tensor) -> bool {
        self.answers.iter().any(|answer| match &answer.is {
            DueCondition::Refused(_) => false,
            DueCondition::Tensor(form) => form.accepts(tensor),
        })
    }
}

impl DueTensor {
    /// Returns true if a tensor is this one.
    pub fn accepts(&self, tensor: &Tensor) -> bool {
        let Self { dtype, shape, elements, single } = self;
        tensor.dtype() == *dtype
            && tensor.shape() == shape
            && tensor.bits().iter().zip(elements).all(|(&bits, element)| {
                let within = |&(low, high): &(u64, u64)| (low..=high).contains(&bits);
                let held =
                    |at: usize| at > 0 || !single || f64::from(f64::from_bits(bits) as f32).to_bits() == bits;
                element.ranges.iter().enumerate().any(|(at, range)| within(range) && held(at))
            })
    }
}

/// Formats a question in one line, because it goes into a comment, which a line feed would end.
fn said(question: Question) -> String {
    format!("`{}`: {} {}", question.name(), question.asks(), question.because())
}

/// Returns true if a combination has no other reading in place of a demanded one.
fn is_allowed(choices: &[Choice], demanded: &[Choice]) -> bool {
    let otherwise = |wanted: &Choice| {
        choices.iter().any(|choice| choice.question == wanted.question && choice.reading != wanted.reading)
    };
    !demanded.iter().any(otherwise)
}

/// Returns the first combination of readings, and the number of further ones.
fn readings(choices: &[&[Choice]]) -> String {
    let Some((first, more)) = choices.split_first() else { return String::new() };
    let first: Vec<String> = first.iter().map(ToString::to_string).collect();
    let more = if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
    format!("{}{more}", first.join(", "))
}

fn is(expected: &Expected, spec: Spec, demands: &Demands) -> Result<DueCondition, NoRepro> {
    Ok(match expected {
        Expected::Rejection(clause) => DueCondition::Refused(clause.to_string()),
        Expected::Anything(clause) => return Err(NoRepro::NothingDue(clause.to_string())),
        Expected::Exactly(tensor) => DueCondition::Tensor(exactly(tensor)),
        Expected::Converted(converted) => DueCondition::Tensor(converted_to(converted)),
        Expected::Near(near) => DueCondition::Tensor(nearly(near, spec, demands)?),
    })
}

fn exactly(tensor: &Tensor) -> DueTensor {
    let dtype = tensor.dtype();
    let element = |bits| DueElement { ranges: alone(dtype, bits), best: bits, exact: None };
    let elements = tensor.bits().into_iter().map(element).collect();
    DueTensor { dtype, shape: tensor.shape().to_vec(), elements, single: false }
}

/// Returns the range of these bits alone; any NaN for a NaN.
fn alone(dtype: Dtype, bits: u64) -> Vec<(u64, u64)> {
    match dtype.kind() {
        Kind::Float(format) if format.magnitude(bits) == Magnitude::Nan => {
            let (least, most) = (format.infinity() + 1, format.sign() - 1);
            vec![(least, most), (format.sign() | least, format.sign() | most)]
        }
        _ => vec![(bits, bits)],
    }
}

/// Returns the ranges of integers that were converted from floats.
fn converted_to(converted: &Converted) -> DueTensor {
    let mut form = exactly(&converted.best);
    let (Kind::Integer(range), Some(runs)) = (form.dtype.kind(), runs(converted)) else { return form };
    for (element, runs) in form.elements.iter_mut().zip(runs) {
        let bits = |&[low, high]: &[i128; 2]| match (range.encode(low), range.encode(high)) {
            (low, high) if low <= high => vec![(low, high)],
            // The bits of a run from below zero to above it wrap, so they form two ranges.
            (low, high) => vec![(0, high), (low, range.encode(-1))],
        };
        element.ranges = runs.iter().flat_map(bits).collect();
    }
    form
}

fn nearly(near: &Near, spec: Spec, demands: &Demands) -> Result<DueTensor, NoRepro> {
    let Kind::Float(format) = near.dtype.kind() else {
        return Err(NoRepro::Call {
            spec: spec.name(),
            why: format!("{} cannot be near a real", near.dtype),
        });
    };
    let declared = declared_accumulation(near.dtype, &demands.capabilities);
    let single = RoundingSteps::of(near, declared).root.precision < format.precision;
    let elements = (0..near.values.len()).map(|at| element(near, at, format, declared, single));
    let elements = elements.collect::<Option<Vec<_>>>().ok_or(NoRepro::NothingAccepted)?;
    Ok(DueTensor { dtype: near.dtype, shape: near.shape.clone(), elements, single })
}

fn element(
    near: &Near,
    at: usize,
    format: FloatFormat,
    declared: Option<FloatFormat>,
    single: bool,
) -> Option<DueElement> {
    let value = near.values.get(at)?;
    let rounded = value.round(format);
    if let Some(parts) = near.parts.get(at) {
        let span = span(parts, format, near);
        let ranges = match value {
            Value::Finite(_) => span.ranges(format),
            Value::Infinite | Value::NegativeInfinite if span.nan => {
                [alone(near.dtype, rounded), alone(near.dtype, format.nan())].concat()
            }
            Value::Infinite | Value::NegativeInfinite | Value::Nan => alone(near.dtype, rounded),
        };
        return Some(DueElement { ranges, best: rounded, exact: Some(display::exact(value)) });
    }
    let Value::Finite(real) = value else {
        return Some(DueElement { ranges: alone(near.dtype, rounded), best: rounded, exact: None });
    };
    // `Vacuous` is the loosest class; the judge fails everything beyond it.
    let Accepted { low, high, or_zero, or_infinite } =
        accepted(real, format, near, declared, Class::Vacuous)?;
    let mut ranges = vec![(low, high)];
    let best = rounded.clamp(low, high);
    if single {
        // The nearest float is right in any format.
        ranges.push((best, best));
    }
    ranges.extend(or_zero.then_some((0, 0)));
    ranges.extend(or_infinite.then_some((format.infinity(), format.infinity())));
    Some(DueElement { ranges, best, exact: Some(display::exact(value)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_said_in_one_line() {
        for question in Question::ALL {
            let said = said(question);
            assert!(
                said.starts_with(&format!("`{}`: ", question.name())) && !said.contains('\n'),
                "{said:?}"
            );
            let last = question.because().split_whitespace().last().unwrap_or_default();
            assert!(said.ends_with(last), "{said:?}");
        }
    }
}
