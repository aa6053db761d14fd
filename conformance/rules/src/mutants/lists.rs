//! Mistakes about the numbers that name axes: width, sign, order, range, repetition.

use std::borrow::Cow;

use normative_conformance::reference::{Axes as Given, AxesTensor, Call, Dtype, Operator};

use super::MutantFamily::Axes;
use super::{Mutant, axes_are, row, with_axes};
use crate::form::{axes, axes_tensor, axis, groups, shape};
use crate::plan::{Plan, Readings, StepResult};
use crate::steps::Steps;

const NAMED: &str = "axes-indices axes axes-some axes-all all-axes slices function-body-sum";
const RANGE: &str = "axes-range axes axis-range-unstated axes-indices axes-types";
const NEGATIVE: &str = "axes-negative axes-range axes axis-range-unstated";
const TYPES: &str = "axes-types axes-scalar-or-1d axes-list axes-indices axes-negative";
const SCALAR: &str = "axes-of-a-scalar axis-of-a-scalar axes-range axes rank-zero axis-range-unstated";
const TWICE: &str = "axes-unique axes-repeated axes axes-range";
const ORDER: &str = "axes-indices axes axes-some slices output-kept-dims output-removed-dims output-rank-kept \
    reduced-dims-pruned keep-dims-true output-shape";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Axes, "three-axes-only", "Of more than three axes those after the third are kept.", NAMED, |s| s.chosen = |axes, _| axes.truncate(3)),
    row(Axes, "four-axes-only", "Of more than four axes those after the fourth are kept.", NAMED, |s| s.chosen = |axes, _| axes.truncate(4)),
    row(Axes, "eight-axes-only", "The list of axes has room for eight, and those after the eighth are kept.", NAMED, |s| s.chosen = |axes, _| axes.truncate(8)),
    row(Axes, "axes-in-a-mask-of-eight", "Axes are bits of a byte, so that axis 8 and those after it are never reduced.", NAMED, |s| s.chosen = |axes, _| axes.retain(|&axis| axis < 8)),
    row(Axes, "ninth-dim-folded-into-the-eighth", "Dims beyond the eighth are folded into it, and axes with them.", NAMED, |s| s.chosen = |axes, _| {
        for axis in axes.iter_mut() { *axis = (*axis).min(7); }
        axes.dedup();
    }),
    row(Axes, "off-by-one-at-rank-6", "At rank 6 the next axis is reduced.", NAMED, |s| s.chosen = |axes, rank| if rank == 6 { for axis in axes { *axis = (*axis + 1) % rank; } }),
    row(Axes, "last-two-swapped", "Of channels-last data the last two axes are taken for each other.", NAMED, |s| s.chosen = |axes, rank| if rank > 2 {
        for axis in axes { *axis = if *axis == rank - 1 { rank - 2 } else if *axis == rank - 2 { rank - 1 } else { *axis }; }
    }),
    row(Axes, "axes-as-of-channels-last", "At rank 4 axes are mapped as if the data had their channels last.", NAMED, |s| s.chosen = |axes, rank| if rank == 4 {
        for axis in axes { *axis = [0, 3, 1, 2][*axis]; }
    }),
    row(Axes, "first-read-only", "Of several axes only the first is read.", NAMED, |s| s.before = |_, call| match &call.axes {
        Given::Given(given) if given.shape.len() == 1 && given.values.len() > 1 => with_axes(call, Given::Given(AxesTensor { shape: vec![1], values: given.values[..1].to_vec(), ..given.clone() })),
        _ => Cow::Borrowed(call),
    }),
    row(Axes, "neighbours-taken-for-one", "Of two neighbouring axes only the first is reduced.", NAMED, |s| s.chosen = |axes, _| {
        let all = axes.clone();
        axes.retain(|&axis| axis == 0 || !all.contains(&(axis - 1)));
    }),
    row(Axes, "leading-ones-not-counted", "Leading dims of 1 are stripped before axes are counted.", NAMED, |s| s.axes = |values, named, call, readings| {
        let dims = call.data.shape();
        let ones = dims.iter().take_while(|&&dim| dim == 1).count();
        let shifted = named.iter().map(|&axis| if ones < dims.len() { (axis + ones) % dims.len() } else { axis }).collect();
        axes(values, named.clone(), call, readings)?;
        axes(values, shifted, call, readings)
    }),

    row(Axes, "negative-off-by-one-from-rank-5", "From rank 5 on a negative axis is the one before the one it names.", NEGATIVE, |s| s.axis = |value, call, readings| {
        let rank = call.data.rank() as i128;
        axis(if rank >= 5 && value < 0 && value > -rank { value - 1 } else { value }, call, readings)
    }),
    row(Axes, "negative-off-by-one-at-rank-4", "At rank 4 a negative axis is the one after the one it names.", NEGATIVE, |s| s.axis = |value, call, readings| {
        axis(if call.data.rank() == 4 && value < -1 { value + 1 } else { value }, call, readings)
    }),
    row(Axes, "bnns-negative-from-the-fastest", "BNNS takes -1 for its axis 0, and so on.", NEGATIVE, |s| s.axis = |value, call, readings| match call.operator {
        Operator::Bnns { .. } if value < 0 => axis(-1 - value, call, readings),
        _ => axis(value, call, readings),
    }),
    row(Axes, "only-the-first-negative-resolved", "Of several axes only the first is counted from the end; the other negative ones are 0.", NEGATIVE, |s| s.axis = |value, call, readings| {
        axis(value, call, readings).map(|axis| if value < 0 && first(call) != Some(value) { 0 } else { axis })
    }),
    row(Axes, "mixed-signs-refused", "A list of axes of both signs is refused.", NEGATIVE, |s| s.axis = |value, call, readings| match &call.axes {
        Given::Given(given) if value < 0 && given.values.iter().any(|&other| other >= 0) && distinct(call) => Err("signs".into()),
        _ => axis(value, call, readings),
    }),
    row(Axes, "lists-of-three-refused", "More than two axes are refused.", NAMED, |s| s.axes = |values, named, call, readings| match call.operator {
        Operator::Onnx { .. } | Operator::OpenVino { .. } if values.len() > 2 => Err("more than two axes".into()),
        _ => axes(values, named, call, readings),
    }),
    row(Axes, "minus-one-refused-on-vectors", "The last axis of a vector is refused by its negative number.", NEGATIVE, |s| s.axis = |value, call, readings| if call.data.rank() == 1 && value == -1 { Err("range".into()) } else { axis(value, call, readings) }),

    row(Axes, "only-the-first-axis-checked", "Only the first axis is checked; another beyond the range is the nearest within.", RANGE, |s| s.axis = |value, call, readings| {
        let rank = call.data.rank().max(1) as i128;
        axis(if first(call) == Some(value) { value } else { value.clamp(-rank, rank - 1) }, call, readings)
    }),
    row(Axes, "only-the-last-axis-checked", "Only the last axis is checked; another beyond the range is the nearest within.", RANGE, |s| s.axis = |value, call, readings| {
        let rank = call.data.rank().max(1) as i128;
        axis(if last(call) == Some(value) { value } else { value.clamp(-rank, rank - 1) }, call, readings)
    }),
    row(Axes, "range-of-the-output", "An axis has to be below the rank of the output.", RANGE, |s| s.axis = |value, call, readings| {
        let others = if let Given::Given(given) = &call.axes { given.values.len() as i128 - 1 } else { 0 };
        let rank = call.data.rank() as i128;
        if value >= 0 && value < rank && rank > 1 && value >= (rank - others).max(1) { Err("range".into()) } else { axis(value, call, readings) }
    }),
    row(Axes, "one-past-the-end-is-the-last", "The range is checked with <= where < is due.", RANGE, |s| s.axis = |value, call, readings| axis(if value == call.data.rank() as i128 && value > 0 { value - 1 } else { value }, call, readings)),
    row(Axes, "one-below-the-range-is-the-first", "The lower end of the range is checked with -r - 1.", RANGE, |s| s.axis = |value, call, readings| axis(if value == -(call.data.rank() as i128) - 1 && call.data.rank() > 0 { value + 1 } else { value }, call, readings)),
    row(Axes, "greatest-i32-means-all", "An axis of 2^31 - 1 stands for all of them.", RANGE, sentinel::<0x7fff_ffff>),
    row(Axes, "least-i32-means-all", "An axis of -2^31 stands for all of them.", RANGE, sentinel::<-0x8000_0000>),
    row(Axes, "greatest-i64-means-all", "An axis of 2^63 - 1 stands for all of them.", RANGE, sentinel::<{ i64::MAX }>),
    row(Axes, "least-i64-means-all", "An axis of -2^63 stands for all of them.", RANGE, sentinel::<{ i64::MIN }>),
    row(Axes, "any-axis-taken-on-rank-0", "A scalar's axes are not looked at, whatever they name.", SCALAR, |s| {
        s.axis = |value, call, readings| axis(if call.data.rank() == 0 { 0 } else { value }, call, readings);
        s.axes = taken_on_rank_0;
    }),
    row(Axes, "axis-0-taken-on-rank-0", "A scalar is taken to have one axis where the stated range holds none.", SCALAR, |s| s.axes = taken_on_rank_0),
    row(Axes, "vector-of-a-scalar-with-axes", "A scalar whose axis is named becomes a vector of one.", SCALAR, |s| s.after = |_, call, given| match &given {
        normative_conformance::Answer::Tensor(tensor) if call.data.rank() == 0 && matches!(call.axes, Given::Given(_)) => super::answer(tensor.dtype(), &[1], &tensor.bits()),
        _ => given,
    }),

    row(Axes, "u16-axes-read-as-i16", "Axes of u16 are read as i16, so that 65535 is -1.", RANGE, |s| s.axis = |value, call, readings| axis(if axes_are(call, Dtype::U16) { (value as i16).into() } else { value }, call, readings)),
    row(Axes, "u32-axes-read-as-i32", "Axes of u32 are read as i32, so that 2^32 - 1 is -1.", RANGE, |s| s.axis = |value, call, readings| axis(if axes_are(call, Dtype::U32) { (value as i32).into() } else { value }, call, readings)),
    row(Axes, "i16-axes-read-as-u16", "Axes of i16 are read as u16, so that -1 is 65535.", TYPES, |s| s.axis = |value, call, readings| axis(if axes_are(call, Dtype::I16) { (value as u16).into() } else { value }, call, readings)),
    row(Axes, "i32-axes-read-as-u32", "Axes of i32 are read as u32, so that -1 is 2^32 - 1.", TYPES, |s| s.axis = |value, call, readings| axis(if axes_are(call, Dtype::I32) { (value as u32).into() } else { value }, call, readings)),
    row(Axes, "i64-axes-read-as-words-of-32-bits", "A list of i64 is read as so many i32, which are the low and high halves of the first.", "axes-types axes-indices axes axes-negative axes-some axes-all all-axes slices", |s| s.before = |_, call| relisted(call, Dtype::I64, |values| {
        values.iter().flat_map(|&value| [i128::from(value as i32), value >> 32]).take(values.len()).collect()
    })),
    row(Axes, "i32-axes-read-two-apart", "A list of i32 is read as if it were one of i64, so that every second one is lost.", TYPES, |s| s.before = |_, call| relisted(call, Dtype::I32, |values| {
        values.iter().copied().step_by(2).collect()
    })),
    row(Axes, "axes-of-nothing-untyped", "An empty list of axes may be of any type.", TYPES, |s| s.axes_tensor = |call, given, readings| if given.values.is_empty() && given.shape.len() == 1 { Ok(()) } else { axes_tensor(call, given, readings) }),
    row(Axes, "float-axes-taken-where-one", "One axis may be a float.", TYPES, |s| s.axes_tensor = |call, given, readings| if given.values.len() == 1 && !given.dtype.is_integer() { Ok(()) } else { axes_tensor(call, given, readings) }),
    row(Axes, "elements-summed-twice-where-an-axis-is-named-twice", "The elements along an axis that is named twice are summed twice.", TWICE, |s| { many(s); s.groups = |plan| repeated(plan, |_| 2); }),
    row(Axes, "elements-summed-by-the-dim-where-an-axis-is-named-twice", "An axis that is named twice is looped over twice.", TWICE, |s| { many(s); s.groups = |plan| repeated(plan, |dim| dim); }),
    row(Axes, "elements-lost-where-an-axis-is-named-twice", "Where an axis is named twice only its first elements are summed.", TWICE, |s| { many(s); s.groups = |plan| repeated(plan, |_| 0); }),
    row(Axes, "repeats-seen-only-side-by-side", "An axis named twice is refused only where both stand side by side.", TWICE, |s| s.axes = |values, named, call, readings| {
        if named.windows(2).any(|pair| pair[0] == pair[1]) { Err("twice".into()) } else { axes(values, named, call, readings) }
    }),
    row(Axes, "repeats-refused-only-among-three", "An axis named twice is refused where three axes are named, and passed over where two are.", TWICE, |s| s.axes = |values, named, call, readings| {
        if named.len() > 2 && !distinct(call) { Err("twice".into()) } else { axes(values, named, call, readings) }
    }),

    row(Axes, "output-transposed-where-axes-descend", "Where axes are listed in descending order the output is written with the first axis fastest.", ORDER, |s| s.groups = |plan| {
        let right = groups(plan);
        if plan.axes.is_sorted() { return right }
        let columns = (0..plan.data.len()).rev().find(|&axis| !plan.reduces(axis)).map_or(1, |axis| plan.data[axis]).max(1);
        let rows = right.len() / columns;
        (0..right.len()).map(|at| right[at % rows * columns + at / rows].clone()).collect()
    }),
    row(Axes, "dims-kept-in-the-order-named", "Kept dims are put back one after the other as axes are listed, whatever their order.", ORDER, |s| s.shape = |plan| {
        if !plan.keep { return shape(plan) }
        let mut dims: Vec<usize> = (0..plan.data.len()).filter(|&axis| !plan.reduces(axis)).map(|axis| plan.data[axis]).collect();
        for &axis in &plan.axes { dims.insert(axis.min(dims.len()), 1); }
        dims
    }),
    row(Axes, "dims-removed-in-the-order-named", "Dims are removed as axes are listed, each counted as if those before it stood in front.", ORDER, |s| s.shape = |plan| {
        if plan.keep { return shape(plan) }
        let mut dims = plan.data.clone();
        for (removed, &axis) in plan.axes.iter().enumerate() { dims.remove(axis.saturating_sub(removed).min(dims.len() - 1)); }
        if dims.is_empty() { shape(plan) } else { dims }
    }),
];

