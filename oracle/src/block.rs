//! Adding up a block of magnitudes without rounding, in machine arithmetic.
//!
//! The greatest and the least of the terms prove that no bit can be lost. Where they do not, the terms of one sum
//! are added by exponent; of several sums, a lane of which they do not prove it is added term by term.
//!
//! *Floats whose terms f64 holds* (all of L1; squares of up to 24 bits). A lane has at most 2^8 terms. Let
//! each be below `2^top` and a multiple of `2^bottom`, and let the sum start at `σ = 2^(top + 8)`. It stays
//! within `2σ`, so every step `t = s + x` is rounded to a multiple of `2^(top - 44)`. What a step loses,
//! `x - (t - s)`, is exact (Dekker, Numerische Mathematik 18, 1971), at most `2^(top - 45)`, and a multiple
//! of `2^bottom`. Those of all lanes, 2^11, are at most `2^(top - 34)`, which f64 adds exactly if
//! `top - bottom ≤ 87`. A σ below the normal numbers is not needed: nothing is lost there.
//!
//! *Squares of f64* are `p + r`, the product rounded and what that took, which one instruction of most processors
//! gives exactly. Let the terms be at least `2^bottom` and below `2^(top + 1)`, so that every `p` is below
//! `2^(2·top + 2)` and a multiple of `2^(2·bottom - 52)`; it goes the way of the floats above, from
//! `σ = 2^(2·top + 10)`, if `top - bottom ≤ 16`. Every `r` is at most `2^(2·top - 52)` and a multiple of
//! `2^(2·bottom - 104)`, of either sign; 2^8 of them are at most `2^(2·top - 44)`, so that a sum which starts at
//! `σ = 3 · 2^(2·top - 44)` stays between 2 and 4 of these, and loses at most `2^(2·top - 95)` a step. All 2^11 are
//! at most `2^(2·top - 84)`, which f64 adds exactly if `top - bottom ≤ 16`. With `top ≤ 506` σ is finite, with
//! `bottom ≥ -485` no `r` is lost below the least f64.
//!
//! *Squares of f64 further apart.* Significands at most 11 binades below the greatest, shifted to one exponent, have at
//! most 64 bits, their squares 128; carries are counted.

use std::array::{self, from_fn};

use normative_reference::{FloatFormat, Magnitude, Norm};

use crate::kernels::{PartialSums, add_up, add_up_squares, extremes, fuses};
use crate::sum::Sum;

/// How many partial sums run side by side.
pub(crate) const LANES: usize = 8;
/// How many terms each of them gets from one block.
pub(crate) const ROWS: usize = 256;

/// A magnitude, as blocks hold it.
pub(crate) trait Term: Copy + PartialOrd {
    const ZERO: Self;

    fn magnitude(self) -> Magnitude;

    /// Adds the terms of each lane to its sum; those of all lanes, where there is one sum.
    fn add(block: &[[Self; LANES]], norm: Norm, sums: &mut [Sum]);
}

impl Term for u64 {
    const ZERO: Self = 0;

    fn magnitude(self) -> Magnitude {
        Magnitude::Finite { significand: self, exponent: 0 }
    }

    fn add(block: &[[Self; LANES]], norm: Norm, sums: &mut [Sum]) {
        if let [sum] = sums {
            return add_integers(block.as_flattened().iter().copied(), norm, sum);
        }
        for (lane, sum) in sums.iter_mut().enumerate() {
            add_integers(block.iter().map(|row| row[lane]), norm, sum);
        }
    }
}

/// A magnitude that is a float.
trait Float: Term {
    const FORMAT: FloatFormat;
}

impl Float for f32 {
    const FORMAT: FloatFormat = FloatFormat::F32;
}

impl Float for f64 {
    const FORMAT: FloatFormat = FloatFormat::F64;
}

impl Term for f32 {
    const ZERO: Self = 0.0;

    fn magnitude(self) -> Magnitude {
        Self::FORMAT.magnitude(self.to_bits().into())
    }

    #[allow(clippy::redundant_closure, reason = "the function by its name would not be inlined")]
    fn add(block: &[[Self; LANES]], norm: Norm, sums: &mut [Sum]) {
        match norm {
            Norm::L1 => add_floats(block, norm, sums, |x| f64::from(x)),
            Norm::L2 => add_floats(block, norm, sums, |x| f64::from(x) * f64::from(x)),
        }
    }
}

impl Term for f64 {
    const ZERO: Self = 0.0;

    fn magnitude(self) -> Magnitude {
        Self::FORMAT.magnitude(self.to_bits())
    }

