//! What the tests of every adapter ask: calls whose answers are small whole numbers that any runtime gets right, so
//! that a wrong one is a wrong translation.
//!
//! Not a judgement of runtimes: that is the corpus. Only tests use it, so what is wrong here panics.

#![allow(clippy::unwrap_used, reason = "only tests use it")]

use normative_backend::reference::{Axes, Call, Dtype, Norm, Operator, Opset, Tensor};
use normative_backend::{Answer, Backend};

/// f32 elements, row-major.
///
/// # Panics
/// When they are more or fewer than the dims say.
pub fn f32s(shape: &[usize], elements: &[f32]) -> Tensor {
    let bits: Vec<u64> = elements.iter().map(|x| x.to_bits().into()).collect();
    Tensor::from_bits(Dtype::F32, shape, &bits).unwrap()
}

/// One element, which is zero.
///
/// # Panics
/// Never.
pub fn zero(dtype: Dtype) -> Tensor {
    Tensor::from_bits(dtype, &[1], &[0]).unwrap()
}

/// A call of OpenVINO's operator.
pub fn openvino(norm: Norm, data: Tensor, axes: Axes, keep_dims: bool) -> Call {
    Call::new(Operator::OpenVino { norm, keep_dims: Some(keep_dims) }, data, axes)
}

/// A call of ONNX's operator.
pub fn onnx(norm: Norm, opset: Opset, keepdims: Option<i64>, data: Tensor, axes: Axes) -> Call {
    Call::new(Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes: None }, data, axes)
}

/// What becomes of the rows 3, -4 and 5, 12: the norm, the axes, whether they are kept; dims and elements.
type Row = (Norm, &'static [i64], bool, &'static [usize], &'static [f32]);

const ROWS: [Row; 5] = [
    (Norm::L1, &[1], false, &[2], &[7.0, 17.0]),
    (Norm::L1, &[-2], false, &[2], &[8.0, 16.0]),
    (Norm::L2, &[-1], true, &[2, 1], &[5.0, 13.0]),
    (Norm::L1, &[1, 0], false, &[], &[24.0]),
    (Norm::L1, &[0, 1], true, &[1, 1], &[24.0]),
];

/// Whether the norm, the axes and what becomes of them arrive as they were called for, and all axes where none are
/// named.
///
/// # Panics
/// When they do not.
pub fn of_sums(backend: &mut dyn Backend) {
    for (norm, axes, keep, shape, elements) in ROWS {
        let call = openvino(norm, f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]), Axes::list(axes), keep);
        assert_eq!(backend.answer(&call), Answer::Tensor(f32s(shape, elements)), "{call:?}");
    }
    let absent = onnx(Norm::L2, Opset::V13, Some(0), f32s(&[2, 1], &[3.0, -4.0]), Axes::Absent);
    assert_eq!(backend.answer(&absent), Answer::Tensor(f32s(&[], &[5.0])));
}

/// Whether a model of every opset arrives as it was called for, with the dims kept where nothing is said.
///
/// # Panics
/// When one does not.
pub fn of_models(backend: &mut dyn Backend) {
    for opset in Opset::ALL {
        for (norm, axes, keep, shape, elements) in ROWS {
            if opset == Opset::V1 && axes.iter().any(|&axis| axis < 0) {
                // That text does not say that axes may be counted from the end.
                continue;
            }
            let data = f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]);
            let keepdims = if keep { None } else { Some(0) };
            let call = onnx(norm, opset, keepdims, data, Axes::list(axes));
            assert_eq!(backend.answer(&call), Answer::Tensor(f32s(shape, elements)), "{call:?}");
        }
    }
}

/// What becomes of four elements where a norm is of everything and is one number: the norm, the dims, the axes, whether
/// they are kept; dims of the result and its element.
type Number = (Norm, &'static [usize], &'static [i64], bool, &'static [usize], f32);

const NUMBERS: [Number; 4] = [
    (Norm::L1, &[4], &[0], false, &[], 23.0),
    (Norm::L1, &[4], &[0], true, &[1], 23.0),
    (Norm::L1, &[2, 2], &[1, 0], false, &[], 23.0),
    (Norm::L2, &[1, 4], &[0, 1], true, &[1, 1], 15.0),
];

/// Whether the norm of everything arrives, and nothing else is taken for it.
///
/// # Panics
/// When it does not, or anything else is.
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

/// Whether a call is declined.
///
/// # Panics
/// When it is answered in any other way.
pub fn is_unsupported(backend: &mut dyn Backend, call: &Call) {
    let answer = backend.answer(call);
    assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?} to {call:?}");
}

/// Whether a lock file pins this version of a crate.
pub fn pins(lock: &str, name: &str, version: &str) -> bool {
    let (name, version) = (format!("name = \"{name}\""), format!("version = \"{version}\""));
    lock.lines().zip(lock.lines().skip(1)).any(|(one, next)| one == name && next == version)
}
