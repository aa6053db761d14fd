//! Compares one answer with one expectation: accuracy if it fits, otherwise the first mismatch.
//!
//! Nothing here knows of readings or cases; see [`crate::verdict`] for those.

use std::fmt;

use normative_reference::tensor::same_bits;
use normative_reference::{
    Choice, Clause, Converted, Dtype, Expected, FloatFormat, Kind, Near, Reading, Tensor, Value,
};

mod wrong;

use wrong::{AllWrong, Wrong, apart, finish, note};

use crate::accuracy::converted::{allows, may_be_refused};
use crate::accuracy::range::{Why, forced};
use crate::accuracy::whole::{Errors, Excess};
use crate::accuracy::{self, Against, Class};
use crate::fault::Fault;
use crate::observed::Observed;
use normative_backend::Capabilities;

/// An answer that an expectation accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The accuracy of float results; `None` if nothing was measured.
    pub accuracy: Option<Accuracy>,
}

/// The errors of one answer's elements, relative to exact values that are numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The loosest class that any element needed.
    pub class: Class,
    /// The greatest error, in ulp; infinite where an element is not a norm at all.
    pub worst: f64,
    /// The row-major index of the greatest error.
    pub worst_at: usize,
    /// The sum of the unsigned errors, in ulp.
    pub sum: f64,
    /// The signed errors, and the number of measured elements.
    pub errors: Errors,
    /// The number of elements allowed only because squares or results leave their range. Their errors are not
    /// measured.
    pub outside: usize,
    /// The number of terms of each element.
    pub terms: usize,
    /// The conditions that errors are measured against; `None` if they differ between elements.
    pub against: Option<Against>,
}

impl Accuracy {
    /// Combines both; places and lengths stay those of the first.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let against = match (self.errors.count, other.errors.count) {
            (0, _) => other.against,
            (_, 0) => self.against,
            _ if self.against == other.against => self.against,
            _ => None,
        };
        Self {
            class: self.class.max(other.class),
            worst: self.worst.max(other.worst),
            sum: self.sum + other.sum,
            errors: self.errors.and(other.errors),
            outside: self.outside + other.outside,
            against,
            ..*self
        }
    }
}

/// The reason why an expectation does not accept an answer: the evidence for a [`Fault`].
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// The call breaks a clause, yet it was answered with a tensor.
    NotRejected {
        /// The clause that the call breaks.
        clause: Clause,
        /// The dims of the answer.
        shape: Vec<usize>,
    },
    /// A valid call was refused.
    Rejected {
        /// The backend's own words.
        message: String,
    },
    /// The output's element type is wrong.
    Dtype {
        /// The right type.
        expected: Dtype,
        /// The type of the answer.
        got: Dtype,
    },
    /// The output's dims are wrong.
    Shape {
        /// The right dims.
        expected: Vec<usize>,
        /// The dims of the answer.
        got: Vec<usize>,
    },
    /// An element is wrong.
    Element(Box<ElementMismatch>),
    /// Every element is within its bound, but misses the demanded class.
    Class {
        /// The demanded class.
        wanted: Class,
        /// The class of the worst element.
        reached: Class,
        /// The index of the worst element.
        index: Vec<usize>,
        /// Its error, in ulp.
        worst: f64,
    },
    /// Every element is within its bound, but all errors together exceed a limit for roundings.
    Whole(Excess),
    /// The data of the call were changed; in the words of the observer.
    ChangedData(String),
    /// The answer is honest, but takes another reading than demanded.
    Reading {
        /// The reading demanded.
        wanted: Choice,
        /// The reading taken.
        taken: Reading,
    },
}

