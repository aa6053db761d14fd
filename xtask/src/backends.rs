//! The backends of this repository: how each is started, what it needs, and whether that is there.
//!
//! Two tables. A backend is a crate in `backends/`, or a Python file; a *set* is what `cargo xtask setup` installs in
//! a folder of its own, so that several versions stand side by side. Who judges a crate of their own needs no row.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{ArgMatches, Command};
use normative_conformance::worker::Program;
use std::process::ExitCode;

use crate::runner::{self, target_directory};
use crate::select::workspace_root;

/// A backend of this repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// What `--backend` takes.
    pub(crate) name: &'static str,
    /// What is judged.
    pub(crate) what: &'static str,
    way: Way,
    /// The set it needs.
    set: Option<&'static str>,
    /// The only system it is for, as `std::env::consts::OS` names it.
    only_on: Option<&'static str>,
}

/// How a worker is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The crate in this folder of `backends/`, with this word on the command line.
    Crate(&'static str, Option<&'static str>),
    /// A file in `backends/python`, with these words on the command line.
    Python(&'static str, &'static [&'static str]),
}

/// Packages of Python's that are installed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Set {
    name: &'static str,
    /// Name and version. The first is the runtime itself: `@VERSION` is a version of that.
    packages: &'static [(&'static str, &'static str)],
    /// The shared library a crate loads.
    library: Option<Library>,
    /// Environment variables that hold a folder beside the packages.
    folders: &'static [(&'static str, &'static str)],
}

/// A shared library among the installed packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Library {
    /// The environment variable that hands its path to the worker.
    variable: &'static str,
    folder: &'static str,
    /// How the name of the file begins; the rest depends on version and system.
    begins: &'static str,
}

/// Whether a backend can be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It was set up.
    Ready,
    /// `cargo xtask setup` has to be run first.
    NeedsSetup,
    /// It is for another system.
    ElsewhereOnly(&'static str),
}

const fn of_crate(name: &'static str, what: &'static str) -> Known {
    Known { name, what, way: Way::Crate(name, None), set: None, only_on: None }
}

const fn loads(
    name: &'static str,
    set: &'static str,
    word: Option<&'static str>,
    what: &'static str,
) -> Known {
    Known { name, what, way: Way::Crate(set, word), set: Some(set), only_on: None }
}

const fn python(
    name: &'static str,
    set: &'static str,
    file: &'static str,
    words: &'static [&'static str],
    what: &'static str,
) -> Known {
    Known { name, what, way: Way::Python(file, words), set: Some(set), only_on: None }
}

const fn of_packages(name: &'static str, packages: &'static [(&'static str, &'static str)]) -> Set {
    Set { name, packages, library: None, folders: &[] }
}

/// Every backend, in the order of the columns of a matrix.
#[rustfmt::skip]
const KNOWN: &[Known] = &[
    loads("onnxruntime", "onnxruntime", None, "ONNX Runtime on the CPU, axes as a constant"),
    loads("onnxruntime-axes-input", "onnxruntime", Some("axes-input"), "the same, axes fed with the data"),
    loads("openvino", "openvino", None, "OpenVINO's CPU plugin, from IR"),
    loads("openvino-constant", "openvino", Some("constant"), "the same with constant data, which it folds"),
    loads("openvino-onnx", "openvino", Some("onnx"), "OpenVINO's CPU plugin, from ONNX"),
    of_crate("rten", "rten, from ONNX"),
    of_crate("tract", "tract, from ONNX"),
    python("onnx-reference", "onnx", "onnx_reference_backend.py", &["initializer"], "onnx's ReferenceEvaluator"),
    python("onnx-reference-axes-input", "onnx", "onnx_reference_backend.py", &["input"], "the same, axes fed with the data"),
    of_crate("burn", "burn: linalg::l1_norm_dims and l2_norm_dims"),
    of_crate("candle", "candle: sums of abs and sqr"),
    of_crate("ndarray", "ndarray: sum_axis over mapped values"),
    of_crate("ndarray-fold", "ndarray: fold_axis over the data"),
    of_crate("faer", "faer: norms of a vector or of a whole matrix"),
    of_crate("nalgebra", "nalgebra: norms of a vector or of a whole matrix"),
    python("numpy", "numpy", "numpy_backend.py", &["sum"], "NumPy: sums of abs and square"),
    python("numpy-norm", "numpy", "numpy_backend.py", &["norm"], "NumPy: linalg.norm"),
    python("torch", "torch", "torch_backend.py", &["sum"], "PyTorch: sums of abs and square"),
    python("torch-norm", "torch", "torch_backend.py", &["vector_norm"], "PyTorch: linalg.vector_norm"),
    python("jax", "jax", "jax_backend.py", &["sum", "x64"], "JAX with 64-bit types: sums of abs and square"),
    python("jax-norm", "jax", "jax_backend.py", &["vector_norm"], "JAX as it comes: linalg.vector_norm"),
    python("tensorflow", "tensorflow", "tensorflow_backend.py", &["sum"], "TensorFlow: reduce_sum of abs and square"),
    python("tensorflow-norm", "tensorflow", "tensorflow_backend.py", &["norm"], "TensorFlow: tf.norm"),
    Known {
        name: "bnns", what: "Apple's BNNSComputeNorm", way: Way::Crate("bnns", None), set: None, only_on: Some("macos"),
    },
];

