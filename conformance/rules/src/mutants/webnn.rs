//! Mistakes about the reductions of WebNN: lists of axes, refusals, keepDimensions, dims of 0 and types.
//!
//! No row here changes a call of another family.

use std::borrow::Cow;

use normative_conformance::reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator};

use super::MutantFamily::Versions;
use super::{Mutant, row, with_axes};
use crate::form::{admit, axes, axis, distinct, keep, room, unnamed};
use crate::plan::Unnamed;

const TWICE: &str = "axes-unique";
const RANGE: &str = "axes-range";
const LIST: &str = "axes-list";
const EMPTY: &str = "axes-empty";
const DEFAULT: &str = "axes-default keep-dims-default output-removed-dims keep-dims-true norm output-rank";
const NAMED: &str =
    "axes keep-dims-default keep-dims-true output-removed-dims output-rank norm types output-type";
const TYPES: &str = "types";
const ZERO: &str = "zero-sized-dims";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Versions, "webnn-takes-an-axis-twice", "An axis that is listed twice is reduced once.", TWICE, |s| s.axes = |values, named, call, readings| {
        if !is_webnn(call) || call.data.rank() == 0 { return axes(values, named, call, readings) }
        Ok(distinct(named))
    }),
    row(Versions, "webnn-finds-only-neighbours", "An axis that is listed twice is refused only where both stand side by side.", TWICE, |s| s.axes = |values, named, call, readings| {
        let apart = values.windows(2).all(|pair| pair[0] != pair[1]);
        if !is_webnn(call) || call.data.rank() == 0 || !apart { return axes(values, named, call, readings) }
        Ok(distinct(named))
    }),
    row(Versions, "webnn-counts-from-the-end", "A negative axis counts from the end.", RANGE, |s| s.axis = |value, call, readings| match call.data.rank() as i128 {
        rank if is_webnn(call) && (-rank..0).contains(&value) => Ok((value + rank) as usize),
        _ => axis(value, call, readings),
    }),
    row(Versions, "webnn-cuts-axes-to-32-bits", "Axes are converted modulo 2^32, as without EnforceRange.", RANGE, |s| s.axis = |value, call, readings| {
        axis(if is_webnn(call) { value.rem_euclid(1 << 32) } else { value }, call, readings)
    }),
    row(Versions, "webnn-passes-over-axes-beyond", "An axis beyond the rank is the last one.", RANGE, |s| s.axis = |value, call, readings| match call.data.rank() as i128 {
        rank if is_webnn(call) && rank > 0 && value >= rank => Ok((rank - 1) as usize),
        _ => axis(value, call, readings),
    }),
    row(Versions, "webnn-scalar-has-an-axis", "Axis 0 of a scalar is taken.", "axes-range rank-zero", |s| s.axes = |values, named, call, readings| {
        if is_webnn(call) && call.data.rank() == 0 && values == [0] { return Ok(Vec::new()) }
        axes(values, named, call, readings)
    }),
    row(Versions, "webnn-takes-null", "null for axes is axes left out.", LIST, |s| s.before = |_, call| match call.axes {
        Axes::Null if is_webnn(call) => with_axes(call, Axes::Absent),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "webnn-takes-one-number", "One number for axes is a list of one.", LIST, |s| s.before = |_, call| match &call.axes {
        Axes::Given(given) if is_webnn(call) && given.shape.is_empty() => with_axes(call, Axes::Given(AxesTensor { shape: vec![1], ..given.clone() })),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "webnn-empty-axes-mean-all", "An empty list of axes reduces everything.", EMPTY, |s| s.unnamed = |call, readings| match unnamed(call, readings)? {
        Unnamed::Nothing if is_webnn(call) => Ok(Unnamed::All),
        other => Ok(other),
    }),
    row(Versions, "webnn-empty-axes-mean-the-data", "An empty list of axes gives the data back with their signs.", EMPTY, |s| s.unnamed = |call, readings| match unnamed(call, readings)? {
        Unnamed::Nothing if is_webnn(call) => Ok(Unnamed::Unchanged),
        other => Ok(other),
    }),
    row(Versions, "webnn-empty-axes-refused", "An empty list of axes is refused.", EMPTY, |s| s.unnamed = |call, readings| match unnamed(call, readings)? {
        Unnamed::Nothing if is_webnn(call) => Err("no axis is listed".into()),
        other => Ok(other),
    }),
    row(Versions, "webnn-absent-axes-mean-the-last", "Axes left out are the last one.", DEFAULT, |s| s.before = |_, call| match (&call.axes, call.data.rank()) {
        (Axes::Absent, rank @ 2..) if is_webnn(call) => with_axes(call, Axes::list(&[rank as i64 - 1])),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "webnn-absent-axes-mean-none", "Axes left out are an empty list.", "axes-default keep-dims-default output-removed-dims keep-dims-true norm output-rank axes", |s| s.before = |_, call| match call.axes {
        Axes::Absent if is_webnn(call) => with_axes(call, Axes::list(&[])),
        _ => Cow::Borrowed(call),
    }),
    row(Versions, "webnn-keeps-by-default", "keepDimensions is true when left out.", "keep-dims-default output-removed-dims axes axes-default norm output-rank types output-type data-shape", |s| s.keep = |call, readings| match call.operator {
        Operator::WebNn { keep_dimensions: None, .. } => Ok(true),
        _ => keep(call, readings),
    }),
    row(Versions, "webnn-given-means-true", "keepDimensions is true wherever it is written.", "output-removed-dims", |s| s.keep = |call, readings| match call.operator {
        Operator::WebNn { keep_dimensions: Some(_), .. } => Ok(true),
        _ => keep(call, readings),
    }),
    row(Versions, "webnn-never-keeps", "keepDimensions is never looked at.", "keep-dims-true norm axes axes-default data-shape", |s| s.keep = |call, readings| if is_webnn(call) { Ok(false) } else { keep(call, readings) }),
    row(Versions, "webnn-l2-takes-the-types-of-l1", "reduceL2 takes the integers that reduceL1 takes.", TYPES, |s| s.admit = |call, readings| match call.operator {
        Operator::WebNn { norm: Norm::L2, .. } if matches!(call.data.dtype(), Dtype::I32 | Dtype::I64 | Dtype::U32 | Dtype::U64) => Ok(()),
        _ => admit(call, readings),
    }),
    row(Versions, "webnn-takes-small-integers", "int8 and uint8 are taken, as by other reductions.", TYPES, |s| s.admit = |call, readings| match call.data.dtype() {
        Dtype::I8 | Dtype::U8 if is_webnn(call) => Ok(()),
        _ => admit(call, readings),
    }),
    row(Versions, "webnn-takes-every-float", "float64 and bfloat16 are taken.", TYPES, |s| s.admit = |call, readings| match call.data.dtype() {
        Dtype::F64 | Dtype::Bf16 if is_webnn(call) => Ok(()),
        _ => admit(call, readings),
    }),
    row(Versions, "webnn-refuses-unsigned-integers", "reduceL1 refuses uint32 and uint64.", "types norm axes output-type data-shape silent-on-overflow", |s| s.admit = |call, readings| match call.data.dtype() {
        Dtype::U32 | Dtype::U64 if is_webnn(call) => Err("unsigned integers are not reduced".into()),
        _ => admit(call, readings),
    }),
    row(Versions, "webnn-refuses-a-kept-dim-of-0-alone", "A dim of 0 is refused where it is kept, and taken where it is reduced.", ZERO, |s| s.room = |call, plan, shape, readings| {
        if is_webnn(call) && !shape.contains(&0) { return Ok(()) }
        room(call, plan, shape, readings)
    }),
    row(Versions, "webnn-refuses-a-reduced-dim-of-0-alone", "A dim of 0 is refused where it is reduced, and taken where it is kept.", ZERO, |s| s.room = |call, plan, shape, readings| {
        if is_webnn(call) && plan.terms() > 0 { return Ok(()) }
        room(call, plan, shape, readings)
    }),
    row(Versions, "webnn-refuses-lists-of-three", "More than two axes are refused.", NAMED, |s| s.axes = |values, named, call, readings| {
        if is_webnn(call) && values.len() > 2 { return Err("more than two axes".into()) }
        axes(values, named, call, readings)
    }),
];

const fn is_webnn(call: &Call) -> bool {
    matches!(call.operator, Operator::WebNn { .. })
}
