//! Mistakes about `vector_norm` of the array API: None, tuples, integers, keepdims and the order.
//!
//! No row here changes a call of another family.

use std::borrow::Cow;

use normative_conformance::reference::{Axes, AxesTensor, Call, Norm, Operator};

use super::MutantFamily::Versions;
use super::{Mutant, row, with_axes, with_bits};
use crate::form::{axes, axis, keep, unnamed};
use crate::plan::Unnamed;

const NONE: &str = "axes-none axes-default reduced-dims-pruned output-rank norm";
const EMPTY: &str = "axes-empty";
const INTEGER: &str = "axes-integer keepdims-default output-rank-kept reduced-dims-pruned output-type";
const NEGATIVE: &str = "axes-negative output-rank-kept";
const TUPLE: &str = "axes axes-negative output-rank-kept keepdims-default norm ord-default data-shape";
const KEPT: &str = "output-rank-kept axes-empty";
const DROPPED: &str =
    "keepdims-default axes-integer axes axes-default axes-none axes-negative norm output-rank";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Versions, "none-means-the-last-axis", "None for axis is the last axis.", NONE, |s| s.before = |_, call| match call.axes {
        Axes::Absent | Axes::Null if is_vector_norm(call) && call.data.rank() > 0 => with_axes(call, Axes::scalar(-1)),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "none-means-the-last-two-axes", "None for axis is the last two, as of a stack of matrices.", NONE, |s| s.before = |_, call| match call.axes {
        Axes::Absent | Axes::Null if is_vector_norm(call) && call.data.rank() > 1 => with_axes(call, Axes::list(&[-2, -1])),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "none-means-no-axis", "None for axis is an empty tuple where it is written.", NONE, |s| s.before = |_, call| match call.axes {
        Axes::Null if is_vector_norm(call) => with_axes(call, Axes::list(&[])),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "empty-tuple-means-all", "An empty tuple is None.", EMPTY, |s| s.unnamed = |call, readings| match unnamed(call, readings)? {
        Unnamed::Nothing if is_vector_norm(call) => Ok(Unnamed::All),
        other => Ok(other),
    }),
    row(Versions, "empty-tuple-means-the-array", "An empty tuple gives the array back with its signs.", EMPTY, |s| s.unnamed = |call, readings| match unnamed(call, readings)? {
        Unnamed::Nothing if is_vector_norm(call) => Ok(Unnamed::Unchanged),
        other => Ok(other),
    }),
    row(Versions, "empty-tuple-refused", "An empty tuple is refused.", EMPTY, |s| s.unnamed = |call, readings| match unnamed(call, readings)? {
        Unnamed::Nothing if is_vector_norm(call) => Err("an empty tuple names no axis".into()),
        other => Ok(other),
    }),
    row(Versions, "integer-axis-refused", "axis is a tuple, and an integer is refused.", INTEGER, |s| s.axes_tensor = |call, given, readings| {
        if is_vector_norm(call) && given.shape.is_empty() { return Err("axis is no tuple".into()) }
        crate::form::axes_tensor(call, given, readings)
    }),
    row(Versions, "axis-0-means-none", "axis is tested for truth, so that 0 is None.", INTEGER, |s| s.before = |_, call| match &call.axes {
        Axes::Given(AxesTensor { shape, values, .. }) if is_vector_norm(call) && shape.is_empty() && values[..] == [0] => with_axes(call, Axes::Null),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "negative-integer-refused", "A negative axis is refused where it is an integer.", NEGATIVE, |s| s.axis = |value, call, readings| {
        if is_vector_norm(call) && value < 0 && matches!(&call.axes, Axes::Given(given) if given.shape.is_empty()) { return Err("a negative axis".into()) }
        axis(value, call, readings)
    }),
    row(Versions, "negative-in-a-tuple-refused", "A negative axis is refused in a tuple.", NEGATIVE, |s| s.axis = |value, call, readings| {
        if is_vector_norm(call) && value < 0 && matches!(&call.axes, Axes::Given(given) if given.shape.len() == 1) { return Err("a negative axis".into()) }
        axis(value, call, readings)
    }),
    row(Versions, "tuples-of-three-refused", "A tuple is a pair of axes at most, as for a matrix norm.", TUPLE, |s| s.axes = |values, named, call, readings| {
        if is_vector_norm(call) && values.len() > 2 { return Err("more than two axes".into()) }
        axes(values, named, call, readings)
    }),
    row(Versions, "array-api-keeps-by-default", "keepdims is true when left out.", DROPPED, |s| s.keep = |call, readings| match call.operator {
        Operator::ArrayApi { keepdims: None, .. } => Ok(true),
        _ => keep(call, readings),
    }),
    row(Versions, "array-api-given-means-true", "keepdims is true wherever it is written.", "reduced-dims-pruned axes-empty", |s| s.keep = |call, readings| match call.operator {
        Operator::ArrayApi { keepdims: Some(_), .. } => Ok(true),
        _ => keep(call, readings),
    }),
    row(Versions, "array-api-never-keeps", "keepdims is never looked at.", KEPT, |s| s.keep = |call, readings| if is_vector_norm(call) { Ok(false) } else { keep(call, readings) }),
    row(Versions, "none-keeps-one-dim", "None with keepdims keeps one dim of 1.", "keepdims-none", |s| s.before = |_, call| match call.operator {
        Operator::ArrayApi { keepdims: Some(true), .. } if !matches!(call.axes, Axes::Given(_)) && call.data.rank() > 0 => flattened(call),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "order-is-1-by-default", "The order is 1 when left out.", "ord-default norm axes-default", |s| s.before = |_, call| match call.operator {
        Operator::ArrayApi { ord: None, keepdims } => Cow::Owned(Call { operator: Operator::ArrayApi { ord: Some(Norm::L1), keepdims }, ..call.clone() }),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "order-ignored", "The order is 2, whatever is written.", "norm axes", |s| s.before = |_, call| match call.operator {
        Operator::ArrayApi { ord: Some(Norm::L1), keepdims } => Cow::Owned(Call { operator: Operator::ArrayApi { ord: None, keepdims }, ..call.clone() }),
        _ => Cow::Borrowed(call),
    }),
];

const fn is_vector_norm(call: &Call) -> bool {
    matches!(call.operator, Operator::ArrayApi { .. })
}

/// Returns the call on the same elements as a vector, or the call itself if they are too many.
fn flattened(call: &Call) -> Cow<'_, Call> {
    let bits = call.data.bits();
    with_bits(call, &[bits.len()], &bits)
}
