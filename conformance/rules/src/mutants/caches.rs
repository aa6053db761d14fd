//! Mistakes of implementations with more state than the previous call: caches with too short a key, buffers
//! of an earlier call's size, unready first calls, refusals that leave state behind.
//!
//! They show in a corpus asked in one order by one process. A case repeated alone may then conform.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use normative_conformance::Answer;
use normative_conformance::reference::textbook::to_f64;
use normative_conformance::reference::{Axes, Call, Norm, Operator, Tensor};

use super::MutantFamily::State;
use super::{Mutant, answer, row, with_bits};
use crate::floats::read;
use crate::steps::Memory;

const VALUES: &str = "norm slices output-written axes axes-indices axes-some axes-all layout numpy-like output-type types \
    data-shape data all-axes";
const FORM: &str = "keep-dims-default keepdims-default keep-dims-true output-kept-dims output-rank-kept \
    reduced-dims-pruned numpy-exception output-removed-dims output-shape axes-indices axes axes-some \
    axes-negative axes-range all-axes norm slices";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(State, "answers-cached-by-the-form", "Answers are kept by everything about a call but its data.", VALUES, |s| s.after = |memory, call, given| cached(memory, form(call), given)),
    row(State, "answers-cached-by-the-first-element", "Answers are kept by the form of a call and its first element.", VALUES, |s| s.after = |memory, call, given| {
        let first = call.data.bits().first().copied();
        cached(memory, format!("{} {first:?}", form(call)), given)
    }),
    row(State, "answers-cached-by-a-checksum", "Answers are kept by the form of a call and a sum of its bits, which two orders of elements share.", VALUES, |s| s.after = |memory, call, given| {
        let sum = call.data.bits().iter().fold(0_u64, |sum, &bits| sum.wrapping_add(bits));
        cached(memory, format!("{} {sum}", form(call)), given)
    }),
    row(State, "answers-cached-without-the-type", "Answers are kept by the bits of the data, their dims, the axes and the attributes, whatever the type.", VALUES, |s| s.after = |memory, call, given| {
        cached(memory, format!("{:?} {:?} {:?} {:?}", call.operator, call.axes, call.data.shape(), call.data.bits()), given)
    }),
    row(State, "answers-cached-but-for-an-inner-element", "Answers are kept by the form of a call and all its elements but the middle one.", VALUES, |s| s.after = |memory, call, given| {
        let mut bits = call.data.bits();
        let middle = bits.len() / 2;
        // The first and the last element stay.
        if bits.len() > 2 { bits.remove(middle); }
        cached(memory, format!("{} {bits:?}", form(call)), given)
    }),
    row(State, "answers-cached-without-the-order-of-dims", "Answers are kept by the data and their dims in order of size, with all else of the call.", VALUES, |s| s.after = |memory, call, given| {
        if call.data.is_empty() { return given }
        let mut dims = call.data.shape().to_vec();
        dims.sort_unstable();
        let key = format!("{:?} {:?} {} {dims:?} {:?}", call.operator, call.axes, call.data.dtype(), call.data.bits());
        cached(memory, key, given)
    }),
    row(State, "answers-cached-without-axes", "Answers are kept by the data and the attributes, whatever the axes.", FORM, |s| s.after = |memory, call, given| cached(memory, format!("{:?} {:?} {:?}", call.operator, call.data.shape(), call.data.bits()), given)),
    row(State, "answers-cached-without-attributes", "Answers are kept by the operator, the data and the axes, whatever the attributes.", FORM, |s| s.after = |memory, call, given| match call.operator {
        Operator::Bnns { .. } => given,
        _ => cached(memory, format!("{} {:?} {:?} {:?}", call.spec(), call.axes, call.data.shape(), call.data.bits()), given),
    }),
    row(State, "plans-cached-by-rank", "Axes are worked out once for each operator and rank.", FORM, |s| s.before = |memory, call| {
        planned(memory, format!("{} {}", call.spec(), call.data.rank()), call)
    }),
    row(State, "plans-cached-by-dims", "Axes are worked out once for each operator and dims, whatever comes between.", FORM, |s| s.before = |memory, call| {
        planned(memory, format!("{} {:?}", call.spec(), call.data.shape()), call)
    }),
    row(State, "plans-cached-by-the-first-axis", "Axes are worked out once for each operator, rank and first axis.", FORM, |s| s.before = |memory, call| {
        let Axes::Given(given) = &call.axes else { return Cow::Borrowed(call) };
        planned(memory, format!("{} {} {:?}", call.spec(), call.data.rank(), given.values.first()), call)
    }),
    row(State, "input-buffer-grows-late", "Data longer than any before are cut to the length of the longest before, and the rest is 0.", VALUES, |s| s.before = |memory, call| {
        let (room, length) = (memory.room.max(16), call.data.len());
        memory.room = room.max(length);
        zeroed(call, room)
    }),
    row(State, "output-buffer-of-the-first-call", "The output has room for what the first call of its type gave; beyond 16 elements the rest is 0.", VALUES, |s| s.after = |memory, _, given| {
        let Answer::Tensor(tensor) = &given else { return given };
        let kept = memory.answers.entry(tensor.dtype().to_string()).or_insert_with(|| given.clone());
        let room = if let Answer::Tensor(first) = kept { first.len().max(16) } else { 16 };
        let mut bits = tensor.bits();
        bits.iter_mut().skip(room).for_each(|bits| *bits = 0);
        answer(tensor.dtype(), tensor.shape(), &bits)
    }),
    row(State, "one-call-late", "An answer is handed over before it is written: where dims and type are those of the call before, it holds that call's.", VALUES, |s| s.after = |memory, _, given| {
        let before = match &given {
            Answer::Tensor(tensor) => memory.answer.replace(tensor.clone()),
            _ => None,
        };
        match (given, before) {
            (Answer::Tensor(tensor), Some(before)) if before.dtype() == tensor.dtype() && before.shape() == tensor.shape() => Answer::Tensor(before),
            (given, _) => given,
        }
    }),
    row(State, "stale-tail", "Where an output is longer than that of the call before, what is beyond is what stood there two calls ago.", VALUES, |s| s.after = |memory, _, given| {
        let Answer::Tensor(tensor) = &given else { return given };
        // The single buffer, as earlier calls left it.
        let mut buffer = memory.answer.take().map_or(Vec::new(), |held| held.bits());
        let length = std::mem::replace(&mut memory.room, tensor.len());
        let mut bits = tensor.bits();
        for at in length.max(1)..bits.len().min(buffer.len()) {
            bits[at] = buffer[at] & (u64::MAX >> (64 - 8 * tensor.dtype().size()));
        }
        if buffer.len() < bits.len() { buffer.resize(bits.len(), 0); }
        buffer[..bits.len()].copy_from_slice(&tensor.bits());
        memory.answer = Tensor::from_bits(normative_conformance::reference::Dtype::U64, &[buffer.len()], &buffer).ok();
        answer(tensor.dtype(), tensor.shape(), &bits)
    }),
    row(State, "first-call-of-a-type-unwritten", "The first call of each operator and type is answered before its kernel is there, by zeros.", VALUES, |s| s.after = |memory, call, given| {
        let key = format!("{} {}", call.spec(), call.data.dtype());
        match (memory.answers.entry(key), given) {
            (Entry::Vacant(entry), Answer::Tensor(tensor)) if !call.data.is_empty() => {
                entry.insert(Answer::Tensor(tensor.clone()));
                answer(tensor.dtype(), tensor.shape(), &vec![0; tensor.len()])
            }
            (_, given) => given,
        }
    }),
    row(State, "after-a-thousand-calls-another-path", "From the thousandth call on a compiled path is taken, which loses the last of several elements.", VALUES, |s| s.before = |memory, call| if memory.calls > 1000 && call.data.len() > 1 { zeroed(call, call.data.len() - 1) } else { Cow::Borrowed(call) }),
    row(State, "every-64th-call-is-refused", "Every 64th call is refused, as by a pool that has run out.", VALUES, |s| s.after = |memory, _, given| if memory.calls % 64 == 0 { Answer::Rejected("no buffer left".into()) } else { given }),
    row(State, "attributes-left-by-a-refusal", "The call after one that was refused has its attributes, where the operator is the same.", FORM, |s| {
        s.before = |memory, call| match memory.call.take() {
            Some(refused) if refused.spec() == call.spec() && !matches!(call.operator, Operator::Bnns { .. }) => {
                Cow::Owned(Call { operator: refused.operator, ..call.clone() })
            }
            _ => Cow::Borrowed(call),
        };
        s.after = |memory, call, given| {
            if matches!(given, Answer::Rejected(_)) { memory.call = Some(call.clone()); }
            given
        };
    }),
    row(State, "axes-left-by-a-refusal", "The call after one that was refused for its axes has those that were right among them added to its own.", FORM, |s| {
        s.before = |memory, call| match (memory.call.take(), &call.axes) {
            (Some(refused), Axes::Given(given)) if refused.spec() == call.spec() && !given.values.is_empty() => {
                let mut given = given.clone();
                given.values.extend(left_by(&refused, call, &given.values));
                if given.shape.len() == 1 { given.shape = vec![given.values.len()]; } else { given.values.truncate(1); }
                Cow::Owned(Call { axes: Axes::Given(given), ..call.clone() })
            }
            _ => Cow::Borrowed(call),
        };
        s.after = |memory, call, given| {
            if matches!(given, Answer::Rejected(_)) { memory.call = Some(call.clone()); }
            given
        };
    }),
    row(State, "infinity-stays", "After an infinite result the next of floats is infinite too, as an overflow flag that nobody clears.", VALUES, |s| s.after = |memory, _, given| {
        let Answer::Tensor(tensor) = &given else { return given };
        let dtype = tensor.dtype();
        if dtype.is_integer() { return given }
        let infinite = tensor.bits().iter().any(|&bits| read(dtype, bits) == f64::INFINITY);
        if !std::mem::replace(&mut memory.flag, infinite) { return given }
        answer(dtype, tensor.shape(), &vec![crate::floats::encode(dtype, f64::INFINITY); tensor.len()])
    }),
];

