//! Floats with the precision of f64 and exponents that cannot overflow, for distances and bounds in ulp.
//!
//! Differences of exact values are taken as integers; only the difference becomes a float, so nothing cancels.

use std::cmp::Ordering;

use normative_reference::{FloatFormat, Real};
use num_bigint::BigUint;

/// The relative error of the f64 arithmetic that computes bounds, with a wide margin. Bounds are widened by it,
/// so that no honest result fails for our own rounding.
pub(super) const OUR_OWN_ROUNDING: f64 = 1e-12;

/// A finite float as `significand · 2^exponent`.
#[derive(Clone, Copy)]
pub(super) struct Float {
    pub(super) significand: u64,
    pub(super) exponent: i32,
}

impl Float {
    pub(super) fn real(self) -> Real {
        Real { significand: self.significand.into(), exponent: self.exponent, root: false, negative: false }
    }

    /// Compares the float with an exact value, in integers: with a root by squaring.
    pub(super) fn cmp_to(self, value: &Real) -> Ordering {
        let significand = u128::from(self.significand);
        let (above, difference) = if value.root {
            difference(significand * significand, 2 * self.exponent, value)
        } else {
            difference(significand, self.exponent, value)
        };
        match above {
            true => Ordering::Greater,
            false if difference.mantissa == 0.0 => Ordering::Equal,
            false => Ordering::Less,
        }
    }
}

/// Returns true if `got` lies above `value`, and their difference in units of `2^ulp`.
pub(super) fn distance(got: Float, value: &Real, ulp: i32) -> (bool, f64) {
    let significand = u128::from(got.significand);
    if !value.root {
        let (above, difference) = difference(significand, got.exponent, value);
        return (above, difference.times_power(-i64::from(ulp)).to_f64());
    }
    // |g - √S| = |g² - S| / (g + √S): the numerator is exact, and nothing cancels in the denominator.
    let (above, numerator) = difference(significand * significand, 2 * got.exponent, value);
    if numerator.mantissa == 0.0 {
        return (above, 0.0);
    }
    let denominator = Scaled::from_u128(significand, got.exponent.into()).plus(Scaled::of(value));
    (above, numerator.over(denominator).times_power(-i64::from(ulp)).to_f64())
}

/// Returns true if `a · 2^exponent` is greater than `b`, and the exact difference. The root of `b` is ignored:
/// compare a square with its radicand.
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

/// Returns `value · 2^up` if 128 bits hold it, as they nearly always do.
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
        // The mantissas passed in are positive and far from the ends of f64's range, so they are normal
        // numbers.
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

/// The index of the lowest exponent bit of an f64.
const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
/// The exponent field that stands for 2^0.
const BIAS: i64 = f64::MAX_EXP as i64 - 1;
/// The bits of 1.0.
const ONE: u64 = (BIAS as u64) << FRACTION;

/// Returns `2^exponent`; beyond f64, zero or infinity.
pub(super) fn power(exponent: i64) -> f64 {
    match exponent {
        -1022..=1023 => f64::from_bits(((exponent + BIAS) as u64) << FRACTION),
        _ => (exponent.clamp(-2000, 2000) as f64).exp2(),
    }
}

/// Returns log2 of the format's ulp at an exact value: the distance between the floats around it.
pub(super) fn ulp_exponent(value: &Real, format: FloatFormat) -> i32 {
    let log2 = value.floor_log2().unwrap_or(i64::MIN);
    // Both ends of the clamp are the format's own exponents.
    let log2 = log2.clamp(i64::from(format.min_exponent), i64::from(format.max_exponent)) as i32;
    log2 - (format.precision as i32 - 1)
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

    /// Short and long integers, as far apart as formats go.
    #[test]
    fn a_difference_is_exact_however_far_apart() {
        let short = [0, 1, 3, (1 << 53) - 1, u64::MAX];
        let integers = short.iter().flat_map(|&a| short.map(|b| u128::from(a) << 64 | u128::from(b)));
        let integers: Vec<u128> = integers.chain(short.map(u128::from)).collect();
        for exponent in [-1074_i32, -149, -64, -1, 0, 1, 63, 104, 971] {
            for (&a, &b) in integers.iter().flat_map(|a| integers.iter().map(move |b| (a, b))) {
                let value = Real { significand: b.into(), exponent: 0, root: false, negative: false };
                let (above, got) = difference(a, exponent, &value);
                let (up_a, up_b) = (exponent.max(0), (-exponent).max(0));
                let (x, y) = (BigUint::from(a) << up_a, BigUint::from(b) << up_b);
                let exact = if x > y { &x - &y } else { &y - &x };
                let exact = Scaled::from_integer(&exact, exponent.min(0).into());
                assert_eq!(above, x > y, "{a} · 2^{exponent} and {b}");
                assert_eq!(
                    (got.mantissa, got.exponent),
                    (exact.mantissa, exact.exponent),
                    "{a} {exponent} {b}"
                );
            }
        }
    }

    #[test]
    fn a_sum_is_that_of_numbers_of_any_exponents() {
        let scaled = |mantissa, exponent| Scaled { mantissa, exponent };
        for (a, b, sum) in [
            (scaled(1.5, 0), scaled(1.0, 1), scaled(1.75, 1)),
            (scaled(1.5, 3000), scaled(1.0, -3000), scaled(1.5, 3000)),
            (scaled(1.5, -1000), scaled(0.0, 0), scaled(1.5, -1000)),
            (scaled(0.0, 0), scaled(0.0, 0), scaled(0.0, 0)),
        ] {
            for Scaled { mantissa, exponent } in [a.plus(b), b.plus(a)] {
                assert_eq!((mantissa, exponent), (sum.mantissa, sum.exponent));
            }
        }
    }

    #[test]
    fn a_distance_is_to_a_value_under_a_root_or_to_one_without() {
        let float = |significand, exponent| Float { significand, exponent };
        let real = |significand: u64, exponent, root| Real {
            significand: significand.into(),
            exponent,
            root,
            negative: false,
        };
        assert_eq!(distance(float(3, -2), &real(1, -1, false), -3), (true, 2.0));
        assert_eq!(distance(float(3, -2), &real(1, 0, false), -3), (false, 2.0));
        assert_eq!(distance(float(3, -2), &real(1, -2, true), -3), (true, 2.0));
        assert_eq!(distance(float(3, -2), &real(9, -4, true), -3), (false, 0.0));
        assert_eq!(distance(float(3, -2), &real(0, 0, true), -3), (true, 6.0));
        assert_eq!(distance(float(1, 0), &real(1, -149, false), -149), (true, 2_f64.powi(149)));
        assert_eq!(distance(float(0, 0), &real(1, -2000, true), -1000), (false, 1.0));
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
