//! What OSS-Fuzz and ClusterFuzzLite ask of a repository: `build` does it, `check` sees that it is done.
//!
//! Their image runs `build.sh` with `$SRC` and `$OUT`, and takes from `$OUT` every executable with
//! what belongs to it by name: `TARGET_seed_corpus.zip`, `TARGET.dict`, `TARGET.options`. All of that is
//! checked here, on this machine and with this compiler. The image itself, with its nightly and its
//! AddressSanitizer, is not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};
use clap::ArgMatches;
use serde_yaml::Value;

use super::build::{Instrumentation, build as build_targets};
use super::{Target, guard, made, scratch, seeds};
use crate::output::print;
use crate::select::{list, workspace_root};

/// Fills the folder.
pub(super) fn build(matches: &ArgMatches) -> Result<ExitCode> {
    let out = made(matches.get_one::<PathBuf>("out").context("no folder")?)?;
    let flags = matches.get_one("rustflags").map_or("", String::as_str);
    for built in build_targets(&Target::ALL, None, Instrumentation::Coverage, flags)? {
        let file = |ending: &str| out.join(format!("{}{ending}", built.target.name()));
        std::fs::copy(&built.executable, file(""))?;
        std::fs::copy(built.target.options(), file(".options"))?;
        if let Some(dictionary) = built.target.dictionary() {
            std::fs::copy(dictionary, file(".dict"))?;
        }
        zip(&seeds::write(built.target)?, &file("_seed_corpus.zip"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Packs the files of a folder, with the program that the image has for it.
fn zip(folder: &Path, archive: &Path) -> Result<()> {
    if archive.exists() {
        // `zip` would add to it.
        std::fs::remove_file(archive)?;
    }
    let mut zip = Command::new("zip");
    let status = zip.args(["-q", "-j", "-r"]).arg(archive).arg(folder).status().context("cannot run zip")?;
    if !status.success() {
        bail!("zip ended with {status}");
    }
    Ok(())
}

/// Does what the image does, and says what is missing.
pub(super) fn check() -> Result<ExitCode> {
    let workspace = std::fs::canonicalize(workspace_root())?;
    let mut wrong = of_files(&workspace)?;
    let (sources, out) = (scratch("oss-src")?, scratch("oss-out")?);
    link(&workspace, &sources.join("normative"))?;
    let mut script = Command::new(workspace.join(".clusterfuzzlite/build.sh"));
    script
        .env("SRC", &sources)
        .env("OUT", &out)
        .env("FUZZING_ENGINE", "libfuzzer")
        .env("SANITIZER", "address");
    let status = script.stdin(Stdio::null()).status().context("cannot run .clusterfuzzlite/build.sh")?;
    if !status.success() {
        bail!(".clusterfuzzlite/build.sh ended with {status}");
    }
    wrong.extend(of_output(&out)?);
    for target in Target::ALL {
        match runs(&out, target) {
            Ok(counters) => print(&format!("{}: runs, {counters} counters\n", target.name()))?,
            Err(error) => wrong.push(format!("{}: {error:#}", target.name())),
        }
    }
    if wrong.is_empty() {
        print("all that is asked is there; not checked: the image, its nightly and AddressSanitizer\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&list(&wrong))?;
    Ok(ExitCode::FAILURE)
}

#[cfg(unix)]
fn link(workspace: &Path, place: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(workspace, place)?)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> Result<()> {
    bail!("the image is a Linux one; so has to be the machine that checks for it")
}

/// What is wrong with the files that the image reads.
fn of_files(workspace: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let read = |path: &str| std::fs::read_to_string(workspace.join(path)).with_context(|| path.to_owned());
    let yaml =
        |path: &str| -> Result<Value> { serde_yaml::from_str(&read(path)?).with_context(|| path.to_owned()) };
    let project = yaml(".clusterfuzzlite/project.yaml")?;
    if project["language"] != "rust" {
        wrong.push("project.yaml: `language` is not rust".to_owned());
    }
    let dockerfile = read(".clusterfuzzlite/Dockerfile")?;
    for line in
        ["FROM gcr.io/oss-fuzz-base/base-builder-rust", "COPY .clusterfuzzlite/build.sh $SRC/build.sh"]
    {
        if !dockerfile.lines().any(|other| other == line) {
            wrong.push(format!("Dockerfile: no line is `{line}`"));
        }
    }
    for (name, modes) in
        [("pr", &["code-change"][..]), ("batch", &["batch"]), ("cron", &["prune", "coverage"])]
    {
        let path = format!(".github/workflows/cflite_{name}.yml");
        let workflow = yaml(&path)?;
        let jobs = workflow["jobs"].as_mapping().into_iter().flatten();
        let steps: Vec<&Value> =
            jobs.flat_map(|(_, job)| job["steps"].as_sequence().into_iter().flatten()).collect();
        let actions = |action: &str| {
            let name = format!("google/clusterfuzzlite/actions/{action}@");
            let is_such = move |uses: &str| uses.starts_with(&name);
            steps
                .iter()
                .filter(move |step| step["uses"].as_str().is_some_and(&is_such))
                .map(|step| &step["with"])
        };
        if actions("build_fuzzers").any(|with| with["language"] != "rust") {
            wrong.push(format!("{path}: builds another language than Rust"));
        }
        let run: Vec<&str> = actions("run_fuzzers").filter_map(|with| with["mode"].as_str()).collect();
        if run != modes || actions("build_fuzzers").count() != modes.len() {
            wrong.push(format!("{path}: runs {run:?} and not {modes:?}, each after a build"));
        }
    }
    Ok(wrong)
}

/// What is missing in the folder, or too much.
fn of_output(out: &Path) -> Result<Vec<String>> {
    let names = std::fs::read_dir(out)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let there: BTreeSet<String> = names.collect::<Result<_>>()?;
    let due: BTreeSet<String> = Target::ALL.into_iter().flat_map(files_of).collect();
    let missing = due.difference(&there).map(|name| format!("$OUT: no {name}"));
    let foreign = there.difference(&due).map(|name| format!("$OUT: {name} belongs to no target"));
    Ok(missing.chain(foreign).collect())
}

/// The names of a target's files.
fn files_of(target: Target) -> Vec<String> {
    let mut endings = vec!["", ".options", "_seed_corpus.zip"];
    endings.extend(target.dictionary().map(|_| ".dict"));
    endings.into_iter().map(|ending| format!("{}{ending}", target.name())).collect()
}

/// Runs a target as the image would, for a second, on its own seeds; its counters.
fn runs(out: &Path, target: Target) -> Result<u64> {
    let executable = out.join(target.name());
    let counters = guard::check(&executable)?;
    let corpus = scratch("oss-corpus")?;
    let archive = out.join(format!("{}_seed_corpus.zip", target.name()));
    let mut unzip = Command::new("unzip");
    let unpacked =
        unzip.arg("-q").arg(archive).arg("-d").arg(&corpus).status().context("cannot run unzip")?;
    if !unpacked.success() || std::fs::read_dir(&corpus)?.next().is_none() {
        bail!("its seeds cannot be unpacked");
    }
    let mut command = Command::new(executable);
    command.arg("-max_total_time=1").args(target.arguments()?);
    if target.dictionary().is_some() {
        command.arg(format!("-dict={}", out.join(format!("{}.dict", target.name())).display()));
    }
    let output = command.arg(&corpus).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(counters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_that_the_image_reads_say_what_they_must() {
        assert_eq!(of_files(workspace_root()).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_is_missing_and_what_is_foreign_is_named() {
        let out = tempfile::tempdir().unwrap();
        for name in Target::ALL.into_iter().flat_map(files_of) {
            std::fs::write(out.path().join(name), "").unwrap();
        }
        assert_eq!(of_output(out.path()).unwrap(), Vec::<String>::new());
        std::fs::rename(out.path().join("exact_seed_corpus.zip"), out.path().join("exact.zip")).unwrap();
        let wrong = of_output(out.path()).unwrap();
        assert_eq!(wrong, ["$OUT: no exact_seed_corpus.zip", "$OUT: exact.zip belongs to no target"]);
    }
}
