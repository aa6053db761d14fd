//! Reads a model of one `ReduceL1` or `ReduceL2`, and its fed tensors, as a call: the inverse of
//! [`crate::model`].
//!
//! Reads the tests of other projects. It judges nothing: an invalid call is read as it stands. A part that a
//! call cannot hold is a [`ReadError`]. No bytes cause a panic.

use normative_backend::bytes::{self, BytesError};
use normative_reference::spec::AxesForm;
use normative_reference::{Axes, Call, Dtype, Norm, Operator, Opset, Spec, Tensor};

pub use crate::error::ReadError;
use crate::fields::{Value, fields, integers, string, text_of};
use crate::node::{Node, axes_of};
use crate::{AXES, data_type, op_type};

/// Returns the call that a model makes of the fed tensors, in the order of its inputs.
///
/// # Errors
/// [`ReadError`] if the bytes are not a model, or the model is not a call.
pub fn call(model: &[u8], fed: &[Tensor]) -> Result<Call, ReadError> {
    let mut version = 1;
    for (field, value) in fields(model)? {
        if let (8, Value::Bytes(import)) = (field, value) {
            version = opset_of(import)?.unwrap_or(version);
        }
    }
    let graph = graph(model)?;
    let nodes = nodes(&graph)?;
    let (node, norm) = only_node(&nodes)?;
    let opset = opset(norm, version)?;
    let by_input = Spec::Onnx(norm, opset).rules().axes == AxesForm::OptionalInput;
    let values = Graph::read(&graph)?.values(fed)?;
    let find = |name: &str| {
        let value = values.iter().find(|(known, _)| known == name).map(|(_, tensor)| tensor.clone());
        value.ok_or_else(|| ReadError::NoPlace(format!("nothing is fed as {name:?}")))
    };
    let data = find(node.inputs.first().map_or("", String::as_str))?;
    let (keepdims, noop_with_empty_axes) = (node.integer("keepdims")?, node.integer("noop_with_empty_axes")?);
    let axes = match (node.inputs.get(1), node.attribute(AXES)) {
        _ if node.inputs.len() > 2 => return Err(ReadError::NoPlace("the node has a third input".into())),
        (None, None) => Axes::Absent,
        (Some(_), Some(_)) => return Err(ReadError::NoPlace("the node has axes in both forms".into())),
        (Some(name), None) if name.is_empty() && by_input => Axes::Null,
        (Some(name), None) if name.is_empty() => {
            return Err(ReadError::NoPlace("the node has a second input with the empty name".into()));
        }
        (Some(name), None) if by_input => Axes::Given(axes_of(&find(name)?)?),
        (Some(name), None) => Axes::OtherForm(axes_of(&find(name)?)?),
        (None, Some(attribute)) if by_input => Axes::OtherForm(attribute.axes()?),
        (None, Some(attribute)) => Axes::Given(attribute.axes()?),
    };
    let operator = Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes };
    if let Some(attribute) =
        node.attributes.iter().find(|attribute| !KNOWN.contains(&attribute.name.as_str()))
    {
        return Err(ReadError::NoPlace(format!("the node has an attribute {:?}", attribute.name)));
    }
    Ok(Call::new(operator, data, axes))
}

/// Returns the norm that a model computes.
///
/// # Errors
/// As [`call`], as far as the model alone shows them.
pub fn norm(model: &[u8]) -> Result<Norm, ReadError> {
    Ok(only_node(&nodes(&graph(model)?)?)?.1)
}

/// Returns the graph of a model. Protobuf merges repeated parts of a message into one.
fn graph(model: &[u8]) -> Result<Vec<u8>, ReadError> {
    let parts = fields(model)?.into_iter().filter_map(|(field, value)| match (field, value) {
        (7, Value::Bytes(graph)) => Some(graph),
        _ => None,
    });
    Ok(parts.collect::<Vec<_>>().concat())
}

fn nodes(graph: &[u8]) -> Result<Vec<Node<'_>>, ReadError> {
    let nodes = fields(graph)?.into_iter().filter_map(|(field, value)| match (field, value) {
        (1, Value::Bytes(node)) => Some(Node::read(node)),
        _ => None,
    });
    nodes.collect()
}

fn only_node<'n>(nodes: &'n [Node<'n>]) -> Result<(&'n Node<'n>, Norm), ReadError> {
    let [node] = nodes else { return Err(ReadError::Nodes(nodes.len())) };
    let norm = norm_named(&node.op_type).ok_or_else(|| ReadError::Operator(node.op_type.clone()))?;
    Ok((node, norm))
}

/// Returns the norm of the operator of this name.
pub(crate) fn norm_named(name: &str) -> Option<Norm> {
    Norm::ALL.into_iter().find(|&norm| op_type(norm) == name)
}

/// The most inputs or initializers. A reduction needs two; each is searched among the others, in quadratic time.
const MOST_VALUES: usize = 64;

/// The most dims, above any runtime's limit. Ruling on a call compares each dim with each axis.
pub(crate) const MOST_DIMS: usize = 1000;

pub(crate) const KNOWN: [&str; 3] = [AXES, "keepdims", "noop_with_empty_axes"];

