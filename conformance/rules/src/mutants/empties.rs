//! Mistakes about emptiness: zero-sized dims, and axes that are absent, null or empty.

use normative_conformance::Answer;
use normative_conformance::reference::{Axes, Operator, Tensor};

use super::MutantFamily::Empties;
use super::{Mutant, answer, row, with_axes};
use crate::floats::encode;
use crate::form::{axes, axis, shape, unnamed};
use crate::integers::{range, wrapped};
use crate::plan::{Plan, Unnamed};

/// The clauses about the norm over no elements.
pub(super) const NOTHING: &str = "empty-set empty-set-unstated norm data-shape numpy-like slices data";
const ZERO_SIZED: &str = "empty-set empty-set-unstated norm data-shape numpy-like slices data output-kept-dims \
    output-removed-dims output-rank-kept reduced-dims-pruned keep-dims-true all-axes output";
const LEFT_OUT: &str = "axes-required axes-default axes-nil axes-optional axes-empty empty-axes noop-false noop-default \
    noop-true";
const EMPTY: &str = "empty-axes axes-empty noop-true noop-false axes-default noop-default";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Empties, "nothing-is-nan", "The norm of nothing is NaN, or an integer's minimum.", NOTHING, |s| s.nothing = |plan| number(plan, f64::NAN, range(plan.dtype).0)),
    row(Empties, "nothing-is-minus-zero", "The norm of nothing is -0.", NOTHING, |s| s.nothing = |plan| number(plan, -0.0, 0)),
    row(Empties, "nothing-is-minus-infinity", "The norm of nothing is what a maximum starts from.", NOTHING, |s| s.nothing = |plan| number(plan, f64::NEG_INFINITY, range(plan.dtype).0)),
    row(Empties, "nothing-is-one", "The norm of nothing is 1.", NOTHING, |s| s.nothing = |plan| number(plan, 1.0, 1)),
    row(Empties, "nothing-is-garbage", "Memory for the norm of nothing is not written.", NOTHING, |s| s.nothing = |plan| 0xaaaa_aaaa_aaaa_aaaa & (u64::MAX >> (64 - 8 * plan.dtype.size()))),
    row(Empties, "no-output-from-nothing", "Data without elements give an output without elements.", ZERO_SIZED, |s| s.after = |_, call, answer| match answer {
        Answer::Tensor(tensor) if call.data.is_empty() => tensor_of(&tensor, &vec![0; tensor.rank().max(1)]),
        answer => answer,
    }),
    row(Empties, "nothing-returned-as-it-is", "Data without elements are returned with their own dims.", ZERO_SIZED, |s| s.after = |_, call, answer| match answer {
        Answer::Tensor(_) if call.data.is_empty() => Answer::Tensor(call.data.clone()),
        answer => answer,
    }),
    row(Empties, "nothing-refused", "Data without elements are refused.", ZERO_SIZED, |s| s.admit = |call, readings| if call.data.is_empty() { Err("no elements".into()) } else { crate::form::admit(call, readings) }),
    row(Empties, "no-output-refused", "An output without elements is refused.", ZERO_SIZED, |s| s.room = |call, plan, shape, readings| if shape.contains(&0) { Err("no elements".into()) } else { crate::form::room(call, plan, shape, readings) }),
    row(Empties, "zero-dims-kept-as-one", "A dim of 0 that is not reduced becomes 1.", ZERO_SIZED, |s| s.after = |_, _, answer| match answer {
        Answer::Tensor(tensor) if tensor.is_empty() => tensor_of(&tensor, &tensor.shape().iter().map(|&dim| dim.max(1)).collect::<Vec<_>>()),
        answer => answer,
    }),
    row(Empties, "reduced-zero-dims-stay-zero", "A reduced dim of 0 that is kept stays 0.", ZERO_SIZED, |s| {
        s.shape = |plan| zero_kept(plan).unwrap_or_else(|| shape(plan));
        s.groups = |plan| if zero_kept(plan).is_some() { Vec::new() } else { crate::form::groups(plan) };
    }),
    row(Empties, "negative-axes-of-nothing-ignored", "Negative axes are not counted from the end where a dim is 0.", "axes-negative axes-range norm empty-set empty-set-unstated data-shape numpy-like", |s| s.axes = |values, named, call, readings| {
        let kept = named.iter().zip(values).filter(|(_, value)| **value >= 0 || !call.data.is_empty()).map(|(&axis, _)| axis).collect();
        axes(values, named, call, readings).map(|_| kept)
    }),
    row(Empties, "range-unchecked-for-nothing", "The range of axes is not checked where a dim is 0.", "axes-range axes axes-negative axis-range-unstated", |s| s.axis = |value, call, readings| {
        let rank = call.data.rank().max(1) as i128;
        axis(if call.data.is_empty() { value.clamp(-rank, rank - 1) } else { value }, call, readings)
    }),

    row(Empties, "empty-axes-as-all", "An empty list of axes reduces everything, where it is to reduce nothing.", EMPTY, |s| s.unnamed = |call, readings| match (&call.operator, &call.axes) {
        (Operator::OpenVino { .. }, Axes::Given(_)) => Ok(Unnamed::All),
        _ => unnamed(call, readings),
    }),
    row(Empties, "empty-axes-as-the-last", "An empty list of axes reduces the last one.", EMPTY, |s| s.before = |_, call| match &call.axes {
        Axes::Given(given) if given.values.is_empty() => with_axes(call, Axes::list(&[-1])),
        _ => std::borrow::Cow::Borrowed(call),
    }),
    row(Empties, "empty-axes-refused", "An empty list of axes is refused.", EMPTY, |s| s.unnamed = |call, readings| match &call.axes {
        Axes::Given(_) if !matches!(call.operator, Operator::Bnns { .. }) => Err("no axes".into()),
        _ => unnamed(call, readings),
    }),
    row(Empties, "empty-axes-refused-unless-kept", "An empty list of axes is refused where dims are not kept.", EMPTY, |s| s.unnamed = |call, readings| match (&call.operator, &call.axes) {
        (Operator::OpenVino { keep_dims, .. }, Axes::Given(_)) if *keep_dims != Some(true) => Err("no axes".into()),
        _ => unnamed(call, readings),
    }),
    row(Empties, "empty-axes-squeeze", "An empty list of axes removes the dims of 1.", EMPTY, |s| s.after = |_, call, answer| match (answer, &call.axes) {
        (Answer::Tensor(tensor), Axes::Given(given)) if given.values.is_empty() => {
            let dims: Vec<usize> = tensor.shape().iter().copied().filter(|&dim| dim != 1).collect();
            super::answer(tensor.dtype(), &dims, &tensor.bits())
        }
        (answer, _) => answer,
    }),
    row(Empties, "absent-as-empty", "Axes that are left out are an empty list.", LEFT_OUT, |s| s.unnamed = |call, readings| match &call.axes {
        Axes::Absent => Ok(Unnamed::Unchanged),
        _ => unnamed(call, readings),
    }),
    row(Empties, "null-as-empty", "Axes of nothing are an empty list.", LEFT_OUT, |s| s.unnamed = |call, readings| match &call.axes {
        Axes::Null => Ok(Unnamed::Unchanged),
        _ => unnamed(call, readings),
    }),
    row(Empties, "absent-as-the-last", "Where axes are left out, the last is reduced.", LEFT_OUT, |s| s.before = |_, call| match &call.axes {
        Axes::Absent => with_axes(call, Axes::list(&[call.data.rank() as i64 - 1])),
        _ => std::borrow::Cow::Borrowed(call),
    }),
    row(Empties, "required-axes-default-to-all", "OpenVINO's axes may be left out.", "axes-required", |s| s.unnamed = |call, readings| match &call.axes {
        Axes::Absent | Axes::Null if matches!(call.operator, Operator::OpenVino { .. }) => Ok(Unnamed::All),
        _ => unnamed(call, readings),
    }),
    row(Empties, "absent-refused", "Axes have to be given.", LEFT_OUT, |s| s.unnamed = |call, readings| match &call.axes {
        Axes::Absent => Err("axes are required".into()),
        _ => unnamed(call, readings),
    }),
];

/// Returns the bits of the float, or of the integer for an integer type.
pub(super) fn number(plan: &Plan, float: f64, integer: i128) -> u64 {
    if plan.dtype.is_integer() { wrapped(&integer.into(), plan.dtype) } else { encode(plan.dtype, float) }
}

/// Returns an empty tensor in other dims; zeros if these have room for elements.
fn tensor_of(tensor: &Tensor, dims: &[usize]) -> Answer {
    answer(tensor.dtype(), dims, &vec![0; dims.iter().product()])
}

/// Returns the dims with each reduced 0 left as it is, if there is one.
fn zero_kept(plan: &Plan) -> Option<Vec<usize>> {
    let zero = |axis: usize| plan.keep && plan.reduces(axis) && plan.data[axis] == 0;
    let dims = shape(plan);
    (0..plan.data.len())
        .any(zero)
        .then(|| (0..plan.data.len()).map(|axis| if zero(axis) { 0 } else { dims[axis] }).collect())
}
