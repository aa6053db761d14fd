//! The installer: one pip, in an environment of its own, that installs into all others and lists releases.
//!
//! The environments of sets hold no pip: without it one takes half a second to make, with it many. The system's pip
//! may also lack `pip index versions --json`. The address of the index is left to pip's own configuration. The
//! packages of a lock are installed by digest.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use normative_conformance::drive::{Bounds, errand};
use normative_conformance::outside;
use serde::Deserialize;

use super::known::TOOLS;
use crate::runner::build::target_directory;

/// A pip that is ready.
pub(super) struct Installer {
    python: PathBuf,
}

/// The packages to install.
pub(super) enum Packages<'a> {
    /// The files that this lock names by digest, and no others.
    Locked(&'a Path),
    /// Packages with versions, and their dependencies.
    Named(&'a [String]),
}

impl Packages<'_> {
    fn words(&self) -> Vec<String> {
        match self {
            Self::Locked(lock) => {
                vec!["--require-hashes".into(), "--requirement".into(), lock.display().to_string()]
            }
            Self::Named(packages) => packages.to_vec(),
        }
    }
}

/// The output of `pip index versions --json`, as far as it is read.
#[derive(Deserialize)]
struct Index {
    /// The releases, newest first.
    versions: Vec<String>,
}

impl Installer {
    /// Returns the installer, and makes it first if it is missing.
    ///
    /// # Errors
    /// The message of Python or pip.
    pub(super) fn ready() -> Result<Self> {
        let folder = setups()?.join("pip");
        let (mark, python) = (folder.join("normative-set.txt"), python_in(&folder));
        let lock = TOOLS[0].lock();
        let locked = outside::text(&lock, outside::WRITTEN).with_context(|| lock.display().to_string())?;
        if !outside::text(&mark, outside::WRITTEN).is_ok_and(|text| text == locked) {
            make_environment(&folder, &[])?;
            let mut upgrade = pip(&python);
            output(
                upgrade.args(["install", "--quiet"]).args(Packages::Locked(&lock).words()),
                "the installer",
            )?;
            fs::write(&mark, locked).with_context(|| mark.display().to_string())?;
        }
        Ok(Self { python })
    }

    /// Makes an environment of these packages, with their dependencies unless `alone` is set.
    ///
    /// # Errors
    /// The message of Python or pip.
    pub(super) fn install(&self, environment: &Path, packages: &Packages<'_>, alone: bool) -> Result<()> {
        make_environment(environment, &["--without-pip"])?;
        let mut install = pip(&self.python);
        install.arg("--python").arg(python_in(environment)).args(["install", "--quiet"]);
        if alone {
            install.arg("--no-deps");
        }
        let what = match packages {
            Packages::Locked(lock) => format!("the packages of {}", lock.display()),
            Packages::Named(packages) => packages.join(" "),
        };
        output(install.args(packages.words()), &what)?;
        Ok(())
    }

    /// Lists the releases of a package that have a wheel for this Python and this platform, newest first.
    ///
    /// # Errors
    /// The message of pip, or unexpected output.
    pub(super) fn releases(&self, package: &str, pre: bool) -> Result<Vec<String>> {
        let mut list = pip(&self.python);
        list.args(["index", "versions", "--json", "--only-binary=:all:"]);
        if pre {
            list.arg("--pre");
        }
        parse(&output(list.arg(package), &format!("a list of the releases of {package}"))?)
    }
}

/// Reads what `pip index versions --json` printed.
fn parse(printed: &[u8]) -> Result<Vec<String>> {
    let index: Index =
        serde_json::from_slice(printed).context("cannot read what pip index versions printed")?;
    Ok(index.versions)
}

/// Returns the interpreter of a virtual environment.
pub(super) fn python_in(environment: &Path) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

fn pip(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "--disable-pip-version-check"]);
    command
}

/// Makes a virtual environment, and replaces an existing one.
fn make_environment(folder: &Path, options: &[&str]) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let mut venv = Command::new(python);
    let what = "a virtual environment (on Debian: python3-venv)";
    output(venv.args(["-m", "venv"]).args(options).arg(folder), what)?;
    Ok(())
}

/// Installs these npm packages, each written `NAME@VERSION`, and replaces the folder. Their scripts do not run.
///
/// # Errors
/// The message of npm.
pub(super) fn install_by_npm(folder: &Path, packages: &[String]) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix"]);
    output(npm.arg(folder).args(packages), &packages.join(" "))?;
    Ok(())
}

/// Returns the folder that holds all installed sets.
pub(super) fn setups() -> Result<PathBuf> {
    Ok(target_directory()?.join("normative-setups"))
}

/// The limits of an installer. Its memory is not limited: Node and pip's resolver reserve memory according to the
/// machine.
const BOUNDS: Bounds = Bounds { within: Duration::from_secs(3600), memory: None, kept: outside::WRITTEN };

/// Runs a command and returns its standard output. An installer's output is not shown to the user.
pub(super) fn output(command: &mut Command, what: &str) -> Result<Vec<u8>> {
    let output = errand(command, BOUNDS).with_context(|| format!("cannot make {what}"))?;
    if !output.status.success() {
        bail!("cannot make {what}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_in_the_order_of_the_client() {
        let printed = br#"{"name": "a", "versions": ["1.10.0", "1.9.0"], "latest": "1.10.0"}"#;
        assert_eq!(parse(printed).unwrap(), ["1.10.0", "1.9.0"]);
    }

    #[test]
    fn a_list_that_is_not_json_is_an_error() {
        let error = parse(b"a (1.10.0)\nAvailable versions: 1.10.0").unwrap_err().to_string();
        assert_eq!(error, "cannot read what pip index versions printed");
    }
}
