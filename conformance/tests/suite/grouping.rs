//! Tests the groups of failing calls, without a report.

use normative_conformance::defect::rules::Likeness;
use normative_conformance::defect::{Example, Group, Small, groups, traits};
use normative_conformance::judge::fault::Fault;
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Tensor};
use normative_conformance::shrink::{self, FailureClass, FailureErrors};
use rstest::rstest;

/// Returns an L1 norm over all elements.
fn norm_of(dtype: Dtype, shape: &[usize]) -> Call {
    let data = Tensor::from_bits(dtype, shape, &vec![1; shape.iter().product()]).unwrap();
    Call::new(
        Operator::OpenVino { norm: Norm::L1, keep_dims: None },
        data,
        Axes::list(&(0..shape.len() as i64).collect::<Vec<_>>()),
    )
}

fn example(call: &Call, class: Option<FailureClass>) -> Example {
    Example { traits: traits::of(call), class, error: None }
}

/// Returns all f32 matrices of these dims, each with a wrong value, and right ones of f64. Those of `grave` have the error
/// that is given for it, in place of about 2^-15.
fn matrices_of_f32(grave: impl Fn(usize, usize) -> bool, error: impl Fn(usize) -> f64) -> Vec<Example> {
    let dims = (1..=12).flat_map(|rows| (1..=16).map(move |columns| (rows, columns)));
    let of_dims = |(rows, columns): (usize, usize)| {
        let at = rows * 16 + columns;
        let error = if grave(rows, columns) { error(at) } else { -15.0 - (at % 3) as f64 };
        let wrong = example(&norm_of(Dtype::F32, &[rows, columns]), WRONG);
        [Example { error: Some(error), ..wrong }, example(&norm_of(Dtype::F64, &[rows, columns]), None)]
    };
    dims.flat_map(of_dims).collect()
}

#[test]
fn a_rare_grave_error_is_told_apart_from_mild_ones_of_the_same_type_and_lengths() {
    let (mut apart, mut all) = (0, 0);
    for wanted in 2..=16 {
        let of_dims: [&dyn Fn(usize, usize) -> bool; 3] = [
            &|_, columns| columns == wanted,
            &|rows, columns| rows * columns == wanted + 2,
            &|rows, columns| columns % 8 == wanted / 2 && rows * columns >= 65,
        ];
        for grave in of_dims {
            let examples = matrices_of_f32(grave, |_| -1.0);
            let rare = examples.iter().filter(|one| one.error == Some(-1.0)).count();
            // The least number that is evidence for two traits.
            if rare < 4 {
                continue;
            }
            all += 1;
            let found = groups(&examples, &[]).groups();
            let sizes: Vec<usize> = found.iter().map(|group| group.failures.len()).collect();
            apart += usize::from(sizes == [192 - rare, rare]);
        }
    }
    assert!(all >= 30 && apart * 10 >= all * 9, "{apart} of {all}");
}

#[rstest]
#[case::without_a_gap(|at: usize| -((at * 7 % 15) as f64))]
#[case::by_chance(|_| -1.0)]
fn errors_that_nothing_but_their_size_tells_apart_are_one_group(#[case] error: fn(usize) -> f64) {
    let examples = matrices_of_f32(|rows, columns| (rows * 16 + columns) * 7 % 11 < 4, error);
    assert_eq!(groups(&examples, &[]).groups().len(), 1);
}

/// Errors in ulp are of floats alone, so integers that fail beside them are not mild.
#[test]
fn integers_that_fail_under_the_same_condition_are_not_told_apart_by_errors() {
    let of = |dtype: Dtype, shape: &[usize], error: Option<f64>, class| {
        let call = norm_of(dtype, shape);
        Example { error, ..example(&call, class) }
    };
    let mild = |dim: usize| [3, 10, 17, 29].contains(&dim);
    let examples = (1..=30).flat_map(|dim| {
        let error = if mild(dim) { -15.0 } else { -1.0 };
        [
            of(Dtype::F32, &[2, dim], Some(error), WRONG),
            of(Dtype::I32, &[2, dim], None, WRONG),
            of(Dtype::F32, &[dim], None, None),
            of(Dtype::I32, &[dim], None, None),
        ]
    });
    assert_eq!(groups(&examples.collect::<Vec<_>>(), &[]).groups().len(), 1);
}

