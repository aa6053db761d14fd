//! The edits that make a call smaller, as a table: structure before data, large changes before small ones.
//!
//! A step lists edits of a call. An edit makes another call, which may be invalid or not smaller: the caller
//! compares the sizes. Every edit stays within the spec version.

use crate::generate::whole;
use normative_reference::{Axes, AxesTensor, Call, Dtype, Layout, Operator, Spec, Tensor};

use super::size::{AXES_DTYPES, DTYPES, room, row_major};
use super::value::{self, Simplify, WAYS};
use crate::corpus::number;
use crate::display;

/// One change of a call.
#[derive(Clone, Debug)]
pub(super) enum Edit {
    /// A scalar becomes a vector of one.
    GiveAnAxis,
    /// A zero-sized dim becomes 1.
    Fill { axis: usize },
    /// Removes an axis, and keeps its first index.
    DropAxis { axis: usize },
    /// Merges an axis with the next, keeping all elements.
    Merge { axis: usize },
    /// Removes some indices of an axis.
    DropIndices { axis: usize, from: usize, count: usize },
    /// Replaces the axes.
    Axes(Axes),
    /// Replaces the operator with its attributes.
    Operator(Operator),
    /// Changes the type of the data, but keeps the numbers.
    Dtype(Dtype),
    /// Makes the data row-major in memory.
    RowMajor,
    /// Simplifies some elements in this way.
    Simplify { from: usize, count: usize, way: Simplify },
}

/// Lists edits of a call.
pub(super) type Step = fn(&Call) -> Vec<Edit>;

/// Every step.
pub(super) const STEPS: [Step; 8] = [
    usual_layout,
    no_odd_dims,
    fewer_axes_of_data,
    fewer_indices,
    simpler_axes,
    simpler_attributes,
    usual_type,
    simpler_values,
];

fn usual_layout(call: &Call) -> Vec<Edit> {
    if call.layout == Layout::RowMajor { Vec::new() } else { vec![Edit::RowMajor] }
}

fn no_odd_dims(call: &Call) -> Vec<Edit> {
    let shape = call.data.shape();
    let scalar = shape.is_empty().then_some(Edit::GiveAnAxis);
    let zeros = (0..shape.len()).filter(|&axis| shape[axis] == 0).map(|axis| Edit::Fill { axis });
    scalar.into_iter().chain(zeros).collect()
}

fn fewer_axes_of_data(call: &Call) -> Vec<Edit> {
    let rank = call.data.rank();
    // At least one axis stays, because a scalar is unusual.
    let drops = (0..rank).map(|axis| Edit::DropAxis { axis });
    let merges = (1..rank).map(|next| Edit::Merge { axis: next - 1 });
    if rank < 2 { Vec::new() } else { drops.chain(merges).collect() }
}

fn fewer_indices(call: &Call) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (axis, &dim) in call.data.shape().iter().enumerate().filter(|&(_, &dim)| dim > 1) {
        let parts = [(1, dim - 1), (0, dim - 1)].into_iter();
        edits.extend(parts.map(|(from, count)| Edit::DropIndices { axis, from, count }));
        edits.extend(bisected(dim).map(|(from, count)| Edit::DropIndices { axis, from, count }));
    }
    edits
}

/// Returns the halves of `0..length`, their halves, and so on to single indices, each as start and length;
/// never the whole range.
fn bisected(length: usize) -> impl Iterator<Item = (usize, usize)> {
    let counts =
        std::iter::successors(Some(length.div_ceil(2)), |&count| (count > 1).then(|| count.div_ceil(2)));
    counts
        .filter(move |&count| count < length)
        .flat_map(move |count| (0..length).step_by(count).map(move |from| (from, count.min(length - from))))
}

fn simpler_axes(call: &Call) -> Vec<Edit> {
    let mut edits = vec![Axes::Absent];
    let Some(given) = call.axes.written() else { return edits.into_iter().map(Edit::Axes).collect() };
    let form = form_of(&call.axes);
    if form(given.clone()) != Axes::Given(given.clone()) {
        edits.push(Axes::Given(given.clone()));
    }
    let list = |values: Vec<i128>| form(AxesTensor { dtype: given.dtype, shape: vec![values.len()], values });
    edits.push(list(given.values.clone()));
    for at in 0..given.values.len() {
        let mut fewer = given.values.clone();
        fewer.remove(at);
        edits.push(list(fewer));
    }
    let mut sorted = given.clone();
    sorted.values.sort_unstable();
    edits.push(form(sorted));
    edits.extend(AXES_DTYPES.into_iter().map(|dtype| form(AxesTensor { dtype, ..given.clone() })));
    let rank = call.data.rank() as i128;
    for (at, &value) in given.values.iter().enumerate() {
        // Halving comes first: adding the rank repeatedly to a number far below 0 would take many attempts.
        for other in [0, value / 2, value + rank, value.abs(), rank, -1, -rank - 1, value - value.signum()] {
            let mut simpler = given.clone();
            simpler.values[at] = other;
            edits.push(form(simpler));
        }
    }
    edits.retain(|axes| matches!(axes, Axes::Absent) || fits(axes));
    edits.into_iter().map(Edit::Axes).collect()
}

