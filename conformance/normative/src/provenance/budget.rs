//! Limits on reading a worker's files, whose digests tell one worker from another.
//!
//! A worker may map anything: a sparse file of a terabyte, a file that grows while it is read, 60,000 files. Each file
//! is read to its end or not at all.

use std::io::{self, Read as _};
use std::path::Path;
use std::time::{Duration, Instant};

use normative_conformance::outside;

use super::sha256::Hash;

/// The maximum of bytes; the largest known runtime has a quarter of that.
const BYTES: u64 = 1 << 32;

/// The maximum of files; the largest known runtimes have a few hundred.
const FILES: usize = 4096;

/// The maximum time: 4 GiB at less than 0.01 s for each MiB.
const TIME: Duration = Duration::from_secs(40);

/// The bytes of one read.
const CHUNK: usize = 1 << 16;

/// The rest of the budget.
pub(super) struct Budget {
    bytes: u64,
    files: usize,
    until: Instant,
    left_out: usize,
}

impl Budget {
    /// Starts a budget now.
    pub(super) fn new() -> Self {
        Self { bytes: BYTES, files: FILES, until: Instant::now() + TIME, left_out: 0 }
    }

    /// Returns the number of files that were skipped because the budget was used up.
    pub(super) const fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the digest of a regular file and its length, or `None` if it is unreadable or beyond the budget.
    pub(super) fn digest(&mut self, path: &Path) -> Option<(String, u64)> {
        match self.read(path) {
            Ok(Some(read)) => Some(read),
            Ok(None) => {
                self.left_out += 1;
                None
            }
            Err(_) => None,
        }
    }

    fn read(&mut self, path: &Path) -> io::Result<Option<(String, u64)>> {
        let mut file = outside::open(path)?;
        if self.files == 0 || file.metadata()?.len() > self.bytes {
            return Ok(None);
        }
        self.files -= 1;
        let (mut hash, mut length, mut chunk) = (Hash::new(), 0, vec![0; CHUNK]);
        while Instant::now() < self.until {
            match file.read(&mut chunk) {
                Ok(0) => return Ok(Some((hash.digits(), length))),
                Ok(read) => {
                    let Some(rest) = self.bytes.checked_sub(read as u64) else { return Ok(None) };
                    (self.bytes, length) = (rest, length + read as u64);
                    hash.add(&chunk[..read]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn file(folder: &Path, name: &str, length: u64) -> std::path::PathBuf {
        let path = folder.join(name);
        File::create(&path).unwrap().set_len(length).unwrap();
        path
    }

    #[test]
    fn a_file_without_a_place_in_the_budget_is_left_out_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let (small, vast) = (file(folder.path(), "small", 3), file(folder.path(), "vast", 1 << 40));
        let mut budget = Budget::new();
        let started = Instant::now();
        assert_eq!(budget.digest(&vast), None);
        assert_eq!(budget.digest(&small).map(|(_, length)| length), Some(3));
        assert!(started.elapsed() < Duration::from_secs(10));
        assert_eq!((budget.left_out(), budget.bytes), (1, BYTES - 3));
        assert_eq!(budget.digest(&folder.path().join("none")), None);
        assert_eq!(budget.left_out(), 1, "a file that is not there is not left out");
    }

    #[test]
    fn no_more_files_are_read_than_the_budget_has_and_none_after_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let small = file(folder.path(), "small", 3);
        let mut few = Budget { files: 1, ..Budget::new() };
        assert!(few.digest(&small).is_some());
        assert!(few.digest(&small).is_none());
        let mut late = Budget { until: Instant::now(), ..Budget::new() };
        assert!(late.digest(&small).is_none());
        assert_eq!((few.left_out(), late.left_out()), (1, 1));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_says_it_is_empty_and_has_no_end_uses_up_the_budget() {
        // Files in /proc have the length 0.
        let mut budget = Budget { bytes: 10, ..Budget::new() };
        assert_eq!(budget.digest(Path::new("/proc/self/status")), None);
        assert_eq!(budget.left_out(), 1);
    }
}
