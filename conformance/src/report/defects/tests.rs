//! Tests of the smallest call of a group, and of failures that leave one.

use std::time::Duration;

use normative_reference::{Axes, Norm, Operator, Tensor};
use rstest::rstest;

use super::*;
use crate::defect::rules::Likeness;
use crate::observed::Observed;

#[test]
fn the_smallest_call_of_a_group_fails_as_most_of_it() {
    let verdicts = [Verdict::TimedOut(Duration::from_secs(1)), crashed(), crashed()];
    let call = |dim| call(Dtype::F32, dim);
    let told: Vec<Told<'_, '_>> = verdicts.iter().zip([1, 3, 2].map(call)).enumerate().map(told).collect();
    let examples: Vec<Example> = told.iter().map(example).collect();
    let one = Likeness { sentence: "A mistake.", same: vec![0, 1, 2], similar: Vec::new(), against: 0 };
    let smallest = smallest_of_each(&told, &defect::groups(&examples, &[one]));
    let names: Vec<Witness<'_>> = smallest.into_iter().flatten().map(|one| one.name).collect();
    assert_eq!(names, [Witness::Case(2, "c")]);
}

#[rstest]
#[case::a_float(Dtype::F32, &[1, 2])]
#[case::another_integer(Dtype::I32, &[3])]
fn a_failure_that_shrinks_to_a_float_leaves_integers_that_nothing_explains(
    #[case] dtype: Dtype,
    #[case] due: &[usize],
) {
    let verdict = crashed();
    let calls = [1, 2, 3].map(|dim| (&verdict, call(Dtype::U8, dim)));
    let told: Vec<Told<'_, '_>> = calls.into_iter().enumerate().map(told).collect();
    let examples: Vec<Example> = told.iter().map(example).collect();
    let answer = Observed::Rejected(String::new());
    let small = Shrunk { of: told[1].name.name(), call: call(dtype, 1), answer, verdict: crashed() };
    let grouping = with_floats_apart(defect::groups(&examples, &[]), &told, &[small]);
    let groups: Vec<Vec<usize>> = grouping.examples().map(|(failures, _)| failures).collect();
    assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), due);
    assert_eq!(groups[0].first(), Some(&usize::from(due.len() > 1)));
}

fn example(one: &Told<'_, '_>) -> Example {
    Example { traits: traits::of(&one.call), class: one.verdict.and_then(FailureClass::of), error: None }
}

fn crashed() -> Verdict {
    Verdict::Crashed("signal 11".into())
}

fn call(dtype: Dtype, dim: usize) -> Call {
    let data = Tensor::from_bits(dtype, &[dim], &vec![0; dim]).unwrap();
    Call::new(Operator::OpenVino { norm: Norm::L1, keep_dims: None }, data, Axes::list(&[0]))
}

fn told((at, (verdict, call)): (usize, (&Verdict, Call))) -> Told<'_, 'static> {
    let name = Witness::Case(at, ["a", "b", "c"][at]);
    Told { call: Cow::Owned(call), verdict: Some(verdict), name }
}
