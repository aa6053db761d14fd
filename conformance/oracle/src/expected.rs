//! Expectations from the fast values: what [`normative_reference::expect`] says, and what it says of every
//! alternative of a ruling, with no value computed twice.

use normative_reference::arithmetic::Arithmetic;
use normative_reference::exact::Variant;
use normative_reference::expected::expect_by;
use normative_reference::{Alternative, Call, Expected, Near, Outcome, Ruling, TensorError};

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
    let mut each: Vec<Expected> = Vec::with_capacity(ruling.alternatives.len());
    for Alternative { outcome, .. } in &ruling.alternatives {
        let known = ruling.alternatives.iter().zip(&each);
        let known = known.filter_map(|(earlier, expected)| same_values(outcome, &earlier.outcome, expected));
        let known = known.map(Expected::Near).next();
        each.push(known.map_or_else(|| expect(call, outcome), Ok)?);
    }
    Ok(each)
}

/// What is expected of `outcome`, where that is what is expected of an earlier one but for the arithmetic.
fn same_values(outcome: &Outcome, earlier: &Outcome, expected: &Expected) -> Option<Near> {
    match (outcome, earlier, expected) {
        (
            Outcome::Reduce(reduction, Arithmetic::Float(arithmetic)),
            Outcome::Reduce(same, Arithmetic::Float(other)),
            Expected::Near(near),
        ) if reduction == same && Variant::of(*arithmetic) == Variant::of(*other) => {
            Some(Near { arithmetic: *arithmetic, ..near.clone() })
        }
        _ => None,
    }
}
