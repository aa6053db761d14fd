//! What comes from outside and may be hostile: a file or a folder of somebody else's.
//!
//! Whatever stands at a path, opening it waits for nobody and reading it comes to an end. What the bytes mean is checked by
//! who reads them. A file that is written is there whole, or as it was. This is the one place that opens files: `cargo xtask tidy` holds that. Programs are started in
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

/// Writes a file beside its place and moves it there, so that an error leaves what was there. `fill` writes the bytes. What
/// is not a regular file, such as a pipe, is written to as it stands.
///
/// # Errors
/// The system's, and what `fill` gives.
pub fn write(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // A link stays one.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = match fs::metadata(&place) {
        Ok(before) if !before.is_file() => return fill(&mut File::options().write(true).open(&place)?),
        before => before.ok(),
    };
    let mut beside = place.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = Path::new(&beside);
    let written = File::create(beside).and_then(|mut file| {
        fill(&mut file)?;
        before.map_or(Ok(()), |before| file.set_permissions(before.permissions()))
    });
    let moved = written.and_then(|()| fs::rename(beside, &place));
    moved.inspect_err(|_| _ = fs::remove_file(beside))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
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
        for name in &names {
            fs::write(name, "").unwrap();
        }
        assert_eq!(entries(folder.path(), 3).unwrap(), ["a", "b", "c"].map(|name| folder.path().join(name)));
        assert_eq!(entries(folder.path(), 2).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(entries(&names[0], 2).unwrap_err().kind(), ErrorKind::NotADirectory);
    }

    #[test]
    fn a_file_is_written_whole_or_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report");
        let write_text = |text: &str| write(&file, |to| to.write_all(text.as_bytes()));
        write_text("before").unwrap();
        let full = |to: &mut File| to.write_all(b"half").and(Err(ErrorKind::StorageFull.into()));
        assert_eq!(write(&file, full).unwrap_err().kind(), ErrorKind::StorageFull);
        assert_eq!(text(&file, 10).unwrap(), "before");
        write_text("after").unwrap();
        assert_eq!(text(&file, 10).unwrap(), "after");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_a_link_and_a_device_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("report"), folder.path().join("link"));
        fs::write(&file, "before").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for path in [&link, Path::new("/dev/null")] {
            write(path, |to| to.write_all(b"after")).unwrap();
        }
        assert_eq!(text(&file, 10).unwrap(), "after");
        assert!(
            fs::symlink_metadata(&link).unwrap().is_symlink()
                && !fs::metadata("/dev/null").unwrap().is_file()
        );
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
