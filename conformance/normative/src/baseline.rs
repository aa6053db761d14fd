//! `--baseline FILE`: compares a report with the known failures.
//!
//! Reads and writes the file, and repeats calls whose result may be chance. The library interprets the result.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::drive::{Driver as _, Program};
use normative_conformance::report::Report;
use normative_conformance::report::baseline::{self, Again, Baseline, Name, Scope};
use normative_conformance::run::property::Made;
use normative_conformance::run::{Prepared, Run};

use crate::interrupt;
use crate::judging::Judging;
use crate::note::note;
use crate::select::list;

/// The parsed options.
pub(crate) struct Known {
    path: PathBuf,
    update: bool,
    /// `None` if the file does not exist yet.
    baseline: Option<Baseline>,
}

/// The options.
pub(crate) fn options() -> [Arg; 2] {
    [
        Arg::new("baseline")
            .long("baseline")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("Expect the failures that this file names, and nothing else"),
        Arg::new("baseline-update")
            .long("baseline-update")
            .action(ArgAction::SetTrue)
            .requires("baseline")
            .help("Write into that file what fails now"),
    ]
}

impl Known {
    /// Reads the file before any worker starts. With `--baseline-update` it may be missing.
    pub(crate) fn of(matches: &ArgMatches) -> Result<Option<Self>> {
        let Some(path) = matches.get_one::<PathBuf>("baseline").cloned() else { return Ok(None) };
        let update = matches.get_flag("baseline-update");
        let baseline = if update && !path.exists() {
            None
        } else {
            let baseline = Baseline::load(&path);
            Some(baseline.map_err(|errors| anyhow!("the baseline cannot be used:\n{}", list(&errors)))?)
        };
        Ok(Some(Self { path, update, baseline }))
    }

    /// Returns the report with the outcome of the comparison.
    pub(crate) fn check<'a>(
        &self,
        judging: &Judging<'a>,
        program: Program,
        report: Report<'a>,
    ) -> Result<Report<'a>> {
        let (ids, seed) = (judging.job.asked(&report), judging.job.calls.seed());
        let earlier = self.baseline.clone().unwrap_or_default();
        let scope = Scope {
            corpus: judging.corpus,
            cases: judging.job.prepared.iter().map(|one| one.case.name.as_str()).collect(),
            ids: &ids,
            seed,
        };
        let doubtful = baseline::doubtful(&earlier, &report, &scope);
        let again = if doubtful.is_empty() || interrupt::wanted() {
            Again::new()
        } else {
            note(format_args!(
                "asking {} calls again, which are other than the baseline says",
                doubtful.len()
            ));
            ask_again(judging, program, doubtful, &report)?
        };
        let outcome = if self.update {
            if !report.is_complete() {
                bail!("the run was stopped; {} is as it was", self.path.display());
            }
            let updated = baseline::updated(&earlier, &report, &scope, &again);
            updated
                .save(&self.path)
                .map_err(|errors| anyhow!("the baseline cannot be written:\n{}", list(&errors)))?;
            let calls: usize = updated.known.values().map(|entry| entry.calls.len()).sum();
            note(format_args!(
                "{} names {calls} failing calls, in {} entries",
                self.path.display(),
                updated.known.len()
            ));
            baseline::check(&updated, &report, &scope, &again)
        } else {
            baseline::check(&earlier, &report, &scope, &again)
        };
        Ok(Report { baseline: Some(outcome), ..report })
    }
}

/// Repeats these calls on a fresh worker.
fn ask_again(
    judging: &Judging<'_>,
    program: Program,
    names: Vec<Name>,
    report: &Report<'_>,
) -> Result<Again> {
    let mut worker = judging.worker(program)?;
    let demands = judging.job.demands(&worker);
    let by_name: HashMap<&str, &Prepared<'_>> =
        judging.job.prepared.iter().map(|&one| (one.case.name.as_str(), one)).collect();
    let (calls, cases): (Vec<Name>, Vec<Name>) =
        names.into_iter().partition(|name| matches!(name, Name::Call(..)));
    let prepared = cases.iter().filter_map(|name| by_name.get(name.text()).copied());
    let mut again: Again = Run::over(prepared, &mut worker, &demands)
        .map(|judged| (Name::Case(judged.asked.case.name.clone()), judged.verdict))
        .collect();
    for name in calls {
        let Name::Call(id, _) = name else { continue };
        let made =
            Made::for_backend(id, &demands.capabilities).with_context(|| format!("generated call {id}"))?;
        let judged = Run::over(std::iter::once(made), &mut worker, &demands);
        again.extend(judged.map(|judged| (name.clone(), judged.verdict)));
    }
    worker.check()?;
    // The first run settled the meaning of refusals for all calls.
    for (name, verdict) in &mut again {
        match name {
            Name::Case(case) => report.settled.apply(case, verdict),
            Name::Call(id, _) => report.settled.apply(&id.to_string(), verdict),
            Name::Place(_) | Name::Entry(_) => {}
        }
    }
    Ok(again)
}
