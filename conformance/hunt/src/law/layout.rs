//! Laws about where elements stand. Another place may mean another order of summation, so floats agree
//! within their bounds; integers to the bit, under every reading: wrapping, saturating and exact sums do
//! not depend on the order. How many terms there are may honestly decide which reading of a value is taken, so where
//! terms are added, only calls whose values are decided are compared.

use ndarray::{ArrayD, Axis, Slice, concatenate};
use normative_reference::{Dims, Kind, Question, Tensor};

use super::answers::{Breach, Stop, alike, bounded};
use super::asking::Asking;
use super::subject;
use super::subject::Subject;

/// At most so many zeros are added to an axis: enough to fill a vector and start another.
const PADDING: usize = 17;

/// Shuffles the elements of each output among themselves.
pub(super) fn permutation(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    bounded(subject)?;
    let (bits, grouped) = (subject.call.data.bits(), subject.grouped());
    let mut moved = bits.clone();
    for group in grouped.chunks(subject.terms().max(1)) {
        let mut from = group.to_vec();
        asking.shuffle(&mut from);
        for (&to, from) in group.iter().zip(from) {
            moved[to] = bits[from];
        }
    }
    if moved == bits {
        return Err(Stop::DoesNotApply);
    }
    let related = subject.with_bits(moved).ok_or(Stop::DoesNotApply)?;
    let [one, other] = asking.all([subject, &related])?;
    alike((subject, &one), (&related, &other))
}

/// Brings the axes of the data into another order, and names them where they then stand.
pub(super) fn transposition(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    bounded(subject)?;
    let rank = subject.call.data.rank();
    let mut order: Vec<usize> = (0..rank).collect();
    asking.shuffle(&mut order);
    if order.is_sorted() {
        order.reverse();
    }
    if order.is_sorted() {
        return Err(Stop::DoesNotApply);
    }
    let stands = |reduced: &usize| order.iter().position(|axis| axis == reduced);
    let mut axes: Vec<usize> = subject.reduction.axes.iter().filter_map(stands).collect();
    axes.sort_unstable();
    let elements = subject.elements().permuted_axes(order.clone());
    let related = subject.with(&elements, &axes).ok_or(Stop::DoesNotApply)?;
    let [one, other] = asking.all([subject, &related])?;
    let one = transposed(subject, &one, &order)?;
    alike((subject, &one), (&related, &other))
}

/// The output for data whose axes have been brought into this order.
fn transposed(subject: &Subject, output: &Tensor, order: &[usize]) -> Result<Tensor, Stop> {
    let wanted = subject.reduction.output_shape(subject.shape());
    let unlike = || Breach::Shape { wanted: wanted.clone(), got: output.shape().to_vec() };
    if subject.reduction.dims == Dims::DropToVector && subject.reduction.axes.len() == order.len() {
        return Ok(output.clone());
    }
    let order: Vec<usize> = order.iter().filter_map(|&axis| place(subject, axis)).collect();
    if order.len() != output.rank() {
        return Err(unlike().into());
    }
    let array = subject::arranged(output.shape(), output.bits()).ok_or_else(unlike)?;
    tensor(subject, &array.permuted_axes(order)).ok_or_else(|| unlike().into())
}

/// Where an axis of the data stands in the output, kept dims of 1 among them.
fn place(subject: &Subject, axis: usize) -> Option<usize> {
    if subject.reduction.dims == Dims::Keep { Some(axis) } else { subject.place_in_output(axis) }
}

fn tensor(subject: &Subject, elements: &ArrayD<u64>) -> Option<Tensor> {
    let bits: Vec<u64> = elements.iter().copied().collect();
    Tensor::from_bits(subject.dtype(), elements.shape(), &bits).ok()
}

/// Takes one slice along an axis that is not reduced. Alone it may meet other vector code, or stand
/// elsewhere in a vector, so not even the same code has to give the same bits.
pub(super) fn batch(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    bounded(subject)?;
    // Whoever refuses overflow refuses the whole for one slice of it.
    if subject.asks(Question::IntegerOverflow) {
        return Err(Stop::DoesNotApply);
    }
    let kept = |axis: &usize| subject.shape()[*axis] > 1 && subject.place_in_output(*axis).is_some();
    let kept: Vec<usize> = (0..subject.call.data.rank()).filter(kept).collect();
    let Some(&axis) = kept.get(asking.below(kept.len())) else { return Err(Stop::DoesNotApply) };
    let at = asking.below(subject.shape()[axis]);
    let elements = slice(&subject.elements(), axis, at);
    let related = subject.with(&elements, &subject.reduction.axes).ok_or(Stop::DoesNotApply)?;
    let [whole, alone] = asking.all([subject, &related])?;
    let place = subject.place_in_output(axis).ok_or(Stop::DoesNotApply)?;
    let wrong = || {
        let wanted = subject.reduction.output_shape(subject.shape());
        Breach::Shape { wanted, got: whole.shape().to_vec() }
    };
    if whole.shape().get(place) != Some(&subject.shape()[axis]) {
        return Err(wrong().into());
    }
    let array = subject::arranged(whole.shape(), whole.bits()).ok_or_else(wrong)?;
    let of_whole = tensor(subject, &slice(&array, place, at)).ok_or_else(wrong)?;
    alike((&related, &of_whole), (&related, &alone))
}

/// Adds zeros to a reduced axis, also to one of dim 0: the norm of nothing is that of zeros.
pub(super) fn padding(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    bounded(subject)?;
    let axes = &subject.reduction.axes;
    let Some(&axis) = axes.get(asking.below(axes.len())) else { return Err(Stop::DoesNotApply) };
    let elements = subject.elements();
    let mut shape = subject.shape().to_vec();
    shape[axis] = 1 + asking.below(PADDING);
    let minus_zero = match subject.dtype().kind() {
        Kind::Float(format) => format.sign(),
        Kind::Integer(_) => 0,
    };
    let count = shape.iter().product();
    let zeros = (0..count).map(|flat| if flat % 2 == 0 { 0 } else { minus_zero }).collect();
    let zeros = subject::arranged(&shape, zeros).ok_or(Stop::DoesNotApply)?;
    let parts =
        if asking.below(2) == 0 { [elements.view(), zeros.view()] } else { [zeros.view(), elements.view()] };
    let padded = concatenate(Axis(axis), &parts).map_err(|_| Stop::DoesNotApply)?;
    let related = subject.with(&padded, axes).ok_or(Stop::DoesNotApply)?;
    bounded(&related)?;
    if !subject.is_decided() || !related.is_decided() {
        return Err(Stop::DoesNotApply);
    }
    let [one, other] = asking.all([subject, &related])?;
    alike((subject, &one), (&related, &other))
}

/// The slice at one index of an axis, which stays.
fn slice(array: &ArrayD<u64>, axis: usize, at: usize) -> ArrayD<u64> {
    array.slice_axis(Axis(axis), Slice::from(at..=at)).to_owned()
}
