//! Strips of integers, in digits of 32 bits, each held in 64: room for the carries of 2^32 terms.

#![allow(clippy::inline_always, reason = "for the loop of `kernels`")]

use std::marker::PhantomData;

use normative_reference::Magnitude;
use pulp::Simd;

use crate::kernels::{LANES, Lanes, Strip};
use crate::sum::Sum;
use crate::term::{Plain, Squared, Term};

impl Term for u64 {
    const ZERO: Self = 0;
    type Plain = Integers<Plain, 2>;
    type Squared = Integers<Squared, 6>;

    fn magnitude(self) -> Magnitude {
        Magnitude::Finite { significand: self, exponent: 0 }
    }
}

/// Splits a term into digits below 2^32.
pub(crate) trait Digits<const N: usize> {
    /// The exponent of each digit's unit, a power of two.
    const EXPONENTS: [i32; N];

    fn digits(x: u64) -> [u64; N];
}

const MASK: u64 = u32::MAX as u64;

impl Digits<2> for Plain {
    const EXPONENTS: [i32; 2] = [0, 32];

    #[inline(always)]
    fn digits(x: u64) -> [u64; 2] {
        [x & MASK, x >> 32]
    }
}

impl Digits<6> for Squared {
    const EXPONENTS: [i32; 6] = [0, 32, 33, 65, 64, 96];

    #[inline(always)]
    fn digits(x: u64) -> [u64; 6] {
        // (h · 2^32 + l)² = l² + hl · 2^33 + h² · 2^64.
        let (l, h) = (x & MASK, x >> 32);
        let (ll, hl, hh) = (l * l, h * l, h * h);
        [ll & MASK, ll >> 32, hl & MASK, hl >> 32, hh & MASK, hh >> 32]
    }
}

/// Sums of each digit.
#[derive(Clone, Copy)]
pub(crate) struct Integers<T, const N: usize> {
    sums: [Lanes<u64>; N],
    terms: PhantomData<T>,
}

impl<T, const N: usize> Default for Integers<T, N> {
    fn default() -> Self {
        Self { sums: [[0; LANES]; N], terms: PhantomData }
    }
}

impl<T: Digits<N> + Copy, const N: usize> Strip<u64> for Integers<T, N> {
    fn begin(&mut self, _: Lanes<u64>) -> bool {
        *self = Self::default();
        true
    }

    #[inline(always)]
    fn add<S: Simd>(&mut self, _: S, row: Lanes<u64>) {
        let row = row.map(T::digits);
        for (digit, sums) in self.sums.iter_mut().enumerate() {
            for lane in 0..LANES {
                sums[lane] += row[lane][digit];
            }
        }
    }

    fn settle(&mut self, sums: &mut [Sum], _: impl Iterator<Item = Lanes<u64>> + Clone) {
        for (lanes, exponent) in self.sums.iter().zip(T::EXPONENTS) {
            match sums {
                [sum] => sum.add(lanes.iter().copied().map(i128::from).sum(), exponent),
                _ => sums.iter_mut().zip(lanes).for_each(|(sum, &lane)| sum.add(lane.into(), exponent)),
            }
        }
    }
}
