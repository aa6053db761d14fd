//! One expectation against one answer: does it fit, how near is it, and if not, where first.
//!
//! Nothing here knows of readings or cases; see [`crate::verdict`] for those.

use std::fmt;

use normative_reference::tensor::same_bits;
use normative_reference::{
    Choice, Clause, Dtype, Expected, FloatFormat, Kind, Magnitude, Near, Reading, Tensor, Value,
};

use crate::accuracy::whole::{Errors, Excess};
use crate::accuracy::{self, Class};
use crate::backend::{Answer, Capabilities};

/// An answer that an expectation accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// How near float results came; `None` where nothing was measured.
    pub accuracy: Option<Accuracy>,
}

/// How near the elements of one answer came to the exact values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The loosest class any element needed.
    pub class: Class,
    /// The greatest error, in ulp.
    pub worst: f64,
    /// Where it is, row-major.
    pub worst_at: usize,
    /// The sum of errors, in ulp, without their signs.
    pub sum: f64,
    /// The same with their signs, and how many elements were measured.
    pub errors: Errors,
    /// How many terms each element has.
    pub terms: usize,
}

impl Accuracy {
    /// Over the elements of both; places and lengths stay those of the first.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            class: self.class.max(other.class),
            worst: self.worst.max(other.worst),
            sum: self.sum + other.sum,
            errors: self.errors.and(other.errors),
            ..*self
        }
    }
}

/// Why an expectation does not accept an answer: the closed list of ways to be wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// The call breaks a clause, yet it was answered with a tensor.
    NotRejected {
        /// What it breaks.
        clause: Clause,
        /// The dims of what came back.
        shape: Vec<usize>,
    },
    /// A valid call was refused.
    Rejected {
        /// The backend's own words.
        message: String,
    },
    /// The output's element type is wrong.
    Dtype {
        /// The right one.
        expected: Dtype,
        /// The one that came.
        got: Dtype,
    },
    /// The output's dims are wrong.
    Shape {
        /// The right ones.
        expected: Vec<usize>,
        /// Those that came.
        got: Vec<usize>,
    },
    /// An element is wrong.
    Element(Box<ElementMismatch>),
    /// Every element is within its bound, but not within what is demanded.
    Class {
        /// What is demanded.
        wanted: Class,
        /// What the worst element reached.
        reached: Class,
        /// The worst element.
        index: Vec<usize>,
        /// Its error, in ulp.
        worst: f64,
    },
    /// Every element is within its bound, but all errors together are not those of roundings.
    Whole(Excess),
    /// The data of the call were changed; in the words of whoever noticed.
    ChangedData(String),
    /// The answer is an honest one, but takes another reading than demanded.
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
    /// Where it is, row-major.
    pub index: Vec<usize>,
    /// How many elements of the answer are wrong.
    pub wrong: usize,
    /// How many elements the answer has.
    pub elements: usize,
    /// Element type of both.
    pub dtype: Dtype,
    /// The exact value, where it is a computed one.
    pub exact: Option<Value>,
    /// The bits of the best answer.
    pub expected: u64,
    /// The bits that came.
    pub got: u64,
    /// Distance to the exact value and the distance allowed, in ulp.
    pub error: Option<(f64, f64)>,
}

/// Holds an answer against an expectation. An answer that is none ([`Answer::Unsupported`],
/// [`Answer::Died`]) fits nothing and has to be dealt with before.
///
/// # Errors
/// The first way in which the answer is wrong.
pub fn compare(expected: &Expected, answer: &Answer, capabilities: &Capabilities) -> Result<Fit, Mismatch> {
    match (expected, answer) {
        (Expected::Rejection(_), Answer::Rejected(_)) => Ok(Fit { accuracy: None }),
        (Expected::Rejection(clause), Answer::Tensor(got)) => {
            Err(Mismatch::NotRejected { clause: clause.clone(), shape: got.shape().to_vec() })
        }
        (Expected::Exactly(tensor), Answer::Tensor(got)) => {
            same_form(tensor.dtype(), tensor.shape(), got)?;
            exactly(tensor, got)
        }
        (Expected::Near(near), Answer::Tensor(got)) => {
            same_form(near.dtype, &near.shape, got)?;
            nearly(near, got, capabilities)
        }
        (_, Answer::Rejected(message) | Answer::Unsupported(message)) => {
            Err(Mismatch::Rejected { message: message.clone() })
        }
        (_, Answer::ChangedData(how)) => Err(Mismatch::ChangedData(how.clone())),
        (_, Answer::Died(death)) => Err(Mismatch::Rejected { message: death.to_string() }),
    }
}

fn same_form(dtype: Dtype, shape: &[usize], got: &Tensor) -> Result<(), Mismatch> {
    if got.dtype() != dtype {
        return Err(Mismatch::Dtype { expected: dtype, got: got.dtype() });
    }
    if got.shape() != shape {
        return Err(Mismatch::Shape { expected: shape.to_vec(), got: got.shape().to_vec() });
    }
    Ok(())
}

fn exactly(expected: &Tensor, got: &Tensor) -> Result<Fit, Mismatch> {
    let dtype = expected.dtype();
    let mut first = None;
    for (flat, (expected, got)) in expected.bits().into_iter().zip(got.bits()).enumerate() {
        if !same_bits(dtype, expected, got) {
            note(&mut first, || Wrong { flat, exact: None, expected, got, error: None });
        }
    }
    finish(first, dtype, expected.shape(), || Fit { accuracy: None })
}

