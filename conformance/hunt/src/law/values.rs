//! Laws about what the elements are: their signs, their size, and sums of parts.
//!
//! Those that add answers up hold intervals against each other, and apply only to finite elements.

use ndarray::Axis;
use normative_reference::tensor::same_bits;
use normative_reference::{FloatFormat, Kind, Magnitude, Norm, Tensor};

use super::answers::{Breach, Stop, comparable, each, identical, intervals, same_form};
use super::asking::Asking;
use super::subject::{Subject, arranged};
use normative_conformance::judge::accuracy::slack::Interval;

/// Magnitudes are what is summed, in the same order, so the bits are the same. Integers too: the minimum, whose
/// magnitude its type lacks, stays itself.
pub(super) fn negation(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    let bits = subject.call.data.bits();
    let negative = |&bits: &u64| match subject.dtype().kind() {
        Kind::Float(format) => bits ^ format.sign(),
        Kind::Integer(range) if range.is_signed() => range.encode(-range.decode(bits)),
        Kind::Integer(_) => bits,
    };
    let negated: Vec<u64> = bits.iter().map(negative).collect();
    if negated == bits {
        return Err(Stop::DoesNotApply);
    }
    let related = subject.with_bits(negated).ok_or(Stop::DoesNotApply)?;
    let [one, other] = asking.all([subject, &related])?;
    identical(subject, &one, &other)
}

/// Where nothing leaves the normal range, every operation commutes with a power of two, so all digits are the
/// same. Integers scale exactly; their roots are known to an interval.
pub(super) fn scaling(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    match subject.dtype().kind() {
        Kind::Float(format) => scaling_of_floats(subject, format, asking),
        Kind::Integer(_) => scaling_of_integers(subject, asking),
    }
}

fn scaling_of_floats(subject: &Subject, format: FloatFormat, asking: &mut Asking<'_>) -> Result<(), Stop> {
    let (down, up) = subject.room().filter(|&(down, up)| down >= 0 && up >= 0).ok_or(Stop::DoesNotApply)?;
    let by = asking.below((down + up) as usize + 1) as i32 - down;
    if by == 0 {
        return Err(Stop::DoesNotApply);
    }
    let scaled = |&bits: &u64| scaled(format, bits, by);
    let elements = subject.call.data.bits().iter().map(scaled).collect();
    let related = subject.with_bits(elements).ok_or(Stop::DoesNotApply)?;
    let [one, other] = asking.all([subject, &related])?;
    same_form(subject, one.shape(), &other)?;
    same_form(subject, one.shape(), &one)?;
    for (at, (a, b)) in one.bits().iter().zip(other.bits()).enumerate() {
        let wanted = scaled(a);
        if !same_bits(subject.dtype(), wanted, b) {
            return Err(Breach::Bits { at, dtype: subject.dtype(), wanted, got: b }.into());
        }
    }
    Ok(())
}

/// The float times a power of two: another exponent field. Zeros, infinities and NaN stay; a number that
/// would leave the normal range becomes a NaN, which is no norm.
fn scaled(format: FloatFormat, bits: u64, by: i32) -> u64 {
    match format.magnitude(bits) {
        Magnitude::Finite { significand: 0, .. } | Magnitude::Infinite | Magnitude::Nan => bits,
        Magnitude::Finite { significand, exponent } => {
            let log2 = exponent + significand.ilog2() as i32;
            let normal = format.min_exponent..=format.max_exponent;
            if !normal.contains(&log2) || !normal.contains(&(log2 + by)) {
                return format.nan();
            }
            let step = 1 << (format.precision - 1);
            bits.wrapping_add_signed(i64::from(by) * step)
        }
    }
}

fn scaling_of_integers(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    let Kind::Integer(range) = subject.dtype().kind() else { return Err(Stop::DoesNotApply) };
    let factor = 2_i128 << asking.below(3);
    let multiple = |&bits: &u64| {
        let value = range.decode(bits) * factor;
        (range.min..=range.max).contains(&value).then(|| range.encode(value))
    };
    let bits: Option<Vec<u64>> = subject.call.data.bits().iter().map(multiple).collect();
    let related = bits.and_then(|bits| subject.with_bits(bits)).ok_or(Stop::DoesNotApply)?;
    comparable(subject)?;
    comparable(&related)?;
    let [one, other] = asking.all([subject, &related])?;
    let wanted = intervals(subject, one.shape(), &one)?;
    let wanted: Vec<Interval> = wanted.into_iter().map(|interval| interval.times(factor as f64)).collect();
    each(&wanted, &intervals(&related, one.shape(), &other)?, Interval::meets)
}

