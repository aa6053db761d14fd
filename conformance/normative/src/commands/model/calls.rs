//! Makes the calls of a model's reductions: each node at its own dims, with elements of several kinds.

use std::collections::BTreeMap;

use normative_conformance::corpus::{Case, line, name};
use normative_conformance::generate::filled::{Contents, filled};
use normative_conformance::reference::{Axes, Call, Dtype, Operator, TensorError};
use normative_onnx::nodes::{Dim, ElementType, FoundNode, NodeCall};

/// The sizes that stand for every dim that the file leaves open.
pub(super) const SIZES: [usize; 2] = [1, 7];

/// The most elements of a call's data, 4 MiB of f32. Of a larger tensor the longest dims are halved.
const MOST: usize = 1 << 20;

/// The most characters of a node's name in the name of a call.
const LABEL: usize = 48;

/// The reason why a node is not asked whose data are not known.
const UNSTATED: &str = "the file does not state the type and the dims of its data";
/// Follows [`UNSTATED`] for ONNX.
const INFERRED: &str = "; onnx.shape_inference.infer_shapes_path(FILE, OUTPUT) may add them";

/// The reason why a node is not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NotAsked(pub(super) String);

/// The data that a node is asked with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asked {
    pub(super) dtype: Dtype,
    pub(super) shapes: Vec<Vec<usize>>,
}

/// Returns the type and the shapes that a node is asked with.
///
/// # Errors
/// Returns the reason why it is not asked.
pub(super) fn asked(found: &FoundNode) -> Result<(&NodeCall, &Axes, Asked), NotAsked> {
    let reduction = found.reduction.as_ref().map_err(|error| NotAsked(error.to_string()))?;
    let no = |why: &str| NotAsked(why.to_owned());
    let is_onnx = matches!(reduction.operator, Operator::Onnx { .. });
    let unstated = || NotAsked(format!("{UNSTATED}{}", if is_onnx { INFERRED } else { "" }));
    let axes = reduction
        .axes
        .as_ref()
        .ok_or_else(|| no("its axes are no constant of integers that the file holds"))?;
    let stated = &reduction.data;
    let Some(dims) = &stated.dims else { return Err(unstated()) };
    let dtype = match &stated.element_type {
        ElementType::Known(dtype) => *dtype,
        ElementType::Unknown => return Err(unstated()),
        ElementType::Other(name) => return Err(NotAsked(format!("its data are of type {name}"))),
    };
    let is_open = dims.iter().any(|dim| matches!(dim, Dim::Symbol(_)));
    let sizes = if is_open { &SIZES[..] } else { &SIZES[..1] };
    let mut shapes: Vec<Vec<usize>> = sizes.iter().map(|&size| limited(dims, size)).collect();
    shapes.dedup();
    Ok((reduction, axes, Asked { dtype, shapes }))
}

/// Returns the dims, of at most [`MOST`] elements together.
fn limited(dims: &[Dim], size: usize) -> Vec<usize> {
    let of = |dim: &Dim| if let Dim::Size(stated) = dim { *stated } else { size };
    let mut shape: Vec<usize> = dims.iter().map(of).collect();
    let count = |shape: &[usize]| shape.iter().try_fold(1_usize, |count, &dim| count.checked_mul(dim));
    while count(&shape).is_none_or(|count| count > MOST) {
        let Some(longest) = shape.iter_mut().max() else { break };
        *longest = longest.div_ceil(2);
    }
    shape
}

/// Returns the calls of the nodes, as cases whose names begin with the number and the name of a node. Nodes of the same
/// call are asked once, under the name of the first.
///
/// # Errors
/// [`TensorError`] if the reference cannot hold a tensor, which limited dims exclude.
pub(super) fn cases(found: &[FoundNode]) -> Result<Vec<Case>, TensorError> {
    let (mut cases, mut first) = (Vec::new(), BTreeMap::new());
    for (at, node) in found.iter().enumerate() {
        let Ok((reduction, axes, Asked { dtype, shapes })) = asked(node) else { continue };
        let operator = &reduction.operator;
        for shape in shapes {
            let key = format!("{operator:?} {axes:?} {dtype} {shape:?}");
            if *first.entry(key).or_insert(at) != at {
                continue;
            }
            let terms = terms(&shape, axes).unwrap_or(1);
            let dims: Vec<String> = shape.iter().map(ToString::to_string).collect();
            let node_and_dims = format!("node-{}-{}-{}", at + 1, label(&node.place), dims.join("x"));
            for &contents in Contents::of(dtype) {
                let data = filled(dtype, &shape, node.norm, terms, contents)?;
                let call = Call::new(operator.clone(), data, axes.clone());
                let id = format!("{node_and_dims}-{}", contents.word());
                cases.push(line::asked(name(&id, call.spec(), dtype), call));
            }
        }
    }
    Ok(cases)
}

/// Returns the number of elements of a row that is reduced; of all elements if the axes say none. `None` if it is beyond
/// any tensor, as that of an open dim.
pub(super) fn terms(shape: &[usize], axes: &Axes) -> Option<usize> {
    let values = axes.written().map_or(&[][..], |axes| &axes.values);
    let rank = shape.len() as i128;
    let is_reduced = |at: usize| values.iter().any(|&axis| [axis, axis + rank].contains(&(at as i128)));
    let dims = shape.iter().enumerate().filter(|(at, _)| values.is_empty() || is_reduced(*at));
    let terms = dims.map(|(_, &dim)| dim).try_fold(1, usize::checked_mul);
    terms.filter(|&terms| terms < usize::MAX)
}

/// Returns the name of a node as a part of a call's name: letters, digits, dots and underscores, others as hyphens.
fn label(place: &str) -> String {
    let keeps = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '_');
    let words = place.split(|one| !keeps(one)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").chars().take(LABEL).collect()
}
