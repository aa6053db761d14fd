//! Neighbours: calls that differ from another in one property, and are asked right after it.
//!
//! An implementation that caches answers, plans or kernels finds them by a key. If the key leaves out one
//! property of a call, this shows only for two calls that differ in nothing else: the second gets the answer of
//! the first. Independently drawn calls never do.
//!
//! Each [`Difference`] is chosen such that the right answers of the two calls differ, as far as their forms show.

use normative_reference::textbook::to_f64;
use normative_reference::{
    Axes, Call, Dtype, Kind, Magnitude, Norm, Operator, Outcome, Reduction, Spec, Tensor, rule,
};

use super::Profile;
use super::covering::places;
use super::form::{counts_from_the_end, is_signed};
use super::values::{narrowed, signed, whole};

/// The first and last bytes of data that a hash may be limited to.
const EDGE: usize = 64;

/// 2^53: integers up to here are exact in f64.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The only difference between a call and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Difference {
    /// The element type of the same bits.
    TypeOfBits,
    /// One element, far from both ends if there is room.
    Element,
    /// Dims kept or dropped.
    KeepDims,
    /// The end from which axes are counted: numbers with other signs, or those of the reversed axes.
    Spelling,
    /// The norm.
    Norm,
    /// Two elements of different outputs, swapped.
    Exchange,
    /// Two dims, swapped; not the first if there are more than two.
    Dims,
    /// The element type of the same values.
    TypeOfValues,
}

impl Difference {
    /// All differences, in the order of their turns.
    pub const ALL: [Self; 8] = [
        Self::TypeOfBits,
        Self::Element,
        Self::KeepDims,
        Self::Spelling,
        Self::Norm,
        Self::Exchange,
        Self::Dims,
        Self::TypeOfValues,
    ];

    /// Returns the words for it in reports.
    pub const fn words(self) -> &'static str {
        match self {
            Self::TypeOfBits => "the element type of the same bits",
            Self::Element => "one element",
            Self::KeepDims => "whether reduced dims are kept",
            Self::Spelling => "the end from which axes are counted",
            Self::Norm => "the norm",
            Self::Exchange => "two elements, which are exchanged",
            Self::Dims => "two dims, which are exchanged",
            Self::TypeOfValues => "the element type of the same values",
        }
    }

    const fn of_turn(turn: usize) -> Self {
        Self::ALL[turn % Self::ALL.len()]
    }

    /// Returns the call with this difference, if there is one, without checking that its ruling is alike.
    fn applied(self, call: &Call, salt: usize) -> Option<Call> {
        match self {
            Self::TypeOfBits => other_type(call, salt, same_bits),
            Self::TypeOfValues => other_type(call, salt, same_value),
            Self::Element => element(call, salt),
            Self::Exchange => exchange(call, salt),
            Self::Dims => dims(call),
            Self::KeepDims => keep_dims(call),
            Self::Spelling => spelling(call),
            Self::Norm => {
                Some(Call { operator: call.operator.with_norm(other(call.spec().norm()))?, ..call.clone() })
            }
        }
    }
}

/// Returns the spec of the neighbour of a call: another one if it is the turn of the [norm](Difference::Norm).
pub const fn spec_of(spec: Spec, turn: usize) -> Spec {
    match (Difference::of_turn(turn), spec) {
        (Difference::Norm, Spec::OpenVino(norm)) => Spec::OpenVino(other(norm)),
        (Difference::Norm, Spec::Onnx(norm, opset)) => Spec::Onnx(other(norm), opset),
        (Difference::Norm, Spec::ArrayApi(norm)) => Spec::ArrayApi(other(norm)),
        (Difference::Norm, Spec::WebNn(norm)) => Spec::WebNn(other(norm)),
        (Difference::Norm, Spec::Blas(norm)) => Spec::Blas(other(norm)),
        (_, spec) => spec,
    }
}

/// Returns the neighbour of a call with this profile, and the difference: that of this turn, or the next
/// possible one. `spec` is the [spec of the neighbour](spec_of).
pub fn neighbour(
    call: &Call,
    spec: Spec,
    profile: Profile,
    turn: usize,
    salt: u64,
) -> Option<(Difference, Call)> {
    let count = Difference::ALL.len();
    let turns = (0..count).map(|further| Difference::of_turn(turn % count + further));
    let mut turns = turns.filter(|difference| (*difference == Difference::Norm) == (spec != call.spec()));
    // The low 32 bits, so that a remainder does not depend on the width of `usize`.
    let salt = salt as u32 as usize;
    turns.find_map(|difference| {
        let neighbour = difference.applied(call, salt).filter(|neighbour| is_of(profile, neighbour))?;
        Some((difference, neighbour))
    })
}

