//! The list of files with the SHA-256 of each, as `sha256sum` writes it, so that `sha256sum -c SHA256SUMS` checks it too.
//!
//! The list names every file but itself and its signature, in the order of their names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use normative_conformance::outside;

use crate::provenance::of_bytes;

/// The most bytes that the files of an evidence folder may have together, and a record or a file of requirements alone.
pub(super) const LARGEST: usize = 1 << 31;

/// The list.
pub(super) const NAME: &str = "SHA256SUMS";

/// Its signature.
pub(super) const SIGNATURE: &str = "SHA256SUMS.sig";

/// The list of these files.
pub(super) fn of(files: &BTreeMap<String, Vec<u8>>) -> String {
    files.iter().fold(String::new(), |mut list, (name, bytes)| {
        let _ = writeln!(list, "{}  {name}", of_bytes(bytes));
        list
    })
}

/// What differs between a list and files: each in words.
pub(super) fn differences(list: &[u8], files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    if list == of(files).as_bytes() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(list);
    let listed: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.split_once("  ")).map(|(digest, name)| (name, digest)).collect();
    let mut found: Vec<String> = Vec::new();
    for (name, bytes) in files {
        match listed.get(name.as_str()) {
            None => found.push(format!("{name}: is not in {NAME}")),
            Some(digest) if *digest != of_bytes(bytes) => {
                found.push(format!("{name}: is not what {NAME} lists"));
            }
            Some(_) => {}
        }
    }
    let missing = listed.keys().filter(|name| !files.contains_key(**name));
    found.extend(missing.map(|name| format!("{name:?}: is listed in {NAME}, and is not there")));
    if found.is_empty() {
        found.push(format!("{NAME}: is not written as sha256sum writes it, in the order of the names"));
    }
    found
}

/// The regular files below a folder by their names, and what else is there, in words.
type Below = (BTreeMap<String, Vec<u8>>, Vec<String>);

/// Every regular file below a folder by its name, and what else is there.
///
/// # Errors
/// When something cannot be read.
pub(super) fn files_below(root: &Path) -> Result<Below> {
    let (mut files, mut others) = (BTreeMap::new(), Vec::new());
    let mut folders = vec![String::new()];
    let mut filled: BTreeSet<String> = BTreeSet::new();
    let mut left = LARGEST;
    while let Some(folder) = folders.pop() {
        let at = root.join(&folder);
        for path in outside::entries(&at, outside::ENTRIES).with_context(|| at.display().to_string())? {
            let Some(own) = path.file_name().and_then(|own| own.to_str()) else {
                others.push(format!("{}: its name is not UTF-8", path.display()));
                continue;
            };
            let name = if folder.is_empty() { own.to_owned() } else { format!("{folder}/{own}") };
            filled.insert(folder.clone());
            // What a link names may change without the folder.
            let kind = fs::symlink_metadata(&path).with_context(|| name.clone())?.file_type();
            if kind.is_dir() {
                folders.push(name);
            } else if kind.is_file() {
                let bytes = outside::bytes(&path, left).with_context(|| name.clone())?;
                left -= bytes.len();
                files.insert(name, bytes);
            } else {
                others.push(format!("{name}: expected a regular file"));
            }
            if folders.len() > FOLDERS {
                others.push(format!("expected at most {FOLDERS} folders in a folder, got more"));
                return Ok((files, others));
            }
        }
        if !folder.is_empty() && !filled.contains(&folder) {
            others.push(format!("{folder}: expected a file in it, got an empty folder"));
        }
    }
    Ok((files, others))
}

/// Folders that are looked into at a time; evidence has two.
const FOLDERS: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_what_sha256sum_writes() {
        let files = BTreeMap::from([("b/c".to_owned(), b"abc".to_vec()), ("a".to_owned(), Vec::new())]);
        let due = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n\
                   ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b/c\n";
        assert_eq!(of(&files), due);
        assert_eq!(differences(due.as_bytes(), &files), [""; 0]);
        for (list, says) in [
            (due.to_uppercase(), "is not in SHA256SUMS"),
            (due.replace("7852b855", "7852b856"), "a: is not what SHA256SUMS lists"),
            (due.lines().next().unwrap().to_owned() + "\n", "b/c: is not in SHA256SUMS"),
            (format!("{due}{}  d\n", "0".repeat(64)), "\"d\": is listed in SHA256SUMS, and is not there"),
            (due.trim_end().to_owned(), "is not written as sha256sum writes it"),
        ] {
            let found = differences(list.as_bytes(), &files).join("\n");
            assert!(found.contains(says), "{found}");
        }
    }
}
