//! Vectors that are hard to sum and hard to round: the whole range of exponents, norms exactly on a border
//! where rounding turns, and norms as close beside it as possible.
//!
//! This module computes no norm. A known norm was chosen first, and its elements were found afterwards.

use std::iter::repeat_with;

use normative_reference::{FloatFormat, Norm};

use super::Random;

/// A way to make vectors.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// The number of vectors for each type and norm.
    pub(crate) count: usize,
    /// Draws the bits of some non-negative elements; NaNs are the exception.
    make: fn(&mut Random, FloatFormat, Norm) -> Vec<u64>,
}

const SHORT: usize = 9_700;
const LONG: usize = 64;

pub(crate) const KINDS: [Kind; 16] = [
    Kind { name: "full range", count: SHORT, make: full_range },
    Kind { name: "subnormals", count: SHORT, make: subnormals },
    Kind { name: "powers of two", count: SHORT, make: powers_of_two },
    Kind { name: "close together", count: SHORT, make: close_together },
    Kind { name: "far apart", count: SHORT, make: far_apart },
    Kind { name: "specials", count: SHORT, make: specials },
    Kind { name: "a number", count: SHORT, make: a_number },
    Kind { name: "carries", count: SHORT, make: carries },
    Kind { name: "halfway", count: SHORT, make: halfway },
    Kind { name: "beside halfway", count: SHORT, make: beside_halfway },
    Kind { name: "border of infinity", count: SHORT, make: border_of_infinity },
    Kind { name: "subnormal halfway", count: SHORT, make: subnormal_halfway },
    Kind { name: "halfway and a speck", count: SHORT, make: halfway_and_a_speck },
    Kind { name: "long, full range", count: LONG, make: long_full_range },
    Kind { name: "long, close together", count: LONG, make: long_close_together },
    Kind { name: "long, halfway", count: LONG, make: long_halfway },
];

impl Kind {
    /// Returns the vectors of this kind, in random order and with random signs, because neither may matter.
    pub(crate) fn vectors(&self, mut random: Random, format: FloatFormat, norm: Norm) -> Vec<Vec<u64>> {
        let one = || {
            let mut bits = (self.make)(&mut random, format, norm);
            for at in 1..bits.len() {
                bits.swap(at, random.below(at + 1));
            }
            for bits in &mut bits {
                *bits |= random.pick(&[0, format.sign()]);
            }
            bits
        };
        repeat_with(one).take(self.count).collect()
    }
}

/// Returns `count` numbers, each made anew.
fn numbers(count: usize, make: impl FnMut() -> u64) -> Vec<u64> {
    repeat_with(make).take(count).collect()
}

/// Returns the number of bits of the fraction.
fn place(format: FloatFormat) -> u32 {
    format.precision - 1
}

/// Returns the number of exponent fields of finite numbers.
fn fields(format: FloatFormat) -> u64 {
    format.infinity() >> place(format)
}

fn fraction(random: &mut Random, format: FloatFormat) -> u64 {
    random.bits() & ((1 << place(format)) - 1)
}

/// Draws any finite numbers.
fn full_range(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    numbers(random.below(20), || random.bits() % format.infinity())
}

/// Draws subnormals, and in one of three vectors a small normal number.
fn subnormals(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    let normal = 1 << place(format);
    let below = random.pick(&[normal, 16]);
    let mut bits = numbers(1 + random.below(12), || random.bits() % below);
    if random.one_in(3) {
        bits.push(normal + random.bits() % normal);
    }
    bits
}

/// Draws powers of two, some of them repeated: sums with few bits, and some ties.
fn powers_of_two(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    let from = random.bits() % fields(format);
    let range = 2 * u64::from(format.precision);
    numbers(1 + random.below(8), || (from + random.bits() % range).min(fields(format) - 1) << place(format))
}

/// Draws numbers of about one size; a loop with only a few more bits would round differently.
fn close_together(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    let count = 1 + random.below(24);
    near(random, format, count)
}

fn near(random: &mut Random, format: FloatFormat, count: usize) -> Vec<u64> {
    let field = random.bits() % (fields(format) - 3);
    numbers(count, || (field + random.bits() % 3) << place(format) | fraction(random, format))
}

/// Draws a few numbers of one size, and a few of another.
fn far_apart(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    let sizes = [random.bits() % fields(format), random.bits() % fields(format)];
    numbers(2 + random.below(10), || random.pick(&sizes) << place(format) | fraction(random, format))
}

/// Draws any numbers, with infinities, NaNs or both.
fn specials(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let mut bits = full_range(random, format, norm);
    let which = random.below(3);
    if which != 0 {
        bits.push(format.infinity());
    }
    if which != 1 {
        bits.push(format.infinity() + 1 + random.bits() % (format.sign() - format.infinity() - 1));
    }
    bits
}

/// Draws elements with a norm that is a number of the type.
fn a_number(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let scale = random.bits() % (fields(format) - 1);
    let number = random.bits() >> (64 - format.precision);
    elements(random, format, norm, power(norm, number.into()), scale)
}

