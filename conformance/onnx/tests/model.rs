//! Tests the bytes of models against the encoding and the field numbers of `onnx.proto`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]
use ndarray::{ArrayD, IxDyn, arr1};
use normative_onnx::{AxesAs, Inexpressible, Model, model, tensor};
use normative_reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator, Opset, Tensor};
use rstest::rstest;

fn call(opset: Opset, axes: Axes) -> Call {
    let operator = Operator::Onnx { norm: Norm::L1, opset, keepdims: None, noop_with_empty_axes: None };
    Call::new(operator, arr1(&[1.0_f32, -2.0]).into_dyn().into(), axes)
}

fn axes(dtype: Dtype, shape: &[usize], values: &[i128]) -> Axes {
    Axes::Given(AxesTensor { dtype, shape: shape.to_vec(), values: values.to_vec() })
}

/// A field of a message: its number, and its bytes or its varint.
#[derive(Debug, PartialEq)]
enum Field {
    Integer(u64, i64),
    Bytes(u64, Vec<u8>),
    Float(u64, f32),
}

fn fields(mut bytes: &[u8]) -> Vec<Field> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        fields.push(match key & 7 {
            0 => Field::Integer(key >> 3, varint(&mut bytes).cast_signed()),
            2 => {
                let length = usize::try_from(varint(&mut bytes)).unwrap();
                let (inner, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(key >> 3, inner.to_vec())
            }
            5 => {
                let (word, rest) = bytes.split_first_chunk().unwrap();
                bytes = rest;
                Field::Float(key >> 3, f32::from_le_bytes(*word))
            }
            wire => panic!("wire type {wire}"),
        });
    }
    fields
}

/// Returns the messages or texts of one field number.
fn inner(bytes: &[u8], number: u64) -> Vec<Vec<u8>> {
    let of = |field| match field {
        Field::Bytes(at, bytes) if at == number => Some(bytes),
        _ => None,
    };
    fields(bytes).into_iter().filter_map(of).collect()
}

fn texts(bytes: &[u8], number: u64) -> Vec<String> {
    inner(bytes, number).into_iter().map(|text| String::from_utf8(text).unwrap()).collect()
}

fn graph(model: &Model) -> Vec<u8> {
    inner(&model.bytes, 7).remove(0)
}

fn node(model: &Model) -> Vec<u8> {
    inner(&graph(model), 1).remove(0)
}

#[test]
fn a_whole_model_is_these_bytes() {
    let model = model(&call(Opset::V13, Axes::list(&[-1])), AxesAs::Initializer).unwrap();
    #[rustfmt::skip]
    let expected: &[&[u8]] = &[
        b"\x08\x07", b"\x12\x09normative", b"\x3a\x60",               // ir_version 7, producer, graph
        b"\x0a\x2f",                                                   // node
            b"\x0a\x04data", b"\x12\x07reduced", b"\x22\x08ReduceL1", // input, output, op_type
            b"\x2a\x14", b"\x0a\x04axes",                              // attribute, its name
                b"\x40\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",       // ints: -1
                b"\xa0\x01\x07",                                       // type INTS
        b"\x12\x08ReduceL1",                                           // the graph's name
        b"\x5a\x12", b"\x0a\x04data", b"\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02", // input, f32, dim 2
        b"\x62\x0f", b"\x0a\x07reduced", b"\x12\x04\x0a\x02\x08\x01",  // output, f32
        b"\x42\x02\x10\x0d",                                           // opset 13
    ];
    assert_eq!(model, Model { bytes: expected.concat(), axes: None });
}

#[rstest]
#[case::opset_1(Opset::V1, 3, 1)]
#[case::opset_11(Opset::V11, 6, 11)]
#[case::opset_13(Opset::V13, 7, 13)]
#[case::opset_18(Opset::V18, 8, 18)]
fn a_model_states_the_opset_and_a_format_of_its_time(
    #[case] opset: Opset,
    #[case] ir: i64,
    #[case] version: i64,
) {
    let model = model(&call(opset, Axes::Absent), AxesAs::Initializer).unwrap();
    assert!(fields(&model.bytes).contains(&Field::Integer(1, ir)));
    assert_eq!(fields(&inner(&model.bytes, 8)[0]), [Field::Integer(2, version)]);
}

