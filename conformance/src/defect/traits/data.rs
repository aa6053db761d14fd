//! Traits of a call's data: the kinds, sizes and places of their elements.

use std::borrow::Cow;

use normative_reference::{Call, Dtype, Expected, Kind, Magnitude, Reduction, Tensor, Term};

use super::{NO_DATA, Quantity, REFUSABLE, Trait, say};
use crate::judge::verdict::{Entry, Sheet};

/// Adds the size of the greatest sum of integers. Sums in f64 are near enough for its bits.
pub(super) fn of_sums(call: &Call, reduction: &Reduction, traits: &mut Vec<Trait>) {
    let Kind::Integer(range) = call.data.dtype().kind() else { return };
    let data = reduction.operand(&call.data);
    let terms = reduction.terms(data.shape());
    if terms == 0 {
        return;
    }
    let term = |&bits: &u64| {
        let magnitude = range.decode(bits).unsigned_abs() as f64;
        if reduction.norm.term() == Term::Square { magnitude * magnitude } else { magnitude }
    };
    let elements = data.bits_by(&reduction.outer_to_inner(data.rank()));
    let sums = elements.chunks(terms).map(|run| run.iter().map(term).sum::<f64>());
    let greatest = sums.fold(0.0, f64::max);
    traits.extend(Quantity::SumBits.traits(if greatest < 1.0 { 0 } else { greatest.log2() as u64 + 1 }));
    // A result is no greater than its sum, so most calls need no exact value.
    traits.extend((greatest >= range.max as f64 && may_be_refused(call)).then_some(REFUSABLE));
}

/// Returns true if some reading refuses the call because its type does not hold the result.
fn may_be_refused(call: &Call) -> bool {
    let refuses = |entry: &Entry| matches!(&entry.expected, Expected::Rejection(clause) if clause.name == "output-type");
    Sheet::of(call).is_ok_and(|sheet| sheet.entries.iter().any(refuses))
}

/// Adds the places of special elements.
fn of_places(data: &Tensor, traits: &mut Vec<Trait>) {
    let (dtype, bits) = (data.dtype(), data.bits());
    let magnitudes: Vec<Magnitude> = bits.iter().map(|&bits| dtype.magnitude(bits)).collect();
    let Some(first) = magnitudes.first() else { return };
    let is_zero = |one: &Magnitude| matches!(one, Magnitude::Finite { significand: 0, .. });
    say(traits, magnitudes.iter().all(is_zero), "only zeros");
    say(traits, is_zero(first), "the first element is 0");
    say(traits, *first == Magnitude::Nan, "the first element is NaN");
    say(traits, *first == Magnitude::Infinite, "the first element is infinite");
}

/// Adds the order of special elements within a sum.
pub(super) fn of_runs(call: &Call, reduction: &Reduction, traits: &mut Vec<Trait>) {
    let data = reduction.operand(&call.data);
    let (dtype, terms) = (data.dtype(), reduction.terms(data.shape()));
    if terms == 0 {
        say(traits, reduction.outputs(data.shape()) > 0, "a norm of 0");
        return;
    }
    let elements = data.bits_by(&reduction.outer_to_inner(data.rank()));
    let (mut zeros, mut zero, mut infinities, mut first, mut all) = (false, false, false, false, false);
    let mut below = false;
    for run in elements.chunks(terms) {
        let magnitudes: Vec<Magnitude> = run.iter().map(|&bits| dtype.magnitude(bits)).collect();
        let is_zero = |one: &Magnitude| matches!(one, Magnitude::Finite { significand: 0, .. });
        all |= magnitudes.iter().all(is_zero);
        first |= terms > 1 && is_zero(&magnitudes[0]);
        let nan = magnitudes.iter().position(|one| *one == Magnitude::Nan);
        zeros |= nan.is_some_and(|at| at > 0 && magnitudes[..at].iter().all(is_zero));
        zero |= nan.is_some() && is_zero(&magnitudes[0]);
        below |= is_below_normal(dtype, run) && !magnitudes.iter().all(is_zero);
        infinities |= magnitudes.iter().filter(|one| **one == Magnitude::Infinite).count() > 1;
    }
    say(traits, all, "a norm of 0");
    say(traits, first, "a sum that begins with 0");
    say(traits, zeros, "a NaN after zeros");
    say(traits, zero, "a sum that begins with 0 and has a NaN");
    say(traits, infinities, "two infinities in a sum");
    say(traits, below, "a sum whose greatest number is subnormal");
}