/// The first wrong element of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementMismatch {
    /// The row-major index.
    pub index: Vec<usize>,
    /// The number of wrong elements.
    pub wrong: usize,
    /// The number of elements.
    pub elements: usize,
    /// The element type of both.
    pub dtype: Dtype,
    /// The exact value, if it is a computed one.
    pub exact: Option<Value>,
    /// The bits of the best answer.
    pub expected: u64,
    /// The reason why the best answer is not the float nearest to the exact value.
    pub because: Option<Why>,
    /// The bits of the answer.
    pub got: u64,
    /// The distance to the exact value and the distance allowed, in ulp.
    pub error: Option<(f64, f64)>,
    /// The summed distances of all wrong elements from the best answer, in ulp, each at most 2^64.
    pub far: f64,
}

/// The distance between a NaN or infinity and a number, in ulp; also the cap on any other distance. 2^53 ulp
/// already make every digit of an f64 wrong.
const FAR: f64 = (1_u128 << 64) as f64;

/// Compares an answer with an expectation. [`Observed::Unsupported`] and [`Observed::Died`] fit nothing; the
/// caller handles them before.
///
/// # Errors
/// Returns the first way in which the answer is wrong.
pub fn compare(expected: &Expected, answer: &Observed, capabilities: &Capabilities) -> Result<Fit, Mismatch> {
    match (expected, answer) {
        (Expected::Rejection(_), Observed::Rejected(_))
        | (Expected::Anything(_), Observed::Rejected(_) | Observed::Tensor(_) | Observed::Oversized { .. }) => {
            Ok(Fit { accuracy: None })
        }
        (Expected::Rejection(clause), Observed::Tensor(got)) => {
            Err(Mismatch::NotRejected { clause: clause.clone(), shape: got.shape().to_vec() })
        }
        (Expected::Exactly(tensor), Observed::Tensor(got)) => {
            same_form(tensor.dtype(), tensor.shape(), got.dtype(), got.shape())?;
            exactly(tensor, got)
        }
        (Expected::Near(near), Observed::Tensor(got)) => {
            same_form(near.dtype, &near.shape, got.dtype(), got.shape())?;
            nearly(near, got, capabilities)
        }
        (Expected::Converted(converted), Observed::Rejected(_)) if may_be_refused(converted) => {
            Ok(Fit { accuracy: None })
        }
        (Expected::Converted(converted), Observed::Tensor(got)) => {
            let best = &converted.best;
            same_form(best.dtype(), best.shape(), got.dtype(), got.shape())?;
            integers(converted, got)
        }
        (Expected::Rejection(clause), Observed::Oversized { shape, .. }) => {
            Err(Mismatch::NotRejected { clause: clause.clone(), shape: shape.clone() })
        }
        (Expected::Exactly(tensor), Observed::Oversized { dtype, shape }) => {
            Err(wrong_form(tensor.dtype(), tensor.shape(), *dtype, shape))
        }
        (Expected::Converted(Converted { best, .. }), Observed::Oversized { dtype, shape }) => {
            Err(wrong_form(best.dtype(), best.shape(), *dtype, shape))
        }
        (Expected::Near(near), Observed::Oversized { dtype, shape }) => {
            Err(wrong_form(near.dtype, &near.shape, *dtype, shape))
        }
        (_, Observed::Rejected(message) | Observed::Unsupported(message)) => {
            Err(Mismatch::Rejected { message: message.clone() })
        }
        (_, Observed::ChangedData(how)) => Err(Mismatch::ChangedData(how.clone())),
        (_, Observed::Died(death)) => Err(Mismatch::Rejected { message: death.to_string() }),
    }
}

fn same_form(dtype: Dtype, shape: &[usize], got: Dtype, dims: &[usize]) -> Result<(), Mismatch> {
    if got == dtype && dims == shape { Ok(()) } else { Err(wrong_form(dtype, shape, got, dims)) }
}

/// Returns the mismatch of an answer whose elements were not kept: its type or its dims are wrong.
fn wrong_form(dtype: Dtype, shape: &[usize], got: Dtype, dims: &[usize]) -> Mismatch {
    if got == dtype {
        Mismatch::Shape { expected: shape.to_vec(), got: dims.to_vec() }
    } else {
        Mismatch::Dtype { expected: dtype, got }
    }
}

