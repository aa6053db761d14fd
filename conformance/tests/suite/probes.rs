//! Tests the kinds of refusal: one reading of a call, an unsupported type, or neither.

use std::collections::BTreeSet;

use crate::example::CORPUS;
use crate::reference_backend::{Policy, otherwise};
use normative_conformance::reference::{
    Axes, Call, Dtype, Expected, Norm, Operator, Opset, Question, Reading, Spec, Tensor, rule,
};
use normative_conformance::run::neighbours::Neighbours;
use normative_conformance::run::probe::twin;
use normative_conformance::run::property::{Generated, Id, row, run};
use normative_conformance::{Answer, Demands, Sheet, Verdict, display};
use rstest::rstest;

/// Runs the first calls of these specs on the reference that refuses these calls.
fn generated(policy: Policy, refused: fn(&Call) -> bool, specs: &[Spec]) -> Generated {
    let refuses = |call: &Call| refused(call).then(|| Answer::Rejected("no kernel".into()));
    let mut backend = otherwise("refuses", policy, refuses);
    run(1, 1500, specs, &mut backend, &Demands::default()).unwrap()
}

fn reasons(generated: &Generated) -> String {
    generated.unsupported.keys().cloned().collect::<Vec<_>>().join("\n")
}

/// Returns the readings of a question that the answers show.
fn told(generated: &Generated, question: Question) -> Vec<Reading> {
    let profile = generated.readings.profile();
    let rows = profile.iter().filter(|(place, _)| place.question == question);
    rows.flat_map(|(_, row)| row.readings()).collect()
}

const OPENVINO: [Spec; 2] = [Spec::OpenVino(Norm::L1), Spec::OpenVino(Norm::L2)];

/// Returns true if some readings refuse a call and others do not.
fn is_one_reading(call: &Call) -> bool {
    let refuses: Vec<bool> = Sheet::of(call)
        .unwrap()
        .entries
        .iter()
        .map(|entry| matches!(entry.expected, Expected::Rejection(_)))
        .collect();
    refuses.contains(&true) && refuses.contains(&false)
}

fn twin_is_right(call: &Call) -> Result<(), String> {
    let twin = twin::of(call).ok_or_else(|| format!("{} has no twin", display::call(call)))?;
    let sheet = Sheet::of(&twin).unwrap();
    if sheet.entries.iter().any(|entry| matches!(entry.expected, Expected::Rejection(_)))
        || twin.spec() != call.spec()
        || (twin.data.dtype() != call.data.dtype() && call.spec() != Spec::Bnns)
    {
        return Err(format!("{} is no twin of {}", display::call(&twin), display::call(call)));
    }
    Ok(())
}

#[test]
fn every_question_that_may_be_refused_has_twins() {
    let generated = row(3, &Spec::ALL).take(6000).map(Id::call);
    let calls = CORPUS.cases.iter().map(|case| case.call.clone()).chain(generated);
    let mut asked: BTreeSet<Question> = BTreeSet::new();
    let mut wrong = Vec::new();
    for call in calls.filter(is_one_reading) {
        let choices = rule(&call).alternatives.into_iter().flat_map(|alternative| alternative.choices);
        let refused = choices.filter(|choice| choice.reading == Reading::Reject);
        asked.extend(refused.map(|choice| choice.question));
        wrong.extend(twin_is_right(&call).err());
    }
    assert!(wrong.is_empty(), "{} of them: {:#?}", wrong.len(), wrong.first());
    let may_be_refused = |question: &Question| question.readings().contains(&Reading::Reject);
    let all: BTreeSet<Question> = Question::ALL.into_iter().filter(may_be_refused).collect();
    assert_eq!(asked, all);
}

#[test]
fn a_type_that_is_refused_everywhere_tells_no_question() {
    let opset_1 = Spec::Onnx(Norm::L1, Opset::V1);
    let refused: fn(&Call) -> bool = |call| call.data.dtype() == Dtype::F16;
    let generated = generated(Policy::new(), refused, &[opset_1]);
    assert!(!generated.finds.is_empty());
    assert!(
        generated.finds.iter().all(|find| refused(&find.call)),
        "what is refused fails, and nothing else"
    );
    let told = |question, reading| told(&generated, question).contains(&reading);
    assert!(told(Question::DuplicateAxes, Reading::Collapse));
    for question in [Question::DuplicateAxes, Question::AxisRangeOpset1, Question::BooleanKeepdims] {
        assert!(!told(question, Reading::Reject), "{question}");
    }
}

