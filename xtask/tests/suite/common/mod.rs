//! Helpers that run the commands as a user does, with cases and crates made for a test.

pub(crate) mod page;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The program of the package that these tests belong to.
const PROGRAM: &str = match (option_env!("CARGO_BIN_EXE_xtask"), option_env!("CARGO_BIN_EXE_normative")) {
    (Some(program), _) | (None, Some(program)) => program,
    (None, None) => panic!("cargo names no program"),
};

/// Returns the path of that program.
pub(crate) fn program() -> &'static str {
    PROGRAM
}

pub(crate) fn xtask<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).stdin(Stdio::null());
    command
}

/// A finished command.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn run<S: AsRef<OsStr>>(arguments: &[S]) -> Run {
    run_in(Path::new("."), arguments)
}

pub(crate) fn run_in<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Run {
    Run::of(xtask(arguments).current_dir(folder))
}

/// Returns the command line of a worker in Python: a script of `conformance/tests/languages`, in this role.
pub(crate) fn python_worker(script: &str, role: &str) -> String {
    let root = page::root().display();
    format!(
        "cmd:env PYTHONPATH={root}/backends/python PYTHONDONTWRITEBYTECODE=1 python3 \
         {root}/conformance/tests/languages/{script} {role}"
    )
}

impl Run {
    /// Runs a command to its end.
    pub(crate) fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: status.code(), out: text(stdout), err: text(stderr) }
    }

    #[track_caller]
    pub(crate) fn exits_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        self
    }

    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Self {
        assert!(self.out.contains(text), "{text:?} is not in\n{}{}", self.out, self.err);
        self
    }

    /// Checks that the command failed with these reasons before it built or started a backend.
    #[track_caller]
    pub(crate) fn refuses(self, because: &[&str]) {
        let run = self.exits_with(2);
        for text in because {
            assert!(run.err.contains(text), "{text:?} is not in\n{}", run.err);
        }
        assert!(run.err.starts_with("error: ") && !run.err.contains("building"), "{}", run.err);
        assert_eq!(run.out, "");
    }
}

/// Returns the path of a record in a folder of its own: runs that write the same record refuse each other.
pub(crate) fn own_record() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record").display().to_string();
    (folder, record)
}

/// Returns true if there is a Python that can run the worker.
pub(crate) fn has_python() -> bool {
    let script = "import sys; sys.exit(sys.version_info < (3, 9))";
    Command::new("python3").args(["-c", script]).status().is_ok_and(|status| status.success())
}

/// Makes a corpus of one file, with `last_case` as its last lines, and a ledger for it.
pub(crate) fn corpus(last_case: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "clauses/openvino.yaml",
        "source: OpenVINO ReduceL1-4
specs: [openvino/ReduceL1-4]
clauses:
  - name: norm
    level: determined
    says: Absolute values are added.
    where: Description
",
    );
    write(
        "openvino/ReduceL1/few.yaml",
        &format!(
            "topic: A few
specs: [openvino/ReduceL1-4]
cases:
  - id: openvino-l1-all-of-a-vector
    clauses: [norm]
    why: It is an example.
    dtypes: [f32, i8, u8, f64]
    data: {{shape: [2], values: [1, 2]}}
    axes: [0]
    expect: {{shape: [], values: [3]}}
  - id: openvino-l1-one-row
    clauses: [norm]
    why: It is an example.
    dtypes: [f32]
    data: {{shape: [1, 2], values: [1, 2]}}
    axes: [0]
    expect: {{shape: [2], values: [1, 2]}}
  - id: openvino-l1-scalar
    clauses: [norm]
    why: It is an example.
    dtypes: [f32]
    data: {{shape: [], values: [-1]}}
    axes: []
    expect: {{shape: [], open: {{empty-axes-identity: {{x: {{unchanged: true}}, norm-of-each-element: [1]}}}}}}
  - id: openvino-l1-a-row
    clauses: [norm]
    why: It is an example.
    dtypes: [f32]
    data: {{shape: [2, 1], values: [1, 2]}}
    axes: [1]
    {last_case}
"
        ),
    );
    folder
}

pub(crate) const RIGHT: &str = "expect: {shape: [2], values: [1, 2]}";

/// Makes a crate that answers calls with `answer`, an expression over `call`.
pub(crate) fn backend(folder: &Path, name: &str, answer: &str) -> PathBuf {
    let path = folder.join(name);
    let api = page::root().join("conformance/backend");
    // A JSON string is also a TOML string.
    let api = serde_json::to_string(api.to_str().unwrap()).unwrap();
    fs::create_dir_all(path.join("src")).unwrap();
    fs::write(
        path.join("Cargo.toml"),
        format!(
            "[package]\nname = \"outside-{name}\"\nversion = \"1.0.0\"\nedition = \"2024\"\n
[dependencies]\nnormative-backend = {{ path = {api} }}\n"
        ),
    )
    .unwrap();
    fs::write(
        path.join("src/lib.rs"),
        format!(
            "use normative_backend::reference::{{Call, Dtype}};
use normative_backend::{{Answer, Backend, Identity}};
pub fn backend() -> impl Backend {{ Mine }}
struct Mine;
impl Backend for Mine {{
    fn identity(&self) -> Identity {{
        Identity {{ name: \"{name}\".into(), version: \"7\".into(), report_bugs_to: \"me\".into() }}
    }}
    fn answer(&mut self, call: &Call) -> Answer {{
        let _: Dtype = call.data.dtype();
        {answer}
    }}
}}
"
        ),
    )
    .unwrap();
    path
}
