//! Picks the inputs of a campaign that reach what no seed reaches, and writes them where tests find them.
//!
//! Campaigns keep thousands of inputs; what a test needs of them is every place of the code, once. Inputs that are made of calls
//! are not kept: hunts keep those as cases.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};
use normative_conformance::generate::kept as inputs;

use super::kept::{file, kept};
use super::{Target, folder, scratch, seeds};
use normative::output::print;

/// The longest input that is kept, in bytes: somebody may have to read it.
const LONGEST: usize = 300;

/// Whether a target leaves what is no text.
const fn takes_text(target: Target) -> bool {
    matches!(target, Target::CaseLoader | Target::BaselineLoader)
}

/// Writes the file of a target again, from what was kept before and what campaigns have found since.
///
/// # Errors
/// Of a target that keeps none, and where libFuzzer or the disk fails.
pub(super) fn renew(executable: &Path, target: Target) -> Result<ExitCode> {
    let Some(file) = file(target) else {
        bail!("no input of `{}` is kept: cargo xtask hunt keeps calls, as cases", target.name());
    };
    let (seeds, before) = (scratch("keep-seeds")?, scratch("keep-before")?);
    seeds::fill(&seeds, target)?;
    let known = names(&seeds)?;
    for (at, input) in kept(target)?.iter().enumerate() {
        fs::write(before.join(at.to_string()), input)?;
    }
    // Into the first folder comes what the others have and it has not, as little as covers that. Counters would tell how often
    // a place was reached.
    let mut merge = Command::new(executable);
    merge.args(["-set_cover_merge=1", "-use_counters=0"]).arg(format!("-max_len={LONGEST}"));
    merge.arg(&seeds).arg(&before).arg(folder("corpus", target)?);
    let status = merge.stdin(Stdio::null()).stderr(Stdio::null()).status().context("cannot run libFuzzer")?;
    if !status.success() {
        bail!("libFuzzer ended with {status}");
    }
    let news = names(&seeds)?.into_iter().filter(|name| !known.contains(name));
    let inputs = news.map(|name| fs::read(seeds.join(name))).collect::<Result<Vec<_>, _>>()?;
    let is_read = |input: &Vec<u8>| {
        input.len() <= LONGEST && (!takes_text(target) || std::str::from_utf8(input).is_ok())
    };
    let inputs: Vec<Vec<u8>> = inputs.into_iter().filter(is_read).collect();
    print(&format!("{} inputs kept in {}\n", inputs.len(), file.display()))?;
    fs::write(&file, inputs::text(inputs)).with_context(|| file.display().to_string())?;
    Ok(ExitCode::SUCCESS)
}

fn names(folder: &Path) -> Result<BTreeSet<OsString>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    Ok(entries.flatten().map(|entry| entry.file_name()).collect())
}
