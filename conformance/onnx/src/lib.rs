//! Writes a call of ONNX `ReduceL1` or `ReduceL2` as a model, the input of a runtime that reads ONNX.
//!
//! The model is not checked: an invalid call gives an equally invalid model, so that the runtime refuses it.
//! [`nodes`] is the inverse. An attribute that was left out stays out, and null axes are an input with the
//! empty name. Attributes and axes in the form of another opset are written as the call has them.
//!
//! The model holds one node. It states the input's type and dims, but only the output's type: computing its
//! dims is the runtime's task. Field numbers are those of `onnx.proto`.

mod error;
mod fields;
pub mod graph;
mod node;
pub mod nodes;
pub mod outline;
pub mod read;
mod wire;

use half::{bf16, f16};
use normative_reference::spec::AxesForm;
use normative_reference::{
    Axes, AxesTensor, Call, Dtype, FloatFormat, Kind, Norm, Operator, Opset, Tensor, TensorError,
};
use thiserror::Error;

use graph::{Attribute, Graph, Node};

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
    let (node, constant) = node_of(call, DATA, AXES, OUTPUT)?;
    let mut inputs = vec![(DATA.to_owned(), call.data.dtype(), call.data.shape().to_vec())];
    let (mut constants, mut fed) = (Vec::new(), None);
    match (constant, axes_as) {
        (Some(axes), AxesAs::Initializer) => constants.push((AXES.to_owned(), axes)),
        (Some(axes), AxesAs::Input) => {
            inputs.push((AXES.to_owned(), axes.dtype(), axes.shape().to_vec()));
            fed = Some(axes);
        }
        (None, _) => {}
    }
    let (ir_version, opset) = versions(opset_of(call)?, imports);
    let output = (OUTPUT.to_owned(), call.data.dtype(), None);
    let name = node.op_type;
    let graph = Graph { name, ir_version, opset, nodes: vec![node], constants, inputs, output };
    Ok(Model { bytes: graph.into_model(), axes: fed })
}

/// Returns the opset of a call.
fn opset_of(call: &Call) -> Result<Opset, Inexpressible> {
    match call.operator {
        Operator::Onnx { opset, .. } => Ok(opset),
        _ => Err(Inexpressible::Operator(call.spec().name())),
    }
}

/// Returns the node of a call, which reads and gives values of these names, and the axes to give it as `axes`, if they
/// are an input.
///
/// # Errors
/// As [`model`].
pub fn node_of(
    call: &Call,
    data: &str,
    axes_name: &str,
    output: &str,
) -> Result<(Node, Option<Tensor>), Inexpressible> {
    let Operator::Onnx { norm, keepdims, noop_with_empty_axes, .. } = call.operator else {
        return Err(Inexpressible::Operator(call.spec().name()));
    };
    let by_input = call.spec().rules().axes == AxesForm::OptionalInput;
    let (mut inputs, mut attributes, mut constant) = (vec![data.to_owned()], Vec::new(), None);
    match &call.axes {
        Axes::Absent => {}
        Axes::Null if by_input => inputs.push(String::new()),
        Axes::Null => return Err(Inexpressible::NullAttribute),
        Axes::Given(axes) | Axes::OtherForm(axes) => {
            let is_own_form = matches!(call.axes, Axes::Given(_));
            if by_input == is_own_form {
                inputs.push(axes_name.to_owned());
                constant = Some(axes_tensor(axes)?);
            } else {
                attributes.push((AXES, axes_attribute(axes)?));
            }
        }
    }
    for (name, value) in [("keepdims", keepdims), ("noop_with_empty_axes", noop_with_empty_axes)] {
        attributes.extend(value.map(|value| (name, Attribute::Integer(value))));
    }
    Ok((Node { op_type: op_type(norm), inputs, output: output.to_owned(), attributes }, constant))
}

/// Returns the name of the operator that computes a norm.
pub const fn op_type(norm: Norm) -> &'static str {
    match norm {
        Norm::L1 => "ReduceL1",
        Norm::L2 => "ReduceL2",
        Norm::SumSquare => "ReduceSumSquare",
        Norm::Sum => "ReduceSum",
    }
}

/// Returns the tensor as a serialised `TensorProto` of this name.
pub fn tensor(name: &str, tensor: &Tensor) -> Vec<u8> {
    graph::tensor_proto(name, tensor).into_bytes()
}

/// Returns the format version of the release that introduced the opset, and the opset that a model imports.
pub const fn versions(opset: Opset, imports: Imports) -> (i64, i64) {
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

/// Returns the number of a type in `TensorProto.DataType`.
pub const fn data_type(dtype: Dtype) -> i64 {
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

/// Returns axes as an attribute. A scalar or a list of floats has the wrong kind, for the runtime to refuse.
fn axes_attribute(axes: &AxesTensor) -> Result<Attribute, Inexpressible> {
    let AxesTensor { dtype, shape, values } = axes;
    let integer =
        |&axis: &i128| i64::try_from(axis).map_err(|_| Inexpressible::Axis { axis, dtype: Dtype::I64 });
    match (dtype, shape.as_slice(), values.as_slice()) {
        (Dtype::I64, [], [axis]) => Ok(Attribute::Integer(integer(axis)?)),
        (Dtype::I64, [_], values) => {
            Ok(Attribute::Integers(values.iter().map(integer).collect::<Result<_, _>>()?))
        }
        (Dtype::F32, [_], values) => Ok(Attribute::Floats(values.iter().map(|&axis| axis as f32).collect())),
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
