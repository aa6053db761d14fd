//! The files that a worker consists of, as far as they can be found: those that were named when it was started, the
//! libraries that it has loaded, and the packages that its Python finds.
//!
//! Libraries are those that its process has mapped when it says hello, which Linux tells; what is loaded later is not seen. Of a
//! package of Python's, the list of its files (`RECORD`) counts, which names the SHA-256 of each as it was installed; the
//! files are not read again. A file that may be run and not read is left out.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use normative_conformance::drive::Program;
use normative_conformance::report::record::WorkerFile;

use super::of_file;

/// Bytes of libraries that are read; those of the largest known runtime are a quarter of that.
const MOST: u64 = 1 << 32;

/// Prints where Python looks for packages.
const SCRIPT: &str = "import sys; print('\\n'.join(path for path in sys.path if path))";

/// The files of a worker that this program starts, and whose process has this number: named ones, then libraries, then packages.
pub(super) fn files(program: &Program, process: Option<u32>) -> Vec<WorkerFile> {
    let named = named(program);
    let mut files: Vec<WorkerFile> = named.iter().filter_map(|path| of(path, 1)).collect();
    let (mut libraries, mut left): (Vec<WorkerFile>, u64) = (Vec::new(), MOST);
    for path in process.map(loaded).unwrap_or_default().difference(&named.iter().cloned().collect()) {
        let length = fs::metadata(path).map_or(u64::MAX, |is| is.len());
        if let Some(rest) = left.checked_sub(length) {
            left = rest;
            libraries.extend(of(path, 1));
        }
    }
    // Where a library lies is a matter of this machine, and so is the order of the places.
    libraries.sort_by(|one, other| (&one.name, &one.sha256).cmp(&(&other.name, &other.sha256)));
    libraries.dedup();
    files.extend(libraries);
    let mut packages: Vec<WorkerFile> = packages(program).iter().filter_map(|path| of(path, 2)).collect();
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    files.extend(packages);
    files
}

/// The program, and every file that an argument or a variable names.
fn named(program: &Program) -> Vec<PathBuf> {
    let named = program.args.iter().chain(program.env.iter().map(|(_, value)| value));
    let mut files: Vec<PathBuf> = Vec::new();
    for path in executable(&program.path).into_iter().chain(named.map(PathBuf::from)) {
        if path.is_file() && !files.contains(&path) {
            files.push(path);
        }
    }
    files
}

/// The file of a program: where it is, or, of a bare name, the first of that name in `PATH`.
fn executable(path: &Path) -> Option<PathBuf> {
    if path.components().count() > 1 {
        return Some(path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|file| file.is_file())
}

/// The files that a process has mapped to be executed; none where the system does not tell.
fn loaded(process: u32) -> BTreeSet<PathBuf> {
    let maps = fs::read(format!("/proc/{process}/maps")).unwrap_or_default();
    mapped(&String::from_utf8_lossy(&maps))
}

/// The files in a table of what is mapped, `ADDRESSES PERMISSIONS OFFSET DEVICE INODE PATH`, that may be executed.
fn mapped(maps: &str) -> BTreeSet<PathBuf> {
    let is_code =
        |line: &&str| line.split_whitespace().nth(1).is_some_and(|permissions| permissions.contains('x'));
    let path = |line: &str| line.find('/').map(|at| PathBuf::from(&line[at..]));
    maps.lines().filter(is_code).filter_map(path).filter(|path| path.is_file()).collect()
}

/// The lists of files of all packages that are installed where the worker's Python looks; none of another program.
fn packages(program: &Program) -> BTreeSet<PathBuf> {
    let name = program.path.file_name().and_then(OsStr::to_str);
    if !name.is_some_and(|name| name.starts_with("python")) {
        return BTreeSet::new();
    }
    let mut python = Command::new(&program.path);
    python.args(["-c", SCRIPT]).envs(program.env.iter().map(|(name, value)| (name, value)));
    let Ok(output) = python.stdin(Stdio::null()).output() else { return BTreeSet::new() };
    let folders = String::from_utf8_lossy(&output.stdout).into_owned();
    folders.lines().flat_map(|folder| records(Path::new(folder)).unwrap_or_default()).collect()
}

/// The lists of files of the packages in a folder.
fn records(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let record = path.join("RECORD");
        if path.extension().is_some_and(|ending| ending == "dist-info") && record.is_file() {
            found.push(record);
        }
    }
    Ok(found)
}

