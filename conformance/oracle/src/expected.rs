//! Computes expectations from the fast values, as [`normative_reference::expect`] does, and those of every
//! alternative of a ruling without computing a value twice.

use std::cell::RefCell;

use normative_reference::arithmetic::Arithmetic;
use normative_reference::exact::Variant;
use normative_reference::expected::expect_by;
use normative_reference::{
    Alternative, Call, Expected, Near, Outcome, Reduction, Ruling, Tensor, TensorError, Value,
};

use crate::evaluate::evaluate;

/// Returns the answer to `call` that `outcome` demands.
///
/// # Errors
/// [`TensorError::TooLarge`] when the output has too many elements to hold.
pub fn expect(call: &Call, outcome: &Outcome) -> Result<Expected, TensorError> {
    expect_by(evaluate, call, outcome)
}

/// Returns the expected answer of every alternative of a call's ruling, in their order. Values that
/// alternatives share are computed once.
///
/// # Errors
/// As [`expect`].
pub fn expect_each(call: &Call, ruling: &Ruling) -> Result<Vec<Expected>, TensorError> {
    let known = RefCell::new(Vec::new());
    let mut each: Vec<Expected> = Vec::with_capacity(ruling.alternatives.len());
    for Alternative { outcome, .. } in &ruling.alternatives {
        let mut earlier = ruling.alternatives.iter().zip(&each);
        let same = earlier.find_map(|(earlier, expected)| same_values(outcome, &earlier.outcome, expected));
        let once = |data: &Tensor, reduction: &Reduction, variant: Variant| {
            // Other data are derived from the call's by a reading, so they are not cached.
            if !std::ptr::eq(data, &raw const call.data) {
                return evaluate(data, reduction, variant);
            }
            let mut known = known.borrow_mut();
            let of_same =
                |(of, under, _): &&(Reduction, Variant, Vec<Value>)| of == reduction && *under == variant;
            if let Some((_, _, values)) = known.iter().find(of_same) {
                return values.clone();
            }
            let values = evaluate(data, reduction, variant);
            known.push((reduction.clone(), variant, values.clone()));
            values
        };
        each.push(same.map_or_else(|| expect_by(once, call, outcome), Ok)?);
    }
    Ok(each)
}

/// Returns the expectation of an earlier outcome if this one differs from it at most in the arithmetic of floats.
fn same_values(outcome: &Outcome, earlier: &Outcome, expected: &Expected) -> Option<Expected> {
    match (outcome, earlier, expected) {
        (
            Outcome::Reduce(reduction, Arithmetic::Float(arithmetic)),
            Outcome::Reduce(same, Arithmetic::Float(other)),
            Expected::Near(near),
        ) if reduction == same && Variant::of(*arithmetic) == Variant::of(*other) => {
            Some(Expected::Near(Near { arithmetic: *arithmetic, ..near.clone() }))
        }
        _ => (outcome == earlier).then(|| expected.clone()),
    }
}
