//! A 64-bit non-cryptographic hash, to detect changed content.

use std::fmt;

use normative_backend::wire::encode_call;
use normative_reference::Call;

use crate::random::splitmix64;

/// The hash of all bytes added so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    /// Returns the hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut digest = Self::default();
        digest.add(bytes);
        digest
    }

    /// Returns the hash of a call, with its data.
    pub fn of_call(call: &Call) -> Self {
        Self::of(&encode_call(0, call))
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = splitmix64(self.0 ^ u64::from_le_bytes(word), chunk.len() as u64);
        }
    }

    /// Returns the hash.
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
