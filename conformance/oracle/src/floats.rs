//! Strips of floats, added in f64 without loss, or with a loss that the strip detects.
//!
//! *Terms that f64 holds* (all of L1; squares of up to 24 bits) are multiples of `2^bottom`. A lane starts at
//! `σ`, a power of two. Terms are not negative, so if it ends below `2σ` it never left `[σ, 2σ)`: every step
//! `t = s + x` was rounded to a multiple of `2^-52 σ`. The loss of a step, `x - (t - s)`, is exact (Dekker,
//! Numerische Mathematik 18, 1971), at most `2^-53 σ`, and a multiple of `2^bottom`. The 2^11 losses of all
//! lanes are at most `2^-42 σ`, which f64 adds exactly if `σ ≤ 2^(bottom + 95)`.
//!
//! *Squares of f64* are `p + r`, the rounded product and its error. One instruction of most processors gives
//! `r` exactly, unless `r` is below the least f64: so magnitudes must be multiples of `2^-537`. Let them be
//! normal and multiples of `2^b`. Then every `p` is a multiple of `2^(2b + 52)`, and the terms above apply if
//! `σ ≤ 2^(2b + 147)`. All `p` of a lane add up to less than `2σ`; the `r`, each at most `2^-53 p`, to less
//! than `2^-52 σ`. A sum of them that starts at three times as much stays between twice and four times that,
//! and loses at most `2^-104 σ` a step. The `r` are multiples of `2^(2b)`: the losses of 2^11 are added
//! exactly if `σ ≤ 2^(2b + 146)`.
//!
//! `σ` is guessed from a first row, and kept for the next. If it was wrong, the rows are added again with a
//! `σ` from all of them. If no `σ` is exact for them, they are added one by one.

#![allow(clippy::inline_always, reason = "for the loop of `kernels`")]
#![allow(clippy::needless_range_loop, reason = "rows and sums are walked side by side")]

use std::array::from_fn;
use std::marker::PhantomData;
use std::slice::from_mut;

use normative_reference::{FloatFormat, Magnitude, Norm};
use pulp::Simd;

use crate::kernels::{LANES, Lanes, ROWS, Strip, add_up, fuses};
use crate::sum::Sum;
use crate::term::{Plain, Squared, Term, greater};

/// A magnitude that is a float.
pub(crate) trait Float: Term + Into<f64> {
    const FORMAT: FloatFormat;
    /// The bits of a magnitude minus one: they order magnitudes, with zero last.
    type Order: Ord + Copy + Into<i64>;
    const LAST: Self::Order;

    fn order(self) -> Self::Order;
}

impl Float for f32 {
    const FORMAT: FloatFormat = FloatFormat::F32;
    type Order = i32;
    const LAST: i32 = i32::MAX;

    #[inline(always)]
    fn order(self) -> i32 {
        (self.to_bits() as i32).wrapping_sub(1) & i32::MAX
    }
}

impl Float for f64 {
    const FORMAT: FloatFormat = FloatFormat::F64;
    type Order = i64;
    const LAST: i64 = i64::MAX;

    #[inline(always)]
    fn order(self) -> i64 {
        (self.to_bits() as i64).wrapping_sub(1) & i64::MAX
    }
}

impl Term for f32 {
    const ZERO: Self = 0.0;
    type Plain = Floats<Self, Plain, 1>;
    type Squared = Floats<Self, Squared, 1>;

    fn magnitude(self) -> Magnitude {
        Self::FORMAT.magnitude(self.to_bits().into())
    }
}

impl Term for f64 {
    const ZERO: Self = 0.0;
    type Plain = Floats<Self, Plain, 1>;
    type Squared = Floats<Self, Squared, 2>;

    fn magnitude(self) -> Magnitude {
        Self::FORMAT.magnitude(self.to_bits())
    }
}

/// The parts of a float's term that f64 holds, and the bounds below which their sum is exact.
pub(crate) trait Parts<F: Float, const N: usize>: Copy {
    /// 1 for terms, or 2 for squares.
    const POWER: i32;
    /// For magnitudes that are multiples of `2^b`, `σ` is at most `2^(POWER · b + SPREAD)`.
    const SPREAD: i32;
    /// The least allowed `b`.
    const LOWEST: i32 = i32::MIN;

    fn parts<S: Simd>(simd: S, x: S::f64s) -> [S::f64s; N];

    /// Adds the terms of any magnitudes, at most as many as a block has.
    fn add_one_by_one(magnitudes: impl Iterator<Item = F> + Clone, sum: &mut Sum) {
        add_by_exponent(magnitudes, Self::POWER, sum);
    }
}

impl<F: Float> Parts<F, 1> for Plain {
    const POWER: i32 = 1;
    const SPREAD: i32 = 95;

    #[inline(always)]
    fn parts<S: Simd>(_: S, x: S::f64s) -> [S::f64s; 1] {
        [x]
    }
}

impl Parts<f32, 1> for Squared {
    const POWER: i32 = 2;
    const SPREAD: i32 = 95;

    #[inline(always)]
    fn parts<S: Simd>(simd: S, x: S::f64s) -> [S::f64s; 1] {
        [simd.mul_f64s(x, x)]
    }
}