fn other_form(opset: Opset) -> Call {
    let axes = AxesTensor { dtype: Dtype::I64, shape: vec![1], values: vec![-1] };
    call(opset, Axes::OtherForm(axes))
}

#[rstest]
fn axes_in_the_form_of_opset_18_are_an_input_before_it(
    #[values(Opset::V1, Opset::V11, Opset::V13)] opset: Opset,
) {
    let fed = model(&other_form(opset), AxesAs::Input).unwrap();
    assert_eq!(texts(&node(&fed), 1), ["data", "axes"]);
    assert!(inner(&node(&fed), 5).is_empty(), "no attribute");
    assert_eq!(fed.axes.map(|axes| (axes.dtype(), axes.bits())), Some((Dtype::I64, vec![u64::MAX])));
    let constant = model(&other_form(opset), AxesAs::Initializer).unwrap();
    assert_eq!((constant.axes.is_none(), inner(&graph(&constant), 5).len()), (true, 1));
}

#[test]
fn axes_in_the_form_of_opset_13_are_an_attribute_at_18() {
    let other = model(&other_form(Opset::V18), AxesAs::Input).unwrap();
    let before = model(&call(Opset::V13, Axes::list(&[-1])), AxesAs::Input).unwrap();
    assert_eq!((node(&other), other.axes.is_none()), (node(&before), true));
}

#[test]
fn attributes_are_written_where_the_call_has_them_and_only_there() {
    for opset in [Opset::V11, Opset::V18] {
        let plain = model(&call(opset, Axes::Absent), AxesAs::Initializer).unwrap();
        assert_eq!(inner(&node(&plain), 5), Vec::<Vec<u8>>::new());
        let mut call = call(opset, Axes::Absent);
        call.operator =
            Operator::Onnx { norm: Norm::L2, opset, keepdims: Some(-3), noop_with_empty_axes: Some(1) };
        let model = model(&call, AxesAs::Initializer).unwrap();
        let attribute = |bytes: &Vec<u8>| (texts(bytes, 1).remove(0), fields(bytes));
        let attributes: Vec<_> = inner(&node(&model), 5).iter().map(attribute).collect();
        assert_eq!(attributes[0].0, "keepdims");
        assert_eq!(attributes[0].1[1..], [Field::Integer(3, -3), Field::Integer(20, 2)]);
        assert_eq!(attributes[1].0, "noop_with_empty_axes");
        assert_eq!(attributes[1].1[1..], [Field::Integer(3, 1), Field::Integer(20, 2)]);
        assert_eq!(texts(&node(&model), 4), ["ReduceL2"]);
    }
}

#[test]
fn absent_null_and_empty_axes_are_three_models() {
    let of = |axes| {
        let model = model(&call(Opset::V18, axes), AxesAs::Initializer).unwrap();
        (texts(&node(&model), 1), inner(&graph(&model), 5))
    };
    let empty = tensor("axes", &arr1::<i64>(&[]).into_dyn().into());
    assert_eq!(of(Axes::Absent), (vec!["data".into()], vec![]));
    assert_eq!(of(Axes::Null), (vec!["data".into(), String::new()], vec![]));
    assert_eq!(of(Axes::list(&[])), (vec!["data".into(), "axes".into()], vec![empty]));

    let attributes =
        |axes| inner(&node(&model(&call(Opset::V13, axes), AxesAs::Initializer).unwrap()), 5).len();
    assert_eq!((attributes(Axes::Absent), attributes(Axes::list(&[]))), (0, 1));
    assert_eq!(model(&call(Opset::V13, Axes::Null), AxesAs::Input), Err(Inexpressible::NullAttribute));
}

