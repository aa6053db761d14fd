//! Tells where an answer shows that its maker does not work as a reading says, although the bounds accept it.
//!
//! A bound leaves every step free, so the bound of some readings holds all that another reading allows. An answer that
//! the wider reading's steps never give does not tell it:
//!
//! | wider reading | accepts all of | what its steps never give |
//! |---|---|---|
//! | `results-flushed` | `kept` | a subnormal sum, unless a conversion to a narrower type follows |
//! | `toward-zero` | `nearest` | a number that is too great; not used, because `in-type` would then explain all |
//! | `in-type`, `by-operator`, `squares-in-type` | `wide` | nothing: few roundings may cancel |
//! | `naive`, `rescued` | `scaled`, in range | nothing: only squares that leave their range show it |
//!
//! Only sums of magnitudes count: a norm of squares may be zero for two reasons, and `rescued` would explain all.
//! No verdict depends on it: it only decides which of the accepting readings an answer tells.

use normative_reference::arithmetic::Subnormals;
use normative_reference::{Expected, Kind, Term};

use crate::observed::Observed;

/// Returns true if no implementation that works as the reading says gives this answer.
pub fn refutes(expected: &Expected, answer: &Observed) -> bool {
    let (Expected::Near(near), Observed::Tensor(got)) = (expected, answer) else { return false };
    let Kind::Float(format) = near.dtype.kind() else { return false };
    // A conversion to a narrower type may give subnormal numbers where no step before it does.
    let flushes = near.arithmetic.subnormals == Subnormals::ResultsFlushed && near.arithmetic.root == format;
    flushes && near.norm.term() == Term::Magnitude && got.bits().iter().any(|&bits| format.is_subnormal(bits))
}
