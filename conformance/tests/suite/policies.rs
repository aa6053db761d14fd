//! Tests random policies of an independent implementation: with any readings and any arithmetic per type, no
//! case and no generated call may fail it or find it inconsistent.
//!
//! The reference decides the axes of a call under the policy; everything else is computed here.

mod floats;
mod integers;

use std::collections::BTreeMap;

use floats::Floats;
use integers::Integers;
use normative_conformance::random::splitmix64;
use normative_conformance::reference::{
    Call, Dtype, Kind, Norm, Opset, Outcome, Question, Reading, Reduction, Spec, Tensor, rule,
};
use normative_conformance::run::property::row;
use normative_conformance::run::readings::Answers;
use normative_conformance::{Answer, Demands, Observed, Sheet, Verdict, display, judge};

use crate::example::{CORPUS, Draw};
use crate::reference_backend::{to_bits, to_f64};

/// The number of policies, of specs for each, and of calls for each spec: 120 cases and generated calls for each.
const POLICIES: u64 = 2000;
const SPECS: usize = 3;
const CALLS: usize = 40;

/// Returns the numbers of a policy in one place.
fn draw_of(policy: u64, place: &str) -> Draw {
    Draw::from(place.bytes().fold(policy, |state, byte| splitmix64(state ^ u64::from(byte), 0)))
}

/// Returns the answer of a policy.
fn answer(policy: u64, call: &Call) -> Answer {
    let spec = call.spec();
    let reads = |question: Question| -> Reading {
        draw_of(policy, &format!("{spec} {question}")).one_of(question.readings())
    };
    let ruling = rule(call);
    // Alternatives that differ only in values have the same form.
    let form = ruling.alternatives.iter().find(|alternative| {
        let mut of_form = alternative.choices.iter().filter(|choice| !choice.question.concerns_values());
        of_form.all(|choice| choice.reading == reads(choice.question))
    });
    match &form.unwrap().outcome {
        Outcome::Rejected(clause) | Outcome::OutOfScope(clause) => Answer::Rejected(clause.to_string()),
        Outcome::Unchanged => Answer::Tensor(call.data.clone()),
        Outcome::Reduce(reduction, _) => {
            computed(policy, call, reduction).map_or_else(Answer::Rejected, Answer::Tensor)
        }
    }
}

fn computed(policy: u64, call: &Call, reduction: &Reduction) -> Result<Tensor, String> {
    let (spec, dtype, norm) = (call.spec(), call.data.dtype(), reduction.norm);
    let mut draw = draw_of(policy, &format!("{spec} {dtype} {norm:?}"));
    let shape = reduction.output_shape(call.data.shape());
    let (terms, outputs) = (reduction.terms(call.data.shape()), shape.iter().product());
    let bits = reduction.operand(&call.data).bits_by(&reduction.outer_to_inner(call.data.rank()));
    let rows = (0..outputs).map(|output: usize| &bits[output * terms..][..terms]);
    let results: Vec<u64> = match dtype.kind() {
        Kind::Float(format) => {
            let casts = spec == Spec::Onnx(Norm::L2, Opset::V18) && dtype == Dtype::F64;
            let way = Floats::draw(format, matches!(spec, Spec::Blas(_)), casts, &mut draw);
            let rows: Vec<Vec<f64>> =
                rows.map(|row| row.iter().map(|&bits| to_f64(format, bits)).collect()).collect();
            way.norms(norm, &rows).into_iter().map(|x| to_bits(format, x)).collect()
        }
        Kind::Integer(range) => {
            let way = Integers::draw(dtype, &mut draw);
            let norm =
                |row: &[u64]| way.norm(norm, &row.iter().map(|&bits| range.decode(bits)).collect::<Vec<_>>());
            rows.map(norm).collect::<Result<_, _>>()?
        }
    };
    Tensor::from_bits(dtype, &shape, &results).map_err(|error| error.to_string())
}

/// Returns cases and generated calls of each spec, with their sheets.
fn pool() -> BTreeMap<Spec, Vec<(String, Call, Sheet)>> {
    let cases = CORPUS.cases.iter().map(|case| (case.name.clone(), case.call.clone())).step_by(3);
    let generated = row(44, &Spec::ALL).take(4000).map(|id| (id.to_string(), id.call()));
    let mut pool: BTreeMap<Spec, Vec<_>> = BTreeMap::new();
    for (name, call) in cases.chain(generated).filter(|(_, call)| call.data.len() <= 600) {
        let sheet = Sheet::of(&call).unwrap();
        pool.entry(call.spec()).or_default().push((name, call, sheet));
    }
    pool
}

/// Returns the findings against a policy.
fn refuted(policy: u64, pool: &BTreeMap<Spec, Vec<(String, Call, Sheet)>>) -> Vec<String> {
    let (mut answers, mut draw, mut refuted) = (Answers::default(), draw_of(policy, "calls"), Vec::new());
    for _ in 0..SPECS {
        let calls = &pool[&draw.one_of(&Spec::ALL)];
        for _ in 0..CALLS {
            let (name, call, sheet) = &calls[draw.below(calls.len())];
            let answer = Observed::from(answer(policy, call));
            let against = match judge(sheet, &answer, &Demands::default()) {
                Verdict::Conforms { accepting, .. } => {
                    answers.add(call, &accepting, name.as_str());
                    continue;
                }
                verdict => verdict.reason(),
            };
            let data = display::data(&call.data);
            refuted.push(format!("{policy}: {name}, {} {data}, {answer:?}: {against}", display::call(call)));
        }
    }
    let profile = answers.profile();
    let inconsistent = profile.iter().filter_map(|(place, row)| row.inconsistent(place));
    refuted.extend(inconsistent.map(|split| format!("{policy}: inconsistent: {split:?}")));
    refuted
}

#[test]
fn no_consistent_policy_is_refused_or_called_inconsistent() {
    let pool = pool();
    let halves = [0, 1].map(|half| (0..POLICIES).filter(move |policy| policy % 2 == half));
    let refuted: Vec<String> = std::thread::scope(|scope| {
        let pool = &pool;
        let threads = halves.map(|half| {
            scope.spawn(move || half.flat_map(|policy| refuted(policy, pool)).collect::<Vec<_>>())
        });
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(
        refuted.is_empty(),
        "{} of {POLICIES} policies:\n{}",
        refuted.len(),
        refuted[..refuted.len().min(20)].join("\n")
    );
}