/// Caches whose keys leave out one property that no case tests. Generated calls find them: some differ from
/// the previous call in that property alone.
#[rustfmt::skip]
pub(super) const UNASKED: &[Mutant] = &[
    row(State, "answers-cached-by-the-first-64-bytes", "Answers are kept by the form of a call and the first 64 bytes of its data.", VALUES, |s| s.after = |memory, call, given| {
        let bits: Vec<u64> = call.data.bits().into_iter().take(64 / call.data.dtype().size()).collect();
        cached(memory, format!("{} {bits:?}", form(call)), given)
    }),
    row(State, "answers-cached-by-the-values", "Answers are kept by the numbers that the data are, their dims, the axes and the attributes, whatever the type.", VALUES, |s| s.after = |memory, call, given| {
        let values: Vec<f64> = call.data.bits().into_iter().map(|bits| to_f64(call.data.dtype(), bits)).collect();
        cached(memory, format!("{:?} {:?} {:?} {values:?}", call.operator, call.axes, call.data.shape()), given)
    }),
    row(State, "answers-cached-without-the-later-dims", "Answers are kept by the data, their rank, the first of their dims and the product of the others, with all else of the call.", VALUES, |s| s.after = |memory, call, given| {
        let dims = call.data.shape();
        let (first, later) = (dims.first(), dims.iter().skip(1).product::<usize>());
        let key = format!("{:?} {:?} {} {} {first:?} {later} {:?}", call.operator, call.axes, call.data.dtype(), dims.len(), call.data.bits());
        cached(memory, key, given)
    }),
    row(State, "answers-cached-without-keeping-of-dims", "Answers are kept by everything about a call but whether reduced dims are kept.", FORM, |s| s.after = |memory, call, given| {
        let call_key = Call { operator: call.operator.with_keep_dims(None), ..call.clone() };
        cached(memory, format!("{} {:?}", form(&call_key), call.data.bits()), given)
    }),
    row(State, "answers-cached-without-the-signs-of-axes", "Answers are kept by everything about a call but the signs of its axes.", FORM, |s| s.after = |memory, call, given| {
        let Axes::Given(axes) = &call.axes else { return given };
        let numbers: Vec<u128> = axes.values.iter().map(|value| value.unsigned_abs()).collect();
        let key = format!("{:?} {numbers:?} {:?} {} {:?} {:?}", call.operator, axes.shape, call.data.dtype(), call.data.shape(), call.data.bits());
        cached(memory, key, given)
    }),
    row(State, "answers-cached-without-the-norm", "Answers are kept by everything about a call but which norm it asks for.", VALUES, |s| s.after = |memory, call, given| {
        let Some(operator) = call.operator.with_norm(Norm::L1) else { return given };
        let call_key = Call { operator, ..call.clone() };
        cached(memory, format!("{} {:?}", form(&call_key), call.data.bits()), given)
    }),
];

