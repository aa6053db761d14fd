//! The backends of this repository: the command that starts each, its requirements, and its state on this machine.
//!
//! A backend is a crate in `backends/`, a Python file or a Node file. A *set* is what `cargo xtask setup` installs, in
//! a folder of its own, so several versions can coexist. A user's own backend needs no row here.

mod installed;
mod installer;
mod known;
mod lock;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use normative_conformance::drive::{Asking, Program};
use normative_conformance::nearest;
use normative_repro::Target;

use self::installed::Installed;
use self::installer::python_in;
use self::known::{COMPILING, KNOWN, KnownBackend, Registry, SETS, TOOLS, Way};
use crate::home;
use crate::runner::build;

/// The state of a backend on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupState {
    /// It is set up.
    Ready,
    /// `cargo xtask setup` has to be run first.
    NeedsSetup,
    /// It runs only on this other system.
    ElsewhereOnly(&'static str),
}

/// A backend of this repository as the user named it: its row, and a version if one was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The row.
    pub known: &'static KnownBackend,
    version: Option<&'a str>,
}

/// Returns "; did you mean …?" if the table has a similar name, or else an empty string.
pub fn did_you_mean(name: &str) -> String {
    nearest::did_you_mean(unversioned(name), KNOWN.iter().map(|known| known.name))
}

/// Lists every backend in its usual version.
pub fn all() -> impl Iterator<Item = Wanted<'static>> {
    KNOWN.iter().map(|known| Wanted { known, version: None })
}

/// Returns true if this backend compiles every call, so that judging it takes minutes instead of seconds.
pub fn takes_long(argument: &str) -> bool {
    COMPILING.contains(&unversioned(argument))
}

/// Returns the name in `NAME` or `NAME@VERSION`.
pub fn unversioned(argument: &str) -> &str {
    argument.split_once('@').map_or(argument, |(name, _)| name)
}

/// Returns the name that `--backend` takes for a release.
pub fn asked_by(backend: &str, release: &str) -> String {
    let has_releases = find(backend).is_ok_and(|row| row.is_some_and(|row| row.has_releases()));
    if has_releases { format!("{backend}@{release}") } else { backend.to_owned() }
}

/// Looks up `NAME` or `NAME@VERSION` in the table.
///
/// # Errors
/// An empty or malformed version, or a version of a backend without a set.
pub fn find(argument: &str) -> Result<Option<Wanted<'_>>> {
    let (name, version) =
        argument.split_once('@').map_or((argument, None), |(name, version)| (name, Some(version)));
    let Some(known) = KNOWN.iter().find(|known| known.name == name) else { return Ok(None) };
    if version.is_some() && known.set.is_none() {
        bail!(
            "{argument}: expected {name} alone: its version is the one its crate is built with; leave out the @"
        );
    }
    if version.is_some_and(|version| version.is_empty() || version.contains(['/', '\\', ' ', ';'])) {
        bail!("{argument}: expected a version behind the @");
    }
    Ok(Some(Wanted { known, version }))
}

