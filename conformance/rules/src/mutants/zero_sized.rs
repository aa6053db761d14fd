//! Mistakes about dims of 0: the results for such data, and the output's dims.

use std::borrow::Cow;

use normative_conformance::reference::{Axes, Call, Norm, Operator};

use super::MutantFamily::Empties;
use super::empties::{NOTHING, number};
use super::{Mutant, row, with_axes};
use crate::form::{keep, room, shape};
use crate::integers::{range, wrapped};

const DIMS: &str = "empty-set empty-set-unstated norm data-shape numpy-like slices data output-kept-dims \
    output-removed-dims output-rank-kept reduced-dims-pruned keep-dims-true keep-dims-default \
    keepdims-default all-axes output output-shape axes-default axes-negative";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Empties, "nothing-is-nan-for-l2", "L2 of nothing is NaN, as a sum scaled by a greatest element of 0 is.", NOTHING, |s| s.nothing = |plan| if plan.norm == Norm::L2 { number(plan, f64::NAN, 0) } else { 0 }),
    row(Empties, "nothing-is-infinity", "The norm of nothing is infinite, or an integer's maximum.", NOTHING, |s| s.nothing = |plan| if plan.dtype.is_integer() { wrapped(&range(plan.dtype).1.into(), plan.dtype) } else { number(plan, f64::INFINITY, 0) }),
    row(Empties, "nothing-is-the-least-integer", "The norm of no integers is what a maximum starts from.", NOTHING, |s| s.nothing = |plan| if plan.dtype.is_integer() { wrapped(&(range(plan.dtype).0 - i128::from(range(plan.dtype).0 == 0)).into(), plan.dtype) } else { 0 }),
    row(Empties, "nothing-is-one-in-floats", "The norm of no floats is 1.", NOTHING, |s| s.nothing = |plan| number(plan, 1.0, 0)),
    row(Empties, "nothing-is-a-smallest-number", "The norm of nothing is the smallest normal number, which keeps roots from zero.", NOTHING, |s| s.nothing = |plan| number(plan, crate::floats::power(crate::floats::format(plan.dtype).min_exponent), 0)),
    row(Empties, "dims-dropped-from-nothing", "Reduced dims go wherever the data have no elements.", DIMS, |s| s.keep = |call, readings| keep(call, readings).map(|keep| keep && !call.data.is_empty())),
    row(Empties, "dims-of-nothing-kept", "Reduced dims are kept wherever the data have no elements.", DIMS, |s| s.keep = |call, readings| keep(call, readings).map(|keep| keep || call.data.is_empty() && !matches!(call.operator, Operator::Bnns { .. }))),
    row(Empties, "all-reduced-of-nothing", "Where the data have no elements every axis is reduced.", DIMS, |s| s.before = |_, call| match call.operator {
        Operator::Onnx { .. } if call.data.is_empty() && names_valid_axes(call) => with_axes(call, Axes::Absent),
        _ => Cow::Borrowed(call),
    }),
    row(Empties, "no-output-without-its-dims", "An output without elements has one dim, of 0.", DIMS, |s| s.shape = |plan| if shape(plan).contains(&0) { vec![0] } else { shape(plan) }),
    row(Empties, "dims-after-a-zero-lost", "The output's dims end with the first that is 0.", DIMS, |s| s.shape = |plan| {
        let dims = shape(plan);
        let end = dims.iter().position(|&dim| dim == 0).map_or(dims.len(), |at| at + 1);
        dims[..end].to_vec()
    }),
    row(Empties, "all-dims-zero-where-one-is", "Where one dim of the output is 0, all are.", DIMS, |s| s.shape = |plan| {
        let dims = shape(plan);
        if dims.contains(&0) { vec![0; dims.len()] } else { dims }
    }),
    row(Empties, "nothing-along-the-last-axis-refused", "A last axis of 0 is refused where it is reduced.", NOTHING, |s| s.room = |call, plan, dims, readings| if plan.data.last() == Some(&0) && plan.reduces(plan.data.len() - 1) { Err("no elements".into()) } else { room(call, plan, dims, readings) }),
    row(Empties, "integers-of-nothing-refused", "Integer data without elements are refused.", NOTHING, |s| s.admit = |call, readings| if call.data.is_empty() && call.data.dtype().is_integer() { Err("no elements".into()) } else { crate::form::admit(call, readings) }),
];

/// Returns true if the call names axes, and all are valid for the data.
fn names_valid_axes(call: &Call) -> bool {
    let rank = call.data.rank() as i128;
    matches!(&call.axes, Axes::Given(given) if !given.values.is_empty() && given.values.iter().all(|value| (-rank..rank).contains(value)))
}
