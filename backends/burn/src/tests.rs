use normative_conformance::reference::Tensor;
use normative_conformance::reference::{Axes, AxesTensor, Operator, Opset};
use rstest::rstest;

use super::{Tensor as _, *};

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
fn axes_out_of_range_are_refused_in_its_own_words(#[case] axes: &[i64]) {
    let answer = openvino(Norm::L1, f32s(&[1, 1], &[1.0]), Axes::list(axes), false);
    assert!(matches!(&answer, Answer::Rejected(said) if said.contains("out of bounds")), "{answer:?}");
}

#[test]
fn axes_beyond_64_bits_have_no_place() {
    let axes = AxesTensor { dtype: Dtype::U64, shape: vec![1], values: vec![i128::from(u64::MAX)] };
    let answer = openvino(Norm::L1, f32s(&[1], &[1.0]), Axes::Given(axes), false);
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
    let zero = Tensor::from_bits(Dtype::ALL[index], &[1], &[0]).unwrap();
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
    let lock = include_str!("../../Cargo.lock");
    assert!(lock.contains(&format!("name = \"burn\"\nversion = \"{VERSION}\"\n")));
}
