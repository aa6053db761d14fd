//! SHA-256 as the hexadecimal digits that `sha256sum` prints.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Returns the digest of bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    let mut hash = Hash::new();
    hash.add(bytes);
    hash.digits()
}

/// The digest of bytes that come in parts.
pub(super) struct Hash(Sha256);

impl Hash {
    /// Starts with no bytes.
    pub(super) fn new() -> Self {
        Self(Sha256::new())
    }

    /// Adds the next part.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hexadecimal digits.
    pub(super) fn digits(self) -> String {
        self.0.finalize().iter().fold(String::new(), |mut digits, byte| {
            let _ = write!(digits, "{byte:02x}");
            digits
        })
    }
}
