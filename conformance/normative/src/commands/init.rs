//! `cargo xtask init`: puts a judged adapter, a baseline and a CI job into an existing project.
//!
//! It writes few files, names each, and replaces none without being told to. The first run is `conformance` itself, as
//! the user can repeat it.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::runner::{in_foreground, metadata, name_option, of_path};
use crate::skeleton::{Language, WORKER_BESIDE, git_option, in_folder, is_crate_name, of_a_crate};
use crate::{home, output};
use normative_conformance::display::shell::quoted;
use normative_conformance::drive::{Bounds, errand};
use normative_conformance::outside;

/// The folder of the adapter, from the project.
const FOLDER: &str = "conformance";

/// The baseline.
const BASELINE: &str = "conformance/known.yaml";

/// The CI job.
const WORKFLOW: &str = ".github/workflows/normative.yml";

/// The files by which a project's language is known.
const MARKS: [(&str, Language); 4] = [
    ("pyproject.toml", Language::Python),
    ("setup.py", Language::Python),
    ("Cargo.toml", Language::Rust),
    ("package.json", Language::JavaScript),
];

/// The package of programs and modules, on the indices of Python and npm.
const PACKAGE: &str = "normative-suite";

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("init")
        .about("Put an adapter, a baseline and a CI job into a project, and judge it for the first time")
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .value_parser(clap::value_parser!(PathBuf))
                .default_value(".")
                .help("The project's folder"),
        )
        .arg(Language::option("What the adapter is written in [default: as the project's files say]"))
        .arg(name_option())
        .arg(git_option())
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Replace files that are already there"),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let project = matches.get_one::<PathBuf>("path").context("no path is given")?;
    let project = fs::canonicalize(project).with_context(|| project.display().to_string())?;
    let language = match matches.get_one("language") {
        Some(&language) => language,
        None => language_of(&project)?,
    };
    let name = match matches.get_one::<String>("name") {
        Some(name) => name.clone(),
        None => name_of(&project, language),
    };
    let git = matches.get_one::<String>("git").map(String::as_str);
    if git.is_some() && language != Language::Rust {
        bail!("--git is for an adapter in Rust: in other languages, nothing is depended on");
    }
    let backend = language.backend(Path::new(FOLDER), of_path);
    let judge =
        format!("conformance --backend {} --name {} --baseline {BASELINE}", quoted(&backend), quoted(&name));
    let mut files = in_folder(Path::new(FOLDER), adapter(&project, language, &name, git)?);
    files.push((WORKFLOW.into(), workflow(language, &name, git, &judge)));
    write(&project, &files, matches.get_flag("force"))?;
    let mut out = std::io::stdout().lock();
    for (file, _) in &files {
        writeln!(out, "wrote {}", file.display())?;
    }
    writeln!(out, "the first run, whose failures {BASELINE} will name:\n")?;
    out.flush()?;
    let mut first = Process::new(std::env::current_exe().context("the program does not know its own path")?);
    first.args(["conformance", "--backend", &backend, "--name", &name, "--baseline", BASELINE]);
    let code = in_foreground(first.arg("--baseline-update").current_dir(&project))?;
    let there = project.join(BASELINE).is_file();
    if there {
        writeln!(out, "\nwrote {BASELINE}\nnext, in {}:", project.display())?;
    } else {
        writeln!(
            out,
            "\nthe first run went wrong, so there is no {BASELINE} yet; mend the adapter, and then"
        )?;
    }
    let adapter = Path::new(FOLDER).join(language.adapter());
    let program = home::program();
    writeln!(out, "  put a call of your library into {}, in place of the example", adapter.display())?;
    if language == Language::Python {
        writeln!(out, "  python3 -m pip install -e .    # so that the adapter can import your library")?;
    }
    writeln!(out, "  {program} smoke --backend {}", quoted(&backend))?;
    writeln!(out, "  {program} {judge} --baseline-update    # what fails now is known")?;
    if language == Language::Rust && git.is_none() {
        let names = match home::checkout() {
            Some(_) => "this checkout, which no job has",
            None => "crates of the registry, which has none before the first release",
        };
        writeln!(out, "  {FOLDER}/Cargo.toml names {names}: --git URL --force names a repository")?;
    }
    writeln!(out, "  commit {FOLDER} and {WORKFLOW}: any other failure ends the job with an error")?;
    Ok(if there { ExitCode::SUCCESS } else { code })
}

