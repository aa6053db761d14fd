//! The order of elements by simplicity, and ways to make an element simpler.
//!
//! An element is a sign, an odd integer and a power of two, or one of a few special values. Zero is the
//! simplest, then one, then numbers with short binary forms; infinities and NaNs come last.

use normative_reference::{Dtype, FloatFormat, Kind, Magnitude, real};
use num_bigint::BigUint;

/// A way to make an element simpler, the boldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Simplify {
    /// It becomes 0.
    Zero,
    /// It becomes 1.
    One,
    /// Its sign is removed; a NaN becomes the usual one.
    Positive,
    /// Its fraction is removed.
    Whole,
    /// The lower half of its bits is removed.
    HalfTheBits,
    /// Its last bit is removed.
    LastBit,
    /// Its exponent is halved.
    HalfTheExponent,
    /// Its exponent comes nearer to 0 by one.
    NearerExponent,
}

/// Every way.
pub(super) const WAYS: [Simplify; 8] = [
    Simplify::Zero,
    Simplify::One,
    Simplify::Positive,
    Simplify::Whole,
    Simplify::HalfTheBits,
    Simplify::LastBit,
    Simplify::HalfTheExponent,
    Simplify::NearerExponent,
];

/// The parts of an element.
#[derive(Clone, Copy)]
enum Parts {
    Zero,
    /// `±odd · 2^exponent`.
    Number {
        odd: u64,
        exponent: i32,
    },
    Infinite,
    Nan,
}

/// Returns the cost of an element: 0 for zero, 1 for one.
pub(super) fn cost(dtype: Dtype, bits: u64) -> u64 {
    // Greater than the cost of any number, at most 16 · 63 bits and 2 · 1074 for the exponent, so others cost more.
    const ODD: u64 = 1 << 18;
    let negative = u64::from(is_negative(dtype, bits));
    match parts(dtype, bits) {
        Parts::Zero => negative * ODD,
        Parts::Number { odd, exponent } => {
            let (length, power) = (u64::from(odd.ilog2()), u64::from(exponent.unsigned_abs()));
            1 + 16 * length + 2 * power + u64::from(exponent < 0) + negative
        }
        Parts::Infinite => 2 * ODD + negative,
        Parts::Nan => 3 * ODD + u64::from(Some(bits) != nan(dtype)),
    }
}

/// Returns the element made simpler in one way; `None` if that way does not apply.
pub(super) fn simplified(dtype: Dtype, bits: u64, way: Simplify) -> Option<u64> {
    let negative = is_negative(dtype, bits);
    match (way, parts(dtype, bits)) {
        (Simplify::One, _) => encode(dtype, false, 1, 0),
        (Simplify::Positive, Parts::Nan) => nan(dtype),
        (Simplify::Zero, _) | (Simplify::Positive, Parts::Zero) => Some(0),
        (Simplify::Positive, Parts::Infinite) => format(dtype).map(FloatFormat::infinity),
        (Simplify::Positive, Parts::Number { odd, exponent }) => encode(dtype, false, odd, exponent),
        (_, Parts::Zero | Parts::Infinite | Parts::Nan) => None,
        (Simplify::Whole, Parts::Number { odd, exponent }) => {
            let whole =
                if exponent < 0 { odd.checked_shr(exponent.unsigned_abs()).unwrap_or(0) } else { odd };
            encode(dtype, negative && whole > 0, whole, exponent.max(0))
        }
        (Simplify::HalfTheBits, Parts::Number { odd, exponent }) => {
            let gone = odd.ilog2().div_ceil(2);
            encode(dtype, negative, odd >> gone, exponent + gone as i32)
        }
        (Simplify::LastBit, Parts::Number { odd, exponent }) => match odd & (odd - 1) {
            0 => None,
            rest => encode(dtype, negative, rest, exponent),
        },
        (Simplify::HalfTheExponent, Parts::Number { odd, exponent }) => {
            encode(dtype, negative, odd, exponent / 2)
        }
        (Simplify::NearerExponent, Parts::Number { odd, exponent }) => {
            encode(dtype, negative, odd, exponent - exponent.signum())
        }
    }
}