/// Makes this axis mean all of them.
fn sentinel<const VALUE: i64>(steps: &mut Steps) {
    steps.axis = |value, call, readings| axis(if value == VALUE.into() { 0 } else { value }, call, readings);
    steps.axes = |values, named, call, readings| {
        let all = values.contains(&VALUE.into()) && call.data.rank() > 0;
        if all { Ok((0..call.data.rank()).collect()) } else { axes(values, named, call, readings) }
    };
}

/// Accepts any axes for a scalar.
fn taken_on_rank_0(
    values: &[i128],
    named: Vec<usize>,
    call: &Call,
    readings: &Readings,
) -> StepResult<Vec<usize>> {
    if call.data.rank() == 0 { Ok(Vec::new()) } else { axes(values, named, call, readings) }
}

/// Keeps each axis as often as it is named.
fn many(steps: &mut Steps) {
    steps.axes = |values, named, call, readings| {
        axes(values, named.clone(), call, readings)
            .map(|once| if call.data.rank() == 0 { once } else { named })
    };
}

/// Repeats each output's elements by `times` of the dim of an axis that is named twice.
fn repeated(plan: &Plan, times: fn(usize) -> usize) -> Vec<Vec<usize>> {
    let mut once = plan.axes.clone();
    once.sort_unstable();
    let twice = once.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    once.dedup();
    let right = groups(&Plan { axes: once, ..plan.clone() });
    let Some(axis) = twice else { return right };
    match times(plan.data[axis]) {
        0 => right.into_iter().map(|group| group.into_iter().take(1).collect()).collect(),
        times => right.into_iter().map(|group| group.repeat(times)).collect(),
    }
}

