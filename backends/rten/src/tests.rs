use normative_conformance::reference::{Axes, Dtype, Norm, Operator, Opset};
use rstest::rstest;

use super::*;

fn onnx(norm: Norm, opset: Opset, keepdims: Option<i64>) -> Operator {
    Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes: None }
}

fn f32s(shape: &[usize], elements: &[f32]) -> Tensor {
    let bits: Vec<u64> = elements.iter().map(|x| x.to_bits().into()).collect();
    Tensor::from_bits(Dtype::F32, shape, &bits).unwrap()
}

#[rstest]
#[case::one(Norm::L1, &[1], Some(0), &[2], &[7.0, 17.0])]
#[case::from_the_end(Norm::L1, &[-2], Some(0), &[2], &[8.0, 16.0])]
#[case::kept_by_default(Norm::L2, &[1], None, &[2, 1], &[5.0, 13.0])]
#[case::both(Norm::L1, &[1, 0], Some(0), &[], &[24.0])]
fn the_model_says_what_the_call_says(
    #[case] norm: Norm,
    #[case] axes: &[i64],
    #[case] keepdims: Option<i64>,
    #[case] shape: &[usize],
    #[case] sums: &[f32],
    #[values(Opset::V1, Opset::V11, Opset::V13, Opset::V18)] opset: Opset,
) {
    let data = f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]);
    let call = Call { operator: onnx(norm, opset, keepdims), data, axes: Axes::list(axes) };
    assert_eq!(backend().answer(&call), Answer::Tensor(f32s(shape, sums)));
}

#[test]
fn an_axis_out_of_range_is_refused_in_its_own_words() {
    let operator = onnx(Norm::L1, Opset::V18, None);
    let call = Call { operator, data: f32s(&[1], &[1.0]), axes: Axes::list(&[2]) };
    let answer = backend().answer(&call);
    assert!(
        matches!(&answer, Answer::Rejected(words) if words.contains("Axis 2 is out of range")),
        "{answer:?}"
    );
}

#[rstest]
#[case::i64(onnx(Norm::L1, Opset::V13, None), Dtype::I64)]
#[case::f64(onnx(Norm::L1, Opset::V13, None), Dtype::F64)]
#[case::another_standard(Operator::OpenVino { norm: Norm::L1, keep_dims: None }, Dtype::F32)]
fn what_has_no_place_is_unsupported(#[case] operator: Operator, #[case] dtype: Dtype) {
    let data = Tensor::from_bits(dtype, &[1], &[0]).unwrap();
    let answer = backend().answer(&Call { operator, data, axes: Axes::list(&[0]) });
    assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?}");
}

#[test]
fn the_version_is_the_one_the_lock_file_pins() {
    let lock = include_str!("../../Cargo.lock");
    assert!(lock.contains(&format!("name = \"rten\"\nversion = \"{VERSION}\"\n")));
}