/// Returns the language of a project by its files.
fn language_of(project: &Path) -> Result<Language> {
    let found: Vec<(&str, Language)> =
        MARKS.into_iter().filter(|(file, _)| project.join(file).is_file()).collect();
    let languages: BTreeSet<&str> = found.iter().map(|(_, language)| language.name()).collect();
    match found.as_slice() {
        [] => bail!(
            "{}: expected pyproject.toml, setup.py, Cargo.toml or package.json; name the language by --language",
            project.display()
        ),
        [(_, language), ..] if languages.len() == 1 => Ok(*language),
        _ => {
            let files: Vec<&str> = found.iter().map(|(file, _)| *file).collect();
            let languages: Vec<&str> = languages.into_iter().collect();
            bail!(
                "{}: expected a project in one language, got {}; choose by --language {}",
                project.display(),
                files.join(", "),
                languages.join(" or --language ")
            )
        }
    }
}

/// Returns a name for the reports: that of the project or else of its folder, with other characters than a name has left
/// out.
fn name_of(project: &Path, language: Language) -> String {
    let folder = || project.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = declared(project, language).unwrap_or_else(folder);
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    // A name of one of this repository's backends would be taken for that.
    match crate::backends::find(name) {
        Ok(None) if !name.is_empty() => name.to_owned(),
        _ => format!("my-{name}").trim_end_matches('-').to_owned(),
    }
}

/// Returns the name that the project's manifest declares, without the scope of npm.
fn declared(project: &Path, language: Language) -> Option<String> {
    let read = |file: &str| outside::text(&project.join(file), outside::WRITTEN).ok();
    let name = match language {
        Language::Python => of_table(&read("pyproject.toml")?, "[project]")?,
        Language::Rust => of_table(&read("Cargo.toml")?, "[package]")?,
        Language::JavaScript => {
            let manifest: serde_json::Value = serde_json::from_str(&read("package.json")?).ok()?;
            manifest["name"].as_str()?.rsplit('/').next()?.to_owned()
        }
    };
    (!name.is_empty()).then_some(name)
}

/// Returns the name in a table of a TOML file, which stands on a line of its own.
fn of_table(toml: &str, table: &str) -> Option<String> {
    let of_table = toml.lines().map(str::trim).skip_while(|line| *line != table).skip(1);
    let mut lines = of_table.take_while(|line| !line.starts_with('['));
    lines.find_map(|line| {
        let value = line.strip_prefix("name")?.trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        Some(value[1..].split(quote).next()?.to_owned())
    })
}

/// Returns the files of the adapter. The modules that it uses are among them where they are not installed.
fn adapter(
    project: &Path,
    language: Language,
    name: &str,
    git: Option<&str>,
) -> Result<Vec<crate::skeleton::File>> {
    let is_installed = match language {
        Language::Rust => true,
        Language::Python => {
            imports(project, "python3", &["-c", "import normative.worker, normative.numpy_types"])
        }
        Language::JavaScript => {
            let import = format!("await import({PACKAGE:?})");
            imports(project, "node", &["--input-type=module", "-e", &import])
        }
    };
    let worker = if is_installed { PACKAGE } else { WORKER_BESIDE };
    let mut files = vec![language.adapter_of(name, worker)];
    if !is_installed {
        files.extend(language.modules());
    }
    if language == Language::Rust {
        let library = library_of(project)?;
        let library = library.as_deref().map(|library| (library, Path::new("..")));
        let adapter = format!("{name}-conformance");
        if !is_crate_name(&adapter) {
            bail!("{name}: expected a name of letters, digits, '-' and '_' for a crate; give one by --name");
        }
        files.extend(of_a_crate(&adapter, git, library)?);
    }
    Ok(files)
}

/// Returns true if a program exits with 0 in the project's folder; false if it is not there.
fn imports(project: &Path, program: &str, arguments: &[&str]) -> bool {
    let bounds = Bounds { within: Duration::from_secs(60), memory: None, kept: 1 << 16 };
    let mut command = Process::new(program);
    errand(command.args(arguments).current_dir(project), bounds).is_ok_and(|output| output.status.success())
}