impl Wanted<'_> {
    /// Returns the set it needs, in the version that was given.
    pub fn set(&self) -> Option<Installed<'_>> {
        let set = SETS.iter().find(|set| Some(set.name) == self.known.set)?;
        let (_, usual) = set.packages.first()?;
        Some(Installed { set, version: self.version.unwrap_or(usual) })
    }

    /// Returns true if it can be had in several releases; false for a crate, which its adapter is built with.
    pub fn has_releases(&self) -> bool {
        self.known.set.is_some()
    }

    /// Returns its state on this machine.
    pub fn state(&self) -> Result<SetupState> {
        if let Some(system) = self.known.only_on.filter(|system| *system != std::env::consts::OS) {
            return Ok(SetupState::ElsewhereOnly(system));
        }
        let built = match self.known.way {
            Way::Crate(folder, _) => build::was_built(folder)?,
            Way::Python(..) | Way::Node(..) => true,
        };
        let installed = self.set().map_or(Ok(true), |set| set.is_there())?;
        Ok(if built && installed { SetupState::Ready } else { SetupState::NeedsSetup })
    }

    /// Returns its worker. A crate is built first.
    ///
    /// # Errors
    /// Its set is not installed, or the crate does not build.
    pub fn program(&self, argument: &str) -> Result<Program> {
        home::checkout_for(&format!("the backend {argument}"))?;
        if let Some(set) = self.set()
            && !set.is_there()?
        {
            bail!("{argument} is unavailable: cargo xtask setup {argument} installs what it needs");
        }
        self.equip(self.bare()?)
    }

    /// Returns its worker without its set. This part is the same for every version.
    ///
    /// # Errors
    /// The crate does not build.
    pub fn bare(&self) -> Result<Program> {
        let (mut program, words) = match self.known.way {
            Way::Python(file, words) => {
                let mut program = Program::new("python3");
                let root = home::checkout_for(&format!("the backend {}", self.known.name))?;
                program.args.push(root.join("backends/python").join(file).into());
                // Python must not write `__pycache__` folders into the sources.
                program.env.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
                (program, words)
            }
            Way::Node(file, words, asking, _) => {
                let root = home::checkout_for(&format!("the backend {}", self.known.name))?;
                let file = root.join("backends/javascript").join(file);
                (Program { args: vec![file.into()], asking, ..Program::new("node") }, words)
            }
            Way::Crate(folder, ref word) => (build::of_crate(folder)?, word.as_slice()),
        };
        program.args.extend(words.iter().map(Into::into));
        Ok(program)
    }

    /// Adds the set to such a worker: interpreter, folders and shared library.
    ///
    /// # Errors
    /// The shared library is not among the packages.
    pub fn equip(&self, mut bare: Program) -> Result<Program> {
        let Some(set) = self.set() else { return Ok(bare) };
        match self.known.way {
            Way::Python(..) => {
                let at = set.folder()?;
                bare.path = python_in(&at);
                let folders = set.set.folders.iter();
                bare.env.extend(folders.map(|(name, inner)| (name.into(), at.join(inner).into())));
            }
            Way::Node(.., folder) => bare.args.push(at_folder(&set.folder()?, folder).into()),
            Way::Crate(..) => {}
        }
        bare.env.extend(set.library()?.map(|(variable, path)| (variable.into(), path.into())));
        Ok(bare)
    }

    /// Lists the releases of the runtime that the package index offers for this machine, newest first. Returns `None`
    /// for a backend that needs no packages.
    ///
    /// # Errors
    /// The message of Python or its installer.
    pub fn releases(&self, pre: bool) -> Result<Option<Vec<String>>> {
        self.set().map(|set| set.releases(pre)).transpose()
    }

    /// Installs its set if it is missing.
    ///
    /// # Errors
    /// The message of Python or its installer.
    pub fn install(&self) -> Result<()> {
        match self.set() {
            Some(set) if !set.is_there()? => set.install(),
            _ => Ok(()),
        }
    }
}

/// Joins an inner folder to another; an empty one leaves it unchanged.
fn at_folder(set: &Path, inner: &str) -> PathBuf {
    if inner.is_empty() { set.to_owned() } else { set.join(inner) }
}

/// Returns the target for stand-alone reproductions of this backend.
pub fn target(backend: &str) -> Result<Target> {
    let name = match Asking::of_command(backend) {
        // A command does not tell the runtime, so its script has a place for the call.
        Some(_) => backend.split_once(':').map(|(asking, _)| asking),
        None => find(backend).ok().flatten().map(|wanted| wanted.known.name),
    };
    name.and_then(Target::of).ok_or_else(|| anyhow!("there is no stand-alone reproduction for {backend} yet"))
}

