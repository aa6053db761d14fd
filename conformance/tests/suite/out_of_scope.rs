//! Tests calls that a text puts outside its scope: any answer conforms, only a death or changed data fail,
//! and repeated answers may differ.

use std::path::Path;
use std::time::Duration;

use ndarray::array;
use normative_conformance::corpus::claim::check;
use normative_conformance::corpus::load_text;
use normative_conformance::judge::verdict::judge;
use normative_conformance::observed::Death;
use normative_conformance::reference::{Axes, Call, Dtype, Operator, Tensor};
use normative_conformance::run::repeat::Pool;
use normative_conformance::run::support::is_valid;
use normative_conformance::{Demands, Observed, Sheet};
use rstest::rstest;

/// Returns the norm of a vector along an axis.
fn call(axis: i64) -> Call {
    Call::new(
        Operator::ArrayApi { ord: None, keepdims: None },
        Tensor::from(array![3.0_f32, -4.0].into_dyn()),
        Axes::scalar(axis),
    )
}

#[rstest]
#[case::a_refusal(Observed::Rejected("axis 5".into()), false)]
#[case::any_tensor(Observed::Tensor(array![7_i64].into_dyn().into()), false)]
#[case::a_tensor_too_large_to_keep(Observed::Oversized { dtype: Dtype::F32, shape: vec![1 << 40] }, false)]
#[case::a_death(Observed::Died(Death::Crashed("SIGBUS".into())), true)]
#[case::no_answer(Observed::Died(Death::TimedOut(Duration::from_secs(1))), true)]
#[case::changed_data(Observed::ChangedData("element 0".into()), true)]
fn only_a_death_or_changed_data_fail(#[case] answer: Observed, #[case] fails: bool) {
    let outside = call(5);
    let verdict = judge(&Sheet::of(&outside).unwrap(), &answer, &Demands::default());
    assert_eq!(verdict.is_failure(), fails, "{verdict:?}");
    assert!(!is_valid(&outside), "a refusal says nothing of the type");
}

#[rstest]
#[case::outside(5, 0)]
#[case::inside(0, 1)]
fn two_answers_are_no_contradiction_where_nothing_is_due(#[case] axis: i64, #[case] asked: usize) {
    let mut pool = Pool::new(2);
    for (name, answer) in [("one", 1.0_f32), ("two", 2.0)] {
        pool.offer(name, &call(axis), &Observed::Tensor(array![answer].into_dyn().into()), false);
    }
    let steps: usize = pool.rows().iter().map(Vec::len).sum();
    assert_eq!(steps, asked);
}

#[rstest]
#[case::outside("{outside: axes-range}", None)]
#[case::another_clause(
    "{outside: axes-types}",
    Some("expected outside: axes-range, as the reference has it, got outside: axes-types")
)]
#[case::refused(
    "{rejected: axes-range}",
    Some("expected outside: axes-range, as the reference has it, got rejected: axes-range")
)]
#[case::unchanged(
    "{unchanged: true}",
    Some("expected outside: axes-range, as the reference has it, got unchanged")
)]
#[case::a_tensor(
    "{shape: [], values: [5]}",
    Some("expected outside: axes-range, as the reference has it, got a tensor of shape []")
)]
fn a_case_says_that_it_is_outside(#[case] expect: &str, #[case] wrong: Option<&str>) {
    let text = format!(
        "topic: Examples\nspecs: [array-api/vector_norm-l2-2022.12]\ncases:\n  - id: array-api-l2-example\n    \
         clauses: [axes-range]\n    why: It is an example.\n    dtypes: [f32]\n    data: {{shape: [2], values: [3, -4]}}\n    \
         axes: [5]\n    expect: {expect}\n"
    );
    let case = load_text(Path::new("example.yaml"), &text).unwrap().remove(0);
    let checked = check(&case, &Sheet::of(&case.call).unwrap());
    let said = checked.err().map(|error| error.kind.to_string());
    assert_eq!(said.is_some(), wrong.is_some(), "{said:?}");
    assert!(said.unwrap_or_default().contains(wrong.unwrap_or_default()));
}