fn exactly(expected: &Tensor, got: &Tensor) -> Result<Fit, Mismatch> {
    let dtype = expected.dtype();
    let mut first = None;
    for (flat, (expected, got)) in expected.bits().into_iter().zip(got.bits()).enumerate() {
        if !same_bits(dtype, expected, got) {
            let far = apart(dtype, expected, got);
            note(&mut first, far, || Wrong { flat, exact: None, expected, because: None, got, error: None });
        }
    }
    finish(first, dtype, expected.shape(), || Fit { accuracy: None })
}

/// Compares integers that were floats before a conversion.
fn integers(converted: &Converted, got: &Tensor) -> Result<Fit, Mismatch> {
    let Converted { near, best, .. } = converted;
    let (dtype, mut first) = (best.dtype(), None);
    let (Kind::Integer(range), Kind::Float(format)) = (dtype.kind(), near.dtype.kind()) else {
        return exactly(best, got);
    };
    let wanted = best.bits().into_iter().zip(&near.values);
    for (flat, ((expected, value), got)) in wanted.zip(got.bits()).enumerate() {
        let Value::Finite(real) = value else { continue };
        if got != expected && !allows(real, range.decode(got), range, converted, format) {
            let far = apart(dtype, expected, got);
            note(&mut first, far, || Wrong { flat, exact: None, expected, because: None, got, error: None });
        }
    }
    finish(first, dtype, best.shape(), || Fit { accuracy: None })
}

fn nearly(near: &Near, got: &Tensor, capabilities: &Capabilities) -> Result<Fit, Mismatch> {
    let (accuracy, first) = measured(near, got, capabilities);
    finish(first, near.dtype, &near.shape, || Fit { accuracy })
}

/// Returns the accuracy of an answer's floats, right or wrong. `None` if the answer is not a tensor of the
/// right form, or no exact value is a number.
pub(crate) fn accuracy_of(
    expected: &Expected,
    answer: &Observed,
    capabilities: &Capabilities,
) -> Option<Accuracy> {
    let (Expected::Near(near), Observed::Tensor(got)) = (expected, answer) else { return None };
    same_form(near.dtype, &near.shape, got.dtype(), got.shape()).ok()?;
    measured(near, got, capabilities).0
}

/// Measures every element, and notes the wrong ones.
fn measured(near: &Near, got: &Tensor, capabilities: &Capabilities) -> (Option<Accuracy>, Option<AllWrong>) {
    let Kind::Float(format) = near.dtype.kind() else { return (None, None) };
    let declared = declared_accumulation(near.dtype, capabilities);
    let mut first = None;
    let mut accuracy = Accuracy {
        class: Class::CorrectlyRounded,
        worst: 0.0,
        worst_at: 0,
        sum: 0.0,
        errors: Errors::default(),
        outside: 0,
        terms: near.terms,
        against: Some(Against::of(near, declared)),
    };
    for (flat, (value, got)) in near.values.iter().zip(got.bits()).enumerate() {
        let exact = || Some(value.clone());
        let Some(measure) = accuracy::measure_at(near, flat, got, format, declared) else {
            let expected = value.round(format);
            if !same_bits(near.dtype, expected, got) {
                note(&mut first, FAR, || Wrong {
                    flat,
                    exact: exact(),
                    expected,
                    because: None,
                    got,
                    error: None,
                });
            }
            continue;
        };
        if measure.class.is_none() {
            note(&mut first, measure.error.min(FAR), || {
                let forced = match value {
                    Value::Finite(real) => forced(real, format, near, declared),
                    Value::Infinite | Value::NegativeInfinite | Value::Nan => None,
                };
                let expected = forced.map_or_else(|| value.round(format), |forced| forced.bits);
                let because = forced.map(|forced| forced.why);
                let error = (measure.error.is_finite()).then_some((measure.error, measure.bound));
                Wrong { flat, exact: exact(), expected, because, got, error }
            });
        }
        if measure.outside {
            accuracy.outside += 1;
            continue;
        }
        accuracy.class = accuracy.class.max(measure.class.unwrap_or(Class::Beyond));
        if measure.error > accuracy.worst {
            (accuracy.worst, accuracy.worst_at) = (measure.error, flat);
        }
        accuracy.sum += measure.error;
        accuracy.errors.add(if measure.above { measure.error } else { -measure.error });
    }
    ((accuracy.errors.count + accuracy.outside > 0).then_some(accuracy), first)
}