const WRONG: Option<FailureClass> =
    Some(FailureClass { fault: Fault::WrongValue, detail: shrink::ClassDetail::Nothing });

/// Returns thirty failing calls over i8 of rank 2, and passing ones of rank 1 or of other types.
fn matrices_of_i8() -> Vec<(Call, Option<FailureClass>)> {
    let shapes = (1..=30).map(|dim| [2, dim]);
    let failing = shapes.clone().map(|shape| (norm_of(Dtype::I8, &shape), WRONG));
    let of_rank_one = (1..=10).map(|dim| (norm_of(Dtype::I8, &[dim]), None));
    let other = shapes.flat_map(|shape| [Dtype::F32, Dtype::U8].map(|dtype| (norm_of(dtype, &shape), None)));
    failing.chain(of_rank_one).chain(other).collect()
}

fn words(group: &Group) -> Vec<String> {
    group.condition.iter().map(ToString::to_string).collect()
}

#[test]
fn a_condition_holds_of_the_smallest_call_that_fails() {
    let examples: Vec<Example> = matrices_of_i8().iter().map(|(call, class)| example(call, *class)).collect();
    let learned = groups(&examples, &[]);
    let [group] = &learned.clone().groups()[..] else { panic!("one group") };
    assert!(group.condition.len() == 2 && group.conforming.is_empty(), "{:?}", words(group));

    // The shrunk call shows that the backend fails on a vector as well.
    let small = Small::of(&norm_of(Dtype::I8, &[1]));
    let [group] = &learned.joined(&[Some(small)]).groups()[..] else { panic!("one group") };
    assert_eq!(words(group), ["signed integer data"]);
    assert_eq!((group.failures.len(), group.conforming.len()), (30, 10));
}

#[test]
fn a_failure_that_does_not_meet_the_condition_is_a_group_of_its_own() {
    let mut calls = matrices_of_i8();
    calls.push((norm_of(Dtype::F64, &[]), WRONG));
    let examples: Vec<Example> = calls.iter().map(|(call, class)| example(call, *class)).collect();
    let [large, single] = &groups(&examples, &[]).groups()[..] else { panic!("two groups") };
    assert_eq!((large.failures.len(), single.failures.as_slice()), (30, &[calls.len() - 1][..]));
    assert!(words(large).contains(&"signed integer data".to_owned()), "{:?}", words(large));
}

#[rstest]
#[case::a_crash(Fault::Crashed)]
#[case::a_hang(Fault::TimedOut)]
#[case::a_wrong_shape(Fault::OutputShape)]
#[case::a_refusal(Fault::RefusedValid)]
fn calls_that_fail_in_two_ways_are_two_groups_even_where_they_shrink_to_one_call(#[case] rare: Fault) {
    let mut calls = matrices_of_i8();
    // One call in ten of the same condition fails in the rare way.
    for (call, class) in calls.iter_mut().filter(|(_, class)| class.is_some()).step_by(10) {
        *class = Some(FailureClass::plain(rare));
        assert_eq!(call.data.dtype(), Dtype::I8);
    }
    let examples: Vec<Example> = calls.iter().map(|(call, class)| example(call, *class)).collect();
    let learned = groups(&examples, &[]);
    let small = vec![Some(Small::of(&norm_of(Dtype::I8, &[2, 1]))); learned.examples().count()];
    let found = learned.joined(&small).groups();
    let sizes: Vec<usize> = found.iter().map(|group| group.failures.len()).collect();
    assert_eq!(sizes, [27, 3]);
    assert!(found[1].failures.iter().all(|&at| calls[at].1 == Some(FailureClass::plain(rare))));
}

