//! The reference as a backend, for the tests that need an honest one of every policy.

use std::collections::BTreeMap;

use normative_conformance::reference::{
    Call, Expected, FloatFormat, Kind, Near, Norm, Outcome, Question, Reading, Tensor, expect, rule,
};
use normative_conformance::{Answer, Backend, Identity};

/// How each question is read; one that is not in it, the first way.
pub(crate) type Policy = BTreeMap<Question, Reading>;

/// The reference, offered as a backend that takes the readings it is told to.
pub(crate) struct Reference(pub(crate) Policy);

impl Backend for Reference {
    fn identity(&self) -> Identity {
        Identity { name: "reference".into(), version: "0".into(), report_bugs_to: "this test".into() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let ruling = rule(call);
        let alternative = ruling.under(|question| self.0.get(&question).copied()).unwrap();
        match expect(call, &alternative.outcome).unwrap() {
            Expected::Rejection(clause) => Answer::Rejected(clause.to_string()),
            Expected::Exactly(tensor) => Answer::Tensor(tensor),
            Expected::Near(near) => Answer::Tensor(floats(call, &alternative.outcome, &near)),
        }
    }
}

/// Correctly rounded where the reading allows sums as wide as can be; otherwise summed one after
/// another in the format it names.
fn floats(call: &Call, outcome: &Outcome, near: &Near) -> Tensor {
    let Outcome::Reduce(reduction, _) = outcome else { panic!("floats come from a reduction") };
    let Kind::Float(format) = near.dtype.kind() else { panic!("floats have a format") };
    let accumulation = near.arithmetic.accumulation;
    if !near.arithmetic.naive_squares && accumulation.precision >= format.precision.max(24) {
        return near.rounded().unwrap();
    }
    let bits = call.data.bits_by(&reduction.outer_to_inner(call.data.rank()));
    let data: Vec<f64> = bits.into_iter().map(|bits| to_f64(format, bits)).collect();
    let flush = |x: f64, format: FloatFormat| {
        let subnormal = near.arithmetic.flush_subnormals && x.abs() < f64::from(format.min_exponent).exp2();
        if subnormal { 0.0 } else { x }
    };
    let held = |x: f64| flush(narrow(accumulation, x), accumulation);
    let bits: Vec<u64> = (0..near.values.len())
        .map(|output| {
            let terms = &data[output * near.terms..][..near.terms];
            if near.arithmetic.infinity_over_nan && terms.iter().any(|x| x.is_infinite()) {
                return format.infinity();
            }
            let sum = terms.iter().map(|&x| flush(x, format)).fold(0.0, |sum, x| match near.norm {
                Norm::L1 => held(sum + held(x.abs())),
                Norm::L2 => held(sum + held(held(x) * held(x))),
            });
            let norm = if near.norm == Norm::L2 { held(sum.sqrt()) } else { sum };
            to_bits(format, narrow(format, norm))
        })
        .collect();
    Tensor::from_bits(near.dtype, &near.shape, &bits).unwrap()
}

fn to_f64(format: FloatFormat, bits: u64) -> f64 {
    match format {
        FloatFormat::F16 => half::f16::from_bits(bits as u16).to_f64(),
        FloatFormat::BF16 => half::bf16::from_bits(bits as u16).to_f64(),
        FloatFormat::F32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

fn to_bits(format: FloatFormat, x: f64) -> u64 {
    match format {
        FloatFormat::F16 => half::f16::from_f64(x).to_bits().into(),
        FloatFormat::BF16 => half::bf16::from_f64(x).to_bits().into(),
        FloatFormat::F32 => (x as f32).to_bits().into(),
        _ => x.to_bits(),
    }
}

/// One operation in f64 rounded to a format of at most half its precision is rounded correctly.
fn narrow(format: FloatFormat, x: f64) -> f64 {
    to_f64(format, to_bits(format, x))
}

/// Some readings decide others: the profile shows what follows.
pub(crate) fn make_coherent(policy: &mut Policy) {
    let read = |question| policy.get(&question).copied();
    // Whoever reduces all under noop=1 never looks at the attribute, so 2 means to it what 0 does.
    let noop = [Question::NoopAbsentAxes, Question::NoopNullAxes, Question::NoopEmptyAxes];
    let ignored = noop.into_iter().any(|question| read(question) == Some(Reading::ReduceAll));
    // Whoever squares in a narrow format does not scale.
    let narrow = read(Question::HalfAccumulation) == Some(Reading::InType)
        || read(Question::F64Precision) == Some(Reading::Single);
    let single = read(Question::IntegerL2Precision) == Some(Reading::Single);
    if ignored {
        policy.insert(Question::BooleanNoop, Reading::Only1IsTrue);
    }
    if narrow {
        policy.insert(Question::FloatRange, Reading::Naive);
    }
    // A root in f32 is cast back, which truncates.
    if single {
        policy.insert(Question::IntegerL2Rounding, Reading::Truncate);
    }
}

/// A coherent policy: a different reading of each question for each seed, coprime steps apart.
pub(crate) fn mixed(seed: usize) -> Policy {
    let policy = Question::ALL.into_iter().enumerate().map(|(at, question)| {
        let readings = question.readings();
        (question, readings[(seed * (at + 1) + at) % readings.len()])
    });
    let mut policy: Policy = policy.collect();
    make_coherent(&mut policy);
    policy
}