#[rstest]
#[case::a_list(axes(Dtype::I64, &[2], &[0, -1]))]
#[case::a_scalar(axes(Dtype::I64, &[], &[0]))]
#[case::rank_2(axes(Dtype::I64, &[1, 2], &[0, -1]))]
#[case::another_integer(axes(Dtype::I8, &[1], &[-128]))]
#[case::unsigned(axes(Dtype::U64, &[1], &[u64::MAX.into()]))]
#[case::floats(axes(Dtype::F32, &[1], &[0]))]
fn axes_at_opset_18_are_a_tensor_of_their_own_type_and_shape(#[case] given: Axes) {
    let Axes::Given(AxesTensor { dtype, shape, .. }) = &given else { panic!("none") };
    let constant = model(&call(Opset::V18, given.clone()), AxesAs::Initializer).unwrap();
    let fed = model(&call(Opset::V18, given.clone()), AxesAs::Input).unwrap();
    let axes = fed.axes.clone().unwrap();
    assert_eq!((axes.dtype(), axes.shape()), (*dtype, shape.as_slice()));
    assert_eq!(inner(&graph(&constant), 5), [tensor("axes", &axes)]);
    assert_eq!(inner(&graph(&constant), 11).len(), 1);
    assert_eq!(constant.axes, None);
    let inputs: Vec<_> = inner(&graph(&fed), 11).iter().map(|info| texts(info, 1).remove(0)).collect();
    assert_eq!(inputs, ["data", "axes"]);
    assert_eq!(inner(&graph(&fed), 5), Vec::<Vec<u8>>::new());
}

#[rstest]
#[case::integers(axes(Dtype::I64, &[2], &[1, 0]), &[Field::Integer(8, 1), Field::Integer(8, 0), Field::Integer(20, 7)])]
#[case::none(axes(Dtype::I64, &[0], &[]), &[Field::Integer(20, 7)])]
#[case::one_integer(axes(Dtype::I64, &[], &[1]), &[Field::Integer(3, 1), Field::Integer(20, 2)])]
#[case::floats(axes(Dtype::F32, &[1], &[1]), &[Field::Float(7, 1.0), Field::Integer(20, 6)])]
fn axes_before_opset_18_are_an_attribute_of_what_they_are(#[case] given: Axes, #[case] expected: &[Field]) {
    for opset in [Opset::V1, Opset::V11, Opset::V13] {
        let model = model(&call(opset, given.clone()), AxesAs::Input).unwrap();
        assert_eq!(model.axes, None);
        let attribute = inner(&node(&model), 5).remove(0);
        assert_eq!(texts(&attribute, 1), ["axes"]);
        assert_eq!(fields(&attribute)[1..], *expected);
    }
}

#[rstest]
#[case::of_another_type(Opset::V13, axes(Dtype::I32, &[1], &[0]), "expected an attribute of i64, got i32")]
#[case::of_two_dims(Opset::V1, axes(Dtype::I64, &[1, 1], &[0]), "expected an attribute of rank 1, got rank 2")]
#[case::beyond_an_attribute(Opset::V11, axes(Dtype::I64, &[1], &[1 << 63]), "axis 9223372036854775808 does not fit i64")]
#[case::beyond_its_type(Opset::V18, axes(Dtype::U8, &[1], &[-1]), "axis -1 does not fit u8")]
#[case::beyond_its_shape(Opset::V18, axes(Dtype::I64, &[2], &[0]), "axes: expected 2 elements for shape [2], got 1")]
fn what_onnx_has_no_place_for_is_told(#[case] opset: Opset, #[case] given: Axes, #[case] why: &str) {
    let error = model(&call(opset, given), AxesAs::Initializer).unwrap_err();
    assert_eq!(error.to_string(), why);
}

#[test]
fn other_standards_have_no_model() {
    let operator = Operator::Bnns { output_shape: vec![1] };
    let call = Call { operator, ..call(Opset::V18, Axes::Absent) };
    assert_eq!(model(&call, AxesAs::Input), Err(Inexpressible::Operator("bnns/computeNorm")));
}

#[rstest]
#[case::scalar(ArrayD::from_elem(IxDyn(&[]), 1_u16).into(), &[0x10, 4, 0x42, 1, b'x', 0x4a, 2, 1, 0])]
#[case::no_elements(ArrayD::<f64>::zeros(IxDyn(&[0, 300])).into(), &[8, 0, 8, 0xac, 2, 0x10, 11, 0x42, 1, b'x', 0x4a, 0])]
fn a_tensor_is_its_dims_type_name_and_bytes(#[case] value: Tensor, #[case] expected: &[u8]) {
    assert_eq!(tensor("x", &value), expected);
}
