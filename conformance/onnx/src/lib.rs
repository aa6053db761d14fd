//! A call of ONNX `ReduceL1` or `ReduceL2` as the bytes of a model: what a runtime that reads ONNX is given.
//!
//! No judge of models: a call that is invalid gives a model that is, spelled the same
//! way, so that the runtime is the one who refuses it. [`read`] is the way back. An attribute left out is left out, null axes are an input
//! with the empty name, and what only another opset has, an attribute or the form of axes, is written where the call has it.
//!
//! The model holds the one node and nothing to help: the input's type and dims are stated, the output's type
//! alone, as whoever writes dims there has already reduced; a [test](model_of_test) has, and states them. Field numbers are those of `onnx.proto`.

mod error;
mod fields;
pub mod read;
mod wire;

use half::{bf16, f16};
use normative_backend::bytes;
use normative_reference::spec::AxesForm;
use normative_reference::{
    Axes, AxesTensor, Call, Dtype, FloatFormat, Kind, Norm, Operator, Opset, Tensor, TensorError,
};
use thiserror::Error;

use wire::Message;

/// The name of the input that takes the data.
pub const DATA: &str = "data";
/// The name of the input that takes the axes, where it is one.
pub const AXES: &str = "axes";
/// The name of the output.
pub const OUTPUT: &str = "reduced";

/// How axes that are an input reach the model. Before opset 18 they are an attribute, either way, unless a call has them in the
/// form of another opset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxesAs {
    /// A constant of the model.
    Initializer,
    /// An input of the graph, to be fed beside the data.
    Input,
}

/// Which of the opsets that have a version of the operators a model imports. They all mean the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Imports {
    /// The one that brought it, which is what it is called by.
    #[default]
    First,
    /// The last before the next version; of the newest version, the newest that released runtimes take.
    Last,
}

/// Why there is no model of a call.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Inexpressible {
    /// It is a call of another standard.
    #[error("{0} is no ONNX operator")]
    Operator(&'static str),
    /// An attribute is there with a value, or it is not there.
    #[error("an attribute cannot be null")]
    NullAttribute,
    /// Attributes hold integers and f32.
    #[error("an attribute holds no {0}")]
    AttributeType(Dtype),
    /// Attributes hold one value, or a list.
    #[error("an attribute holds no tensor of rank {0}")]
    AttributeRank(usize),
    /// A value does not fit the type it is to have.
    #[error("axis {axis} does not fit {dtype}")]
    Axis {
        /// The axis as the call has it.
        axis: i128,
        /// Its type.
        dtype: Dtype,
    },
    /// The axes do not fill their shape.
    #[error("axes: {0}")]
    Tensor(#[from] TensorError),
}

/// A model, and what to feed it beside the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// A serialised `ModelProto`.
    pub bytes: Vec<u8>,
    /// What to feed as [`AXES`], where the graph has such an input.
    pub axes: Option<Tensor>,
}

/// The model of a call. Feed its data as [`DATA`].
///
/// # Errors
/// [`Inexpressible`] where ONNX has no place for what the call says.
pub fn model(call: &Call, axes_as: AxesAs) -> Result<Model, Inexpressible> {
    model_importing(call, axes_as, Imports::First)
}

/// The model of a call, with the opset that it imports.
///
/// # Errors
/// As [`model`].
pub fn model_importing(call: &Call, axes_as: AxesAs, imports: Imports) -> Result<Model, Inexpressible> {
    with_output(call, axes_as, imports, None)
}

/// The model of a call, with the dims of its result stated: what `onnx.checker` asks of a model. Axes that can be an
/// input are one, as in the tests of the standard.
///
/// # Errors
/// As [`model`].
pub fn model_of_test(call: &Call, output: &[usize]) -> Result<Model, Inexpressible> {
    with_output(call, AxesAs::Input, Imports::First, Some(output))
}

