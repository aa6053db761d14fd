//! The twin of a call: the same call without the parts that its spec leaves open.
//!
//! Only the triggers of questions change that some reading answers with a refusal; spec, element type, dims,
//! attributes and axes otherwise stay. No reading of a twin refuses it, so a backend that refuses both has
//! another reason. A twin may mean something else than its call; its value is not judged.

use std::collections::BTreeSet;

use normative_reference::spec::AxesForm;
use normative_reference::tensor::element_count;
use normative_reference::{
    Axes, AxesTensor, Call, Dims, Dtype, Elements, Expected, Norm, Operator, Question, Reading, Reduction,
    Tensor,
};

use crate::generate::whole;
use crate::judge::verdict::{Entry, Sheet};

/// The most data elements of a twin.
const MOST: usize = 1 << 20;

/// Returns the twin of a call that some reading refuses. `None` if the call is invalid, or its twin would be
/// too large to ask.
pub fn of(call: &Call) -> Option<Call> {
    let mut twin = call.clone();
    // Removing one trigger may leave another, but there are at most as many as questions.
    for _ in Question::ALL {
        let Some(refused) = refusing(&twin)? else { return Some(twin) };
        twin = without(refused, &twin)?;
    }
    None
}

/// Returns the first question that a refusing reading answers with a refusal, or `Some(None)` if no reading
/// refuses. `None` if readings refuse for another reason: the call is invalid.
#[allow(clippy::option_option, reason = "no twin, and no need of one, are two things")]
fn refusing(call: &Call) -> Option<Option<Question>> {
    let sheet = Sheet::of(call).ok()?;
    let refuses = |entry: &&Entry| matches!(entry.expected, Expected::Rejection(_));
    let mut refusals = sheet.entries.iter().filter(refuses).flat_map(|entry| &entry.choices).peekable();
    if refusals.peek().is_none() {
        return Some(None);
    }
    let refused = refusals.flatten().find(|choice| choice.reading == Reading::Reject)?;
    Some(Some(refused.question))
}

/// Returns the call without the trigger of the question. `None` if no reading of the question is a refusal.
fn without(question: Question, call: &Call) -> Option<Call> {
    match question {
        Question::EmptyAxesAttribute | Question::EmptyAxesBnns | Question::EmptyAxesBnnsCopy => {
            every_axis_named(call)
        }
        Question::DuplicateAxes | Question::DuplicateAxesMixedSign => axes_mapped(call, named_once),
        Question::AxisOnRankZero => no_axis_named(call),
        Question::AxisOutOfRange => axes_mapped(call, |values, rank| {
            let there = |value: &&i128| call.data.rank() > 0 && (-rank..rank).contains(*value);
            values.iter().filter(there).copied().collect()
        })
        .map(with_room),
        Question::AxisRangeOpset1 | Question::NegativeAxesBnns => axes_mapped(call, |values, rank| {
            values.iter().map(|&value| if value < 0 { value + rank } else { value }).collect()
        })
        .map(with_room),
        Question::AxesTensorScalar | Question::AxesTensor2d => axes_mapped(call, |values, _| values.to_vec()),
        Question::RankZeroOpset11 => with_data(call, call.data.dtype(), &[1]),
        Question::EmptySetOpset11 | Question::EmptyData | Question::EmptySet => {
            let shape: Vec<usize> = call.data.shape().iter().map(|&dim| dim.max(1)).collect();
            with_data(call, call.data.dtype(), &shape)
        }
        Question::SampleTypesBnns => {
            let stated = *call.spec().rules().dtypes.first()?;
            with_data(call, stated, call.data.shape())
        }
        Question::RanksBnns => with_stated_rank(call),
        Question::UnknownAttribute | Question::UnknownInput if matches!(call.axes, Axes::OtherForm(_)) => {
            Some(Call { axes: Axes::Absent, ..call.clone() })
        }
        Question::UnknownAttribute => Some(with_operator(call, |operator| {
            if let Operator::Onnx { noop_with_empty_axes, .. } = operator {
                *noop_with_empty_axes = None;
            }
        })),
        Question::BooleanKeepdims => Some(with_operator(call, |operator| {
            if let Operator::Onnx { keepdims, .. } = operator {
                *keepdims = Some(1);
            }
        })),
        Question::BooleanNoop => Some(with_operator(call, |operator| {
            if let Operator::Onnx { noop_with_empty_axes, .. } = operator {
                *noop_with_empty_axes = Some(1);
            }
        })),
        Question::IntegerOverflow => with_data(call, call.data.dtype(), call.data.shape()),
        Question::EmptyAxesIdentity
        | Question::NoopAbsentAxes
        | Question::NoopNullAxes
        | Question::NoopEmptyAxes
        | Question::KeepdimsWithoutAxis
        | Question::NegativeIncrement
        | Question::ZeroIncrement
        | Question::IntegerL2Rounding
        | Question::IntegerL2Intermediate
        | Question::IntegerL2Wider
        | Question::IntegerL2Negative
        | Question::IntegerL2Precision
        | Question::FloatRange
        | Question::HalfAccumulation
        | Question::F64Precision
        | Question::Subnormals
        | Question::NanWithInfinity
        | Question::ResultRounding
        | Question::UnknownInput => None,
    }
}

