//! Finds the reductions of a whole model: in its graph, in the graphs within nodes, in those of its training, and in its
//! functions.
//!
//! Nothing is computed. The type and the dims of data are those that the file states, and axes are known if they are
//! a constant of the file. A node that no call can be is found too, with the reason. No bytes cause a panic.

use std::collections::HashMap;

use normative_reference::spec::AxesForm;
use normative_reference::{Axes, AxesTensor, Dtype, Norm, Operator, Spec};

use crate::error::ReadError;
use crate::fields::{Value, fields, string, text_of};
use crate::node::Node;
pub use crate::node::axes_of;
use crate::read::{KNOWN, MOST_DIMS, norm_named, opset, opset_of, tensor};
use crate::{AXES, data_type};

/// The most graphs within each other.
const MOST_DEPTH: usize = 32;

/// A node of one of the operators.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundNode {
    /// The functions and nodes that it is in, each with the attribute that holds the graph, then its own name, or its
    /// operator and its number in its graph. Text of the file, as its author wrote it.
    pub place: String,
    /// Its operator.
    pub norm: Norm,
    /// The opset that its graph or function imports, or that its layer names.
    pub version: i64,
    /// The call without data, or the reason why the node is no call.
    pub reduction: Result<NodeCall, ReadError>,
}

/// A reduction without its data.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeCall {
    /// The operator and its attributes.
    pub operator: Operator,
    /// The axes; `None` if they are no constant that the file holds.
    pub axes: Option<Axes>,
    /// The type and the dims of the data.
    pub data: Stated,
}

/// The type and the dims of a tensor, as far as a file states them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stated {
    /// Its element type.
    pub element_type: ElementType,
    /// Its dims; `None` if not even the rank is stated.
    pub dims: Option<Vec<Dim>>,
}

/// An element type, as a file states it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ElementType {
    /// It is not stated.
    #[default]
    Unknown,
    /// Calls have it.
    Known(Dtype),
    /// No call has it; in the words of the format.
    Other(String),
}

/// The codes of `TensorProto.DataType` that no call has.
const OTHER_TYPES: [(i64, &str); 14] = [
    (8, "string"),
    (9, "bool"),
    (14, "complex64"),
    (15, "complex128"),
    (17, "float8e4m3fn"),
    (18, "float8e4m3fnuz"),
    (19, "float8e5m2"),
    (20, "float8e5m2fnuz"),
    (21, "uint4"),
    (22, "int4"),
    (23, "float4e2m1"),
    (24, "float8e8m0"),
    (25, "uint2"),
    (26, "int2"),
];

impl ElementType {
    /// Returns the type of a code of `TensorProto.DataType`.
    fn of_code(code: i64) -> Self {
        let known = Dtype::ALL.into_iter().find(|&dtype| data_type(dtype) == code);
        match (code, known) {
            (0, _) => Self::Unknown,
            (_, Some(dtype)) => Self::Known(dtype),
            (_, None) => Self::Other(
                OTHER_TYPES
                    .iter()
                    .find(|(of, _)| *of == code)
                    .map_or_else(|| format!("code {code}"), |(_, name)| (*name).to_owned()),
            ),
        }
    }
}

/// A dim of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dim {
    /// A size.
    Size(usize),
    /// A symbol, the same for all dims of one size. The empty text stands for any size.
    Symbol(String),
}

/// Returns every node of the operators, in the order of the file.
///
/// # Errors
/// [`ReadError`] if the bytes are not a model.
pub fn find(model: &[u8]) -> Result<Vec<FoundNode>, ReadError> {
    // Without an import of the standard domain, its nodes have no meaning. No operator has a version at opset 0.
    let (mut version, mut graphs, mut training, mut functions) = (0, Vec::new(), Vec::new(), Vec::new());
    for (field, value) in fields(model)? {
        match (field, value) {
            (7, Value::Bytes(graph)) => graphs.push(graph),
            (8, Value::Bytes(import)) => version = opset_of(import)?.unwrap_or(version),
            (20, Value::Bytes(step)) => {
                training.extend(message(step, 1)?.into_iter().chain(message(step, 2)?));
            }
            (25, Value::Bytes(function)) => functions.push(function),
            _ => {}
        }
    }
    if graphs.is_empty() {
        return Err(ReadError::NoGraph);
    }
    let mut found = Vec::new();
    // Protobuf merges repeated parts of a message into one.
    let graph = graphs.concat();
    for (place, graph) in
        std::iter::once(("", &*graph)).chain(training.into_iter().map(|graph| ("training", graph)))
    {
        Walk { version, place: place.to_owned(), depth: 0 }.graph(graph, &Scope::default(), &mut found)?;
    }
    for function in functions {
        let (mut own, mut nodes) = (version, Vec::new());
        for (field, value) in fields(function)? {
            match (field, value) {
                (7, Value::Bytes(node)) => nodes.push(node),
                (9, Value::Bytes(import)) => own = opset_of(import)?.unwrap_or(own),
                _ => {}
            }
        }
        let place = format!("function {}", text_of(function, 1)?.unwrap_or_default());
        Walk { version: own, place, depth: 0 }.nodes(&nodes, &mut Scope::default(), &mut found)?;
    }
    Ok(found)
}

