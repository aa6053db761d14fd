//! Building the worker of a crate.
//!
//! A backend crate exports `pub fn backend() -> impl Backend` and knows nothing of processes. A runner is a small
//! generated program that serves this backend. It is built under the target directory, or under the cache folder
//! outside a checkout. Unchanged files are not rewritten, so a second build has nothing to do.

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use normative_conformance::drive::Program;
use normative_conformance::drive::{Bounds, errand};
use normative_conformance::outside;
use serde_json::Value;

use super::generated::{Api, manifest, write_runner};
use crate::home;
use crate::note::note;
use crate::progress::is_watched;
use crate::provenance::sha256;

/// Builds a worker for the crate in `directory` and returns its executable. `named` is the user's name for it.
pub(super) fn build_runner(named: &str, directory: &Path) -> Result<PathBuf> {
    let directory = fs::canonicalize(directory).with_context(|| directory.display().to_string())?;
    let metadata = metadata(&directory)?;
    let package = package_of(&metadata, &directory)?;
    let name = package_text(package)?;
    let worker = runner_name(package, &directory)?;
    let target = target_directory()?;
    let is_first = !executable(&target, &worker).is_file();
    let time = if is_first { "; the first time, that takes a minute or more" } else { "" };
    note(format_args!("building a worker for {named}{time}"));
    if has_worker(package) {
        let mut more = vec!["--package", name, "--bin", &worker];
        // In our own workspace, the features of dependencies are those that this program was built with.
        if home::checkout()
            .is_some_and(|root| metadata["workspace_root"].as_str().map(Path::new) == Some(root))
        {
            more.extend(["--package", env!("CARGO_PKG_NAME"), "--no-default-features"]);
        }
        return build(&directory, &target, name, &worker, &more);
    }
    let runner = target.join("normative-runners").join(&worker);
    let manifest = manifest(&Api::of(package, home::checkout())?, &directory, name, &worker)?;
    write_runner(&runner, &manifest, lock_file(&metadata, home::checkout())?.as_deref())?;
    // Use the workspace's target directory and profile, so that shared dependencies are built once. Workspace members
    // are built twice: cargo treats them as other crates when seen from outside the workspace.
    build(&runner, &target, name, &worker, &[])
}

/// Returns true if the crate has the program of its runner itself. That is built in the crate's own workspace, whose
/// members are not compiled again for it.
fn has_worker(package: &Value) -> bool {
    let mut targets = package["targets"].as_array().into_iter().flatten();
    let runner = package["name"].as_str().map(own_runner);
    targets.any(|target| target["kind"][0] == "bin" && target["name"].as_str() == runner.as_deref())
}

/// Returns the executable of a runner.
pub(super) fn executable(target: &Path, runner: &str) -> PathBuf {
    target.join("release").join(format!("{runner}{}", std::env::consts::EXE_SUFFIX))
}

/// Builds the worker of the crate in this folder of `backends/`.
pub fn of_crate(folder: &str) -> Result<Program> {
    let backends = home::checkout_for(&format!("the backend {folder}"))?.join("backends");
    Ok(Program::new(build_runner(folder, &backends.join(folder))?))
}

/// Returns true if a worker of that crate was built here. Building may take minutes, so this function does not.
pub fn was_built(folder: &str) -> Result<bool> {
    let Some(checkout) = home::checkout() else { return Ok(false) };
    let directory =
        fs::canonicalize(checkout.join("backends").join(folder)).context("no folder of backends")?;
    let runner = runner_name(package_of(&metadata(&directory)?, &directory)?, &directory)?;
    Ok(executable(&target_directory()?, &runner).is_file())
}

/// Returns the folder for builds and records: cargo's target directory, or the cache folder outside a checkout. Cargo
/// needs 0.1 s to tell, so the path is cached.
pub fn target_directory() -> Result<PathBuf> {
    static KNOWN: OnceLock<PathBuf> = OnceLock::new();
    if let Some(target) = KNOWN.get() {
        return Ok(target.clone());
    }
    let target = match home::checkout() {
        Some(root) => {
            let target = metadata(root)?["target_directory"].as_str().map(PathBuf::from);
            target.context("cargo metadata names no target directory")?
        }
        None => home::cache()?,
    };
    Ok(KNOWN.get_or_init(|| target).clone())
}

