//! Exact non-negative reals, and the one place where anything is rounded.
//!
//! A [`Real`] is a dyadic rational or the square root of one: what an L1 or an L2 norm of finite
//! floats is, exactly. [`Real::round`] gives the nearest float of any format, ties to even, from
//! the exact value in a single step; there is no intermediate precision to round twice through.

use num_bigint::BigUint;

use crate::dtype::FloatFormat;

/// `significand · 2^exponent`, or its square root.
///
/// Two roots, or two that are none, are equal when their values are, however those are split into significand
/// and exponent. A root of an exact square is not brought to the number it is.
#[derive(Clone, Debug)]
pub struct Real {
    /// An exact integer.
    pub significand: BigUint,
    /// A power of two; even whenever `root` is set.
    pub exponent: i32,
    /// Whether the value is the square root of `significand · 2^exponent`.
    pub root: bool,
}

/// An exact real, or one of the two answers that are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A real number, zero included.
    Finite(Real),
    /// Exactly +infinity: some element was infinite.
    Infinite,
    /// Not a number: some element was NaN.
    Nan,
}

impl Eq for Real {}

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        let least = self.exponent.min(other.exponent);
        let shifted = |real: &Self| &real.significand << (real.exponent - least);
        // A root of zero is zero.
        (self.root == other.root || self.is_zero()) && shifted(self) == shifted(other)
    }
}

impl Real {
    /// Zero.
    pub fn zero() -> Self {
        Self { significand: BigUint::ZERO, exponent: 0, root: false }
    }

    /// Whether the value is zero.
    pub fn is_zero(&self) -> bool {
        self.significand == BigUint::ZERO
    }

    /// The integer part of log2 of the value; `None` for zero.
    pub fn floor_log2(&self) -> Option<i64> {
        let bits = self.significand.bits();
        let log2 = (bits.checked_sub(1)?) as i64 + i64::from(self.exponent);
        Some(if self.root { log2.div_euclid(2) } else { log2 })
    }

    /// The bits of the float nearest to the value, ties to even, overflow to infinity
    /// (IEEE 754-2019, 4.3.1). Never negative, never -0.
    pub fn round(&self, format: FloatFormat) -> u64 {
        if !self.root {
            return round(format, &self.significand, self.exponent, false);
        }
        // The integer root of at least 2(p + 2) bits has at least p + 2: enough for the format's
        // precision, the halfway bit and one more. What the root leaves over becomes the sticky bit.
        let wanted = 2 * (u64::from(format.precision) + 2);
        let missing = wanted.saturating_sub(self.significand.bits());
        let shift = (missing + missing % 2) as i32;
        let square = &self.significand << shift;
        let root = square.sqrt();
        let inexact = &root * &root != square;
        round(format, &root, (self.exponent - shift) / 2, inexact)
    }
}

impl Value {
    /// The bits of the correctly rounded float.
    pub fn round(&self, format: FloatFormat) -> u64 {
        match self {
            Self::Finite(real) => real.round(format),
            Self::Infinite => format.infinity(),
            Self::Nan => format.nan(),
        }
    }
}

/// Rounds `(significand + δ) · 2^exponent` to `format`, ties to even, where `0 < δ < 1` when
/// `inexact` and `δ = 0` otherwise.
///
/// When `inexact`, `significand` needs at least two bits more than the format's precision, so that
/// δ lies below the halfway bit.
pub fn round(format: FloatFormat, significand: &BigUint, exponent: i32, inexact: bool) -> u64 {
    if *significand == BigUint::ZERO {
        return 0;
    }
    let top = i64::from(exponent) + significand.bits() as i64 - 1;
    if top > i64::from(format.max_exponent) {
        return format.infinity();
    }
    // The place of the last bit kept: p - 1 below the leading one, but never below the quantum.
    let last = (top - i64::from(format.precision - 1)).max(i64::from(format.quantum()));
    let dropped = last - i64::from(exponent);
    let kept = if dropped <= 0 {
        low_u64(&(significand << dropped.unsigned_abs()))
    } else {
        let dropped = dropped.unsigned_abs();
        let kept = low_u64(&(significand >> dropped));
        let half = significand.bit(dropped - 1);
        let below = inexact || significand.trailing_zeros().is_some_and(|zeros| zeros < dropped - 1);
        kept + u64::from(half && (below || kept & 1 == 1))
    };
    // A kept significand of 2^p carries into the exponent field by itself, and so does a subnormal
    // that became the smallest normal.
    let bits = ((last - i64::from(format.quantum())) as u64).wrapping_shl(format.precision - 1) + kept;
    bits.min(format.infinity())
}

fn low_u64(value: &BigUint) -> u64 {
    value.iter_u64_digits().next().unwrap_or(0)
}