/// The meanings of names: those of a graph, and of the graphs that it is in.
#[derive(Debug, Default)]
struct Scope<'s> {
    around: Option<&'s Scope<'s>>,
    stated: HashMap<String, Stated>,
    constants: HashMap<String, AxesTensor>,
}

impl Scope<'_> {
    fn stated(&self, name: &str) -> Option<&Stated> {
        self.stated.get(name).or_else(|| self.around?.stated(name))
    }

    fn constant(&self, name: &str) -> Option<&AxesTensor> {
        // A name that the graph states itself, as its input, hides one of the graphs around it.
        let around = self.around.filter(|_| !self.stated.contains_key(name));
        self.constants.get(name).or_else(|| around?.constant(name))
    }

    /// Adds a serialised tensor under its own name, or under another one.
    fn add(&mut self, bytes: &[u8], other_name: Option<&str>) -> Result<(), ReadError> {
        let (mut stated, mut dims) = (Stated::default(), Vec::new());
        for (field, value) in fields(bytes)? {
            match (field, value) {
                (1, value) => dims.extend(crate::fields::integers(value)?),
                (2, Value::Integer(code)) => stated.element_type = ElementType::of_code(code as i64),
                _ => {}
            }
        }
        let name = match other_name {
            Some(name) => name.to_owned(),
            None => text_of(bytes, 8)?.unwrap_or_default(),
        };
        stated.dims = dims.into_iter().map(|dim| Some(Dim::Size(usize::try_from(dim).ok()?))).collect();
        // Weights left in another file, or out of the outline, are no axes.
        if let Ok(axes) = tensor(bytes).and_then(|(_, tensor)| axes_of(&tensor)) {
            self.constants.insert(name.clone(), axes);
        }
        self.stated.insert(name, stated);
        Ok(())
    }
}

/// The graph or function that nodes are found in.
struct Walk {
    version: i64,
    place: String,
    depth: usize,
}

impl Walk {
    fn graph(&self, bytes: &[u8], around: &Scope<'_>, found: &mut Vec<FoundNode>) -> Result<(), ReadError> {
        let mut scope = Scope { around: Some(around), ..Scope::default() };
        let mut nodes = Vec::new();
        for (field, value) in fields(bytes)? {
            match (field, value) {
                (1, Value::Bytes(node)) => nodes.push(node),
                (5, Value::Bytes(initializer)) => scope.add(initializer, None)?,
                (11..=13, Value::Bytes(info)) => {
                    let (name, stated) = value_info(info)?;
                    scope.stated.insert(name, stated);
                }
                _ => {}
            }
        }
        self.nodes(&nodes, &mut scope, found)
    }

    fn nodes(
        &self,
        nodes: &[&[u8]],
        scope: &mut Scope<'_>,
        found: &mut Vec<FoundNode>,
    ) -> Result<(), ReadError> {
        for (number, bytes) in nodes.iter().enumerate() {
            let node = Node::read(bytes)?;
            let is_standard = matches!(node.domain.as_str(), "" | "ai.onnx");
            let place = self.place_of(&node, number);
            if let Some(norm) = norm_named(&node.op_type).filter(|_| is_standard) {
                let reduction = reduction(&node, norm, self.version, scope);
                found.push(FoundNode { place: place.clone(), norm, version: self.version, reduction });
            } else if is_standard && node.op_type == "Constant" {
                constant(&node, scope)?;
            }
            for attribute in &node.attributes {
                for graph in &attribute.graphs {
                    if self.depth == MOST_DEPTH {
                        return Err(ReadError::NoPlace(format!("graphs lie more than {MOST_DEPTH} deep")));
                    }
                    let place = format!("{place}.{}", attribute.name);
                    Self { version: self.version, place, depth: self.depth + 1 }
                        .graph(graph, scope, found)?;
                }
            }
        }
        Ok(())
    }