impl Parts<f64, 2> for Squared {
    const POWER: i32 = 2;
    const SPREAD: i32 = 146;
    const LOWEST: i32 = -537;

    #[inline(always)]
    fn parts<S: Simd>(simd: S, x: S::f64s) -> [S::f64s; 2] {
        let square = simd.mul_f64s(x, x);
        [square, simd.mul_add_f64s(x, x, simd.neg_f64s(square))]
    }

    fn add_one_by_one(magnitudes: impl Iterator<Item = f64> + Clone, sum: &mut Sum) {
        add_squares(magnitudes, sum);
    }
}

/// Running sums, and their rounding losses.
#[derive(Clone, Copy)]
struct Running {
    high: Lanes<f64>,
    low: Lanes<f64>,
}

/// Running sums of each part, and the least nonzero magnitude.
#[derive(Clone, Copy)]
pub(crate) struct Floats<F: Float, T, const N: usize> {
    /// `σ`; NaN before there is one.
    start: Lanes<f64>,
    least: Lanes<F::Order>,
    sums: [Running; N],
    terms: PhantomData<T>,
}

impl<F: Float, T, const N: usize> Default for Floats<F, T, N> {
    fn default() -> Self {
        Self::from([f64::NAN; LANES])
    }
}

impl<F: Float, T: Parts<F, N>, const N: usize> Strip<F> for Floats<F, T, N> {
    fn begin(&mut self, first: Lanes<F>) -> bool {
        let mut start = self.start;
        if start.iter().any(|start| start.is_nan()) {
            let guess = Self::sigma(first.into_iter());
            start = start.map(|start| if start.is_nan() { guess } else { start });
        }
        *self = Self::from(start);
        !start[0].is_nan()
    }

    // Explicit vector operations, because compilers do not always vectorise this loop.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, row: Lanes<F>) {
        for lane in 0..LANES {
            self.least[lane] = self.least[lane].min(row[lane].order());
        }
        let row: Lanes<f64> = row.map(Into::into);
        for (at, &x) in S::as_simd_f64s(&row).0.iter().enumerate() {
            for (Running { high, low }, part) in self.sums.iter_mut().zip(T::parts(simd, x)) {
                let high = &mut S::as_mut_simd_f64s(high).0[at];
                let low = &mut S::as_mut_simd_f64s(low).0[at];
                let t = simd.add_f64s(*high, part);
                let lost = simd.sub_f64s(part, simd.sub_f64s(t, *high));
                (*high, *low) = (t, simd.add_f64s(*low, lost));
            }
        }
    }

    fn settle(&mut self, sums: &mut [Sum], rows: impl Iterator<Item = Lanes<F>> + Clone) {
        if self.exact() {
            return self.add_to(sums);
        }
        let lane = |lane: usize| rows.clone().map(move |row| row[lane]);
        if let [sum] = sums {
            // If the first row allowed no start, all rows together rarely do.
            if !self.start[0].is_nan() {
                self.start = [Self::sigma(rows.clone().flatten()); LANES];
            }
            if !self.start[0].is_nan() {
                *self = Self::of(rows.clone(), self.start);
                if self.exact() {
                    return self.add_to(sums);
                }
            }
            return T::add_one_by_one(rows.flatten(), sum);
        }
        let start = |at| if self.lane_is_exact(at) { self.start[at] } else { Self::sigma(lane(at)) };
        *self = Self::of(rows.clone(), from_fn(start));
        for (at, sum) in sums.iter_mut().enumerate() {
            if self.lane_is_exact(at) {
                self.add_lane(at, sum);
            } else {
                T::add_one_by_one(lane(at), sum);
            }
        }
    }
}

impl<F: Float, T, const N: usize> Floats<F, T, N> {
    /// Starts strips with these values of `σ` and no terms.
    fn from(start: Lanes<f64>) -> Self {
        let least = [F::LAST; LANES];
        // The second part, the product errors, starts at three times the unit of the first.
        let high = |part| if part == 0 { start } else { start.map(|start| start * (3.0 * f64::EPSILON)) };
        Self {
            start,
            least,
            sums: from_fn(|part| Running { high: high(part), low: [0.0; LANES] }),
            terms: PhantomData,
        }
    }
}

impl<F: Float, T: Parts<F, N>, const N: usize> Floats<F, T, N> {
    /// Returns the strip after adding these rows.
    fn of(rows: impl Iterator<Item = Lanes<F>>, start: Lanes<f64>) -> Self {
        let mut strip = Self::from(start);
        add_up(rows.collect::<Vec<_>>().as_flattened(), |x| x, from_mut(&mut strip));
        strip
    }