    fn add(block: &[[Self; LANES]], norm: Norm, sums: &mut [Sum]) {
        match norm {
            Norm::L1 => add_floats(block, norm, sums, |x| x),
            Norm::L2 => {
                let Some(&first) = block.first() else { return };
                let (least, greatest) = extremes(block, first);
                if add_two_parts(block, fold(least, lesser), fold(greatest, greater), sums) {
                    return;
                }
                if let [sum] = sums {
                    return add_squares(block.iter(), greatest.into_iter().fold(0.0, f64::max), sum);
                }
                for (lane, sum) in sums.iter_mut().enumerate() {
                    add_squares(block.iter().map(|row| array::from_ref(&row[lane])), greatest[lane], sum);
                }
            }
        }
    }
}

fn add_integers(terms: impl Iterator<Item = u64>, norm: Norm, sum: &mut Sum) {
    // The halves of squares apart, so that 128 bits hold the sums.
    let (mut low, mut high) = (0, 0);
    for x in terms.map(u128::from) {
        let term = if norm == Norm::L1 { x } else { x * x };
        low += u128::from(term as u64);
        high += term >> 64;
    }
    sum.add(low as i128, 0);
    sum.add(high as i128, 64);
}

fn add_floats<F: Float>(block: &[[F; LANES]], norm: Norm, sums: &mut [Sum], term: impl Fn(F) -> f64) {
    let Some(&first) = block.first() else { return };
    let (least, greatest) = extremes(block, first);
    let start = {
        let (least, greatest) = (fold(least, lesser), fold(greatest, greater));
        sigma(block.as_flattened().iter().copied(), least, greatest, norm)
    };
    let mut added = PartialSums::from([start; LANES]);
    if start.is_finite() {
        added = add_up(block, &term, added);
    }
    if added.high.iter().all(|high| high.is_finite()) {
        return add_lanes(added, start, sums);
    }
    if let [sum] = sums {
        return add_by_exponent(block.as_flattened(), norm, sum);
    }
    let start: [f64; LANES] =
        from_fn(|lane| sigma(block.iter().map(|row| row[lane]), least[lane], greatest[lane], norm));
    let PartialSums { high, low } = add_up(block, term, PartialSums::from(start));
    for (lane, sum) in sums.iter_mut().enumerate() {
        let high = high[lane] - start[lane];
        if (high + low[lane]).is_finite() {
            sum.add_float(high);
            sum.add_float(low[lane]);
        } else {
            for row in block {
                sum.add_term(norm, row[lane].magnitude());
            }
        }
    }
}

/// Adds what lanes hold that began at `start` and lost no more than f64 holds.
fn add_lanes(PartialSums { high, low }: PartialSums, start: f64, sums: &mut [Sum]) {
    // Floats that follow each other, as those of one exponent do, have bits that do.
    let steps = high.map(|high| i128::from(high.to_bits()) - i128::from(start.to_bits()));
    let exponent = exponent_of_step(start);
    if let [sum] = sums {
        sum.add(steps.iter().sum(), exponent);
        return sum.add_float(low.iter().sum());
    }
    for (lane, sum) in sums.iter_mut().enumerate() {
        sum.add(steps[lane], exponent);
        sum.add_float(low[lane]);
    }
}

/// Adds terms that lie far apart, those of each exponent by themselves: as many as a block has, of up to 53
/// bits or squared ones of 48, make no more than 64.
fn add_by_exponent<F: Float>(terms: &[F], norm: Norm, sum: &mut Sum) {
    let lowest = F::FORMAT.quantum();
    let mut of = [0_u64; 2048];
    for term in terms {
        match term.magnitude() {
            Magnitude::Finite { significand, exponent } => {
                let term = if norm == Norm::L1 { significand } else { significand * significand };
                of[(exponent - lowest) as usize] += term;
            }
            special => sum.add_term(norm, special),
        }
    }
    let power = if norm == Norm::L1 { 1 } else { 2 };
    let highest = F::FORMAT.max_exponent - (F::FORMAT.precision as i32 - 1);
    // Four exponents in a row are at most 6 bits apart.
    for (four, exponent) in of.as_chunks::<4>().0.iter().zip((lowest..=highest).step_by(4)) {
        let value = four.iter().zip((0..).step_by(power)).map(|(&of, apart)| i128::from(of) << apart).sum();
        sum.add(value, power as i32 * exponent);
    }
}

/// The lesser of two; `a` where `b` is a NaN.
pub(crate) fn lesser<F: PartialOrd>(a: F, b: F) -> F {
    if b < a { b } else { a }
}