/// Returns the same call over the plainest data of its type and rank: ones, and dims of at most one. The vector
/// of a BLAS call keeps its length, which the call states.
pub(super) fn plainest(call: &Call) -> Option<Call> {
    let plain = |&dim: &usize| if matches!(call.operator, Operator::Blas { .. }) { dim } else { dim.min(1) };
    let shape: Vec<usize> = call.data.shape().iter().map(plain).collect();
    with_data(call, call.data.dtype(), &shape)
}

/// Returns the call with other axes, in a list, mapped from their values and the rank. A scalar counts as rank one.
fn axes_mapped(call: &Call, map: impl Fn(&[i128], i128) -> Vec<i128>) -> Option<Call> {
    let Axes::Given(axes) = &call.axes else { return None };
    let values = map(&axes.values, call.data.rank().max(1) as i128);
    let axes = AxesTensor { dtype: axes.dtype, shape: vec![values.len()], values };
    Some(Call { axes: Axes::Given(axes), ..call.clone() })
}

/// Returns each axis once, at its first place.
fn named_once(values: &[i128], rank: i128) -> Vec<i128> {
    let mut named = BTreeSet::new();
    values.iter().copied().filter(|value| named.insert(value.rem_euclid(rank))).collect()
}

/// Returns the call with all axes in a list.
fn every_axis_named(call: &Call) -> Option<Call> {
    let every = axes_mapped(call, |_, _| (0..call.data.rank()).map(|axis| axis as i128).collect())?;
    Some(with_room(Call { axes: if call.data.rank() == 0 { Axes::Absent } else { every.axes }, ..every }))
}

/// Returns the call on a scalar with no axes, in the form that its spec has for that.
fn no_axis_named(call: &Call) -> Option<Call> {
    match call.spec().rules().axes {
        AxesForm::RequiredInput => axes_mapped(call, |_, _| Vec::new()),
        _ => Some(Call { axes: Axes::Absent, ..call.clone() }),
    }
}

/// Returns the call with data of a rank that the spec states, reduced over all axes.
fn with_stated_rank(call: &Call) -> Option<Call> {
    let (lowest, highest) = call.spec().rules().ranks;
    let shape = call.data.shape();
    let kept = &shape[shape.len().saturating_sub(highest)..];
    let missing = lowest.saturating_sub(kept.len());
    let shape: Vec<usize> = std::iter::repeat_n(1, missing).chain(kept.iter().copied()).collect();
    with_data(&Call { axes: Axes::Absent, ..call.clone() }, call.data.dtype(), &shape)
}

/// Returns the call with data of this type and shape that raise no question about values.
fn with_data(call: &Call, dtype: Dtype, shape: &[usize]) -> Option<Call> {
    let count = element_count(shape).ok().filter(|&count| count <= MOST)?;
    let element = if dtype.is_integer() { 0 } else { whole(dtype, 1) };
    let data = Tensor::from_bits(dtype, shape, &vec![element; count]).ok()?;
    Some(with_room(Call { data, ..call.clone() }))
}

fn with_operator(call: &Call, change: impl Fn(&mut Operator)) -> Call {
    let mut twin = call.clone();
    change(&mut twin.operator);
    twin
}

/// Adapts the output shape, if the caller allocates the output.
fn with_room(mut call: Call) -> Call {
    let shape = call.data.shape();
    let axes = match &call.axes {
        // BNNS counts axes from the fastest.
        Axes::Given(axes) => {
            let row_major = |&axis: &i128| (-1 - axis).rem_euclid(shape.len().max(1) as i128) as usize;
            let named: BTreeSet<usize> = axes.values.iter().map(row_major).collect();
            named.into_iter().collect()
        }
        Axes::Absent | Axes::Null | Axes::OtherForm(_) => (0..shape.len()).collect(),
    };
    if let Operator::Bnns { output_shape } = &mut call.operator {
        let reduction = Reduction { norm: Norm::L2, axes, dims: Dims::DropToVector, elements: Elements::All };
        *output_shape = reduction.output_shape(shape).into_iter().rev().collect();
    }
    call
}
