//! Finds the reductions of a whole IR model: in its layers, and in those of the bodies within layers.
//!
//! The type and the dims of data are those of the layer's port, and axes are known if they are a constant. Nothing is
//! computed. No text causes a panic.

use std::collections::HashMap;

use normative_backend::bytes;
use normative_backend::reference::{Axes, Dtype, Norm, Operator};
use normative_onnx::nodes::{Dim, ElementType, FoundNode, NodeCall, Stated, axes_of};
use normative_onnx::read::ReadError;
use roxmltree::{Document, Node, NodeId, ParsingOptions};
use thiserror::Error;

use crate::precision;

/// The most elements, texts and comments of a file. The IR of large language models has about a million.
const MOST_NODES: u32 = 1 << 23;

/// The most bytes of a constant that is read.
const MOST_BYTES: usize = 1 << 16;

/// The reason why a text is not an IR model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IrError {
    /// The text is not XML, or has more nodes than are read.
    #[error(transparent)]
    Xml(#[from] roxmltree::Error),
    /// The outermost element is another one.
    #[error("expected an element net, got {0}")]
    NoNet(String),
}

/// Returns every layer of the operators, in the order of the file. `weights` reads so many bytes of the file of
/// constants from an offset on; constants that it cannot read are not known.
///
/// # Errors
/// [`IrError`] if the text is not an IR model.
pub fn find(xml: &str, weights: impl Fn(u64, usize) -> Option<Vec<u8>>) -> Result<Vec<FoundNode>, IrError> {
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(xml, options)?;
    let net = document.root_element();
    if !net.has_tag_name("net") {
        return Err(IrError::NoNet(net.tag_name().name().to_owned()));
    }
    let (mut layers, mut sources) = (HashMap::new(), HashMap::new());
    for node in net.descendants() {
        if let Some(graph) = node.parent().and_then(|list| list.parent()) {
            if node.has_tag_name("layer") {
                layers.insert((graph.id(), node.attribute("id").unwrap_or_default()), node);
            } else if node.has_tag_name("edge") {
                let end = |name| node.attribute(name).unwrap_or_default();
                sources.insert((graph.id(), end("to-layer"), end("to-port")), end("from-layer"));
            }
        }
    }
    let model = Model { layers, sources, weights };
    let reductions = net.descendants().filter_map(|node| Some((node, norm(node)?)));
    Ok(reductions.map(|(layer, norm)| model.found(layer, norm)).collect())
}

fn norm(node: Node<'_, '_>) -> Option<Norm> {
    match node.attribute("type").filter(|_| node.has_tag_name("layer"))? {
        "ReduceL1" => Some(Norm::L1),
        "ReduceL2" => Some(Norm::L2),
        "ReduceSum" => Some(Norm::Sum),
        _ => None,
    }
}

/// The layers and edges of all graphs, by the element of the graph.
struct Model<'d, W> {
    layers: HashMap<(NodeId, &'d str), Node<'d, 'd>>,
    /// The layer that an input port reads.
    sources: HashMap<(NodeId, &'d str, &'d str), &'d str>,
    weights: W,
}

impl<'d, W: Fn(u64, usize) -> Option<Vec<u8>>> Model<'d, W> {
    fn found(&self, layer: Node<'d, 'd>, norm: Norm) -> FoundNode {
        let mut place = String::new();
        for node in layer.ancestors().collect::<Vec<_>>().into_iter().rev() {
            let tag = node.tag_name().name();
            if tag == "layer" {
                place += if place.is_empty() { "" } else { " > " };
                place += node.attribute("name").unwrap_or("?");
            } else if tag.ends_with("body") && !place.is_empty() {
                // A layer If has two bodies.
                place += ".";
                place += tag;
            }
        }
        let version = layer.attribute("version").unwrap_or_default();
        let number = version.strip_prefix("opset").and_then(|number| number.parse().ok());
        let due = crate::opset(norm);
        let reduction = if number == Some(due) {
            self.reduction(layer, norm)
        } else {
            Err(ReadError::NoPlace(format!("expected a layer of opset{due}, got {version:?}")))
        };
        FoundNode { place, norm, version: number.unwrap_or_default(), reduction }
    }

