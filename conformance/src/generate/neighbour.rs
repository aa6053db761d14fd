//! Neighbours: calls that differ from another in one thing alone, and are asked right after it.
//!
//! An implementation that keeps answers, plans or kernels from call to call finds them again by a key. A key that leaves out
//! one thing about a call shows where two calls differ in that thing and in nothing else: the second is answered as the first.
//! Calls that are drawn apart from each other never do.
//!
//! Each [`Difference`] is chosen such that the right answers of the two calls differ, as far as their forms tell.

use normative_reference::textbook::to_f64;
use normative_reference::{
    Axes, Call, Dtype, Kind, Magnitude, Norm, Operator, Outcome, Reduction, Spec, Tensor, rule,
};

use super::Profile;
use super::covering::places;
use super::form::{counts_from_the_end, is_signed};
use super::values::{narrowed, signed, whole};

/// The first bytes of data, and the last, that a hash may stop at.
const EDGE: usize = 64;

/// Integers up to here are exact in f64.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The one thing in which a call differs from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Difference {
    /// The element type, of the same bits.
    TypeOfBits,
    /// One element, far from both ends where there is room.
    Element,
    /// Whether reduced dims are kept.
    KeepDims,
    /// The end from which axes are counted: the same numbers with other signs, or of the axes as they are counted in reverse.
    Spelling,
    /// The norm.
    Norm,
    /// Two elements of different outputs, which are exchanged.
    Exchange,
    /// Two dims, which are exchanged; not the first where there are more than two.
    Dims,
    /// The element type, of the same values.
    TypeOfValues,
}

impl Difference {
    /// Each of them, in the order of their turns.
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

    /// The difference as it is said in reports.
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

    /// The call that differs from this one so, where there is one; whether its form is ruled alike is not looked at.
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

/// The spec of the neighbour of a call of this spec: another one where it is the turn of the [norm](Difference::Norm).
pub(crate) const fn spec_of(spec: Spec, turn: usize) -> Spec {
    match (Difference::of_turn(turn), spec) {
        (Difference::Norm, Spec::OpenVino(norm)) => Spec::OpenVino(other(norm)),
        (Difference::Norm, Spec::Onnx(norm, opset)) => Spec::Onnx(other(norm), opset),
        (Difference::Norm, Spec::ArrayApi(norm)) => Spec::ArrayApi(other(norm)),
        (Difference::Norm, Spec::WebNn(norm)) => Spec::WebNn(other(norm)),
        (Difference::Norm, Spec::Blas(norm)) => Spec::Blas(other(norm)),
        (_, spec) => spec,
    }
}

/// The neighbour of a call, of this profile, and in what it differs: in the thing whose turn it is, or in the next that is
/// possible. `spec` is the [spec of the neighbour](spec_of).
pub(crate) fn neighbour(
    call: &Call,
    spec: Spec,
    profile: Profile,
    turn: usize,
    salt: u64,
) -> Option<(Difference, Call)> {
    let count = Difference::ALL.len();
    let turns = (0..count).map(|further| Difference::of_turn(turn % count + further));
    let mut turns = turns.filter(|difference| (*difference == Difference::Norm) == (spec != call.spec()));
    // The low half, so that a remainder is the same everywhere.
    let salt = salt as u32 as usize;
    turns.find_map(|difference| {
        let neighbour = difference.applied(call, salt).filter(|neighbour| is_of(profile, neighbour))?;
        Some((difference, neighbour))
    })
}

/// Whether the rules make of a call what the profile intends.
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
    }
}

/// The reduction that the first reading of a call makes.
fn reduction(call: &Call) -> Option<Reduction> {
    match rule(call).alternatives.into_iter().next()?.outcome {
        Outcome::Reduce(reduction, _) => Some(reduction),
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => None,
    }
}

/// The call with other data.
fn with_data(call: &Call, dtype: Dtype, shape: &[usize], bits: &[u64]) -> Option<Call> {
    let data = Tensor::from_bits(dtype, shape, bits).ok()?;
    Some(Call { data, ..call.clone() })
}

