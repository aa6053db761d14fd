//! Tells where an answer shows that its maker does not work as a reading says, although the bounds accept it.
//!
//! A bound leaves every step free, so the bound of some readings holds all that another reading allows. An answer that
//! the wider reading's steps never give does not tell it:
//!
//! | wider reading | accepts all of | what its steps never give |
//! |---|---|---|
//! | `results-flushed` | `kept` | a subnormal number, unless a conversion to a narrower type follows |
//! | `toward-zero` | `nearest` | a number above the exact value by more than the steps before the cut may cost |
//! | `in-type`, `by-operator`, `squares-in-type` | `wide` | nothing: few roundings may cancel |
//! | `naive`, `rescued` | `scaled`, in range | nothing: only squares that leave their range show it |
//!
//! No verdict depends on it: it only decides which of the accepting readings an answer tells.

use normative_reference::arithmetic::{Narrowing, Subnormals};
use normative_reference::{Expected, FloatFormat, Kind, Value};

use super::bound::Bound;
use super::scaled::{OUR_OWN_ROUNDING, distance, ulp_exponent};
use crate::observed::Observed;

/// Returns true if no implementation that works as the reading says gives this answer.
pub fn refutes(expected: &Expected, answer: &Observed, declared: Option<FloatFormat>) -> bool {
    let (Expected::Near(near), Observed::Tensor(got)) = (expected, answer) else { return false };
    let Kind::Float(format) = near.dtype.kind() else { return false };
    // A conversion to a narrower type may give subnormal numbers where no step before it does.
    let flushes = near.arithmetic.subnormals == Subnormals::ResultsFlushed && near.arithmetic.root == format;
    let cuts = near.arithmetic.narrowing == Narrowing::TowardZero;
    if !flushes && !cuts {
        return false;
    }
    let is_above = |value: &Value, bits: u64| {
        let (Value::Finite(value), Some(got)) = (value, super::float(bits, format)) else { return false };
        let (above, error) = distance(got, value, ulp_exponent(value, format));
        let most = || Bound::of(value, format, near, declared, true).ulps() * (1.0 + OUR_OWN_ROUNDING);
        // Squares may overflow, and no cut undoes that.
        above && bits != format.infinity() && error > most()
    };
    near.values
        .iter()
        .zip(got.bits())
        .any(|(value, bits)| flushes && format.is_subnormal(bits) || cuts && is_above(value, bits))
}
