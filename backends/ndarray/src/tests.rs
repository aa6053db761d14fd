use half::bf16;
use ndarray::{ArrayD, IxDyn, arr0, arr1, arr2};
use normative_backend::reference::{Axes, AxesTensor, Norm, Opset};
use rstest::rstest;

use super::*;

fn openvino(norm: Norm, keep_dims: Option<bool>) -> Operator {
    Operator::OpenVino { norm, keep_dims }
}

fn onnx(norm: Norm, opset: Opset, noop_with_empty_axes: Option<i64>) -> Operator {
    Operator::Onnx { norm, opset, keepdims: Some(0), noop_with_empty_axes }
}

fn answer(operator: Operator, data: impl Into<Tensor>, axes: Axes) -> Answer {
    backend().answer(&Call::new(operator, data.into(), axes))
}

fn rejected(answer: &Answer) -> bool {
    matches!(answer, Answer::Rejected(_))
}

#[rstest]
#[case::rows(&[-1], Some(false), &[2], &[7.0, 17.0])]
#[case::columns(&[0], None, &[2], &[8.0, 16.0])]
#[case::kept(&[1, 0, -1], Some(true), &[1, 1], &[24.0])]
fn openvino_sums_magnitudes_over_axes(
    #[case] axes: &[i64],
    #[case] keep: Option<bool>,
    #[case] shape: &[usize],
    #[case] sums: &[f32],
) {
    let data = arr2(&[[3.0_f32, -4.0], [5.0, 12.0]]).into_dyn();
    let expected = ArrayD::from_shape_vec(IxDyn(shape), sums.to_vec()).unwrap();
    assert_eq!(answer(openvino(Norm::L1, keep), data, Axes::list(axes)), Answer::Tensor(expected.into()));
}

#[test]
fn empty_axes_are_the_identity_for_openvino_and_everything_for_onnx() {
    let data = arr1(&[3.0_f32, -4.0]).into_dyn();
    let unchanged = Answer::Tensor(data.clone().into());
    let norm = Answer::Tensor(arr0(5.0_f32).into_dyn().into());
    assert_eq!(answer(openvino(Norm::L2, None), data.clone(), Axes::list(&[])), unchanged);
    for opset in Opset::ALL {
        assert_eq!(answer(onnx(Norm::L2, opset, None), data.clone(), Axes::list(&[])), norm);
        assert_eq!(answer(onnx(Norm::L2, opset, None), data.clone(), Axes::Absent), norm);
    }
    assert_eq!(answer(onnx(Norm::L2, Opset::V18, Some(1)), data.clone(), Axes::Null), unchanged);
    assert!(rejected(&answer(onnx(Norm::L2, Opset::V13, Some(1)), data, Axes::Absent)));
}

#[rstest]
#[case::scalar_counts_as_a_list_of_one(Axes::scalar(0), false)]
#[case::beyond_the_rank(Axes::list(&[1]), true)]
#[case::below_minus_the_rank(Axes::list(&[-2]), true)]
#[case::beyond_any_integer(Axes::Given(AxesTensor { dtype: Dtype::I64, shape: vec![1], values: vec![i128::MAX] }), true)]
#[case::of_floats(Axes::Given(AxesTensor { dtype: Dtype::F32, shape: vec![1], values: vec![0] }), true)]
#[case::absent(Axes::Absent, true)]
#[case::null(Axes::Null, true)]
fn openvino_refuses_axes_it_cannot_use(#[case] axes: Axes, #[case] refused: bool) {
    let data = arr1(&[1_i8, 2]).into_dyn();
    assert_eq!(rejected(&answer(openvino(Norm::L1, None), data, axes)), refused);
}

#[test]
fn integer_roots_are_exact_where_f64_is_not() {
    let root = 3_037_000_499_i64;
    let data = arr1(&[i64::MAX, 0]).into_dyn();
    assert_eq!(
        answer(openvino(Norm::L2, None), data, Axes::list(&[0])),
        Answer::Tensor(arr0(i64::MAX).into_dyn().into())
    );
    let squares = arr1(&[root, -root, root, root]).into_dyn();
    assert_eq!(
        answer(openvino(Norm::L2, None), squares, Axes::list(&[0])),
        Answer::Tensor(arr0(2 * root).into_dyn().into())
    );
    assert_eq!(
        answer(openvino(Norm::L2, None), arr1(&[2_u8, 2]).into_dyn(), Axes::list(&[0])),
        Answer::Tensor(arr0(2_u8).into_dyn().into())
    );
}

#[test]
fn what_an_integer_type_cannot_hold_is_its_maximum() {
    let most = arr1(&[u64::MAX, u64::MAX]).into_dyn();
    for norm in [Norm::L1, Norm::L2] {
        assert_eq!(
            answer(openvino(norm, None), arr1(&[i8::MIN]).into_dyn(), Axes::list(&[0])),
            Answer::Tensor(arr0(i8::MAX).into_dyn().into())
        );
        assert_eq!(
            answer(openvino(norm, None), most.clone(), Axes::list(&[0])),
            Answer::Tensor(arr0(u64::MAX).into_dyn().into())
        );
    }
}

#[test]
fn halves_are_summed_in_f32() {
    let ones = ArrayD::from_elem(IxDyn(&[1000]), bf16::ONE);
    assert_eq!(
        answer(openvino(Norm::L1, None), ones, Axes::list(&[0])),
        Answer::Tensor(arr0(bf16::from_f32(1000.0)).into_dyn().into())
    );
}

#[rstest]
#[case::channels(&[2], &[3, 2], &[1005.0378_f32, 2010.0756, 3015.1135, 4020.1511, 5025.189, 6030.227])]
#[case::width_and_channels(&[0, 2], &[2], &[3760.507, 8819.171])]
#[case::twice_named_is_once(&[2, 0, 2], &[2], &[3760.507, 8819.171])]
#[case::everything(&[], &[1], &[9587.449])]
fn bnns_counts_axes_from_the_fastest(
    #[case] axes: &[i64],
    #[case] output: &[usize],
    #[case] expected: &[f32],
) {
    let powers = |channel: i32| 10_f32.powi(channel);
    let data = ArrayD::from_shape_fn(IxDyn(&[4, 2, 3]), |at| {
        (1 + at[2] + 3 * at[1]) as f32 * powers(i32::try_from(at[0]).unwrap())
    });
    let operator = |output: &[usize]| Operator::Bnns { output_shape: output.to_vec() };
    let Answer::Tensor(Tensor::F32(norms)) = answer(operator(output), data.clone(), Axes::list(axes)) else {
        panic!("no norms")
    };
    assert_eq!(norms.len(), expected.len());
    assert!(norms.iter().zip(expected).all(|(x, y)| (x / y - 1.0).abs() < 1e-6), "{norms}");
    assert!(rejected(&answer(operator(&[7]), data.clone(), Axes::list(axes))));
    assert!(rejected(&answer(operator(output), data, Axes::list(&[-1]))));
}

#[test]
fn bnns_refuses_axes_and_data_it_does_not_know() {
    let operator = || Operator::Bnns { output_shape: vec![1] };
    for axis in [i128::MIN, -1, 1, i128::MAX] {
        let axes = AxesTensor { dtype: Dtype::I64, shape: vec![1], values: vec![axis] };
        assert!(rejected(&answer(operator(), arr1(&[1.0_f32]).into_dyn(), Axes::Given(axes))), "{axis}");
    }
    assert!(rejected(&answer(operator(), arr1(&[1.0_f64]).into_dyn(), Axes::Absent)));
    assert!(rejected(&answer(operator(), arr0(1.0_f32).into_dyn(), Axes::Absent)));
}
