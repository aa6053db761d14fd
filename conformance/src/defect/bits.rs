//! Sets of calls, by their index among those asked: a bit a call.

/// A set of indices below a length that all sets of a run share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Returns the empty set.
    pub(super) fn none(length: usize) -> Self {
        Self(vec![0; length.div_ceil(64)])
    }

    /// Returns the set of the wanted indices.
    pub(super) fn of(length: usize, wanted: impl Fn(usize) -> bool) -> Self {
        let mut bits = Self::none(length);
        (0..length).filter(|&at| wanted(at)).for_each(|at| bits.add(at));
        bits
    }

    pub(super) fn add(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the number of indices in both.
    pub(super) fn shared(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Returns the indices in both.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// Returns the indices in either.
    pub(super) fn or(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    /// Returns the indices that are not in the other.
    pub(super) fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    /// Returns the indices, in order.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
        })
    }
}
