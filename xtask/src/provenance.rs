//! Where a run comes from: which suite judged, on what machine, and which files were judged.
//!
//! All of it is found once, when a run begins, and stands in the head of its record. No verdict depends on it, and what
//! cannot be found is left out.

mod checkout;
mod floats;
mod machine;
mod sha256;
mod suite;

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use normative_conformance::drive::Program;
use normative_conformance::report::record::{Machine, WorkerFile};
use normative_conformance::session::Origin;

pub(crate) use self::checkout::commit;
pub(crate) use self::sha256::{of_bytes, of_file};
pub(crate) use self::suite::Suite;
use crate::select::Folder;

/// Where a run comes from that begins now, of this worker. A file that may be run and not read is left out.
pub(crate) fn origin(program: &Program) -> Origin {
    let worker = files(program).iter().filter_map(|path| worker_file(path).ok()).collect();
    let started = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    Origin { commit: commit(), started: Some(started), machine: Machine { worker, ..machine::here() } }
}

/// What judges, in words.
pub(crate) fn made_by() -> String {
    suite::made_by(env!("CARGO_PKG_VERSION"), commit().as_deref())
}

/// The version of this suite, its commit, and digests of what it judges by, in words; what of that cannot be found is said.
pub(crate) fn version() -> String {
    let folder = Folder::at(None, false);
    let suite = folder.load().and_then(|corpus| Suite::of(&folder, &corpus, &folder.ledger()?));
    suite.map_or_else(|error| format!("{}\n{error:#}\n", made_by()), |suite| format!("{suite}\n"))
}

/// The files that a worker is known to consist of: its program, and every file that an argument or a variable names.
fn files(program: &Program) -> Vec<PathBuf> {
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

fn worker_file(path: &Path) -> io::Result<WorkerFile> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let (sha256, bytes) = of_file(path)?;
    Ok(WorkerFile { name, bytes, sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let worker = origin(&program).machine.worker;
        let names: Vec<&str> = worker.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["w", "s.py", "l.so"]);
        assert_eq!(worker[1].bytes, 3);
        // The first test vector of FIPS 180.
        let due = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(worker[1].sha256, due);
    }

    #[test]
    fn a_program_without_a_file_is_not_invented() {
        assert_eq!(origin(&Program::new("no-such-program-anywhere")).machine.worker, []);
    }

    #[test]
    fn a_run_begins_at_a_date_in_utc() {
        let started = origin(&Program::new("none")).started.unwrap();
        assert!(started.len() == 20 && started.starts_with("20") && started.ends_with('Z'), "{started}");
    }
}