#[test]
fn groups_of_one_root_are_joined_once_a_rule_is_false_of_its_small_call() {
    let examples: Vec<Example> = matrices_of_i8().iter().map(|(call, class)| example(call, *class)).collect();
    let failing: Vec<usize> = (0..examples.len()).filter(|&at| examples[at].class.is_some()).collect();
    let (first, rest) = failing.split_at(1);
    let rule = |sentence, same: &[usize]| Likeness {
        sentence,
        same: same.to_vec(),
        similar: Vec::new(),
        against: 0,
    };
    let learned = groups(&examples, &[rule("The cause.", rest), rule("By chance.", first)]);
    let small = vec![Some(Small::of(&norm_of(Dtype::I8, &[2, 1]))); learned.examples().count()];
    assert_eq!(learned.clone().joined(&small).groups().len(), 2);
    let found = learned.unruled(|_, rule| rule == "By chance.").joined(&small).groups();
    assert_eq!((found.len(), found[0].failures.len(), found[0].rule), (1, failing.len(), Some("The cause.")));
}

/// Failures are drawn by chance, so conditions fit them badly.
#[test]
fn every_failure_of_a_group_without_a_rule_meets_its_condition() {
    let calls = matrices_of_i8();
    for seed in 0..40_usize {
        let class = |at: usize| match (at * 7 + seed * 13) % (5 + seed % 7) {
            0 => WRONG,
            1 => Some(FailureClass::plain(Fault::OutputShape)),
            _ => calls[at].1,
        };
        let examples: Vec<Example> =
            calls.iter().enumerate().map(|(at, (call, _))| example(call, class(at))).collect();
        let found = groups(&examples, &[]).groups();
        let all: usize = found.iter().map(|group| group.failures.len()).sum();
        assert_eq!(all, examples.iter().filter(|one| one.class.is_some()).count(), "nothing is lost");
        for group in &found {
            for &at in &group.failures {
                let traits = &examples[at].traits;
                assert!(group.condition.iter().all(|part| traits.contains(part)), "{:?}", words(group));
            }
        }
    }
}

#[test]
fn failures_that_a_rule_leaves_over_are_grouped_by_what_they_have_in_common() {
    // A rule gives all but those of eleven columns, which are a cause of their own.
    let examples = matrices_of_f32(|_, _| false, |_| -15.0);
    let is_other =
        |at: usize| examples[at].traits.iter().any(|of_call| of_call.to_string() == "last dim = 11");
    let (other, same): (Vec<usize>, Vec<usize>) =
        (0..examples.len()).filter(|&at| examples[at].class.is_some()).partition(|&at| is_other(at));
    let likeness = Likeness { sentence: "One.", same: same.clone(), similar: Vec::new(), against: 0 };
    let [ruled, rest] = &groups(&examples, &[likeness]).groups()[..] else { panic!("two groups") };
    assert_eq!((&ruled.failures, &rest.failures), (&same, &other));
    assert!(words(rest).contains(&"last dim = 11".to_owned()), "{:?}", words(rest));
}

#[test]
fn groups_of_one_likest_rule_are_one() {
    let mut calls = matrices_of_i8();
    calls.push((norm_of(Dtype::F64, &[]), Some(FailureClass::plain(Fault::OutputShape))));
    let examples: Vec<Example> = calls.iter().map(|(call, class)| example(call, *class)).collect();
    let same = groups(&examples, &[]).likened(|_, _, _| Some("The same."), |_, _| true).groups();
    let [group] = &same[..] else { panic!("one group") };
    assert_eq!((group.failures.len(), group.like), (31, Some("The same.")));
    let others = groups(&examples, &[])
        .likened(|failures, _, _| (failures.len() > 1).then_some("One."), |_, _| true)
        .groups();
    assert_eq!(others.len(), 2);
}

