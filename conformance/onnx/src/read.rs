//! Reads a model of one `ReduceL1` or `ReduceL2`, and its fed tensors, as a call: the inverse of
//! [`crate::model`].
//!
//! Reads the tests of other projects. It judges nothing: an invalid call is read as it stands. A part that a
//! call cannot hold is a [`ReadError`]. No bytes cause a panic.

use normative_backend::bytes::{self, BytesError};
use normative_reference::spec::AxesForm;
use normative_reference::{Axes, AxesTensor, Call, Dtype, Kind, Norm, Operator, Opset, Spec, Tensor};

pub use crate::error::ReadError;
use crate::fields::{Value, fields, varint};
use crate::{AXES, axes_elements, data_type};

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
    let opset = opset(version)?;
    let by_input = Spec::Onnx(norm, opset).rules().axes == AxesForm::OptionalInput;
    let values = Graph::read(&graph)?.values(fed)?;
    let find = |name: &str| {
        let value = values.iter().find(|(known, _)| known == name).map(|(_, tensor)| tensor.clone());
        value.ok_or_else(|| ReadError::NoPlace(format!("nothing is fed as {name:?}")))
    };
    let data = find(node.inputs.first().map_or("", String::as_str))?;
    let (keepdims, noop_with_empty_axes) = (node.integer("keepdims")?, node.integer("noop_with_empty_axes")?);
    let axes = match (node.inputs.get(1), node.attributes.iter().find(|attribute| attribute.name == AXES)) {
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

fn nodes(graph: &[u8]) -> Result<Vec<Node>, ReadError> {
    let nodes = fields(graph)?.into_iter().filter_map(|(field, value)| match (field, value) {
        (1, Value::Bytes(node)) => Some(Node::read(node)),
        _ => None,
    });
    nodes.collect()
}

fn only_node(nodes: &[Node]) -> Result<(&Node, Norm), ReadError> {
    let [node] = nodes else { return Err(ReadError::Nodes(nodes.len())) };
    match node.op_type.as_str() {
        "ReduceL1" => Ok((node, Norm::L1)),
        "ReduceL2" => Ok((node, Norm::L2)),
        "ReduceSumSquare" => Ok((node, Norm::SumSquare)),
        other => Err(ReadError::Operator(other.to_owned())),
    }
}

/// The most inputs or initializers. A reduction needs two; each is searched among the others, in quadratic time.
const MOST_VALUES: usize = 64;

/// The most dims, above any runtime's limit. Ruling on a call compares each dim with each axis.
const MOST_DIMS: usize = 1000;

const KNOWN: [&str; 3] = [AXES, "keepdims", "noop_with_empty_axes"];

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

#[derive(Debug, Default)]
struct Node {
    inputs: Vec<String>,
    op_type: String,
    attributes: Vec<Attribute>,
}

#[derive(Debug, Default)]
struct Attribute {
    name: String,
    kind: u64,
    integer: i64,
    integers: Vec<i64>,
    floats: Vec<f32>,
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

impl Node {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut node = Self::default();
        for (field, value) in fields(bytes)? {
            match (field, value) {
                (1, Value::Bytes(input)) => node.inputs.push(string(input)?),
                (4, Value::Bytes(op_type)) => node.op_type = string(op_type)?,
                (5, Value::Bytes(attribute)) => node.attributes.push(Attribute::read(attribute)?),
                _ => {}
            }
        }
        Ok(node)
    }

    /// Returns an integer attribute; `None` if it is absent.
    fn integer(&self, name: &str) -> Result<Option<i64>, ReadError> {
        match self.attributes.iter().find(|attribute| attribute.name == name) {
            None => Ok(None),
            Some(attribute) if matches!(attribute.kind, 0 | INTEGER) => Ok(Some(attribute.integer)),
            Some(_) => Err(ReadError::NoPlace(format!("{name} is no integer"))),
        }
    }
}

const INTEGER: u64 = 2;
const FLOATS: u64 = 6;
const INTEGERS: u64 = 7;

impl Attribute {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut attribute = Self::default();
        for (field, value) in fields(bytes)? {
            match (field, value) {
                (1, Value::Bytes(name)) => attribute.name = string(name)?,
                (3, Value::Integer(value)) => attribute.integer = value as i64,
                (7, Value::Four(bits)) => attribute.floats.push(f32::from_le_bytes(bits)),
                (7, Value::Bytes(packed)) => {
                    attribute
                        .floats
                        .extend(packed.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)));
                }
                (8, value) => attribute.integers.extend(integers(value)?),
                (20, Value::Integer(kind)) => attribute.kind = kind,
                _ => {}
            }
        }
        Ok(attribute)
    }

    fn axes(&self) -> Result<AxesTensor, ReadError> {
        let (dtype, shape, values) = match self.kind {
            INTEGER => (Dtype::I64, vec![], vec![i128::from(self.integer)]),
            FLOATS => {
                let values =
                    self.floats.iter().map(|&axis| whole(axis.into())).collect::<Result<Vec<_>, _>>();
                (Dtype::F32, vec![self.floats.len()], values?)
            }
            0 | INTEGERS => (
                Dtype::I64,
                vec![self.integers.len()],
                self.integers.iter().map(|&axis| axis.into()).collect(),
            ),
            kind => return Err(ReadError::NoPlace(format!("axes are an attribute of type {kind}"))),
        };
        Ok(AxesTensor { dtype, shape, values })
    }
}