/// Returns the float type that a backend declares for the sums of this data type.
pub fn declared_accumulation(dtype: Dtype, capabilities: &Capabilities) -> Option<FloatFormat> {
    let (_, sums) = capabilities.accumulation.iter().find(|(data, _)| *data == dtype)?;
    match sums.kind() {
        Kind::Float(format) => Some(format),
        Kind::Integer(_) => None,
    }
}

/// Returns the index along each axis of a flat row-major index.
pub(crate) fn unravel(flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut rest = flat;
    let mut index = vec![0; shape.len()];
    for (at, &dim) in index.iter_mut().zip(shape).rev() {
        *at = rest % dim.max(1);
        rest /= dim.max(1);
    }
    index
}

impl Mismatch {
    /// Returns the fault that this is evidence for.
    pub fn fault(&self) -> Fault {
        match self {
            Self::NotRejected { .. } => Fault::AcceptedInvalid,
            Self::Rejected { .. } => Fault::RefusedValid,
            Self::Dtype { .. } => Fault::OutputType,
            Self::Shape { .. } => Fault::OutputShape,
            Self::Element(_) => Fault::WrongValue,
            Self::Class { .. } => Fault::AccuracyClass,
            Self::Whole(Excess::Bias { .. }) => Fault::Bias,
            Self::Whole(Excess::Spread { .. }) => Fault::Spread,
            Self::ChangedData(_) => Fault::ChangedData,
            Self::Reading { .. } => Fault::OtherReading,
        }
    }

    /// Returns a sort key: the reading that an answer most nearly meets comes first.
    pub(crate) fn remoteness(&self) -> (u8, usize) {
        let wrong = if let Self::Element(element) = self { element.wrong } else { 0 };
        (self.fault().remoteness(), wrong)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRejected { clause, shape } => {
                write!(f, "expected a refusal ({clause}), got a tensor of shape {shape:?}")
            }
            Self::Rejected { message } => write!(f, "expected a tensor, got a refusal: {message}"),
            Self::Dtype { expected, got } => write!(f, "expected output type {expected}, got {got}"),
            Self::Shape { expected, got } => write!(f, "expected output shape {expected:?}, got {got:?}"),
            Self::Element(element) => write!(
                f,
                "{} of {} elements wrong, first at {:?}",
                element.wrong, element.elements, element.index
            ),
            Self::Class { wanted, reached, index, worst } => write!(
                f,
                "expected accuracy class {}, got {}: {worst:.3} ulp at {index:?}",
                wanted.name(),
                reached.name()
            ),
            Self::Whole(Excess::Bias { mean, limit }) => write!(
                f,
                "biased: expected a mean error of roundings, within {limit:.3} ulp, got {mean:+.3} ulp"
            ),
            Self::Whole(Excess::Spread { root_mean_square, limit }) => write!(
                f,
                "spread: expected a root mean square error of roundings, within {limit:.3} ulp, got \
                 {root_mean_square:.3} ulp"
            ),
            Self::ChangedData(how) => write!(f, "expected the data as they were, got them changed: {how}"),
            Self::Reading { wanted, taken } => {
                write!(f, "expected {} to be read as {}, got {taken}", wanted.question, wanted.reading)
            }
        }
    }
}