/// Returns true if the ruling of a call fits the profile.
fn is_of(profile: Profile, call: &Call) -> bool {
    let ruling = rule(call);
    let some = |is: fn(&Outcome) -> bool| ruling.alternatives.iter().any(|one| is(&one.outcome));
    let is_open = some(|outcome| matches!(outcome, Outcome::OutOfScope(_)))
        || ruling.questions().iter().any(|question| !question.concerns_values());
    let is_refused = some(|outcome| matches!(outcome, Outcome::Rejected(_)));
    match profile {
        Profile::Valid => !is_open && !is_refused,
        Profile::Open => is_open,
        Profile::Invalid => !is_open && is_refused,
    }
}

const fn other(norm: Norm) -> Norm {
    match norm {
        Norm::L1 => Norm::L2,
        Norm::L2 => Norm::L1,
        Norm::SumSquare => Norm::SumSquare,
        Norm::Sum => Norm::Sum,
    }
}

/// Returns the reduction of a call's first reading.
fn reduction(call: &Call) -> Option<Reduction> {
    match rule(call).alternatives.into_iter().next()?.outcome {
        Outcome::Reduce(reduction, _) => Some(reduction),
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => None,
    }
}

/// Returns the call with other data.
fn with_data(call: &Call, dtype: Dtype, shape: &[usize], bits: &[u64]) -> Option<Call> {
    let data = Tensor::from_bits(dtype, shape, bits).ok()?;
    Some(Call { data, ..call.clone() })
}

/// Returns the call with data of another type, each element converted by `turned`.
fn other_type(call: &Call, salt: usize, turned: fn(Dtype, Dtype, u64) -> Option<u64>) -> Option<Call> {
    let (from, dtypes) = (call.data.dtype(), call.spec().rules().dtypes);
    let mut others = dtypes.iter().cycle().skip(salt % dtypes.len().max(1)).take(dtypes.len());
    others.find_map(|&to| {
        let bits: Vec<u64> =
            call.data.bits().into_iter().map(|bits| turned(from, to, bits)).collect::<Option<_>>()?;
        (to != from).then(|| with_data(call, to, call.data.shape(), &bits)).flatten()
    })
}

/// Returns the same bits if the other type is as wide and they are not a signalling NaN, which may become quiet.
fn same_bits(from: Dtype, to: Dtype, bits: u64) -> Option<u64> {
    let signals = match to.kind() {
        Kind::Float(format) => {
            format.magnitude(bits) == Magnitude::Nan && bits & (format.nan() ^ format.infinity()) == 0
        }
        Kind::Integer(_) => false,
    };
    (from.size() == to.size() && !signals).then_some(bits)
}

/// Returns the bits of the same number in another type, if it holds the number.
fn same_value(from: Dtype, to: Dtype, bits: u64) -> Option<u64> {
    let value = to_f64(from, bits);
    if !value.is_finite() || (from.is_integer() && value.abs() > EXACT) {
        return None;
    }
    let other = match to.kind() {
        Kind::Float(format) => signed(format, value.is_sign_negative(), narrowed(format, value.abs())),
        Kind::Integer(range) => range.encode((value as i128).clamp(range.min, range.max)),
    };
    // Integers have no signed zero.
    let is_same = to_f64(to, other).to_bits() == value.to_bits();
    is_same.then_some(other)
}

/// Returns the index of a reduced data element between the first and last bytes that a hash may cover. For even
/// salts, it is the middle one.
fn inner(call: &Call, salt: usize) -> Option<usize> {
    let (count, step) = match call.operator {
        Operator::Blas { n, incx, .. } => (usize::try_from(n).unwrap_or(0), incx.unsigned_abs() as usize),
        _ => (call.data.len(), 1),
    };
    let edge = (EDGE / call.data.dtype().size()).min(count.checked_sub(1)? / 2);
    let middle = (call.data.len() / 2).checked_div(step).unwrap_or(0);
    let place =
        if salt.is_multiple_of(2) { middle.min(count - 1) } else { edge + salt / 2 % (count - 2 * edge) };
    Some(place * step)
}

