//! Runs the tests of the Python package, over the program of this build.

use std::process::{Command, Stdio};

use crate::common::page::root;
use crate::common::program;

/// Returns true if Python has these modules, and reports on standard error if not.
fn python_has(modules: &str) -> bool {
    let script = format!("import sys, {modules}; sys.exit(sys.version_info < (3, 9))");
    let status = Command::new("python3").args(["-c", &script]).stderr(Stdio::null()).status();
    let has = status.is_ok_and(|status| status.success());
    if !has {
        eprintln!("left out: no python3 of version 3.9 or later that has {modules}");
    }
    has
}

#[test]
fn the_package_passes_its_own_tests() {
    if !python_has("numpy, numpy.linalg, pytest") {
        return;
    }
    let mut pytest = Command::new("python3");
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "backends/python/tests"]);
    let pytest = pytest.current_dir(root()).env("NORMATIVE_PROGRAM", program());
    let output = pytest
        .env("PYTHONPATH", root().join("backends/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{said}");
    // The last line counts what was left out, for those who read the output.
    eprintln!("{}", said.trim().lines().last().unwrap_or_default());
}
