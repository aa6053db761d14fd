//! Calls for the tests of every adapter. Any runtime gets their answers, small whole numbers, right, so a
//! wrong one shows a wrong translation.
//!
//! The corpus judges runtimes, not these calls. Only tests use this crate, so it panics on errors.

#![allow(clippy::unwrap_used, reason = "only tests use it")]

use normative_backend::reference::{Axes, Call, Dtype, Norm, Operator, Opset, Tensor};
use normative_backend::{Answer, Backend};

/// Returns f32 elements, row-major.
///
/// # Panics
/// If the elements do not fill the dims.
pub fn f32s(shape: &[usize], elements: &[f32]) -> Tensor {
    let bits: Vec<u64> = elements.iter().map(|x| x.to_bits().into()).collect();
    Tensor::from_bits(Dtype::F32, shape, &bits).unwrap()
}

/// Returns a tensor of one zero.
///
/// # Panics
/// Never.
pub fn zero(dtype: Dtype) -> Tensor {
    Tensor::from_bits(dtype, &[1], &[0]).unwrap()
}

/// Returns a call of OpenVINO's operator.
pub fn openvino(norm: Norm, data: Tensor, axes: Axes, keep_dims: bool) -> Call {
    Call::new(Operator::OpenVino { norm, keep_dims: Some(keep_dims) }, data, axes)
}

/// Returns a call of ONNX's operator.
pub fn onnx(norm: Norm, opset: Opset, keepdims: Option<i64>, data: Tensor, axes: Axes) -> Call {
    Call::new(Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes: None }, data, axes)
}

/// A reduction of the rows 3, -4 and 5, 12: norm, axes, flag to keep them; dims and elements of the result.
type Row = (Norm, &'static [i64], bool, &'static [usize], &'static [f32]);

const ROWS: [Row; 5] = [
    (Norm::L1, &[1], false, &[2], &[7.0, 17.0]),
    (Norm::L1, &[-2], false, &[2], &[8.0, 16.0]),
    (Norm::L2, &[-1], true, &[2, 1], &[5.0, 13.0]),
    (Norm::L1, &[1, 0], false, &[], &[24.0]),
    (Norm::L1, &[0, 1], true, &[1, 1], &[24.0]),
];

/// Tests that the norm, the axes and the flag arrive as in the call, and that absent axes mean all.
///
/// # Panics
/// If they do not.
pub fn of_sums(backend: &mut dyn Backend) {
    for (norm, axes, keep, shape, elements) in ROWS {
        let call = openvino(norm, f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]), Axes::list(axes), keep);
        assert_eq!(backend.answer(&call), Answer::Tensor(f32s(shape, elements)), "{call:?}");
    }
    let absent = onnx(Norm::L2, Opset::V13, Some(0), f32s(&[2, 1], &[3.0, -4.0]), Axes::Absent);
    assert_eq!(backend.answer(&absent), Answer::Tensor(f32s(&[], &[5.0])));
}

/// Tests that a model of every opset arrives as in the call, and that dims are kept by default.
///
/// # Panics
/// If one does not.
pub fn of_models(backend: &mut dyn Backend) {
    for opset in Opset::ALL {
        for (norm, axes, keep, shape, elements) in ROWS {
            if opset == Opset::V1 && axes.iter().any(|&axis| axis < 0) {
                // Opset 1 does not state that axes may count from the end.
                continue;
            }
            let data = f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]);
            let keepdims = if keep { None } else { Some(0) };
            let call = onnx(norm, opset, keepdims, data, Axes::list(axes));
            assert_eq!(backend.answer(&call), Answer::Tensor(f32s(shape, elements)), "{call:?}");
        }
    }
}

/// A norm of four elements as one number: the norm, the dims, the axes, the flag to keep them; dims of the
/// result and its element.
type Number = (Norm, &'static [usize], &'static [i64], bool, &'static [usize], f32);

const NUMBERS: [Number; 4] = [
    (Norm::L1, &[4], &[0], false, &[], 23.0),
    (Norm::L1, &[4], &[0], true, &[1], 23.0),
    (Norm::L1, &[2, 2], &[1, 0], false, &[], 23.0),
    (Norm::L2, &[1, 4], &[0, 1], true, &[1, 1], 15.0),
];

/// Tests that the norm of the whole tensor is right, and that other calls are unsupported.
///
/// # Panics
/// If one is not.
pub fn of_everything(backend: &mut dyn Backend) {
    for (norm, dims, axes, keep, shape, element) in NUMBERS {
        let call = openvino(norm, f32s(dims, &[10.0, -2.0, 11.0, 0.0]), Axes::list(axes), keep);
        assert_eq!(backend.answer(&call), Answer::Tensor(f32s(shape, &[element])), "{call:?}");
    }
    let absent = onnx(Norm::L2, Opset::V13, Some(0), f32s(&[2], &[3.0, -4.0]), Axes::Absent);
    assert_eq!(backend.answer(&absent), Answer::Tensor(f32s(&[], &[5.0])));
    let others: [(&[usize], &[i64]); 5] =
        [(&[2, 2], &[1]), (&[4], &[]), (&[4], &[-1]), (&[], &[]), (&[2, 2, 1], &[0, 1, 2])];
    for (dims, axes) in others {
        let elements = vec![1.0; dims.iter().product()];
        is_unsupported(backend, &openvino(Norm::L1, f32s(dims, &elements), Axes::list(axes), false));
    }
    for dtype in [Dtype::F16, Dtype::Bf16, Dtype::I32, Dtype::U64] {
        is_unsupported(backend, &openvino(Norm::L1, zero(dtype), Axes::list(&[0]), false));
    }
}

/// Tests that a call is declined.
///
/// # Panics
/// If it gets any other answer.
pub fn is_unsupported(backend: &mut dyn Backend, call: &Call) {
    let answer = backend.answer(call);
    assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?} to {call:?}");
}

/// Returns true if a lock file pins this version of a crate.
pub fn pins(lock: &str, name: &str, version: &str) -> bool {
    let (name, version) = (format!("name = \"{name}\""), format!("version = \"{version}\""));
    lock.lines().zip(lock.lines().skip(1)).any(|(one, next)| one == name && next == version)
}
