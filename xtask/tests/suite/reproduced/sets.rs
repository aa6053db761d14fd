//! The sets of packages that are installed here, and interpreters with the packages of one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Backends whose library is one of the system.
const OF_THE_SYSTEM: [&str; 2] = ["blis", "system-blas"];

/// Lists the folders of sets, `SET@VERSION`, below the target directory.
fn setups() -> Vec<PathBuf> {
    let target = Path::new(env!("CARGO_BIN_EXE_xtask")).ancestors().nth(2).unwrap();
    let sets = fs::read_dir(target.join("normative-setups")).into_iter().flatten().flatten();
    let is_set = |set: &PathBuf| set.join("bin/python").is_file() || set.join("node_modules").is_dir();
    let mut sets: Vec<PathBuf> = sets.map(|set| set.path()).filter(is_set).collect();
    sets.sort();
    sets
}

fn of(set: &Path) -> (&str, &str) {
    set.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once('@')).unwrap_or_default()
}

/// Returns the set that a backend needs: of the release in its name, or else of the release that `said`, the output of
/// the command, names.
pub(super) fn set_of(backend: &str, said: &str) -> Option<PathBuf> {
    let (name, release) = backend.split_once('@').unwrap_or((backend, ""));
    let needs = |set: &PathBuf| {
        let (_, version) = of(set);
        // OpenBLAS 0.3.34 is packed as 0.3.34.481.3.
        let core: Vec<&str> = version.split('.').take(3).collect();
        // A set from a repository is named by its commit, which the package does not know.
        let is_any = version.len() == 40 || OF_THE_SYSTEM.contains(&name);
        let is_said = is_any || said.contains(&format!(" {}", core.join(".")));
        is_of(set, name) && if release.is_empty() { is_said } else { version == release }
    };
    // `openvino-evaluate` has a set of its own, and also begins with `openvino`: the longest name wins.
    setups().into_iter().filter(needs).max_by_key(|set| of(set).0.len())
}

/// Returns true if a set serves a backend: `onnx` serves `onnx-reference`. A backend on a system library needs no set,
/// and its script runs with `numpy`.
fn is_of(set: &Path, backend: &str) -> bool {
    let name = of(set).0;
    if OF_THE_SYSTEM.contains(&backend) {
        return name == "numpy";
    }
    backend == name || backend.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
}

/// Returns a Python with the packages of a set and `NumPy`, or prints a message and returns `None` without `NumPy`.
fn python(set: &Path) -> Option<Command> {
    let program = set.join("bin/python");
    let has_numpy = |command: &mut Command| {
        command.args(["-c", "import numpy"]).output().is_ok_and(|run| run.status.success())
    };
    let beside = |path: &Path| {
        let mut command = Command::new(&program);
        command.env("PYTHONPATH", path).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    };
    let plain = || beside(Path::new(""));
    if has_numpy(&mut plain()) {
        return Some(plain());
    }
    let numpy = setups().into_iter().find(|set| of(set).0 == "numpy");
    let libraries = numpy.and_then(|set| fs::read_dir(set.join("lib")).ok()?.flatten().next());
    let Some(libraries) = libraries.map(|python| python.path().join("site-packages")) else {
        println!("left out: {} has no NumPy; cargo xtask setup numpy puts one beside it", set.display());
        return None;
    };
    has_numpy(&mut beside(&libraries)).then(|| beside(&libraries))
}

/// Returns the command that runs the script in a folder with the packages of a set. Node looks for packages beside the
/// script, so this function makes a link there.
pub(super) fn interpreter(set: &Path, place: &Path) -> Option<Command> {
    if place.join("repro.mjs").exists() {
        let link = place.join("node_modules");
        // An earlier run may have left a link to another release.
        fs::remove_file(&link).unwrap_or_default();
        std::os::unix::fs::symlink(set.join("node_modules"), link).unwrap();
        let mut node = Command::new("node");
        node.arg("repro.mjs");
        return Some(node);
    }
    let mut python = python(set)?;
    python.arg("repro.py");
    Some(python)
}

/// Returns true if a backend and its scripts can run on this machine. Python and Node need the set. Rust is compiled,
/// so `may_compile` decides.
pub(super) fn is_set_up(backend: &str, may_compile: bool) -> bool {
    let is_its = |set: &PathBuf| is_of(set, backend);
    if ["rten", "rten-axes-input", "tract", "candle", "burn", "faer", "nalgebra"].contains(&backend) {
        if !may_compile {
            println!("left out: {backend} is compiled where NORMATIVE_REPROS is set");
        }
        return may_compile;
    }
    let Some(set) = setups().into_iter().filter(is_its).max_by_key(|set| of(set).0.len()) else {
        println!("left out: {backend} is not set up");
        return false;
    };
    set.join("node_modules").is_dir() || python(&set).is_some()
}
