//! The skeleton of a backend in each language: an adapter that runs, with an example in place of the library.
//!
//! `new-backend` makes it in a folder of its own, `init` within a project. Nothing here writes a file.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Arg;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use crate::home;

/// The language of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Python,
    JavaScript,
}

/// A file: its path in the folder of the backend, and its text.
pub(crate) type File = (&'static str, String);

impl Language {
    /// All languages.
    pub(crate) const ALL: [Self; 3] = [Self::Rust, Self::Python, Self::JavaScript];

    /// Returns its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript => "javascript",
        }
    }

    /// Returns the option `--language`.
    pub(crate) fn option(help: &'static str) -> Arg {
        let named = |name: String| Self::ALL.into_iter().find(|language| language.name() == name);
        let parser = PossibleValuesParser::new(Self::ALL.map(Self::name));
        Arg::new("language")
            .long("language")
            .value_name("LANGUAGE")
            .value_parser(parser.map(move |name| named(name).unwrap_or(Self::Rust)))
            .help(help)
    }

    /// Returns the file with the adapter.
    pub(crate) const fn adapter(self) -> &'static str {
        match self {
            Self::Rust => "src/lib.rs",
            Self::Python => "backend.py",
            Self::JavaScript => "backend.mjs",
        }
    }

    /// Returns what `--backend` takes for the backend in this folder; `of_path` spells a path.
    pub(crate) fn backend(self, folder: &Path, of_path: impl Fn(&Path) -> String) -> String {
        let file = of_path(&folder.join(self.adapter()));
        match self {
            Self::Rust => of_path(folder),
            Self::Python => format!("cmd:python3 {file}"),
            Self::JavaScript => format!("cmd:node {file}"),
        }
    }

    /// Returns the file with the adapter of a library with this name. In JavaScript, it takes the worker from `worker`.
    pub(crate) fn adapter_of(self, name: &str, worker: &str) -> File {
        let text = match self {
            Self::Rust => include_str!("../templates/backend.rs"),
            Self::Python => include_str!("../templates/backend.py"),
            Self::JavaScript => include_str!("../templates/backend.mjs"),
        };
        (self.adapter(), text.replace("@NAME@", name).replace("@WORKER@", worker))
    }

    /// Returns the modules that the adapter uses, for where the package that has them is not installed.
    pub(crate) fn modules(self) -> Vec<File> {
        let files: &[(&str, &str)] = match self {
            Self::Rust => &[],
            Self::Python => &[
                ("normative/worker.py", include_str!("../templates/worker.py")),
                ("normative/axis_argument.py", include_str!("../templates/axis_argument.py")),
                ("normative/numpy_types.py", include_str!("../templates/numpy_types.py")),
            ],
            Self::JavaScript => {
                &[("normative_worker.mjs", include_str!("../templates/normative_worker.mjs"))]
            }
        };
        files.iter().map(|&(path, text)| (path, text.to_owned())).collect()
    }
}

/// The name by which an adapter in JavaScript imports the worker beside it.
pub(crate) const WORKER_BESIDE: &str = "./normative_worker.mjs";

/// Returns the manifest and the test of a crate with an adapter, which depends on these crates as well.
pub(crate) fn of_a_crate(name: &str, git: Option<&str>, library: Option<(&str, &Path)>) -> Result<Vec<File>> {
    let crate_at = |folder: &str| dependency(folder, git);
    let (backend, harness) = (crate_at("conformance/backend")?, crate_at("conformance/harness")?);
    let library = match library {
        Some((name, path)) => format!("{name} = {{ path = {} }}\n", serde_json::to_string(path)?),
        None => String::new(),
    };
    let manifest = format!(
        "[package]
name = \"{name}\"
version = \"0.1.0\"
edition = \"2024\"
publish = false

[dependencies]
{library}normative-backend = {{ {backend} }}

[dev-dependencies]
normative-harness = {{ {harness} }}

[[test]]
name = \"conformance\"
harness = false

# Exact arithmetic that is not optimised takes ten times as long.
[profile.dev.package.\"*\"]
opt-level = 1

# Of no other workspace, wherever it lies.
[workspace]
"
    );
    let test = include_str!("../templates/conformance.rs").replace("@CRATE@", &name.replace('-', "_"));
    Ok(vec![("Cargo.toml", manifest), ("tests/conformance.rs", test)])
}

/// Returns a dependency on a crate of this repository as a manifest has it: by git, by path, or by version.
fn dependency(folder: &str, git: Option<&str>) -> Result<String> {
    // A JSON string is also a TOML string.
    Ok(match (git, home::checkout()) {
        (Some(url), _) => format!("git = {}", serde_json::to_string(url)?),
        (None, Some(root)) => format!("path = {}", serde_json::to_string(&root.join(folder))?),
        (None, None) => format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
    })
}

/// Returns the option `--git`.
pub(crate) fn git_option() -> Arg {
    Arg::new("git").long("git").value_name("URL").help(
        "Take normative-backend from this repository [default: from the checkout that this is run in, or else from the \
         registry]",
    )
}

/// Returns true if a crate can have this name.
pub(crate) fn is_crate_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Returns the files with their paths in a folder.
pub(crate) fn in_folder(folder: &Path, files: Vec<File>) -> Vec<(PathBuf, String)> {
    files.into_iter().map(|(path, text)| (folder.join(path), text)).collect()
}
