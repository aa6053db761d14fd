//! Tests the zoo's own rounding, which honest rows depend on.

#![allow(clippy::float_cmp, reason = "there is one right result")]

use rstest::rstest;

use super::*;

/// Draws f64s of every kind, with random low bits.
fn numbers() -> impl Iterator<Item = f64> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    (0..200_000).map(move |_| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        f64::from_bits(seed)
    })
}

#[test]
fn rounding_to_f32_is_the_processors() {
    for x in numbers().chain(numbers().map(|x| x.abs().sqrt().sqrt().sqrt())) {
        let wanted = f64::from(x as f32);
        assert!(held(x, FloatFormat::F32) == wanted || x.is_nan(), "{x:e}");
    }
}

/// Tests every number of a 16-bit type, the midpoint to the next, and the f64s on both sides of it.
#[rstest]
#[case::f16(Dtype::F16, FloatFormat::F16, f16::INFINITY.to_bits())]
#[case::bf16(Dtype::Bf16, FloatFormat::BF16, bf16::INFINITY.to_bits())]
fn rounding_to_sixteen_bits_is_to_nearest_ties_to_even(
    #[case] dtype: Dtype,
    #[case] format: FloatFormat,
    #[case] infinity: u16,
) {
    for bits in 0..u64::from(infinity) - 1 {
        let (here, next) = (read(dtype, bits), read(dtype, bits + 1));
        let middle = f64::midpoint(here, next);
        let even = if bits % 2 == 0 { here } else { next };
        assert_eq!(held(here, format).to_bits(), here.to_bits());
        assert_eq!(held(middle, format).to_bits(), even.to_bits());
        assert_eq!(held(middle.next_down(), format).to_bits(), here.to_bits());
        assert_eq!(held(middle.next_up(), format).to_bits(), next.to_bits());
        assert_eq!(held(-middle.next_up(), format).to_bits(), (-next).to_bits());
        assert_eq!(encode(dtype, here), bits);
    }
    let greatest = read(dtype, u64::from(infinity) - 1);
    let step = greatest - read(dtype, u64::from(infinity) - 2);
    assert_eq!(held(greatest + step / 2.0, format), f64::INFINITY);
    assert_eq!(held((greatest + step / 2.0).next_down(), format), greatest);
}

#[test]
fn a_power_of_two_has_its_exponent_over_the_whole_range() {
    for wanted in -1074..=1023 {
        assert_eq!(exponent(power(wanted)), wanted);
        assert_eq!(power(wanted), 2.0_f64.powi(wanted / 2) * 2.0_f64.powi(wanted - wanted / 2));
    }
    assert_eq!((power(-1075), power(1024)), (0.0, f64::INFINITY));
}

/// Tests every number of a 16-bit type, the f64 above it, and the f64 below the next.
#[rstest]
#[case::f16(Dtype::F16, FloatFormat::F16, f16::INFINITY.to_bits())]
#[case::bf16(Dtype::Bf16, FloatFormat::BF16, bf16::INFINITY.to_bits())]
fn cutting_to_sixteen_bits_never_leaves_zero(
    #[case] dtype: Dtype,
    #[case] format: FloatFormat,
    #[case] infinity: u16,
) {
    for bits in 0..u64::from(infinity) - 1 {
        let (here, next) = (read(dtype, bits), read(dtype, bits + 1));
        for x in [here, here.next_up(), f64::midpoint(here, next), next.next_down()] {
            assert_eq!(towards_zero(x, format).to_bits(), here.to_bits());
            assert_eq!(towards_zero(-x, format).to_bits(), (-here).to_bits());
        }
    }
    assert_eq!(greatest(format), read(dtype, u64::from(infinity) - 1));
    assert_eq!(towards_zero(1e300, format), greatest(format));
    assert_eq!(towards_zero(f64::INFINITY, format), f64::INFINITY);
}