/// Cuts a reduced axis in two. Sums of the parts' norms, or the root of the sum of their squares, are the
/// norm of the whole.
pub(super) fn concatenation(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    finite(subject)?;
    let long: Vec<usize> =
        subject.reduction.axes.iter().copied().filter(|&axis| subject.shape()[axis] > 1).collect();
    let Some(&axis) = long.get(asking.below(long.len())) else { return Err(Stop::DoesNotApply) };
    let elements = subject.elements();
    let at = 1 + asking.below(subject.shape()[axis] - 1);
    let (front, back) = elements.view().split_at(Axis(axis), at);
    let part = |part: ndarray::ArrayViewD<'_, u64>| {
        subject.with(&part.to_owned(), &subject.reduction.axes).ok_or(Stop::DoesNotApply)
    };
    let (front, back) = (part(front)?, part(back)?);
    finite(&front)?;
    finite(&back)?;
    let [whole, one, other] = asking.all([subject, &front, &back])?;
    let joined: Vec<Interval> = intervals(&front, whole.shape(), &one)?
        .into_iter()
        .zip(intervals(&back, whole.shape(), &other)?)
        .map(|(one, other)| one.joined(other, subject.norm()))
        .collect();
    each(&intervals(subject, whole.shape(), &whole)?, &joined, Interval::meets)
}

/// Reduces some of the axes, and the others of what that gave. Not for roots of integers, which are cut.
pub(super) fn splitting(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    finite(subject)?;
    let mut axes = subject.reduction.axes.clone();
    if axes.len() < 2 || subject.dtype().is_integer() && subject.norm() == Norm::L2 {
        return Err(Stop::DoesNotApply);
    }
    asking.shuffle(&mut axes);
    let (first, rest) = axes.split_at(1 + asking.below(axes.len() - 1));
    let inner = subject.with(&subject.elements(), first).ok_or(Stop::DoesNotApply)?;
    finite(&inner)?;
    let [whole, between] = asking.all([subject, &inner])?;
    let (whole_at, slack) = (intervals(subject, whole.shape(), &whole)?, comparable(&inner)?);
    same_form(&inner, between.shape(), &between)?;
    // The dims reduced stay as 1, whatever the attribute says, so that axes keep their numbers.
    let mut shape = subject.shape().to_vec();
    for &axis in first {
        shape[axis] = 1;
    }
    let unlike = || Breach::Shape { wanted: shape.clone(), got: between.shape().to_vec() };
    let elements = arranged(&shape, between.bits()).ok_or_else(unlike)?;
    let outer = subject.with(&elements, rest).ok_or(Stop::DoesNotApply)?;
    finite(&outer)?;
    let twice = asking.also(&outer)?;
    let slack = comparable(&outer)?.of_norms_within(slack);
    if twice.len() != whole.len() {
        return Err(Breach::Shape { wanted: whole.shape().to_vec(), got: twice.shape().to_vec() }.into());
    }
    same_form(&outer, twice.shape(), &twice)?;
    each(&whole_at, &around(&twice, |observed| slack.around(observed)), Interval::meets)
}

fn around(output: &Tensor, of: impl Fn(f64) -> Interval) -> Vec<Interval> {
    let value = |bits| normative_reference::textbook::to_f64(output.dtype(), bits);
    output.bits().into_iter().map(|bits| of(value(bits))).collect()
}

/// Doubles one element; a zero becomes 1.
pub(super) fn monotonicity(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    finite(subject)?;
    let mut bits = subject.call.data.bits();
    let at = asking.below(bits.len());
    let one = bits.get_mut(at).ok_or(Stop::DoesNotApply)?;
    *one = match subject.dtype().kind() {
        Kind::Float(format) => match format.magnitude(*one) {
            Magnitude::Finite { significand: 0, .. } => {
                (-format.min_exponent as u64 + 1) << (format.precision - 1)
            }
            _ => scaled(format, *one, 1),
        },
        Kind::Integer(range) => {
            let value = range.decode(*one);
            let greater = if value == 0 { 1 } else { 2 * value };
            if !(range.min..=range.max).contains(&greater) {
                return Err(Stop::DoesNotApply);
            }
            range.encode(greater)
        }
    };
    let related = subject.with_bits(bits).ok_or(Stop::DoesNotApply)?;
    finite(&related)?;
    let [less, greater] = asking.all([subject, &related])?;
    let less_at = intervals(subject, less.shape(), &less)?;
    each(&less_at, &intervals(&related, less.shape(), &greater)?, Interval::may_be_at_most)
}

/// Asks the sibling operator of the same version too. It may be missing: a refusal says nothing.
pub(super) fn order_of_norms(subject: &Subject, asking: &mut Asking<'_>) -> Result<(), Stop> {
    finite(subject)?;
    let other = if subject.norm() == Norm::L1 { Norm::L2 } else { Norm::L1 };
    let operator = subject.call.operator.with_norm(other).ok_or(Stop::DoesNotApply)?;
    let related = subject.with_operator(operator).ok_or(Stop::DoesNotApply)?;
    finite(&related)?;
    let [one] = asking.all([subject])?;
    let [other] = asking.all([&related])?;
    let mut at = [intervals(subject, one.shape(), &one)?, intervals(&related, one.shape(), &other)?];
    if subject.norm() == Norm::L1 {
        at.reverse();
    }
    let [l2, l1] = at;
    each(&l2, &l1, Interval::may_be_at_most)?;
    let most: Vec<Interval> = l2.into_iter().map(|at| at.times_root_of(subject.terms())).collect();
    each(&l1, &most, Interval::may_be_at_most)
}

/// Stops a law that needs finite elements of which answers have a bound.
fn finite(subject: &Subject) -> Result<(), Stop> {
    if subject.is_special() {
        return Err(Stop::DoesNotApply);
    }
    comparable(subject).map(|_| ())
}
