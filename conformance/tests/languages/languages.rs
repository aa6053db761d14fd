//! The languages with a worker in `backends/`, and the commands that start a program in each.
//!
//! If a language cannot be run, its tests report that and pass.

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
    /// Returns the program that runs `script` in this role; `None` if the language cannot be run here.
    pub(super) fn program(self, script: &Path, role: &str) -> Option<Program> {
        match self {
            Self::Python => super::program(script, role, "struct"),
            Self::JavaScript => has("node")
                .then(|| Program { args: vec![script.into(), role.into()], ..Program::new("node") }),
            Self::C => Some(Program { args: vec![role.into()], ..Program::new(compiled(script)?) }),
        }
    }

    /// Returns the file name extension of this language.
    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::Python => "py",
            Self::JavaScript => "mjs",
            Self::C => "c",
        }
    }

    /// Returns the backend that all languages have: norms of a few types and, by role, misconduct.
    pub(super) fn sums(self, role: &str) -> Option<Program> {
        self.script("sums", role)
    }

    /// Returns the backend of this name in the folder of these tests.
    pub(super) fn script(self, name: &str, role: &str) -> Option<Program> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages");
        self.program(&folder.join(format!("{name}.{}", self.ending())), role)
    }

    /// Returns the class of an error that is not a refusal, with its message in `sums`.
    pub(super) const fn raised(self) -> &'static str {
        match self {
            Self::Python => "KeyError: 'no such kernel'",
            Self::JavaScript => "RangeError: no such kernel",
            Self::C => "no such kernel",
        }
    }
}

/// Returns true if there is such a program, and reports on standard error if not.
fn has(program: &str) -> bool {
    let status = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let has = status.is_ok_and(|status| status.success());
    if !has {
        eprintln!("left out: there is no {program}");
    }
    has
}

/// Returns the program of a C file, compiled once in this test process.
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

/// Compiles a C file and turns warnings into errors.
pub(super) fn compile(source: &Path, program: &Path) {
    let mut cc = Command::new("cc");
    let strict = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O1", "-Wall", "-Wextra", "-Werror"];
    cc.args(strict).arg("-o").arg(program).arg(source).arg("-lm");
    let output = cc.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Returns true if C can be compiled here.
pub(super) fn has_cc() -> bool {
    has("cc")
}
