//! The files that make up a worker: those that its command line and environment name, the libraries that it has
//! loaded, and the packages of its Python.
//!
//! This module starts no process. Libraries are the files that the process has mapped when it says hello, by
//! `/proc/PID/maps`; later ones are missed. Packages are those of the program's virtual environment, those in the
//! folders of `PYTHONPATH`, and, for any other Python, those with a loaded library. A package counts by its `RECORD`,
//! which has the SHA-256 of each installed file; those files are not read. An unreadable file is skipped. Files beyond
//! [`Budget`] are skipped too, and a note counts them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use normative_conformance::drive::Program;
use normative_conformance::outside;
use normative_conformance::report::record::WorkerFile;

use super::budget::Budget;
use crate::note::note;

/// The maximum of entries read in a folder of packages; the largest known installations have a few hundred.
const PACKAGES: usize = 10_000;

/// The maximum size of `/proc/PID/maps`: Linux allows 65,530 areas, each with a line of about 250 bytes.
const MAPS: usize = 16 << 20;

/// Returns the files of a worker with this process id: named files first, then libraries, then packages.
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
    let mut files: Vec<WorkerFile> = named.iter().filter_map(|path| of(path, 1, budget)).collect();
    let mapped = process.map(mapped_by).unwrap_or_default();
    let code = mapped.difference(&named.iter().cloned().collect()).cloned().collect::<Vec<_>>();
    let mut libraries: Vec<WorkerFile> = code.iter().filter_map(|path| of(path, 1, budget)).collect();
    // The paths of libraries differ between machines, so sort by name and digest.
    libraries.sort_by(|one, other| (&one.name, &one.sha256).cmp(&(&other.name, &other.sha256)));
    libraries.dedup();
    files.extend(libraries);
    let records = packages(program, &mapped);
    let mut packages: Vec<WorkerFile> = records.iter().filter_map(|path| of(path, 2, budget)).collect();
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    files.extend(packages);
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

/// Returns the `RECORD` files of the packages of a worker's Python.
fn packages(program: &Program, mapped: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut records = BTreeSet::new();
    for folder in environment(program).into_iter().chain(paths(program)) {
        records.extend(in_folder(&folder));
    }
    // For Python outside an environment, take only packages with a loaded library: others may be unused.
    let is_site = |name: &std::ffi::OsStr| name == "site-packages" || name == "dist-packages";
    let site =
        |path: &PathBuf| path.ancestors().find(|at| at.file_name().is_some_and(is_site)).map(Path::to_owned);
    let sites: BTreeSet<PathBuf> = mapped.iter().filter_map(site).collect();
    for site in sites {
        let loaded: Vec<&Path> = mapped.iter().filter_map(|path| path.strip_prefix(&site).ok()).collect();
        let is_loaded = |record: &PathBuf| {
            let list = outside::text(record, outside::WRITTEN).unwrap_or_default();
            let mut files = list.lines().filter_map(|line| line.split(',').next());
            files.any(|file| loaded.contains(&Path::new(file)))
        };
        records.extend(in_folder(&site).into_iter().filter(is_loaded));
    }
    records
}

/// Returns the package folders of the virtual environment that contains the program.
fn environment(program: &Program) -> Vec<PathBuf> {
    let Some(root) = executable(&program.path).and_then(|path| Some(path.parent()?.parent()?.to_owned()))
    else {
        return Vec::new();
    };
    if !root.join("pyvenv.cfg").is_file() {
        return Vec::new();
    }
    let versions = outside::entries(&root.join("lib"), PACKAGES).unwrap_or_default();
    let folders = versions.into_iter().map(|version| version.join("site-packages"));
    folders.chain([root.join("Lib/site-packages")]).filter(|folder| folder.is_dir()).collect()
}

/// Returns the folders in `PYTHONPATH`, if the program is Python.
fn paths(program: &Program) -> Vec<PathBuf> {
    let named = program.env.iter().rfind(|(name, _)| name == "PYTHONPATH").map(|(_, value)| value.clone());
    let named = named.or_else(|| std::env::var_os("PYTHONPATH")).unwrap_or_default();
    let is_python =
        executable(&program.path).and_then(|path| path.file_name().map(std::ffi::OsStr::to_owned));
    let is_python = is_python.is_some_and(|name| name.to_string_lossy().starts_with("python"));
    if is_python { std::env::split_paths(&named).collect() } else { Vec::new() }
}

/// Returns the `RECORD` files of the packages in a folder.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = outside::entries(folder, PACKAGES).unwrap_or_default().into_iter();
    let packages = entries.filter(|path| path.extension().is_some_and(|ending| ending == "dist-info"));
    packages.map(|path| path.join("RECORD")).filter(|record| record.is_file()).collect()
}

/// Returns a file with its digest, named by the last `words` parts of its path. `None` if it is unreadable or beyond
/// the budget.
fn of(path: &Path, words: usize, budget: &mut Budget) -> Option<WorkerFile> {
    let (sha256, bytes) = budget.digest(path)?;
    let mut last: Vec<_> = path.iter().rev().take(words).map(|word| word.to_string_lossy()).collect();
    last.reverse();
    Some(WorkerFile { name: last.join("/"), bytes, sha256 })
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

    /// Makes a folder of packages, each with a `RECORD`.
    fn site(folder: &Path, packages: &[(&str, &str)]) -> Vec<PathBuf> {
        let made = packages.iter().map(|(name, list)| {
            let record = folder.join(format!("{name}-1.2.dist-info/RECORD"));
            fs::create_dir_all(record.parent().unwrap()).unwrap();
            fs::write(&record, list).unwrap();
            record
        });
        made.collect()
    }

    #[test]
    fn packages_are_those_of_an_environment_and_of_named_folders() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let of_environment =
            site(&at("venv/lib/python3.12/site-packages"), &[("sums", "sums.py,sha256=abc,3\n")]);
        let of_path = site(&at("mine"), &[("more", "more.py,,\n")]);
        fs::create_dir_all(at("venv/bin")).unwrap();
        for file in ["venv/bin/python", "venv/bin/node"] {
            fs::write(at(file), "").unwrap();
        }
        let env = vec![("PYTHONPATH".into(), at("mine").into())];
        let program = Program { env, ..Program::new(at("venv/bin/python")) };
        let found = |program: &Program| packages(program, &BTreeSet::new());
        assert_eq!(found(&program), BTreeSet::from_iter(of_path.clone()));
        fs::write(at("venv/pyvenv.cfg"), "").unwrap();
        assert_eq!(found(&program), of_environment.iter().chain(&of_path).cloned().collect());
        assert_eq!(
            names(&files(&program, None)),
            ["python", "more-1.2.dist-info/RECORD", "sums-1.2.dist-info/RECORD"]
        );
        // Only Python gets the folders of PYTHONPATH.
        assert_eq!(
            found(&Program { path: at("venv/bin/node"), ..program }),
            BTreeSet::from_iter(of_environment)
        );
    }

    #[test]
    fn of_a_machine_s_python_the_packages_that_are_loaded_count() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("usr/lib/python3/dist-packages");
        let lists = [
            ("sums", "sums/a.so,sha256=abc,3\nsums/b.py,,\n"),
            ("other", "other/a.so,,\n"),
            ("more", "more.py,,\n"),
        ];
        let records = site(&at, &lists);
        let mapped = BTreeSet::from([at.join("sums/a.so"), folder.path().join("other/a.so")]);
        assert_eq!(packages(&Program::new("python3"), &mapped), BTreeSet::from([records[0].clone()]));
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
