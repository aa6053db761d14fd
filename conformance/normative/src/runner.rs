//! Turns the argument of `--backend` into a worker's program.
//!
//! It parses the argument, and suggests similar names for an unknown one. A crate is [built](build). A command is run
//! as it is, without a build or a shell.

pub mod build;
mod generated;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Arg;
use normative_conformance::drive::{Asking, Program};

use self::build::build_runner;
pub use self::build::{cargo, in_foreground, metadata, target_directory};
use crate::backends;
use normative_conformance::display::shell::quoted;

/// Returns the option `--backend`.
pub fn option() -> Arg {
    Arg::new("backend").long("backend").value_name("NAME[@VERSION]|PATH|cmd:PROGRAM ARGS").help(
        "The backend: a name that `cargo xtask backends` lists, the path of a crate that exports `backend()`, or a \
         command that speaks the worker protocol, all in one word: \"cmd:python3 my_backend.py\". After onnx-cmd: it is \
         given ONNX models instead of calls, after onnx-axes-input-cmd: models whose axes are fed",
    )
}

/// Returns the option `--name`, which gives the backend another name.
pub fn name_option() -> Arg {
    Arg::new("name").long("name").value_name("NAME").value_parser(name).help(
        "What the backend is called in reports and records [default: what --backend says]; of a command or a path, \
         which mean nothing on another machine",
    )
}

/// Checks a name: it must not look like a path, a backend of this repository, or an option.
fn name(text: &str) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "._-+@".contains(c);
    if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) || !text.chars().all(is_word) {
        return Err("expected letters, digits and any of ._-+@, the first a letter or a digit".to_owned());
    }
    match backends::find(text) {
        Ok(None) => Ok(text.to_owned()),
        _ => Err(format!("{text} is a backend of this repository; expected another name")),
    }
}

/// Returns the worker that `--backend` names. A crate is built first.
///
/// # Errors
/// The argument is unknown, or the crate does not build or exports no backend. A missing command only fails when it is
/// started.
pub fn program(argument: &str) -> Result<Program> {
    if let Some((asking, command)) = Asking::of_command(argument) {
        return program_of(argument, asking, command);
    }
    if let Some(wanted) = backends::find(argument)? {
        return wanted.program(argument);
    }
    Ok(Program::new(build_runner(argument, &crate_of(argument)?)?))
}

/// Checks the argument of `--backend` without building anything.
///
/// # Errors
/// Those of [`program`], except for the build.
pub fn check(argument: &str) -> Result<()> {
    if let Some((asking, command)) = Asking::of_command(argument) {
        return program_of(argument, asking, command).map(|_| ());
    }
    if backends::find(argument)?.is_none() {
        crate_of(argument)?;
    }
    Ok(())
}

/// Splits a command into words as a POSIX shell does, without expansions.
fn program_of(argument: &str, asking: Asking, command: &str) -> Result<Program> {
    let words = shell_words::split(command).with_context(|| format!("--backend {argument}"))?;
    let Some((path, args)) = words.split_first() else {
        bail!("--backend: expected a program, got `{argument}`");
    };
    Ok(Program { args: args.iter().map(Into::into).collect(), asking, ..Program::new(path) })
}

/// The directory of a crate, as `--backend` names one: by a path, with a separator or a leading dot.
///
/// # Errors
/// There is no such crate; the message suggests others.
fn crate_of(argument: &str) -> Result<PathBuf> {
    if argument.is_empty() {
        bail!("--backend is empty: expected a name, the path of a crate, or cmd:PROGRAM");
    }
    let path = Path::new(argument);
    let is_path = argument.starts_with('.') || argument.contains(std::path::is_separator);
    if is_path && path.join("Cargo.toml").is_file() {
        return Ok(fs::canonicalize(path)?);
    }
    if path.file_name().is_some_and(|name| name == "Cargo.toml") {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        bail!(
            "{argument} is a manifest; expected the folder it is in: --backend {}",
            quoted(&of_path(folder))
        );
    }
    if let Some(command) = command_of(path) {
        bail!(
            "{argument} is a program, not a crate; one that speaks the protocol is run by --backend {command}"
        );
    }
    if is_path {
        let what = if path.exists() { "has no Cargo.toml, so it is not a crate" } else { "does not exist" };
        bail!("--backend {argument} {what}");
    }
    if path.join("Cargo.toml").is_file() {
        bail!("there is no backend `{argument}`; for the crate in this folder, give --backend ./{argument}");
    }
    bail!(
        "there is no backend `{argument}`{}\n`cargo xtask backends` lists them; a crate of your own is a path, such as \
         ./{argument}, a program \"cmd:PROGRAM ARGS\"",
        backends::did_you_mean(argument)
    )
}

