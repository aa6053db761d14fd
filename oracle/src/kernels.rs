//! The loop that takes the time, compiled once more for the vectors of AVX2 where a processor has them.
//!
//! Nothing here knows what is exact. What is added does not depend on the instructions it is compiled to: no
//! operation is left to choose where it rounds.

#![allow(clippy::inline_always, reason = "what is not inlined is not compiled for those vectors")]

use std::array::from_fn;

use pulp::{Arch, Simd, WithSimd};

use crate::sum::Sum;

/// How many sums run side by side.
pub(crate) const LANES: usize = 8;
/// How many terms each of them gets, at most, before it is settled.
pub(crate) const ROWS: usize = 256;

/// Something for each lane.
pub(crate) type Lanes<X> = [X; LANES];

/// [`LANES`] sums of magnitudes side by side, as machine arithmetic adds them.
pub(crate) trait Strip<M>: Copy + Default {
    /// Leaves nothing added. The first row hints at what is to come: whether it is worth adding that.
    fn begin(&mut self, first: Lanes<M>) -> bool;

    /// Adds a row, each magnitude to its lane. For the loop of [`add_up`], so always to be inlined.
    fn add<S: Simd>(&mut self, simd: S, row: Lanes<M>);

    /// Adds what these rows come to, exactly, each lane to its sum, or all lanes to the only one: from what was
    /// added since [`begin`](Self::begin), or from the rows where they were not added, or not without loss.
    fn settle(&mut self, sums: &mut [Sum], rows: impl Iterator<Item = Lanes<M>> + Clone);
}

/// Adds the rows of a block, in each of which there are [`LANES`] elements for every strip.
pub(crate) fn add_up<T: Copy, M, S: Strip<M>>(block: &[T], magnitude: impl Fn(T) -> M, strips: &mut [S]) {
    Arch::new().dispatch(AddUp { block: block.as_chunks().0, magnitude, strips });
}

/// A structure, because closures are not inlined into the function that has the instructions.
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
            // A copy stays in registers.
            let mut lanes = *strip;
            for row in self.block.iter().skip(column).step_by(width) {
                lanes.add(simd, from_fn(|lane| (self.magnitude)(row[lane])));
            }
            *strip = lanes;
        }
    }
}

/// Whether a processor has one instruction for `x · y + z`. Where it has none, `mul_add` is slow.
pub(crate) fn fuses() -> bool {
    #[cfg(target_arch = "x86_64")]
    return matches!(Arch::new(), Arch::V3(_));
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}
