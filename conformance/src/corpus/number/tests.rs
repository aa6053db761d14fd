//! Tests spellings against bits: by table, against the standard library, and over whole types.

use std::time::{Duration, Instant};

use half::{bf16, f16};
use proptest::prelude::*;
use rstest::rstest;

use super::*;

#[rstest]
// Both are one ulp off after rounding to f64 on the way; the first even becomes infinite.
#[case::just_below_the_overflow_threshold("3.4028235677973366e38", f32::MAX)]
#[case::just_below_a_halfway_point("1.00000017881393432617187499", 1.000_000_1)]
#[case::halfway_goes_to_even_below("1.00000005960464477539062500", 1.0)]
#[case::halfway_goes_to_even_above("1.00000017881393432617187500", 1.000_000_2)]
#[case::beyond_a_long_halfway_point(
    "1.000000059604644775390625000000000000000000000000000000000001",
    1.000_000_1
)]
#[case::halfway_to_the_smallest_subnormal_is_zero("0x1p-150", 0.0)]
#[case::above_halfway_to_the_smallest_subnormal("0x1.000001p-150", 1e-45)]
#[case::hexadecimal("0x1.8p3", 12.0)]
#[case::hexadecimal_subnormal("-0x1p-149", -1e-45)]
#[case::hexadecimal_halfway_goes_to_even("0x1.000001p0", 1.0)]
#[case::hexadecimal_integer("0xfF", 255.0)]
#[case::negative_zero("-0.0", -0.0)]
#[case::negative_zero_without_point("-0", -0.0)]
#[case::too_small_keeps_its_sign("-1e-999999999", -0.0)]
#[case::a_zero_has_any_exponent("0e999999999", 0.0)]
#[case::exponent_of_any_length("1e-99999999999999999999999", 0.0)]
#[case::infinity(".inf", f32::INFINITY)]
#[case::negative_infinity("-.inf", f32::NEG_INFINITY)]
#[case::greatest("max", f32::MAX)]
#[case::least("min", f32::MIN)]
#[case::smallest_subnormal("tiny", 1e-45)]
#[case::smallest_normal("normal", f32::MIN_POSITIVE)]
#[case::bits("bits:0x3f800001", 1.000_000_1)]
fn a_float_is_rounded_once(#[case] text: &str, #[case] value: f32) {
    assert_eq!(parse(text, Dtype::F32), Ok(value.to_bits().into()), "{value:e}");
}

#[rstest]
#[case("max", Dtype::F16, u64::from(f16::MAX.to_bits()))]
#[case("min", Dtype::Bf16, u64::from(bf16::MIN.to_bits()))]
#[case("normal", Dtype::F16, u64::from(f16::MIN_POSITIVE.to_bits()))]
#[case("normal", Dtype::F64, f64::MIN_POSITIVE.to_bits())]
#[case("65519.999", Dtype::F16, u64::from(f16::MAX.to_bits()))]
#[case(".nan", Dtype::F64, f64::NAN.to_bits())]
#[case("bits:0x7fc00001", Dtype::F32, 0x7fc0_0001)]
#[case("min", Dtype::I8, 0x80)]
#[case("max", Dtype::I8, 0x7f)]
#[case("min", Dtype::U64, 0)]
#[case("max", Dtype::U64, u64::MAX)]
#[case("-1", Dtype::I16, 0xffff)]
#[case("-9223372036854775808", Dtype::I64, 1 << 63)]
#[case("18446744073709551615", Dtype::U64, u64::MAX)]
#[case("-0", Dtype::U8, 0)]
#[case("0x7f", Dtype::I8, 0x7f)]
#[case("-0x80", Dtype::I8, 0x80)]
#[case("bits:0xff", Dtype::I8, 0xff)]
fn a_number_has_these_bits(#[case] text: &str, #[case] dtype: Dtype, #[case] bits: u64) {
    assert_eq!(parse(text, dtype), Ok(bits), "{text} {dtype}");
}

#[rstest]
#[case::empty("")]
#[case::sign("-")]
#[case::plus("+1")]
#[case::two_signs("--1")]
#[case::leading_zero("01")]
#[case::leading_point(".5")]
#[case::trailing_point("5.")]
#[case::two_points("1.2.3")]
#[case::bare_exponent("1e")]
#[case::exponent_alone("e1")]
#[case::two_exponents("1e1e1")]
#[case::fraction_of_exponent("1e1.5")]
#[case::underscore("1_000")]
#[case::octal("0o17")]
#[case::binary("0b11")]
#[case::hexadecimal_prefix("0x")]
#[case::hexadecimal_capital_prefix("0X1")]
#[case::hexadecimal_without_exponent_digits("0x1p")]
#[case::hexadecimal_digit("0x1g")]
#[case::null("~")]
#[case::boolean("true")]
#[case::bare_inf("inf")]
#[case::bare_nan("nan")]
#[case::capital_nan(".NaN")]
#[case::signed_nan("-.nan")]
#[case::space("1 ")]
#[case::inner_space("1 2")]
#[case::other_digits("١")]
#[case::bits_without_digits("bits:0x")]
#[case::bits_in_decimal("bits:12")]
#[case::signed_bits("bits:0x+1")]
fn what_is_no_number_is_refused(#[case] text: &str) {
    for dtype in Dtype::ALL {
        assert_eq!(parse(text, dtype), Err(NumberError::Syntax), "{text} {dtype}");
    }
}

