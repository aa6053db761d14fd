//! The class of each float around an exact value, where a comparison in f64 cannot tell: on ties, one unit of
//! the sum beside them, under subnormal roots, and at the overflow threshold.
//!
//! Which float is nearest is derived here once more, with floats and values as integers of one unit. Nothing of
//! the reference's rounding, nor of the accuracy module, takes part.

use std::cmp::Ordering;

use normative_conformance::judge::accuracy::{Class, measure};
use normative_conformance::reference::arithmetic::{FloatArithmetic, Narrowing, Range, Subnormals};
use normative_conformance::reference::{Dtype, FloatFormat, Kind, Near, Norm, Real};
use num_bigint::BigUint;
use rstest::rstest;

use crate::honest_arithmetic::scene::draw;

/// Values of each kind, type and norm: 4 kinds, 4 types and 2 norms make 16,000.
const EACH: u64 = 500;

/// A float as a multiple of the least one, `2^quantum`; infinity as the first power of two beyond.
fn units(bits: u64, format: FloatFormat) -> BigUint {
    let fraction = format.precision - 1;
    let (field, low) = (bits >> fraction, bits & ((1 << fraction) - 1));
    match field {
        0 => low.into(),
        _ => BigUint::from(low | 1 << fraction) << (field - 1),
    }
}

/// An exact value, or what its root is taken of, in units of `2^-FINER` of the above.
#[derive(Clone, Debug)]
struct Exact {
    units: BigUint,
    root: bool,
}

/// Bits by which values are finer than the least float: those of f64 squared, and some more.
const FINER: u32 = 2200;

impl Exact {
    fn real(&self, format: FloatFormat) -> Real {
        let exponent = format.quantum() - FINER as i32;
        let exponent = if self.root { 2 * exponent } else { exponent };
        Real { significand: self.units.clone(), exponent, root: self.root }
    }

    /// Compares a number of half units with the value.
    fn cmp_halves(&self, halves: &BigUint) -> Ordering {
        let halves = halves << (FINER - 1);
        if self.root { (&halves * &halves).cmp(&self.units) } else { halves.cmp(&self.units) }
    }

    /// The class of each float around the value, and the greatest float that is not above it.
    fn classes(&self, format: FloatFormat) -> (u64, Class, Class) {
        let (mut below, mut above) = (0, format.infinity() + 1);
        while above - below > 1 {
            let middle = below.midpoint(above);
            let order = self.cmp_halves(&(units(middle, format) << 1_u8));
            *(if order == Ordering::Greater { &mut above } else { &mut below }) = middle;
        }
        let (low, high) = (units(below, format), units(below + 1, format));
        let even = below.is_multiple_of(2);
        let to_below = match self.cmp_halves(&(&low + high)) {
            _ if below == format.infinity() || self.cmp_halves(&(low << 1_u8)) == Ordering::Equal => {
                return (below, Class::CorrectlyRounded, Class::AnyOrder);
            }
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => even,
        };
        let (nearest, other) = (Class::CorrectlyRounded, Class::Faithful);
        if to_below { (below, nearest, other) } else { (below, other, nearest) }
    }
}

/// The value halfway between a float and the next, moved by some units of its sum.
fn beside_a_tie(bits: u64, format: FloatFormat, root: bool, moved: i8, finest: u32) -> Exact {
    let tie = (units(bits, format) + units(bits + 1, format)) << (FINER - 1);
    let tie = if root { &tie * &tie } else { tie };
    // The unit of a sum: of `finest` bits below the least float, squared under a root.
    let unit = BigUint::from(1_u8) << if root { 2 * (FINER - finest) } else { FINER - finest };
    let units = match moved {
        0 => tie,
        1.. => tie + unit,
        _ => tie - unit,
    };
    Exact { units, root }
}

#[derive(Clone, Copy, Debug)]
enum Data {
    Ties,
    BesideTies,
    Subnormal,
    Threshold,
}

fn value(kind: Data, format: FloatFormat, root: bool, seed: u64) -> Exact {
    let random = |i, below| draw(seed, i) % below;
    let (infinity, least_normal) = (format.infinity(), 1 << (format.precision - 1));
    let moved = random(1, 2) as i8 * 2 - 1;
    // From as fine as the least float to far finer: of f64, down to the square of the least.
    let finest = random(2, 1100) as u32 + 1;
    match kind {
        Data::Ties => beside_a_tie(random(0, infinity), format, root, 0, 1),
        Data::BesideTies => beside_a_tie(random(0, infinity), format, root, moved, finest),
        Data::Subnormal => {
            let moved = random(3, 3) as i8 - 1;
            beside_a_tie(random(0, least_normal), format, root, moved, finest)
        }
        Data::Threshold => {
            // Around the greatest float, around what is rounded to infinity, and around infinity itself.
            let at = (units(infinity, format) << 1_u8)
                - random(4, 3) * (units(infinity, format) - units(infinity - 1, format));
            let at = at << (FINER - 1);
            let at = if root { &at * &at } else { at };
            let unit = BigUint::from(1_u8) << (FINER - finest);
            let units = match random(5, 3) {
                0 => at,
                1 => at + unit,
                _ => at - unit,
            };
            Exact { units, root }
        }
    }
}

#[rstest]
fn each_float_around_a_value_gets_the_class_that_integers_give_it(
    #[values(Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64)] dtype: Dtype,
    #[values(Norm::L1, Norm::L2)] norm: Norm,
    #[values(Data::Ties, Data::BesideTies, Data::Subnormal, Data::Threshold)] kind: Data,
) {
    let Kind::Float(format) = dtype.kind() else { panic!() };
    // Sums of a bit more than the output, and so many terms that their bound is many times the value: no class is
    // missed because the float is beyond it.
    let wider = FloatFormat {
        precision: format.precision + 1,
        min_exponent: format.min_exponent - 9000,
        max_exponent: format.max_exponent + 9000,
    };
    let terms = (1_usize << wider.precision) / 10 * 9;
    let arithmetic = FloatArithmetic {
        squares: wider,
        sums: wider,
        root: wider,
        range: Range::Scaled,
        subnormals: Subnormals::Kept,
        narrowing: Narrowing::Nearest,
        infinity_over_nan: false,
    };
    let near = Near { dtype, shape: vec![], values: vec![], terms, norm, arithmetic };
    let mut met = [0; 2];
    for seed in 0..EACH {
        let value = value(kind, format, norm == Norm::L2, seed);
        let (below, class_below, class_above) = value.classes(format);
        let real = value.real(format);
        let class = |bits: u64| measure(&real, bits, format, &near, None).class;
        let what = format!("{dtype} {norm:?} {kind:?} {seed}: {below:#x}");
        assert_eq!(class(below), Some(class_below), "{what}");
        met[usize::from(class_below == Class::Faithful)] += 1;
        if below < format.infinity() && class_above != Class::AnyOrder {
            assert_eq!(class(below + 1), Some(class_above), "{what}");
        }
        // The next farther out are neither.
        let farther = [below.checked_sub(1), (below + 2 <= format.infinity()).then_some(below + 2)];
        for bits in farther.into_iter().flatten() {
            assert!(class(bits).is_none_or(|class| class > Class::Faithful), "{what}, {bits:#x}");
        }
    }
    assert!(met.iter().all(|&count| count > EACH / 20), "{dtype} {norm:?} {kind:?}: {met:?}");
}
