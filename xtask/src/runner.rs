//! Turns what `--backend` names into a worker's program.
//!
//! A backend crate exports `pub fn backend() -> impl Backend` and knows nothing of processes. A runner
//! is the few lines that make a program of it, generated under the target directory and built there.
//! Nothing is written unless its content changed, so that a second build finds nothing to do.
//!
//! A command is a worker already: nothing is built, and no shell runs it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use clap::Arg;
use normative_conformance::drive::Program;
use serde_json::Value;

use crate::backends;
use crate::note::note;
use crate::select::workspace_root;

/// A crate, as `--backend` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CrateArg {
    /// `NAME`: the crate in `backends/NAME`.
    Name(String),
    /// A path, with a separator or a leading dot: a crate's directory.
    Path(PathBuf),
}

/// The option.
pub(crate) fn option() -> Arg {
    Arg::new("backend").long("backend").value_name("NAME[@VERSION]|PATH|cmd:PROGRAM ARGS").help(
        "The backend: a name that `cargo xtask backends` lists, the path of a crate that exports `backend()`, or a \
         command that speaks the worker protocol, all in one word: \"cmd:python3 my_backend.py\"",
    )
}

/// The worker of what `--backend` names, built where it is a crate.
///
/// # Errors
/// When the argument names nothing, or the crate does not build or exports no backend. Whether a command is
/// there shows when it is started.
pub(crate) fn program(argument: &str) -> Result<Program> {
    if let Some(command) = argument.strip_prefix("cmd:") {
        return program_of(command);
    }
    if let Some(wanted) = backends::find(argument)? {
        return wanted.program(argument);
    }
    Ok(Program::new(build_runner(&CrateArg::parse(argument)?)?))
}

/// The worker of the crate in this folder of `backends/`.
pub(crate) fn of_crate(folder: &str) -> Result<Program> {
    Ok(Program::new(build_runner(&CrateArg::Name(folder.to_owned()))?))
}

/// Whether a worker of that crate was ever built here: building one may take minutes.
pub(crate) fn was_built(folder: &str) -> Result<bool> {
    let workspace = fs::canonicalize(workspace_root())?;
    let target = target_directory()?;
    let name = runner_name(&package_name(&workspace.join("backends").join(folder))?);
    Ok(target.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)).is_file())
}

/// A command's words as a POSIX shell would split them. Nothing else of a shell happens to them.
fn program_of(command: &str) -> Result<Program> {
    let words = shell_words::split(command).with_context(|| format!("--backend cmd:{command}"))?;
    let Some((path, args)) = words.split_first() else {
        bail!("--backend cmd: names no program");
    };
    Ok(Program { args: args.iter().map(Into::into).collect(), ..Program::new(path) })
}

impl CrateArg {
    /// Reads the argument; whether the crate is there shows when it is built.
    pub(crate) fn parse(argument: &str) -> Result<Self> {
        if argument.is_empty() {
            bail!("--backend is empty: a name in backends/, a path to a crate or cmd:PROGRAM is due");
        }
        let is_path = argument.starts_with('.') || argument.contains(std::path::is_separator);
        Ok(if is_path { Self::Path(argument.into()) } else { Self::Name(argument.to_owned()) })
    }

    /// The directory of the crate.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn directory(&self, workspace: &Path) -> Result<PathBuf> {
        let directory = match self {
            Self::Name(name) => workspace.join("backends").join(name),
            Self::Path(path) => path.clone(),
        };
        if directory.join("Cargo.toml").is_file() {
            return Ok(fs::canonicalize(&directory)?);
        }
        match self {
            Self::Name(name) => bail!(
                "there is no backend `{name}`; backends/ has {}. A path needs a separator: ./{name}",
                names(workspace).join(", ")
            ),
            Self::Path(path) => bail!("{} is not a crate: it has no Cargo.toml", path.display()),
        }
    }
}

/// Builds a worker for the backend and returns its executable.
fn build_runner(backend: &CrateArg) -> Result<PathBuf> {
    let named = match backend {
        CrateArg::Name(name) => name.clone(),
        CrateArg::Path(path) => path.display().to_string(),
    };
    note(format_args!("building a worker for {named}"));
    // xtask is a member of the workspace it serves and is always run from its checkout.
    let workspace = fs::canonicalize(workspace_root())?;
    let directory = backend.directory(&workspace)?;
    let metadata = metadata(&directory)?;
    let package = package_of(&metadata, &directory)?;
    let target = target_directory()?;
    let runner = target.join("normative-runners").join(&package);
    let lock = lock_file(&metadata, &workspace)?;
    write_runner(&runner, &workspace, &directory, &package, &lock)?;
    // The workspace's own target directory and profile: what xtask depends on is not built twice. Our own crates
    // are, for cargo tells a workspace's members from the same crates seen from elsewhere.
    build(&runner, &target, &package)
}