    fn place_of(&self, node: &Node<'_>, number: usize) -> String {
        let own = if node.name.is_empty() { format!("{} {number}", node.op_type) } else { node.name.clone() };
        if self.place.is_empty() { own } else { format!("{} > {own}", self.place) }
    }
}

/// Adds the value of a node `Constant`.
fn constant(node: &Node<'_>, scope: &mut Scope<'_>) -> Result<(), ReadError> {
    let Some(output) = node.outputs.first() else { return Ok(()) };
    // One that refers has the value that a caller of the function gives.
    for attribute in node.attributes.iter().filter(|attribute| !attribute.refers) {
        match (attribute.name.as_str(), attribute.tensor) {
            ("value", Some(tensor)) => scope.add(tensor, Some(output))?,
            ("value_int" | "value_ints", _) => {
                scope.constants.insert(output.clone(), attribute.axes()?);
            }
            _ => {}
        }
    }
    Ok(())
}

fn reduction(node: &Node<'_>, norm: Norm, version: i64, scope: &Scope<'_>) -> Result<NodeCall, ReadError> {
    let opset = opset(norm, version)?;
    for attribute in &node.attributes {
        if attribute.refers {
            let why = format!("the attribute {} is one of the function, which callers give", attribute.name);
            return Err(ReadError::NoPlace(why));
        }
        if !KNOWN.contains(&attribute.name.as_str()) {
            return Err(ReadError::NoPlace(format!("the node has an attribute {:?}", attribute.name)));
        }
    }
    let by_input = Spec::Onnx(norm, opset).rules().axes == AxesForm::OptionalInput;
    let given = |axes, own| if own { Axes::Given(axes) } else { Axes::OtherForm(axes) };
    let axes = match (node.inputs.get(1).map(String::as_str), node.attribute(AXES)) {
        _ if node.inputs.len() > 2 => return Err(ReadError::NoPlace("the node has a third input".into())),
        (None, None) => Some(Axes::Absent),
        (Some(""), None) if by_input => Some(Axes::Null),
        (Some(name), None) => scope.constant(name).map(|axes| given(axes.clone(), by_input)),
        (None, Some(attribute)) => Some(given(attribute.axes()?, !by_input)),
        (Some(_), Some(_)) => return Err(ReadError::NoPlace("the node has axes in both forms".into())),
    };
    let data = node.inputs.first().and_then(|name| scope.stated(name)).cloned().unwrap_or_default();
    let (keepdims, noop_with_empty_axes) = (node.integer("keepdims")?, node.integer("noop_with_empty_axes")?);
    let operator = Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes };
    Ok(NodeCall { operator, axes, data })
}

/// Reads a name, and the type and dims that it has.
fn value_info(bytes: &[u8]) -> Result<(String, Stated), ReadError> {
    let mut stated = Stated::default();
    let of_tensor = message(bytes, 2)?.map(|kind| message(kind, 1)).transpose()?.flatten();
    for (field, value) in fields(of_tensor.unwrap_or_default())? {
        match (field, value) {
            (1, Value::Integer(code)) => stated.element_type = ElementType::of_code(code as i64),
            (2, Value::Bytes(shape)) => stated.dims = Some(dims(shape)?),
            _ => {}
        }
    }
    Ok((text_of(bytes, 1)?.unwrap_or_default(), stated))
}

fn dims(shape: &[u8]) -> Result<Vec<Dim>, ReadError> {
    let mut dims = Vec::new();
    for (field, value) in fields(shape)? {
        let (1, Value::Bytes(bytes)) = (field, value) else { continue };
        let mut dim = Dim::Symbol(String::new());
        for (field, value) in fields(bytes)? {
            match (field, value) {
                // Some writers state an unknown dim as -1.
                (1, Value::Integer(size)) if size as i64 >= 0 => dim = Dim::Size(size as usize),
                (2, Value::Bytes(symbol)) => dim = Dim::Symbol(string(symbol)?),
                _ => {}
            }
        }
        dims.push(dim);
    }
    if dims.len() > MOST_DIMS {
        let why = format!("a tensor has {} dims, {MOST_DIMS} are the most", dims.len());
        return Err(ReadError::NoPlace(why));
    }
    Ok(dims)
}

/// Returns the first message of this field.
fn message(bytes: &[u8], field: u64) -> Result<Option<&[u8]>, ReadError> {
    let found = fields(bytes)?.into_iter().find_map(|(known, value)| match value {
        Value::Bytes(message) if known == field => Some(message),
        _ => None,
    });
    Ok(found)
}