fn listed(call: &Call) -> &[i128] {
    match &call.axes {
        Given::Given(given) => &given.values,
        Given::Absent | Given::Null | Given::OtherForm(_) => &[],
    }
}

fn first(call: &Call) -> Option<i128> {
    listed(call).first().copied()
}

fn last(call: &Call) -> Option<i128> {
    listed(call).last().copied()
}

/// Returns true if no axis is named twice.
fn distinct(call: &Call) -> bool {
    let rank = call.data.rank().max(1) as i128;
    let mut named: Vec<i128> = listed(call).iter().map(|value| value.rem_euclid(rank)).collect();
    named.sort_unstable();
    named.windows(2).all(|pair| pair[0] != pair[1])
}

/// Returns the call with another list of axes, if its axes are of this type and more than one.
fn relisted(call: &Call, dtype: Dtype, values: fn(&[i128]) -> Vec<i128>) -> Cow<'_, Call> {
    match &call.axes {
        Given::Given(given) if given.dtype == dtype && given.shape.len() == 1 && given.values.len() > 1 => {
            let mut given = given.clone();
            given.values = values(&given.values);
            given.shape = vec![given.values.len()];
            Cow::Owned(Call { axes: Given::Given(given), ..call.clone() })
        }
        _ => Cow::Borrowed(call),
    }
}
