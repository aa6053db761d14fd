//! Tests readings that accept all that another one does: no answer tells them that their steps never give.

use half::f16;
use normative_conformance::reference::{Choice, Norm, Question, Reading, Tensor};
use normative_conformance::{Demands, Observed, Sheet, Verdict, judge};
use rstest::rstest;

use crate::calls::{openvino, scalar, vector};

const FLUSHED: Choice = Choice { question: Question::Subnormals, reading: Reading::ResultsFlushed };

#[rstest]
#[case::a_subnormal_number_was_not_flushed(vector(&[1e-40_f32]), scalar(1e-40_f32), FLUSHED, false)]
#[case::zero_was(vector(&[1e-40_f32]), scalar(0.0_f32), FLUSHED, true)]
#[case::a_conversion_may_give_a_subnormal(vector(&[f16::from_bits(1); 3]), scalar(f16::from_bits(3)), FLUSHED, true)]
fn an_answer_tells_no_reading_whose_steps_never_give_it(
    #[case] data: Tensor,
    #[case] answer: Observed,
    #[case] wider: Choice,
    #[case] tells: bool,
) {
    let call = openvino(Norm::L1, data, &[0]);
    let sheet = Sheet::of(&call).unwrap();
    let Verdict::Conforms { accepting, .. } = judge(&sheet, &answer, &Demands::default()) else { panic!() };
    let combinations = accepting.combinations();
    let may_be = combinations.is_empty() || combinations.iter().any(|choices| choices.contains(&wider));
    assert_eq!(may_be, tells, "{combinations:?}");
    // Its bounds still accept the answer, so the verdict stays where that reading is demanded.
    let demands = Demands { readings: vec![wider], ..Demands::default() };
    let demanded = judge(&sheet, &answer, &demands);
    assert!(!demanded.is_failure(), "{demanded:?}");
}
