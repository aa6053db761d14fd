//! The files that make up a worker: those that its command line and environment name, and the libraries that it has
//! loaded.
//!
//! This module starts no process. Libraries are the files that the process has mapped when it says hello, by
//! `/proc/PID/maps`; later ones are missed. An unreadable file is skipped. Files beyond [`Budget`] are skipped too, and
//! a note counts them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use normative_conformance::drive::Program;
use normative_conformance::outside;
use normative_conformance::report::record::WorkerFile;

use super::budget::Budget;
use crate::note::note;

/// The maximum size of `/proc/PID/maps`: Linux allows 65,530 areas, each with a line of about 250 bytes.
const MAPS: usize = 16 << 20;

/// Returns the files of a worker with this process id: named files first, then libraries.
pub(super) fn files(program: &Program, process: Option<u32>) -> Vec<WorkerFile> {
    let mut budget = Budget::new();
    let files = within(program, process, &mut budget);
    if budget.left_out() > 0 {
        note(format_args!(
            "the record says nothing of {} files of the worker: they are too large or too many to be read",
            budget.left_out()
        ));
    }
    files
}

fn within(program: &Program, process: Option<u32>, budget: &mut Budget) -> Vec<WorkerFile> {
    let named = named(program);
    let mut files: Vec<WorkerFile> = named.iter().filter_map(|path| of(path, budget)).collect();
    let mapped = process.map(mapped_by).unwrap_or_default();
    let code = mapped.difference(&named.iter().cloned().collect()).cloned().collect::<Vec<_>>();
    let mut libraries: Vec<WorkerFile> = code.iter().filter_map(|path| of(path, budget)).collect();
    // The paths of libraries differ between machines, so sort by name and digest.
    libraries.sort_by(|one, other| (&one.name, &one.sha256).cmp(&(&other.name, &other.sha256)));
    libraries.dedup();
    files.extend(libraries);
    files
}

/// Returns the program, and every file that an argument or a variable names.
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

/// Returns the path of a program; a bare name is looked up in `PATH`.
fn executable(path: &Path) -> Option<PathBuf> {
    if path.components().count() > 1 {
        return Some(path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|file| file.is_file())
}

/// Returns the files that a process has mapped as executable, or an empty set if the system does not tell.
fn mapped_by(process: u32) -> BTreeSet<PathBuf> {
    let maps = outside::bytes(Path::new(&format!("/proc/{process}/maps")), MAPS).unwrap_or_default();
    mapped(&String::from_utf8_lossy(&maps))
}

/// Returns the executable files in a table with lines `ADDRESSES PERMISSIONS OFFSET DEVICE INODE PATH`.
fn mapped(maps: &str) -> BTreeSet<PathBuf> {
    let is_code =
        |line: &&str| line.split_whitespace().nth(1).is_some_and(|permissions| permissions.contains('x'));
    let path = |line: &str| line.find('/').map(|at| PathBuf::from(&line[at..]));
    maps.lines().filter(is_code).filter_map(path).filter(|path| path.is_file()).collect()
}

/// Returns a file with its digest. `None` if it is unreadable or beyond the budget.
fn of(path: &Path, budget: &mut Budget) -> Option<WorkerFile> {
    let (sha256, bytes) = budget.digest(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Some(WorkerFile { name, bytes, sha256 })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(files: &[WorkerFile]) -> Vec<&str> {
        files.iter().map(|file| file.name.as_str()).collect()
    }

    #[test]
    fn a_worker_is_its_program_and_the_files_it_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
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
        assert!(mapped_by(std::process::id()).contains(&own));
        let found = files(&Program::new("no-such-program-anywhere"), Some(std::process::id()));
        assert!(names(&found).contains(&own.file_name().unwrap().to_str().unwrap()), "{found:?}");
        assert!(found.is_sorted_by(|one, other| one.name <= other.name), "{found:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_is_called_like_python_is_not_run_again() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (evil, mark) = (folder.path().join("python-evil"), folder.path().join("mark"));
        fs::write(&evil, format!("#!/bin/sh\necho >{}\n", mark.display())).unwrap();
        fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(names(&files(&Program::new(evil), None)), ["python-evil"]);
        assert!(!mark.exists());
    }
}