fn parts(dtype: Dtype, bits: u64) -> Parts {
    match dtype.magnitude(bits) {
        Magnitude::Nan => Parts::Nan,
        Magnitude::Infinite => Parts::Infinite,
        Magnitude::Finite { significand: 0, .. } => Parts::Zero,
        Magnitude::Finite { significand, exponent } => {
            let zeros = significand.trailing_zeros();
            Parts::Number { odd: significand >> zeros, exponent: exponent + zeros as i32 }
        }
    }
}

fn is_negative(dtype: Dtype, bits: u64) -> bool {
    match dtype.kind() {
        Kind::Float(format) => bits & format.sign() != 0,
        Kind::Integer(range) => range.decode(bits) < 0,
    }
}

const fn format(dtype: Dtype) -> Option<FloatFormat> {
    match dtype.kind() {
        Kind::Float(format) => Some(format),
        Kind::Integer(_) => None,
    }
}

fn nan(dtype: Dtype) -> Option<u64> {
    format(dtype).map(FloatFormat::nan)
}

/// Returns the bits of `±significand · 2^exponent`; `None` for an integer type that does not hold it.
fn encode(dtype: Dtype, negative: bool, significand: u64, exponent: i32) -> Option<u64> {
    match dtype.kind() {
        Kind::Float(format) => {
            let magnitude = real::round(format, &BigUint::from(significand), exponent, false);
            Some(magnitude | if negative { format.sign() } else { 0 })
        }
        Kind::Integer(range) => {
            let shift = u32::try_from(exponent).ok().filter(|&shift| shift < 64)?;
            let magnitude = i128::from(significand) << shift;
            let value = if negative { -magnitude } else { magnitude };
            (range.min..=range.max).contains(&value).then(|| range.encode(value))
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::corpus::number::parse;

    #[rstest]
    #[case::f32(Dtype::F32, &["0", "1", "-1", "2", "-2", "4", "3", "5", "0x1.8p-30", "0.1", "-0.0", ".inf", "-.inf", ".nan", "bits:0x7fc00001"])]
    #[case::i64(Dtype::I64, &["0", "1", "-1", "2", "4", "3", "7", "min", "max"])]
    fn what_is_shorter_to_write_is_simpler(#[case] dtype: Dtype, #[case] ascending: &[&str]) {
        let costs: Vec<u64> = ascending.iter().map(|text| cost(dtype, parse(text, dtype).unwrap())).collect();
        assert!(costs.is_sorted_by(|a, b| a < b), "{costs:?}");
    }

    #[rstest]
    fn an_element_that_no_way_makes_simpler_is_zero(
        #[values(Dtype::F16, Dtype::Bf16, Dtype::I16, Dtype::U16)] dtype: Dtype,
    ) {
        for bits in 0..=u64::from(u16::MAX) {
            let now = cost(dtype, bits);
            let simpler = WAYS.into_iter().filter_map(|way| simplified(dtype, bits, way));
            assert_eq!(simpler.map(|bits| cost(dtype, bits)).any(|cost| cost < now), bits != 0, "{bits:#x}");
        }
    }

    #[rstest]
    #[case::half_the_bits(Simplify::HalfTheBits, "0x1.fffp9", "0x1.fcp9")]
    #[case::last_bit(Simplify::LastBit, "7", "6")]
    #[case::fraction(Simplify::Whole, "-2.75", "-2")]
    #[case::less_than_one(Simplify::Whole, "-0.75", "0")]
    #[case::great_exponent(Simplify::HalfTheExponent, "0x3p100", "0x3p50")]
    #[case::small_exponent(Simplify::NearerExponent, "0x1p-149", "0x1p-148")]
    #[case::sign(Simplify::Positive, "-.inf", ".inf")]
    fn each_way_takes_what_it_says(#[case] way: Simplify, #[case] from: &str, #[case] to: &str) {
        let read = |text| parse(text, Dtype::F32).unwrap();
        assert_eq!(simplified(Dtype::F32, read(from), way), Some(read(to)));
    }
}
