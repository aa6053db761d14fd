//! Tests hazards: accepted answers that are not the norm although their type holds it, and no others.

use normative_conformance::judge::hazard::Gives;
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Opset, Question, Reading, Tensor};
use normative_conformance::run::hazards::{HazardKind, Hazards, Met};
use normative_conformance::run::property::{Id, Made, row};
use normative_conformance::run::{Asked, Judged};
use normative_conformance::{Demands, Driver as _, Observed, Sheet, Verdict};
use rstest::rstest;

use crate::calls::{openvino, tensor, vector};
use crate::reference_backend::{Policy, Reference};

/// A call and its sheet.
struct One(Call, Sheet);

impl Asked for One {
    fn name(&self) -> String {
        "one".into()
    }

    fn call(&self) -> &Call {
        &self.0
    }

    fn sheet(&self) -> &Sheet {
        &self.1
    }
}

fn halves(values: &[f64]) -> Tensor {
    let bits: Vec<u64> = values.iter().map(|&x| half::f16::from_f64(x).to_bits().into()).collect();
    let shape = if values.len() == 1 { vec![] } else { vec![values.len()] };
    Tensor::from_bits(Dtype::F16, &shape, &bits).unwrap()
}

fn judged(call: Call, answer: Tensor) -> Verdict {
    let sheet = Sheet::of(&call).unwrap();
    let verdict = Judged::of(One(call, sheet), Observed::Tensor(answer), &Demands::default()).verdict;
    assert!(matches!(verdict, Verdict::Conforms { .. }), "{verdict:?}");
    verdict
}

#[rstest]
#[case::squares_overflow(vector(&[1e30_f32, 1e30]), tensor(&[], &[f32::INFINITY]), Gives::Infinity, Question::FloatRange)]
#[case::squares_vanish(vector(&[1e-200_f64, 1e-200]), tensor(&[], &[0.0_f64]), Gives::Zero, Question::FloatRange)]
#[case::squares_of_halves_overflow(halves(&[300.0, 300.0]), halves(&[f64::INFINITY]), Gives::Infinity, Question::HalfAccumulation)]
#[case::squares_of_halves_vanish(halves(&[1e-4, 1e-4]), halves(&[0.0]), Gives::Zero, Question::HalfAccumulation)]
#[case::digits_are_lost_to_underflow(vector(&[1e-22_f32, 1.5e-22]), tensor(&[], &[1.799_4e-22_f32]), Gives::Other, Question::FloatRange)]
#[case::the_sum_wraps_below_zero(vector(&[40_000_i32, -30_000]), tensor(&[], &[0_i32]), Gives::Zero, Question::IntegerL2Intermediate)]
#[case::the_sum_wraps(vector(&[16_i8, 4]), tensor(&[], &[4_i8]), Gives::Other, Question::IntegerL2Intermediate)]
#[case::the_sum_stops(vector(&[40_000_i32, -30_000]), tensor(&[], &[46_340_i32]), Gives::Other, Question::IntegerL2Intermediate)]
fn an_accepted_l2_norm_that_is_another_number_is_a_hazard(
    #[case] data: Tensor,
    #[case] answer: Tensor,
    #[case] gives: Gives,
    #[case] question: Question,
) {
    let verdict = judged(openvino(Norm::L2, data, &[0]), answer);
    let hazard = verdict.hazard().unwrap_or_else(|| panic!("{verdict:?}"));
    assert_eq!((hazard.gives, &hazard.allowed_by[..]), (gives, &[vec![question]][..]));
}

#[test]
fn a_sum_that_f32_rounds_is_a_hazard_of_integers() {
    let operator =
        Operator::Onnx { opset: Opset::V18, norm: Norm::L2, keepdims: None, noop_with_empty_axes: None };
    let call = Call::new(operator, vector(&[16_777_217_i32]), Axes::list(&[0]));
    let answer = vector(&[16_777_216_i32]);
    let verdict = judged(call, answer);
    let hazard = verdict.hazard().unwrap_or_else(|| panic!("{verdict:?}"));
    assert_eq!(
        (hazard.gives, &hazard.allowed_by[..]),
        (Gives::Other, &[vec![Question::IntegerL2Precision]][..])
    );
}

