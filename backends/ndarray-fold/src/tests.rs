use normative_conformance::reference::{Axes, Dtype, Operator, Opset};
use rstest::rstest;

use super::*;

fn openvino(norm: Norm, data: Tensor, axes: Axes, keep_dims: bool) -> Answer {
    backend().answer(&Call { operator: Operator::OpenVino { norm, keep_dims: Some(keep_dims) }, data, axes })
}

fn f32s(shape: &[usize], elements: &[f32]) -> Tensor {
    let bits: Vec<u64> = elements.iter().map(|x| x.to_bits().into()).collect();
    Tensor::from_bits(Dtype::F32, shape, &bits).unwrap()
}

#[rstest]
#[case::one(Norm::L1, &[1], false, &[2], &[7.0, 17.0])]
#[case::from_the_end(Norm::L1, &[-2], false, &[2], &[8.0, 16.0])]
#[case::kept(Norm::L1, &[1], true, &[2, 1], &[7.0, 17.0])]
#[case::both(Norm::L1, &[1, 0], false, &[], &[24.0])]
#[case::a_root(Norm::L2, &[-1], false, &[2], &[5.0, 13.0])]
fn sums_are_over_the_axes_named(
    #[case] norm: Norm,
    #[case] axes: &[i64],
    #[case] keep: bool,
    #[case] shape: &[usize],
    #[case] sums: &[f32],
) {
    let data = f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]);
    assert_eq!(openvino(norm, data, Axes::list(axes), keep), Answer::Tensor(f32s(shape, sums)));
}

#[test]
fn axes_left_out_are_all_of_them() {
    let operator =
        Operator::Onnx { norm: Norm::L2, opset: Opset::V13, keepdims: Some(0), noop_with_empty_axes: None };
    let call = Call { operator, data: f32s(&[2, 1], &[3.0, -4.0]), axes: Axes::Absent };
    assert_eq!(backend().answer(&call), Answer::Tensor(f32s(&[], &[5.0])));
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
    // 256 is where bf16 no longer tells one more.
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
    let lock = include_str!("../../Cargo.lock");
    assert!(lock.contains(&format!("name = \"ndarray\"\nversion = \"{VERSION}\"\n")));
}
