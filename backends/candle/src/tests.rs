use normative_conformance::reference::{Axes, Operator, Opset, Tensor};
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
#[case::beyond_the_rank(&[2], "sum: dimension index 2 out of range")]
#[case::below_minus_the_rank(&[-3], "sum: dimension index -3 out of range")]
#[case::twice(&[0, -2], "sum: duplicate dim index")]
fn axes_are_refused_in_its_own_words(#[case] axes: &[i64], #[case] words: &str) {
    let answer = openvino(Norm::L1, f32s(&[1, 1], &[1.0]), Axes::list(axes), false);
    assert!(matches!(&answer, Answer::Rejected(said) if said.starts_with(words)), "{answer:?}");
}

#[rstest]
fn types_it_does_not_have_are_unsupported(#[values(Dtype::I8, Dtype::U16, Dtype::U64)] dtype: Dtype) {
    let data = Tensor::from_bits(dtype, &[1], &[0]).unwrap();
    let answer = openvino(Norm::L1, data, Axes::list(&[0]), false);
    assert_eq!(answer, Answer::Unsupported(format!("candle has no {dtype}")));
}

#[rstest]
fn other_types_come_back_as_they_are(
    #[values(Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64)] dtype: Dtype,
) {
    let zero = Tensor::from_bits(dtype, &[1], &[0]).unwrap();
    assert_eq!(openvino(Norm::L2, zero.clone(), Axes::list(&[0]), true), Answer::Tensor(zero));
}

#[test]
fn the_version_is_the_one_the_lock_file_pins() {
    let lock = include_str!("../../Cargo.lock");
    assert!(lock.contains(&format!("name = \"candle-core\"\nversion = \"{VERSION}\"\n")));
}
