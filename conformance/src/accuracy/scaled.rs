//! Floats with the precision of f64 and exponents that cannot overflow, for distances and bounds in ulp.
//!
//! Differences of exact values are taken as integers; only what is left is a float, so that nothing cancels.

use normative_reference::Real;
use num_bigint::BigUint;

/// Whether `got` lies above `value`, and by how many times `2^ulp` they differ.
pub(super) fn distance(got: &Real, value: &Real, ulp: i32) -> (bool, f64) {
    if !value.root {
        let (above, difference, exponent) = difference(got, value);
        return (above, Scaled::from_integer(&difference, exponent).times_power(-i64::from(ulp)).to_f64());
    }
    // |g - √S| = |g² - S| / (g + √S), where the numerator is exact and nothing cancels below.
    let square =
        Real { significand: &got.significand * &got.significand, exponent: 2 * got.exponent, root: false };
    let sum = Real { root: false, ..value.clone() };
    let (above, difference, exponent) = difference(&square, &sum);
    let numerator = Scaled::from_integer(&difference, exponent);
    let denominator = Scaled::of(got).plus(Scaled::of(value));
    if denominator.mantissa == 0.0 {
        return (above, 0.0);
    }
    (above, numerator.over(denominator).times_power(-i64::from(ulp)).to_f64())
}

/// Whether `a > b`, and `|a - b|` as an exact integer times a power of two.
fn difference(a: &Real, b: &Real) -> (bool, BigUint, i64) {
    let exponent = a.exponent.min(b.exponent);
    let (x, y) = (&a.significand << (a.exponent - exponent), &b.significand << (b.exponent - exponent));
    let above = x > y;
    (above, if above { x - y } else { y - x }, exponent.into())
}

/// A float with the precision of f64 and an exponent that cannot overflow.
#[derive(Clone, Copy)]
pub(super) struct Scaled {
    /// Zero, or in [1, 2).
    mantissa: f64,
    exponent: i64,
}

impl Scaled {
    fn new(mantissa: f64, exponent: i64) -> Self {
        if mantissa == 0.0 {
            return Self { mantissa, exponent: 0 };
        }
        // Mantissas passed in are far from the ends of f64's range.
        let shift = mantissa.log2().floor();
        Self { mantissa: mantissa / shift.exp2(), exponent: exponent + shift as i64 }
    }

    pub(super) fn from_integer(value: &BigUint, exponent: i64) -> Self {
        let dropped = value.bits().saturating_sub(64);
        let top = (value >> dropped).iter_u64_digits().next().unwrap_or(0);
        Self::new(top as f64, exponent + dropped as i64)
    }

    pub(super) fn of(value: &Real) -> Self {
        let inner = Self::from_integer(&value.significand, value.exponent.into());
        if !value.root {
            return inner;
        }
        let odd = inner.exponent.rem_euclid(2);
        Self::new((inner.mantissa * if odd == 1 { 2.0 } else { 1.0 }).sqrt(), (inner.exponent - odd) / 2)
    }

    pub(super) fn times_power(self, exponent: i64) -> Self {
        Self { exponent: self.exponent + exponent, ..self }
    }

    fn plus(self, other: Self) -> Self {
        if self.mantissa == 0.0 || other.mantissa == 0.0 {
            return if self.mantissa == 0.0 { other } else { self };
        }
        let (big, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        Self::new(big.mantissa + small.mantissa * power(small.exponent - big.exponent), big.exponent)
    }

    fn over(self, other: Self) -> Self {
        Self::new(self.mantissa / other.mantissa, self.exponent - other.exponent)
    }

    pub(super) fn to_f64(self) -> f64 {
        if self.mantissa == 0.0 { 0.0 } else { self.mantissa * power(self.exponent) }
    }
}

/// `2^exponent`, zero or infinity beyond f64.
pub(super) fn power(exponent: i64) -> f64 {
    (exponent.clamp(-2000, 2000) as f64).exp2()
}