/// The greater of two; `a` where `b` is a NaN.
pub(crate) fn greater<F: PartialOrd>(a: F, b: F) -> F {
    if b > a { b } else { a }
}

fn fold<F: Copy>(lanes: [F; LANES], by: impl Fn(F, F) -> F) -> F {
    lanes[1..].iter().fold(lanes[0], |a, &b| by(a, b))
}

/// The least of these terms that is not zero, where `least` and `greatest` are the least and the greatest of all.
fn least_nonzero<F: Term>(terms: impl Iterator<Item = F>, least: F, greatest: F) -> F {
    if least == F::ZERO { terms.filter(|&x| x > F::ZERO).fold(greatest, lesser) } else { least }
}

/// `σ` for these terms, or a NaN where they have to be added one by one.
fn sigma<F: Term>(terms: impl Iterator<Item = F>, least: F, greatest: F, norm: Norm) -> f64 {
    let least = least_nonzero(terms, least, greatest);
    let (Magnitude::Finite { exponent: bottom, .. }, Magnitude::Finite { significand, exponent }) =
        (least.magnitude(), greatest.magnitude())
    else {
        return f64::NAN;
    };
    let top = exponent + (u64::BITS - significand.leading_zeros()) as i32;
    let power = if norm == Norm::L1 { 1 } else { 2 };
    let (rows, terms) = (ROWS.ilog2() as i32, (ROWS * LANES).ilog2() as i32);
    let FloatFormat { precision, min_exponent, max_exponent } = FloatFormat::F64;
    let log2 = (power * top + rows).max(min_exponent);
    if power * (top - bottom) > 2 * precision as i32 - rows - terms || log2 >= max_exponent {
        return f64::NAN;
    }
    f64::from_bits(((log2 + max_exponent) as u64) << (precision - 1))
}

/// `n`, where normal floats of the exponent of `x` lie `2^n` apart.
fn exponent_of_step(x: f64) -> i32 {
    (x.to_bits() >> 52) as i32 - 1 + FloatFormat::F64.quantum()
}

/// Adds the squares of f64, each in two parts, where the processor can and nothing is lost so. Otherwise adds
/// nothing, and says so.
fn add_two_parts(block: &[[f64; LANES]], least: f64, greatest: f64, sums: &mut [Sum]) -> bool {
    if !fuses() {
        return false;
    }
    let terms = block.as_flattened().iter().copied();
    let exponent = |x: f64| (x.to_bits() >> 52) as i32 - FloatFormat::F64.max_exponent;
    let (bottom, top) = (exponent(least_nonzero(terms, least, greatest)), exponent(greatest));
    if bottom < -485 || top > 506 || top - bottom > 16 {
        return false;
    }
    let power = |log2: i32| f64::from_bits(((log2 + FloatFormat::F64.max_exponent) as u64) << 52);
    let (of_squares, of_rests) = (power(2 * top + 10), 3.0 * power(2 * top - 44));
    let (squares, rests) =
        add_up_squares(block, PartialSums::from([of_squares; LANES]), PartialSums::from([of_rests; LANES]));
    if !squares.high.iter().all(|high| high.is_finite()) {
        return false;
    }
    add_lanes(squares, of_squares, sums);
    add_lanes(rests, of_rests, sums);
    true
}

/// Adds the squares of f64, which f64 does not hold: of one lane, or of all together.
fn add_squares<'a, const N: usize>(rows: impl Iterator<Item = &'a [f64; N]>, greatest: f64, sum: &mut Sum) {
    // Exponent fields: 0 is that of subnormals, 2047 that of infinity.
    let field = greatest.to_bits() >> 52;
    let lowest = field.saturating_sub(11).max(1);
    let window = if field == 2047 { 0 } else { 12 };
    let (mut squares, mut carries) = (0_u128, 0_u64);
    for row in rows {
        for &x in row {
            let aligned = x.to_bits().wrapping_sub(lowest << 52);
            let shift = aligned >> 52;
            if shift < window {
                let significand = u128::from((aligned & ((1 << 52) - 1) | 1 << 52) << shift);
                let carry;
                (squares, carry) = squares.overflowing_add(significand * significand);
                carries += u64::from(carry);
            } else {
                sum.add_term(Norm::L2, x.magnitude());
            }
        }
    }
    let exponent = 2 * (lowest as i32 - 1 + FloatFormat::F64.quantum());
    sum.add((squares as u64).into(), exponent);
    sum.add((squares >> 64) as i128, exponent + 64);
    sum.add(carries.into(), exponent + 128);
}
