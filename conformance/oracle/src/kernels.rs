//! The innermost loop, which takes most of the time. It is compiled a second time for AVX2.
//!
//! This module does not decide what is exact. The result does not depend on the instructions: no operation
//! leaves its rounding to the compiler.

#![allow(clippy::inline_always, reason = "what is not inlined is not compiled for those vectors")]

use std::array::from_fn;

use pulp::{Arch, Simd, WithSimd};

use crate::sum::Sum;

/// The number of sums side by side.
pub(crate) const LANES: usize = 8;
/// The most terms of each lane before it is settled.
pub(crate) const ROWS: usize = 256;

/// One value for each lane.
pub(crate) type Lanes<X> = [X; LANES];

/// [`LANES`] sums of magnitudes side by side, as machine arithmetic adds them.
pub(crate) trait Strip<M>: Copy + Default {
    /// Clears the strip. Returns true if adding rows like the first is worthwhile.
    fn begin(&mut self, first: Lanes<M>) -> bool;

    /// Adds a row, each magnitude to its lane. It must be inlined into the loop of [`add_up`].
    fn add<S: Simd>(&mut self, simd: S, row: Lanes<M>);

    /// Adds the exact sum of these rows, each lane to its sum, or all lanes to the only one. It uses what was
    /// added since [`begin`](Self::begin), or reads the rows again if that was not exact.
    fn settle(&mut self, sums: &mut [Sum], rows: impl Iterator<Item = Lanes<M>> + Clone);
}

/// Adds the rows of a block; each row has [`LANES`] elements for every strip.
pub(crate) fn add_up<T: Copy, M, S: Strip<M>>(block: &[T], magnitude: impl Fn(T) -> M, strips: &mut [S]) {
    Arch::new().dispatch(AddUp { block: block.as_chunks().0, magnitude, strips });
}

/// A structure, because a closure is not inlined into the function with the AVX2 instructions.
struct AddUp<'a, T, F, S> {
    block: &'a [Lanes<T>],
    magnitude: F,
    strips: &'a mut [S],
}

impl<T: Copy, M, F: Fn(T) -> M, L: Strip<M>> WithSimd for AddUp<'_, T, F, L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.strips.len();
        for (column, strip) in self.strips.iter_mut().enumerate() {
            // A local copy stays in registers.
            let mut lanes = *strip;
            for row in self.block.iter().skip(column).step_by(width) {
                lanes.add(simd, from_fn(|lane| (self.magnitude)(row[lane])));
            }
            *strip = lanes;
        }
    }
}

/// Returns true if the processor has one instruction for `x · y + z`. Without it, `mul_add` is slow.
pub(crate) fn fuses() -> bool {
    #[cfg(target_arch = "x86_64")]
    return matches!(Arch::new(), Arch::V3(_));
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}

#[cfg(test)]
mod tests {
    use std::slice::from_mut;

    use normative_reference::exact::Variant;
    use normative_reference::{Norm, Value};
    use pulp::Scalar;

    use super::*;
    use crate::term::Term;

    /// Returns the norm of these rows, with vector instructions or without.
    fn sum<M: Term, S: Strip<M>>(rows: &[Lanes<M>], norm: Norm, vectors: bool) -> Option<Value> {
        let (mut strip, mut sum) = (S::default(), Sum::default());
        if !strip.begin(rows[0]) {
            return None;
        }
        let strips = from_mut(&mut strip);
        if vectors {
            add_up(rows.as_flattened(), |x| x, strips);
        } else {
            AddUp { block: rows, magnitude: |x| x, strips }.with_simd(Scalar::new());
        }
        // Pass no rows, so that `settle` must use the added sums.
        strip.settle(from_mut(&mut sum), std::iter::empty());
        Some(sum.take(norm, Variant::default()))
    }

    fn assert_exact<M: Term, S: Strip<M>>(rows: &[Lanes<M>], norm: Norm) {
        let mut exact = Sum::default();
        rows.iter().flatten().for_each(|x| exact.add_term(norm, x.magnitude()));
        let exact = exact.take(norm, Variant::default());
        for vectors in [false, true] {
            let sum = sum::<M, S>(rows, norm, vectors);
            assert!(sum.as_ref().is_none_or(|sum| *sum == exact), "{sum:?} is not {exact:?}");
            assert!(sum.is_some() || !fuses());
        }
    }

    fn assert_both_exact<M: Term>(rows: &[Lanes<M>]) {
        assert_exact::<M, M::Plain>(rows, Norm::L1);
        assert_exact::<M, M::Squared>(rows, Norm::L2);
    }

    #[test]
    fn the_same_is_added_with_vectors_and_without() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 31
        };
        for _ in 0..50 {
            let bits: Vec<Lanes<u64>> = (0..ROWS).map(|_| from_fn(|_| random())).collect();
            assert_both_exact(&bits);
            // Random significands, of numbers between 1 and 2.
            let float = |x: u64| f32::from_bits(1.0_f32.to_bits() + (x as u32 >> 9));
            assert_both_exact(&bits.iter().map(|row| row.map(float)).collect::<Vec<_>>());
            let float = |x: u64| f64::from_bits(1.0_f64.to_bits() + (x >> 12));
            assert_both_exact(&bits.iter().map(|row| row.map(float)).collect::<Vec<_>>());
        }
    }
}