    fn reduction(&self, layer: Node<'d, 'd>, norm: Norm) -> Result<NodeCall, ReadError> {
        let no_place = |why: String| Err(ReadError::NoPlace(why));
        let mut keep_dims = None;
        for attribute in child(layer, "data").into_iter().flat_map(|data| data.attributes()) {
            keep_dims = match (attribute.name(), attribute.value()) {
                ("keep_dims", "true" | "1") => Some(true),
                ("keep_dims", "false" | "0") => Some(false),
                (name, value) => return no_place(format!("the layer has {name}={value:?}")),
            };
        }
        let inputs = child(layer, "input").into_iter().flat_map(|input| input.children());
        let ports: Vec<Node<'_, '_>> = inputs.filter(|node| node.has_tag_name("port")).collect();
        let (data, axes) = match ports.as_slice() {
            [data] => (*data, Some(Axes::Absent)),
            [data, axes] => (*data, self.axes(layer, *axes)?),
            ports => return no_place(format!("expected one or two inputs, got {}", ports.len())),
        };
        let mut stated = stated(data)?;
        // A port of a scalar has no dims, as one of any rank; the layer that it reads may tell them apart.
        if stated.dims.is_none() && self.source(layer, data).and_then(shape) == Some("") {
            stated.dims = Some(Vec::new());
        }
        Ok(NodeCall { operator: Operator::OpenVino { norm, keep_dims }, axes, data: stated })
    }

    /// Returns the layer that a port reads.
    fn source(&self, layer: Node<'d, 'd>, port: Node<'d, 'd>) -> Option<Node<'d, 'd>> {
        let graph = layer.parent()?.parent()?.id();
        let source = self.sources.get(&(graph, layer.attribute("id")?, port.attribute("id")?))?;
        self.layers.get(&(graph, *source)).copied()
    }

    /// Returns the axes, or `None` if they are computed.
    fn axes(&self, layer: Node<'d, 'd>, port: Node<'d, 'd>) -> Result<Option<Axes>, ReadError> {
        let is_constant = |source: &Node<'_, '_>| source.attribute("type") == Some("Const");
        let Some(constant) = self.source(layer, port).filter(is_constant) else { return Ok(None) };
        let unread =
            "its axes are a constant of integers, which cannot be read from the file of constants (.bin)";
        self.constant(constant).map(Some).ok_or_else(|| ReadError::NoPlace(unread.into()))
    }

    fn constant(&self, constant: Node<'d, 'd>) -> Option<Axes> {
        let data = child(constant, "data")?;
        let dtype = Dtype::from_name(data.attribute("element_type")?)?;
        let dims = shape(constant)?.split(',').map(str::trim).filter(|dim| !dim.is_empty());
        let shape: Vec<usize> = dims.map(|dim| dim.parse().ok()).collect::<Option<_>>()?;
        // The attribute size is 1 for a constant without elements.
        let size = shape.iter().try_fold(dtype.size(), |size, &dim| size.checked_mul(dim));
        let offset = data.attribute("offset")?.parse().ok()?;
        let bytes = (self.weights)(offset, size.filter(|&size| size <= MOST_BYTES)?)?;
        let tensor = bytes::tensor(dtype, &shape, &bytes).ok()?;
        axes_of(&tensor).ok().map(Axes::Given)
    }
}

/// Returns the dims that a layer without inputs states.
fn shape<'d>(layer: Node<'d, 'd>) -> Option<&'d str> {
    child(layer, "data")?.attribute("shape")
}

fn child<'d>(of: Node<'d, 'd>, name: &str) -> Option<Node<'d, 'd>> {
    of.children().find(|node| node.has_tag_name(name))
}

/// Reads the type and the dims of a port.
fn stated(port: Node<'_, '_>) -> Result<Stated, ReadError> {
    let element_type = port.attribute("precision").map_or(ElementType::Unknown, |name| {
        let known = Dtype::ALL.into_iter().find(|&dtype| precision(dtype) == name);
        known.map_or_else(|| ElementType::Other(name.to_owned()), ElementType::Known)
    });
    let dims = port.children().filter(|node| node.has_tag_name("dim"));
    let dims: Option<Vec<Dim>> = dims
        .map(|dim| match dim.text().unwrap_or_default().trim().parse::<i64>() {
            Ok(-1) => Some(Dim::Symbol(String::new())),
            Ok(size) => Some(Dim::Size(usize::try_from(size).ok()?)),
            Err(_) => None,
        })
        .collect();
    let Some(dims) = dims else { return Err(ReadError::NoPlace("a dim is no number".into())) };
    // A scalar and a tensor of any rank have no dims here.
    Ok(Stated { element_type, dims: Some(dims).filter(|dims| !dims.is_empty()) })
}
