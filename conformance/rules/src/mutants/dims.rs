//! Mistakes about the output's dims; its elements and their order are right.

use normative_conformance::Answer;
use normative_conformance::reference::{Call, Operator, Tensor};

use super::MutantFamily::Dims;
use super::{Mutant, answer, row};
use crate::form::{keep, shape};
use crate::plan::Plan;
use crate::steps::Memory;

const KEEP: &str = "keep-dims-true keep-dims-values keep-dims-optional output-kept-dims output-removed-dims \
    output-rank-kept reduced-dims-pruned output-shape example-keep example-drop keep-dims-default \
    keepdims-default numpy-exception numpy-like slices all-axes";
const DEFAULT: &str = "keep-dims-default keepdims-default numpy-exception";
const SCALAR: &str =
    "data-shape rank-zero rank-zero-unstated all-axes output-removed-dims reduced-dims-pruned data";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Dims, "keep-inverted", "Reduced dims are kept where they are to go, and go where they are to be kept.", KEEP, |s| s.keep = |call, readings| keep(call, readings).map(|keep| !keep)),
    row(Dims, "default-inverted", "The attribute's default is the other one.", DEFAULT, |s| s.keep = |call, readings| match call.operator {
        Operator::OpenVino { keep_dims: None, .. } => Ok(true),
        Operator::Onnx { keepdims: None, .. } => Ok(false),
        _ => keep(call, readings),
    }),
    row(Dims, "kept-always", "Reduced dims are kept, whatever the attribute.", KEEP, |s| s.keep = |call, readings| keep(call, readings).map(|_| true)),
    row(Dims, "dropped-always", "Reduced dims go, whatever the attribute.", KEEP, |s| s.keep = |call, readings| keep(call, readings).map(|_| false)),
    row(Dims, "kept-at-the-end", "Kept dims stand after all others.", KEEP, |s| s.shape = |plan| {
        let mut dims = kept(plan);
        dims.resize(shape(plan).len(), 1);
        dims
    }),
    row(Dims, "kept-at-the-front", "Kept dims stand before all others.", KEEP, |s| s.shape = |plan| {
        let kept = kept(plan);
        let ones = shape(plan).len().saturating_sub(kept.len());
        [vec![1; ones], kept].concat()
    }),
    row(Dims, "kept-for-the-first-only", "Only the first of several reduced dims is kept.", KEEP, |s| s.shape = |plan| {
        let first = plan.axes.iter().min();
        let stays = |axis: &usize| !plan.reduces(*axis) || Some(axis) == first;
        if plan.keep { (0..plan.data.len()).filter(stays).map(|axis| shape(plan)[axis]).collect() } else { shape(plan) }
    }),
    row(Dims, "kept-for-single-axes-only", "Dims are kept only where one axis is reduced.", KEEP, |s| s.shape = |plan| shape(&Plan { keep: plan.keep && plan.axes.len() == 1, ..plan.clone() })),
    row(Dims, "all-kept-as-one", "Where every dim is reduced and kept, one stands for all.", KEEP, |s| s.shape = |plan| if plan.keep && plan.axes.len() == plan.data.len() && !plan.data.is_empty() { vec![1] } else { shape(plan) }),
    row(Dims, "kept-at-their-size", "Kept dims have their old size, and each result is repeated.", KEEP, |s| s.after = |_, call, answer| match answer {
        Answer::Tensor(tensor) if tensor.rank() == call.data.rank() => repeated(&tensor, call.data.shape()),
        answer => answer,
    }),
    row(Dims, "every-one-dropped", "Where dims go, every dim of 1 goes.", KEEP, |s| s.shape = |plan| {
        let mut dims = shape(plan);
        dims.retain(|&dim| plan.keep || dim != 1);
        dims
    }),
    row(Dims, "ones-not-dropped", "A reduced dim of 1 stays where it is to go.", KEEP, |s| s.shape = |plan| {
        (0..plan.data.len()).filter(|&axis| plan.keep || !plan.reduces(axis) || plan.data[axis] == 1).map(|axis| if plan.reduces(axis) { 1 } else { plan.data[axis] }).collect()
    }),
    row(Dims, "dropped-from-the-end", "As many dims go as axes are reduced, but the last ones.", KEEP, |s| s.shape = |plan| if plan.keep { shape(plan) } else { plan.data[..plan.data.len() - plan.axes.len().min(plan.data.len())].to_vec() }),
    row(Dims, "flattened", "The output is one row.", KEEP, |s| s.shape = |plan| vec![shape(plan).iter().product()]),
    row(Dims, "dims-reversed", "The output's dims are written from the last to the first.", KEEP, |s| s.shape = |plan| shape(plan).into_iter().rev().collect()),
    row(Dims, "scalars-as-vectors", "An output without dims is given one of 1.", SCALAR, |s| s.shape = |plan| if shape(plan).is_empty() { vec![1] } else { shape(plan) }),
    row(Dims, "scalar-data-as-vectors", "Data without dims are given one of 1, and the output keeps it.", SCALAR, |s| s.shape = |plan| if plan.data.is_empty() { vec![1] } else { shape(plan) }),
    row(Dims, "vectors-as-scalars", "Where everything is reduced, BNNS's vector of one is written without dims.", "output-shape axes-all axes-nil axes-default", |s| s.after = |_: &mut Memory, call: &Call, answer| match answer {
        Answer::Tensor(tensor) if matches!(call.operator, Operator::Bnns { .. }) && tensor.shape() == [1] => {
            super::answer(tensor.dtype(), &[], &tensor.bits())
        }
        answer => answer,
    }),
    row(Dims, "output-shape-not-checked", "An output of the wrong dims is filled, and no error given.", "output-shape", |s| {
        s.room = |_, _, _, _| Ok(());
    }),
];

fn kept(plan: &Plan) -> Vec<usize> {
    (0..plan.data.len()).filter(|&axis| !plan.reduces(axis)).map(|axis| plan.data[axis]).collect()
}

/// Returns the tensor with each dim of 1 repeated to fill `dims`.
fn repeated(tensor: &Tensor, dims: &[usize]) -> Answer {
    let (old, shape) = (tensor.bits(), tensor.shape());
    let source = |flat: usize| {
        let mut rest = flat;
        let (mut at, mut stride) = (0, 1);
        for (&dim, &kept) in dims.iter().zip(shape).rev() {
            at += if kept == 1 { 0 } else { rest % dim * stride };
            rest /= dim;
            stride *= kept;
        }
        at
    };
    let bits: Vec<u64> = (0..dims.iter().product()).map(|flat| old[source(flat)]).collect();
    answer(tensor.dtype(), dims, &bits)
}