/// The call with data of another type, of which each element is what `turned` makes of it.
fn other_type(call: &Call, salt: usize, turned: fn(Dtype, Dtype, u64) -> Option<u64>) -> Option<Call> {
    let (from, dtypes) = (call.data.dtype(), call.spec().rules().dtypes);
    let mut others = dtypes.iter().cycle().skip(salt % dtypes.len().max(1)).take(dtypes.len());
    others.find_map(|&to| {
        let bits: Vec<u64> =
            call.data.bits().into_iter().map(|bits| turned(from, to, bits)).collect::<Option<_>>()?;
        (to != from).then(|| with_data(call, to, call.data.shape(), &bits)).flatten()
    })
}

/// The same bits, where the other type is as wide and they are no signalling NaN in it, which many machines make quiet.
fn same_bits(from: Dtype, to: Dtype, bits: u64) -> Option<u64> {
    let signals = match to.kind() {
        Kind::Float(format) => {
            format.magnitude(bits) == Magnitude::Nan && bits & (format.nan() ^ format.infinity()) == 0
        }
        Kind::Integer(_) => false,
    };
    (from.size() == to.size() && !signals).then_some(bits)
}

/// The bits of the same number in another type, where that holds it.
fn same_value(from: Dtype, to: Dtype, bits: u64) -> Option<u64> {
    let value = to_f64(from, bits);
    if !value.is_finite() || (from.is_integer() && value.abs() > EXACT) {
        return None;
    }
    let other = match to.kind() {
        Kind::Float(format) => signed(format, value.is_sign_negative(), narrowed(format, value.abs())),
        Kind::Integer(range) => range.encode((value as i128).clamp(range.min, range.max)),
    };
    // No integer is a zero with a sign.
    let is_same = to_f64(to, other).to_bits() == value.to_bits();
    is_same.then_some(other)
}

/// The place in the data of an element that is reduced: between those that a hash of the first bytes, or of the last, has. Every
/// second time it is the one in the middle.
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

/// The call with the greatest of its numbers in place of one element, or a zero in place of the greatest.
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

/// The call with two elements exchanged that go into different outputs: an inner one, and that whose magnitude is farthest
/// from its own.
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

/// The call with two dims exchanged, by which the output's dims become others.
fn dims(call: &Call) -> Option<Call> {
    let (shape, reduction) = (call.data.shape(), reduction(call)?);
    let pairs = (1..shape.len()).rev().flat_map(|last| (0..last).rev().map(move |first| (first, last)));
    // Of two, the first is exchanged with the last.
    let mut pairs = pairs.filter(|&(first, _)| first > 0 || shape.len() == 2);
    pairs.find_map(|(first, last)| {
        let mut other = shape.to_vec();
        other.swap(first, last);
        let is_told = reduction.output_shape(shape) != reduction.output_shape(&other);
        let call = with_data(call, call.data.dtype(), &other, &call.data.bits()).filter(|_| is_told)?;
        Some(allocated(call, &reduction))
    })
}

/// The call with reduced dims kept where they are dropped, and the other way round.
fn keep_dims(call: &Call) -> Option<Call> {
    let default = call.spec().rules().keep_dims_default;
    let kept = call.operator.keep_dims().map_or(default, |keep| keep != 0);
    let operator = call.operator.with_keep_dims(Some(i64::from(!kept)));
    call.operator.has_keep_dims().then(|| Call { operator, ..call.clone() })
}

/// The call with its axes counted from the other end: the same numbers with other signs where they may have signs, or what
/// each axis is called when the last is the first. Nothing where both name the same axes again.
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
        // Either way is its own reverse, so the row-major axes of BNNS, which counts from the other end, change alike.
        let mut reduced: Vec<usize> =
            reduction.axes.iter().map(|&axis| way(axis as i128).rem_euclid(rank) as usize).collect();
        reduced.sort_unstable();
        let call = Call { axes: Axes::Given(other), ..call.clone() };
        (reduced != reduction.axes)
            .then(|| allocated(call, &Reduction { axes: reduced, ..reduction.clone() }))
    })
}

/// The call with the output allocated that its reduction needs, where the caller allocates it.
fn allocated(mut call: Call, reduction: &Reduction) -> Call {
    if let Operator::Bnns { output_shape } = &mut call.operator {
        *output_shape = reduction.output_shape(call.data.shape()).into_iter().rev().collect();
    }
    call
}
