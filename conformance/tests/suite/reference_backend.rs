//! The reference as a backend, for tests that need an honest one with any policy.

use std::collections::BTreeMap;

use normative_backend::{Declared, Stub};
use normative_conformance::reference::arithmetic::{FloatArithmetic, Narrowing, Range, Subnormals};
use normative_conformance::reference::{
    Call, Expected, FloatFormat, Kind, Near, Norm, Outcome, Question, Reading, Spec, Tensor, expect, rule,
};
use normative_conformance::{Answer, Backend, Capabilities, Identity};

/// The reading of each question; other questions take the first reading.
pub(crate) type Policy = BTreeMap<Question, Reading>;

/// The reference as a backend with given readings.
pub(crate) struct Reference(pub(crate) Policy);

impl Backend for Reference {
    fn identity(&self) -> Identity {
        Identity { name: "reference".into(), version: "0".into(), report_bugs_to: "this test".into() }
    }

    fn capabilities(&self) -> Capabilities {
        let declared = Declared { specs: Spec::ALL.to_vec(), dtypes: Vec::new() };
        Capabilities { declared, ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let ruling = rule(call);
        let alternative = ruling.under(|question| self.0.get(&question).copied()).unwrap();
        answer_under(call, &alternative.outcome)
    }
}

/// Returns the reference with these readings, except that `differs` answers some calls.
pub(crate) fn otherwise(
    name: &str,
    policy: Policy,
    mut differs: impl FnMut(&Call) -> Option<Answer>,
) -> Stub<impl FnMut(&Call) -> Answer> {
    let mut reference = Reference(policy);
    let capabilities = Backend::capabilities(&reference);
    let stub = Stub::new(name, move |call| differs(call).unwrap_or_else(|| reference.answer(call)));
    Stub { capabilities, ..stub }
}

/// Returns the reference's answer for this outcome.
pub(crate) fn answer_under(call: &Call, outcome: &Outcome) -> Answer {
    match expect(call, outcome).unwrap() {
        Expected::Rejection(clause) | Expected::Anything(clause) => Answer::Rejected(clause.to_string()),
        Expected::Exactly(tensor) => Answer::Tensor(tensor),
        Expected::Converted(converted) => Answer::Tensor(converted.best),
        Expected::Near(near) => Answer::Tensor(floats(call, outcome, &near)),
    }
}

/// Returns correctly rounded results if the reading allows sums of any width; otherwise computes step by
/// step, with each step rounded to the reading's format.
fn floats(call: &Call, outcome: &Outcome, near: &Near) -> Tensor {
    let Outcome::Reduce(reduction, _) = outcome else { panic!("floats come from a reduction") };
    let Kind::Float(format) = near.dtype.kind() else { panic!("floats have a format") };
    let FloatArithmetic { squares, sums, root, range, subnormals, narrowing, infinity_over_nan } =
        near.arithmetic;
    let plain = range == Range::Scaled
        && subnormals != Subnormals::ResultsFlushed
        && narrowing == Narrowing::Nearest
        && [squares, sums, root].iter().all(|step| step.precision >= format.precision.max(24));
    if plain {
        return near.rounded().unwrap();
    }
    let bits = reduction.operand(&call.data).bits_by(&reduction.outer_to_inner(call.data.rank()));
    let data: Vec<f64> = bits.into_iter().map(|bits| to_f64(format, bits)).collect();
    let element = |x: f64| if subnormals == Subnormals::Flushed { flushed(x, format) } else { x };
    let step = |x: f64, format: FloatFormat| {
        let x = narrow(format, x);
        if subnormals == Subnormals::Kept { x } else { flushed(x, format) }
    };
    let norm_of = |terms: &[f64]| match near.norm {
        Norm::L1 => terms.iter().fold(0.0, |sum, &x| step(sum + element(x).abs(), sums)),
        Norm::Sum => terms.iter().fold(0.0, |sum, &x| step(sum + element(x), sums)),
        Norm::L2 | Norm::SumSquare => {
            let square = |x: f64| step(element(x) * element(x), squares);
            let sum = terms.iter().fold(0.0, |sum, &x| step(sum + square(x), sums));
            if near.norm == Norm::L2 { step(step(sum, root).sqrt(), root) } else { sum }
        }
    };
    let bits: Vec<u64> = (0..near.values.len())
        .map(|output| {
            let terms = &data[output * near.terms..][..near.terms];
            if infinity_over_nan && terms.iter().any(|x| x.is_infinite()) {
                return format.infinity();
            }
            let norm = norm_of(terms);
            let rescue = range != Range::Naive && norm.is_infinite();
            if rescue || range == Range::Scaled && near.norm == Norm::L2 {
                let value = &near.values[output];
                let right = match narrowing {
                    Narrowing::Nearest => value.round(format),
                    Narrowing::TowardZero => {
                        to_bits(format, cut(f64::from_bits(value.round(FloatFormat::F64)), format))
                    }
                };
                let is_flushed = subnormals == Subnormals::ResultsFlushed && format.is_subnormal(right);
                return if is_flushed { 0 } else { right };
            }
            match narrowing {
                Narrowing::Nearest => to_bits(format, step(norm, format)),
                Narrowing::TowardZero => to_bits(format, cut(norm, format)),
            }
        })
        .collect();
    Tensor::from_bits(near.dtype, &near.shape, &bits).unwrap()
}

/// Returns the number, or 0 in the place of a subnormal one.
pub(crate) fn flushed(x: f64, format: FloatFormat) -> f64 {
    if x.abs() < f64::from(format.min_exponent).exp2() { 0.0 } else { x }
}

/// Returns the next number of the format towards zero.
pub(crate) fn cut(x: f64, format: FloatFormat) -> f64 {
    let nearest = narrow(format, x);
    if nearest.abs() <= x.abs() || !x.is_finite() {
        nearest
    } else {
        to_f64(format, to_bits(format, nearest) - 1)
    }
}

/// Returns the number for these bits of the format.
pub(crate) fn to_f64(format: FloatFormat, bits: u64) -> f64 {
    match format {
        FloatFormat::F16 => half::f16::from_bits(bits as u16).to_f64(),
        FloatFormat::BF16 => half::bf16::from_bits(bits as u16).to_f64(),
        FloatFormat::F32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

/// Returns the bits of a number that the format has.
pub(crate) fn to_bits(format: FloatFormat, x: f64) -> u64 {
    match format {
        FloatFormat::F16 => half::f16::from_f64(x).to_bits().into(),
        FloatFormat::BF16 => half::bf16::from_f64(x).to_bits().into(),
        FloatFormat::F32 => (x as f32).to_bits().into(),
        _ => x.to_bits(),
    }
}

/// Rounds to a format of at most half of f64's precision, so that one operation is correctly rounded.
pub(crate) fn narrow(format: FloatFormat, x: f64) -> f64 {
    to_f64(format, to_bits(format, x))
}

/// Adds the readings that others imply, because the profile shows them.
pub(crate) fn make_coherent(policy: &mut Policy) {
    let read = |question| policy.get(&question).copied();
    // Squares in a narrow format imply no scaling.
    let narrow = read(Question::HalfAccumulation).is_some_and(|reading| reading != Reading::Wide)
        || read(Question::F64Precision) == Some(Reading::Single);
    if narrow {
        policy.insert(Question::FloatRange, Reading::Naive);
    }
    // Only sums that wrap are negative.
    if policy.contains_key(&Question::IntegerL2Negative) {
        policy.entry(Question::IntegerL2Intermediate).or_insert(Reading::Wraps);
    }
}

/// Returns a coherent policy: each seed picks another reading of each question, in coprime steps.
pub(crate) fn mixed(seed: usize) -> Policy {
    let policy = Question::ALL.into_iter().enumerate().map(|(at, question)| {
        let readings = question.readings();
        (question, readings[(seed * (at + 1) + at) % readings.len()])
    });
    let mut policy: Policy = policy.collect();
    make_coherent(&mut policy);
    policy
}