#[test]
fn mild_and_grave_errors_of_one_likest_rule_are_one_group() {
    let examples = matrices_of_f32(|_, columns| columns == 5, |_| -1.0);
    assert_eq!(groups(&examples, &[]).groups().len(), 2);
    let same = groups(&examples, &[]).likened(|_, _, _| Some("The same."), |_, _| true).groups();
    let [group] = &same[..] else { panic!("one group") };
    assert_eq!((group.failures.len(), group.errors), (192, FailureErrors::ALL));
}

#[test]
fn a_condition_that_a_further_failing_call_does_not_meet_is_learned_anew_without_the_part() {
    let examples: Vec<Example> = matrices_of_i8().iter().map(|(call, class)| example(call, *class)).collect();
    let learned = groups(&examples, &[]);
    let [group] = &learned.clone().groups()[..] else { panic!("one group") };
    let part = group.condition[0];
    let mut further = examples[group.failures[0]].traits.clone();
    assert_eq!(learned.clone().refuted(|_| vec![further.clone()]).groups()[0].condition, group.condition);
    further.retain(|of_call| *of_call != part);
    let left = learned.refuted(|_| vec![further.clone()]).groups();
    assert!(!left[0].condition.contains(&part), "{:?}", left[0].condition);
    assert!(left[0].condition.iter().all(|of_call| further.contains(of_call)));
}

/// Returns vectors of up to 128 elements: of these types all fail, and of the others those of 65 and more.
fn vectors(failing: &[Dtype], others: &[Dtype]) -> Vec<(Call, Option<FailureClass>)> {
    let of = |dtypes: &[Dtype], least: usize| -> Vec<(Call, Option<FailureClass>)> {
        let calls = dtypes.iter().flat_map(|&dtype| (1..=128).map(move |dim| (dtype, dim)));
        calls.map(|(dtype, dim)| (norm_of(dtype, &[dim]), WRONG.filter(|_| dim >= least))).collect()
    };
    [of(failing, 0), of(others, 65)].concat()
}

#[test]
fn a_failure_that_only_resembles_those_of_a_rule_is_of_the_condition_that_it_meets() {
    let calls = [matrices_of_i8(), vectors(&[], &[Dtype::F32])].concat();
    let examples: Vec<Example> = calls.iter().map(|(call, class)| example(call, *class)).collect();
    let failing = (0..calls.len()).filter(|&at| calls[at].1.is_some());
    let (same, others): (Vec<usize>, Vec<usize>) =
        failing.partition(|&at| calls[at].0.data.dtype() == Dtype::I8);
    let similar = others[..3].to_vec();
    let likeness = Likeness { sentence: "One.", same: same.clone(), similar, against: 0 };
    let [long, ruled] = &groups(&examples, &[likeness]).groups()[..] else { panic!("two groups") };
    assert_eq!((&long.failures, &ruled.failures, ruled.rule), (&others, &same, Some("One.")));
}

#[test]
fn a_failure_that_meets_two_conditions_is_of_the_other_if_the_rule_of_one_does_not_give_it() {
    let calls = vectors(&[Dtype::I8], &[Dtype::F32, Dtype::F64]);
    let examples: Vec<Example> = calls.iter().map(|(call, class)| example(call, *class)).collect();
    let is_integer = |at: usize| calls[at].0.data.dtype() == Dtype::I8;
    let rule = |failures: &[usize]| failures.iter().all(|&at| !is_integer(at)).then_some("One.");
    let sizes = |gives: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let found =
            groups(&examples, &[]).likened(|failures, _, _| rule(failures), |at, _| gives(at)).groups();
        found.iter().map(|group| group.failures.len()).collect()
    };
    assert_eq!(sizes(&|_| true), [192, 64]);
    assert_eq!(sizes(&|at| !is_integer(at)), [128, 128]);
}