/// Returns the `--backend` argument for a program file: its interpreter with the path, or the path alone.
fn command_of(path: &Path) -> Option<String> {
    let words = match path.extension().and_then(|ending| ending.to_str()) {
        Some("py") => format!("python3 {}", path.display()),
        Some("js" | "mjs" | "cjs") => format!("node {}", path.display()),
        _ if path.is_file() => of_path(path),
        _ => return None,
    };
    Some(format!("\"cmd:{words}\""))
}

/// Returns a path as `--backend` takes it. A word without a separator would be a name.
pub fn of_path(path: &Path) -> String {
    let text = path.display().to_string();
    if path.components().count() == 1 && !path.is_absolute() && !text.starts_with('.') {
        format!("./{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use normative_onnx::AxesAs;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing("", "is empty")]
    #[case::version("ndarray@0.17", "ndarray@0.17: ")]
    #[case::of_nobody("nobody@1", "there is no backend `nobody@1`")]
    #[case::no_program("cmd:", "expected a program")]
    #[case::only_blanks("cmd:  ", "expected a program")]
    #[case::no_program_for_models("onnx-cmd:", "expected a program, got `onnx-cmd:`")]
    #[case::an_open_quote("cmd:python3 'my backend.py", "cmd:python3 'my backend.py: missing closing quote")]
    fn other_forms_are_refused(#[case] argument: &str, #[case] because: &str) {
        let error = format!("{:#}", program(argument).unwrap_err());
        assert!(error.contains(because), "{error}");
    }

    #[rstest]
    #[case::a_name("cmd:worker", &["worker"])]
    #[case::arguments("cmd:python3 a.py  --fast", &["python3", "a.py", "--fast"])]
    #[case::quotes("cmd:'my python' \"it's b.py\" c\\ d", &["my python", "it's b.py", "c d"])]
    #[case::no_shell("cmd:./w $HOME *.py | ;", &["./w", "$HOME", "*.py", "|", ";"])]
    #[case::at_and_separators("cmd:/bin/w a@b", &["/bin/w", "a@b"])]
    fn a_command_is_split_like_a_shells_and_not_run_by_one(#[case] argument: &str, #[case] words: &[&str]) {
        let Program { path, args, env, .. } = program(argument).unwrap();
        let got: Vec<_> = std::iter::once(path.into_os_string()).chain(args).collect();
        assert_eq!(got, words);
        assert_eq!(env, []);
    }

    #[rstest]
    #[case::a_letter_left_out("ndaray", "did you mean `ndarray`?")]
    #[case::in_python("numppy", "did you mean `numpy`?")]
    #[case::no_folder("./nothing/here", "--backend ./nothing/here does not exist")]
    #[case::a_file_of_python("nowhere/my_backend.py", "--backend \"cmd:python3 nowhere/my_backend.py\"")]
    #[case::a_file_of_javascript("worker.mjs", "--backend \"cmd:node worker.mjs\"")]
    #[case::a_manifest("some/where/Cargo.toml", "the folder it is in: --backend some/where")]
    fn what_names_nothing_is_answered_with_what_may_be_meant(#[case] argument: &str, #[case] because: &str) {
        let error = format!("{:#}", program(argument).unwrap_err());
        assert!(error.contains(because), "{error}");
    }

    #[rstest]
    #[case::calls("cmd:./w", Asking::Calls)]
    #[case::models("onnx-cmd:./w", Asking::Models(AxesAs::Initializer))]
    #[case::models_with_axes_fed("onnx-axes-input-cmd:./w", Asking::Models(AxesAs::Input))]
    fn what_stands_before_a_command_says_how_it_is_asked(#[case] argument: &str, #[case] asking: Asking) {
        assert_eq!(program(argument).unwrap(), Program { asking, ..Program::new("./w") });
    }

    #[test]
    fn what_lies_at_a_path_decides_what_is_suggested() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |path: &Path| format!("{:#}", crate_of(path.to_str().unwrap()).unwrap_err());
        assert!(refused(folder.path()).ends_with("has no Cargo.toml, so it is not a crate"));
        let program = folder.path().join("worker");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        assert!(refused(&program).ends_with(&format!("--backend \"cmd:{}\"", program.display())));
        fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(
            crate_of(folder.path().to_str().unwrap()).unwrap(),
            fs::canonicalize(folder.path()).unwrap()
        );
    }
}