/// Returns true if each of these is a subnormal number or zero.
fn is_below_normal(dtype: Dtype, run: &[u64]) -> bool {
    let Kind::Float(format) = dtype.kind() else { return false };
    run.iter().all(|&bits| format.is_subnormal(bits) || bits & (format.sign() - 1) == 0)
}

/// Adds the kinds of elements and their sizes.
pub(super) fn of_data(call: &Call, reduction: Option<&Reduction>, traits: &mut Vec<Trait>) {
    // BLAS reads some elements of its data, and the others do not matter.
    let data = reduction.map_or(Cow::Borrowed(&call.data), |reduction| reduction.operand(&call.data));
    of_places(&data, traits);
    let dtype = data.dtype();
    let bits = data.bits();
    if bits.is_empty() {
        traits.push(NO_DATA);
        return;
    }
    match dtype.kind() {
        Kind::Float(format) => {
            let sign = format.sign();
            let (mut nan, mut infinite, mut lowest, mut zero, mut subnormal, mut negative) =
                (false, false, false, false, false, false);
            let (mut least, mut most) = (i64::MAX, i64::MIN);
            for &element in &bits {
                match format.magnitude(element) {
                    Magnitude::Nan => nan = true,
                    Magnitude::Infinite if element & sign == 0 => infinite = true,
                    Magnitude::Infinite => lowest = true,
                    Magnitude::Finite { significand: 0, .. } => zero |= element & sign != 0,
                    Magnitude::Finite { significand, exponent } => {
                        negative |= element & sign != 0;
                        let log2 = i64::from(exponent) + i64::from(significand.ilog2());
                        subnormal |= format.is_subnormal(element);
                        (least, most) = (least.min(log2), most.max(log2));
                    }
                }
            }
            say(traits, nan, "a NaN");
            say(traits, infinite || lowest, "an infinity");
            say(traits, lowest, "a negative infinity");
            say(traits, nan && (infinite || lowest), "a NaN and an infinity");
            say(traits, zero, "a negative zero");
            say(traits, subnormal, "a subnormal number");
            say(traits, negative || lowest, "a negative number");
            say(traits, negative || lowest || zero, "a negative number or -0");
            say(traits, bits.iter().any(|element| element & sign != 0), "a sign bit set");
            say(traits, !nan && !infinite && !lowest, "finite data");
            let half = i64::from(format.max_exponent) / 2;
            say(traits, most != i64::MIN && most >= half - 6, "squares near or beyond the greatest float");
            say(
                traits,
                most != i64::MIN && most >= i64::from(format.max_exponent) - 6,
                "numbers near the greatest float",
            );
            say(traits, least != i64::MAX && least <= -half + 6, "squares near or below the least float");
            say(traits, most != i64::MIN && most >= 15, "numbers beyond 2^15");
            say(traits, most == i64::MIN, "no finite number but 0");
        }
        Kind::Integer(range) => {
            let numbers = bits.iter().map(|&bits| range.decode(bits));
            let (mut negative, mut least, mut width) = (false, false, 0);
            let mut upper = false;
            for number in numbers {
                upper |= !range.is_signed() && number > range.max / 2;
                negative |= number < 0;
                width = width.max(128 - number.unsigned_abs().leading_zeros());
                least |= range.is_signed() && number == range.min;
            }
            say(traits, negative, "a negative number");
            say(traits, negative, "a negative number or -0");
            say(traits, least, "the least integer of its type");
            say(traits, upper, "a number beyond the signed half of its type");
            traits.extend(Quantity::IntegerBits.traits(u64::from(width)));
        }
    }
}