#[rstest]
#[case::halfway_to_infinity("3.4028235677973367e38", Dtype::F32, NumberError::OutOfRange(Dtype::F32))]
#[case::hostile_exponent("1e999999999", Dtype::F64, NumberError::OutOfRange(Dtype::F64))]
#[case::negative_hostile_exponent("-1e999999999", Dtype::F64, NumberError::OutOfRange(Dtype::F64))]
#[case::hostile_hexadecimal_exponent("0x1p999999999", Dtype::F64, NumberError::OutOfRange(Dtype::F64))]
#[case::f16_halfway_to_infinity("65520", Dtype::F16, NumberError::OutOfRange(Dtype::F16))]
#[case::above("128", Dtype::I8, NumberError::OutOfRange(Dtype::I8))]
#[case::below("-129", Dtype::I8, NumberError::OutOfRange(Dtype::I8))]
#[case::negative("-1", Dtype::U64, NumberError::OutOfRange(Dtype::U64))]
#[case::above_64_bits("18446744073709551616", Dtype::U64, NumberError::OutOfRange(Dtype::U64))]
#[case::fraction("1.5", Dtype::I32, NumberError::NotAnInteger(Dtype::I32))]
#[case::whole_fraction("1.0", Dtype::I32, NumberError::NotAnInteger(Dtype::I32))]
#[case::exponent("1e2", Dtype::I32, NumberError::NotAnInteger(Dtype::I32))]
#[case::hexadecimal_exponent("0x1p4", Dtype::I32, NumberError::NotAnInteger(Dtype::I32))]
#[case::hostile_fraction("1e999999999", Dtype::I32, NumberError::NotAnInteger(Dtype::I32))]
#[case::nan(".nan", Dtype::I32, NumberError::NotAnInteger(Dtype::I32))]
#[case::infinity("-.inf", Dtype::U8, NumberError::NotAnInteger(Dtype::U8))]
#[case::smallest_subnormal("tiny", Dtype::I32, NumberError::NotAnInteger(Dtype::I32))]
#[case::too_many_bits("bits:0x100", Dtype::U8, NumberError::TooManyBits(Dtype::U8))]
#[case::more_bits_than_any("bits:0x10000000000000000", Dtype::F64, NumberError::TooManyBits(Dtype::F64))]
fn what_a_type_cannot_hold_is_refused(#[case] text: &str, #[case] dtype: Dtype, #[case] error: NumberError) {
    assert_eq!(parse(text, dtype), Err(error));
}

#[test]
fn a_spelling_has_a_longest_length() {
    let digits = |count: usize| format!("0.{}", "3".repeat(count - 2));
    assert_eq!(parse(&digits(MAX_LENGTH), Dtype::F64), Ok((1.0_f64 / 3.0).to_bits()));
    assert_eq!(parse(&digits(MAX_LENGTH + 1), Dtype::F64), Err(NumberError::TooLong));
}

#[test]
fn the_longest_halfway_point_is_read_to_its_last_digit() {
    // 2^-1075 in plain decimals: half the smallest f64.
    let halfway = BigUint::from(5_u8).pow(1075).to_string();
    let halfway = format!("0.{}{halfway}", "0".repeat(1075 - halfway.len()));
    assert_eq!(parse(&halfway, Dtype::F64), Ok(0));
    assert_eq!(parse(&format!("{halfway}1"), Dtype::F64), Ok(1));
}

