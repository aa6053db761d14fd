use normative_backend::reference::{Axes, Dtype};
use normative_trial::f32s;
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
fn axes_out_of_range_are_refused(#[case] axes: &[i64]) {
    let answer = openvino(Norm::L1, f32s(&[1, 1], &[1.0]), Axes::list(axes), false);
    assert!(matches!(answer, Answer::Rejected(_)), "{answer:?}");
}

#[test]
fn an_axis_named_twice_is_folded_once_and_without_axes_each_element_is_alone() {
    let data = f32s(&[2, 1], &[3.0, -4.0]);
    let norm = |axes: &[i64]| openvino(Norm::L2, data.clone(), Axes::list(axes), false);
    assert_eq!(norm(&[0, -2]), Answer::Tensor(f32s(&[1], &[5.0])));
    assert_eq!(norm(&[]), Answer::Tensor(f32s(&[2, 1], &[3.0, 4.0])));
}

#[test]
fn halves_are_summed_in_their_own_type() {
    // At 256, adding one no longer changes a bf16.
    let ones = Tensor::from_bits(Dtype::Bf16, &[1000], &[0x3f80; 1000]).unwrap();
    let stuck = Tensor::from_bits(Dtype::Bf16, &[], &[0x4380]).unwrap();
    assert_eq!(openvino(Norm::L1, ones, Axes::list(&[0]), false), Answer::Tensor(stuck));
}

#[test]
fn integers_are_unsupported() {
    let data = Tensor::from_bits(Dtype::I32, &[1], &[1]).unwrap();
    let answer = openvino(Norm::L1, data, Axes::list(&[0]), false);
    assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?}");
}

#[test]
fn the_version_is_the_one_the_lock_file_pins() {
    assert!(normative_trial::pins(include_str!("../../Cargo.lock"), "ndarray", VERSION));
}