fn nearly(near: &Near, got: &Tensor, capabilities: &Capabilities) -> Result<Fit, Mismatch> {
    let Kind::Float(format) = near.dtype.kind() else { return Ok(Fit { accuracy: None }) };
    let declared = declared_accumulation(near.dtype, capabilities);
    let mut first = None;
    let mut accuracy = Accuracy {
        class: Class::CorrectlyRounded,
        worst: 0.0,
        worst_at: 0,
        sum: 0.0,
        errors: Errors::default(),
        terms: near.terms,
    };
    for (flat, (value, got)) in near.values.iter().zip(got.bits()).enumerate() {
        let wrong =
            |error| Wrong { flat, exact: Some(value.clone()), expected: value.round(format), got, error };
        let Value::Finite(real) = value else {
            if !same_bits(near.dtype, value.round(format), got) {
                note(&mut first, || wrong(None));
            }
            continue;
        };
        // A norm is never NaN without a NaN, never negative, and never -0.
        if format.magnitude(got) == Magnitude::Nan || got & format.sign() != 0 {
            note(&mut first, || wrong(None));
            continue;
        }
        let measure = accuracy::measure(real, got, format, near, declared);
        match measure.class {
            None => note(&mut first, || wrong(Some((measure.error, measure.bound)))),
            Some(class) => {
                accuracy.class = accuracy.class.max(class);
                if measure.error > accuracy.worst {
                    (accuracy.worst, accuracy.worst_at) = (measure.error, flat);
                }
                accuracy.sum += measure.error;
                accuracy.errors.add(if measure.above { measure.error } else { -measure.error });
            }
        }
    }
    finish(first, near.dtype, &near.shape, || Fit {
        accuracy: (accuracy.errors.count > 0).then_some(accuracy),
    })
}

/// The float type a backend declares for the sums of this data type.
pub(crate) fn declared_accumulation(dtype: Dtype, capabilities: &Capabilities) -> Option<FloatFormat> {
    let (_, sums) = capabilities.accumulation.iter().find(|(data, _)| *data == dtype)?;
    match sums.kind() {
        Kind::Float(format) => Some(format),
        Kind::Integer(_) => None,
    }
}

struct Wrong {
    flat: usize,
    exact: Option<Value>,
    expected: u64,
    got: u64,
    error: Option<(f64, f64)>,
}

/// Keeps the first wrong element and counts the rest.
fn note(first: &mut Option<(Wrong, usize)>, wrong: impl FnOnce() -> Wrong) {
    match first {
        Some((_, count)) => *count += 1,
        None => *first = Some((wrong(), 1)),
    }
}

fn finish(
    first: Option<(Wrong, usize)>,
    dtype: Dtype,
    shape: &[usize],
    fit: impl FnOnce() -> Fit,
) -> Result<Fit, Mismatch> {
    let Some((Wrong { flat, exact, expected, got, error }, wrong)) = first else { return Ok(fit()) };
    let (index, elements) = (unravel(flat, shape), shape.iter().product());
    Err(Mismatch::Element(Box::new(ElementMismatch {
        index,
        wrong,
        elements,
        dtype,
        exact,
        expected,
        got,
        error,
    })))
}

/// The index along each axis of a flat row-major index.
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
    /// Orders the ways to miss, so that the reading an answer most nearly meets comes first.
    pub(crate) fn remoteness(&self) -> (u8, usize) {
        match self {
            Self::Reading { .. } | Self::Class { .. } | Self::Whole(_) => (0, 0),
            Self::Element(element) => (1, element.wrong),
            Self::Shape { .. } => (2, 0),
            Self::Dtype { .. } => (3, 0),
            Self::NotRejected { .. } | Self::Rejected { .. } => (4, 0),
            Self::ChangedData(_) => (5, 0),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRejected { clause, shape } => {
                write!(f, "answered with a tensor of shape {shape:?} a call that must be refused ({clause})")
            }
            Self::Rejected { message } => write!(f, "refused a valid call: {message}"),
            Self::Dtype { expected, got } => write!(f, "output type {got}, expected {expected}"),
            Self::Shape { expected, got } => write!(f, "output shape {got:?}, expected {expected:?}"),
            Self::Element(element) => write!(
                f,
                "{} of {} elements wrong, first at {:?}",
                element.wrong, element.elements, element.index
            ),
            Self::Class { wanted, reached, index, worst } => write!(
                f,
                "accuracy class {}, demanded is {}: {worst:.3} ulp at {index:?}",
                reached.name(),
                wanted.name()
            ),
            Self::Whole(Excess::Bias { mean, limit }) => write!(
                f,
                "biased: the mean error is {mean:+.3} ulp, that of roundings stays within {limit:.3} ulp"
            ),
            Self::Whole(Excess::Spread { root_mean_square, limit }) => write!(
                f,
                "spread: the root mean square error is {root_mean_square:.3} ulp, that of roundings stays \
                 within {limit:.3} ulp"
            ),
            Self::ChangedData(how) => write!(f, "changed the data it was given: {how}"),
            Self::Reading { wanted, taken } => {
                write!(f, "reads {} as {taken}, demanded is {}", wanted.question, wanted.reading)
            }
        }
    }
}
