//! Single elements as bits: numbers in a type, and values that break implementations.
//!
//! A value that a type cannot hold is cut towards zero or clamped to its ends: it only has to come near a
//! limit, because the reference evaluates the result.

use normative_reference::{Dtype, FloatFormat, Kind, Magnitude};

use super::source::Source;

/// Returns the bits of an integer; for an unsigned type, those of its magnitude.
pub fn whole(dtype: Dtype, value: i64) -> u64 {
    match dtype.kind() {
        Kind::Float(format) => signed(format, value < 0, scaled(format, value.unsigned_abs(), 0)),
        Kind::Integer(range) if range.is_signed() => {
            range.encode(i128::from(value).clamp(range.min, range.max))
        }
        Kind::Integer(range) => range.encode(i128::from(value.unsigned_abs()).min(range.max)),
    }
}

/// Returns the bits of `significand · 2^exponent`, cut towards zero, and at most the greatest finite number.
pub(super) fn scaled(format: FloatFormat, significand: u64, exponent: i32) -> u64 {
    let Some(top) = significand.checked_ilog2() else { return 0 };
    let top = exponent + top as i32;
    if top > format.max_exponent {
        return greatest(format);
    }
    // The exponent of the last bit kept.
    let last = (top - (format.precision as i32 - 1)).max(format.quantum());
    let kept = match exponent - last {
        up @ 0.. => significand << up,
        down => significand.checked_shr(down.unsigned_abs()).unwrap_or(0),
    };
    (((last - format.quantum()) as u64) << (format.precision - 1)) + kept
}

/// Returns the bits of a non-negative f64 in another format, cut towards zero.
pub(super) fn narrowed(format: FloatFormat, value: f64) -> u64 {
    match FloatFormat::F64.magnitude(value.to_bits()) {
        Magnitude::Finite { significand, exponent } => scaled(format, significand, exponent),
        Magnitude::Infinite | Magnitude::Nan => greatest(format),
    }
}

/// Returns the bits with the sign bit set if `negative`.
pub(super) const fn signed(format: FloatFormat, negative: bool, bits: u64) -> u64 {
    if negative { bits | format.sign() } else { bits }
}

/// Returns the bits with the sign flipped if `negative`. Unsigned integers, and the minimum of a signed type,
/// stay.
pub(super) const fn negated(dtype: Dtype, negative: bool, bits: u64) -> u64 {
    match dtype.kind() {
        _ if !negative => bits,
        Kind::Float(format) => bits ^ format.sign(),
        Kind::Integer(range) if range.is_signed() => range.encode(-range.decode(bits)),
        Kind::Integer(_) => bits,
    }
}

/// Returns any bits as an element. A signalling NaN becomes quiet: IEEE 754 treats `hypot` of it and an
/// infinity differently, so an honest backend would seem to read a question in two ways.
pub(super) fn element(dtype: Dtype, bits: u64) -> u64 {
    let bits = bits & u64::MAX >> (64 - 8 * dtype.size());
    match dtype.kind() {
        Kind::Float(format) if format.magnitude(bits) == Magnitude::Nan => bits | format.nan(),
        _ => bits,
    }
}

/// Returns the bits of the greatest finite number.
pub(super) const fn greatest(format: FloatFormat) -> u64 {
    format.infinity() - 1
}

/// Returns `2^exponent`, which must be a normal number of the format.
pub const fn power(format: FloatFormat, exponent: i32) -> u64 {
    ((exponent - format.min_exponent + 1) as u64) << (format.precision - 1)
}

/// Returns one of the values that break implementations.
pub(super) fn edge(source: &mut Source<'_, '_>, dtype: Dtype) -> u64 {
    let choice = source.byte();
    match dtype.kind() {
        Kind::Float(format) => float_edge(format, choice),
        Kind::Integer(range) => {
            let near = integer_edge(range.max, choice >> 1);
            // The other half of the choices are negative, down to the minimum.
            let value = if choice & 1 == 0 { near } else { -near - i128::from(choice & 0x80 != 0) };
            range.encode(value.clamp(range.min, range.max))
        }
    }
}