/// Returns the tensor in a serialised `TensorProto`, and its name.
///
/// # Errors
/// [`ReadError`] if the bytes are not a tensor that a call can have.
pub fn tensor(bytes: &[u8]) -> Result<(String, Tensor), ReadError> {
    let (mut name, mut dims, mut code) = (String::new(), Vec::new(), 0);
    let (mut raw, mut elements) = (None, Vec::new());
    for (field, value) in fields(bytes)? {
        match (field, value) {
            (1, value) => dims.extend(integers(value)?),
            (2, Value::Integer(value)) => code = value as i64,
            (8, Value::Bytes(text)) => name = string(text)?,
            (9, Value::Bytes(bytes)) => raw = Some(bytes),
            (14, Value::Integer(1)) => return Err(ReadError::External),
            // Floats, int32, int64, doubles and uint64 each have their own field and width.
            (4, Value::Four(bits)) => elements.push(u32::from_le_bytes(bits).into()),
            (4, Value::Bytes(packed)) => {
                elements.extend(packed.as_chunks().0.iter().map(|&four| u64::from(u32::from_le_bytes(four))));
            }
            (10, Value::Eight(bits)) => elements.push(u64::from_le_bytes(bits)),
            (10, Value::Bytes(packed)) => {
                elements.extend(packed.as_chunks().0.iter().map(|&eight| u64::from_le_bytes(eight)));
            }
            (5 | 7 | 11, value) => elements.extend(integers(value)?.into_iter().map(|value| value as u64)),
            _ => {}
        }
    }
    let known = Dtype::ALL.into_iter().find(|&dtype| data_type(dtype) == code);
    let dtype = known.ok_or(ReadError::ElementType(code))?;
    if dims.len() > MOST_DIMS {
        return Err(ReadError::NoPlace(format!(
            "a tensor has {} dims, {MOST_DIMS} are the most",
            dims.len()
        )));
    }
    let dim = |dim: i64| usize::try_from(dim).map_err(|_| ReadError::Dim(dim));
    let shape = dims.into_iter().map(dim).collect::<Result<Vec<_>, _>>()?;
    // A negative integer is written with all 64 bits, whatever its type.
    let mask = u64::MAX >> (64 - 8 * dtype.size());
    let tensor = if let Some(bytes) = raw {
        bytes::tensor(dtype, &shape, bytes)?
    } else {
        let bits: Vec<u64> = elements.into_iter().map(|bits: u64| bits & mask).collect();
        Tensor::from_bits(dtype, &shape, &bits).map_err(BytesError::from)?
    };
    Ok((name, tensor))
}

/// The inputs and initializers of a model's graph.
#[derive(Debug, Default)]
struct Graph {
    initializers: Vec<(String, Tensor)>,
    inputs: Vec<String>,
}

impl Graph {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut graph = Self::default();
        for (field, value) in fields(bytes)? {
            match (field, value) {
                (5, Value::Bytes(initializer)) => graph.initializers.push(tensor(initializer)?),
                (11, Value::Bytes(input)) => graph.inputs.push(text_of(input, 1)?.unwrap_or_default()),
                _ => {}
            }
        }
        Ok(graph)
    }

    /// Returns every tensor of the graph by its name. An input with an initializer need not be fed.
    fn values(&self, fed: &[Tensor]) -> Result<Vec<(String, Tensor)>, ReadError> {
        let most = self.inputs.len().max(self.initializers.len()).max(fed.len());
        if most > MOST_VALUES {
            let why = format!("{most} tensors are fed, and a reduction has two inputs");
            return Err(ReadError::NoPlace(why));
        }
        let initialized = |name: &&String| self.initializers.iter().any(|(known, _)| known == *name);
        let mut due: Vec<&String> = self.inputs.iter().collect();
        if fed.len() < due.len() {
            due.retain(|name| !initialized(name));
        }
        if fed.len() != due.len() {
            return Err(ReadError::NoPlace(format!("{} tensors are fed to {} inputs", fed.len(), due.len())));
        }
        let fed = due.into_iter().cloned().zip(fed.iter().cloned());
        Ok(fed.chain(self.initializers.iter().cloned()).collect())
    }
}

/// Returns the opset version that a model imports for the standard operators.
pub(crate) fn opset_of(import: &[u8]) -> Result<Option<i64>, ReadError> {
    let standard = matches!(text_of(import, 1)?.as_deref(), None | Some("" | "ai.onnx"));
    let version = fields(import)?.into_iter().find_map(|(field, value)| match (field, value) {
        (2, Value::Integer(version)) => Some(version as i64),
        _ => None,
    });
    Ok(version.filter(|_| standard))
}

/// Returns the version of the operator that an opset uses: the last one up to that opset.
pub(crate) fn opset(norm: Norm, version: i64) -> Result<Opset, ReadError> {
    let there_by_then =
        |&opset: &Opset| i64::from(opset.number()) <= version && Spec::Onnx(norm, opset).exists();
    Opset::ALL.into_iter().rfind(there_by_then).ok_or(ReadError::Opset(version))
}
