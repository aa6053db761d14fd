use normative_backend::reference::{Axes, Dtype, Tensor};
use normative_trial::{f32s, zero};
use rstest::rstest;

use super::*;

fn openvino(norm: Norm, data: Tensor, axes: Axes, keep_dims: bool) -> Answer {
    backend().answer(&normative_trial::openvino(norm, data, axes, keep_dims))
}

#[test]
fn a_call_asks_what_it_says() {
    normative_trial::of_sums(&mut backend());
}

#[rstest]
#[case::beyond_the_rank(&[2], "sum: dimension index 2 out of range")]
#[case::below_minus_the_rank(&[-3], "sum: dimension index -3 out of range")]
#[case::twice(&[0, -2], "sum: duplicate dim index")]
fn axes_are_refused_in_its_own_words(#[case] axes: &[i64], #[case] words: &str) {
    let answer = openvino(Norm::L1, f32s(&[1, 1], &[1.0]), Axes::list(axes), false);
    assert!(matches!(&answer, Answer::Rejected(said) if said.starts_with(words)), "{answer:?}");
}

#[rstest]
fn types_it_does_not_have_are_unsupported(#[values(Dtype::I8, Dtype::U16, Dtype::U64)] dtype: Dtype) {
    let data = zero(dtype);
    let answer = openvino(Norm::L1, data, Axes::list(&[0]), false);
    assert_eq!(answer, Answer::Unsupported(format!("candle has no {dtype}")));
}

#[rstest]
fn other_types_come_back_as_they_are(
    #[values(Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64)] dtype: Dtype,
) {
    let zero = zero(dtype);
    assert_eq!(openvino(Norm::L2, zero.clone(), Axes::list(&[0]), true), Answer::Tensor(zero));
}

#[test]
fn the_version_is_the_one_the_lock_file_pins() {
    assert!(normative_trial::pins(include_str!("../../Cargo.lock"), "candle-core", VERSION));
}
