//! Tests the class of each float around an exact value where f64 cannot decide: on ties, one unit of the sum
//! beside them, under subnormal roots, and at the overflow threshold.
//!
//! The nearest float is derived here independently, with floats and values as integers of one unit, without
//! the reference's rounding or the accuracy module.

use std::cmp::Ordering;

use normative_conformance::judge::accuracy::{Class, measure};
use normative_conformance::random::splitmix64;
use normative_conformance::reference::arithmetic::{FloatArithmetic, Narrowing, Range, Subnormals};
use normative_conformance::reference::{Dtype, FloatFormat, Kind, Near, Norm, Real};
use num_bigint::BigUint;
use rstest::rstest;

/// The number of values of each kind, type and norm: 4 kinds, 4 types and 2 norms make 16,000.
const EACH: u64 = 500;

/// Returns a float as a multiple of the least one, `2^quantum`; infinity as the next power of two.
fn units(bits: u64, format: FloatFormat) -> BigUint {
    let fraction = format.precision - 1;
    let (field, low) = (bits >> fraction, bits & ((1 << fraction) - 1));
    match field {
        0 => low.into(),
        _ => BigUint::from(low | 1 << fraction) << (field - 1),
    }
}

/// An exact value, or its square, in units of `2^-FINER` of the least float.
#[derive(Clone, Debug)]
struct Exact {
    units: BigUint,
    root: bool,
}

/// The bits below the least float: more than the square of an f64 needs.
const FINER: u32 = 2200;

impl Exact {
    fn real(&self, format: FloatFormat) -> Real {
        let exponent = format.quantum() - FINER as i32;
        let exponent = if self.root { 2 * exponent } else { exponent };
        Real { significand: self.units.clone(), exponent, root: self.root, negative: false }
    }

    /// Compares a number of half units with the value.
    fn cmp_halves(&self, halves: &BigUint) -> Ordering {
        let halves = halves << (FINER - 1);
        if self.root { (&halves * &halves).cmp(&self.units) } else { halves.cmp(&self.units) }
    }

    /// Returns the greatest float that is not above the value, and the classes of it and of the next.
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

/// Returns the value halfway between a float and the next, moved by some units of its sum.
fn beside_a_tie(bits: u64, format: FloatFormat, root: bool, moved: i8, finest: u32) -> Exact {
    let tie = (units(bits, format) + units(bits + 1, format)) << (FINER - 1);
    let tie = if root { &tie * &tie } else { tie };
    // The unit of a sum, `finest` bits below the least float, squared under a root.
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
    let random = |i, below| splitmix64(seed, i) % below;
    let (infinity, least_normal) = (format.infinity(), 1 << (format.precision - 1));
    let moved = random(1, 2) as i8 * 2 - 1;
    // From the least float to far below it: for f64, down to the square of the least.
    let finest = random(2, 1100) as u32 + 1;
    match kind {
        Data::Ties => beside_a_tie(random(0, infinity), format, root, 0, 1),
        Data::BesideTies => beside_a_tie(random(0, infinity), format, root, moved, finest),
        Data::Subnormal => {
            let moved = random(3, 3) as i8 - 1;
            beside_a_tie(random(0, least_normal), format, root, moved, finest)
        }
        Data::Threshold => {
            // Around the greatest float, the overflow threshold, and infinity itself.
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
    // Sums with one bit more than the output, and so many terms that the bound is many times the value: so no
    // float is beyond the bound.
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
    let near = Near { dtype, shape: vec![], values: vec![], terms, norm, arithmetic, parts: vec![] };
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
        // The floats beyond these two are in neither class.
        let farther = [below.checked_sub(1), (below + 2 <= format.infinity()).then_some(below + 2)];
        for bits in farther.into_iter().flatten() {
            assert!(class(bits).is_none_or(|class| class > Class::Faithful), "{what}, {bits:#x}");
        }
    }
    assert!(met.iter().all(|&count| count > EACH / 20), "{dtype} {norm:?} {kind:?}: {met:?}");
}
