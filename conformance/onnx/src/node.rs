//! Reads a node of a graph, and its attributes.

use normative_reference::{AxesTensor, Dtype, Kind, Tensor};

use crate::axes_elements;
use crate::error::ReadError;
use crate::fields::{Value, fields, integers, string};

/// A node, as its bytes say it.
#[derive(Debug, Default)]
pub(crate) struct Node<'a> {
    pub(crate) name: String,
    /// The domain of its operator; empty for the standard operators.
    pub(crate) domain: String,
    pub(crate) op_type: String,
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
    pub(crate) attributes: Vec<Attribute<'a>>,
}

/// An attribute of a node.
#[derive(Debug, Default)]
pub(crate) struct Attribute<'a> {
    pub(crate) name: String,
    kind: u64,
    integer: i64,
    integers: Vec<i64>,
    floats: Vec<f32>,
    /// The bytes of a tensor.
    pub(crate) tensor: Option<&'a [u8]>,
    /// The bytes of each graph.
    pub(crate) graphs: Vec<&'a [u8]>,
    /// True if it has the value of an attribute of the function that the node is in.
    pub(crate) refers: bool,
}

impl<'a> Node<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut node = Self::default();
        for (field, value) in fields(bytes)? {
            match (field, value) {
                (1, Value::Bytes(input)) => node.inputs.push(string(input)?),
                (2, Value::Bytes(output)) => node.outputs.push(string(output)?),
                (3, Value::Bytes(name)) => node.name = string(name)?,
                (4, Value::Bytes(op_type)) => node.op_type = string(op_type)?,
                (5, Value::Bytes(attribute)) => node.attributes.push(Attribute::read(attribute)?),
                (7, Value::Bytes(domain)) => node.domain = string(domain)?,
                _ => {}
            }
        }
        Ok(node)
    }

    /// Returns an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Returns an integer attribute; `None` if it is absent.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<i64>, ReadError> {
        match self.attribute(name) {
            None => Ok(None),
            Some(attribute) if matches!(attribute.kind, 0 | INTEGER) => Ok(Some(attribute.integer)),
            Some(_) => Err(ReadError::NoPlace(format!("{name} is no integer"))),
        }
    }
}

const INTEGER: u64 = 2;
const FLOATS: u64 = 6;
const INTEGERS: u64 = 7;

impl<'a> Attribute<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut attribute = Self::default();
        for (field, value) in fields(bytes)? {
            match (field, value) {
                (1, Value::Bytes(name)) => attribute.name = string(name)?,
                (3, Value::Integer(value)) => attribute.integer = value as i64,
                (5, Value::Bytes(tensor)) => attribute.tensor = Some(tensor),
                (6 | 11, Value::Bytes(graph)) => attribute.graphs.push(graph),
                (21, Value::Bytes(name)) => attribute.refers = !name.is_empty(),
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

    /// Returns the axes that it lists.
    pub(crate) fn axes(&self) -> Result<AxesTensor, ReadError> {
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

/// Returns the axes that a tensor holds.
///
/// # Errors
/// An element is not an integer.
pub fn axes_of(tensor: &Tensor) -> Result<AxesTensor, ReadError> {
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