/// Where cargo puts what it builds for this workspace. Cargo is asked once: it takes a tenth of a second to say.
pub(crate) fn target_directory() -> Result<PathBuf> {
    static KNOWN: OnceLock<PathBuf> = OnceLock::new();
    if let Some(target) = KNOWN.get() {
        return Ok(target.clone());
    }
    let target = metadata(workspace_root())?["target_directory"].as_str().map(PathBuf::from);
    let target = target.context("cargo metadata names no target directory")?;
    Ok(KNOWN.get_or_init(|| target).clone())
}

/// The lock file that says what a crate is built with: its own workspace's, which pins the runtime, or ours where that
/// has none. `metadata` is cargo's of the crate.
fn lock_file(metadata: &Value, workspace: &Path) -> Result<PathBuf> {
    let root = metadata["workspace_root"].as_str().context("cargo metadata names no workspace root")?;
    let own = Path::new(root).join("Cargo.lock");
    Ok(if own.is_file() { own } else { workspace.join("Cargo.lock") })
}

/// The backends of this workspace.
fn names(workspace: &Path) -> Vec<String> {
    let entries = fs::read_dir(workspace.join("backends")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}

/// The name of the package in `directory`, which must have a library.
pub(crate) fn package_name(directory: &Path) -> Result<String> {
    package_of(&metadata(directory)?, directory)
}

fn package_of(metadata: &Value, directory: &Path) -> Result<String> {
    let manifest = directory.join("Cargo.toml");
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let ours = |package: &&Value| package["manifest_path"].as_str().map(Path::new) == Some(&manifest);
    let Some(package) = packages.clone().find(ours) else {
        bail!("{} holds no package, only a workspace", manifest.display())
    };
    let targets = package["targets"].as_array().into_iter().flatten();
    let kinds = targets.flat_map(|target| target["kind"].as_array().into_iter().flatten());
    if !kinds.filter_map(Value::as_str).any(|kind| kind == "lib" || kind == "rlib") {
        bail!("{} is not a library crate, so it cannot export `backend()`", directory.display());
    }
    let name = package["name"].as_str().context("cargo metadata names no package")?;
    Ok(name.to_owned())
}

/// What cargo says of the workspace that the crate in `directory` belongs to, without resolving anything.
pub(crate) fn metadata(directory: &Path) -> Result<Value> {
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]);
    let output = command.arg(directory.join("Cargo.toml")).output().context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("{} is not a crate:\n{}", directory.display(), String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("cannot read what cargo metadata says")
}

/// The cargo that runs us.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn write_runner(runner: &Path, workspace: &Path, backend: &Path, package: &str, lock: &Path) -> Result<()> {
    fs::create_dir_all(runner.join("src"))?;
    write_if_changed(&runner.join("Cargo.toml"), &manifest(workspace, backend, package)?)?;
    write_if_changed(&runner.join("src/main.rs"), MAIN)?;
    // Cargo adds the runner's own entries to its lock file, so it differs from the seed at once: what it
    // was seeded with is kept beside it, and it is seeded anew only when that changed.
    let lock = fs::read_to_string(lock).with_context(|| format!("cannot read {}", lock.display()))?;
    if write_if_changed(&runner.join("Cargo.lock.seed"), &lock)? {
        fs::write(runner.join("Cargo.lock"), lock)?;
    }
    Ok(())
}

const MAIN: &str = "//! Written by `cargo xtask`; a change here is lost.

fn main() -> std::process::ExitCode {
    normative_backend::serve(backend::backend())
}
";

