use normative_conformance::reference::{Axes, Dtype, Operator, Opset, Tensor};
use rstest::rstest;

use super::*;

fn answer(norm: Norm, data: Tensor, axes: Axes, keep_dims: bool) -> Answer {
    backend().answer(&Call { operator: Operator::OpenVino { norm, keep_dims: Some(keep_dims) }, data, axes })
}

fn f32s(shape: &[usize], elements: &[f32]) -> Tensor {
    let bits: Vec<u64> = elements.iter().map(|x| x.to_bits().into()).collect();
    Tensor::from_bits(Dtype::F32, shape, &bits).unwrap()
}

#[rstest]
#[case::vector(Norm::L1, &[4], &[0], false, &[], 24.0)]
#[case::vector_kept(Norm::L1, &[4], &[0], true, &[1], 24.0)]
#[case::matrix(Norm::L1, &[2, 2], &[1, 0], false, &[], 24.0)]
#[case::matrix_kept(Norm::L2, &[1, 4], &[0, 1], true, &[1, 1], 15.0)]
fn everything_is_one_number(
    #[case] norm: Norm,
    #[case] shape: &[usize],
    #[case] axes: &[i64],
    #[case] keep: bool,
    #[case] dims: &[usize],
    #[case] sum: f32,
) {
    let elements = if norm == Norm::L1 { [3.0, -4.0, 5.0, 12.0] } else { [10.0, -2.0, 11.0, 0.0] };
    let data = f32s(shape, &elements);
    assert_eq!(answer(norm, data, Axes::list(axes), keep), Answer::Tensor(f32s(dims, &[sum])));
}

#[test]
fn axes_left_out_are_everything() {
    let operator =
        Operator::Onnx { norm: Norm::L2, opset: Opset::V13, keepdims: Some(0), noop_with_empty_axes: None };
    let call = Call { operator, data: f32s(&[2], &[3.0, -4.0]), axes: Axes::Absent };
    assert_eq!(backend().answer(&call), Answer::Tensor(f32s(&[], &[5.0])));
}

#[rstest]
#[case::one_axis_of_two(&[2, 2], &[1])]
#[case::no_axis(&[4], &[])]
#[case::an_axis_from_the_end(&[4], &[-1])]
#[case::rank_0(&[], &[])]
#[case::rank_3(&[2, 2, 1], &[0, 1, 2])]
fn anything_but_a_whole_vector_or_matrix_is_unsupported(#[case] shape: &[usize], #[case] axes: &[i64]) {
    let elements = vec![1.0; shape.iter().product()];
    let answer = answer(Norm::L1, f32s(shape, &elements), Axes::list(axes), false);
    assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?}");
}

#[rstest]
fn types_but_f32_and_f64_are_unsupported(
    #[values(Dtype::F16, Dtype::Bf16, Dtype::I32, Dtype::U64)] dtype: Dtype,
) {
    let data = Tensor::from_bits(dtype, &[1], &[0]).unwrap();
    let answer = answer(Norm::L1, data, Axes::list(&[0]), false);
    assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?}");
}

#[test]
fn the_version_is_the_one_the_lock_file_pins() {
    let lock = include_str!("../../Cargo.lock");
    assert!(lock.contains(&format!("name = \"faer\"\nversion = \"{VERSION}\"\n")));
}
