//! Building the worker of a crate.
//!
//! A backend crate exports `pub fn backend() -> impl Backend` and knows nothing of processes. A runner is a small
//! generated program that serves this backend. It is built under the target directory, or under the cache folder
//! outside a checkout. Unchanged files are not rewritten, so a second build has nothing to do.

use std::fs;
use std::io::{BufRead as _, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use normative_conformance::drive::Program;
use normative_conformance::drive::{Bounds, errand};
use normative_conformance::outside;
use serde_json::Value;

use crate::home;
use crate::note::note;
use crate::progress::is_watched;

/// Builds a worker for the crate in `directory` and returns its executable. `named` is the user's name for it.
pub(super) fn build_runner(named: &str, directory: &Path) -> Result<PathBuf> {
    let directory = fs::canonicalize(directory).with_context(|| directory.display().to_string())?;
    let metadata = metadata(&directory)?;
    let package = package_of(&metadata, &directory)?;
    let name = package_text(package)?;
    let target = target_directory()?;
    let is_first = !executable(&target, name).is_file();
    let time = if is_first { "; the first time, that takes a minute or more" } else { "" };
    note(format_args!("building a worker for {named}{time}"));
    if has_worker(package) {
        let worker = runner_name(name);
        let mut more = vec!["--package", name, "--bin", &worker];
        // In our own workspace, the features of dependencies are those that this program was built with.
        if home::checkout()
            .is_some_and(|root| metadata["workspace_root"].as_str().map(Path::new) == Some(root))
        {
            more.extend(["--package", env!("CARGO_PKG_NAME"), "--no-default-features"]);
        }
        return build(&directory, &target, name, &more);
    }
    let runner = target.join("normative-runners").join(name);
    let manifest = manifest(&Api::of(package, home::checkout())?, &directory, name)?;
    write_runner(&runner, &manifest, lock_file(&metadata, home::checkout())?.as_deref())?;
    // Use the workspace's target directory and profile, so that shared dependencies are built once. Workspace members
    // are built twice: cargo treats them as other crates when seen from outside the workspace.
    build(&runner, &target, name, &[])
}

/// Returns true if the crate has the program of its runner itself. That is built in the crate's own workspace, whose
/// members are not compiled again for it.
fn has_worker(package: &Value) -> bool {
    let mut targets = package["targets"].as_array().into_iter().flatten();
    let runner = package["name"].as_str().map(runner_name);
    targets.any(|target| target["kind"][0] == "bin" && target["name"].as_str() == runner.as_deref())
}

/// Returns the executable of a package's runner.
pub(super) fn executable(target: &Path, package: &str) -> PathBuf {
    target.join("release").join(format!("{}{}", runner_name(package), std::env::consts::EXE_SUFFIX))
}

/// Builds the worker of the crate in this folder of `backends/`.
pub fn of_crate(folder: &str) -> Result<Program> {
    let backends = home::checkout_for(&format!("the backend {folder}"))?.join("backends");
    Ok(Program::new(build_runner(folder, &backends.join(folder))?))
}

/// Returns true if a worker of that crate was built here. Building may take minutes, so this function does not.
pub fn was_built(folder: &str) -> Result<bool> {
    let Some(checkout) = home::checkout() else { return Ok(false) };
    let package = package_name(&checkout.join("backends").join(folder))?;
    Ok(executable(&target_directory()?, &package).is_file())
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

/// Returns the name of the package in `directory`, which must have a library.
fn package_name(directory: &Path) -> Result<String> {
    Ok(package_text(package_of(&metadata(directory)?, directory)?)?.to_owned())
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
        bail!("{} holds no package, only a workspace", manifest.display())
    };
    let targets = package["targets"].as_array().into_iter().flatten();
    let mut kinds = targets.flat_map(|target| target["kind"].as_array().into_iter().flatten());
    if !kinds.any(|kind| kind == "lib" || kind == "rlib") {
        bail!("{} is not a library crate, so it cannot export `backend()`", directory.display());
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
        bail!("{} is not a crate:\n{}", directory.display(), String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("cannot read what cargo metadata says")
}

/// Returns the cargo that runs this program, or else the one in `PATH`.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a program of this repository by cargo, in the foreground. Returns its exit code, or 2 if a signal ended it.
pub fn run_by_cargo(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().context("cannot run cargo")?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}

/// The source of a runner's `normative-backend`. It must be the one that the adapter uses, or their traits are
/// different types.
#[derive(Debug, PartialEq, Eq)]
struct Api {
    /// The dependency, as written in a manifest.
    dependency: String,
    /// The section of the manifest that replaces registry crates.
    patches: String,
}

impl Api {
    /// Returns the source that a package depends on. In a checkout, its crate replaces one from the registry.
    fn of(package: &Value, checkout: Option<&Path>) -> Result<Self> {
        let all = package["dependencies"].as_array().into_iter().flatten();
        let is_normal = |one: &&Value| one["name"] == "normative-backend" && one["kind"].is_null();
        let declared = all.filter(is_normal).collect::<Vec<_>>();
        let declared = declared.first().copied().unwrap_or(&Value::Null);
        let plain = |dependency: String| Ok(Self { dependency, patches: String::new() });
        if let Some(path) = declared["path"].as_str() {
            return plain(format!("path = {}", toml(path)?));
        }
        if let Some(git) = declared["source"].as_str().and_then(|source| source.strip_prefix("git+")) {
            let (url, wanted) = git.split_once('?').unwrap_or((git, ""));
            let wanted = wanted.split_once('=').filter(|(key, _)| ["branch", "tag", "rev"].contains(key));
            let wanted =
                wanted.map(|(key, value)| Ok::<_, anyhow::Error>(format!(", {key} = {}", toml(value)?)));
            return plain(format!("git = {}{}", toml(url)?, wanted.transpose()?.unwrap_or_default()));
        }
        if let Some(checkout) = checkout {
            let at = |folder: &str| {
                toml(
                    checkout
                        .join(folder)
                        .to_str()
                        .with_context(|| format!("{} is not UTF-8", checkout.display()))?,
                )
            };
            let (api, reference) = (at("conformance/backend")?, at("reference")?);
            let patches = format!(
                "\n[patch.crates-io]\nnormative-backend = {{ path = {api} }}\nnormative-reference = {{ path = {reference} }}\n"
            );
            // If the package has no such dependency, a patch would be unused, and cargo warns of that.
            let patches = if declared.is_null() { String::new() } else { patches };
            return Ok(Self { dependency: format!("path = {api}"), patches });
        }
        let version = declared["req"].as_str().ok_or_else(|| {
            let name = package["name"].as_str().unwrap_or("the crate");
            anyhow!("{name} does not depend on normative-backend, which its worker is built with")
        })?;
        plain(format!("version = {}", toml(version)?))
    }
}

/// Quotes a TOML string, as JSON does.
fn toml(text: &str) -> Result<String> {
    Ok(serde_json::to_string(text)?)
}

fn write_runner(runner: &Path, manifest: &str, lock: Option<&Path>) -> Result<()> {
    fs::create_dir_all(runner.join("src")).with_context(|| runner.display().to_string())?;
    write_if_changed(&runner.join("Cargo.toml"), manifest)?;
    write_if_changed(&runner.join("src/main.rs"), MAIN)?;
    let Some(lock) = lock else { return Ok(()) };
    // Cargo adds the runner's own entries to its lock file, so it differs from the original at once. Keep a copy of
    // the original beside it, and start again only when that changes.
    let lock =
        outside::text(lock, outside::WRITTEN).with_context(|| format!("cannot read {}", lock.display()))?;
    if write_if_changed(&runner.join("Cargo.lock.seed"), &lock)? {
        fs::write(runner.join("Cargo.lock"), lock)?;
    }
    Ok(())
}

const MAIN: &str = "//! Written by Normative; a change here is lost.

fn main() -> std::process::ExitCode {
    normative_backend::serve(backend::backend())
}
";

fn manifest(api: &Api, backend: &Path, package: &str) -> Result<String> {
    let backend = toml(backend.to_str().with_context(|| format!("{} is not UTF-8", backend.display()))?)?;
    let (Api { dependency, patches }, name) = (api, runner_name(package));
    Ok(format!(
        "# Written by Normative; a change here is lost.
[package]
name = \"{name}\"
version = \"0.0.0\"
edition = \"2024\"

[workspace]

[dependencies]
normative-backend = {{ {dependency} }}
backend = {{ package = \"{package}\", path = {backend} }}
{patches}"
    ))
}

fn runner_name(package: &str) -> String {
    format!("runner-of-{package}")
}

/// Returns true if it wrote the file.
fn write_if_changed(path: &Path, content: &str) -> Result<bool> {
    match outside::text(path, outside::WRITTEN) {
        Ok(present) if present == content => return Ok(false),
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot read {}", path.display()));
        }
        _ => {}
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}

/// Builds the runner. On a terminal, cargo shows its own progress. Otherwise only the message that it waits for
/// another build is shown.
fn build(runner: &Path, target: &Path, package: &str, more: &[&str]) -> Result<PathBuf> {
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
        if errors.iter().any(|error| error["target"]["name"] == runner_name(package).as_str()) {
            bail!(
                "`{package}` does not export `pub fn backend() -> impl normative_backend::Backend`:\n{why}"
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
    use rstest::rstest;
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
        assert!(attempt().contains("is not a crate:"));
        fs::write(&manifest, "[workspace]\n").unwrap();
        assert!(attempt().contains("only a workspace"));
        fs::write(&manifest, "[package]\nname = \"a\"\n").unwrap();
        fs::create_dir(directory.path().join("src")).unwrap();
        fs::write(directory.path().join("src/main.rs"), "fn main() {}").unwrap();
        assert!(attempt().contains("is not a library crate"));
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

    #[rstest]
    #[case::a_path(json!({"path": "/a \"b\"", "source": null, "req": "*"}), "path = \"/a \\\"b\\\"\"")]
    #[case::a_tag(json!({"source": "git+https://e.org/n?tag=v1", "req": "*"}), "git = \"https://e.org/n\", tag = \"v1\"")]
    #[case::a_branch(json!({"source": "git+https://e.org/n?branch=b", "req": "*"}), "git = \"https://e.org/n\", branch = \"b\"")]
    #[case::any_revision(json!({"source": "git+https://e.org/n", "req": "*"}), "git = \"https://e.org/n\"")]
    #[case::a_version(json!({"source": "registry+https://e.org/index", "req": "^0.1"}), "version = \"^0.1\"")]
    fn a_runner_takes_the_trait_from_where_the_adapter_does(
        #[case] declared: Value,
        #[case] dependency: &str,
    ) {
        let mut declared = declared;
        declared["name"] = json!("normative-backend");
        let for_tests = json!({"name": "normative-backend", "kind": "dev", "path": "/not/this"});
        let package = json!({"name": "mine", "dependencies": [for_tests, declared]});
        let api = Api::of(&package, None).unwrap();
        assert_eq!((api.dependency.as_str(), api.patches.as_str()), (dependency, ""));
    }

    #[test]
    fn in_a_checkout_its_own_crates_replace_the_registrys() {
        let declared =
            json!({"name": "normative-backend", "source": "registry+https://e.org", "req": "^0.1"});
        let package = json!({"name": "mine", "dependencies": [declared]});
        let api = Api::of(&package, Some(Path::new("/n"))).unwrap();
        assert_eq!(api.dependency, "path = \"/n/conformance/backend\"");
        assert!(api.patches.contains("normative-reference = { path = \"/n/reference\" }"), "{}", api.patches);
    }

    #[test]
    fn a_crate_without_the_trait_is_named_outside_a_checkout() {
        let error = Api::of(&json!({"name": "mine", "dependencies": []}), None).unwrap_err().to_string();
        assert_eq!(error, "mine does not depend on normative-backend, which its worker is built with");
    }

    #[test]
    fn an_unchanged_runner_is_not_written_again() {
        let directory = tempfile::tempdir().unwrap();
        let api = Api { dependency: "path = \"/n\"".into(), patches: String::new() };
        let write = |package: &str| {
            let manifest = manifest(&api, Path::new("/a \"crate\""), package).unwrap();
            write_runner(directory.path(), &manifest, Some(&root().join("Cargo.lock"))).unwrap();
            fs::metadata(directory.path().join("Cargo.toml")).unwrap().modified().unwrap()
        };
        let first = write("a");
        fs::write(directory.path().join("Cargo.lock"), "what cargo made of it").unwrap();
        assert_eq!(write("a"), first);
        let lock = fs::read_to_string(directory.path().join("Cargo.lock")).unwrap();
        assert_eq!(lock, "what cargo made of it");
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_ne!(write("b"), first);
        let manifest = fs::read_to_string(directory.path().join("Cargo.toml")).unwrap();
        assert!(manifest.contains(r#"path = "/a \"crate\"""#), "{manifest}");
    }
}
