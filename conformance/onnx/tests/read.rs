//! Tests reading of models and tensors, and of bytes that are neither.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use normative_conformance::run::property::row;
use normative_onnx::read::{self, ReadError};
use normative_onnx::{AxesAs, DATA, Model, model, tensor};
use normative_reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator, Opset, Spec, Tensor};
use rstest::rstest;

fn onnx_specs() -> Vec<Spec> {
    Spec::ALL.into_iter().filter(|spec| matches!(spec, Spec::Onnx(..))).collect()
}

/// Compares calls by bits, because a call with a NaN is not equal to itself.
fn same(one: &Call, other: &Call) -> bool {
    let parts = |call: &Call| {
        let data = (call.data.dtype(), call.data.shape().to_vec(), call.data.bits());
        (call.operator.clone(), call.axes.clone(), data)
    };
    parts(one) == parts(other)
}

#[test]
fn every_call_that_can_be_a_model_is_read_back_from_it() {
    let mut models = 0;
    for id in row(1, &onnx_specs()).take(4000) {
        let call = id.call();
        for axes_as in [AxesAs::Initializer, AxesAs::Input] {
            let Ok(Model { bytes, axes }) = model(&call, axes_as) else { continue };
            let fed: Vec<Tensor> = std::iter::once(call.data.clone()).chain(axes).collect();
            let read = read::call(&bytes, &fed).unwrap();
            assert!(same(&read, &call), "{read:?} of {call:?}");
            models += 1;
        }
    }
    assert!(models > 6000, "{models}");
}

#[test]
fn every_tensor_is_read_back_bit_for_bit() {
    for id in row(2, &onnx_specs()).take(500) {
        let data = id.call().data;
        let (name, read) = read::tensor(&tensor("a name", &data)).unwrap();
        assert_eq!((name.as_str(), read.dtype(), read.shape()), ("a name", data.dtype(), data.shape()));
        assert_eq!(read.bits(), data.bits());
    }
}

fn call(opset: Opset, axes: Axes) -> Call {
    let operator = Operator::Onnx { norm: Norm::L2, opset, keepdims: Some(0), noop_with_empty_axes: None };
    Call::new(operator, Tensor::from_bits(Dtype::F32, &[2], &[0, 1]).unwrap(), axes)
}

#[rstest]
fn axes_in_the_form_of_another_opset_are_read_back(
    #[values(Opset::V1, Opset::V11, Opset::V13, Opset::V18)] opset: Opset,
    #[values(AxesAs::Initializer, AxesAs::Input)] axes_as: AxesAs,
    #[values(vec![], vec![-1])] values: Vec<i128>,
) {
    let axes = AxesTensor { dtype: Dtype::I64, shape: vec![values.len()], values };
    let call = call(opset, Axes::OtherForm(axes));
    let Model { bytes, axes } = model(&call, axes_as).unwrap();
    let fed: Vec<Tensor> = std::iter::once(call.data.clone()).chain(axes).collect();
    assert_eq!(read::call(&bytes, &fed), Ok(call));
}

#[test]
fn no_part_of_a_model_makes_it_panic() {
    let call = call(Opset::V18, Axes::list(&[0, -1]));
    let bytes = model(&call, AxesAs::Input).unwrap().bytes;
    for length in 0..bytes.len() {
        // A prefix may still be a message, but never this call.
        let read = read::call(&bytes[..length], std::slice::from_ref(&call.data));
        assert!(read.is_err(), "{length} of {}: {read:?}", bytes.len());
    }
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= flip;
            let _ = read::call(&bytes, std::slice::from_ref(&call.data));
            let _ = read::tensor(&bytes);
        }
    }
}

/// Returns a tensor of these dims as other writers encode it: numbers in the field of their type.
fn typed(dims: &[u8], data_type: u8, field: &[u8]) -> Vec<u8> {
    let dims = dims.iter().flat_map(|&dim| [1 << 3, dim]);
    dims.chain([2 << 3, data_type]).chain(field.iter().copied()).collect()
}

