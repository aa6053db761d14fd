//! The languages that have a worker in `backends/`, and how a program in each is started.
//!
//! Where a language cannot be run, its tests say so and leave it at that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use normative_conformance::drive::Program;

/// A language with a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    JavaScript,
    C,
}

impl Language {
    /// The program that runs `script` in this role; `None` where there is nothing here that could.
    pub(super) fn program(self, script: &Path, role: &str) -> Option<Program> {
        match self {
            Self::Python => super::program(script, role, "struct"),
            Self::JavaScript => has("node")
                .then(|| Program { args: vec![script.into(), role.into()], ..Program::new("node") }),
            Self::C => Some(Program { args: vec![role.into()], ..Program::new(compiled(script)?) }),
        }
    }

    /// How the name of a file in this language ends.
    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::Python => "py",
            Self::JavaScript => "mjs",
            Self::C => "c",
        }
    }

    /// The backend that is the same in every language: norms of a few types, and, in a role, misconduct.
    pub(super) fn sums(self, role: &str) -> Option<Program> {
        self.script("sums", role)
    }

    /// The backend of this name in the folder of these tests.
    pub(super) fn script(self, name: &str, role: &str) -> Option<Program> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages");
        self.program(&folder.join(format!("{name}.{}", self.ending())), role)
    }

    /// The class of an error that is raised and is no refusal, with the words of `sums`.
    pub(super) const fn raised(self) -> &'static str {
        match self {
            Self::Python => "KeyError: 'no such kernel'",
            Self::JavaScript => "RangeError: no such kernel",
            Self::C => "no such kernel",
        }
    }
}

/// Whether there is such a program, which says so on standard error where there is not.
fn has(program: &str) -> bool {
    let status = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let has = status.is_ok_and(|status| status.success());
    if !has {
        eprintln!("left out: there is no {program}");
    }
    has
}

/// A file of C, compiled once by this process of the tests.
fn compiled(source: &Path) -> Option<PathBuf> {
    static COMPILED: Mutex<BTreeMap<PathBuf, PathBuf>> = Mutex::new(BTreeMap::new());
    if !has_cc() {
        return None;
    }
    let mut compiled = COMPILED.lock().unwrap();
    let make = || {
        let name = format!("{}-{}", source.file_stem().unwrap().display(), std::process::id());
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        compile(source, &program);
        program
    };
    Some(compiled.entry(source.to_owned()).or_insert_with(make).clone())
}

/// Compiles a file of C without a warning.
pub(super) fn compile(source: &Path, program: &Path) {
    let mut cc = Command::new("cc");
    let strict = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O1", "-Wall", "-Wextra", "-Werror"];
    cc.args(strict).arg("-o").arg(program).arg(source).arg("-lm");
    let output = cc.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Whether C can be compiled here.
pub(super) fn has_cc() -> bool {
    has("cc")
}
