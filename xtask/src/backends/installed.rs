//! A set of packages on this machine: a virtual environment of its own under the target directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::known::{Library, Set};
use crate::runner::target_directory;
use crate::select::workspace_root;

/// A set in one version.
pub(super) struct Installed<'a> {
    pub(super) set: &'static Set,
    pub(super) version: &'a str,
}

impl Installed<'_> {
    /// A folder of its own under the target directory.
    pub(super) fn folder(&self) -> Result<PathBuf> {
        let target = target_directory(workspace_root())?;
        Ok(target.join("normative-setups").join(format!("{}@{}", self.set.name, self.version)))
    }

    /// What is installed, as the installer takes it.
    pub(super) fn pins(&self) -> Vec<String> {
        let mut packages = self.set.packages.iter();
        let runtime = packages.next().map(|(name, _)| format!("{name}=={}", self.version));
        // Another version of the runtime may want others of what it stands on.
        let usual = self.set.packages.first().is_some_and(|(_, version)| *version == self.version);
        let pin = |(name, version): &(&str, &str)| {
            if usual { format!("{name}=={version}") } else { (*name).to_owned() }
        };
        runtime.into_iter().chain(packages.map(pin)).collect()
    }

    /// Written last, and naming what was installed: half a set, or one of earlier pins, is none.
    fn mark(&self) -> Result<PathBuf> {
        Ok(self.folder()?.join("normative-set.txt"))
    }

    pub(super) fn is_there(&self) -> Result<bool> {
        Ok(fs::read_to_string(self.mark()?).is_ok_and(|text| text == self.pins().join("\n")))
    }

    pub(super) fn install(&self) -> Result<()> {
        let folder = self.folder()?;
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        let mut venv = Command::new(python);
        succeed(venv.args(["-m", "venv"]).arg(&folder), "a virtual environment (on Debian: python3-venv)")?;
        let mut install = Command::new(python_in(&folder));
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        succeed(install.args(self.pins()), &self.pins().join(" "))?;
        let mark = self.mark()?;
        fs::write(&mark, self.pins().join("\n")).with_context(|| mark.display().to_string())
    }

    /// The shared library, and the variable that names it.
    pub(super) fn library(&self) -> Result<Option<(&'static str, PathBuf)>> {
        let Some(Library { variable, folder, begins }) = self.set.library else { return Ok(None) };
        let at = packages_in(&self.folder()?).map(|packages| packages.join(folder));
        let entries = at.iter().filter_map(|at| fs::read_dir(at).ok()).flatten().flatten();
        let is_it = |path: &PathBuf| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(begins))
        };
        let found = entries.map(|entry| entry.path()).find(is_it);
        let found = found.with_context(|| format!("{}: there is no {begins}* in {folder}", self.set.name))?;
        Ok(Some((variable, found)))
    }
}

fn succeed(command: &mut Command, what: &str) -> Result<()> {
    // What an installer prints is not the output of this command.
    let output = command.output().with_context(|| format!("cannot make {what}"))?;
    if !output.status.success() {
        bail!("cannot make {what}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// The interpreter of a virtual environment.
pub(super) fn python_in(environment: &Path) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

/// The folder packages are installed in, whose name holds the version of Python.
fn packages_in(environment: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    let unix = entries.map(|entry| entry.path().join("site-packages"));
    unix.chain([environment.join("Lib/site-packages")]).find(|path| path.is_dir())
}
