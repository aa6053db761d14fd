//! Laws about the same call spelled otherwise, or made again. Both spellings are to be treated alike: a
//! refusal of one of them breaks the law.

use normative_reference::spec::AxisRange;
use normative_reference::{Dims, Kind, Tensor};

use super::answers::{Breach, Stop, alike, bounded, identical, same_form};
use super::asking::Asking;
use super::subject::Subject;

/// Calls are independent, so nothing may come of what was asked before.
pub(super) fn same_call(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    let [first, second] = asking.all([subject, subject])?;
    identical(subject, &first, &second)
}

/// Where axes count from either end, resolving one is all that differs.
pub(super) fn negative_axes(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    let axes = subject.named_axes().ok_or(Stop::DoesNotApply)?;
    let signed = matches!(axes.dtype.kind(), Kind::Integer(range) if range.is_signed());
    let from_either_end = subject.call.spec().rules().axis_range == AxisRange::Stated;
    if !signed || !from_either_end {
        return Err(Stop::DoesNotApply);
    }
    let rank = subject.call.data.rank() as i128;
    let other_end = |&axis: &i128| if axis < 0 { axis + rank } else { axis - rank };
    let values = axes.values.iter().map(other_end).collect();
    let related = subject.with_axes(values).ok_or(Stop::DoesNotApply)?;
    let [one, other] = asking.all([subject, &related])?;
    identical(subject, &one, &other)
}

/// Who reduces one axis after the other sums in another order, so only integers have to agree to the bit.
pub(super) fn axes_order(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    let axes = subject.named_axes().ok_or(Stop::DoesNotApply)?;
    bounded(subject)?;
    let mut values = axes.values.clone();
    asking.shuffle(&mut values);
    if values == axes.values {
        values.reverse();
    }
    if values == axes.values {
        return Err(Stop::DoesNotApply);
    }
    let related = subject.with_axes(values).ok_or(Stop::DoesNotApply)?;
    let [one, other] = asking.all([subject, &related])?;
    alike((subject, &one), (&related, &other))
}

/// The dims kept are all of 1, so the elements in memory are the same. Who keeps dims may still go another
/// way through the data than who drops them, and sum floats in another order.
pub(super) fn keep_dims(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    let keeps = subject.reduction.dims == Dims::Keep;
    let operator = subject.call.operator.with_keep_dims(Some(i64::from(!keeps)));
    if operator == subject.call.operator || subject.reduction.axes.is_empty() {
        return Err(Stop::DoesNotApply);
    }
    bounded(subject)?;
    let related = subject.with_operator(operator).ok_or(Stop::DoesNotApply)?;
    let (keeping, dropping) = if keeps { (subject, &related) } else { (&related, subject) };
    let [kept, dropped] = asking.all([keeping, dropping])?;
    let mut shape = dropped.shape().to_vec();
    for &axis in &subject.reduction.axes {
        // Ascending, so all dims before it are there already.
        shape.insert(axis.min(shape.len()), 1);
    }
    let unlike = || Breach::Shape { wanted: shape.clone(), got: dropped.shape().to_vec() };
    same_form(dropping, dropped.shape(), &dropped)?;
    let reshaped = Tensor::from_bits(dropped.dtype(), &shape, &dropped.bits()).map_err(|_| unlike())?;
    alike((dropping, &reshaped), (keeping, &kept))
}
