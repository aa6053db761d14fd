//! What an answer to a call may be, as bits: all that a script needs to come to the judge's verdict by itself.
//!
//! Nothing is decided here. Which answers there are is the [`Sheet`]'s to say, which of them the demanded readings
//! leave is [`judge`](fn@normative_conformance::judge)'s rule, and which floats are near enough is
//! [`accepted`]'s, which asks the judge's own measure.
//!
//! Elements are judged one by one, and the floats accepted of one element are a run of neighbours, with zero or
//! infinity apart in places. So ranges of bits for each element say all of it, with two exceptions. Where a root is
//! held in a narrower format, only numbers of that format count ([`Form::single`]). Where a case looks at the errors
//! of all elements together, no list of ranges can say so, and [`Due::whole`] is set.

use normative_conformance::display;
use normative_conformance::judge::accuracy::accepted::{Accepted, accepted};
use normative_conformance::judge::accuracy::converted::{may_be_refused, runs};
use normative_conformance::judge::accuracy::{Class, Steps};
use normative_conformance::{Demands, Sheet};
use normative_reference::{
    Choice, Clause, Converted, Dtype, Expected, FloatFormat, Kind, Magnitude, Near, Question, Spec, Tensor,
    Value,
};

use crate::NoRepro;

/// Everything an answer may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The answers that are accepted; any of them will do. Never empty.
    pub answers: Vec<DueAnswer>,
    /// The open questions that the answers' `readings` name, each once.
    pub questions: Vec<Question>,
    /// Whether the judge looks at the errors of all elements together as well, which a script does not.
    pub whole: bool,
}

/// One answer that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueAnswer {
    /// The readings of open questions that lead here; empty where nothing is open.
    pub readings: String,
    /// What it is.
    pub is: Is,
}

/// What an answer has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Is {
    /// A refusal, because of this clause.
    Refused(String),
    /// A tensor.
    Tensor(Form),
}

/// A tensor whose elements lie within ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its element type.
    pub dtype: Dtype,
    /// Its dims, row-major.
    pub shape: Vec<usize>,
    /// Its elements, row-major.
    pub elements: Vec<Element>,
    /// Whether of the first range of each element only numbers of f32 are accepted.
    pub single: bool,
}

/// The bits that are accepted for one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// From the first to the second, both included, as unsigned integers. Never empty.
    pub ranges: Vec<(u64, u64)>,
    /// The bits of the best answer.
    pub best: u64,
    /// The exact value in decimal, where it is not the best answer itself.
    pub exact: Option<String>,
}

