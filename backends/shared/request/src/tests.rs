use normative_backend::reference::Tensor;
use rstest::rstest;

use super::*;

fn request(operator: Operator, axes: Axes) -> Result<(Option<Vec<i128>>, bool), String> {
    let data = Tensor::from_bits(Dtype::F32, &[1, 1], &[0]).unwrap();
    let call = Call { operator, data, axes };
    Request::of(&call).map(|request| match request.axes {
        Wanted::All => (None, request.keep),
        Wanted::Listed(axes) => (Some(axes.to_vec()), request.keep),
    })
}

fn openvino(keep_dims: Option<bool>) -> Operator {
    Operator::OpenVino { norm: Norm::L1, keep_dims }
}

fn onnx(opset: Opset, keepdims: Option<i64>, noop_with_empty_axes: Option<i64>) -> Operator {
    Operator::Onnx { norm: Norm::L2, opset, keepdims, noop_with_empty_axes }
}

fn axes(dtype: Dtype, shape: &[usize], values: &[i128]) -> Axes {
    Axes::Given(AxesTensor { dtype, shape: shape.to_vec(), values: values.to_vec() })
}

#[rstest]
#[case::openvino_drops_them(openvino(None), false)]
#[case::openvino_kept(openvino(Some(true)), true)]
#[case::onnx_keeps_them(onnx(Opset::V1, None, None), true)]
#[case::onnx_dropped(onnx(Opset::V18, Some(0), None), false)]
fn what_becomes_of_axes_has_the_operators_default(#[case] operator: Operator, #[case] keep: bool) {
    assert_eq!(request(operator, Axes::list(&[1])), Ok((Some(vec![1]), keep)));
}

#[rstest]
#[case::listed(openvino(None), Axes::list(&[9, -7, 9]), Some(vec![9, -7, 9]))]
#[case::of_any_integer_type(openvino(None), axes(Dtype::U64, &[1], &[i128::MAX]), Some(vec![i128::MAX]))]
#[case::scalar(openvino(None), Axes::scalar(-1), Some(vec![-1]))]
#[case::empty(openvino(None), Axes::list(&[]), Some(vec![]))]
#[case::empty_attribute(onnx(Opset::V13, None, None), Axes::list(&[]), Some(vec![]))]
#[case::empty_input(onnx(Opset::V18, None, None), Axes::list(&[]), None)]
#[case::empty_input_of_a_noop(onnx(Opset::V18, None, Some(1)), Axes::list(&[]), Some(vec![]))]
#[case::absent(onnx(Opset::V1, None, None), Axes::Absent, None)]
#[case::null(onnx(Opset::V18, None, Some(0)), Axes::Null, None)]
#[case::null_in_a_noop(onnx(Opset::V18, None, Some(1)), Axes::Null, Some(vec![]))]
fn axes_are_handed_on_as_written(
    #[case] operator: Operator,
    #[case] axes: Axes,
    #[case] wanted: Option<Vec<i128>>,
) {
    assert_eq!(request(operator, axes).unwrap().0, wanted);
}

#[rstest]
#[case::openvino_without_axes(openvino(None), Axes::Absent)]
#[case::null_attribute(onnx(Opset::V13, None, None), Axes::Null)]
#[case::axes_of_floats(openvino(None), axes(Dtype::F32, &[1], &[0]))]
#[case::axes_of_two_dims(openvino(None), axes(Dtype::I64, &[1, 1], &[0]))]
#[case::onnx_axes_of_another_type(onnx(Opset::V18, None, None), axes(Dtype::I32, &[1], &[0]))]
#[case::onnx_axis_that_is_no_list(onnx(Opset::V18, None, None), Axes::scalar(0))]
#[case::attribute_of_a_later_opset(onnx(Opset::V13, None, Some(0)), Axes::Absent)]
#[case::flag_of_two(onnx(Opset::V18, Some(2), None), Axes::Absent)]
#[case::noop_of_two(onnx(Opset::V18, None, Some(2)), Axes::Absent)]
#[case::bnns(Operator::Bnns { output_shape: vec![1] }, Axes::Absent)]
fn what_has_no_place_is_said(#[case] operator: Operator, #[case] axes: Axes) {
    assert!(!request(operator, axes).unwrap_err().is_empty());
}

#[test]
fn a_type_the_operator_leaves_out_has_no_place() {
    let call = |opset| {
        let data = Tensor::from_bits(Dtype::Bf16, &[1], &[0]).unwrap();
        Call { operator: onnx(opset, None, None), data, axes: Axes::Absent }
    };
    assert!(Request::of(&call(Opset::V11)).is_err());
    assert!(Request::of(&call(Opset::V13)).is_ok());
}

#[rstest]
#[case::in_any_order(&[1, 0], 2, true)]
#[case::none_of_none(&[], 0, true)]
#[case::one_missing(&[0], 2, false)]
#[case::one_twice(&[0, 0], 2, false)]
#[case::all_and_one_twice(&[0, 1, 0], 2, false)]
#[case::counted_from_the_end(&[-1], 1, false)]
fn everything_is_each_axis_once_from_the_front(
    #[case] axes: &[i128],
    #[case] rank: usize,
    #[case] all: bool,
) {
    assert_eq!(Wanted::Listed(axes).is_everything(rank), all);
    assert!(Wanted::All.is_everything(rank));
}
