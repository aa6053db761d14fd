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
#[case::beyond_the_rank(&[2])]
#[case::below_minus_the_rank(&[0, -3])]
fn axes_out_of_range_are_refused_in_its_own_words(#[case] axes: &[i64]) {
    let answer = openvino(Norm::L1, f32s(&[1, 1], &[1.0]), Axes::list(axes), false);
    assert!(matches!(&answer, Answer::Rejected(said) if said.contains("out of bounds")), "{answer:?}");
}

#[test]
fn an_axis_that_is_no_list_has_no_place() {
    let answer = openvino(Norm::L1, f32s(&[1], &[1.0]), Axes::scalar(0), false);
    assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?}");
}

#[rstest]
#[case::none(0)]
#[case::nine(9)]
fn ranks_without_an_instance_are_unsupported(#[case] rank: usize) {
    let answer = openvino(Norm::L1, f32s(&vec![1; rank], &[1.0]), Axes::list(&[]), false);
    assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?}");
}

#[rstest]
fn every_rank_loses_any_number_of_axes(#[values(1, 2, 3, 4, 5, 6, 7, 8)] rank: usize) {
    for kept in 0..rank {
        let axes: Vec<i64> = (kept as i64..rank as i64).collect();
        let data = f32s(&vec![1; rank], &[-3.0]);
        let dropped = openvino(Norm::L1, data.clone(), Axes::list(&axes), false);
        assert_eq!(dropped, Answer::Tensor(f32s(&vec![1; kept], &[3.0])));
        assert_eq!(
            openvino(Norm::L1, data, Axes::list(&axes), true),
            Answer::Tensor(f32s(&vec![1; rank], &[3.0]))
        );
    }
}

#[rstest]
fn every_type_comes_back_as_it_is(#[values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)] index: usize) {
    let zero = zero(Dtype::ALL[index]);
    assert_eq!(openvino(Norm::L1, zero.clone(), Axes::list(&[0]), true), Answer::Tensor(zero));
}

#[test]
fn an_integer_root_has_no_place() {
    let data = Tensor::from_bits(Dtype::I32, &[1], &[1]).unwrap();
    let answer = openvino(Norm::L2, data, Axes::list(&[0]), false);
    assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?}");
}

#[test]
fn the_version_is_the_one_the_lock_file_pins() {
    assert!(normative_trial::pins(include_str!("../../Cargo.lock"), "burn", VERSION));
}
