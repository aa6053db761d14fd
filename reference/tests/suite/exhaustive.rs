//! Checks whole spaces instead of samples: every 16-bit float alone, every pair of 8-bit floats, and every place
//! between two neighbours where rounding turns.
//!
//! Tensors are evaluated; an 8-bit float is not an element type, so only the definition takes it. The expected
//! values are made here, from the bits, by integers that fit a machine word, without code of the crate under test.

use std::cmp::Ordering;

use normative_reference::exact::{self, Variant, norm_of};
use normative_reference::{Dims, Dtype, Elements, FloatFormat, Kind, Norm, Real, Reduction, Tensor, Value};
use num_bigint::BigUint;
use rstest::rstest;

use crate::common::Random;

/// The layout of IEEE 754 in eight bits: 1 sign, 4 exponent, 3 fraction.
const EIGHT_BITS: FloatFormat = FloatFormat { precision: 4, min_exponent: -6, max_exponent: 7 };

#[rstest]
fn norm_of_a_single_16_bit_float_is_its_absolute_value(
    #[values(Dtype::F16, Dtype::Bf16)] dtype: Dtype,
    #[values(Norm::L1, Norm::L2)] norm: Norm,
) {
    let Kind::Float(format) = dtype.kind() else { panic!("{dtype} is a float") };
    let infinity = if dtype == Dtype::F16 { 0x7c00 } else { 0x7f80 };
    let all: Vec<u64> = (0..=u64::from(u16::MAX)).collect();
    // Tensors of one element; then one tensor with each number as a column, as a row, and not reduced at all.
    let alone = all.iter().flat_map(|&bits| norms(dtype, &[1], &[0], norm, &[bits])).collect();
    let shapes: [(&[usize], &[usize]); 3] = [(&[1, 1 << 16], &[0]), (&[1 << 16, 1], &[1]), (&[1 << 16], &[])];
    let mut answers: Vec<Vec<Value>> = vec![alone];
    answers.extend(shapes.map(|(shape, axes)| norms(dtype, shape, axes, norm, &all)));
    for values in answers {
        assert_eq!(values.len(), all.len(), "one output for each");
        for (bits, value) in all.iter().zip(values) {
            let (rounded, magnitude) = (value.round(format), bits & 0x7fff);
            if magnitude > infinity {
                assert!(rounded & 0x7fff > infinity, "{norm:?} of NaN {bits:#06x} is {rounded:#06x}");
            } else {
                assert_eq!(rounded, magnitude, "{norm:?} of {bits:#06x}");
            }
        }
    }
}

fn norms(dtype: Dtype, shape: &[usize], axes: &[usize], norm: Norm, bits: &[u64]) -> Vec<Value> {
    let data = Tensor::from_bits(dtype, shape, bits).unwrap();
    let reduction = Reduction { norm, axes: axes.to_vec(), dims: Dims::Drop, elements: Elements::All };
    exact::evaluate(&data, &reduction, Variant::default())
}

/// An 8-bit float's absolute value, in units of the smallest subnormal.
#[derive(Clone, Copy, PartialEq)]
enum Eighth {
    Finite(u64),
    Infinite,
    Nan,
}

fn decode(bits: u64) -> Eighth {
    match (bits >> 3 & 0xf, bits & 7) {
        (15, 0) => Eighth::Infinite,
        (15, _) => Eighth::Nan,
        (0, fraction) => Eighth::Finite(fraction),
        (field, fraction) => Eighth::Finite((8 + fraction) << (field - 1)),
    }
}

/// Returns the bits of the finite 8-bit float nearest to a value, or of infinity, by trying all candidates.
/// `against(n)` compares the value with n / 2.
fn nearest(against: impl Fn(u64) -> Ordering) -> u64 {
    let finite = |bits| match decode(bits) {
        Eighth::Finite(value) => value,
        _ => panic!("{bits:#x} is finite"),
    };
    // The greatest number is 15 · 2^13 and its ulp is 2^13; from half an ulp above it, values round to infinity.
    let overflow = 2 * 15 * (1 << 13) + (1 << 13);
    if against(overflow) != Ordering::Less {
        return 0x78;
    }
    let mut best = 0;
    for candidate in 1..0x78 {
        match against(finite(best) + finite(candidate)) {
            Ordering::Greater => best = candidate,
            Ordering::Equal if candidate % 2 == 0 => best = candidate,
            Ordering::Equal | Ordering::Less => {}
        }
    }
    best
}

fn nearest_norm(norm: Norm, a: u64, b: u64) -> u64 {
    match norm {
        Norm::L1 => nearest(|twice| (2 * (a + b)).cmp(&twice)),
        Norm::L2 => nearest(|twice| (4 * (a * a + b * b)).cmp(&(twice * twice))),
        // A square counts units of 2^-18, a number units of 2^-9.
        Norm::SumSquare => nearest(|twice| (2 * (a * a + b * b)).cmp(&(twice * 512))),
        Norm::Sum => unreachable!("a sum has signs"),
    }
}

