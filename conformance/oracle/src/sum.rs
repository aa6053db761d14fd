//! An exact running sum: digits 32 bits apart, wide enough that carries can wait until the end.
//!
//! An addition puts less than 2^106 into a digit of 127 bits: less than 2^107 for a block, and less than 2^95
//! for a single element. So nothing overflows before 2^20 blocks or 2^32 single elements.

use normative_reference::exact::Variant;
use normative_reference::{FloatFormat, Magnitude, Norm, Real, Value};
use num_bigint::BigUint;

/// An exact sum: wide digits, 32 bits apart, each with room for every carry.
pub(crate) struct Sum {
    digits: [i128; DIGITS],
    first: usize,
    last: usize,
    nan: bool,
    infinite: bool,
}

/// The exponent of the first digit: below the square of the least f64, and even, as roots require.
const LOWEST: i32 = -2176;
/// Enough digits for the square of the greatest f64, and the carries of 2^32 of them.
const DIGITS: usize = 136;

impl Default for Sum {
    fn default() -> Self {
        Self { digits: [0; DIGITS], first: DIGITS, last: 0, nan: false, infinite: false }
    }
}

impl Sum {
    /// Adds `value · 2^exponent`, where `|value| < 2^75`.
    pub(crate) fn add(&mut self, value: i128, exponent: i32) {
        if value != 0 {
            let at = (exponent - LOWEST) as usize;
            self.digits[at / 32] += value << (at % 32);
            self.first = self.first.min(at / 32);
            self.last = self.last.max(at / 32);
        }
    }

    /// Adds `value · 2^exponent`.
    pub(crate) fn add_wide(&mut self, value: u128, exponent: i32) {
        self.add((value as u64).into(), exponent);
        self.add((value >> 64) as i128, exponent + 64);
    }

    pub(crate) fn add_float(&mut self, x: f64) {
        if let Magnitude::Finite { significand, exponent } = FloatFormat::F64.magnitude(x.to_bits()) {
            let significand = i128::from(significand);
            self.add(if x < 0.0 { -significand } else { significand }, exponent);
        }
    }

    pub(crate) fn add_term(&mut self, norm: Norm, element: Magnitude) {
        match (element, norm) {
            (Magnitude::Nan, _) => self.nan = true,
            (Magnitude::Infinite, _) => self.infinite = true,
            (Magnitude::Finite { significand, exponent }, Norm::L1) => self.add(significand.into(), exponent),
            (Magnitude::Finite { significand, exponent }, Norm::L2) => {
                self.add_wide(u128::from(significand) * u128::from(significand), 2 * exponent);
            }
        }
    }

    /// Returns the norm and clears the sum.
    pub(crate) fn take(&mut self, norm: Norm, variant: Variant) -> Value {
        let (mut digits, mut count, mut carry) = ([0_u32; DIGITS + 4], 0, 0_i128);
        let (first, last) = (std::mem::replace(&mut self.first, DIGITS), std::mem::take(&mut self.last));
        for place in first..DIGITS + 4 {
            carry += self.digits.get_mut(place).map_or(0, std::mem::take);
            if place > last && carry == 0 {
                break;
            }
            digits[count] = carry as u32;
            (carry, count) = (carry >> 32, count + 1);
        }
        let (nan, infinite) = (std::mem::take(&mut self.nan), std::mem::take(&mut self.infinite));
        special(nan, infinite, variant).unwrap_or_else(|| {
            Value::Finite(if count == 0 {
                Real::zero()
            } else {
                Real {
                    significand: BigUint::from_slice(&digits[..count]),
                    exponent: LOWEST + 32 * first as i32,
                    root: norm == Norm::L2,
                }
            })
        })
    }
}

/// Returns the norm of elements with a NaN or an infinity; `None` if all are finite.
pub(crate) fn special(nan: bool, infinite: bool, variant: Variant) -> Option<Value> {
    match (nan, infinite) {
        (_, true) if variant.infinity_over_nan || !nan => Some(Value::Infinite),
        (true, _) => Some(Value::Nan),
        _ => None,
    }
}
