//! Opens files and folders from outside, which may be hostile.
//!
//! Opening a path never blocks, and reading always ends, whatever the path names. The callers check the meaning
//! of the bytes. A written file is complete, or stays as it was. Only this module opens files, as
//! `cargo xtask tidy` checks. Only [`drive`](crate::drive) starts programs.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The most bytes of a file that a person or this project writes: cases, a baseline, a lock, a page.
pub const WRITTEN: usize = 64 << 20;

/// The most entries of a folder that a person or this project fills.
pub const ENTRIES: usize = 100_000;

/// Opens a regular file, or a link to one.
///
/// # Errors
/// Returns the system's errors, and [`ErrorKind::InvalidInput`] for a pipe, a device, a socket or a folder:
/// reading those may never end, and opening some of them blocks.
pub fn open(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(irregular());
    }
    // A pipe may replace the file after the check, so the open does not block, and the type is checked again.
    let mut options = File::options();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.read(true).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(irregular()) }
}

/// Opens a file to write, and makes it if it is not there. Its bytes stay, so that a caller can lock it first.
///
/// # Errors
/// Returns the system's errors.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    File::options().write(true).create(true).truncate(false).open(path)
}

/// Opens a regular file to read it, and to write behind its end.
///
/// # Errors
/// Fails like [`open`].
pub fn open_to_append(path: &Path) -> io::Result<File> {
    open(path)?;
    File::options().read(true).append(true).open(path)
}

fn irregular() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "expected a regular file")
}

/// Returns the bytes of a file of at most `most` bytes.
///
/// # Errors
/// Fails like [`open`], or with [`ErrorKind::FileTooLarge`], without holding more than `most + 1` bytes.
pub fn bytes(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if read > most {
        let why = format!("expected at most {most} bytes, got more");
        return Err(io::Error::new(ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// Returns the text of a file of at most `most` bytes.
///
/// # Errors
/// Fails like [`bytes`], or with [`ErrorKind::InvalidData`] if it is not UTF-8.
pub fn text(path: &Path, most: usize) -> io::Result<String> {
    String::from_utf8(bytes(path, most)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "expected UTF-8, got other bytes"))
}

/// Returns the text of a file like [`text`], or `None` if there is no file.
///
/// # Errors
/// Fails like [`text`] if there is one.
pub fn text_if_there(path: &Path, most: usize) -> io::Result<Option<String>> {
    match text(path, most) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// Returns the entries of a folder that has at most `most`, sorted by name.
///
/// # Errors
/// Returns the system's errors, and [`ErrorKind::FileTooLarge`] if it has more.
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

/// Writes to a temporary file beside the path and renames it, so that an error leaves the old file. `fill`
/// writes the bytes. If the path is not a regular file, such as a pipe, it is written directly.
///
/// # Errors
/// Returns the errors of the system and of `fill`.
pub fn write(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // Resolve links, so that a link stays a link.
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
        assert_eq!(text_if_there(Path::new("/no/such/file"), 3).unwrap(), None);
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