/// Returns the constructor for axes of the same form.
const fn form_of(axes: &Axes) -> fn(AxesTensor) -> Axes {
    match axes {
        Axes::Absent | Axes::Null | Axes::Given(_) => Axes::Given,
        Axes::OtherForm(_) => Axes::OtherForm,
    }
}

/// Returns true if the type of the axes holds their numbers; otherwise a file could not contain them.
fn fits(axes: &Axes) -> bool {
    match axes {
        Axes::Absent | Axes::Null => true,
        Axes::Given(axes) | Axes::OtherForm(axes) => {
            axes.values.iter().all(|value| number::parse(&value.to_string(), axes.dtype).is_ok())
        }
    }
}

fn simpler_attributes(call: &Call) -> Vec<Edit> {
    match &call.operator {
        &Operator::ArrayApi { ord, keepdims } => {
            let mut edits = simpler_keep_dims(call);
            // An edit that changes the spec is rejected later.
            edits.extend(ord.map(|_| Edit::Operator(Operator::ArrayApi { ord: None, keepdims })));
            edits
        }
        &Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes } => {
            let edit = |keepdims, noop_with_empty_axes| {
                Edit::Operator(Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes })
            };
            let keeps = integers(keepdims).into_iter().map(|keep| edit(keep, noop_with_empty_axes));
            keeps.chain(integers(noop_with_empty_axes).into_iter().map(|noop| edit(keepdims, noop))).collect()
        }
        &Operator::Blas { norm, n, incx } => {
            let counts = [1, 0, -1, n / 2, n - n.signum()].map(|n| (n, incx));
            let nearer = [1, 2, -1, 0, incx.saturating_abs(), incx / 2, incx - incx.signum()];
            let vectors = counts.into_iter().chain(nearer.map(|incx| (n, incx)));
            vectors.map(|(n, incx)| Edit::Operator(Operator::Blas { norm, n, incx })).collect()
        }
        Operator::Bnns { output_shape } => {
            let mut others = vec![room(call)];
            for at in 0..output_shape.len() {
                let mut fewer = output_shape.clone();
                fewer.remove(at);
                others.push(fewer);
                for dim in [1, 2, output_shape[at] / 2, output_shape[at].saturating_sub(1)] {
                    let mut smaller = output_shape.clone();
                    smaller[at] = dim;
                    others.push(smaller);
                }
            }
            let edit = |output_shape| Edit::Operator(Operator::Bnns { output_shape });
            others.into_iter().map(edit).collect()
        }
        // These have no attributes, or only the one that keeps dims.
        _ => simpler_keep_dims(call),
    }
}

/// Removes the boolean attribute that keeps dims, or sets it to true.
fn simpler_keep_dims(call: &Call) -> Vec<Edit> {
    let simpler: &[Option<i64>] = if call.operator.keep_dims().is_some() { &[None, Some(1)] } else { &[] };
    simpler.iter().map(|&keep| Edit::Operator(call.operator.with_keep_dims(keep))).collect()
}

/// Returns simpler values of an integer attribute.
fn integers(value: Option<i64>) -> Vec<Option<i64>> {
    let Some(value) = value else { return Vec::new() };
    vec![
        None,
        Some(1),
        Some(0),
        Some(2),
        Some(-1),
        value.checked_abs(),
        Some(value / 2),
        Some(value - value.signum()),
    ]
}

fn usual_type(call: &Call) -> Vec<Edit> {
    DTYPES.into_iter().take_while(|&dtype| dtype != call.data.dtype()).map(Edit::Dtype).collect()
}

fn simpler_values(call: &Call) -> Vec<Edit> {
    let length = call.data.len();
    let ranges = std::iter::once((0, length)).chain(bisected(length)).filter(|_| length > 0);
    ranges.flat_map(|(from, count)| WAYS.map(|way| Edit::Simplify { from, count, way })).collect()
}

impl Edit {
    /// Returns the call after the edit, if there is one.
    pub(super) fn apply(&self, call: &Call) -> Option<Call> {
        let edited = match self {
            Self::GiveAnAxis => reshaped(call, &[1], &call.data.bits())?,
            Self::Fill { axis } => {
                let mut shape = call.data.shape().to_vec();
                *shape.get_mut(*axis)? = 1;
                let ones = vec![whole(call.data.dtype(), 1); shape.iter().product()];
                reshaped(call, &shape, &ones)?
            }
            Self::DropAxis { axis } => without_axis(call, *axis)?,
            Self::Merge { axis } => {
                let mut shape = call.data.shape().to_vec();
                let dim = *shape.get(axis + 1)? * shape.remove(*axis);
                shape[*axis] = dim;
                Call { axes: renamed(call, *axis), ..reshaped(call, &shape, &call.data.bits())? }
            }
            Self::DropIndices { axis, from, count } => without_indices(call, *axis, *from, *count)?,
            Self::Axes(axes) => Call { axes: axes.clone(), ..call.clone() },
            Self::Operator(operator) => {
                let edited = Call { operator: operator.clone(), ..call.clone() };
                return (edited.spec() == call.spec() && edited.reads_within_data()).then_some(edited);
            }
            Self::Dtype(dtype) => retyped(call, *dtype)?,
            Self::RowMajor => Call { layout: Layout::RowMajor, ..call.clone() },
            Self::Simplify { from, count, way } => simplified(call, *from, *count, *way)?,
        };
        Some(with_room(call, edited)).filter(Call::reads_within_data)
    }
}

