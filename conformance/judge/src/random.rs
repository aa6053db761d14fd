//! Generates numbers that are the same on every machine: the splitmix64 sequence.
//!
//! Not for secrets. Its output is part of the case format (`random` data) and of the meaning of a seed of
//! generated calls, so it never changes.

/// Returns the number at index `i`, from 0, of the splitmix64 sequence that starts at `seed`.
pub fn splitmix64(seed: u64, i: u64) -> u64 {
    let z = seed.wrapping_add(i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Returns the first bytes of the sequence that starts at `seed`, each number little-endian.
pub fn bytes<const N: usize>(seed: u64) -> [u8; N] {
    let mut bytes = [0; N];
    let (whole, rest) = bytes.as_chunks_mut();
    for (i, chunk) in whole.iter_mut().enumerate() {
        *chunk = splitmix64(seed, i as u64).to_le_bytes();
    }
    let last = splitmix64(seed, whole.len() as u64).to_le_bytes();
    rest.copy_from_slice(&last[..rest.len()]);
    bytes
}

/// Numbers drawn from the sequence of a seed, one after another.
pub struct Sequence {
    seed: u64,
    at: u64,
}

impl Sequence {
    /// Begins at this index of the sequence.
    pub const fn from(seed: u64, at: u64) -> Self {
        Self { seed, at }
    }

    /// Draws a number.
    pub fn number(&mut self) -> u64 {
        self.at += 1;
        splitmix64(self.seed, self.at - 1)
    }

    /// Draws a number below `count`, or 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        // Only the low 32 bits are used, so that the remainder does not depend on the width of `usize`.
        (self.number() as u32 as usize).checked_rem(count).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_gives_the_published_sequence() {
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        for (index, number) in published.into_iter().enumerate() {
            assert_eq!(splitmix64(1_234_567, index as u64), number);
        }
        let bytes = bytes::<12>(1_234_567);
        assert_eq!(bytes[..8], published[0].to_le_bytes());
        assert_eq!(bytes[8..], published[1].to_le_bytes()[..4]);
    }
}
