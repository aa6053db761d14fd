//! Exact reals, and the only place that rounds.
//!
//! A [`Real`] is a dyadic rational or the square root of one: the exact norm, or sum, of finite floats.
//! [`Real::round`] returns the nearest float of any format, ties to even. It rounds once, from the exact
//! value, so there is no double rounding.

use num_bigint::{BigInt, BigUint, Sign};

use crate::dtype::FloatFormat;

/// `significand · 2^exponent`, or its square root, and a sign.
///
/// Two roots are equal if their values are, and so are two reals without a root, however they are split into
/// significand and exponent. A root is never equal to a real without one, unless both are zero.
#[derive(Clone, Debug)]
pub struct Real {
    /// An exact integer.
    pub significand: BigUint,
    /// A power of two; even whenever `root` is set.
    pub exponent: i32,
    /// True if the value is the square root of `significand · 2^exponent`.
    pub root: bool,
    /// True if the value is below zero. No norm is; a sum of elements may be.
    pub negative: bool,
}

/// An exact real, or one of the two values that are not real.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A real number, zero included.
    Finite(Real),
    /// Exactly +infinity: some element was infinite.
    Infinite,
    /// Exactly -infinity, as no norm is: a sum had this element.
    NegativeInfinite,
    /// Not a number: some element was NaN, or a sum had infinities of both signs.
    Nan,
}

impl Eq for Real {}

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        let least = self.exponent.min(other.exponent);
        let shifted = |real: &Self| &real.significand << (real.exponent - least);
        // A root of zero is zero, and so is its negative.
        (self.root == other.root && self.negative == other.negative || self.is_zero())
            && if self.exponent == other.exponent {
                self.significand == other.significand
            } else {
                shifted(self) == shifted(other)
            }
    }
}

impl Real {
    /// Returns zero.
    pub fn zero() -> Self {
        Self { significand: BigUint::ZERO, exponent: 0, root: false, negative: false }
    }

    /// Returns true if the value is zero.
    pub fn is_zero(&self) -> bool {
        self.significand == BigUint::ZERO
    }

    /// Returns the sum of two reals without roots.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a + b)
    }

    /// Returns the difference of two reals without roots.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a - b)
    }

    fn combined(&self, other: &Self, combine: impl Fn(BigInt, BigInt) -> BigInt) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let integer = |real: &Self| {
            let sign = if real.negative { Sign::Minus } else { Sign::Plus };
            BigInt::from_biguint(sign, &real.significand << (real.exponent - exponent))
        };
        let (sign, significand) = combine(integer(self), integer(other)).into_parts();
        Self { significand, exponent, root: false, negative: sign == Sign::Minus }
    }

    /// Returns the integer part of log2 of the magnitude; `None` for zero.
    pub fn floor_log2(&self) -> Option<i64> {
        let bits = self.significand.bits();
        let log2 = (bits.checked_sub(1)?) as i64 + i64::from(self.exponent);
        Some(if self.root { log2.div_euclid(2) } else { log2 })
    }

    /// Returns the bits of the nearest float, ties to even, overflow to infinity (IEEE 754-2019, 4.3.1). The
    /// float nearest to zero is +0; one of a value below zero may be -0.
    pub fn round(&self, format: FloatFormat) -> u64 {
        let sign = if self.negative && !self.is_zero() { format.sign() } else { 0 };
        sign | self.round_magnitude(format)
    }

    fn round_magnitude(&self, format: FloatFormat) -> u64 {
        if !self.root || self.is_zero() {
            return round(format, &self.significand, self.exponent, false);
        }
        let Head { bits, dropped, inexact } = Head::of(&self.significand);
        // The integer root of 127 or 128 bits has 64: enough for the precision of any format and the halfway
        // bit. The remainder of the root becomes the sticky bit. So do the dropped bits: they are worth less
        // than 1, and cannot change the integer root.
        let shift = bits.leading_zeros() & !1;
        let square = bits << shift;
        let root = square.isqrt();
        let exponent = (self.exponent + dropped - shift as i32) / 2;
        Head { bits: root, dropped: 0, inexact: inexact || root * root != square }.round(format, exponent)
    }
}

/// The leading bits of an integer: `(bits + δ) · 2^dropped`, where `0 < δ < 1` when `inexact` and `δ = 0`
/// otherwise.
struct Head {
    /// At least 127 bits long where any bits were dropped.
    bits: u128,
    /// The number of dropped bits; even, as roots require.
    dropped: i32,
    /// True if any dropped bit was set.
    inexact: bool,
}

impl Head {
    fn of(significand: &BigUint) -> Self {
        let dropped = significand.bits().saturating_sub(128).next_multiple_of(2);
        let inexact = significand.trailing_zeros().is_some_and(|zeros| zeros < dropped);
        let low = |value: &BigUint| {
            let mut digits = value.iter_u64_digits().map(u128::from);
            digits.next().unwrap_or(0) | digits.next().unwrap_or(0) << 64
        };
        let bits = if dropped == 0 { low(significand) } else { low(&(significand >> dropped)) };
        Self { bits, dropped: dropped as i32, inexact }
    }

    /// Rounds `(bits + δ) · 2^dropped`, times `2^exponent`.
    fn round(self, format: FloatFormat, exponent: i32) -> u64 {
        let Some(log2) = self.bits.checked_ilog2() else { return 0 };
        let exponent = i64::from(exponent) + i64::from(self.dropped);
        let top = exponent + i64::from(log2);
        if top > i64::from(format.max_exponent) {
            return format.infinity();
        }
        // The place of the last bit kept: p - 1 below the leading one, but never below the quantum.
        let last = (top - i64::from(format.precision - 1)).max(i64::from(format.quantum()));
        let kept = if last <= exponent {
            (self.bits << (exponent - last)) as u64
        } else {
            // A shift beyond all 128 bits gives the same result for any distance.
            let dropped = (last - exponent).min(200) as u32;
            let kept = self.bits.checked_shr(dropped).unwrap_or(0) as u64;
            let half = self.bits.checked_shr(dropped - 1).is_some_and(|bits| bits & 1 == 1);
            let below = self.inexact || self.bits.trailing_zeros() < dropped - 1;
            kept + u64::from(half && (below || kept & 1 == 1))
        };
        // A kept significand of 2^p carries into the exponent field by itself, and so does a subnormal
        // that became the smallest normal.
        let bits = ((last - i64::from(format.quantum())) as u64).wrapping_shl(format.precision - 1) + kept;
        bits.min(format.infinity())
    }
}

impl Value {
    /// Returns the bits of the correctly rounded float.
    pub fn round(&self, format: FloatFormat) -> u64 {
        match self {
            Self::Finite(real) => real.round(format),
            Self::Infinite => format.infinity(),
            Self::NegativeInfinite => format.sign() | format.infinity(),
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
    let head = Head::of(significand);
    Head { inexact: inexact || head.inexact, ..head }.round(format, exponent)
}
