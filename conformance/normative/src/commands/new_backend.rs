//! `cargo xtask new-backend PATH`: makes the skeleton of a backend that runs.
//!
//! It passes `smoke`, and reports every call as unsupported. In Rust it is a crate, which the harness takes as well.
//! In Python and JavaScript it is a program, beside a copy of the worker module that speaks the protocol.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Arg, ArgMatches, Command};

use crate::home;
use crate::runner::of_path;
use normative_conformance::display::shell::quoted;

/// The language of a backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Language {
    #[default]
    Rust,
    Python,
    JavaScript,
}

/// All languages, by name.
const LANGUAGES: [(&str, Language); 3] =
    [("rust", Language::Rust), ("python", Language::Python), ("javascript", Language::JavaScript)];

/// Returns the command's options.
pub(crate) fn command() -> Command {
    let named = |name: String| LANGUAGES.into_iter().find(|(known, _)| *known == name).unwrap_or_default().1;
    Command::new("new-backend")
        .about("Make a new backend, which runs and passes smoke, to be filled in")
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Where to; the folder's name is the backend's, and it must not be there"),
        )
        .arg(
            Arg::new("language")
                .long("language")
                .value_name("LANGUAGE")
                .value_parser(PossibleValuesParser::new(LANGUAGES.map(|(name, _)| name)).map(named))
                .help("What it is written in [default: rust]"),
        )
        .arg(Arg::new("git").long("git").value_name("URL").help(
            "Take normative-backend from this repository [default: from the checkout that this is run in, or else from \
             the registry]",
        ))
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let path = matches.get_one::<PathBuf>("path").context("no path is given")?;
    let name = path.file_name().and_then(|name| name.to_str()).context("the path ends in no name")?;
    if !is_crate_name(name) {
        bail!("{name}: a crate's name is letters, digits, '-' and '_', and begins with a letter");
    }
    let language = matches.get_one("language").copied().unwrap_or_default();
    let git = matches.get_one::<String>("git").map(String::as_str);
    if git.is_some() && language != Language::Rust {
        bail!("--git is for a backend in Rust: in other languages, nothing is depended on");
    }
    let files = match language {
        Language::Rust => of_rust(name, git)?,
        Language::Python => of_python(name),
        Language::JavaScript => of_javascript(name),
    };
    let shown = || path.display().to_string();
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).with_context(shown)?;
    match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{}: expected a path where nothing is yet; nothing is written", shown())
        }
        made => made.with_context(shown)?,
    }
    for (file, text) in files {
        let file = path.join(file);
        fs::create_dir_all(file.parent().unwrap_or(path)).with_context(shown)?;
        fs::write(&file, text).with_context(|| file.display().to_string())?;
    }
    let (file, backend) = match language {
        Language::Rust => ("src/lib.rs", of_path(path)),
        Language::Python => ("backend.py", format!("cmd:python3 {}", of_path(&path.join("backend.py")))),
        Language::JavaScript => ("backend.mjs", format!("cmd:node {}", of_path(&path.join("backend.mjs")))),
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "made {}; fill in {file}, and then", shown())?;
    for command in ["smoke", "conformance"] {
        writeln!(out, "  {} {command} --backend {}", home::program(), quoted(&backend))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The files of a backend, each with its path in the folder.
type Files = Vec<(&'static str, String)>;

fn of_rust(name: &str, git: Option<&str>) -> Result<Files> {
    let crate_at = |folder: &str| dependency(folder, git);
    let (backend, harness) = (crate_at("conformance/backend")?, crate_at("conformance/harness")?);
    let manifest = format!(
        "[package]
name = \"{name}\"
version = \"0.1.0\"
edition = \"2024\"

[dependencies]
normative-backend = {{ {backend} }}

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
    let test = include_str!("../../templates/conformance.rs").replace("@CRATE@", &name.replace('-', "_"));
    let source = include_str!("../../templates/backend.rs").replace("@NAME@", name);
    Ok(vec![("Cargo.toml", manifest), ("src/lib.rs", source), ("tests/conformance.rs", test)])
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

fn of_python(name: &str) -> Files {
    let backend = include_str!("../../templates/backend.py").replace("@NAME@", name);
    let worker = include_str!("../../templates/worker.py").to_owned();
    vec![("backend.py", backend), ("normative/worker.py", worker)]
}

fn of_javascript(name: &str) -> Files {
    let backend = include_str!("../../templates/backend.mjs").replace("@NAME@", name);
    let worker = include_str!("../../templates/normative_worker.mjs").to_owned();
    vec![("backend.mjs", backend), ("normative_worker.mjs", worker)]
}

fn is_crate_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}
