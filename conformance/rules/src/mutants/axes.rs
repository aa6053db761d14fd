//! Mistakes about the choice of axes, and the elements along them.

use normative_conformance::reference::{Axes as Given, Dtype, Operator};

use super::MutantFamily::Axes;
use super::{Mutant, axes_are, row};
use crate::form::{axes, axes_tensor, axis, groups, keep};

const NAMED: &str = "axes-indices axes axes-some axes-all all-axes slices function-body-sum";
const RANGE: &str = "axes-range axes axis-range-unstated axes-indices";
const NEGATIVE: &str = "axes-negative axes-range axes axis-range-unstated";
const TENSOR: &str = "axes-scalar-or-1d axes-types axes-list";
const LAYOUT: &str = "slices layout numpy-like axes-indices axes axes-some";
const TWICE: &str = "axes-unique axes-repeated";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Axes, "first-named-only", "Only the first axis named is reduced.", NAMED, |s| s.chosen = |axes, _| axes.truncate(1)),
    row(Axes, "last-named-only", "Only the last axis named is reduced.", NAMED, |s| s.chosen = |axes, _| { axes.drain(..axes.len().saturating_sub(1)); }),
    row(Axes, "third-named-ignored", "No more than two axes are reduced.", NAMED, |s| s.chosen = |axes, _| axes.truncate(2)),
    row(Axes, "innermost-only", "The last axis is reduced, whatever is named.", NAMED, |s| s.chosen = |axes, rank| *axes = vec![rank - 1]),
    row(Axes, "all-always", "Every axis is reduced, whatever is named.", NAMED, |s| s.chosen = |axes, rank| *axes = (0..rank).collect()),
    row(Axes, "others", "The axes named are kept and the others reduced.", NAMED, |s| s.chosen = |axes, rank| *axes = (0..rank).filter(|axis| !axes.contains(axis)).collect()),
    row(Axes, "all-but-the-outermost", "Where every axis is named, the outermost is kept.", NAMED, |s| s.chosen = |axes, rank| if axes.len() == rank && rank > 1 { axes.retain(|&axis| axis > 0); }),
    row(Axes, "first-to-last", "Everything between the outermost and the innermost axis named is reduced.", NAMED, |s| s.chosen = |axes, _| *axes = span(axes)),
    row(Axes, "first-block", "Of axes that are not neighbours, those after the gap are kept.", NAMED, |s| s.chosen = |axes, rank| {
        let first = axes.iter().copied().min().unwrap_or(0);
        let block: Vec<usize> = (first..rank).take_while(|axis| axes.contains(axis)).collect();
        *axes = block;
    }),
    row(Axes, "order-assumed", "Axes are looked up as if they were listed in ascending order.", NAMED, |s| s.chosen = |axes, rank| *axes = (0..rank).filter(|axis| axes.binary_search(axis).is_ok()).collect()),
    row(Axes, "numbers-of-what-is-left", "After each axis the next is counted among those left.", NAMED, |s| s.chosen = |axes, rank| {
        let mut left: Vec<usize> = (0..rank).collect();
        *axes = axes.iter().filter_map(|&axis| taken_from(&mut left, axis)).collect();
    }),
    row(Axes, "numbers-of-what-is-left-where-dropped", "Where dims are dropped, each axis is counted among those left after the one before.", NAMED, |s| s.axes = |values, named, call, readings| {
        if keep(call, readings)? || call.data.rank() == 0 { return axes(values, named, call, readings) }
        let mut left: Vec<usize> = (0..call.data.rank()).collect();
        let taken = |&axis: &usize| taken_from(&mut left, axis).ok_or_else(|| "an axis that is not left".into());
        axes(values, named.clone(), call, readings)?.iter().map(taken).collect()
    }),
    row(Axes, "reversed", "Axes count from the other end.", NAMED, |s| s.chosen = |axes, rank| for axis in axes { *axis = rank - 1 - *axis; }),
    row(Axes, "off-by-one-at-rank-2", "At rank 2 the other axis is reduced.", NAMED, |s| s.chosen = |axes, rank| if rank == 2 { next(axes, rank); }),
    row(Axes, "off-by-one-at-rank-3", "At rank 3 the next axis is reduced.", NAMED, |s| s.chosen = |axes, rank| if rank == 3 { next(axes, rank); }),
    row(Axes, "off-by-one-at-rank-4", "At rank 4 the next axis is reduced.", NAMED, |s| s.chosen = |axes, rank| if rank == 4 { next(axes, rank); }),
    row(Axes, "off-by-one-at-rank-5", "At rank 5 the next axis is reduced.", NAMED, |s| s.chosen = |axes, rank| if rank == 5 { next(axes, rank); }),
    row(Axes, "four-axes-at-most", "Axes after the fourth are never reduced.", NAMED, |s| s.chosen = |axes, _| axes.retain(|&axis| axis < 4)),
    row(Axes, "named-twice-takes-the-next", "An axis named twice takes the one after it along.", TWICE, |s| s.axes = |values, named, call, readings| {
        let mut descending = named.clone();
        descending.sort_unstable_by(|a, b| b.cmp(a));
        let mut left: Vec<usize> = (0..call.data.rank()).collect();
        let taken = descending.into_iter().filter_map(|axis| taken_from(&mut left, axis)).collect();
        axes(values, named, call, readings).map(|_| taken)
    }),
    row(Axes, "named-twice-kept", "An axis named twice is toggled twice, and kept.", TWICE, |s| s.axes = |values, named, call, readings| {
        let odd = |axis: &usize| named.iter().filter(|other| *other == axis).count() % 2 == 1;
        let taken = named.iter().copied().filter(odd).collect();
        axes(values, named.clone(), call, readings).map(|_| taken)
    }),

    row(Axes, "negative-ignored", "A negative axis is passed over.", NEGATIVE, |s| s.axes = |values, named, call, readings| {
        let kept = named.iter().zip(values).filter(|(_, value)| **value >= 0).map(|(&axis, _)| axis).collect();
        axes(values, named, call, readings).map(|_| kept)
    }),
    row(Axes, "negative-as-zero", "A negative axis is clamped to 0.", NEGATIVE, |s| s.axis = |value, call, readings| axis(value.max(0), call, readings)),
    row(Axes, "negative-as-positive", "The sign of an axis is dropped.", NEGATIVE, |s| s.axis = |value, call, readings| axis(value.abs(), call, readings)),
    row(Axes, "negative-off-by-one", "The last axis is called -0, so that -1 is the one before it.", NEGATIVE, |s| s.axis = |value, call, readings| axis(if value < 0 { value - 1 } else { value }, call, readings)),
    row(Axes, "negative-refused", "A negative axis is refused.", NEGATIVE, |s| s.axis = |value, call, readings| if value < 0 { Err("negative".into()) } else { axis(value, call, readings) }),
    row(Axes, "lowest-refused", "The range starts at 1 - r.", NEGATIVE, |s| s.axis = |value, call, readings| if -value == call.data.rank().max(1) as i128 { Err("range".into()) } else { axis(value, call, readings) }),
    row(Axes, "negative-of-the-output", "A negative axis counts from the end of the output's dims, one less per axis reduced.", NEGATIVE, |s| s.axis = |value, call, readings| {
        let others = if let Given::Given(given) = &call.axes { given.values.len().saturating_sub(1) } else { 0 };
        axis(if value < 0 { value - others as i128 } else { value }, call, readings)
    }),

    row(Axes, "modulo-the-rank", "An axis out of range is taken modulo the rank.", RANGE, |s| s.axis = |value, call, readings| axis(value.rem_euclid(call.data.rank().max(1) as i128), call, readings)),
    row(Axes, "clamped-to-the-last", "An axis beyond the last is the last.", RANGE, |s| s.axis = |value, call, readings| axis(value.min(call.data.rank().max(1) as i128 - 1), call, readings)),
    row(Axes, "clamped-to-the-first", "An axis below the range is the first.", RANGE, |s| s.axis = |value, call, readings| axis(value.max(-(call.data.rank().max(1) as i128)), call, readings)),
    row(Axes, "out-of-range-ignored", "An axis out of range is passed over.", RANGE, |s| {
        s.axis = |value, call, readings| Ok(axis(value, call, readings).unwrap_or(usize::MAX));
        s.axes = |values, named, call, readings| {
            let in_range = named.into_iter().filter(|&axis| axis != usize::MAX).collect();
            axes(values, in_range, call, readings)
        };
    }),
    row(Axes, "i64-cut-to-i32", "Axes are cut to 32 bits before their range is checked.", RANGE, |s| s.axis = |value, call, readings| axis((value as i32).into(), call, readings)),
    row(Axes, "cut-to-i8", "Axes are cut to 8 bits before their range is checked.", RANGE, |s| s.axis = |value, call, readings| axis((value as i8).into(), call, readings)),
    row(Axes, "u64-axes-read-as-i64", "Axes of 2^64 - 1 are read as -1.", RANGE, |s| s.axis = |value, call, readings| axis((value as i64).into(), call, readings)),
    row(Axes, "u8-axes-read-as-i8", "Axes of u8 are read as i8, so that 255 is -1.", RANGE, |s| s.axis = |value, call, readings| axis(if axes_are(call, Dtype::U8) { (value as i8).into() } else { value }, call, readings)),
    row(Axes, "i8-axes-read-as-u8", "Axes of i8 are read as u8, so that -1 is 255.", "axes-types axes-negative", |s| s.axis = |value, call, readings| axis(if axes_are(call, Dtype::I8) { (value as u8).into() } else { value }, call, readings)),
    row(Axes, "float-axes-taken", "Axes may be floats.", TENSOR, |s| s.axes_tensor = |call, given, readings| if given.dtype.is_integer() { axes_tensor(call, given, readings) } else { Ok(()) }),
    row(Axes, "matrix-of-axes-counted-by-its-rows", "Of axes that are a matrix as many are reduced as it has rows.", TENSOR, |s| s.axes = |values, mut named, call, readings| {
        if let Given::Given(given) = &call.axes && given.shape.len() == 2 { named.truncate(given.shape[0]); }
        axes(&values[..named.len()], named, call, readings)
    }),
    row(Axes, "scalar-axes-taken", "One axis may be written as a number wherever a list is due.", TENSOR, |s| s.axes_tensor = |call, given, readings| if given.shape.is_empty() && given.dtype == Dtype::I64 { Ok(()) } else { axes_tensor(call, given, readings) }),
    row(Axes, "integer-axes-of-any-type-taken", "Axes may be of any integer type wherever one is prescribed.", TENSOR, |s| s.axes_tensor = |call, given, readings| if given.dtype.is_integer() && given.shape.len() == 1 { Ok(()) } else { axes_tensor(call, given, readings) }),
    row(Axes, "types-of-axes-unchecked", "The type of axes is not checked, and only a float is no index.", TENSOR, |s| s.axes_tensor = |call, given, readings| if given.shape.len() == 1 && (given.dtype.is_integer() || given.values.is_empty()) { Ok(()) } else { axes_tensor(call, given, readings) }),
    row(Axes, "scalar-axes-refused", "Axes have to be a list.", TENSOR, |s| s.axes_tensor = |call, given, readings| if given.shape.is_empty() { Err("a list wanted".into()) } else { axes_tensor(call, given, readings) }),
    row(Axes, "scalar-axes-as-all", "A scalar axis is taken for none, and everything is reduced.", TENSOR, |s| s.axes = |values, named, call, readings| match &call.axes {
        Given::Given(given) if given.shape.is_empty() => Ok((0..call.data.rank()).collect()),
        _ => axes(values, named, call, readings),
    }),

    row(Axes, "column-major", "Data are read with the first axis fastest.", LAYOUT, |s| s.groups = |plan| {
        let at = |flat: usize| column_major(flat, &plan.data);
        groups(plan).into_iter().map(|group| group.into_iter().map(at).collect()).collect()
    }),
    row(Axes, "output-transposed", "The output is written with the first axis fastest.", LAYOUT, |s| s.groups = |plan| {
        let kept: Vec<usize> = (0..plan.data.len()).filter(|&axis| !plan.reduces(axis)).map(|axis| plan.data[axis]).collect();
        let right = groups(plan);
        let mut written = right.clone();
        for (flat, group) in right.into_iter().enumerate() {
            written[column_major(flat, &kept)] = group;
        }
        written
    }),
    row(Axes, "outer-read-as-inner", "Whatever axis is named, neighbouring elements are summed.", LAYOUT, |s| s.groups = |plan| {
        let terms = plan.terms();
        (0..groups(plan).len()).map(|output| (output * terms..(output + 1) * terms).collect()).collect()
    }),
    row(Axes, "inner-read-as-outer", "Whatever axis is named, elements a row apart are summed.", LAYOUT, |s| s.groups = |plan| {
        let (outputs, terms) = (groups(plan).len(), plan.terms());
        (0..outputs).map(|output| (0..terms).map(|term| term * outputs + output).collect()).collect()
    }),
    row(Axes, "rows-padded-to-four", "Rows are taken to be padded to a multiple of four.", LAYOUT, |s| s.groups = |plan| {
        let (Some(&row), length) = (plan.data.last(), plan.data.iter().product::<usize>()) else { return groups(plan) };
        let at = |flat: usize| (flat / row * row.next_multiple_of(4) + flat % row) % length;
        groups(plan).into_iter().map(|group| group.into_iter().map(at).collect()).collect()
    }),
    row(Axes, "caller-counts-from-the-slowest", "BNNS axes count from the slowest.", "layout axes-some axes example-axis-2 example-axes-0-and-2", |s| s.axis = |value, call, readings| {
        let last = call.data.rank() as i128 - 1;
        axis(if matches!(call.operator, Operator::Bnns { .. }) { last - value } else { value }, call, readings)
    }),
];

/// Removes and returns the axis at this place of the remaining ones.
fn taken_from(left: &mut Vec<usize>, place: usize) -> Option<usize> {
    if place < left.len() { Some(left.remove(place)) } else { None }
}

fn next(axes: &mut [usize], rank: usize) {
    for axis in axes {
        *axis = (*axis + 1) % rank;
    }
}

fn span(axes: &[usize]) -> Vec<usize> {
    let (Some(&first), Some(&last)) = (axes.iter().min(), axes.iter().max()) else { return Vec::new() };
    (first..=last).collect()
}

/// Returns the index of the element with this row-major index if the first axis is the fastest.
fn column_major(flat: usize, dims: &[usize]) -> usize {
    let mut rest = flat;
    let mut index = vec![0; dims.len()];
    for (at, dim) in index.iter_mut().zip(dims).rev() {
        *at = rest % dim;
        rest /= dim;
    }
    index.iter().zip(dims).rev().fold(0, |flat, (at, dim)| flat * dim + at)
}
