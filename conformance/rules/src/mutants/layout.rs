//! Mistakes about the position of elements, beyond one axis: square data, many outputs, dims of 1, many dims.

use normative_conformance::Answer;
use normative_conformance::reference::Operator;

use super::MutantFamily::{Axes, Dims};
use super::{Mutant, answer, row};
use crate::form::{admit, groups, shape};
use crate::plan::Plan;
use crate::steps::norm;

const LAYOUT: &str = "slices layout numpy-like axes-indices axes axes-some norm output-written axes-negative";
const RANK: &str = "data-shape data axes-range axes axes-indices all-axes slices axes-default";
const SHAPE: &str = "output-kept-dims output-removed-dims output-rank-kept reduced-dims-pruned keep-dims-true \
    keep-dims-default keepdims-default output-shape slices all-axes axes-default norm";
const ONE: &str = "norm slices function-body-abs keep-dims-true output-rank-kept";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Axes, "square-matrices-transposed", "A square matrix is read with the first axis fastest.", LAYOUT, |s| s.groups = |plan| if plan.data.len() == 2 && plan.data[0] == plan.data[1] { swapped(plan, 0) } else { groups(plan) }),
    row(Axes, "square-planes-transposed", "Where the last two of several dims are equal, those planes are read with the wrong axis fastest.", LAYOUT, |s| s.groups = |plan| {
        let rank = plan.data.len();
        if rank > 2 && plan.data[rank - 1] == plan.data[rank - 2] { swapped(plan, rank - 2) } else { groups(plan) }
    }),
    row(Axes, "equal-outer-dims-swapped", "Where the first two of several dims are equal, they are taken for each other.", LAYOUT, |s| s.groups = |plan| if plan.data.len() > 2 && plan.data[0] == plan.data[1] { swapped(plan, 0) } else { groups(plan) }),
    row(Axes, "stride-of-the-first-row", "Rows after the second are read where the second starts.", LAYOUT, |s| s.groups = |plan| {
        let Some(&row) = plan.data.last() else { return groups(plan) };
        let at = |flat: usize| if row > 0 && flat >= 2 * row { row + flat % row } else { flat };
        groups(plan).into_iter().map(|group| group.into_iter().map(at).collect()).collect()
    }),
    row(Axes, "stride-leaves-out-an-axis", "The stride of the first axis leaves out the second.", LAYOUT, |s| s.groups = |plan| {
        let [_, second, others @ ..] = plan.data.as_slice() else { return groups(plan) };
        let inner: usize = others.iter().product();
        let at = |flat: usize| flat / (second * inner) * inner + flat % (second * inner);
        groups(plan).into_iter().map(|group| group.into_iter().map(at).collect()).collect()
    }),
    row(Axes, "last-output-of-the-one-before", "The last of several outputs repeats the one before it.", LAYOUT, |s| s.groups = |plan| {
        let mut groups = groups(plan);
        if let [.., before, last] = groups.as_mut_slice() { last.clone_from(before); }
        groups
    }),
    row(Axes, "outputs-in-eights-only", "What is left over from eight outputs at a time is not written.", LAYOUT, |s| s.groups = |plan| written(plan, |at, outputs| outputs < 8 || at < outputs / 8 * 8)),
    row(Axes, "outputs-after-256-not-written", "Outputs after the 256th are not written.", LAYOUT, |s| s.groups = |plan| written(plan, |at, _| at < 256)),
    row(Axes, "outputs-after-1024-not-written", "Outputs after the 1024th are not written.", LAYOUT, |s| s.groups = |plan| written(plan, |at, _| at < 1024)),
    row(Axes, "batches-broadcast", "From rank 4 on every entry of the first axis is answered by the first one's data.", LAYOUT, |s| s.groups = |plan| {
        let right = groups(plan);
        if plan.data.len() < 4 || plan.reduces(0) || plan.data[0] == 0 { return right }
        let batch = right.len() / plan.data[0];
        (0..right.len()).map(|at| right[at % batch].clone()).collect()
    }),
    row(Axes, "elements-after-2048-read-anew", "Offsets are kept in 11 bits, so that element 2048 is element 0.", LAYOUT, |s| s.groups = |plan| {
        groups(plan).into_iter().map(|group| group.into_iter().map(|flat| flat % 2048).collect()).collect()
    }),
    row(Axes, "rank-6-and-more-refused", "Data of more than five dims are refused.", RANK, |s| s.admit = |call, readings| if call.data.rank() > 5 { Err("rank".into()) } else { admit(call, readings) }),
    row(Axes, "rank-8-and-more-refused", "OpenVINO's and ONNX's data of more than seven dims are refused.", RANK, |s| s.admit = |call, readings| match call.operator {
        Operator::OpenVino { .. } | Operator::Onnx { .. } if call.data.rank() > 7 => Err("rank".into()),
        _ => admit(call, readings),
    }),

    row(Dims, "ones-gone-even-where-kept", "Every dim of 1 goes, kept ones included.", SHAPE, |s| s.shape = |plan| {
        let mut dims = shape(plan);
        dims.retain(|&dim| dim != 1);
        dims
    }),
    row(Dims, "leading-one-gone", "A leading dim of 1 goes where the output has more.", SHAPE, |s| s.shape = |plan| match shape(plan).as_slice() {
        [1, rest @ ..] if !rest.is_empty() => rest.to_vec(),
        dims => dims.to_vec(),
    }),
    row(Dims, "trailing-one-gone", "A trailing dim of 1 goes where the output has more.", SHAPE, |s| s.shape = |plan| match shape(plan).as_slice() {
        [rest @ .., 1] if !rest.is_empty() => rest.to_vec(),
        dims => dims.to_vec(),
    }),
    row(Dims, "four-dims-stay-four", "Outputs of data of four dims are padded to four in front.", SHAPE, |s| s.shape = |plan| {
        let dims = shape(plan);
        if plan.data.len() == 4 { [vec![1; 4 - dims.len().min(4)], dims].concat() } else { dims }
    }),
    row(Dims, "kept-dims-follow-the-first", "Of several reduced dims that are kept, all stand where the first one stood.", SHAPE, |s| s.shape = |plan| {
        let Some(first) = plan.axes.iter().min().filter(|_| plan.keep) else { return shape(plan) };
        let kept = |axes: std::ops::Range<usize>| axes.filter(|&axis| !plan.reduces(axis)).map(|axis| plan.data[axis]).collect::<Vec<_>>();
        [kept(0..*first), vec![1; plan.axes.len()], kept(*first..plan.data.len())].concat()
    }),
    row(Dims, "last-dim-lost-with-the-first", "Where the first axis is reduced and goes, the output's last two dims are joined.", SHAPE, |s| s.shape = |plan| {
        let mut dims = shape(plan);
        if !plan.keep && plan.reduces(0) && dims.len() > 1 {
            let last = dims.pop().unwrap_or(1);
            if let Some(before) = dims.last_mut() { *before *= last; }
        }
        dims
    }),
    row(Dims, "copied-where-reduced-dims-are-one-and-kept", "Where reduced dims are all 1 and kept, the data are returned, signs and all.", ONE, |s| s.norm = |s, plan, x| match x {
        [one] if plan.keep => Ok(*one),
        _ => norm(s, plan, x),
    }),
    row(Dims, "copied-where-some-dims-stay", "The norm of one element is that element where other axes are kept, sign and all.", ONE, |s| s.norm = |s, plan, x| match x {
        [one] if plan.axes.len() < plan.data.len() => Ok(*one),
        _ => norm(s, plan, x),
    }),
    row(Dims, "bnns-output-fastest-last", "BNNS's output has its dims slowest first.", "output-shape layout example-axis-2 axes-some", |s| s.after = |_, call, given| match (&given, &call.operator) {
        (Answer::Tensor(tensor), Operator::Bnns { .. }) => {
            let dims: Vec<usize> = tensor.shape().iter().rev().copied().collect();
            answer(tensor.dtype(), &dims, &tensor.bits())
        }
        _ => given,
    }),
];

/// Returns the groups of the data with this axis and the next, which have equal dims, exchanged.
fn swapped(plan: &Plan, axis: usize) -> Vec<Vec<usize>> {
    let dim = plan.data[axis];
    let inner: usize = plan.data[axis + 2..].iter().product();
    let at = |flat: usize| {
        let (outer, rest) = (flat / (dim * dim * inner), flat % (dim * dim * inner));
        let (first, second, last) = (rest / (dim * inner), rest / inner % dim, rest % inner);
        ((outer * dim + second) * dim + first) * inner + last
    };
    groups(plan).into_iter().map(|group| group.into_iter().map(at).collect()).collect()
}

/// Returns the groups of the outputs that are written; the others get no element, and so the value 0.
fn written(plan: &Plan, is: fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut groups = groups(plan);
    let outputs = groups.len();
    for (at, group) in groups.iter_mut().enumerate() {
        if !is(at, outputs) {
            group.clear();
        }
    }
    groups
}