/// Finds the lock file for building a crate: its own workspace's, which pins the runtime, or else the checkout's.
/// `metadata` is that of the crate.
fn lock_file(metadata: &Value, checkout: Option<&Path>) -> Result<Option<PathBuf>> {
    let root = metadata["workspace_root"].as_str().context("cargo metadata names no workspace root")?;
    let own = Path::new(root).join("Cargo.lock");
    Ok(if own.is_file() { Some(own) } else { checkout.map(|root| root.join("Cargo.lock")) })
}

fn package_text(package: &Value) -> Result<&str> {
    package["name"].as_str().context("cargo metadata names no package")
}

/// Returns cargo's metadata of the package in `directory`, which must have a library.
fn package_of<'a>(metadata: &'a Value, directory: &Path) -> Result<&'a Value> {
    let manifest = directory.join("Cargo.toml");
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let ours = |package: &&Value| package["manifest_path"].as_str().map(Path::new) == Some(&manifest);
    let Some(package) = packages.find(ours) else {
        bail!("{}: expected a package, got a workspace alone", manifest.display())
    };
    let targets = package["targets"].as_array().into_iter().flatten();
    let mut kinds = targets.flat_map(|target| target["kind"].as_array().into_iter().flatten());
    if !kinds.any(|kind| kind == "lib" || kind == "rlib") {
        bail!("{}: expected a library crate, which exports `backend()`, got none", directory.display());
    }
    Ok(package)
}

/// Returns cargo's metadata of the workspace of the crate in `directory`, without resolving dependencies.
pub fn metadata(directory: &Path) -> Result<Value> {
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]);
    command.arg(directory.join("Cargo.toml"));
    let bounds = Bounds { within: Duration::from_secs(600), memory: None, kept: outside::WRITTEN };
    let output = errand(&command, bounds).context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("{}: expected a crate:\n{}", directory.display(), String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("cannot read what cargo metadata says")
}

/// Returns the cargo that runs this program, or else the one in `PATH`.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a program of this repository in the foreground, without a deadline: cargo, or this one. Returns its exit code, or
/// 2 if a signal ended it.
pub fn in_foreground(command: &mut Command) -> Result<ExitCode> {
    let status =
        command.status().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}

/// Returns the name of a crate's runner: the program that the crate has itself, or else the one that is generated.
///
/// The latter has a digest of the crate's folder in its name. Two crates of one name would otherwise replace each
/// other's program, and one would be judged for the other when both run at once.
fn runner_name(package: &Value, directory: &Path) -> Result<String> {
    let own = own_runner(package_text(package)?);
    if has_worker(package) {
        return Ok(own);
    }
    let digest = sha256::of_bytes(directory.as_os_str().as_encoded_bytes());
    Ok(format!("{own}-{digest:.8}"))
}

fn own_runner(package: &str) -> String {
    format!("runner-of-{package}")
}

