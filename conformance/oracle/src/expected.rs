//! Computes expectations from the fast values, as [`normative_reference::expect`] does, and those of every
//! alternative of a ruling without computing a value twice.

use normative_reference::expected::{expect_by, expect_each_by};
use normative_reference::{Call, Expected, Outcome, Ruling, TensorError};

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
    expect_each_by(evaluate, call, ruling)
}