impl Due {
    /// What is due by a sheet, of a backend of which that much is demanded.
    ///
    /// # Errors
    /// [`NoRepro::NothingAccepted`] where the demanded readings leave no answer.
    pub fn of(sheet: &Sheet, spec: Spec, demands: &Demands) -> Result<Self, NoRepro> {
        let mut answers: Vec<(Is, Vec<&[Choice]>)> = Vec::new();
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
                due.push(Is::Refused(Clause { spec, name: "output-type" }.to_string()));
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

    /// A line for each open question: its name, as `readings` writes it, then what it asks, in words.
    pub(crate) fn open(&self) -> impl Iterator<Item = String> {
        self.questions.iter().map(|&question| said(question))
    }

    /// Whether a refusal is accepted.
    pub fn accepts_refusal(&self) -> bool {
        self.answers.iter().any(|answer| matches!(answer.is, Is::Refused(_)))
    }

    /// Whether a tensor is accepted: what a script that was made of this says of it.
    pub fn accepts(&self, tensor: &Tensor) -> bool {
        self.answers.iter().any(|answer| match &answer.is {
            Is::Refused(_) => false,
            Is::Tensor(form) => form.accepts(tensor),
        })
    }
}

impl Form {
    fn accepts(&self, tensor: &Tensor) -> bool {
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

/// A question in one line: it stands in comments, which a line feed would end.
fn said(question: Question) -> String {
    format!("`{}`: {} {}", question.name(), question.asks(), question.because())
}

/// Whether a combination of readings has none that another is demanded in place of.
fn is_allowed(choices: &[Choice], demanded: &[Choice]) -> bool {
    let otherwise = |wanted: &Choice| {
        choices.iter().any(|choice| choice.question == wanted.question && choice.reading != wanted.reading)
    };
    !demanded.iter().any(otherwise)
}

/// The first combination of readings, and how many more lead to the same.
fn readings(choices: &[&[Choice]]) -> String {
    let Some((first, more)) = choices.split_first() else { return String::new() };
    let first: Vec<String> = first.iter().map(ToString::to_string).collect();
    let more = if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
    format!("{}{more}", first.join(", "))
}

fn is(expected: &Expected, spec: Spec, demands: &Demands) -> Result<Is, NoRepro> {
    Ok(match expected {
        Expected::Rejection(clause) => Is::Refused(clause.to_string()),
        Expected::Anything(clause) => return Err(NoRepro::NothingDue(clause.to_string())),
        Expected::Exactly(tensor) => Is::Tensor(exactly(tensor)),
        Expected::Converted(converted) => Is::Tensor(converted_to(converted)),
        Expected::Near(near) => Is::Tensor(nearly(near, spec, demands)?),
    })
}

fn exactly(tensor: &Tensor) -> Form {
    let dtype = tensor.dtype();
    let element = |bits| Element { ranges: alone(dtype, bits), best: bits, exact: None };
    let elements = tensor.bits().into_iter().map(element).collect();
    Form { dtype, shape: tensor.shape().to_vec(), elements, single: false }
}

/// These bits; any NaN for a NaN.
fn alone(dtype: Dtype, bits: u64) -> Vec<(u64, u64)> {
    match dtype.kind() {
        Kind::Float(format) if format.magnitude(bits) == Magnitude::Nan => {
            let (least, most) = (format.infinity() + 1, format.sign() - 1);
            vec![(least, most), (format.sign() | least, format.sign() | most)]
        }
        _ => vec![(bits, bits)],
    }
}

/// Integers that were floats on the way.
fn converted_to(converted: &Converted) -> Form {
    let mut form = exactly(&converted.best);
    let (Kind::Integer(range), Some(runs)) = (form.dtype.kind(), runs(converted)) else { return form };
    for (element, runs) in form.elements.iter_mut().zip(runs) {
        let bits = |&[low, high]: &[i128; 2]| match (range.encode(low), range.encode(high)) {
            (low, high) if low <= high => vec![(low, high)],
            // Bits of a run that begins below zero and ends above it wrap.
            (low, high) => vec![(0, high), (low, range.encode(-1))],
        };
        element.ranges = runs.iter().flat_map(bits).collect();
    }
    form
}

fn nearly(near: &Near, spec: Spec, demands: &Demands) -> Result<Form, NoRepro> {
    let Kind::Float(format) = near.dtype.kind() else {
        return Err(NoRepro::Call {
            spec: spec.name(),
            why: format!("{} cannot be near a real", near.dtype),
        });
    };
    let declared = demands.capabilities.accumulation.iter().find(|(data, _)| *data == near.dtype);
    let declared = declared.and_then(|(_, sums)| match sums.kind() {
        Kind::Float(format) => Some(format),
        Kind::Integer(_) => None,
    });
    let single = Steps::of(near, declared).root.precision < format.precision;
    let elements = near.values.iter().map(|value| element(value, near, format, declared, single));
    let elements = elements.collect::<Option<Vec<_>>>().ok_or(NoRepro::NothingAccepted)?;
    Ok(Form { dtype: near.dtype, shape: near.shape.clone(), elements, single })
}

fn element(
    value: &Value,
    near: &Near,
    format: FloatFormat,
    declared: Option<FloatFormat>,
    single: bool,
) -> Option<Element> {
    let rounded = value.round(format);
    let Value::Finite(real) = value else {
        return Some(Element { ranges: alone(near.dtype, rounded), best: rounded, exact: None });
    };
    // What the judge fails is beyond the loosest class.
    let Accepted { low, high, or_zero, or_infinite } =
        accepted(real, format, near, declared, Class::Vacuous)?;
    let mut ranges = vec![(low, high)];
    let best = rounded.clamp(low, high);
    if single {
        // The nearest float is right whatever it was held in.
        ranges.push((best, best));
    }
    ranges.extend(or_zero.then_some((0, 0)));
    ranges.extend(or_infinite.then_some((format.infinity(), format.infinity())));
    Some(Element { ranges, best, exact: Some(display::exact(value)) })
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
