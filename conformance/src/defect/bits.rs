//! Sets of calls, by their places among those asked: a bit a call.

/// A set of places below a length that all sets of a run share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// No place of so many.
    pub(super) fn none(length: usize) -> Self {
        Self(vec![0; length.div_ceil(64)])
    }

    /// Those places of so many that are wanted.
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

    /// How many places both have.
    pub(super) fn shared(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// The places that both have.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// The places that either has.
    pub(super) fn or(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    /// The places that the other does not have.
    pub(super) fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    /// The places, in order.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
        })
    }
}
