//! Floats with the precision of f64 and exponents that cannot overflow, for distances and bounds in ulp.
//!
//! Differences of exact values are taken as integers; only what is left is a float, so that nothing cancels.

use normative_reference::Real;
use num_bigint::BigUint;

/// `significand · 2^exponent`, where a float is that.
#[derive(Clone, Copy)]
pub(super) struct Float {
    pub(super) significand: u64,
    pub(super) exponent: i32,
}

impl Float {
    pub(super) fn real(self) -> Real {
        Real { significand: self.significand.into(), exponent: self.exponent, root: false }
    }
}

/// Whether `got` lies above `value`, and by how many times `2^ulp` they differ.
pub(super) fn distance(got: Float, value: &Real, ulp: i32) -> (bool, f64) {
    let significand = u128::from(got.significand);
    if !value.root {
        let (above, difference) = difference(significand, got.exponent, value);
        return (above, difference.times_power(-i64::from(ulp)).to_f64());
    }
    // |g - √S| = |g² - S| / (g + √S), where the numerator is exact and nothing cancels below.
    let (above, numerator) = difference(significand * significand, 2 * got.exponent, value);
    if numerator.mantissa == 0.0 {
        return (above, 0.0);
    }
    let denominator = Scaled::from_u128(significand, got.exponent.into()).plus(Scaled::of(value));
    (above, numerator.over(denominator).times_power(-i64::from(ulp)).to_f64())
}

/// Whether `a · 2^exponent` is greater than what `b` has, under the root or without one, and the exact
/// difference.
fn difference(a: u128, exponent: i32, b: &Real) -> (bool, Scaled) {
    let least = exponent.min(b.exponent);
    let (up_a, up_b) = ((exponent - least).unsigned_abs(), (b.exponent - least).unsigned_abs());
    if let (true, Some(y)) = (up_a <= a.leading_zeros(), small(&b.significand, up_b)) {
        let x = a.checked_shl(up_a).unwrap_or(0);
        return (x > y, Scaled::from_u128(x.abs_diff(y), least.into()));
    }
    let (x, y) = (BigUint::from(a) << up_a, &b.significand << up_b);
    let above = x > y;
    (above, Scaled::from_integer(&if above { x - y } else { y - x }, least.into()))
}

/// `value · 2^up` where 128 bits hold it, as they nearly always do.
fn small(value: &BigUint, up: u32) -> Option<u128> {
    if value.bits() + u64::from(up) > 128 {
        return None;
    }
    let mut digits = value.iter_u64_digits().map(u128::from);
    let low = digits.next().unwrap_or(0) | digits.next().unwrap_or(0) << 64;
    low.checked_shl(up)
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
        // Mantissas passed in are positive and far from the ends of f64's range, so their fields are those of a
        // normal number.
        let bits = mantissa.to_bits();
        let shift = (bits >> FRACTION) as i64 - BIAS;
        let fraction = bits & ((1 << FRACTION) - 1);
        Self { mantissa: f64::from_bits(ONE | fraction), exponent: exponent + shift }
    }

    pub(super) fn from_integer(value: &BigUint, exponent: i64) -> Self {
        let dropped = value.bits().saturating_sub(64);
        let mut digits = value.iter_u64_digits().skip((dropped / 64) as usize);
        let [low, high] = [digits.next().unwrap_or(0), digits.next().unwrap_or(0)];
        let top = (u128::from(high) << 64 | u128::from(low)) >> (dropped % 64);
        Self::new(top as u64 as f64, exponent + dropped as i64)
    }

    fn from_u128(value: u128, exponent: i64) -> Self {
        let dropped = 64 - value.leading_zeros().min(64);
        Self::new((value >> dropped) as u64 as f64, exponent + i64::from(dropped))
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

/// Where the exponent of an f64 begins among its bits.
const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
/// The exponent that stands for 0.
const BIAS: i64 = f64::MAX_EXP as i64 - 1;
/// The bits of 1.
const ONE: u64 = (BIAS as u64) << FRACTION;

/// `2^exponent`, zero or infinity beyond f64.
pub(super) fn power(exponent: i64) -> f64 {
    match exponent {
        -1022..=1023 => f64::from_bits(((exponent + BIAS) as u64) << FRACTION),
        _ => (exponent.clamp(-2000, 2000) as f64).exp2(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_library() {
        for exponent in -2100..2100 {
            assert_eq!(power(exponent).to_bits(), (exponent as f64).exp2().to_bits(), "{exponent}");
        }
    }

    #[test]
    fn an_integer_keeps_its_first_64_bits() {
        for bits in 1..400_u64 {
            for low in [0_u64, 1, 0x8000_0000_0000_0001] {
                let value = (BigUint::from(0xd000_0000_0000_0001_u64) << bits >> 64_u32) + low;
                if let Some(small) = small(&value, 0) {
                    assert_eq!(BigUint::from(small), value);
                    let (a, b) = (Scaled::from_integer(&value, -5), Scaled::from_u128(small, -5));
                    assert_eq!((a.mantissa, a.exponent), (b.mantissa, b.exponent), "{value}");
                }
                let top = &value >> value.bits().saturating_sub(64);
                let Scaled { mantissa, exponent } = Scaled::from_integer(&value, -5);
                if value == BigUint::ZERO {
                    assert_eq!((mantissa, exponent), (0.0, 0));
                    continue;
                }
                let top = top.iter_u64_digits().next().unwrap_or(0);
                assert!((1.0..2.0).contains(&mantissa), "{value}");
                let expected = top as f64 * power(value.bits().saturating_sub(64) as i64);
                assert_eq!((mantissa * power(exponent + 5)).to_bits(), expected.to_bits(), "{value}");
            }
        }
    }
}
