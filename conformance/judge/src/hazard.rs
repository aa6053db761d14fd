//! Finds hazards: accepted answers that are not the norm, although their type holds the norm.
//!
//! If a text leaves the type of an intermediate open, an answer that only a narrow choice explains still
//! conforms. A user who asks if a backend is safe must still see it. Values alone define a hazard, so that a
//! new reading of a question needs no line here:
//!
//! - No accepting combination reads every question about values the first way, which is the mathematically plain one.
//! - Some element's exact norm is a number, and its type holds it: a float norm rounds to a finite number; an
//!   integer norm is at most the greatest of its type.
//! - Under no accepting combination, every such element is the norm. An integer is the norm if it is the norm
//!   rounded down or to nearest. A float is the norm if it is within the any-order bound of the exact norm, by
//!   the formats of the combination, with no step out of range and no subnormal flushed.
//!
//! So an infinity or 0 in place of a norm that fits is a hazard. So are a wrapped, cut or narrow integer sum, digits
//! lost to underflowing squares, and flushed elements or results. Rounding errors of 16-bit sums are not: they are
//! bounded, and shown as accuracy. Integers have no accuracy, so every other integer is a hazard.

use normative_backend::Capabilities;
use normative_reference::arithmetic::{
    Arithmetic, FloatArithmetic, IntegerArithmetic, Narrowing, Range, Subnormals,
};
use normative_reference::dtype::IntegerRange;
use normative_reference::exact::{self, Parts, Variant};
use normative_reference::{
    Alternative, Call, Choice, Dtype, FloatFormat, Kind, Magnitude, Near, Outcome, Question, Real, Reduction,
    Ruling, Tensor, Value, rule,
};
use num_bigint::BigUint;

use super::accuracy;
use super::compare::{declared_accumulation, unravel};

/// An element that is not the norm, although its type holds the norm.
#[derive(Clone, Debug, PartialEq)]
pub struct Hazard {
    /// The questions about values whose readings allow it, the smallest sets; several sets if each alone allows it.
    pub allowed_by: Vec<Vec<Question>>,
    /// The way in which the element differs from the norm.
    pub gives: Gives,
    /// The element type.
    pub dtype: Dtype,
    /// The index of the first such element.
    pub index: Vec<usize>,
    /// The bits of the element.
    pub got: u64,
    /// The exact norm.
    pub norm: Value,
}

/// The way in which an element differs from the norm that its type holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gives {
    /// It is infinite.
    Infinity,
    /// It is negative.
    Negative,
    /// It is 0.
    Zero,
    /// It is another number.
    Other,
}

impl Gives {
    /// Returns the words for such norms, after "may be".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Infinity => "infinite",
            Self::Negative => "negative",
            Self::Zero => "0",
            Self::Other => "another number",
        }
    }
}

/// Returns the first hazard of an answer that exactly these combinations of readings accept, if any.
pub fn of(
    call: &Call,
    answer: &Tensor,
    accepting: &[Vec<Choice>],
    capabilities: &Capabilities,
) -> Option<Hazard> {
    if accepting.is_empty() || accepting.iter().any(|choices| departures(choices).next().is_none()) {
        return None;
    }
    let ruling = rule(call);
    let declared = declared_accumulation(call.data.dtype(), capabilities);
    let mut norms: Vec<(&Reduction, Vec<Value>, Vec<Parts>)> = Vec::new();
    let mut least: Option<Hazard> = None;
    for choices in accepting {
        // Every accepting combination is one of the ruling. If the output is not a norm, there is nothing to miss.
        let of_choices = |alternative: &&Alternative| {
            alternative.choices.iter().chain(&alternative.implied).eq(choices.iter())
        };
        let alternative = ruling.alternatives.iter().find(of_choices)?;
        let Outcome::Reduce(reduction, arithmetic) = &alternative.outcome else { return None };
        let known = norms.iter().position(|(of, ..)| *of == reduction);
        let at = known.unwrap_or_else(|| {
            let (values, parts) = exact::evaluate_with_parts(&call.data, reduction, Variant::default());
            norms.push((reduction, values, parts));
            norms.len() - 1
        });
        let terms = reduction.terms(call.data.shape());
        let (_, values, parts) = &norms[at];
        let is_norm = |at: usize, norm: &Real, bits: u64| match (call.data.dtype().kind(), arithmetic) {
            (Kind::Integer(range), _) => is_integer_norm(norm, bits, range),
            (Kind::Float(format), Arithmetic::Float(arithmetic)) => {
                let parts = parts.get(at).cloned();
                let near = in_range(call.data.dtype(), reduction, terms, *arithmetic, norm, parts);
                is_float_norm(norm, bits, format, &near, declared)
            }
            (Kind::Float(_), Arithmetic::Integer(_)) => true,
        };
        let mut elements = values.iter().zip(answer.bits()).enumerate();
        let missed = elements.find(|(at, (norm, bits))| match norm {
            Value::Finite(norm) => !is_norm(*at, norm, *bits),
            Value::Infinite | Value::NegativeInfinite | Value::Nan => false,
        });
        let (flat, (norm, got)) = missed?;
        let (dtype, questions) = (call.data.dtype(), blamed(&ruling, alternative));
        let hazard = least.get_or_insert_with(|| {
            let index = if answer.len() == 1 { Vec::new() } else { unravel(flat, answer.shape()) };
            Hazard { allowed_by: Vec::new(), gives: gives(dtype, got), dtype, index, got, norm: norm.clone() }
        });
        let fewest = hazard.allowed_by.first().map_or(usize::MAX, Vec::len);
        if questions.len() < fewest {
            hazard.allowed_by.clear();
        }
        if questions.len() <= fewest && !hazard.allowed_by.contains(&questions) {
            hazard.allowed_by.push(questions);
        }
    }
    least
}

