//! Mistakes of implementations with state: calls must be independent of earlier ones.
//!
//! They show in a corpus asked in one order by one process. A case repeated alone may then conform.

use std::borrow::Cow;

use normative_conformance::Answer;
use normative_conformance::reference::{Call, Tensor};

use super::MutantFamily::State;
use super::caches::zeroed;
use super::{Mutant, row};
use crate::floats::{encode, held, read};
use crate::integers::wrapped;
use crate::steps::Memory;

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(State, "output-not-cleared", "Results are added to what the output memory held.", "norm output-written", |s| s.after = |memory, _, answer| {
        let (Answer::Tensor(tensor), Some(before)) = (&answer, &memory.answer) else { return remember(memory, answer) };
        if tensor.dtype() != before.dtype() || tensor.shape() != before.shape() {
            return remember(memory, answer);
        }
        let bits: Vec<u64> = tensor.bits().into_iter().zip(before.bits()).map(|(a, b)| sum(tensor, a, b)).collect();
        memory.answer = Some(tensor.clone());
        super::answer(tensor.dtype(), tensor.shape(), &bits)
    }),
    row(State, "output-not-written-for-nothing", "The norm of nothing is what the output memory held.", "empty-set empty-set-unstated norm data-shape output-written numpy-like", |s| s.after = |memory, call, answer| stale(memory, answer, |tensor, before| {
        let held = before.bits();
        if !call.data.is_empty() || held.is_empty() { return None }
        let bits: Vec<u64> = (0..tensor.len()).map(|at| held[at % held.len()]).collect();
        Tensor::from_bits(tensor.dtype(), tensor.shape(), &bits).ok()
    })),
    row(State, "first-element-stale", "Where the output's dims are those of the call before, its first element is not written.", "norm slices output-written", |s| s.after = |memory, _, answer| stale(memory, answer, |tensor, before| {
        if tensor.shape() != before.shape() || tensor.len() < 2 { return None }
        let mut bits = tensor.bits();
        bits[0] = before.bits()[0];
        Tensor::from_bits(tensor.dtype(), tensor.shape(), &bits).ok()
    })),
    row(State, "data-not-uploaded", "Data of the type and dims of the call before are taken for the same.", "norm", |s| s.before = |memory, call| {
        like_the_one_before(memory, call, |before| (before.data.dtype() == call.data.dtype() && before.data.shape() == call.data.shape()).then(|| Call { data: before.data.clone(), ..call.clone() }))
    }),
    row(State, "axes-of-the-call-before", "Axes are worked out anew only where the data's dims change.", "axes-indices axes axes-some", |s| s.before = |memory, call| {
        like_the_one_before(memory, call, |before| (before.spec() == call.spec() && before.data.shape() == call.data.shape()).then(|| Call { axes: before.axes.clone(), ..call.clone() }))
    }),
    row(State, "attributes-of-the-call-before", "Attributes are read anew only where the operator or the data's dims change.", "keep-dims-default keepdims-default keep-dims-true output-kept-dims output-rank-kept reduced-dims-pruned numpy-exception output-removed-dims output-shape", |s| s.before = |memory, call| {
        like_the_one_before(memory, call, |before| (before.spec() == call.spec() && before.data.shape() == call.data.shape()).then(|| Call { operator: before.operator.clone(), ..call.clone() }))
    }),
    row(State, "dims-of-the-call-before", "The output's dims are those of the call before, where they hold as many elements.", "output-kept-dims output-removed-dims output-rank-kept reduced-dims-pruned keep-dims-true keep-dims-default keepdims-default all-axes output-shape", |s| s.after = |memory, _, answer| stale(memory, answer, |tensor, before| {
        Tensor::from_bits(tensor.dtype(), before.shape(), &tensor.bits()).ok()
    })),
    row(State, "every-seventh-call-drops-the-last", "Now and then the last element is lost, as in a race.", "norm slices", |s| {
        s.before = |memory, call| if memory.calls % 7 == 0 { zeroed(call, call.data.len().saturating_sub(1)) } else { Cow::Borrowed(call) };
    }),
    row(State, "after-a-refusal-all-is-refused-once", "The call after one that was refused is refused.", "norm axes axes-indices slices axes-negative", |s| s.after = |memory, _, answer| {
        let refused = std::mem::replace(&mut memory.flag, matches!(answer, Answer::Rejected(_)));
        if refused { Answer::Rejected("the call before was refused".into()) } else { answer }
    }),
    row(State, "nan-stays", "A NaN once seen stays in the accumulator.", "norm slices", |s| {
        s.after = |memory, _, answer| match answer {
            Answer::Tensor(tensor) if !tensor.dtype().is_integer() => {
                let nan = tensor.bits().iter().any(|&bits| read(tensor.dtype(), bits).is_nan());
                let poisoned = std::mem::replace(&mut memory.flag, nan);
                let bits = vec![encode(tensor.dtype(), f64::NAN); tensor.len()];
                match Tensor::from_bits(tensor.dtype(), tensor.shape(), &bits) {
                    Ok(nans) if poisoned => Answer::Tensor(nans),
                    _ => Answer::Tensor(tensor),
                }
            }
            answer => answer,
        };
    }),
];

/// Returns what `of` makes of this answer and the last one, if anything, and remembers this one.
fn stale(memory: &mut Memory, answer: Answer, of: impl FnOnce(&Tensor, &Tensor) -> Option<Tensor>) -> Answer {
    let stale = match (&answer, &memory.answer) {
        (Answer::Tensor(tensor), Some(before)) => of(tensor, before),
        _ => None,
    };
    let answer = remember(memory, answer);
    stale.map_or(answer, Answer::Tensor)
}

/// Returns the call that `of` makes of the remembered one, or else this call, which is then remembered.
fn like_the_one_before<'a>(
    memory: &mut Memory,
    call: &'a Call,
    of: impl FnOnce(&Call) -> Option<Call>,
) -> Cow<'a, Call> {
    let other = memory.call.as_ref().and_then(of);
    if other.is_none() {
        memory.call = Some(call.clone());
    }
    other.map_or(Cow::Borrowed(call), Cow::Owned)
}

fn remember(memory: &mut Memory, answer: Answer) -> Answer {
    if let Answer::Tensor(tensor) = &answer {
        memory.answer = Some(tensor.clone());
    }
    answer
}

fn sum(tensor: &Tensor, a: u64, b: u64) -> u64 {
    let dtype = tensor.dtype();
    if dtype.is_integer() {
        return wrapped(&(num_bigint::BigInt::from(a) + b), dtype);
    }
    encode(dtype, held(read(dtype, a) + read(dtype, b), crate::floats::format(dtype)))
}