    /// Returns a `σ` for sums of these magnitudes, [`ROWS`] in a lane; NaN if no `σ` is exact.
    fn sigma(magnitudes: impl Iterator<Item = F>) -> f64 {
        let (least, greatest) =
            magnitudes.fold((F::LAST, F::ZERO), |(least, most), x| (least.min(x.order()), greater(most, x)));
        let Magnitude::Finite { significand, exponent } = greatest.magnitude() else { return f64::NAN };
        let top = exponent + (u64::BITS - significand.leading_zeros()) as i32;
        let FloatFormat { precision, min_exponent, max_exponent } = FloatFormat::F64;
        let needed = T::POWER * top + ROWS.ilog2() as i32;
        let allowed = Self::allowed(least);
        if needed > allowed || needed >= max_exponent || N > 1 && !fuses() {
            return f64::NAN;
        }
        // Later elements exceed the spread downwards more often than upwards, so most of the room goes there.
        let log2 = (needed + (allowed - needed) / 16).clamp(min_exponent, max_exponent - 1);
        f64::from_bits(((log2 + max_exponent) as u64) << (precision - 1))
    }

    /// Returns the greatest allowed exponent of `σ`.
    fn allowed(least: F::Order) -> i32 {
        let bits = least.into() as u64 + 1;
        let bottom = F::FORMAT.quantum() + (bits >> (F::FORMAT.precision - 1)).max(1) as i32 - 1;
        if bottom < T::LOWEST { i32::MIN } else { T::POWER * bottom + T::SPREAD }
    }

    /// Returns true if [`Running::low`] holds the exact loss of every lane.
    fn exact(&self) -> bool {
        (0..LANES).all(|lane| self.lane_is_exact(lane))
    }

    fn lane_is_exact(&self, lane: usize) -> bool {
        let (start, end) = (self.start[lane], self.sums[0].high[lane]);
        end < 2.0 * start && exponent(start) <= Self::allowed(self.least[lane])
    }

    fn add_to(&self, sums: &mut [Sum]) {
        let [sum] = sums else {
            return sums.iter_mut().enumerate().for_each(|(lane, sum)| self.add_lane(lane, sum));
        };
        // The lanes of one sum have the same start, or no terms.
        for (Running { high, low }, from) in self.sums.iter().zip(Self::from(self.start).sums) {
            let steps: i128 = (0..LANES).map(|lane| steps(from.high[lane], high[lane])).sum();
            sum.add(steps, exponent_of_step(from.high[0]));
            sum.add_float(low.iter().sum());
        }
    }

    fn add_lane(&self, lane: usize, sum: &mut Sum) {
        for (Running { high, low }, from) in self.sums.iter().zip(Self::from(self.start).sums) {
            sum.add(steps(from.high[lane], high[lane]), exponent_of_step(from.high[lane]));
            sum.add_float(low[lane]);
        }
    }
}

/// Returns the number of floats from `from` to `to`. Floats of one exponent are equally spaced, and their
/// bits are consecutive.
fn steps(from: f64, to: f64) -> i128 {
    i128::from(to.to_bits()) - i128::from(from.to_bits())
}

/// Returns the exponent of a positive normal float.
fn exponent(x: f64) -> i32 {
    (x.to_bits() >> 52) as i32 - FloatFormat::F64.max_exponent
}

/// Returns `n`, where normal floats of the exponent of `x` lie `2^n` apart.
fn exponent_of_step(x: f64) -> i32 {
    exponent(x) - 52
}

/// Adds terms, grouped by exponent. The 2^11 terms of a block, of up to 53 bits, or 48 as squares of 24, fit
/// into 64 bits.
fn add_by_exponent<F: Float>(magnitudes: impl Iterator<Item = F>, power: i32, sum: &mut Sum) {
    let lowest = F::FORMAT.quantum();
    let mut of = [0_u64; 2048];
    magnitudes.for_each(|magnitude| match magnitude.magnitude() {
        Magnitude::Finite { significand, exponent } => {
            let term = if power == 1 { significand } else { significand * significand };
            of[(exponent - lowest) as usize] += term;
        }
        special => sum.add_term(Norm::L1, special),
    });
    let exponents = 2 * (F::FORMAT.max_exponent as usize + 1);
    // Four consecutive exponents are at most 6 bits apart.
    for (four, exponent) in of[..exponents].as_chunks::<4>().0.iter().zip((lowest..).step_by(4)) {
        let value =
            four.iter().zip((0..).step_by(power as usize)).map(|(&of, apart)| i128::from(of) << apart).sum();
        sum.add(value, power * exponent);
    }
}

/// Adds squares that f64 does not hold. Significands at most 11 binades below the greatest, shifted to one exponent,
/// have at most 64 bits, and their squares 128; carries are counted. The others are added one by one.
fn add_squares(magnitudes: impl Iterator<Item = f64> + Clone, sum: &mut Sum) {
    // Exponent fields: 0 marks subnormals, 2047 infinity.
    let field = magnitudes.clone().fold(0.0, greater).to_bits() >> 52;
    let lowest = field.saturating_sub(11).max(1);
    let window = if field == 2047 { 0 } else { 12 };
    let (mut squares, mut carries) = (0_u128, 0_u64);
    magnitudes.for_each(|x| {
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
    });
    let exponent = 2 * (lowest as i32 - 1 + FloatFormat::F64.quantum());
    sum.add_wide(squares, exponent);
    sum.add(carries.into(), exponent + 128);
}

#[cfg(test)]
mod tests;