/// Returns the readings about values that are not the first of their question.
fn departures(choices: &[Choice]) -> impl Iterator<Item = &Choice> {
    let first = |choice: &Choice| choice.reading == choice.question.readings()[0];
    choices.iter().filter(move |choice| choice.question.concerns_values() && !first(choice))
}

/// Returns the questions whose departing readings matter; those that only change the last rounding are left out.
fn blamed(ruling: &Ruling, alternative: &Alternative) -> Vec<Question> {
    let departed: Vec<Question> = departures(&alternative.choices).map(|choice| choice.question).collect();
    let under = |departing: Option<Question>| {
        let policy = |question: Question| {
            let taken = alternative.choices.iter().find(|choice| choice.question == question);
            let is_kept = !question.concerns_values() || departing == Some(question);
            taken.filter(|_| is_kept).map(|choice| choice.reading)
        };
        ruling.under(policy).map(|alternative| unrounded(&alternative.outcome))
    };
    let plain = under(None);
    let matter: Vec<Question> =
        departed.iter().copied().filter(|&question| under(Some(question)) != plain).collect();
    if matter.is_empty() { departed } else { matter }
}

/// Returns the arithmetic of an outcome, with a plain last rounding.
fn unrounded(outcome: &Outcome) -> Option<Arithmetic> {
    match outcome {
        Outcome::Reduce(_, Arithmetic::Float(arithmetic)) => {
            Some(Arithmetic::Float(FloatArithmetic { narrowing: Narrowing::Nearest, ..*arithmetic }))
        }
        Outcome::Reduce(_, Arithmetic::Integer(arithmetic)) => {
            Some(Arithmetic::Integer(IntegerArithmetic { nearest: false, ..*arithmetic }))
        }
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => None,
    }
}

/// Returns true if an element is the norm, rounded down or to nearest, or its type does not hold the norm.
fn is_integer_norm(norm: &Real, bits: u64, range: IntegerRange) -> bool {
    let sum = &norm.significand << norm.exponent.unsigned_abs();
    let end = if norm.negative { range.min } else { range.max };
    let greatest = BigUint::from(end.unsigned_abs());
    let limit = if norm.root { &greatest * &greatest } else { greatest };
    if sum > limit {
        return true;
    }
    let down = if norm.root { sum.sqrt() } else { sum.clone() };
    // (down + 1/2)² = down² + down + 1/4, so beyond down² + down the next integer is nearer.
    let up = norm.root && sum > &down * &down + &down;
    let got = range.decode(bits);
    let got = u128::try_from(if norm.negative { -got } else { got }).map(BigUint::from);
    got.is_ok_and(|got| got == down || up && got == down + 1_u8)
}

/// Returns true if an element is within the any-order bound of the norm, or its type does not hold the norm.
fn is_float_norm(
    norm: &Real,
    bits: u64,
    format: FloatFormat,
    near: &Near,
    declared: Option<FloatFormat>,
) -> bool {
    let is_held = format.magnitude(norm.round(format)) != Magnitude::Infinite;
    let measured = || accuracy::measure_at(near, 0, bits, format, declared);
    !is_held
        || measured()
            .is_some_and(|measure| measure.class.is_some() && (near.parts.is_empty() || !measure.outside))
}

/// Returns the expectation of one element by the same steps, without leaving the range of a format and without
/// flushing subnormals.
fn in_range(
    dtype: Dtype,
    reduction: &Reduction,
    terms: usize,
    arithmetic: FloatArithmetic,
    norm: &Real,
    parts: Option<Parts>,
) -> Near {
    let arithmetic = FloatArithmetic { range: Range::Scaled, subnormals: Subnormals::Kept, ..arithmetic };
    Near {
        dtype,
        shape: Vec::new(),
        terms,
        norm: reduction.norm,
        arithmetic,
        values: vec![Value::Finite(norm.clone())],
        parts: parts.into_iter().collect(),
    }
}

fn gives(dtype: Dtype, bits: u64) -> Gives {
    let is_negative = match dtype.kind() {
        Kind::Integer(range) => range.decode(bits) < 0,
        // An accepted norm of floats is never negative.
        Kind::Float(_) => false,
    };
    match dtype.magnitude(bits) {
        Magnitude::Infinite => Gives::Infinity,
        _ if is_negative => Gives::Negative,
        Magnitude::Finite { significand: 0, .. } => Gives::Zero,
        Magnitude::Finite { .. } | Magnitude::Nan => Gives::Other,
    }
}
