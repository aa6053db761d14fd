//! From the value of `--backend` to an executable that serves it.
//!
//! A backend is a crate; the executable is a crate of three lines that serves it, written under the
//! target folder and built there. It is rewritten only when its content changes, and all runners
//! share one target folder, so the second run costs only Cargo's look at the clock.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::select::workspace_root;

/// The folder of the crate that `--backend` means: a name in `backends/`, or a path to any crate.
pub(crate) fn locate(backend: &str) -> Result<PathBuf> {
    let named = workspace_root().join("backends").join(backend);
    // A bare name is one of ours; anything with a separator or a dot in front is a path.
    let is_name = Path::new(backend).components().count() == 1 && !backend.starts_with('.');
    let folder = if is_name { named } else { PathBuf::from(backend) };
    if folder.join("Cargo.toml").is_file() {
        return folder.canonicalize().with_context(|| format!("cannot resolve {}", folder.display()));
    }
    if is_name {
        bail!(
            "no backend is named {backend:?}; there are {}. A crate elsewhere is given by its path, such as ./{backend}",
            known().join(", ")
        );
    }
    bail!("{} holds no Cargo.toml, so it is no crate", folder.display());
}

/// The names in `backends/`, in order.
fn known() -> Vec<String> {
    let folders = fs::read_dir(workspace_root().join("backends")).into_iter().flatten().flatten();
    let crates = folders.filter(|folder| folder.path().join("Cargo.toml").is_file());
    let mut names: Vec<String> =
        crates.map(|folder| folder.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Builds the worker for the backend crate in `folder`; returns its executable.
pub(crate) fn build(folder: &Path) -> Result<PathBuf> {
    let package = package_name(folder)?;
    let target = target_folder();
    let runner = target.join("normative").join("runners").join(&package);
    fs::create_dir_all(runner.join("src")).with_context(|| format!("cannot create {}", runner.display()))?;
    write_if_changed(&runner.join("Cargo.toml"), &manifest(&package, folder))?;
    write_if_changed(&runner.join("src/main.rs"), &main_rs(&package))?;
    if !runner.join("Cargo.lock").exists() {
        // Versions already locked, downloaded and tested here are the ones to take.
        let lock = workspace_root().join("Cargo.lock");
        fs::copy(&lock, runner.join("Cargo.lock"))
            .with_context(|| format!("cannot copy {}", lock.display()))?;
    }
    let build = target.join("normative").join("build");
    let status = cargo("build")
        .args(["--release", "--quiet", "--manifest-path"])
        .arg(runner.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&build)
        .stdin(Stdio::null())
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!(
            "the worker for {package} does not build (does the crate export `pub fn backend() -> impl Backend`?)"
        );
    }
    Ok(build.join("release").join(format!("{}{}", runner_name(&package), std::env::consts::EXE_SUFFIX)))
}

fn runner_name(package: &str) -> String {
    format!("{package}-runner")
}

fn manifest(package: &str, folder: &Path) -> String {
    let root = workspace_root().display();
    // Literal strings, because a path may hold a backslash; the patch makes a backend's own
    // dependency on a published version of these crates the same crate as ours.
    format!(
        "[package]\nname = \"{runner}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nbackend = {{ package = \"{package}\", path = '{folder}' }}\n\
         normative-conformance = {{ path = '{root}/conformance' }}\n\n\
         [patch.crates-io]\nnormative-conformance = {{ path = '{root}/conformance' }}\n\
         normative-reference = {{ path = '{root}/reference' }}\n",
        runner = runner_name(package),
        folder = folder.display(),
    )
}

fn main_rs(package: &str) -> String {
    format!(
        "//! Serves {package} to `cargo xtask`; written by it.\n\n\
         fn main() -> std::process::ExitCode {{\n    normative_conformance::serve(backend::backend())\n}}\n"
    )
}

fn write_if_changed(path: &Path, content: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
}

/// The package name in the manifest of a folder; Cargo itself reads it.
fn package_name(folder: &Path) -> Result<String> {
    let manifest = folder.join("Cargo.toml");
    let output = cargo("metadata")
        .args(["--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(&manifest)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo cannot read {}", manifest.display());
    }
    let metadata: Metadata =
        serde_json::from_slice(&output.stdout).context("cannot read what cargo metadata says")?;
    let own = |package: &&Package| package.manifest_path.canonicalize().is_ok_and(|path| path == manifest);
    let Some(package) = metadata.packages.iter().find(own) else {
        bail!("{} is a workspace, not a crate", manifest.display());
    };
    Ok(package.name.clone())
}

fn cargo(command: &str) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsStr::new("cargo").to_owned()));
    cargo.arg(command);
    cargo
}

/// The workspace's own target folder: where this very program was built.
fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace_root().join("target"), PathBuf::from)
}