/// Returns the name of the project's package, if it is a library; `None` for a workspace without one, and for a program.
fn library_of(project: &Path) -> Result<Option<String>> {
    if !project.join("Cargo.toml").is_file() {
        return Ok(None);
    }
    let (metadata, manifest) = (metadata(project)?, project.join("Cargo.toml"));
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let here = |path: &str| fs::canonicalize(path).is_ok_and(|path| path == manifest);
    let package = packages.into_iter().find(|package| package["manifest_path"].as_str().is_some_and(here));
    let is_library = |target: &serde_json::Value| {
        let kinds = target["kind"].as_array().into_iter().flatten();
        kinds.into_iter().any(|kind| kind.as_str().is_some_and(|kind| kind == "lib" || kind == "rlib"))
    };
    let package =
        package.filter(|package| package["targets"].as_array().into_iter().flatten().any(is_library));
    Ok(package.and_then(|package| package["name"].as_str()).map(str::to_owned))
}

/// Returns the CI job.
fn workflow(language: Language, name: &str, git: Option<&str>, judge: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let install = match (language, git) {
        (Language::Python, _) => format!(
            "python3 -m venv \"$RUNNER_TEMP/venv\"
\"$RUNNER_TEMP/venv/bin/pip\" install . numpy {PACKAGE}=={version}
echo \"$RUNNER_TEMP/venv/bin\" >>\"$GITHUB_PATH\""
        ),
        (Language::JavaScript, _) => format!(
            "npm install
npm install --no-save {PACKAGE}@{version}
echo \"$PWD/node_modules/.bin\" >>\"$GITHUB_PATH\""
        ),
        (Language::Rust, Some(url)) => format!("cargo install --locked --git {} normative", quoted(url)),
        (Language::Rust, None) => format!("cargo install --locked normative@{version}"),
    };
    let install: Vec<String> = install.lines().map(|line| format!("          {line}")).collect();
    // A command has words in quotes, which YAML leaves as they are within a block.
    include_str!("../../templates/workflow.yml")
        .replace("@NAME@", name)
        .replace("@BASELINE@", BASELINE)
        .replace("@INSTALL@", &install.join("\n"))
        .replace("@JUDGE@", &format!("|\n          {} {judge}", home::INSTALLED))
}

/// Writes the files, or none of them if one is there and must not be replaced.
fn write(project: &Path, files: &[(PathBuf, String)], force: bool) -> Result<()> {
    let there: Vec<String> = files
        .iter()
        .filter(|(file, _)| fs::symlink_metadata(project.join(file)).is_ok())
        .map(|(file, _)| file.display().to_string())
        .collect();
    if !there.is_empty() && !force {
        bail!("{}: already there, and nothing is written; --force replaces it", there.join(", "));
    }
    for (file, text) in files {
        output::write_file(&project.join(file), text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::of_python(
        "pyproject.toml",
        "[build-system]\nname = 'no'\n[project]\nname = \"mynorm\" # mine\n",
        "mynorm"
    )]
    #[case::of_rust(
        "Cargo.toml",
        "[package]\nversion = \"1.0.0\"\nname='my-norm'\n[lib]\nname = \"other\"",
        "my-norm"
    )]
    #[case::of_npm_without_its_scope("package.json", r#"{"name": "@scope/mynorm"}"#, "mynorm")]
    #[case::of_the_folder_without_one("pyproject.toml", "[tool.a]\nname = \"no\"", "folder")]
    #[case::of_the_folder_where_it_comes_from_elsewhere(
        "Cargo.toml",
        "[package]\nname.workspace = true",
        "folder"
    )]
    #[case::of_the_folder_for_what_is_no_manifest("package.json", "[", "folder")]
    #[case::not_that_of_a_backend_of_this_repository(
        "Cargo.toml",
        "[package]\nname = \"ndarray\"",
        "my-ndarray"
    )]
    fn the_name_is_that_of_the_project(#[case] file: &str, #[case] manifest: &str, #[case] due: &str) {
        let parent = tempfile::tempdir().unwrap();
        let project = parent.path().join("folder");
        fs::create_dir(&project).unwrap();
        fs::write(project.join(file), manifest).unwrap();
        assert_eq!(name_of(&project, language_of(&project).unwrap()), due);
    }
}
