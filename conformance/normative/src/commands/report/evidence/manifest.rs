//! The manifest: the SHA-256 of every file, in the format that `sha256sum -c SHA256SUMS` checks.
//!
//! It names every file but itself, sorted by name.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::provenance::of_bytes;

/// The manifest's file name.
pub(super) const NAME: &str = "SHA256SUMS";

/// Writes the manifest of these files.
pub(super) fn of(files: &BTreeMap<String, Vec<u8>>) -> String {
    files.iter().fold(String::new(), |mut list, (name, bytes)| {
        let _ = writeln!(list, "{}  {name}", of_bytes(bytes));
        list
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_what_sha256sum_writes() {
        let files = BTreeMap::from([("b/c".to_owned(), b"abc".to_vec()), ("a".to_owned(), Vec::new())]);
        let due = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n\
                   ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b/c\n";
        assert_eq!(of(&files), due);
    }
}
