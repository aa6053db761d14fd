//! Asks one release of one backend about its findings, with the judge of an ordinary run.
//!
//! One worker answers all cases, and each generated call has a worker of its own. The records go into a separate
//! folder, so that they do not replace the record of a full run.

use anyhow::{Context as _, Result, anyhow};
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::drive::{Limits, Program};
use normative_conformance::report::Report;
use normative_conformance::run::Prepared;
use normative_conformance::session::{Calls, Job};

use super::finding::{Finding, Witness};
use normative::judging::Judging;
use normative::outcome::ReleaseOutcome;
use normative::records::path_apart;
use normative::rerun::Rerun;
use normative::select::{self, Folder};

/// The settings of every run.
pub(super) struct Desk<'a> {
    /// The folder of the cases.
    pub(super) folder: Folder,
    /// All cases.
    pub(super) corpus: &'a Corpus,
    /// The clauses.
    pub(super) ledger: &'a Ledger,
    /// The limits of a worker.
    pub(super) limits: Limits,
}

/// The answers of a release.
pub(super) struct Answers {
    /// The version that the worker reports.
    pub(super) version: String,
    /// The outcome of each finding, in their order.
    pub(super) outcomes: Vec<ReleaseOutcome>,
}

/// Asks `argument`, as `--backend` takes it, about these findings; `program` is its worker.
///
/// # Errors
/// The worker does not start, or a record cannot be written.
pub(super) fn ask(
    desk: &Desk<'_>,
    argument: &str,
    program: &Program,
    findings: &[&Finding],
) -> Result<Answers> {
    let is_asked = |name: &String| {
        findings.iter().any(|finding| matches!(&finding.witness, Witness::Case(case) if case == name))
    };
    let cases = desk.corpus.cases.iter().filter(|case| is_asked(&case.name));
    let prepared = select::prepared(cases)?;
    let of_cases = run(desk, argument, program, &prepared, Calls::none())?;
    let mut outcomes = Vec::with_capacity(findings.len());
    for finding in findings {
        outcomes.push(match &finding.witness {
            Witness::Case(name) => ReleaseOutcome::of_case(&of_cases, name).context("no answer")?,
            Witness::Call(id) => {
                ReleaseOutcome::of(&run(desk, argument, program, &[], Calls::These(id.seed, vec![*id]))?)
            }
        });
    }
    Ok(Answers { version: of_cases.identity.version, outcomes })
}

fn run<'a>(
    desk: &'a Desk<'_>,
    argument: &str,
    program: &Program,
    prepared: &'a [Prepared<'a>],
    calls: Calls,
) -> Result<Report<'a>> {
    let plain = Judging::of(desk.corpus, desk.ledger, prepared, calls, desk.limits);
    let mut judging = Judging { job: Job { shrink: 0, ..plain.job }, ..plain };
    let again = Rerun::of(argument, &desk.folder, &judging).command();
    let report = judging.run(argument, program, again, path_apart("findings", argument)?, false)?;
    if report.is_complete() { Ok(report) } else { Err(anyhow!("{argument}: stopped before all was asked")) }
}