/// Writes the locks of all pip sets again.
///
/// # Errors
/// The message of Python or the tool.
pub fn renew_locks() -> Result<Vec<String>> {
    let locked = TOOLS.iter().chain(SETS).filter(|set| set.registry == Registry::Pip);
    locked.map(|set| lock::renew(set).map(|()| set.name.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use rstest::rstest;

    use super::*;
    use crate::select::workspace_root;

    #[test]
    fn every_row_names_what_there_is() {
        let mut names = BTreeSet::new();
        for wanted in all() {
            let known = wanted.known;
            assert!(names.insert(known.name), "{} is there twice", known.name);
            let at = workspace_root().join("backends");
            match known.way {
                Way::Crate(folder, _) => assert!(at.join(folder).join("Cargo.toml").is_file(), "{folder}"),
                Way::Python(file, _) => assert!(at.join("python").join(file).is_file(), "{file}"),
                Way::Node(file, ..) => assert!(at.join("javascript").join(file).is_file(), "{file}"),
            }
            assert_eq!(known.set.is_some(), wanted.set().is_some(), "{}: no such set", known.name);
        }
    }

    #[test]
    fn every_crate_in_backends_has_a_row() {
        for entry in fs::read_dir(workspace_root().join("backends")).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().join("Cargo.toml").is_file() {
                assert!(
                    KNOWN.iter().any(|known| known.way == Way::Crate(known.name, None) && known.name == name)
                );
            }
        }
    }

    #[test]
    fn another_version_pins_the_runtime_alone() {
        let pins = |argument| find(argument).unwrap().unwrap().set().unwrap().pins();
        assert_eq!(
            pins("jax"),
            ["jax==0.10.2", "jaxlib==0.10.2", "ml_dtypes==0.6.0", "numpy==2.4.6", "scipy==1.17.1"]
        );
        assert_eq!(pins("jax-norm@0.9.0"), ["jax==0.9.0", "jaxlib", "ml_dtypes", "numpy", "scipy"]);
        let folder = |argument| find(argument).unwrap().unwrap().set().unwrap().folder().unwrap();
        assert!(folder("onnxruntime@1.22.0").ends_with("normative-setups/onnxruntime@1.22.0"));
        assert_ne!(folder("onnxruntime@1.22.0"), folder("onnxruntime"));
        assert_eq!(folder("onnxruntime-axes-input"), folder("onnxruntime"));
    }

    #[rstest]
    #[case::of_a_package("onnxruntime-web", "onnxruntime-web@1.30.0")]
    #[case::another_version("onnxruntime-web@1.29.0", "onnxruntime-web@1.29.0")]
    #[case::of_a_scope("tfjs-norm", "@tensorflow/tfjs-core@4.22.0")]
    #[case::of_a_repository("webnn-baseline@abc", "github:webmachinelearning/webnn-baseline#abc")]
    fn what_npm_installs_is_pinned_as_npm_writes_it(#[case] argument: &str, #[case] pin: &str) {
        assert_eq!(find(argument).unwrap().unwrap().set().unwrap().pins()[0], pin);
    }

    #[rstest]
    #[case::before("torch@2.2.2", "numpy<2")]
    #[case::since("torch@2.4.1", "numpy")]
    #[case::a_number_of_two_digits("torch@2.10.0", "numpy")]
    #[case::unaffected("onnx-reference@1.13.0", "numpy")]
    fn a_release_from_before_numpy_2_gets_numpy_1(#[case] argument: &str, #[case] numpy: &str) {
        let pins = find(argument).unwrap().unwrap().set().unwrap().pins();
        assert_eq!(pins.iter().find(|pin| pin.starts_with("numpy")).unwrap(), numpy);
    }

    #[rstest]
    #[case::of_a_crate("rten@0.1", "leave out the @")]
    #[case::empty("numpy@", "expected a version behind the @")]
    #[case::a_path("numpy@../../x", "expected a version behind the @")]
    fn a_version_that_cannot_be_had_is_refused(#[case] argument: &str, #[case] because: &str) {
        let error = find(argument).unwrap_err().to_string();
        assert!(error.contains(because), "{error}");
    }

    #[test]
    fn what_was_never_set_up_is_unavailable_with_the_command_that_helps() {
        let argument = "onnxruntime@0.0.0";
        let error = find(argument).unwrap().unwrap().program(argument).unwrap_err().to_string();
        let expected =
            "onnxruntime@0.0.0 is unavailable: cargo xtask setup onnxruntime@0.0.0 installs what it needs";
        assert_eq!(error, expected);
    }

    #[test]
    fn a_name_that_is_not_ours_is_left_to_others() {
        assert_eq!(find("nothing").unwrap(), None);
        assert_eq!(find("./ndarray").unwrap(), None);
    }
}