#[test]
fn an_exponent_costs_nothing_however_great() {
    let start = Instant::now();
    for text in ["1e999999999", "1e-999999999", "0x1p999999999", "0x1p-999999999", "1e2147483648"] {
        for _ in 0..1000 {
            let _ = parse(text, Dtype::F64);
            let _ = parse_root(text, Dtype::F64);
        }
    }
    // Computing 10^999999999 even once takes longer than this.
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn every_16_bit_float_is_read_back_as_printed() {
    let printed = |value: f64| if value.is_infinite() { ".inf".to_owned() } else { format!("{value:e}") };
    for bits in 0..=u16::MAX {
        let (half, brain) = (f16::from_bits(bits), bf16::from_bits(bits));
        for (value, is_nan, dtype) in
            [(half.to_f64(), half.is_nan(), Dtype::F16), (brain.to_f64(), brain.is_nan(), Dtype::Bf16)]
        {
            if !is_nan && value != f64::NEG_INFINITY {
                assert_eq!(parse(&printed(value), dtype), Ok(bits.into()), "{value:e} {dtype}");
            }
            assert_eq!(parse(&format!("bits:{bits:#x}"), dtype), Ok(bits.into()));
        }
    }
}

#[test]
fn roots_and_halfway_points_of_f16_are_rounded_from_the_exact_value() {
    for bits in 0..f16::MAX.to_bits() {
        let (below, above) = (f16::from_bits(bits).to_f64(), f16::from_bits(bits + 1).to_f64());
        let middle = f64::midpoint(below, above);
        let even = u64::from(bits + bits % 2);
        assert_eq!(parse(&format!("{middle:.60e}"), Dtype::F16), Ok(even), "{middle:e}");
        // Every middle is a multiple of 2^-25.
        let root = (middle * 2_f64.powi(25)) as u128;
        let exact = format!("0x{:x}p-50", root * root);
        assert_eq!(parse_root(&exact, Dtype::F16), Ok(even), "root of {exact}");
        // A little more, in a decimal that no power of two divides: the remainder alone decides.
        let digits = BigUint::from(root * root) * BigUint::from(5_u8).pow(50);
        let more = format!("{digits}{}1e-81", "0".repeat(30));
        assert_eq!(parse_root(&more, Dtype::F16), Ok(u64::from(bits) + 1), "root of {more}");
    }
}

#[rstest]
#[case::perfect_square("25", Dtype::F32, 5f32.to_bits().into())]
#[case::irrational("2", Dtype::F64, std::f64::consts::SQRT_2.to_bits())]
#[case::decimal("2.25", Dtype::F32, 1.5f32.to_bits().into())]
#[case::decimal_that_is_no_dyadic("0.01", Dtype::F64, 0.1f64.to_bits())]
#[case::tiny_radicand("1e-640", Dtype::F64, 1e-320f64.to_bits())]
#[case::radicand_beyond_f64("1e616", Dtype::F64, 1e308f64.to_bits())]
#[case::zero("0", Dtype::F32, 0)]
#[case::below_any_float("1e-999999999", Dtype::F64, 0)]
#[case::integer("144", Dtype::I8, 12)]
#[case::radicand_beyond_the_type("16129", Dtype::I8, 127)]
#[case::radicand_beyond_64_bits("340282366920938463426481119284349108225", Dtype::U64, u64::MAX)]
fn a_root_is_rounded_from_the_exact_radicand(#[case] text: &str, #[case] dtype: Dtype, #[case] bits: u64) {
    assert_eq!(parse_root(text, dtype), Ok(bits));
}

#[rstest]
#[case("-4", Dtype::F32, NumberError::NegativeRadicand)]
#[case("-0", Dtype::F32, NumberError::NegativeRadicand)]
#[case("2", Dtype::I32, NumberError::NotASquare(Dtype::I32))]
#[case("16384", Dtype::I8, NumberError::OutOfRange(Dtype::I8))]
#[case("4.0", Dtype::I32, NumberError::NotAnInteger(Dtype::I32))]
#[case("1e78", Dtype::F32, NumberError::OutOfRange(Dtype::F32))]
#[case("1e999999999", Dtype::F64, NumberError::OutOfRange(Dtype::F64))]
#[case("max", Dtype::F32, NumberError::Syntax)]
#[case(".inf", Dtype::F32, NumberError::Syntax)]
#[case("bits:0x1", Dtype::F32, NumberError::Syntax)]
fn a_radicand_without_such_a_root_is_refused(
    #[case] text: &str,
    #[case] dtype: Dtype,
    #[case] error: NumberError,
) {
    assert_eq!(parse_root(text, dtype), Err(error));
}

#[rstest]
#[case::zero(0, i32::MIN, Dtype::F16, Ok(0))]
#[case::negative(-3, -1, Dtype::F32, Ok((-1.5f32).to_bits().into()))]
#[case::smallest(1, -149, Dtype::F32, Ok(1))]
#[case::below_the_smallest(1, -150, Dtype::F32, Err(NumberError::Inexact(Dtype::F32)))]
#[case::even_below_the_smallest(2, -150, Dtype::F32, Ok(1))]
#[case::greatest(0xff_ffff, 104, Dtype::F32, Ok(f32::MAX.to_bits().into()))]
#[case::beyond_the_greatest(1, 128, Dtype::F32, Err(NumberError::Inexact(Dtype::F32)))]
#[case::one_bit_too_many(0x100_0001, 0, Dtype::F32, Err(NumberError::Inexact(Dtype::F32)))]
#[case::least_integer(-128, 0, Dtype::I8, Ok(0x80))]
#[case::scaled_integer(-1, 7, Dtype::I8, Ok(0x80))]
#[case::beyond_the_integers(1, 7, Dtype::I8, Err(NumberError::Inexact(Dtype::I8)))]
#[case::divided_integer(12, -2, Dtype::I8, Ok(3))]
#[case::fraction(12, -3, Dtype::I8, Err(NumberError::Inexact(Dtype::I8)))]
#[case::least_of_all(i64::MIN, 0, Dtype::I64, Ok(1 << 63))]
#[case::absurd_scale(1, i32::MAX, Dtype::F64, Err(NumberError::Inexact(Dtype::F64)))]
#[case::absurd_division(i64::MIN, i32::MIN, Dtype::I64, Err(NumberError::Inexact(Dtype::I64)))]
fn a_dyadic_is_exact_or_refused(
    #[case] integer: i64,
    #[case] scale: i32,
    #[case] dtype: Dtype,
    #[case] bits: Result<u64, NumberError>,
) {
    assert_eq!(dyadic(integer, scale, dtype), bits);
}

fn decimal() -> impl Strategy<Value = String> {
    (
        any::<bool>(),
        "(0|[1-9][0-9]{0,25})(\\.[0-9]{1,40})?",
        prop_oneof![Just(None), (-420..420_i32).prop_map(Some), (-50..50_i32).prop_map(Some)],
    )
        .prop_map(|(negative, digits, exponent)| {
            let exponent = exponent.map(|exponent| format!("e{exponent}")).unwrap_or_default();
            format!("{}{digits}{exponent}", if negative { "-" } else { "" })
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_f32_is_read_back_as_printed(bits: u32) {
        let value = f32::from_bits(bits);
        prop_assume!(value.is_finite());
        prop_assert_eq!(parse(&format!("{value:e}"), Dtype::F32), Ok(bits.into()));
        prop_assert_eq!(parse(&format!("{value}"), Dtype::F32), Ok(bits.into()));
    }

    #[test]
    fn every_f64_is_read_back_as_printed(bits: u64) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        prop_assert_eq!(parse(&format!("{value:e}"), Dtype::F64), Ok(bits));
        prop_assert_eq!(parse(&format!("{value}"), Dtype::F64), Ok(bits));
    }

    #[test]
    fn every_integer_is_read_back_as_printed(value: i128) {
        for dtype in Dtype::ALL {
            if let Kind::Integer(range) = dtype.kind() {
                let value = range.wrap(value >> 2);
                prop_assert_eq!(parse(&value.to_string(), dtype), Ok(range.encode(value)));
            }
        }
    }

    #[test]
    fn decimals_agree_with_the_standard_library(text in decimal()) {
        let finite = |bits, infinite, dtype| if infinite { Err(NumberError::OutOfRange(dtype)) } else { Ok(bits) };
        let single: f32 = text.parse().unwrap();
        prop_assert_eq!(parse(&text, Dtype::F32), finite(single.to_bits().into(), single.is_infinite(), Dtype::F32));
        let double: f64 = text.parse().unwrap();
        prop_assert_eq!(parse(&text, Dtype::F64), finite(double.to_bits(), double.is_infinite(), Dtype::F64));
    }

    #[test]
    fn roots_agree_with_ieee_754(bits in 0..f64::INFINITY.to_bits(), single in 0..f32::INFINITY.to_bits()) {
        let value = f64::from_bits(bits);
        let exact = format!("{value:.1100e}");
        prop_assume!(exact.len() <= MAX_LENGTH);
        prop_assert_eq!(parse_root(&exact, Dtype::F64), Ok(value.sqrt().to_bits()));
        let value = f32::from_bits(single);
        prop_assert_eq!(parse_root(&format!("{value:.200e}"), Dtype::F32), Ok(value.sqrt().to_bits().into()));
    }

    #[test]
    fn dyadics_agree_with_hexadecimals(integer: i64, scale in -1200..1200_i32) {
        let text = format!("{}0x{:x}p{scale}", if integer < 0 { "-" } else { "" }, integer.unsigned_abs());
        for dtype in [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64] {
            if let Ok(bits) = dyadic(integer, scale, dtype) {
                prop_assert_eq!(parse(&text, dtype), Ok(bits));
            }
        }
    }

    #[test]
    fn no_text_panics(text in "[-+.0-9a-fxXpPeEinmtyb:_]{0,24}|\\PC{0,12}") {
        for dtype in Dtype::ALL {
            let _ = parse(&text, dtype);
            let _ = parse_root(&text, dtype);
        }
    }
}
