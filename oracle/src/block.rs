//! Adding up a block of magnitudes without rounding, in machine arithmetic.
//!
//! The greatest and the least of each lane prove that no bit can be lost; a lane of which they do not is
//! added term by term.
//!
//! *Floats whose terms f64 holds* (all of L1; squares of up to 24 bits). A lane has at most 2^8 terms. Let
//! each be below `2^top` and a multiple of `2^bottom`, and let the sum start at `σ = 2^(top + 8)`. It stays
//! within `2σ`, so every step `t = s + x` is rounded to a multiple of `2^(top - 44)`. What a step loses,
//! `x - (t - s)`, is exact (Dekker, Numerische Mathematik 18, 1971), at most `2^(top - 45)`, and a multiple
//! of `2^bottom`. Those of all lanes, 2^11, are at most `2^(top - 34)`, which f64 adds exactly if
//! `top - bottom ≤ 87`. A σ below the normal numbers is not needed: nothing is lost there.
//!
//! *Squares of f64.* Significands at most 11 binades below the greatest, shifted to one exponent, have at
//! most 64 bits, their squares 128; carries are counted.

use std::array::{self, from_fn};

use normative_reference::{FloatFormat, Magnitude, Norm};

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

impl Term for f32 {
    const ZERO: Self = 0.0;

    fn magnitude(self) -> Magnitude {
        FloatFormat::F32.magnitude(self.to_bits().into())
    }

    fn add(block: &[[Self; LANES]], norm: Norm, sums: &mut [Sum]) {
        match norm {
            Norm::L1 => add_floats(block, norm, sums, f64::from),
            Norm::L2 => add_floats(block, norm, sums, |x| f64::from(x) * f64::from(x)),
        }
    }
}

impl Term for f64 {
    const ZERO: Self = 0.0;

    fn magnitude(self) -> Magnitude {
        FloatFormat::F64.magnitude(self.to_bits())
    }

    fn add(block: &[[Self; LANES]], norm: Norm, sums: &mut [Sum]) {
        match norm {
            Norm::L1 => add_floats(block, norm, sums, |x| x),
            Norm::L2 => {
                let (mut least, mut greatest) = ([0.0; LANES], [0.0; LANES]);
                extremes(block, &mut least, &mut greatest);
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

fn add_floats<F: Term>(block: &[[F; LANES]], norm: Norm, sums: &mut [Sum], term: impl Fn(F) -> f64) {
    let Some(&(mut least)) = block.first() else { return };
    let mut greatest = least;
    extremes(block, &mut least, &mut greatest);
    let start = {
        let (least, greatest) = (fold(least, lesser), fold(greatest, greater));
        sigma(block.as_flattened().iter().copied(), least, greatest, norm)
    };
    let (mut high, mut low) = ([start; LANES], [0.0; LANES]);
    if start.is_finite() {
        add_up(block, &term, &mut high, &mut low);
    }
    if high.iter().all(|high| high.is_finite()) {
        // Between σ and 2σ, floats that follow each other have bits that do.
        let (steps, exponent) = (high.map(|high| high.to_bits() - start.to_bits()), exponent_of_step(start));
        if let [sum] = sums {
            sum.add(steps.iter().sum::<u64>().into(), exponent);
            sum.add_float(low.iter().sum());
        } else {
            for (lane, sum) in sums.iter_mut().enumerate() {
                sum.add(steps[lane].into(), exponent);
                sum.add_float(low[lane]);
            }
        }
        return;
    }
    let start: [f64; LANES] =
        from_fn(|lane| sigma(block.iter().map(|row| row[lane]), least[lane], greatest[lane], norm));
    let (mut high, mut low) = (start, [0.0; LANES]);
    add_up(block, term, &mut high, &mut low);
    for lane in 0..LANES {
        let sum = sum_of(lane, sums);
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

fn sum_of(lane: usize, sums: &mut [Sum]) -> &mut Sum {
    &mut sums[lane % sums.len()]
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

/// `σ` for these terms, or a NaN where they have to be added one by one.
fn sigma<F: Term>(terms: impl Iterator<Item = F>, least: F, greatest: F, norm: Norm) -> f64 {
    let least = if least == F::ZERO { terms.filter(|&x| x > F::ZERO).fold(greatest, lesser) } else { least };
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

/// `n`, where floats from `x`, a normal power of two, to `2x` lie `2^n` apart.
fn exponent_of_step(x: f64) -> i32 {
    (x.to_bits() >> 52) as i32 - 1 + FloatFormat::F64.quantum()
}

/// The least and the greatest of each lane, NaNs aside. Kept out of line, with results in memory: so
/// compilers turn it into vector instructions.
#[inline(never)]
fn extremes<F: Term>(block: &[[F; LANES]], least: &mut [F; LANES], greatest: &mut [F; LANES]) {
    let (mut low, mut high) = (*least, *greatest);
    for row in block {
        for lane in 0..LANES {
            low[lane] = lesser(low[lane], row[lane]);
            high[lane] = greater(high[lane], row[lane]);
        }
    }
    (*least, *greatest) = (low, high);
}

/// Adds every term to its lane of `high`, and what that loses to `low`. Out of line as above.
#[inline(never)]
fn add_up<F: Copy>(
    block: &[[F; LANES]],
    term: impl Fn(F) -> f64,
    high: &mut [f64; LANES],
    low: &mut [f64; LANES],
) {
    let (mut sum, mut lost) = (*high, *low);
    for row in block {
        for lane in 0..LANES {
            let x = term(row[lane]);
            let t = sum[lane] + x;
            lost[lane] += x - (t - sum[lane]);
            sum[lane] = t;
        }
    }
    (*high, *low) = (sum, lost);
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
