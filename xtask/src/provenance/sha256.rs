//! SHA-256 as the hexadecimal digits that `sha256sum` prints.

use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::path::Path;

use normative_conformance::outside;
use sha2::{Digest as _, Sha256};

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 16;

/// The digest of bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    digits(&Sha256::digest(bytes))
}

/// The digest of a regular file, and its length.
///
/// # Errors
/// The system's.
pub(crate) fn of_file(path: &Path) -> io::Result<(String, u64)> {
    let (mut file, mut digest, mut length) = (outside::open(path)?, Sha256::new(), 0);
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok((digits(&digest.finalize()), length)),
            Ok(read) => {
                digest.update(&chunk[..read]);
                length += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