/// The patches make a backend that takes these crates from the registry share ours, and so our trait.
fn manifest(workspace: &Path, backend: &Path, package: &str) -> Result<String> {
    let quoted = |path: &Path| -> Result<String> {
        let text = path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?;
        // A JSON string is a TOML string.
        Ok(serde_json::to_string(text)?)
    };
    let (api, reference) =
        (quoted(&workspace.join("conformance/backend"))?, quoted(&workspace.join("reference"))?);
    let backend = quoted(backend)?;
    Ok(format!(
        "# Written by `cargo xtask`; a change here is lost.
[package]
name = \"{name}\"
version = \"0.0.0\"
edition = \"2024\"

[workspace]

[dependencies]
normative-backend = {{ path = {api} }}
backend = {{ package = \"{package}\", path = {backend} }}

[patch.crates-io]
normative-backend = {{ path = {api} }}
normative-reference = {{ path = {reference} }}
",
        name = runner_name(package)
    ))
}

fn runner_name(package: &str) -> String {
    format!("runner-of-{package}")
}

/// Whether it wrote.
pub(crate) fn write_if_changed(path: &Path, content: &str) -> Result<bool> {
    match fs::read_to_string(path) {
        Ok(present) if present == content => return Ok(false),
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot read {}", path.display()));
        }
        _ => {}
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}

fn build(runner: &Path, target: &Path, package: &str) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--release", "--message-format", "json-render-diagnostics"]);
    command.arg("--manifest-path").arg(runner.join("Cargo.toml")).arg("--target-dir").arg(target);
    let output = command.output().context("cannot run cargo build")?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        // The runner itself is one call: if it is what fails to compile, that call is what is wrong.
        if stderr.contains(&format!("could not compile `{}`", runner_name(package))) {
            bail!(
                "`{package}` does not export `pub fn backend() -> impl normative_backend::Backend`:\n{stderr}"
            );
        }
        bail!("`{package}` does not build:\n{stderr}");
    }
    let messages =
        output.stdout.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    let mut executables =
        messages.filter_map(|message: Value| message["executable"].as_str().map(PathBuf::from));
    executables.next_back().context("cargo build names no executable")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::name("ndarray", CrateArg::Name("ndarray".into()))]
    #[case::path("backends/ndarray", CrateArg::Path("backends/ndarray".into()))]
    #[case::here(".", CrateArg::Path(".".into()))]
    #[case::absolute("/crate", CrateArg::Path("/crate".into()))]
    fn a_separator_or_a_dot_makes_a_path(#[case] argument: &str, #[case] expected: CrateArg) {
        assert_eq!(CrateArg::parse(argument).unwrap(), expected);
    }

    #[rstest]
    #[case::nothing("", "is empty")]
    #[case::version("ndarray@0.17", "ndarray@0.17: ")]
    #[case::of_nobody("nobody@1", "there is no backend `nobody@1`")]
    #[case::no_program("cmd:", "names no program")]
    #[case::only_blanks("cmd:  ", "names no program")]
    #[case::an_open_quote("cmd:python3 'my backend.py", "cmd:python3 'my backend.py: missing closing quote")]
    fn other_forms_are_refused(#[case] argument: &str, #[case] because: &str) {
        let error = format!("{:#}", program(argument).unwrap_err());
        assert!(error.contains(because), "{error}");
    }

    #[rstest]
    #[case::a_name("cmd:worker", &["worker"])]
    #[case::arguments("cmd:python3 a.py  --fast", &["python3", "a.py", "--fast"])]
    #[case::quotes("cmd:'my python' \"it's b.py\" c\\ d", &["my python", "it's b.py", "c d"])]
    #[case::no_shell("cmd:./w $HOME *.py | ;", &["./w", "$HOME", "*.py", "|", ";"])]
    #[case::at_and_separators("cmd:/bin/w a@b", &["/bin/w", "a@b"])]
    fn a_command_is_split_like_a_shells_and_not_run_by_one(#[case] argument: &str, #[case] words: &[&str]) {
        let Program { path, args, env, .. } = program(argument).unwrap();
        let got: Vec<_> = std::iter::once(path.into_os_string()).chain(args).collect();
        assert_eq!(got, words);
        assert_eq!(env, []);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = build_runner(&CrateArg::Name("ndaray".into())).unwrap_err().to_string();
        assert!(error.contains("no backend `ndaray`; backends/ has "), "{error}");
        assert!(names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).contains(&"ndarray".to_owned()));
    }

    #[test]
    fn what_is_no_library_crate_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let attempt = || {
            let error = build_runner(&CrateArg::Path(directory.path().to_owned())).unwrap_err();
            format!("{error:#}")
        };
        assert!(attempt().contains("it has no Cargo.toml"));
        let manifest = directory.path().join("Cargo.toml");
        fs::write(&manifest, "[package\n").unwrap();
        assert!(attempt().contains("is not a crate:"));
        fs::write(&manifest, "[workspace]\n").unwrap();
        assert!(attempt().contains("holds no package"));
        fs::create_dir(directory.path().join("src")).unwrap();
        fs::write(directory.path().join("src/main.rs"), "fn main() {}").unwrap();
        fs::write(&manifest, "[package]\nname = \"a\"\n[workspace]\n").unwrap();
        assert!(attempt().contains("is not a library crate"));
    }

    #[test]
    fn a_backend_is_built_by_the_lock_file_of_its_own_workspace_where_there_is_one() {
        let ours = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        let of = |directory: &Path| lock_file(&metadata(directory).unwrap(), &ours).unwrap();
        assert_eq!(of(&ours.join("backends/ndarray")), ours.join("Cargo.lock"));
        assert_eq!(of(&ours.join("backends/candle")), ours.join("backends/Cargo.lock"));

        let elsewhere = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(elsewhere.path()).unwrap();
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join("src/lib.rs"), "").unwrap();
        fs::write(root.join("Cargo.toml"), "[package]\nname = \"a\"\n").unwrap();
        assert_eq!(of(&root), ours.join("Cargo.lock"));
        fs::write(root.join("Cargo.lock"), "version = 4\n").unwrap();
        assert_eq!(of(&root), root.join("Cargo.lock"));
    }

    #[test]
    fn an_unchanged_runner_is_not_written_again() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let write = |package: &str| {
            let (backend, lock) = (Path::new("/a \"crate\""), workspace.join("Cargo.lock"));
            write_runner(directory.path(), &workspace, backend, package, &lock).unwrap();
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
