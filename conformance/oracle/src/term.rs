//! The magnitudes that blocks hold, and the terms that are added of them.

use normative_reference::Magnitude;

use crate::kernels::Strip;

/// A magnitude, in the type in which blocks hold it.
pub(crate) trait Term: Copy + PartialOrd {
    const ZERO: Self;
    /// The strip that adds magnitudes for L1.
    type Plain: Strip<Self>;
    /// The strip that adds their squares for L2.
    type Squared: Strip<Self>;

    fn magnitude(self) -> Magnitude;
}

/// The magnitude itself is the term.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

/// The square of the magnitude is the term.
#[derive(Clone, Copy)]
pub(crate) struct Squared;

/// Returns the lesser of two; `a` if `b` is a NaN.
pub(crate) fn lesser<F: PartialOrd>(a: F, b: F) -> F {
    if b < a { b } else { a }
}

/// Returns the greater of two; `a` if `b` is a NaN.
pub(crate) fn greater<F: PartialOrd>(a: F, b: F) -> F {
    if b > a { b } else { a }
}