/// A file with its digest, by so many of the last words of its path; `None` where it cannot be read.
fn of(path: &Path, words: usize) -> Option<WorkerFile> {
    let (sha256, bytes) = of_file(path).ok()?;
    let mut last: Vec<_> = path.iter().rev().take(words).map(|word| word.to_string_lossy()).collect();
    last.reverse();
    Some(WorkerFile { name: last.join("/"), bytes, sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[WorkerFile]) -> Vec<&str> {
        files.iter().map(|file| file.name.as_str()).collect()
    }

    #[test]
    fn a_worker_is_its_program_and_the_files_it_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let (program, script, library) = (file("w", "program"), file("s.py", "abc"), file("l.so", "library"));
        let program = Program {
            args: vec![script.clone().into(), "sum".into(), script.into(), folder.path().into()],
            env: vec![("A_LIBRARY".into(), library.into()), ("A_NUMBER".into(), "1".into())],
            ..Program::new(program)
        };
        let worker = files(&program, None);
        assert_eq!(names(&worker), ["w", "s.py", "l.so"]);
        assert_eq!(worker[1].bytes, 3);
        // The first test vector of FIPS 180.
        let due = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(worker[1].sha256, due);
    }

    #[test]
    fn a_program_without_a_file_is_not_invented() {
        assert_eq!(files(&Program::new("no-such-program-anywhere"), None), []);
    }

    #[test]
    fn of_what_is_mapped_code_in_files_counts() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("a library.so");
        fs::write(&library, "library").unwrap();
        let at = library.display();
        let maps = format!(
            "7f0-7f1 r--p 00000000 fd:01 1 {at}\n7f1-7f2 r-xp 00001000 fd:01 1 {at}\n7f3-7f4 r-xp 0 00:00 0 [vdso]\n\
             7f5-7f6 r--p 0 fd:01 2 {0}/data\n7f7-7f8 r-xp 0 fd:01 3 {0}/gone.so (deleted)\n7f9-7fa rwxp 0 00:00 0\n",
            folder.path().display()
        );
        assert_eq!(mapped(&maps), BTreeSet::from([library]));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_has_loaded_its_own_program() {
        let own = std::env::current_exe().unwrap();
        assert!(loaded(std::process::id()).contains(&own));
        let found = files(&Program::new("no-such-program-anywhere"), Some(std::process::id()));
        assert!(names(&found).contains(&own.file_name().unwrap().to_str().unwrap()), "{found:?}");
        assert!(found.is_sorted_by(|one, other| one.name <= other.name), "{found:?}");
    }

    #[test]
    fn packages_are_those_that_python_finds() {
        if Command::new("python3").arg("-V").output().is_err() {
            return eprintln!("left out: no python3");
        }
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("sums-1.2.dist-info/RECORD");
        fs::create_dir(record.parent().unwrap()).unwrap();
        fs::write(&record, "sums.py,sha256=abc,3\n").unwrap();
        let env = vec![("PYTHONPATH".into(), folder.path().into())];
        let program = Program { env, ..Program::new("python3") };
        assert!(packages(&program).contains(&record));
        let found = files(&program, None);
        let digest = super::super::of_bytes(&fs::read(&record).unwrap());
        assert!(
            found.iter().any(|file| file.name == "sums-1.2.dist-info/RECORD" && file.sha256 == digest),
            "{found:?}"
        );
        // Any other program has none.
        assert_eq!(packages(&Program { path: "node".into(), ..program }), BTreeSet::new());
    }
}
