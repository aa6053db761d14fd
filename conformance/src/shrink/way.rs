//! The way in which a call fails, and how far from right: what a small call must keep.
//!
//! A grave error among many mild ones of the same class may have a cause of its own. So a way has a range of errors, and
//! a small call with an error beyond the range is another find.

use normative_reference::Kind;

use super::class::FailureClass;
use crate::judge::compare::Mismatch;
use crate::judge::verdict::Verdict;

/// A class of failures within a range of errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failing {
    /// The class.
    pub class: FailureClass,
    /// The errors.
    pub errors: FailureErrors,
}

/// A range of relative errors of wrong floats, as powers of two. Failures without such an error are in every range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailureErrors {
    /// No error is smaller.
    pub least: f64,
    /// Every error is smaller.
    pub below: f64,
}

impl FailureErrors {
    /// The range of all errors.
    pub const ALL: Self = Self { least: f64::NEG_INFINITY, below: f64::INFINITY };

    /// Returns true if an error is in the range.
    pub fn contains(&self, error: f64) -> bool {
        *self == Self::ALL || (self.least..self.below).contains(&error)
    }
}

impl Failing {
    /// Returns true if a verdict is a failure of this way.
    pub fn is_of(&self, verdict: &Verdict) -> bool {
        self.class.is_of(verdict) && error(verdict).is_none_or(|error| self.errors.contains(error))
    }
}

/// Returns the relative error of the first wrong element, as a power of two, if it is a float that misses a number.
pub fn error(verdict: &Verdict) -> Option<f64> {
    let Some(Mismatch::Element(wrong)) = verdict.mismatch() else { return None };
    let (Kind::Float(format), Some((ulps, _))) = (wrong.dtype.kind(), wrong.error) else { return None };
    Some(ulps.log2() - f64::from(format.precision)).filter(|error| error.is_finite())
}