fn float_edge(format: FloatFormat, choice: u8) -> u64 {
    let one = power(format, 0);
    let normal = power(format, format.min_exponent);
    let root_of_max = power(format, (format.max_exponent + 1) / 2);
    let root_of_normal = power(format, format.min_exponent / 2);
    let magnitude = match choice >> 1 & 31 {
        0 | 1 => 0,
        2 => one,
        3 => one + 1,
        4 => one - 1,
        // Beyond it, adding one changes nothing.
        5 => power(format, (format.precision as i32).min(format.max_exponent)),
        6 | 7 => greatest(format),
        8 => greatest(format) - 1,
        9 => power(format, format.max_exponent),
        10 | 11 => normal,
        12 => normal + 1,
        13 | 14 => 1,
        15 => 2,
        16 => normal - 1,
        // Squares that just overflow, and just do not.
        17 => root_of_max,
        18 => root_of_max - 1,
        // Squares that are just normal, just not, and just not zero.
        19 => root_of_normal,
        20 => root_of_normal - 1,
        21 => power(format, format.quantum().div_euclid(2) + 1),
        22 => power(format, format.quantum().div_euclid(2)),
        // A third, which has infinitely many digits.
        23 => scaled(format, 0x5555_5555_5555_5555, -64),
        24..=27 => format.infinity(),
        28 | 29 => format.nan(),
        30 => format.nan() + 1,
        _ => format.sign() - 1,
    };
    signed(format, choice & 1 == 1, magnitude)
}

/// Returns a non-negative integer near a limit that matters to a type with this maximum.
fn integer_edge(max: i128, choice: u8) -> i128 {
    let root = max.isqrt();
    match choice & 31 {
        0 => 0,
        1 | 2 => 1,
        3..=6 => max,
        7 | 8 => max - 1,
        9 => max / 2,
        10 => max / 2 + 1,
        11 | 12 => root,
        13 | 14 => root + 1,
        15 => (max / 2).isqrt() + 1,
        // The ends of narrower types, and the first integers that f16, f32 and f64 do not hold.
        16 => 127,
        17 => 128,
        18 => 255,
        19 => 256,
        20 => 2049,
        21 => 32_768,
        22 => 65_536,
        23 => (1 << 24) + 1,
        24 => 1 << 31,
        25 => 1 << 32,
        26 => (1 << 32) + 1,
        27 => (1 << 53) + 1,
        28 => (1 << 62) + 1,
        29 => root * 2 / 3,
        30 => 3,
        _ => 46_341,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::one(1, 0, 1.0)]
    #[case::cut(0x1ff_ffff, 0, 33_554_430.0)]
    #[case::fraction(3, -1, 1.5)]
    #[case::beyond(1, 128, f32::MAX)]
    #[case::least(1, -149, f32::from_bits(1))]
    #[case::too_small(1, -150, 0.0)]
    #[case::far_too_small(u64::MAX, -300, 0.0)]
    #[case::subnormal(5, -149, f32::from_bits(5))]
    #[case::least_normal(1, -126, f32::MIN_POSITIVE)]
    fn numbers_are_cut_to_the_format(#[case] significand: u64, #[case] exponent: i32, #[case] is: f32) {
        assert_eq!(scaled(FloatFormat::F32, significand, exponent), u64::from(is.to_bits()));
    }

    #[test]
    fn every_small_integer_is_itself_in_every_type() {
        for value in -9..=9_i64 {
            assert_eq!(whole(Dtype::F64, value), (value as f64).to_bits());
            assert_eq!(whole(Dtype::F32, value), u64::from((value as f32).to_bits()));
            assert_eq!(whole(Dtype::F16, value), u64::from(half::f16::from_f64(value as f64).to_bits()));
            assert_eq!(whole(Dtype::Bf16, value), u64::from(half::bf16::from_f64(value as f64).to_bits()));
            assert_eq!(whole(Dtype::I8, value), u64::from(value as u8));
            assert_eq!(whole(Dtype::U8, value), value.unsigned_abs());
        }
    }

    #[test]
    fn an_f64_is_cut_to_a_narrower_format() {
        assert_eq!(narrowed(FloatFormat::F32, 1.0 + 1e-12), u64::from(1.0_f32.to_bits()));
        assert_eq!(narrowed(FloatFormat::F64, 0.1), 0.1_f64.to_bits());
        assert_eq!(narrowed(FloatFormat::F16, 1e9), 0x7bff);
    }
}
