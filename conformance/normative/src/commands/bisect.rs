//! `cargo xtask bisect RUNTIME --case CASE|…`: finds the release that brought a defect, and the one that mended it.
//!
//! It judges the newest and the oldest release that can be asked. If their verdicts differ, it halves the range until
//! the two that differ are neighbours. A verdict is that of `conformance` over the one call; two kinds of failure are
//! two verdicts. If the ends agree, it tries a few releases spread between them: a defect may have come and gone.
//!
//! Halving always finds a change: two neighbours with different verdicts. It finds the only change of a range. Of
//! several, it finds at least one if the ends differ, and may miss pairs that cancel out. It misses a defect that came
//! and went between two tried releases; `--from` and `--to` narrow the range. A conforming release says nothing about
//! untried ones.
//!
//! A release has no verdict if it does not install, its adapter does not start, or it does not support the call. The
//! search then takes its neighbour. Installed releases stay under the target directory.

mod text;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use normative_conformance::corpus::Corpus;
use normative_conformance::display::shell::asking;
use normative_conformance::drive::Program;
use normative_conformance::run::Prepared;
use normative_conformance::session::{Calls, Job};

use self::text::Table;
use crate::defect;
use crate::judging::Judging;
use crate::named::Named;
use crate::note::note;
use crate::outcome::ReleaseOutcome;
use crate::records::path_apart;
use crate::releases::{self, start};
use crate::rerun::Rerun;
use crate::search::{self, Tried};
use crate::select::{self, Folder};
use crate::{demands, interrupt, output};

/// The number of releases tried between two ends that agree: the middle, 2 quarters, 4 eighths.
const LOOKS: usize = 7;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("bisect")
        .about("Find the release of a runtime that brought a failure, and the one that mended it")
        .after_help(
            "Releases come by pip from the package index and stay under the target directory. Exit code 0: the \
             table answers. 2: no release could be asked, or the search itself went wrong.",
        )
        .arg(releases::argument())
        .args([
            Arg::new("case")
                .long("case")
                .value_name("NAME|SEED:INDEX|CALL")
                .value_parser(Named::of)
                .help("Ask the case of exactly this name, this generated call, or this call, as failures print it"),
            Arg::new("defect")
                .long("defect")
                .value_name("NUMBER|NAME")
                .help("Ask the smallest call of this defect of the backend's last full run"),
        ])
        .group(ArgGroup::new("call").args(["case", "defect"]).required(true))
        .args(releases::options())
        .arg(Arg::new("pre").long("pre").action(ArgAction::SetTrue).help("Try pre-releases as well"))
        .arg(demands::reading("Count another reading of this question as a failure (repeatable)"))
        .arg(demands::timeout())
        .arg(Folder::option())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let started = Instant::now();
    let name = matches.get_one::<String>("runtime").map_or("", String::as_str);
    let folder = Folder::of(matches);
    let corpus = folder.load()?;
    let ledger = folder.ledger()?;
    let asked = asked(matches, name, &corpus, &folder)?;
    let (prepared, calls) = call(&asked, &corpus)?;
    let (wanted, releases) = releases::of(matches, matches.get_flag("pre"))?;
    let bare = wanted.bare()?;
    interrupt::listen()?;

    let limits = demands::limits(matches);
    let plain = Judging::of(&corpus, &ledger, &prepared, calls, limits);
    let job = Job { readings: demands::readings(matches), shrink: 0, ..plain.job };
    let judging = Judging { job, ..plain };
    let mut tried = Tried::new();
    let done = search::search(releases.len(), LOOKS, &mut tried, &mut |at| {
        let (release, started) = (format!("{name}@{}", releases[at]), Instant::now());
        let outcome = outcome(&judging, &release, &folder, bare.clone())?;
        note(format_args!("{release}: {outcome} ({:.1} s)", started.elapsed().as_secs_f64()));
        if interrupt::wanted() {
            bail!("stopped before the search was done");
        }
        Ok(outcome)
    });
    let call = asking(&asked.word());
    let again = |release: &str| {
        format!("{} {call}", Rerun::of(&format!("{name}@{release}"), &folder, &judging).command())
    };
    let mut text = String::new();
    Table { releases: &releases, tried: &tried, again: &again }.write(&mut text)?;
    output::print(&text)?;
    done?;
    note(format_args!("{:.0} s", started.elapsed().as_secs_f64()));
    Ok(ExitCode::from(if search::asked(&tried).is_empty() { 2 } else { 0 }))
}

/// Returns the call to ask.
fn asked(matches: &ArgMatches, runtime: &str, corpus: &Corpus, folder: &Folder) -> Result<Named> {
    if let Some(wanted) = matches.get_one::<String>("defect") {
        return Ok(defect::one(runtime, wanted, corpus, folder)?.smallest);
    }
    matches.get_one("case").cloned().context("no call is given")
}

/// Prepares the one call: a case or a generated call.
fn call<'a>(asked: &'a Named, corpus: &'a Corpus) -> Result<(Vec<Prepared<'a>>, Calls)> {
    let case = match asked {
        Named::Generated(id) => return Ok((Vec::new(), Calls::These(id.seed, vec![*id]))),
        Named::Stated(cases) => cases.first(),
        Named::Case(name) => corpus.cases.iter().find(|case| case.name == *name),
    };
    let none = || format!("no case of {} is named {:?}", corpus.cases.len(), asked.word());
    let prepared = select::prepared([case.with_context(none)?])?;
    Ok((prepared, Calls::none()))
}

/// Installs one release if it is missing, starts it, and judges the call.
///
/// # Errors
/// Only failures that are not the release's, such as a record that cannot be written.
fn outcome(judging: &Judging<'_>, release: &str, folder: &Folder, bare: Program) -> Result<ReleaseOutcome> {
    let program = match start(judging, release, bare)? {
        Ok(program) => program,
        Err(outcome) => return Ok(outcome),
    };
    let again = Rerun::of(release, folder, judging).command();
    let report = judging.clone().run(release, &program, again, path_apart("bisect", release)?, false)?;
    if !report.is_complete() {
        bail!("stopped before the search was done");
    }
    Ok(ReleaseOutcome::of(&report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::usual_path;

    #[test]
    fn a_record_never_replaces_that_of_a_full_run() {
        let (bisected, full) =
            (path_apart("bisect", "numpy@2.0.0").unwrap(), usual_path("numpy@2.0.0").unwrap());
        assert!(bisected.ends_with("normative-runs/bisect/numpy-2.0.0.ndjson"), "{}", bisected.display());
        assert_ne!(bisected, full);
    }
}
