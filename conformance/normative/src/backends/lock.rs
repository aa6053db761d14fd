//! Locks: every file that a set may be made of, by digest, including those of indirect dependencies.
//!
//! `cargo xtask setup` installs the usual version of a set from its lock in `backends/locks`. So the reviewed files
//! are installed, whatever the index offers later. `uv` writes the locks, because it resolves for all systems and
//! Pythons at once. pip reads them; its own locks would be for one machine only.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::installed::Installed;
use super::installer::{output, python_in};
use super::known::{Set, TOOLS};

/// The oldest Python that all pins support.
const PYTHON: &str = "3.11";

/// Writes the lock of a set again.
///
/// # Errors
/// The message of Python or the tool.
pub(super) fn renew(set: &'static Set) -> Result<()> {
    let (lock, wanted) = (set.lock(), tempfile::tempdir()?);
    let (_, version) = set.packages.first().context("a set without packages")?;
    let pins = Installed { set, version }.pins();
    let input = wanted.path().join("wanted.txt");
    fs::write(&input, pins.join("\n"))?;
    if let Some(folder) = lock.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut compile = uv()?;
    compile.args([
        "pip",
        "compile",
        "--quiet",
        "--universal",
        "--generate-hashes",
        "--no-header",
        "--no-annotate",
    ]);
    compile.args(["--python-version", PYTHON, "--upgrade", "--output-file"]).arg(&lock).arg(&input);
    if set.library.is_some() {
        // A crate that loads a library does not need the package's Python dependencies.
        compile.arg("--no-deps");
    }
    output(&mut compile, &format!("the lock of {}", set.name))?;
    Ok(())
}

/// Returns the command for uv. A missing uv is installed by its own lock, which must exist already.
fn uv() -> Result<Command> {
    let [_, tool] = &TOOLS;
    let (_, version) = tool.packages.first().context("a set without packages")?;
    let installed = Installed { set: tool, version };
    if !installed.is_there()? {
        installed.install()?;
    }
    let programs = python_in(&installed.folder()?).parent().map(Path::to_owned).unwrap_or_default();
    Ok(Command::new(programs.join("uv")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::known::{Registry, SETS};
    use super::*;
    use crate::select::workspace_root;

    /// Returns the packages that a lock names, each with its number of digests.
    fn digests(lock: &str) -> BTreeMap<&str, usize> {
        let mut packages: BTreeMap<&str, usize> = BTreeMap::new();
        let mut last = "";
        for line in lock.lines() {
            let line = line.trim_end_matches(" \\");
            if let Some(digest) = line.trim_start().strip_prefix("--hash=sha256:") {
                assert!(digest.len() == 64 && digest.bytes().all(|c| c.is_ascii_hexdigit()), "{line}");
                *packages.entry(last).or_default() += 1;
            } else {
                last = line.split(' ').next().unwrap();
                packages.entry(last).or_default();
            }
        }
        packages
    }

    /// Returns the sets that have a lock; those of npm have none.
    fn locked() -> impl Iterator<Item = &'static Set> {
        SETS.iter().chain(&TOOLS).filter(|set| set.registry == Registry::Pip)
    }

    #[test]
    fn every_set_is_locked_with_a_digest_of_every_package() {
        for set in locked() {
            let path = set.lock();
            let lock =
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let packages = digests(&lock);
            for (package, digests) in &packages {
                assert!(package.contains("==") && *digests > 0, "{}: {package}", set.name);
            }
            for (name, version) in set.packages {
                // The lock lists the packages of an extra as entries of their own.
                let package = name.split('[').next().unwrap();
                let pin = format!("{}=={version}", package.replace('_', "-"));
                assert!(packages.contains_key(pin.as_str()), "{}: {pin} is not locked", set.name);
            }
            // Each machine configures its own index, so the lock must not name one.
            assert!(!lock.contains("://") && !lock.contains("index-url"), "{}", set.name);
        }
    }

    #[test]
    fn every_lock_is_of_a_set() {
        let folder = workspace_root().join("backends/locks");
        let locks = fs::read_dir(folder).unwrap().flatten().filter(|file| file.path().extension().is_some());
        assert_eq!(locks.count(), locked().count());
    }
}
