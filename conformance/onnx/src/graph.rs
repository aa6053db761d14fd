//! A graph of ONNX nodes in memory, and its bytes as a model.
//!
//! It holds what a model here needs: one domain, constants, no subgraph. It is written as it is, without a
//! check. Field numbers are those of `onnx.proto`.

use normative_backend::bytes;
use normative_reference::{Dtype, Tensor};

use crate::data_type;
use crate::wire::Message;

/// A graph, and the versions that its model names.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// Its name.
    pub name: &'static str,
    /// The version of the format.
    pub ir_version: i64,
    /// The opset that it imports.
    pub opset: i64,
    /// Its nodes, each after those that it reads.
    pub nodes: Vec<Node>,
    /// Its constants, by name.
    pub constants: Vec<(String, Tensor)>,
    /// The names, types and dims of its inputs.
    pub inputs: Vec<(String, Dtype, Vec<usize>)>,
    /// The name and type of its output, and its dims unless the runtime shall compute them.
    pub output: (String, Dtype, Option<Vec<usize>>),
}

/// A node of one output.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its operator.
    pub op_type: &'static str,
    /// The names that it reads; an empty name is an optional input that is left out.
    pub inputs: Vec<String>,
    /// The name that it gives.
    pub output: String,
    /// Its attributes.
    pub attributes: Vec<(&'static str, Attribute)>,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// An integer.
    Integer(i64),
    /// A list of integers.
    Integers(Vec<i64>),
    /// A list of floats.
    Floats(Vec<f32>),
}

impl Graph {
    /// Returns the serialised `ModelProto`.
    pub fn into_model(self) -> Vec<u8> {
        let Self { name, ir_version, opset, nodes, constants, inputs, output } = self;
        let graph = nodes.iter().fold(Message::default(), |graph, node| graph.message(1, node.message()));
        let graph = graph.bytes(2, name);
        let constant =
            |graph: Message, (name, tensor): &(String, Tensor)| graph.message(5, tensor_proto(name, tensor));
        let graph = constants.iter().fold(graph, constant);
        let graph = inputs.iter().fold(graph, |graph, (name, dtype, shape)| {
            graph.message(11, value_info(name, *dtype, Some(shape)))
        });
        let graph = graph.message(12, value_info(&output.0, output.1, output.2.as_deref()));
        Message::default()
            .integer(1, ir_version)
            .bytes(2, "normative")
            .message(7, graph)
            .message(8, Message::default().integer(2, opset))
            .into_bytes()
    }
}

impl Node {
    fn message(&self) -> Message {
        let node = self.inputs.iter().fold(Message::default(), |node, input| node.bytes(1, input));
        let node = node.bytes(2, &self.output).bytes(4, self.op_type);
        self.attributes.iter().fold(node, |node, (name, value)| {
            let named = Message::default().bytes(1, name);
            node.message(
                5,
                match value {
                    Attribute::Integer(value) => named.integer(3, *value).integer(20, 2),
                    Attribute::Integers(values) => named.integers(8, values.iter().copied()).integer(20, 7),
                    Attribute::Floats(values) => named.floats(7, values.iter().copied()).integer(20, 6),
                },
            )
        })
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

pub(crate) fn tensor_proto(name: &str, tensor: &Tensor) -> Message {
    Message::default()
        .integers(1, dims(tensor.shape()))
        .integer(2, data_type(tensor.dtype()))
        .bytes(8, name)
        .bytes(9, bytes::of(tensor))
}