#[test]
fn a_reading_that_is_a_refusal_stays_told() {
    let policy = Policy::from([(Question::DuplicateAxes, Reading::Reject)]);
    let generated = generated(policy, |_| false, &[Spec::Onnx(Norm::L1, Opset::V13)]);
    assert_eq!(told(&generated, Question::DuplicateAxes), [Reading::Reject]);
    assert!(generated.finds.is_empty());
}

#[rstest]
#[case::data(|call: &Call| call.data.dtype() == Dtype::I8, "refuses the plainest call of i8 too; T is")]
#[case::axes(
    |call: &Call| matches!(&call.axes, Axes::Given(axes) if axes.dtype == Dtype::U8),
    "refuses the plainest call with u8 axes too; T_IND is"
)]
fn a_type_that_openvino_leaves_open_is_unsupported_where_all_is_refused(
    #[case] refused: fn(&Call) -> bool,
    #[case] words: &str,
) {
    let generated = generated(Policy::new(), refused, &OPENVINO);
    assert!(generated.finds.is_empty(), "{:?}", generated.finds.first());
    let reasons = reasons(&generated);
    assert!(reasons.contains(words) && reasons.ends_with("no kernel"), "{reasons}");
    assert!(generated.neighbours.unsupported().is_empty(), "a type hides nothing");
}

#[test]
fn a_type_of_which_the_plainest_call_is_answered_is_supported() {
    let refused: fn(&Call) -> bool = |call| call.data.dtype() == Dtype::I8 && call.data.rank() > 1;
    let generated = generated(Policy::new(), refused, &OPENVINO);
    assert!(!generated.finds.is_empty() && generated.unsupported.is_empty());
}

#[test]
fn axes_of_a_type_are_supported_where_only_the_data_beside_them_are_not() {
    // f32 data, and f64 with u8 axes, are refused: the plain call for u8 axes has f32 data.
    let refused: fn(&Call) -> bool = |call| match &call.axes {
        _ if call.data.dtype() == Dtype::F32 => true,
        Axes::Given(axes) => {
            axes.dtype == Dtype::U8 && call.data.dtype() == Dtype::F64 && call.data.rank() > 1
        }
        _ => false,
    };
    let generated = generated(Policy::new(), refused, &OPENVINO);
    assert!(generated.finds.iter().all(|find| find.call.data.dtype() == Dtype::F64), "f32 is unsupported");
    assert!(!generated.finds.is_empty(), "{}", reasons(&generated));
}

fn call(values: &[f32], keep_dims: bool, axes: &[i64]) -> Call {
    Call::new(
        Operator::OpenVino { norm: Norm::L1, keep_dims: Some(keep_dims) },
        Tensor::from(ndarray::arr1(values).into_dyn()),
        Axes::list(axes),
    )
}

#[test]
fn unsupported_is_listed_apart_beside_answers_and_over_invalid_calls() {
    let conforms = || Verdict::Fails(Vec::new());
    let unsupported = || Verdict::Unsupported("no\tpath".into());
    let mut neighbours = Neighbours::default();
    neighbours.count("answered", &call(&[1.0, 2.0], true, &[0]), &conforms());
    for name in ["a", "b", "c", "d"] {
        neighbours.count(name, &call(&[1.0], true, &[0]), &unsupported());
    }
    neighbours.count("other attributes", &call(&[1.0], false, &[0]), &unsupported());
    neighbours.count("no axis", &call(&[1.0], true, &[]), &unsupported());
    neighbours.count("invalid", &call(&[1.0], true, &[7]), &unsupported());
    let listed = neighbours.unsupported();
    assert_eq!(listed.keys().collect::<Vec<_>>(), ["no path"]);
    assert_eq!(
        (listed["no path"].calls, &listed["no path"].first[..]),
        (4, &["a", "b", "c"].map(String::from)[..])
    );
    assert_eq!(neighbours.invalid()["no path"].first, ["invalid"]);
}
