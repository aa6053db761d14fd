//! `cargo xtask new-backend PATH`: makes the skeleton of a backend that runs.
//!
//! It passes `smoke`, and is judged with a small function of its own in place of a library. In Rust it is a crate, which
//! the harness takes as well. In Python and JavaScript it is a program, beside copies of the modules that it uses.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgMatches, Command};

use crate::runner::of_path;
use crate::skeleton::{Language, WORKER_BESIDE, git_option, in_folder, is_crate_name, of_a_crate};
use crate::{home, output};
use normative_conformance::display::shell::quoted;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("new-backend")
        .about("Make a new backend, which runs and passes smoke, to be filled in")
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Where to; the folder's name is the backend's, and it must not be there"),
        )
        .arg(Language::option("What it is written in [default: rust]"))
        .arg(git_option())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let path = matches.get_one::<PathBuf>("path").context("no path is given")?;
    let name =
        path.file_name().and_then(|name| name.to_str()).context("expected a path that ends in a name")?;
    if !is_crate_name(name) {
        bail!("{name}: expected the name of a crate: letters, digits, '-' and '_', the first a letter");
    }
    let language = matches.get_one("language").copied().unwrap_or(Language::Rust);
    let git = matches.get_one::<String>("git").map(String::as_str);
    if git.is_some() && language != Language::Rust {
        bail!("--git is for a backend in Rust: in other languages, nothing is depended on");
    }
    let mut files = vec![language.adapter_of(name, WORKER_BESIDE)];
    files.extend(language.modules());
    if language == Language::Rust {
        files.extend(of_a_crate(name, git, None)?);
    }
    let shown = || path.display().to_string();
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).with_context(shown)?;
    match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{}: expected a path where nothing is yet; nothing is written", shown())
        }
        made => made.with_context(shown)?,
    }
    for (file, text) in in_folder(path, files) {
        output::write_file(&file, text)?;
    }
    let backend = language.backend(path, of_path);
    let mut out = std::io::stdout().lock();
    writeln!(out, "made {}; fill in {}, and then", shown(), language.adapter())?;
    for command in ["smoke", "conformance"] {
        writeln!(out, "  {} {command} --backend {}", home::program(), quoted(&backend))?;
    }
    Ok(ExitCode::SUCCESS)
}