fn with_output(
    call: &Call,
    axes_as: AxesAs,
    imports: Imports,
    output: Option<&[usize]>,
) -> Result<Model, Inexpressible> {
    let Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes } = call.operator else {
        return Err(Inexpressible::Operator(call.spec().name()));
    };
    let op_type = match norm {
        Norm::L1 => "ReduceL1",
        Norm::L2 => "ReduceL2",
    };
    let by_input = call.spec().rules().axes == AxesForm::OptionalInput;
    let mut node = Message::default().bytes(1, DATA);
    let mut constant = None;
    let mut attribute = None;
    match &call.axes {
        Axes::Absent => {}
        Axes::Null if by_input => node = node.bytes(1, ""),
        Axes::Null => return Err(Inexpressible::NullAttribute),
        Axes::Given(axes) | Axes::OtherForm(axes) => {
            let is_own_form = matches!(call.axes, Axes::Given(_));
            if by_input == is_own_form {
                node = node.bytes(1, AXES);
                constant = Some(axes_tensor(axes)?);
            } else {
                attribute = Some(axes_attribute(axes)?);
            }
        }
    }
    node = node.bytes(2, OUTPUT).bytes(4, op_type);
    if let Some(attribute) = attribute {
        node = node.message(5, attribute);
    }
    for (name, value) in [("keepdims", keepdims), ("noop_with_empty_axes", noop_with_empty_axes)] {
        if let Some(value) = value {
            node = node.message(5, integer_attribute(name, value));
        }
    }

    let mut graph = Message::default().message(1, node).bytes(2, op_type);
    let data = value_info(DATA, call.data.dtype(), Some(call.data.shape()));
    let mut inputs = vec![data];
    let mut fed = None;
    match (constant, axes_as) {
        (Some(axes), AxesAs::Initializer) => graph = graph.message(5, tensor_proto(AXES, &axes)),
        (Some(axes), AxesAs::Input) => {
            inputs.push(value_info(AXES, axes.dtype(), Some(axes.shape())));
            fed = Some(axes);
        }
        (None, _) => {}
    }
    graph = inputs.into_iter().fold(graph, |graph, input| graph.message(11, input));
    graph = graph.message(12, value_info(OUTPUT, call.data.dtype(), output));

    let (ir_version, import) = versions(opset, imports);
    let model = Message::default()
        .integer(1, ir_version)
        .bytes(2, "normative")
        .message(7, graph)
        .message(8, Message::default().integer(2, import));
    Ok(Model { bytes: model.into_bytes(), axes: fed })
}

/// The tensor as a serialised `TensorProto` of this name.
pub fn tensor(name: &str, tensor: &Tensor) -> Vec<u8> {
    tensor_proto(name, tensor).into_bytes()
}

/// The opset that a model imports, after the format version of the release that brought it.
const fn versions(opset: Opset, imports: Imports) -> (i64, i64) {
    match (opset, imports) {
        (Opset::V1, Imports::First) => (3, 1),
        (Opset::V1, Imports::Last) => (5, 10),
        (Opset::V11, Imports::First) => (6, 11),
        (Opset::V11, Imports::Last) => (7, 12),
        (Opset::V13, Imports::First) => (7, 13),
        (Opset::V13, Imports::Last) => (8, 17),
        (Opset::V18, Imports::First) => (8, 18),
        // ONNX Runtime 1.31 takes no later one.
        (Opset::V18, Imports::Last) => (13, 26),
    }
}

/// `TensorProto.DataType`.
const fn data_type(dtype: Dtype) -> i64 {
    match dtype {
        Dtype::F32 => 1,
        Dtype::U8 => 2,
        Dtype::I8 => 3,
        Dtype::U16 => 4,
        Dtype::I16 => 5,
        Dtype::I32 => 6,
        Dtype::I64 => 7,
        Dtype::F16 => 10,
        Dtype::F64 => 11,
        Dtype::U32 => 12,
        Dtype::U64 => 13,
        Dtype::Bf16 => 16,
    }
}