#[rstest]
#[case::flushed_elements(vector(&[1e-40_f32, 1e-40]), tensor(&[], &[0.0_f32]), Some(Gives::Zero))]
#[case::a_norm_that_no_f32_holds(vector(&[3e38_f32, 3e38]), tensor(&[], &[f32::INFINITY]), None)]
#[case::infinity_beside_a_nan(vector(&[f32::NAN, f32::INFINITY]), tensor(&[], &[f32::INFINITY]), None)]
#[case::a_norm_that_no_i8_holds(vector(&[100_i8, 100]), tensor(&[], &[-56_i8]), None)]
#[case::the_greatest_in_its_place(vector(&[100_i8, 100]), tensor(&[], &[127_i8]), None)]
#[case::a_sum_of_halves_that_stops_growing(halves(&vec![1.0; 4096]), halves(&[2048.0]), None)]
#[case::a_cut_result(halves(&[2048.0, 1.0]), halves(&[2048.0]), None)]
fn of_l1_norms_only_those_that_their_type_holds_and_no_rounding_explains_are_hazards(
    #[case] data: Tensor,
    #[case] answer: Tensor,
    #[case] gives: Option<Gives>,
) {
    let verdict = judged(openvino(Norm::L1, data, &[0]), answer);
    assert_eq!(verdict.hazard().map(|hazard| hazard.gives), gives);
}

#[rstest]
#[case::truncated(vector(&[1_i32, 1, 1]), tensor(&[], &[1_i32]))]
#[case::rounded(vector(&[1_i32, 1, 1]), tensor(&[], &[2_i32]))]
#[case::scaled(vector(&[1e30_f32, 1e30]), tensor(&[], &[1.414_213_5e30_f32]))]
#[case::computed_again(vector(&[1e-30_f32, 1e-30]), tensor(&[], &[1.414_213_5e-30_f32]))]
#[case::halves_by_a_chain_of_hypot(halves(&[300.0; 12]), halves(&[1040.0]))]
#[case::halves_scaled(halves(&[300.0, -400.0]), halves(&[500.0]))]
fn a_norm_rounded_in_either_way_is_none(#[case] data: Tensor, #[case] answer: Tensor) {
    assert_eq!(judged(openvino(Norm::L2, data, &[0]), answer).hazard(), None);
}

fn hazards(policy: Policy) -> Vec<(HazardKind, Met<Id>)> {
    let (mut backend, mut hazards) = (Reference(policy), Hazards::default());
    for id in row(1, &normative_conformance::reference::Spec::ALL).take(3000) {
        let made = Made::of(id).unwrap();
        let answer = backend.ask(&made.call);
        let judged = Judged::of(made, answer, &Demands::default());
        if let Some(hazard) = judged.verdict.hazard() {
            hazards.add(&judged.asked.call, hazard, id);
        }
    }
    hazards.kinds()
}

#[test]
fn whoever_reads_everything_the_plain_way_has_none() {
    let found = hazards(Policy::new());
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_hazard_that_two_questions_allow_is_put_down_to_the_one_that_others_show() {
    let found = hazards(Policy::from([(Question::FloatRange, Reading::Naive)]));
    assert!(!found.is_empty());
    for (kind, met) in &found {
        assert_eq!(kind.questions, [Question::FloatRange], "{met:?}");
    }
}

#[test]
#[ignore = "weekly: it judges a run for every reading"]
fn every_reading_of_values_but_the_first_has_hazards_or_only_rounds() {
    let without = [
        Question::IntegerOverflow,
        Question::IntegerL2Rounding,
        Question::NanWithInfinity,
        Question::ResultRounding,
    ];
    for question in Question::ALL.into_iter().filter(|question| question.concerns_values()) {
        let last = question.readings()[question.readings().len() - 1];
        let mut policy = Policy::from([(question, last)]);
        crate::reference_backend::make_coherent(&mut policy);
        let found = hazards(policy);
        assert_eq!(found.is_empty(), without.contains(&question), "{question}: {found:?}");
    }
}
