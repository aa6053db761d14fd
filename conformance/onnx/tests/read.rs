//! Tests reading of models and tensors, and of bytes that are neither.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use normative_conformance::run::property::row;
use normative_onnx::nodes::find;
use normative_onnx::read::{self, ReadError};
use normative_onnx::{AxesAs, model, tensor};
use normative_reference::{Axes, Call, Dtype, Norm, Operator, Opset, Spec, Tensor};
use rstest::rstest;

fn onnx_specs() -> Vec<Spec> {
    Spec::ALL.into_iter().filter(|spec| matches!(spec, Spec::Onnx(..))).collect()
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

#[test]
fn no_part_of_a_model_makes_it_panic() {
    let operator =
        Operator::Onnx { norm: Norm::L2, opset: Opset::V18, keepdims: Some(0), noop_with_empty_axes: None };
    let data = Tensor::from_bits(Dtype::F32, &[2], &[0, 1]).unwrap();
    let call = Call::new(operator, data, Axes::list(&[0, -1]));
    let bytes = model(&call, AxesAs::Input).unwrap().bytes;
    for length in 0..bytes.len() {
        let _ = find(&bytes[..length]);
    }
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= flip;
            let _ = find(&bytes);
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
