//! Calls, and what the helpers of every language make of them: [`Request`](super::Request) here, `axis_argument.py` and
//! `axis_argument.mjs` for the other two. A test of each language reads this table, so that adapters decide alike.

use normative_backend::reference::{Axes, AxesTensor, Dtype, Norm, Operator, Opset};

/// A call's operator and axes; the axis and whether it is kept, or nothing where there is no place for the call.
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

/// The table.
pub(crate) fn vectors() -> Vec<Vector> {
    use Opset::{V1, V11, V13, V18};
    vec![
        // Axes are handed on as they were written.
        (openvino(None), Axes::list(&[2, 0, -1, 2]), Some("[2, 0, -1, 2] dropped")),
        (openvino(None), Axes::list(&[0]), Some("[0] dropped")),
        (openvino(None), Axes::scalar(-1), Some("-1 dropped")),
        (openvino(None), Axes::list(&[]), Some("[] dropped")),
        (onnx(V13, None, None), Axes::scalar(0), Some("0 kept")),
        (onnx(V18, None, None), Axes::scalar(7), Some("7 kept")),
        (onnx(V13, None, None), Axes::list(&[]), Some("[] kept")),
        // Left out, an attribute has the operator's default.
        (openvino(Some(false)), Axes::list(&[1]), Some("[1] dropped")),
        (openvino(Some(true)), Axes::list(&[1]), Some("[1] kept")),
        (onnx(V1, None, None), Axes::Absent, Some("all kept")),
        (onnx(V11, Some(0), None), Axes::Absent, Some("all dropped")),
        (onnx(V18, Some(1), None), Axes::list(&[1]), Some("[1] kept")),
        // From opset 18 on, the text says what a list without axes means.
        (onnx(V18, None, None), Axes::Absent, Some("all kept")),
        (onnx(V18, None, None), Axes::Null, Some("all kept")),
        (onnx(V18, None, None), Axes::list(&[]), Some("all kept")),
        (onnx(V18, None, Some(0)), Axes::list(&[]), Some("all kept")),
        (onnx(V18, None, Some(1)), Axes::Absent, Some("[] kept")),
        (onnx(V18, None, Some(1)), Axes::Null, Some("[] kept")),
        (onnx(V18, Some(0), Some(1)), Axes::list(&[]), Some("[] dropped")),
        (onnx(V18, None, Some(1)), Axes::list(&[1]), Some("[1] kept")),
        // Axes have no type, and are one or a list.
        (openvino(None), typed(Dtype::I32, &[1], &[0]), None),
        (openvino(None), typed(Dtype::U64, &[], &[0]), None),
        (openvino(None), typed(Dtype::F32, &[1], &[0]), None),
        (openvino(None), typed(Dtype::F32, &[0], &[]), None),
        (openvino(None), typed(Dtype::I64, &[1, 1], &[0]), None),
        (openvino(None), typed(Dtype::I64, &[0, 1], &[]), None),
        (onnx(V18, None, None), typed(Dtype::I32, &[1], &[0]), None),
        (onnx(V18, None, None), typed(Dtype::I64, &[1, 1], &[0]), None),
        (onnx(V13, None, None), typed(Dtype::F32, &[1], &[0]), None),
        // Only an input can be null, and none is left out of what must be given.
        (openvino(None), Axes::Absent, None),
        (openvino(None), Axes::Null, None),
        (onnx(V13, None, None), Axes::Null, None),
        // A flag is true or false, and there is none that the opset does not have.
        (onnx(V18, Some(2), None), Axes::list(&[0]), None),
        (onnx(V1, Some(-1), None), Axes::list(&[0]), None),
        (onnx(V18, None, Some(2)), Axes::list(&[0]), None),
        (onnx(V18, None, Some(-1)), Axes::Absent, None),
        (onnx(V13, None, Some(0)), Axes::list(&[0]), None),
        // Families of which no sum has a form.
        (Operator::Bnns { output_shape: vec![1] }, Axes::list(&[0]), None),
        (Operator::ArrayApi { ord: None, keepdims: None }, Axes::list(&[0]), None),
        (Operator::WebNn { norm: Norm::L1, keep_dimensions: None }, Axes::list(&[0]), None),
        (Operator::Blas { norm: Norm::L1, n: 1, incx: 1 }, Axes::Absent, None),
    ]
}
