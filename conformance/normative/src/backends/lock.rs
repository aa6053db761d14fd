//! Locks: every file that a set may be made of, by its digest, those of packages that nobody names among them.
//!
//! `cargo xtask setup` takes the usual version of a set from `backends/locks`, so what runs on a machine of ours is what was
//! reviewed, whatever the index offers by then. `uv` writes them, because it can for all systems and Pythons at once; pip, which
//! reads them, writes such for the machine alone that it runs on.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::installed::Installed;
use super::installer::{output, python_in};
use super::known::{Set, TOOLS};

/// The first Python that all pins are for.
const PYTHON: &str = "3.11";

/// Writes the lock of a set again.
///
/// # Errors
/// What Python or the tool said.
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
        // A crate that loads a library needs nothing that Python would need beside it.
        compile.arg("--no-deps");
    }
    output(&mut compile, &format!("the lock of {}", set.name))?;
    Ok(())
}

/// The tool, made ready first where it is not there. The very first time there is no lock that it could come from.
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

    /// The packages that a lock names, and how many digests each has.
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

    /// npm has no part in the locks.
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
                // What an extra adds stands in the lock as packages of their own.
                let package = name.split('[').next().unwrap();
                let pin = format!("{}=={version}", package.replace('_', "-"));
                assert!(packages.contains_key(pin.as_str()), "{}: {pin} is not locked", set.name);
            }
            // Where files come from is for each machine to say.
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
