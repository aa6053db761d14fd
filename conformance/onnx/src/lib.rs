//! Writes a call of ONNX `ReduceL1` or `ReduceL2` as a model, the input of a runtime that reads ONNX.
//!
//! The model is not checked: an invalid call gives an equally invalid model, so that the runtime refuses it.
//! [`read`] is the inverse. An attribute that was left out stays out, and null axes are an input with the
//! empty name. Attributes and axes in the form of another opset are written as the call has them.
//!
//! The model holds one node. It states the input's type and dims, but only the output's type: computing its
//! dims is the runtime's task. Field numbers are those of `onnx.proto`.

mod error;
mod fields;
mod node;
pub mod nodes;
pub mod outline;
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
/// The name of the input that takes the axes, if they are an input.
pub const AXES: &str = "axes";
/// The name of the output.
pub const OUTPUT: &str = "reduced";

/// The form in which input axes reach the model. Before opset 18 both forms give an attribute, except for
/// axes in the form of another opset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxesAs {
    /// A constant of the model.
    Initializer,
    /// An input of the graph, to be fed beside the data.
    Input,
}

/// The opset that a model imports, of all those that use a version of the operators. They all mean the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Imports {
    /// The opset that introduced the version, and names it.
    #[default]
    First,
    /// The last opset before the next version; for the newest version, the newest opset that released runtimes take.
    Last,
}

/// The reason why a call has no model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Inexpressible {
    /// The call is of another standard.
    #[error("expected an operator of ONNX, got {0}")]
    Operator(&'static str),
    /// An attribute has a value or is absent, never null.
    #[error("an attribute cannot be null")]
    NullAttribute,
    /// An attribute holds only integers or f32.
    #[error("expected an attribute of i64, got {0}")]
    AttributeType(Dtype),
    /// An attribute holds only one value, or a list.
    #[error("expected an attribute of rank 1, got rank {0}")]
    AttributeRank(usize),
    /// A value does not fit its type.
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

/// A model, and the axes to feed it beside the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// A serialised `ModelProto`.
    pub bytes: Vec<u8>,
    /// The tensor to feed as [`AXES`], if the graph has such an input.
    pub axes: Option<Tensor>,
}

/// Returns the model of a call. Feed its data as [`DATA`].
///
/// # Errors
/// [`Inexpressible`] if ONNX cannot express the call.
pub fn model(call: &Call, axes_as: AxesAs) -> Result<Model, Inexpressible> {
    model_importing(call, axes_as, Imports::First)
}

/// Returns the model of a call, with this choice of the imported opset.
///
/// # Errors
/// As [`model`].
pub fn model_importing(call: &Call, axes_as: AxesAs, imports: Imports) -> Result<Model, Inexpressible> {
    let Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes } = call.operator else {
        return Err(Inexpressible::Operator(call.spec().name()));
    };
    let op_type = op_type(norm);
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
    graph = graph.message(12, value_info(OUTPUT, call.data.dtype(), None));

    let (ir_version, import) = versions(opset, imports);
    let model = Message::default()
        .integer(1, ir_version)
        .bytes(2, "normative")
        .message(7, graph)
        .message(8, Message::default().integer(2, import));
    Ok(Model { bytes: model.into_bytes(), axes: fed })
}

/// Returns the name of the operator that computes a norm.
pub const fn op_type(norm: Norm) -> &'static str {
    match norm {
        Norm::L1 => "ReduceL1",
        Norm::L2 => "ReduceL2",
        Norm::SumSquare => "ReduceSumSquare",
    }
}

/// Returns the tensor as a serialised `TensorProto` of this name.
pub fn tensor(name: &str, tensor: &Tensor) -> Vec<u8> {
    tensor_proto(name, tensor).into_bytes()
}

/// Returns the format version of the release that introduced the opset, and the opset that a model imports.
const fn versions(opset: Opset, imports: Imports) -> (i64, i64) {
    match (opset, imports) {
        (Opset::V1, Imports::First) => (3, 1),
        (Opset::V1, Imports::Last) => (5, 10),
        (Opset::V11, Imports::First) => (6, 11),
        (Opset::V11, Imports::Last) => (7, 12),
        (Opset::V13, Imports::First) => (7, 13),
        (Opset::V13, Imports::Last) => (8, 17),
        (Opset::V18, Imports::First) => (8, 18),
        // ONNX Runtime 1.31 does not take a later one.
        (Opset::V18, Imports::Last) => (13, 26),
    }
}

/// Returns the number in `TensorProto.DataType`.
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

/// Returns dims as i64, which they fit: they are at most [`normative_reference::MAX_ELEMENTS`].
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

/// Returns axes as an attribute. A scalar or a list of floats has the wrong kind, for the runtime to refuse.
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

/// Returns the axes as a tensor of the type and shape that the call gives them.
///
/// # Errors
/// [`Inexpressible`] if a value does not fit the type, or the values do not fill the shape.
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

/// Returns the elements of an axes tensor of floats.
fn axes_elements(tensor: &Tensor) -> Vec<f64> {
    match tensor {
        Tensor::F16(array) => array.iter().map(|axis| axis.to_f64()).collect(),
        Tensor::Bf16(array) => array.iter().map(|axis| axis.to_f64()).collect(),
        Tensor::F32(array) => array.iter().map(|&axis| axis.into()).collect(),
        Tensor::F64(array) => array.iter().copied().collect(),
        // Integers are read elsewhere, without a conversion to float.
        _ => Vec::new(),
    }
}