/// Dims are at most [`normative_reference::MAX_ELEMENTS`], or beside a zero and in memory: they fit.
fn dims(shape: &[usize]) -> impl Iterator<Item = i64> {
    shape.iter().map(|&dim| dim as i64)
}

fn value_info(name: &str, dtype: Dtype, shape: Option<&[usize]>) -> Message {
    let mut tensor = Message::default().integer(1, data_type(dtype));
    if let Some(shape) = shape {
        let dim = |shape: Message, dim| shape.message(1, Message::default().integer(1, dim));
        tensor = tensor.message(2, dims(shape).fold(Message::default(), dim));
    }
    Message::default().bytes(1, name).message(2, Message::default().message(1, tensor))
}

fn tensor_proto(name: &str, tensor: &Tensor) -> Message {
    Message::default()
        .integers(1, dims(tensor.shape()))
        .integer(2, data_type(tensor.dtype()))
        .bytes(8, name)
        .bytes(9, bytes::of(tensor))
}

fn integer_attribute(name: &str, value: i64) -> Message {
    Message::default().bytes(1, name).integer(3, value).integer(20, 2)
}

/// A scalar is an attribute of the wrong kind, and so is a list of floats: the runtime's to refuse.
fn axes_attribute(axes: &AxesTensor) -> Result<Message, Inexpressible> {
    let AxesTensor { dtype, shape, values } = axes;
    let named = Message::default().bytes(1, AXES);
    let integer =
        |&axis: &i128| i64::try_from(axis).map_err(|_| Inexpressible::Axis { axis, dtype: Dtype::I64 });
    match (dtype, shape.as_slice(), values.as_slice()) {
        (Dtype::I64, [], [axis]) => Ok(integer_attribute(AXES, integer(axis)?)),
        (Dtype::I64, [_], values) => {
            let integers = values.iter().map(integer).collect::<Result<Vec<_>, _>>()?;
            Ok(named.integers(8, integers).integer(20, 7))
        }
        (Dtype::F32, [_], values) => {
            Ok(named.floats(7, values.iter().map(|&axis| axis as f32)).integer(20, 6))
        }
        (Dtype::I64 | Dtype::F32, _, _) => Err(Inexpressible::AttributeRank(shape.len())),
        _ => Err(Inexpressible::AttributeType(*dtype)),
    }
}

/// The axes as a tensor of the type and shape the call gives them.
///
/// # Errors
/// [`Inexpressible`] where a value does not fit the type, or the values not the shape.
pub fn axes_tensor(axes: &AxesTensor) -> Result<Tensor, Inexpressible> {
    let AxesTensor { dtype, shape, values } = axes;
    let bits = |&axis: &i128| match dtype.kind() {
        Kind::Integer(range) if (range.min..=range.max).contains(&axis) => Ok(range.encode(axis)),
        Kind::Integer(_) => Err(Inexpressible::Axis { axis, dtype: *dtype }),
        Kind::Float(FloatFormat::F16) => Ok(f16::from_f64(axis as f64).to_bits().into()),
        Kind::Float(FloatFormat::BF16) => Ok(bf16::from_f64(axis as f64).to_bits().into()),
        Kind::Float(FloatFormat::F32) => Ok((axis as f32).to_bits().into()),
        Kind::Float(_) => Ok((axis as f64).to_bits()),
    };
    let bits = values.iter().map(bits).collect::<Result<Vec<_>, _>>()?;
    Ok(Tensor::from_bits(*dtype, shape, &bits)?)
}

/// The elements of an axes tensor of floats.
fn axes_elements(tensor: &Tensor) -> Vec<f64> {
    match tensor {
        Tensor::F16(array) => array.iter().map(|axis| axis.to_f64()).collect(),
        Tensor::Bf16(array) => array.iter().map(|axis| axis.to_f64()).collect(),
        Tensor::F32(array) => array.iter().map(|&axis| axis.into()).collect(),
        Tensor::F64(array) => array.iter().copied().collect(),
        // Integers do not pass through floats.
        _ => Vec::new(),
    }
}
