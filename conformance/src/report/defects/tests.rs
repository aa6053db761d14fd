//! Tests of the smallest call of a group.

use std::time::Duration;

use normative_reference::{Axes, Norm, Operator, Tensor};

use super::*;
use crate::defect::rules::Likeness;

#[test]
fn the_smallest_call_of_a_group_fails_as_most_of_it() {
    let verdicts = [Verdict::TimedOut(Duration::from_secs(1)), crashed(), crashed()];
    let told: Vec<Told<'_, '_>> = verdicts.iter().zip([1, 3, 2]).enumerate().map(told).collect();
    let example = |one: &Told<'_, '_>| Example {
        traits: traits::of(&one.call),
        class: one.verdict.and_then(FailureClass::of),
        error: None,
    };
    let examples: Vec<Example> = told.iter().map(example).collect();
    let one = Likeness { sentence: "A mistake.", same: vec![0, 1, 2], similar: Vec::new(), against: 0 };
    let smallest = smallest_of_each(&told, &defect::groups(&examples, &[one]));
    let names: Vec<Witness<'_>> = smallest.into_iter().flatten().map(|one| one.name).collect();
    assert_eq!(names, [Witness::Case(2, "")]);
}

fn crashed() -> Verdict {
    Verdict::Crashed("signal 11".into())
}

fn told((at, (verdict, dim)): (usize, (&Verdict, usize))) -> Told<'_, 'static> {
    let data = Tensor::from_bits(Dtype::F32, &[dim], &vec![0; dim]).unwrap();
    let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
    let call = Cow::Owned(Call::new(operator, data, Axes::list(&[0])));
    Told { call, verdict: Some(verdict), name: Witness::Case(at, "") }
}
