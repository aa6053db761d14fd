//! Calls and their translation by the helpers of every language: [`Request`](super::Request) here, `normative/axis_argument.py`
//! and `axis_argument.mjs` elsewhere. A test of each language reads this table, so that adapters agree.

use normative_backend::reference::{Axes, AxesTensor, Dtype, Norm, Operator, Opset};

/// A call's operator and axes, and its axis and flag as text; `None` if the call cannot be expressed.
pub(crate) type Vector = (Operator, Axes, Option<&'static str>);

const fn openvino(keep_dims: Option<bool>) -> Operator {
    Operator::OpenVino { norm: Norm::L1, keep_dims }
}

const fn onnx(opset: Opset, keepdims: Option<i64>, noop_with_empty_axes: Option<i64>) -> Operator {
    Operator::Onnx { norm: Norm::L1, opset, keepdims, noop_with_empty_axes }
}

fn typed(dtype: Dtype, shape: &[usize], values: &[i128]) -> Axes {
    Axes::Given(AxesTensor { dtype, shape: shape.to_vec(), values: values.to_vec() })
}

/// Returns the table.
pub(crate) fn vectors() -> Vec<Vector> {
    use Opset::{V1, V11, V13, V18};
    vec![
        // Axes are passed on as the call has them.
        (openvino(None), Axes::list(&[2, 0, -1, 2]), Some("[2, 0, -1, 2] dropped")),
        (openvino(None), Axes::list(&[0]), Some("[0] dropped")),
        (openvino(None), Axes::scalar(-1), Some("-1 dropped")),
        (openvino(None), Axes::list(&[]), Some("[] dropped")),
        (onnx(V13, None, None), Axes::scalar(0), Some("0 kept")),
        (onnx(V18, None, None), Axes::scalar(7), Some("7 kept")),
        (onnx(V13, None, None), Axes::list(&[]), Some("[] kept")),
        // An attribute that is left out gets the operator's default.
        (openvino(Some(false)), Axes::list(&[1]), Some("[1] dropped")),
        (openvino(Some(true)), Axes::list(&[1]), Some("[1] kept")),
        (onnx(V1, None, None), Axes::Absent, Some("all kept")),
        (onnx(V11, Some(0), None), Axes::Absent, Some("all dropped")),
        (onnx(V18, Some(1), None), Axes::list(&[1]), Some("[1] kept")),
        // From opset 18 on, the text defines a list without axes.
        (onnx(V18, None, None), Axes::Absent, Some("all kept")),
        (onnx(V18, None, None), Axes::Null, Some("all kept")),
        (onnx(V18, None, None), Axes::list(&[]), Some("all kept")),
        (onnx(V18, None, Some(0)), Axes::list(&[]), Some("all kept")),
        (onnx(V18, None, Some(1)), Axes::Absent, Some("[] kept")),
        (onnx(V18, None, Some(1)), Axes::Null, Some("[] kept")),
        (onnx(V18, Some(0), Some(1)), Axes::list(&[]), Some("[] dropped")),
        (onnx(V18, None, Some(1)), Axes::list(&[1]), Some("[1] kept")),
        // Axes have no type, and are one number or a list.
        (openvino(None), typed(Dtype::I32, &[1], &[0]), None),
        (openvino(None), typed(Dtype::U64, &[], &[0]), None),
        (openvino(None), typed(Dtype::F32, &[1], &[0]), None),
        (openvino(None), typed(Dtype::F32, &[0], &[]), None),
        (openvino(None), typed(Dtype::I64, &[1, 1], &[0]), None),
        (openvino(None), typed(Dtype::I64, &[0, 1], &[]), None),
        (onnx(V18, None, None), typed(Dtype::I32, &[1], &[0]), None),
        (onnx(V18, None, None), typed(Dtype::I64, &[1, 1], &[0]), None),
        (onnx(V13, None, None), typed(Dtype::F32, &[1], &[0]), None),
        // Only an input can be null, and required axes cannot be left out.
        (openvino(None), Axes::Absent, None),
        (openvino(None), Axes::Null, None),
        (onnx(V13, None, None), Axes::Null, None),
        // A flag is true or false, and exists only at its opsets.
        (onnx(V18, Some(2), None), Axes::list(&[0]), None),
        (onnx(V1, Some(-1), None), Axes::list(&[0]), None),
        (onnx(V18, None, Some(2)), Axes::list(&[0]), None),
        (onnx(V18, None, Some(-1)), Axes::Absent, None),
        (onnx(V13, None, Some(0)), Axes::list(&[0]), None),
        // Families that such sums cannot express.
        (Operator::Bnns { output_shape: vec![1] }, Axes::list(&[0]), None),
        (Operator::ArrayApi { ord: None, keepdims: None }, Axes::list(&[0]), None),
        (Operator::WebNn { norm: Norm::L1, keep_dimensions: None }, Axes::list(&[0]), None),
        (Operator::Blas { norm: Norm::L1, n: 1, incx: 1 }, Axes::Absent, None),
    ]
}