/// Returns everything about a call except its elements.
fn form(call: &Call) -> String {
    format!("{:?} {:?} {} {:?}", call.operator, call.axes, call.data.dtype(), call.data.shape())
}

/// Returns the cached answer for this key, or stores and returns the given one.
fn cached(memory: &mut Memory, key: String, given: Answer) -> Answer {
    memory.answers.entry(key).or_insert(given).clone()
}

/// Returns the call with the axes of the first call with this key.
fn planned<'a>(memory: &mut Memory, key: String, call: &'a Call) -> Cow<'a, Call> {
    match memory.plans.entry(key) {
        Entry::Occupied(first) => Cow::Owned(Call { axes: first.get().axes.clone(), ..call.clone() }),
        Entry::Vacant(entry) => {
            entry.insert(call.clone());
            Cow::Borrowed(call)
        }
    }
}

/// Returns the call with its elements from index `from` on zeroed.
pub(super) fn zeroed(call: &Call, from: usize) -> Cow<'_, Call> {
    if from >= call.data.len() {
        return Cow::Borrowed(call);
    }
    let mut bits = call.data.bits();
    bits[from..].fill(0);
    with_bits(call, call.data.shape(), &bits)
}

/// Returns one axis of a refused call that these data have and the call does not name.
fn left_by(refused: &Call, call: &Call, named: &[i128]) -> Vec<i128> {
    let Axes::Given(given) = &refused.axes else { return Vec::new() };
    let rank = call.data.rank() as i128;
    let fits = |value: &&i128| {
        (0..rank).contains(*value) && named.iter().all(|other| other.rem_euclid(rank) != **value)
    };
    given.values.iter().filter(fits).copied().take(1).collect()
}