/// Returns the call with one element replaced: by the greatest of its numbers, or if it is the greatest, by zero.
fn element(call: &Call, salt: usize) -> Option<Call> {
    let (at, dtype, mut bits) = (inner(call, salt)?, call.data.dtype(), call.data.bits());
    let magnitude = |bits: u64| to_f64(dtype, bits).abs();
    let greatest = bits.iter().copied().filter(|&bits| magnitude(bits).is_finite());
    let greatest = greatest.max_by(|&a, &b| magnitude(a).total_cmp(&magnitude(b)))?;
    let element = bits.get_mut(at)?;
    *element = match magnitude(greatest) {
        0.0 => whole(dtype, 3),
        of_greatest if magnitude(*element) < of_greatest => greatest,
        _ => 0,
    };
    with_data(call, dtype, call.data.shape(), &bits)
}

/// Returns the call with two elements of different outputs swapped: an inner one, and the one whose magnitude
/// differs most.
fn exchange(call: &Call, salt: usize) -> Option<Call> {
    let (at, dtype, mut bits) = (inner(call, salt)?, call.data.dtype(), call.data.bits());
    let places = places(call.data.shape(), &reduction(call)?.axes);
    let magnitude = |bits: u64| to_f64(dtype, bits).abs();
    let apart = |to: usize| (magnitude(bits[to]) - magnitude(bits[at])).abs();
    let output = places.get(at)?.0;
    let elsewhere = (0..bits.len()).filter(|&to| places.get(to).is_some_and(|place| place.0 != output));
    let to = elsewhere.filter(|&to| apart(to) > 0.0).max_by(|&a, &b| apart(a).total_cmp(&apart(b)))?;
    bits.swap(at, to);
    with_data(call, dtype, call.data.shape(), &bits)
}

/// Returns the call with two dims swapped, so that the output's dims change.
fn dims(call: &Call) -> Option<Call> {
    let (shape, reduction) = (call.data.shape(), reduction(call)?);
    let pairs = (1..shape.len()).rev().flat_map(|last| (0..last).rev().map(move |first| (first, last)));
    // With two dims, the first is swapped with the last.
    let mut pairs = pairs.filter(|&(first, _)| first > 0 || shape.len() == 2);
    pairs.find_map(|(first, last)| {
        let mut other = shape.to_vec();
        other.swap(first, last);
        let is_told = reduction.output_shape(shape) != reduction.output_shape(&other);
        let call = with_data(call, call.data.dtype(), &other, &call.data.bits()).filter(|_| is_told)?;
        Some(allocated(call, &reduction))
    })
}

/// Returns the call with reduced dims kept instead of dropped, or the reverse.
fn keep_dims(call: &Call) -> Option<Call> {
    let default = call.spec().rules().keep_dims_default;
    let kept = call.operator.keep_dims().map_or(default, |keep| keep != 0);
    let operator = call.operator.with_keep_dims(Some(i64::from(!kept)));
    call.operator.has_keep_dims().then(|| Call { operator, ..call.clone() })
}

/// Returns the call with its axes counted from the other end: with other signs if these are allowed, or with
/// the numbers that the axes have in reverse. `None` if both name the same axes again.
fn spelling(call: &Call) -> Option<Call> {
    let (Axes::Given(axes), reduction, rank) = (&call.axes, reduction(call)?, call.data.rank() as i128)
    else {
        return None;
    };
    let negated = |value: i128| if value == -rank { 0 } else { -value };
    let mirrored = |value: i128| if value < 0 { -1 - (value + rank) } else { rank - 1 - value };
    let may_be_negative = counts_from_the_end(call.spec().rules().axis_range) && is_signed(axes.dtype);
    let ways: [Option<&dyn Fn(i128) -> i128>; 2] = [may_be_negative.then_some(&negated), Some(&mirrored)];
    ways.into_iter().flatten().find_map(|way| {
        let mut other = axes.clone();
        other.values.iter_mut().for_each(|value| *value = way(*value));
        // Both ways are self-inverse, so the row-major axes of BNNS change in the same way.
        let mut reduced: Vec<usize> =
            reduction.axes.iter().map(|&axis| way(axis as i128).rem_euclid(rank) as usize).collect();
        reduced.sort_unstable();
        let call = Call { axes: Axes::Given(other), ..call.clone() };
        (reduced != reduction.axes)
            .then(|| allocated(call, &Reduction { axes: reduced, ..reduction.clone() }))
    })
}

/// Adapts the allocated output to the reduction, if the caller allocates it.
fn allocated(mut call: Call, reduction: &Reduction) -> Call {
    if let Operator::Bnns { output_shape } = &mut call.operator {
        *output_shape = reduction.output_shape(call.data.shape()).into_iter().rev().collect();
    }
    call
}
