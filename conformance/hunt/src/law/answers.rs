//! Two answers held against each other: the same form, the same bits, or values that one exact norm can
//! have given.

use std::fmt;

use normative_reference::tensor::same_bits;
use normative_reference::textbook::to_f64;
use normative_reference::{Dtype, Kind, Tensor};

use super::subject::Subject;
use normative_conformance::display;
use normative_conformance::judge::accuracy::slack::Interval;
use normative_conformance::observed::Death;

/// Why a law has nothing more to say of a call.
pub(super) enum Stop {
    /// Its precondition is not met.
    DoesNotApply,
    /// The backend refused all of the related calls, or does not implement one of them.
    Declined,
    /// The law is broken.
    Broken(Box<Breach>),
}

impl From<Breach> for Stop {
    fn from(breach: Breach) -> Self {
        Self::Broken(Box::new(breach))
    }
}

/// How answers to related calls disagree: the closed list.
#[derive(Clone, Debug, PartialEq)]
pub enum Breach {
    /// One was refused, although a call that is as valid was answered; in the backend's words.
    Refused(String),
    /// There was no answer.
    Died(Death),
    /// The data handed over were changed; what is known of it.
    ChangedData(String),
    /// An output has another element type than the data.
    Dtype {
        /// That of the data.
        data: Dtype,
        /// That of the output.
        output: Dtype,
    },
    /// An output has more elements than any reading of its call gives; its dims.
    Oversized(Vec<usize>),
    /// The dims of an output do not follow from those of its relative.
    Shape {
        /// What follows from the other answer.
        wanted: Vec<usize>,
        /// What came.
        got: Vec<usize>,
    },
    /// An element is not, bit for bit, what follows from its relative.
    Bits {
        /// Its place, row-major.
        at: usize,
        /// The element type.
        dtype: Dtype,
        /// The bits that follow from the other answer.
        wanted: u64,
        /// The bits that came.
        got: u64,
    },
    /// No exact norms could have given both.
    Apart {
        /// The place of the first such elements, row-major.
        at: usize,
        /// Where the exact value lies by the first answer.
        one: Interval,
        /// Where it lies, or where it may begin or end, by the others.
        other: Interval,
    },
}

/// Outputs that are the same, bit for bit.
pub(super) fn identical(subject: &Subject, one: &Tensor, other: &Tensor) -> Result<(), Stop> {
    same_form(subject, one.shape(), other)?;
    bits(subject.dtype(), one.bits(), &other.bits())
}

/// Outputs that the same exact norms can have given: bit for bit where they are integers, or no numbers.
pub(super) fn alike(
    (subject, one): (&Subject, &Tensor),
    (related, other): (&Subject, &Tensor),
) -> Result<(), Stop> {
    same_form(related, one.shape(), other)?;
    let dtype = subject.dtype();
    if dtype.is_integer() {
        return bits(dtype, one.bits(), &other.bits());
    }
    let (of_one, of_other) = (comparable(subject)?, comparable(related)?);
    for (at, (a, b)) in one.bits().into_iter().zip(other.bits()).enumerate() {
        let (x, y) = (to_f64(dtype, a), to_f64(dtype, b));
        // In range, only the norm of zeros is zero, and there is one zero that is a norm.
        let exactly = !x.is_finite() || !y.is_finite() || x == 0.0 || y == 0.0;
        if exactly && !same_bits(dtype, a, b) {
            return Err(Breach::Bits { at, dtype, wanted: a, got: b }.into());
        }
        let (one, other) = (of_one.around(x), of_other.around(y));
        if !exactly && !one.meets(other) {
            return Err(Breach::Apart { at, one, other }.into());
        }
    }
    Ok(())
}

/// The slack of a subject that a law needs one of.
pub(super) fn comparable(
    subject: &Subject,
) -> Result<normative_conformance::judge::accuracy::slack::Slack, Stop> {
    subject.slack().ok_or(Stop::DoesNotApply)
}

/// Whether answers that may be rounded otherwise can be compared: stops the law where not.
pub(super) fn bounded(subject: &Subject) -> Result<(), Stop> {
    if subject.dtype().is_integer() { Ok(()) } else { comparable(subject).map(|_| ()) }
}

/// The intervals of the exact values of an output, row-major.
pub(super) fn intervals(subject: &Subject, shape: &[usize], output: &Tensor) -> Result<Vec<Interval>, Stop> {
    same_form(subject, shape, output)?;
    let slack = comparable(subject)?;
    Ok(output.bits().into_iter().map(|bits| slack.around(to_f64(output.dtype(), bits))).collect())
}

/// Holds each interval against that at its place.
pub(super) fn each(
    one: &[Interval],
    other: &[Interval],
    agree: impl Fn(Interval, Interval) -> bool,
) -> Result<(), Stop> {
    match one.iter().zip(other).position(|(&one, &other)| !agree(one, other)) {
        None => Ok(()),
        Some(at) => Err(Breach::Apart { at, one: one[at], other: other[at] }.into()),
    }
}

/// An output that has these dims, and the element type of its data.
pub(super) fn same_form(subject: &Subject, shape: &[usize], output: &Tensor) -> Result<(), Stop> {
    if output.dtype() != subject.dtype() {
        return Err(Breach::Dtype { data: subject.dtype(), output: output.dtype() }.into());
    }
    if output.shape() != shape {
        return Err(Breach::Shape { wanted: shape.to_vec(), got: output.shape().to_vec() }.into());
    }
    Ok(())
}

/// The same elements, bit for bit; one NaN is as good as another.
fn bits(dtype: Dtype, wanted: impl IntoIterator<Item = u64>, got: &[u64]) -> Result<(), Stop> {
    let mut pairs = wanted.into_iter().zip(got).enumerate();
    match pairs.find(|&(_, (wanted, &got))| !same_bits(dtype, wanted, got)) {
        None => Ok(()),
        Some((at, (wanted, &got))) => Err(Breach::Bits { at, dtype, wanted, got }.into()),
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "one of two calls that are equally valid was refused: {why}"),
            Self::Died(death) => write!(f, "{death}"),
            Self::ChangedData(how) => write!(f, "the data were changed: {how}"),
            Self::Dtype { data, output } => write!(f, "the output is {output}, the data are {data}"),
            Self::Oversized(shape) => {
                write!(f, "an output has shape {shape:?}, more elements than any reading gives")
            }
            Self::Shape { wanted, got } => {
                write!(f, "an output has shape {got:?}, from the other follows {wanted:?}")
            }
            Self::Bits { at, dtype, wanted, got } => {
                let both = |bits| match dtype.kind() {
                    Kind::Integer(_) => display::element(*dtype, bits),
                    Kind::Float(_) => {
                        format!("{} ({})", display::element(*dtype, bits), display::bits(*dtype, bits))
                    }
                };
                write!(f, "element {at} is {}, from the other answer follows {}", both(*got), both(*wanted))
            }
            Self::Apart { at, one, other } => write!(
                f,
                "no exact value agrees with both at element {at}: {:e} to {:e}, and {:e} to {:e}",
                one.low, one.high, other.low, other.high
            ),
        }
    }
}
