//! The folder that OSS-Fuzz and ClusterFuzzLite ask of a repository.
//!
//! Their image runs `build.sh` with `$SRC` and `$OUT`, and takes from `$OUT` every executable with
//! what belongs to it by name: `TARGET_seed_corpus.zip`, `TARGET.dict`, `TARGET.options`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};
use clap::ArgMatches;

use super::build::build as build_targets;
use super::{Target, made, seeds};

/// Fills the folder.
pub(super) fn build(matches: &ArgMatches) -> Result<ExitCode> {
    let out = made(matches.get_one::<PathBuf>("out").context("no folder")?)?;
    let flags = matches.get_one("rustflags").map_or("", String::as_str);
    for built in build_targets(&Target::ALL, None, flags)? {
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