/// Draws terms whose sum is a power of two, or one less or more: most of their sums carry far.
fn carries(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let range = (format.max_exponent - format.quantum()) as usize;
    let order = if norm == Norm::L1 { 1 } else { 2 };
    let log2 = 1 + random.below((order * range).min(126));
    let scale = random.below(range - log2.div_ceil(order) + 1);
    let beside = random.below(3) as u128;
    elements(random, format, norm, (1 << log2) - 1 + beside, scale as u64)
}

/// Draws elements with a norm exactly halfway between two numbers.
fn halfway(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let lower = any_with_a_half(random, format);
    border_above(random, format, norm, lower, Side::On)
}

/// Draws elements with a norm next to the midpoint of two numbers.
fn beside_halfway(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let lower = any_with_a_half(random, format);
    let side = random.pick(&[Side::Below, Side::Above]);
    border_above(random, format, norm, lower, side)
}

/// Draws elements with a norm at the border of overflow, or next to it.
fn border_of_infinity(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let side = random.pick(&[Side::Below, Side::On, Side::Above]);
    border_above(random, format, norm, format.infinity() - 1, side)
}

/// Draws subnormals whose norm is next to the midpoint of two. For L2 the norms are roots of m² + m and of
/// m² + m + 1, while the midpoint is the root of m² + m + ¼.
fn subnormal_halfway(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let m = u128::from(fraction(random, format) >> random.below(place(format) as usize));
    let target = if norm == Norm::L1 { m } else { m * m + m } + random.below(2) as u128;
    elements(random, format, norm, target, 0)
}

/// Draws elements with a norm above the midpoint of two numbers by the smallest number.
fn halfway_and_a_speck(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let mut bits = halfway(random, format, norm);
    bits.push(1);
    bits
}

/// Draws a number of elements above the 2048 of one block.
fn long(random: &mut Random) -> usize {
    2049 + random.below(2500)
}

/// Draws any finite numbers up to a random size, so that not every sum overflows.
fn long_full_range(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    let top = 1 + random.bits() % format.infinity();
    numbers(long(random), || random.bits() % top)
}

fn long_close_together(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    let count = long(random);
    near(random, format, count)
}

/// Draws terms with a norm at or next to a midpoint, mixed with zeros and, in a third, with smallest numbers.
fn long_halfway(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let lower = any_with_a_half(random, format);
    let side = random.pick(&[Side::Below, Side::On, Side::Above]);
    let mut bits = border_above(random, format, norm, lower, side);
    let specks = random.one_in(3);
    bits.extend(numbers(long(random), || u64::from(specks && random.one_in(300))));
    bits
}

/// Draws a number with a representable half unit in the last place.
fn any_with_a_half(random: &mut Random, format: FloatFormat) -> u64 {
    let smallest = 2 << place(format);
    smallest + random.bits() % (format.infinity() - smallest)
}

#[derive(Clone, Copy)]
enum Side {
    Below,
    On,
    Above,
}

/// Draws elements whose norm is the midpoint of a number and the next, or next to it on one side.
///
/// In units of half its last place the number is 2m and the midpoint 2m + 1. In finer units, one unit off the
/// midpoint is the norm for L1, and its square for L2.
fn border_above(random: &mut Random, format: FloatFormat, norm: Norm, lower: u64, side: Side) -> Vec<u64> {
    let half_ulp = (lower >> place(format)) - 2;
    let m = u128::from(lower & ((1 << place(format)) - 1) | 1 << place(format));
    // The square has at most 2 · 54 bits, which leaves room for 2 · 9 more.
    let finer = random.bits() % (half_ulp.min(9) + 1);
    let middle = power(norm, (2 * m + 1) << finer);
    let target = match side {
        Side::Below => middle - 1,
        Side::On => middle,
        Side::Above => middle + 1,
    };
    elements(random, format, norm, target, half_ulp - finer)
}

fn power(norm: Norm, x: u128) -> u128 {
    if norm == Norm::L1 { x } else { x * x }
}

/// Draws numbers whose terms add up to exactly `target`, in units of `2^scale` quanta (L1) or of their squares
/// (L2): up to four at random, then each the greatest possible.
fn elements(random: &mut Random, format: FloatFormat, norm: Norm, target: u128, scale: u64) -> Vec<u64> {
    let mut rest = target;
    let mut at_random = random.below(5);
    let mut bits = Vec::new();
    while rest > 0 {
        let most = if norm == Norm::L1 { rest } else { rest.isqrt() };
        let piece = if at_random > 0 {
            at_random -= 1;
            (u128::from(random.bits()) << 64 | u128::from(random.bits())) % most + 1
        } else {
            most
        };
        // The leading bits, as many as the significand of the format has.
        let excess = (piece.ilog2() + 1).saturating_sub(format.precision);
        let piece = piece >> excess << excess;
        bits.push(from_integer(format, piece, scale));
        rest -= power(norm, piece);
    }
    bits
}

/// Returns the bits of `integer · 2^scale` quanta, for an integer with no more significant bits than the type has.
fn from_integer(format: FloatFormat, integer: u128, scale: u64) -> u64 {
    let place = u64::from(place(format));
    let log2 = u64::from(integer.ilog2());
    if log2 + scale < place {
        return (integer as u64) << scale;
    }
    let significand = if log2 > place { integer >> (log2 - place) } else { integer << (place - log2) };
    // The hidden bit adds one to the exponent field.
    ((log2 + scale - place) << place) + significand as u64
}