#[rstest]
fn norm_of_every_pair_of_8_bit_floats_is_the_nearest(
    #[values(Norm::L1, Norm::L2, Norm::SumSquare)] norm: Norm,
) {
    let (mut exact_halves, mut overflows) = (0, 0);
    for (a, b) in (0..256).flat_map(|a| (0..256).map(move |b| (a, b))) {
        let value = norm_of(norm, [EIGHT_BITS.magnitude(a), EIGHT_BITS.magnitude(b)]);
        let rounded = value.round(EIGHT_BITS);
        match (decode(a), decode(b)) {
            (Eighth::Nan, _) | (_, Eighth::Nan) => {
                assert!((0x79..=0x7f).contains(&rounded), "{norm:?} of {a:#x}, {b:#x}: {rounded:#x}");
            }
            (Eighth::Infinite, _) | (_, Eighth::Infinite) => {
                assert_eq!(rounded, 0x78, "{norm:?} of {a:#x}, {b:#x}");
            }
            (Eighth::Finite(x), Eighth::Finite(y)) => {
                let expected = nearest_norm(norm, x, y);
                assert_eq!(rounded, expected, "{norm:?} of {a:#x}, {b:#x}");
                overflows += u32::from(expected == 0x78);
                exact_halves += u32::from(is_halfway(norm, x, y, expected));
            }
        }
    }
    // Otherwise the test would not have met ties and overflow.
    assert!(exact_halves > 100 && overflows > 100, "{exact_halves} ties, {overflows} overflows");
}

/// Returns true if the norm lies exactly between the number with these bits and a neighbour.
fn is_halfway(norm: Norm, x: u64, y: u64, bits: u64) -> bool {
    let sums = [bits.checked_sub(1), Some(bits + 1)].into_iter().flatten().filter_map(|other| {
        match (decode(bits), decode(other)) {
            (Eighth::Finite(one), Eighth::Finite(other)) => Some(one + other),
            _ => None,
        }
    });
    sums.into_iter().any(|twice| match norm {
        Norm::L1 => 2 * (x + y) == twice,
        Norm::L2 => 4 * (x * x + y * y) == twice * twice,
        Norm::SumSquare => 2 * (x * x + y * y) == twice * 512,
        Norm::Sum => unreachable!("a sum has signs"),
    })
}

/// Returns `significand · 2^exponent` of the non-negative finite float with these bits.
fn parts(format: FloatFormat, bits: u64) -> (u64, i32) {
    let fraction = format.precision - 1;
    let quantum = format.min_exponent - fraction as i32;
    let significand = bits & ((1 << fraction) - 1);
    match bits >> fraction {
        0 => (significand, quantum),
        field => (significand | 1 << fraction, quantum + field as i32 - 1),
    }
}

/// Lists the bits to try: all of them in 16 bits; in wider formats all powers of two, both ends, the border
/// of the subnormals, and 20,000 at random.
fn numbers(format: FloatFormat) -> Vec<u64> {
    let finite = format.infinity();
    if finite <= 0x7fff {
        return (0..finite).collect();
    }
    let normal = 1_u64 << (format.precision - 1);
    let powers = (0..finite).step_by(normal as usize);
    let mut random = Random(2008);
    let mut numbers: Vec<u64> = powers.flat_map(|bits| bits.saturating_sub(2)..bits + 2).collect();
    numbers.extend((0..64).chain(normal - 64..normal + 64).chain(finite - 64..finite));
    numbers.extend((0..20_000).map(|_| random.bits() % finite));
    numbers
}

#[rstest]
#[case::f16(FloatFormat::F16)]
#[case::bf16(FloatFormat::BF16)]
#[case::f32(FloatFormat::F32)]
#[case::f64(FloatFormat::F64)]
#[case::eight_bits(EIGHT_BITS)]
fn rounding_turns_exactly_halfway_between_neighbours(#[case] format: FloatFormat) {
    for bits in numbers(format) {
        let (significand, exponent) = parts(format, bits);
        // The upper neighbour has the next bits, even if it is infinity, so the border lies half a unit of
        // the last place above.
        let halfway = BigUint::from(2 * u128::from(significand) + 1);
        let real = |significand, exponent, root| Real { significand, exponent, root, negative: false };
        let tie_to_even = bits + bits % 2;

        let number = real(BigUint::from(significand), exponent, false);
        assert_eq!(number.round(format), bits, "a number of the format");
        assert_eq!(real(halfway.clone(), exponent - 1, false).round(format), tie_to_even, "{bits:#x}");
        for place in [1, 63, 64, 65, 1000] {
            let split = real(&halfway << place, exponent - 1 - place, false);
            assert_eq!(split.round(format), tie_to_even, "{bits:#x} {place}");
            let below = (&halfway << place) - 1_u8;
            assert_eq!(real(below, exponent - 1 - place, false).round(format), bits, "{bits:#x} {place}");
            let above = (&halfway << place) + 1_u8;
            assert_eq!(real(above, exponent - 1 - place, false).round(format), bits + 1, "{bits:#x} {place}");
        }

        let square = &halfway * &halfway;
        let exponent = 2 * (exponent - 1);
        assert_eq!(real(square.clone(), exponent, true).round(format), tie_to_even, "root, {bits:#x}");
        for place in [0, 2, 64, 1000] {
            let below = (&square << place) - 1_u8;
            assert_eq!(real(below, exponent - place, true).round(format), bits, "root, {bits:#x} {place}");
            let above = (&square << place) + 1_u8;
            assert_eq!(
                real(above, exponent - place, true).round(format),
                bits + 1,
                "root, {bits:#x} {place}"
            );
        }
    }
}
