//! A set of packages on this machine: a virtual environment of its own under the target directory.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use normative_conformance::outside;

use super::installer::{Installer, Packages, install_by_npm, setups};
use super::known::{Library, Registry, Set};

/// The file in a folder that names what was installed there.
const MARK: &str = "normative-set.txt";

/// A set in one version.
pub struct Installed<'a> {
    pub(super) set: &'static Set,
    pub version: &'a str,
}

impl Installed<'_> {
    /// Returns the set's own folder under the target directory.
    pub(super) fn folder(&self) -> Result<PathBuf> {
        Ok(setups()?.join(format!("{}@{}", self.set.name, self.version)))
    }

    /// Returns the packages with their versions, as pip or npm takes them.
    pub(super) fn pins(&self) -> Vec<String> {
        if self.set.registry == Registry::Npm {
            let version = |at: usize, usual| if at == 0 { self.version } else { usual };
            let packages = self.set.packages.iter().enumerate();
            // npm separates a commit from its repository by `#`, and a version from its package by `@`.
            let mark = |name: &str| if name.starts_with("github:") { '#' } else { '@' };
            let pin = |(at, &(name, usual)): (usize, &(&str, _))| {
                format!("{name}{}{}", mark(name), version(at, usual))
            };
            return packages.map(pin).collect();
        }
        let mut packages = self.set.packages.iter();
        let runtime = packages.next().map(|(name, _)| format!("{name}=={}", self.version));
        // Another version of the runtime may need other versions of its dependencies.
        let usual = self.is_usual();
        let old = self.set.numpy_2_from.is_some_and(|first| numbers(self.version) < numbers(first));
        let pin = |&(name, version): &(&str, &str)| match name {
            _ if usual => format!("{name}=={version}"),
            "numpy" if old => "numpy<2".to_owned(),
            _ => name.to_owned(),
        };
        runtime.into_iter().chain(packages.map(pin)).collect()
    }

    fn is_usual(&self) -> bool {
        self.set.packages.first().is_some_and(|(_, version)| *version == self.version)
    }

    /// Returns the path of the mark. It is written last and names the pins, so it shows a complete, current set.
    fn mark(&self) -> Result<PathBuf> {
        Ok(self.folder()?.join(MARK))
    }

    pub(super) fn is_there(&self) -> Result<bool> {
        Ok(self.is_in(&self.folder()?))
    }

    /// Returns the text of the mark: the lock for the usual version from pip, or else the pins.
    fn mark_text(&self) -> Result<String> {
        if !self.is_usual() || self.set.registry == Registry::Npm {
            return Ok(self.pins().join("\n"));
        }
        let lock = self.set.lock();
        outside::text(&lock, outside::WRITTEN).with_context(|| lock.display().to_string())
    }

    /// Returns true if this folder holds the set.
    fn is_in(&self, folder: &Path) -> bool {
        let due = self.mark_text();
        outside::text(&folder.join(MARK), outside::WRITTEN).is_ok_and(|text| due.is_ok_and(|due| text == due))
    }

    pub(super) fn install(&self) -> Result<()> {
        // A crate that loads a library does not need the package's Python dependencies.
        let alone = self.set.library.is_some();
        let (pins, lock) = (self.pins(), self.set.lock());
        match self.set.registry {
            Registry::Npm => install_by_npm(&self.folder()?, &pins)?,
            Registry::Pip => {
                // The lock has digests for the usual version only.
                let packages = if self.is_usual() { Packages::Locked(&lock) } else { Packages::Named(&pins) };
                Installer::ready()?.install(&self.folder()?, &packages, alone)?;
            }
        }
        let mark = self.mark()?;
        fs::write(&mark, self.mark_text()?).with_context(|| mark.display().to_string())
    }

    /// Lists the releases of the runtime that can be installed here, newest first.
    pub(super) fn releases(&self, pre: bool) -> Result<Vec<String>> {
        let (package, _) = self.set.packages.first().context("a set without packages")?;
        if self.set.registry == Registry::Npm {
            bail!("the releases of {package} are not listed here: npm has them");
        }
        Installer::ready()?.releases(package, pre)
    }

    /// Returns the shared library, and the variable that names it.
    pub(super) fn library(&self) -> Result<Option<(&'static str, PathBuf)>> {
        let Some(Library { variable, folder, begins }) = self.set.library else { return Ok(None) };
        let at = packages_in(&self.folder()?).map(|packages| packages.join(folder));
        let entries = at.iter().filter_map(|at| outside::entries(at, outside::ENTRIES).ok()).flatten();
        let is_it = |path: &PathBuf| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(begins))
        };
        let found = entries.into_iter().find(is_it);
        let found = found.with_context(|| format!("{}: there is no {begins}* in {folder}", self.set.name))?;
        Ok(Some((variable, found)))
    }
}

/// Returns the numbers of a version such as 2.10.1, which compare as versions do.
fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// Finds the folder that packages are installed in. Its path contains the version of Python.
fn packages_in(environment: &Path) -> Option<PathBuf> {
    let entries =
        outside::entries(&environment.join("lib"), outside::ENTRIES).unwrap_or_default().into_iter();
    let unix = entries.map(|path| path.join("site-packages"));
    unix.chain([environment.join("Lib/site-packages")]).find(|path| path.is_dir())
}
