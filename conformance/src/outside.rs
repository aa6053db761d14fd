//! What comes from outside and may be hostile: a file or a folder of somebody else's.
//!
//! Whatever stands at a path, opening it waits for nobody and reading it comes to an end. What the bytes mean is checked by
//! who reads them. This is the one place that opens files: `cargo xtask tidy` holds that. Programs are started in
//! [`drive`](crate::drive) alone.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The most bytes of a file that a person or this project writes: cases, a baseline, a lock, a page.
pub const WRITTEN: usize = 64 << 20;

/// The most entries of a folder that a person or this project fills.
pub const ENTRIES: usize = 100_000;

/// Opens a regular file, or what a link to one names.
///
/// # Errors
/// The system's, and [`ErrorKind::InvalidInput`] for a pipe, a device, a socket or a folder: those may never end, and
/// opening some of them waits.
pub fn open(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(irregular());
    }
    // It may be replaced by a pipe, or have been.
    let mut options = File::options();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.read(true).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(irregular()) }
}

fn irregular() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "expected a regular file")
}

/// The bytes of a file of at most `most` bytes.
///
/// # Errors
/// As [`open`], and [`ErrorKind::FileTooLarge`]; then no more than `most` bytes were held.
pub fn bytes(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if read > most {
        let why = format!("expected at most {most} bytes, got more");
        return Err(io::Error::new(ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// The text of a file of at most `most` bytes.
///
/// # Errors
/// As [`bytes`], and [`ErrorKind::InvalidData`] where it is not UTF-8.
pub fn text(path: &Path, most: usize) -> io::Result<String> {
    String::from_utf8(bytes(path, most)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "expected UTF-8, got other bytes"))
}

/// What stands in a folder that has at most so many entries, in the order of their names.
///
/// # Errors
/// The system's, and [`ErrorKind::FileTooLarge`] where it has more.
pub fn entries(folder: &Path, most: usize) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        if paths.len() == most {
            let why = format!("expected at most {most} entries, got more");
            return Err(io::Error::new(ErrorKind::FileTooLarge, why));
        }
        paths.push(entry?.path());
    }
    paths.sort_unstable();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "four").unwrap();
        assert_eq!(text(file.path(), 4).unwrap(), "four");
        assert_eq!(text(file.path(), 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        fs::write(file.path(), b"\xff").unwrap();
        assert_eq!(text(file.path(), 3).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(text(Path::new("/no/such/file"), 3).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_folder_is_listed_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["c", "a", "b"].map(|name| folder.path().join(name));
        names.iter().for_each(|name| fs::write(name, "").unwrap());
        assert_eq!(entries(folder.path(), 3).unwrap(), ["a", "b", "c"].map(|name| folder.path().join(name)));
        assert_eq!(entries(folder.path(), 2).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(entries(&names[0], 2).unwrap_err().kind(), ErrorKind::NotADirectory);
    }

    #[test]
    #[cfg(unix)]
    fn what_may_never_end_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let started = Instant::now();
        for path in [&fifo, &link, Path::new("/dev/zero"), folder.path()] {
            assert_eq!(bytes(path, 10).unwrap_err().kind(), ErrorKind::InvalidInput, "{}", path.display());
        }
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