#[rstest]
#[case::packed_floats(typed(&[2], 1, &[4 << 3 | 2, 8, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]), Dtype::F32, &[0x3f80_0000, 0xc000_0000])]
#[case::floats_apart(typed(&[1], 1, &[4 << 3 | 5, 0, 0, 0x80, 0x3f]), Dtype::F32, &[0x3f80_0000])]
#[case::halves_as_integers(typed(&[2], 10, &[5 << 3 | 2, 3, 0x80, 0x78, 1]), Dtype::F16, &[0x3c00, 1])]
#[case::a_negative_byte(typed(&[1], 3, &[5 << 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), Dtype::I8, &[0xff])]
#[case::long_integers(typed(&[1], 7, &[7 << 3 | 2, 1, 9]), Dtype::I64, &[9])]
#[case::doubles(typed(&[1], 11, &[10 << 3 | 1, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]), Dtype::F64, &[0x3ff0_0000_0000_0000])]
#[case::long_unsigned(typed(&[], 13, &[11 << 3, 7]), Dtype::U64, &[7])]
fn elements_are_read_from_the_field_of_their_type(
    #[case] bytes: Vec<u8>,
    #[case] dtype: Dtype,
    #[case] bits: &[u64],
) {
    let (_, read) = read::tensor(&bytes).unwrap();
    assert_eq!((read.dtype(), read.bits()), (dtype, bits.to_vec()));
}

#[rstest]
#[case::of_text(typed(&[1], 8, &[]), ReadError::ElementType(8))]
#[case::elsewhere(typed(&[1], 1, &[14 << 3, 1]), ReadError::External)]
#[case::with_a_negative_dim(
    [vec![1 << 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], typed(&[], 1, &[])].concat(),
    ReadError::Dim(-1)
)]
#[case::cut_short(typed(&[1], 1, &[9 << 3 | 2, 9, 0]), ReadError::Truncated)]
#[case::of_groups(typed(&[1], 1, &[9 << 3 | 3]), ReadError::WireType(3))]
fn a_tensor_that_no_call_has_is_an_error(#[case] bytes: Vec<u8>, #[case] error: ReadError) {
    assert_eq!(read::tensor(&bytes), Err(error));
}

#[rstest]
fn elements_that_do_not_fill_the_dims_are_an_error(#[values(0, 3)] elements: usize) {
    let packed: Vec<u8> = [4 << 3 | 2, 4 * elements as u8].into_iter().chain(vec![0; 4 * elements]).collect();
    assert!(matches!(read::tensor(&typed(&[2], 1, &packed)), Err(ReadError::Tensor(_))));
}

#[test]
fn what_a_call_has_no_place_for_is_named() {
    let of = |call: &Call, fed: usize| {
        let Model { bytes, axes } = model(call, AxesAs::Input).unwrap();
        let tensors: Vec<Tensor> = std::iter::once(call.data.clone()).chain(axes).collect();
        read::call(&bytes, &tensors[..fed])
    };
    let axes = Axes::Given(AxesTensor { dtype: Dtype::I64, shape: vec![1], values: vec![0] });
    assert!(of(&call(Opset::V18, axes.clone()), 2).is_ok());
    let unfed = of(&call(Opset::V18, axes), 1);
    assert_eq!(unfed, Err(ReadError::NoPlace("1 tensors are fed to 2 inputs".into())));
    let mut other = model(&call(Opset::V13, Axes::Absent), AxesAs::Input).unwrap().bytes;
    let at = other.windows(8).position(|part| part == b"ReduceL2").unwrap();
    other[at..at + 8].copy_from_slice(b"ReduceLX");
    let fed = [call(Opset::V13, Axes::Absent).data];
    assert_eq!(read::call(&other, &fed), Err(ReadError::Operator("ReduceLX".into())));
    assert!(other.windows(4).any(|part| part == DATA.as_bytes()));
}

/// Each name is searched among the others, so many names would take quadratic time.
#[test]
fn more_inputs_than_any_reduction_has_are_refused() {
    let call = call(Opset::V18, Axes::Absent);
    let model = model(&call, AxesAs::Input).unwrap().bytes;
    let initializer = tensor("x", &call.data);
    let initializer = [&[5 << 3 | 2, initializer.len() as u8], &initializer[..]].concat();
    let input = [11 << 3 | 2, 3, 1 << 3 | 2, 1, b'i'];
    let graph = [input.repeat(20_000), initializer.repeat(20_000)].concat();
    let length =
        [0, 7, 14, 21].map(|shift| (graph.len() >> shift) as u8 & 0x7f | if shift < 21 { 0x80 } else { 0 });
    // Protobuf merges repeated parts of a message into one.
    let model = [&model[..], &[7 << 3 | 2], &length, &graph].concat();
    let why = "20001 tensors are fed, and a reduction has two inputs";
    assert_eq!(read::call(&model, &[call.data]), Err(ReadError::NoPlace(why.into())));
}