fn axes_of(tensor: &Tensor) -> Result<AxesTensor, ReadError> {
    let (dtype, shape) = (tensor.dtype(), tensor.shape().to_vec());
    let values = match dtype.kind() {
        Kind::Integer(range) => tensor.bits().into_iter().map(|bits| range.decode(bits)).collect(),
        Kind::Float(_) => axes_elements(tensor).into_iter().map(whole).collect::<Result<_, _>>()?,
    };
    Ok(AxesTensor { dtype, shape, values })
}

fn whole(axis: f64) -> Result<i128, ReadError> {
    if axis.fract() == 0.0 { Ok(axis as i128) } else { Err(ReadError::Axis) }
}

/// Returns the opset version that a model imports for the standard operators.
fn opset_of(import: &[u8]) -> Result<Option<i64>, ReadError> {
    let standard = matches!(text_of(import, 1)?.as_deref(), None | Some("" | "ai.onnx"));
    let version = fields(import)?.into_iter().find_map(|(field, value)| match (field, value) {
        (2, Value::Integer(version)) => Some(version as i64),
        _ => None,
    });
    Ok(version.filter(|_| standard))
}

/// Returns the version of the operators that an opset uses: the last one up to that opset.
fn opset(version: i64) -> Result<Opset, ReadError> {
    let there_by_then = |opset: &Opset| i64::from(opset.number()) <= version;
    Opset::ALL.into_iter().rfind(there_by_then).ok_or(ReadError::Opset(version))
}

/// Returns the first text of this field in a message.
fn text_of(message: &[u8], field: u64) -> Result<Option<String>, ReadError> {
    let text = fields(message)?.into_iter().find_map(|(known, value)| match value {
        Value::Bytes(text) if known == field => Some(text),
        _ => None,
    });
    text.map(string).transpose()
}

fn string(bytes: &[u8]) -> Result<String, ReadError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| ReadError::Text)
}

/// Reads one integer, or several packed ones.
fn integers(value: Value<'_>) -> Result<Vec<i64>, ReadError> {
    match value {
        Value::Integer(value) => Ok(vec![value as i64]),
        Value::Bytes(mut packed) => {
            let mut values = Vec::new();
            while !packed.is_empty() {
                values.push(varint(&mut packed)? as i64);
            }
            Ok(values)
        }
        Value::Four(_) => Err(ReadError::WireType(5)),
        Value::Eight(_) => Err(ReadError::WireType(1)),
    }
}
