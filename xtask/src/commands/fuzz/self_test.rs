//! `cargo xtask fuzz self-test`: is what we call fuzzing any good?
//!
//! `fuzz/planted` is a backend that is wrong only where ten conditions meet. Three things have to hold: a
//! build without counters is refused; neither calls drawn at random nor the seeds have the bug in them; libFuzzer,
//! which begins with those seeds as it always does, finds it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use super::build::{Built, Instrumentation, build};
use super::campaign::Campaign;
use super::{Target, guard, scratch, seeds};
use crate::note::note;
use crate::output::print;
use crate::runner::{cargo, target_directory};
use crate::select::workspace_root;

/// How long libFuzzer may look, in seconds.
const TIME: u64 = 600;

/// Calls drawn at random.
const CALLS: &str = "1000000";

/// Runs the command.
pub(super) fn main() -> Result<ExitCode> {
    let workspace = std::fs::canonicalize(workspace_root())?;
    let planted = workspace.join("fuzz/planted");
    let differential = |instrumentation| -> Result<PathBuf> {
        note(format_args!("building the planted bug, {instrumentation:?}"));
        let built = build(&[Target::Differential], Some(&planted), instrumentation, "")?;
        let Some(Built { executable, .. }) = built.into_iter().next() else { bail!("cargo built no target") };
        Ok(executable)
    };

    let plain = guard::check(&differential(Instrumentation::None)?);
    let refused = plain.err().context("a build without counters was taken for one with them")?;
    print(&format!("refused: {refused}\n"))?;

    let mut chance = cargo();
    chance.args(["run", "--quiet", "--release", "--example", "chance", "--manifest-path"]);
    chance.arg(planted.join("Cargo.toml")).arg("--target-dir").arg(target_directory()?.join("fuzz"));
    let seeds = seeds::write(Target::Differential)?;
    let output = chance.arg("--").arg(CALLS).arg(&seeds).output().context("cannot run cargo")?;
    if !output.status.success() {
        bail!("the planted bug does not run:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    print(&String::from_utf8_lossy(&output.stdout))?;

    let executable = differential(Instrumentation::Coverage)?;
    guard::check(&executable)?;
    let (corpus, artifacts) = (scratch("planted-corpus")?, scratch("planted-artifacts")?);
    let campaign = Campaign {
        target: Target::Differential,
        executable: &executable,
        backend: "fuzz/planted",
        seconds: TIME,
        jobs: 1,
        corpus: &corpus,
        artifacts: &artifacts,
        seeds: &seeds,
    };
    let started = std::time::Instant::now();
    let finds = campaign.run()?;
    let Some(find) = finds.first() else { bail!("libFuzzer did not find the planted bug within {TIME} s") };
    print(&format!(
        "libFuzzer: found after {} runs, {:.0} s\n",
        find.runs.map_or_else(|| "?".to_owned(), |runs| runs.to_string()),
        started.elapsed().as_secs_f64()
    ))?;
    Ok(ExitCode::SUCCESS)
}