#[rustfmt::skip]
const SETS: &[Set] = &[
    Set {
        name: "onnxruntime",
        packages: &[("onnxruntime", "1.31.1")],
        library: Some(Library {
            variable: "NORMATIVE_ONNXRUNTIME", folder: "onnxruntime/capi", begins: "libonnxruntime.",
        }),
        folders: &[],
    },
    Set {
        name: "openvino",
        packages: &[("openvino", "2026.4.1")],
        library: Some(Library { variable: "NORMATIVE_OPENVINO", folder: "openvino/libs", begins: "libopenvino_c." }),
        folders: &[],
    },
    of_packages("numpy", &[("numpy", "2.4.6")]),
    of_packages("onnx", &[("onnx", "1.23.2"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"), ("protobuf", "7.36.2")]),
    of_packages("torch", &[("torch", "2.15.0"), ("numpy", "2.4.6")]),
    Set {
        // It compiles anew for every shape, which is most of the time it takes; what was compiled can be kept.
        folders: &[("JAX_COMPILATION_CACHE_DIR", "compiled")],
        ..of_packages(
            "jax",
            &[("jax", "0.10.2"), ("jaxlib", "0.10.2"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"), ("scipy", "1.17.1")],
        )
    },
    of_packages(
        "tensorflow",
        &[("tensorflow-cpu", "2.21.0"), ("keras", "3.15.1"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"), ("protobuf", "7.36.2")],
    ),
];

/// A backend of ours as it was asked for: its row, and a version that is not the usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted<'a> {
    /// The row.
    pub(crate) known: &'static Known,
    version: Option<&'a str>,
}

/// Every backend in its usual version.
pub(crate) fn all() -> impl Iterator<Item = Wanted<'static>> {
    KNOWN.iter().map(|known| Wanted { known, version: None })
}

/// What `NAME` or `NAME@VERSION` means, if it is in the table.
///
/// # Errors
/// Where there are no versions to choose from.
pub(crate) fn find(argument: &str) -> Result<Option<Wanted<'_>>> {
    let (name, version) =
        argument.split_once('@').map_or((argument, None), |(name, version)| (name, Some(version)));
    let Some(known) = KNOWN.iter().find(|known| known.name == name) else { return Ok(None) };
    if version.is_some() && known.set.is_none() {
        bail!("{argument}: the version of {name} is the one its crate is built with; leave out the @");
    }
    if version.is_some_and(|version| version.is_empty() || version.contains(['/', '\\', ' ', ';'])) {
        bail!("{argument}: what follows the @ is no version");
    }
    Ok(Some(Wanted { known, version }))
}

impl Wanted<'_> {
    /// The set it needs, with the version that was asked for.
    fn set(&self) -> Option<Installed<'_>> {
        let set = SETS.iter().find(|set| Some(set.name) == self.known.set)?;
        let (_, usual) = set.packages.first()?;
        Some(Installed { set, version: self.version.unwrap_or(usual) })
    }

    /// Whether it can be judged.
    pub(crate) fn state(&self) -> Result<State> {
        if let Some(system) = self.known.only_on.filter(|system| *system != std::env::consts::OS) {
            return Ok(State::ElsewhereOnly(system));
        }
        let built = match self.known.way {
            Way::Crate(folder, _) => runner::was_built(folder)?,
            Way::Python(..) => true,
        };
        let installed = self.set().map_or(Ok(true), |set| set.is_there())?;
        Ok(if built && installed { State::Ready } else { State::NeedsSetup })
    }

    /// Its worker, built where it is a crate.
    ///
    /// # Errors
    /// Where what it needs is not installed, or it does not build.
    pub(crate) fn program(&self, argument: &str) -> Result<Program> {
        let set = self.set();
        if let Some(set) = &set
            && !set.is_there()?
        {
            bail!("{argument} is unavailable: cargo xtask setup {argument} installs what it needs");
        }
        match (self.known.way, set) {
            (Way::Python(file, words), set) => {
                let folder = set.as_ref().map(Installed::folder).transpose()?;
                let python = folder.as_deref().map_or_else(|| "python3".into(), python_in);
                let file = workspace_root().join("backends/python").join(file);
                let mut program = Program::new(python);
                program.args.push(file.into());
                program.args.extend(words.iter().map(Into::into));
                // Nothing is to be left lying in the sources.
                program.env.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
                if let (Some(at), Some(set)) = (&folder, &set) {
                    let folders = set.set.folders.iter();
                    program.env.extend(folders.map(|(name, inner)| (name.into(), at.join(inner).into())));
                }
                Ok(program)
            }
            (Way::Crate(folder, word), set) => {
                let mut program = runner::of_crate(folder)?;
                program.args.extend(word.map(Into::into));
                if let Some((variable, path)) = set.map(|set| set.library()).transpose()?.flatten() {
                    program.env.push((variable.into(), path.into()));
                }
                Ok(program)
            }
        }
    }

    /// Installs what it needs, unless it is there.
    ///
    /// # Errors
    /// What Python or its installer said.
    pub(crate) fn install(&self) -> Result<()> {
        match self.set() {
            Some(set) if !set.is_there()? => set.install(),
            _ => Ok(()),
        }
    }
}

/// A set in one version.
struct Installed<'a> {
    set: &'static Set,
    version: &'a str,
}

impl Installed<'_> {
    /// A folder of its own under the target directory.
    fn folder(&self) -> Result<PathBuf> {
        let target = target_directory(workspace_root())?;
        Ok(target.join("normative-setups").join(format!("{}@{}", self.set.name, self.version)))
    }

    /// What is installed, as the installer takes it.
    fn pins(&self) -> Vec<String> {
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

    fn is_there(&self) -> Result<bool> {
        Ok(fs::read_to_string(self.mark()?).is_ok_and(|text| text == self.pins().join("\n")))
    }

    fn install(&self) -> Result<()> {
        let folder = self.folder()?;
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        let mut venv = std::process::Command::new(python);
        succeed(venv.args(["-m", "venv"]).arg(&folder), "a virtual environment (on Debian: python3-venv)")?;
        let mut install = std::process::Command::new(python_in(&folder));
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        succeed(install.args(self.pins()), &self.pins().join(" "))?;
        let mark = self.mark()?;
        fs::write(&mark, self.pins().join("\n")).with_context(|| mark.display().to_string())
    }

    /// The shared library, and the variable that names it.
    fn library(&self) -> Result<Option<(&'static str, PathBuf)>> {
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

fn succeed(command: &mut std::process::Command, what: &str) -> Result<()> {
    // What an installer prints is not the output of this command.
    let output = command.output().with_context(|| format!("cannot make {what}"))?;
    if !output.status.success() {
        bail!("cannot make {what}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

fn python_in(environment: &Path) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

/// The folder packages are installed in, whose name holds the version of Python.
fn packages_in(environment: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    let unix = entries.map(|entry| entry.path().join("site-packages"));
    unix.chain([environment.join("Lib/site-packages")]).find(|path| path.is_dir())
}

/// What `cargo xtask backends` takes.
pub(crate) fn command() -> Command {
    Command::new("backends").about("List the backends of this repository, and which of them are ready")
}

/// Runs `cargo xtask backends`.
pub(crate) fn main(_: &ArgMatches) -> Result<ExitCode> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    let width = KNOWN.iter().map(|known| known.name.len()).max().unwrap_or(0);
    for wanted in all() {
        let known = wanted.known;
        let state = match wanted.state()? {
            State::Ready => "ready".to_owned(),
            State::NeedsSetup => "needs setup".to_owned(),
            State::ElsewhereOnly(system) => format!("{system} only"),
        };
        let version = wanted.set().map_or_else(String::new, |set| format!(" ({})", set.version));
        writeln!(out, "{:<width$}  {state:<11}  {}{version}", known.name, known.what)?;
    }
    writeln!(
        out,
        "\ncargo xtask setup NAME[@VERSION] makes one ready, cargo xtask conformance --backend judges it"
    )?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rstest::rstest;

    use super::*;

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
    #[case::of_a_crate("rten@0.1", "leave out the @")]
    #[case::empty("numpy@", "is no version")]
    #[case::a_path("numpy@../../x", "is no version")]
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
