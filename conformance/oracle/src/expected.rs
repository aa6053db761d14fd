//! Expectations from the fast values: what [`normative_reference::expect`] says, and what it says of every
//! alternative of a ruling, with no value computed twice.

use std::cell::RefCell;

use normative_reference::arithmetic::Arithmetic;
use normative_reference::exact::Variant;
use normative_reference::expected::expect_by;
use normative_reference::{
    Alternative, Call, Expected, Near, Outcome, Reduction, Ruling, Tensor, TensorError, Value,
};

use crate::evaluate::evaluate;

/// What `outcome` expects of an answer to `call`.
///
/// # Errors
/// [`TensorError::TooLarge`] when the output has too many elements to hold.
pub fn expect(call: &Call, outcome: &Outcome) -> Result<Expected, TensorError> {
    expect_by(evaluate, call, outcome)
}

/// What every alternative of a call's ruling expects of an answer, in their order. Values that several have in
/// common are computed once.
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
            // Other data are those that a reading makes of the call's.
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

/// What is expected of `outcome`, where that is what is expected of an earlier one, but for the arithmetic of floats.
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
