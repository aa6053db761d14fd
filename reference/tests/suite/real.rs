//! Tests exact reals as numbers: equality, zero, and the powers of two on both sides.

use normative_reference::{FloatFormat, Real, real};
use num_bigint::BigUint;
use rstest::rstest;

fn number(significand: u32, exponent: i32) -> Real {
    Real { significand: BigUint::from(significand), exponent, root: false, negative: false }
}

fn root(significand: u32, exponent: i32) -> Real {
    Real { significand: BigUint::from(significand), exponent, root: true, negative: false }
}

#[rstest]
#[case::itself(number(5, 3), number(5, 3))]
#[case::split_otherwise(number(12, 0), number(3, 2))]
#[case::split_otherwise_below_one(number(12, -4), number(3, -2))]
#[case::split_on_both_sides_of_one(number(12, -1), number(3, 1))]
#[case::roots_split_otherwise(root(12, -4), root(3, -2))]
#[case::zeros_of_any_exponent(number(0, 5), number(0, -5))]
#[case::the_root_of_zero(number(0, 0), root(0, 2))]
fn reals_of_one_value_are_equal(#[case] one: Real, #[case] other: Real) {
    assert_eq!(one, other);
    assert_eq!(other, one);
}

#[rstest]
#[case::significands_differ(number(3, 2), number(5, 2))]
#[case::exponents_differ(number(3, 2), number(3, 1))]
#[case::a_number_and_its_root(number(3, 2), root(3, 2))]
#[case::zero_and_one(number(0, 0), number(1, 0))]
#[case::the_root_of_zero_and_one(root(0, 0), number(1, 0))]
#[case::roots_differ(root(3, 2), root(5, 2))]
fn reals_of_different_values_are_not_equal(#[case] one: Real, #[case] other: Real) {
    assert_ne!(one, other);
    assert_ne!(other, one);
}

#[rstest]
#[case::zero(Real::zero(), true)]
#[case::root_of_zero(root(0, 4), true)]
#[case::least(number(1, -2000), false)]
#[case::root(root(1, -2000), false)]
fn only_zero_is_zero(#[case] real: Real, #[case] zero: bool) {
    assert_eq!(real.is_zero(), zero);
}

#[rstest]
#[case::zero(Real::zero(), None)]
#[case::one(number(1, 0), Some(0))]
#[case::next_below_a_power(number(7, 3), Some(5))]
#[case::power(number(8, 3), Some(6))]
#[case::below_one(number(7, -5), Some(-3))]
#[case::root_of_an_even_power(root(1, -6), Some(-3))]
#[case::root_between_powers_below_one(root(2, -4), Some(-2))]
#[case::root_between_powers_above_one(root(5, 4), Some(3))]
fn a_real_lies_between_its_power_of_two_and_the_next(#[case] real: Real, #[case] log2: Option<i64>) {
    assert_eq!(real.floor_log2(), log2);
}

#[rstest]
#[case::few_bits(3, 5, 96.0)]
#[case::one_bit(1, 20, 1_048_576.0)]
#[case::as_many_bits_as_are_kept(0xff_ffff, 3, 134_217_720.0)]
fn a_number_of_fewer_bits_than_the_format_is_itself(
    #[case] significand: u32,
    #[case] exponent: i32,
    #[case] value: f32,
) {
    let real = number(significand, exponent);
    assert_eq!(real.round(FloatFormat::F32), value.to_bits().into());
    assert_eq!(real.round(FloatFormat::F64), f64::from(value).to_bits());
}

/// f16 keeps 11 of these 24 bits, counted from 2^0 down.
#[rstest]
#[case::a_tie_to_even(1 << 23 | 1 << 12, false, 0x3c00)]
#[case::a_tie_from_odd(1 << 23 | 3 << 12, false, 0x3c02)]
#[case::more_than_a_tie(1 << 23 | 1 << 12, true, 0x3c01)]
#[case::a_number(1 << 23 | 1 << 13, false, 0x3c01)]
#[case::a_little_more_than_a_number(1 << 23 | 1 << 13, true, 0x3c01)]
fn what_was_left_out_decides_a_tie(#[case] significand: u32, #[case] inexact: bool, #[case] bits: u64) {
    assert_eq!(real::round(FloatFormat::F16, &BigUint::from(significand), -23, inexact), bits);
}