/// Adapts the output of an edited BNNS call if it fitted before, and limits the `n` of a BLAS call to the
/// remaining elements.
fn with_room(before: &Call, edited: Call) -> Call {
    match &before.operator {
        Operator::Bnns { output_shape } if *output_shape == room(before) => {
            Call { operator: Operator::Bnns { output_shape: room(&edited) }, ..edited }
        }
        &Operator::Blas { norm, n, incx } if n > 0 => {
            let apart = incx.unsigned_abs().max(1) as usize;
            let held = i32::try_from(edited.data.len().div_ceil(apart)).unwrap_or(i32::MAX);
            let n = if incx == 0 { n } else { n.min(held) };
            Call { operator: Operator::Blas { norm, n, incx }, ..edited }
        }
        _ => edited,
    }
}

pub(super) fn reshaped(call: &Call, shape: &[usize], bits: &[u64]) -> Option<Call> {
    let data = Tensor::from_bits(call.data.dtype(), shape, bits).ok()?;
    Some(Call { data, ..call.clone() })
}

fn without_indices(call: &Call, axis: usize, from: usize, count: usize) -> Option<Call> {
    let mut shape = call.data.shape().to_vec();
    let dim = *shape.get(axis)?;
    let inner: usize = shape[axis + 1..].iter().product();
    let gone = from..from + count;
    let bits = call.data.bits().into_iter().enumerate();
    let kept: Vec<u64> =
        bits.filter(|(at, _)| !gone.contains(&(at / inner % dim))).map(|(_, bits)| bits).collect();
    shape[axis] = dim.checked_sub(count)?;
    reshaped(call, &shape, &kept)
}

fn without_axis(call: &Call, axis: usize) -> Option<Call> {
    let dim = *call.data.shape().get(axis)?;
    let thin = match dim {
        0 => Edit::Fill { axis }.apply(call)?,
        1 => call.clone(),
        dim => without_indices(call, axis, 1, dim - 1)?,
    };
    let mut shape = thin.data.shape().to_vec();
    shape.remove(axis);
    Some(Call { axes: renamed(call, axis), ..reshaped(call, &shape, &thin.data.bits())? })
}

/// Returns the axes after one axis of the data is removed. Numbers out of range stay out of range.
fn renamed(call: &Call, gone: usize) -> Axes {
    let (spec, rank) = (call.spec(), call.data.rank());
    let Some(axes) = call.axes.written() else { return call.axes.clone() };
    let after = |&value: &i128| {
        let rank = rank as i128;
        match row_major(spec, rank as usize, value) {
            Some(axis) if axis == gone => None,
            Some(axis) => {
                // The distance from the end that the number counts from shrinks by one.
                let from_the_end = spec == Spec::Bnns || value < 0;
                let nearer = if from_the_end { axis < gone } else { axis > gone };
                Some(value - if nearer { if value < 0 { -1 } else { 1 } } else { 0 })
            }
            None if (rank..=2 * rank).contains(&value) => Some(value - 1),
            None if (-2 * rank..-rank).contains(&value) => Some(value + 1),
            None => Some(value),
        }
    };
    let values: Vec<i128> = axes.values.iter().filter_map(after).collect();
    let shape = if values.len() == axes.values.len() { axes.shape.clone() } else { vec![values.len()] };
    form_of(&call.axes)(AxesTensor { dtype: axes.dtype, shape, values })
}

/// Converts the data to another type; `None` if it does not hold their numbers, at least approximately.
fn retyped(call: &Call, dtype: Dtype) -> Option<Call> {
    let spelled = |bits| match display::element(call.data.dtype(), bits).as_str() {
        "NaN" => number::parse(".nan", dtype).ok(),
        "inf" => number::parse(".inf", dtype).ok(),
        "-inf" => number::parse("-.inf", dtype).ok(),
        text => number::parse(text, dtype).ok(),
    };
    let bits: Option<Vec<u64>> = call.data.bits().into_iter().map(spelled).collect();
    let data = Tensor::from_bits(dtype, call.data.shape(), &bits?).ok()?;
    Some(Call { data, ..call.clone() })
}

/// Simplifies elements where that lowers their cost; `None` if it changes nothing.
fn simplified(call: &Call, from: usize, count: usize, way: Simplify) -> Option<Call> {
    let dtype = call.data.dtype();
    let mut bits = call.data.bits();
    let mut changed = false;
    for slot in bits.iter_mut().skip(from).take(count) {
        if let Some(simpler) = value::simplified(dtype, *slot, way)
            && value::cost(dtype, simpler) < value::cost(dtype, *slot)
        {
            *slot = simpler;
            changed = true;
        }
    }
    if changed { reshaped(call, call.data.shape(), &bits) } else { None }
}
