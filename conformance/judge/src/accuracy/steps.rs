//! Counts the roundings between the elements and a norm: the format of each, and how many a term goes through.
//!
//! [`Bound`](super::Bound) says how much they may cost.

use std::fmt;

use normative_reference::arithmetic::{FloatArithmetic, Narrowing, Range, Subnormals};
use normative_reference::{Finish, FloatFormat, Near, Term};

use super::scaled::power;

/// The formats of the steps, and how often each rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundingSteps {
    /// The format of squares.
    pub squares: FloatFormat,
    /// The format of partial sums.
    pub sums: FloatFormat,
    /// The format of the root; without one, that of the sums.
    pub root: FloatFormat,
    /// The roundings of a square: its own, and two for dividing by a scale first, whose error is squared. 0 for magnitudes.
    pub per_square: f64,
    /// The most additions that a term goes through.
    pub additions: f64,
    /// True if the sum is rounded to a narrower format before its root is taken.
    pub casts: bool,
    /// The roundings after the sum: the root's, and that of multiplying the scale back. 0 without a root.
    pub per_root: i32,
}

impl RoundingSteps {
    /// Returns the steps of a reading. If `γ` says nothing for its sums, the declared format takes their place.
    pub fn of(near: &Near, declared: Option<FloatFormat>) -> Self {
        let read = Self::with_sums(near, near.arithmetic.sums);
        let says = |steps: &Self| steps.gamma().is_some();
        if says(&read) {
            return read;
        }
        declared.map(|sums| Self::with_sums(near, sums)).filter(says).unwrap_or(read)
    }

    fn with_sums(near: &Near, sums: FloatFormat) -> Self {
        let FloatArithmetic { squares, root, range, .. } = near.arithmetic;
        let additions = near.terms.saturating_sub(1) as f64;
        let (squares, per_square) = match near.norm.term() {
            Term::Magnitude | Term::Element => (sums, 0.0),
            Term::Square => (squares, if range == Range::Naive { 1.0 } else { 3.0 }),
        };
        let (root, per_root) = match near.norm.finish() {
            Finish::Nothing => (sums, 0),
            Finish::Root => (root, if range == Range::Naive { 1 } else { 2 }),
        };
        let casts = root.precision < sums.precision;
        Self { squares, sums, root, per_square, additions, casts, per_root }
    }

    /// Returns `s`: the sum of the unit roundoffs of all roundings that a term may go through.
    pub fn roundoffs(&self) -> f64 {
        let cast = if self.casts { unit_roundoff(self.root) } else { 0.0 };
        self.per_square * unit_roundoff(self.squares) + self.additions * unit_roundoff(self.sums) + cast
    }

    /// Returns `γ = s / (1 - s)`; `None` if `s ≥ 1`.
    pub fn gamma(&self) -> Option<f64> {
        let s = self.roundoffs();
        (s < 1.0).then(|| s / (1.0 - s))
    }
}

/// The conditions that a bound is computed for. Errors measured against equal conditions can be compared.
/// Formats are stored as their precision to save space, because every verdict has one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Against {
    squares: u8,
    sums: u8,
    root: u8,
    range: Range,
    subnormals: Subnormals,
    narrowing: Narrowing,
}

impl Against {
    /// Returns the conditions that an answer to this expectation is measured against.
    pub fn of(near: &Near, declared: Option<FloatFormat>) -> Self {
        let RoundingSteps { squares, sums, root, .. } = RoundingSteps::of(near, declared);
        let [squares, sums, root] = [squares, sums, root].map(|format| format.precision as u8);
        let FloatArithmetic { range, subnormals, narrowing, .. } = near.arithmetic;
        Self { squares, sums, root, range, subnormals, narrowing }
    }
}

impl fmt::Display for Against {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { squares, sums, root, .. } = *self;
        if squares != sums {
            write!(f, "squares {}, ", name_of(squares.into()))?;
        }
        write!(f, "sums {}", name_of(sums.into()))?;
        if root != sums {
            write!(f, ", root {}", name_of(root.into()))?;
        }
        f.write_str(match self.range {
            Range::Scaled => "",
            Range::Rescued => ", rescued squares",
            Range::Naive => ", naive squares",
        })?;
        f.write_str(match self.subnormals {
            Subnormals::Kept => "",
            Subnormals::Flushed => ", subnormals flushed",
            Subnormals::ResultsFlushed => ", subnormal results flushed",
        })?;
        f.write_str(match self.narrowing {
            Narrowing::Nearest => "",
            Narrowing::TowardZero => ", result cut",
        })
    }
}

/// Returns the name of a format.
pub const fn name(format: FloatFormat) -> &'static str {
    name_of(format.precision)
}

const fn name_of(precision: u32) -> &'static str {
    match precision {
        8 => "bf16",
        11 => "f16",
        24 => "f32",
        _ => "f64",
    }
}

/// Returns `u = 2^-p`.
pub(super) fn unit_roundoff(format: FloatFormat) -> f64 {
    power(-i64::from(format.precision))
}
