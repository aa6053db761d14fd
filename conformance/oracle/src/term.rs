//! What blocks hold of an element, and what is added of it.

use normative_reference::Magnitude;

use crate::kernels::Strip;

/// A magnitude, as it is added.
pub(crate) trait Term: Copy + PartialOrd {
    const ZERO: Self;
    /// What adds magnitudes for L1.
    type Plain: Strip<Self>;
    /// What adds their squares for L2.
    type Squared: Strip<Self>;

    fn magnitude(self) -> Magnitude;
}

/// The magnitude itself is the term.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

/// Its square is.
#[derive(Clone, Copy)]
pub(crate) struct Squared;

/// The lesser of two; `a` where `b` is a NaN.
pub(crate) fn lesser<F: PartialOrd>(a: F, b: F) -> F {
    if b < a { b } else { a }
}

/// The greater of two; `a` where `b` is a NaN.
pub(crate) fn greater<F: PartialOrd>(a: F, b: F) -> F {
    if b > a { b } else { a }
}