/// Builds the runner. On a terminal, cargo shows its own progress. Otherwise only the message that it waits for
/// another build is shown.
fn build(runner: &Path, target: &Path, package: &str, worker: &str, more: &[&str]) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--release", "--message-format", "json"]).args(more);
    // The same profile as in the workspace's manifest, or all shared dependencies would be built twice.
    command.args(["--config", r#"profile.release.lto="off""#]);
    command.arg("--manifest-path").arg(runner.join("Cargo.toml")).arg("--target-dir").arg(target);
    command.stdout(Stdio::piped()).stderr(if is_watched() { Stdio::inherit() } else { Stdio::piped() });
    let mut child = command.spawn().context("cannot run cargo build")?;
    let reader = |stderr| thread::Builder::new().spawn(move || read_progress(stderr));
    let said = child.stderr.take().map(reader).transpose().context("no thread to read what cargo says");
    let said = said.inspect_err(|_| _ = child.kill())?;
    let messages = child.stdout.take().map(read_messages).unwrap_or_default();
    let status = child.wait().context("cannot run cargo build")?;
    let said = said.map(|thread| thread.join().unwrap_or_default()).unwrap_or_default();
    if !status.success() {
        let errors: Vec<&Value> =
            messages.iter().filter(|message| message["message"]["level"] == "error").collect();
        let rendered: String =
            errors.iter().filter_map(|error| error["message"]["rendered"].as_str()).collect();
        let why = if rendered.is_empty() { said } else { rendered };
        // The runner is one call, so if it does not compile, the crate lacks a suitable `backend()`.
        if errors.iter().any(|error| error["target"]["name"] == worker) {
            bail!(
                "expected `{package}` to export `pub fn backend() -> impl normative_backend::Backend`:\n{why}"
            );
        }
        bail!("`{package}` does not build:\n{why}");
    }
    let mut executables =
        messages.iter().filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    executables.next_back().context("cargo build names no executable")
}

/// Parses cargo's JSON messages, one on each line.
fn read_messages(stdout: impl Read) -> Vec<Value> {
    let lines = BufReader::new(stdout).lines().map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_str(&line).ok()).collect()
}

/// Cargo's message while it waits for another build.
const WAITS: &str = "Blocking waiting for file lock";

/// Collects cargo's output. A wait for another build can take minutes, so that message is shown at once.
fn read_progress(stderr: impl Read) -> String {
    let mut said = String::new();
    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
        // Cargo repeats the message for each of its locks; show it once.
        if line.contains(WAITS) && !said.contains(WAITS) {
            note(format_args!("waiting for another build that holds cargo's lock: {}", line.trim()));
        }
        said.push_str(&line);
        said.push('\n');
    }
    said
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn root() -> PathBuf {
        fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
    }

    #[test]
    fn what_is_no_library_crate_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let attempt = || format!("{:#}", build_runner("it", directory.path()).unwrap_err());
        let manifest = directory.path().join("Cargo.toml");
        fs::write(&manifest, "[package\n").unwrap();
        assert!(attempt().contains(": expected a crate:"));
        fs::write(&manifest, "[workspace]\n").unwrap();
        assert!(attempt().contains("expected a package, got a workspace alone"));
        fs::write(&manifest, "[package]\nname = \"a\"\n").unwrap();
        fs::create_dir(directory.path().join("src")).unwrap();
        fs::write(directory.path().join("src/main.rs"), "fn main() {}").unwrap();
        assert!(attempt().contains("expected a library crate"));
    }

    #[test]
    fn a_crate_is_built_by_its_own_lock_file() {
        let ours = root();
        let of = |directory: &Path, checkout| lock_file(&metadata(directory).unwrap(), checkout).unwrap();
        assert_eq!(of(&ours.join("backends/ndarray"), Some(&*ours)), Some(ours.join("Cargo.lock")));
        assert_eq!(of(&ours.join("backends/candle"), Some(&*ours)), Some(ours.join("backends/Cargo.lock")));

        let elsewhere = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(elsewhere.path()).unwrap();
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join("src/lib.rs"), "").unwrap();
        fs::write(root.join("Cargo.toml"), "[package]\nname = \"a\"\n").unwrap();
        assert_eq!(of(&root, Some(&*ours)), Some(ours.join("Cargo.lock")));
        assert_eq!(of(&root, None), None);
        fs::write(root.join("Cargo.lock"), "version = 4\n").unwrap();
        assert_eq!(of(&root, Some(&*ours)), Some(root.join("Cargo.lock")));
    }

    #[test]
    fn crates_of_one_name_have_runners_of_their_own() {
        let package =
            |kind: &str| json!({"name": "mine", "targets": [{"kind": [kind], "name": "runner-of-mine"}]});
        let name = |kind, folder| runner_name(&package(kind), Path::new(folder)).unwrap();
        assert_ne!(name("lib", "/a/mine"), name("lib", "/b/mine"));
        assert_eq!(name("lib", "/a/mine"), name("lib", "/a/mine"));
        assert_eq!(name("bin", "/a/mine"), "runner-of-mine");
    }
}
