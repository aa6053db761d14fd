//! Tests that a report names the mistake if a mutant matches it, and names nothing otherwise.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::path::Path;

use normative_conformance::corpus::{line, load};
use normative_conformance::reference::{Call, Dtype, Norm, Opset, Spec};
use normative_conformance::run::prepare;
use normative_conformance::session::{Calls, Job};
use normative_conformance::{Answer, Backend, Stub};
use normative_rules::mutants::{Mutant, mutants};
use normative_rules::plan::Readings;
use normative_rules::rules;
use normative_rules::steps::{Implementation, Steps};
use rstest::rstest;

const V18: Spec = Spec::Onnx(Norm::L1, Opset::V18);

/// Returns the mutants of these names as one. The first that is wrong about a call answers it if `when` allows that;
/// otherwise the answer is right.
fn several(names: &[&str], when: fn(&Call) -> bool) -> impl Backend {
    let mut wrong: Vec<_> = names.iter().map(|name| named(name).backend()).collect();
    let mut plain = Implementation::new("plain", Steps::honest(Readings::default()));
    Stub::new("several", move |call| {
        let right = plain.answer(call);
        if !when(call) {
            return right;
        }
        let mut answers = wrong.iter_mut().map(|wrong| wrong.answer(call));
        let same = |answer: &Answer| match (answer, &right) {
            (Answer::Tensor(one), Answer::Tensor(other)) => one == other,
            (Answer::Rejected(_), Answer::Rejected(_)) => true,
            _ => false,
        };
        answers.find(|answer| !same(answer)).unwrap_or(right)
    })
}

fn named(name: &str) -> Mutant {
    mutants().into_iter().find(|mutant| mutant.name == name).unwrap()
}

/// Returns the names of the mutants that the report's defects match, and the number of defects.
fn said(backend: &mut impl Backend) -> (Vec<&'static str>, usize) {
    let mut corpus = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).unwrap();
    corpus.cases.retain(|case| case.call.spec().name().starts_with("onnx/ReduceL1"));
    let prepared = prepare(&corpus.cases).unwrap();
    let calls = Calls::Row { seed: 1, calls: Some(800), specs: vec![V18] };
    let job = Job { calls, repeat: 0, rules: Some(rules()), ..Job::of(corpus.cases.len(), &prepared) };
    let report = job.judge(backend, None, &mut ()).unwrap();
    let defects = report.defects();
    let failures = report.severities().values().sum::<usize>();
    assert_eq!(defects.iter().map(|defect| defect.failures.len()).sum::<usize>(), failures);
    for defect in &defects {
        let says = defect.rule.is_none_or(|rule| defect.name().contains(rule.trim_end_matches('.')));
        assert!(says, "{}", defect.name());
    }
    let name = |rule| mutants().into_iter().find(|mutant| mutant.wrong == rule).unwrap().name;
    let mut names: Vec<&str> =
        defects.iter().filter_map(|defect| defect.rule.or(defect.like)).map(name).collect();
    names.sort_unstable();
    (names, defects.len())
}

#[rstest]
#[case::one(&["last-named-only"])]
#[case::one_of_values(&["abs-dropped"])]
#[case::two_with_calls_in_common(&["negative-ignored", "order-assumed"])]
#[case::three(&["abs-dropped", "last-named-only", "negative-ignored"])]
fn a_defect_says_the_mistake_that_was_made(#[case] mistakes: &[&str]) {
    let (said, defects) = said(&mut several(mistakes, |_| true));
    assert_eq!((said.as_slice(), defects), (mistakes, mistakes.len()));
}

#[test]
fn a_mistake_made_under_a_condition_is_said_beside_it() {
    let (said, _) = said(&mut several(&["abs-dropped"], |call| call.data.dtype() == Dtype::F64));
    assert_eq!(said, ["abs-dropped"]);
}

#[test]
fn nothing_is_said_of_who_is_right() {
    assert_eq!(said(&mut several(&["abs-dropped"], |_| false)), (Vec::new(), 0));
}

/// Rows whose mistake is subtle: each answers one call as the runtimes that have it do. `None` is a refusal.
#[rstest]
#[case(
    "nan-in-tails-of-eight-ignored",
    "L1-18], dtypes: [f32], data: {shape: [9], values: [1, 1, 1, 1, 1, 1, 1, 1, .nan]}",
    Some(0x4100_0000)
)]
#[case(
    "nan-in-tails-of-eight-ignored",
    "L1-18], dtypes: [f32], data: {shape: [2], values: [1, .nan]}",
    Some(0x7fc0_0000)
)]
#[case(
    "lists-of-three-refused",
    "L1-18], dtypes: [f32], data: {shape: [1, 1, 1], values: [1]}, axes: [0, 1, 2]",
    None
)]
#[case(
    "lists-of-three-refused",
    "L1-18], dtypes: [f32], data: {shape: [1, 1, 1], values: [1]}, axes: [0, 1]",
    Some(0x3f80_0000)
)]
#[case(
    "scaled-by-the-reciprocal",
    "L2-18], dtypes: [f64], data: {shape: [1], values: [5.0e-324]}",
    Some(0x7ff0_0000_0000_0000)
)]
#[case(
    "scaled-by-the-reciprocal",
    "L2-18], dtypes: [f64], data: {shape: [1], values: [6.223015277861142e-61]}",
    Some(0x3370_0000_0000_0000)
)]
#[case(
    "scaled-by-the-first",
    "L2-18], dtypes: [f32], data: {shape: [2], values: [.inf, 1]}",
    Some(0x7f80_0000)
)]
#[case("64-bits-through-32", "L1-18], dtypes: [u64], data: {shape: [1], values: [4294967297]}", Some(1))]
#[case("64-bits-through-32", "L1-18], dtypes: [i64], data: {shape: [1], values: [4294967297]}", Some(1))]
#[case(
    "input-axes-ignored",
    "L1-18], dtypes: [i32], data: {shape: [1, 2], values: [1, 2]}, axes: [0]",
    Some(3)
)]
#[case(
    "input-axes-ignored",
    "L1-18], dtypes: [i32], data: {shape: [1], values: [1]}, axes: {dtypes: [i32], shape: [1], values: [0]}",
    None
)]
#[case(
    "attribute-axes-ignored-at-13",
    "L1-13], dtypes: [i32], data: {shape: [1, 2], values: [1, 2]}, axes: [7]",
    Some(3)
)]
fn a_row_answers_as_its_mistake_does(#[case] row: &str, #[case] of: &str, #[case] due: Option<u64>) {
    let case = line::cases(&format!("{{specs: [onnx/Reduce{of}}}")).unwrap().remove(0);
    let answer = match named(row).backend().answer(&case.call) {
        Answer::Tensor(tensor) => tensor.bits().first().copied(),
        _ => None,
    };
    assert_eq!(answer, due);
}
