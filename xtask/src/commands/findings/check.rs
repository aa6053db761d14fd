//! `cargo xtask findings`: checks whether each finding still holds in its releases.
//!
//! It installs nothing. It builds a crate for the first time only if `--backend` names it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::ArgMatches;
use normative_conformance::drive::Program;

use super::ask::{Answers, Desk, ask};
use super::finding::{Finding, Runtime, State};
use super::history;
use super::load;
use super::plan::{Plan, Visit, plan, released, wanted};
use super::release::{Due, Release};
use normative::home::program;
use normative::judging::PATIENCE;
use normative::note::{note, once};
use normative::outcome::{ReleaseOutcome, ReleaseVerdict};
use normative::select::Folder;
use normative::{demands, interrupt, output};

/// The result for a finding in a release, compared with its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// The defect occurs, as the file says.
    Fails,
    /// The defect does not occur, as the file says.
    Conforms,
    /// The file does not cover this release.
    NotOnFile,
    /// The release does not support the call.
    NoVerdict,
    /// The file says the opposite.
    OutOfDate,
}

impl Standing {
    const ALL: [Self; 5] = [Self::Fails, Self::Conforms, Self::NotOnFile, Self::NoVerdict, Self::OutOfDate];

    /// Returns the label before a row.
    const fn label(self) -> &'static str {
        match self {
            Self::Fails | Self::Conforms => "as on file",
            Self::NotOnFile => "not on file",
            Self::NoVerdict => "no verdict",
            Self::OutOfDate => "OUT OF DATE",
        }
    }

    /// Returns the words after a number of rows.
    const fn words(self) -> &'static str {
        match self {
            Self::Fails => "still fail",
            Self::Conforms => "conform as on file",
            Self::NotOnFile => "not on file",
            Self::NoVerdict => "without a verdict",
            Self::OutOfDate => "out of date",
        }
    }

    /// Compares the expected state with the verdict. A `hazard` also counts as present if its answer is accepted.
    const fn of(due: Due, hazard: bool, came: Option<ReleaseVerdict>) -> Self {
        let shown = match came {
            None => None,
            Some(came) => Some(came.shows(hazard)),
        };
        match (due, shown) {
            (Due::Unknown, _) => Self::NotOnFile,
            (Due::Conforms, None) => Self::NoVerdict,
            (Due::Conforms, Some(false)) => Self::Conforms,
            (Due::Fails, None | Some(false)) | (Due::Conforms, Some(true)) => Self::OutOfDate,
            (Due::Fails, Some(true)) => Self::Fails,
        }
    }
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let started = Instant::now();
    let folder = Folder::of(matches);
    let (corpus, ledger) = (folder.load()?, folder.ledger()?);
    let runtimes = load(matches, &corpus, &ledger)?;
    let plan = plan(&runtimes, matches)?;
    let limits = demands::limits(matches, PATIENCE);
    let desk = Desk { folder, corpus: &corpus, ledger: &ledger, limits };
    interrupt::listen()?;
    let (mut counts, mut failed, mut workers) = (BTreeMap::new(), 0, BTreeMap::new());
    for visit in &plan.visits {
        if interrupt::wanted() {
            bail!("stopped before all was asked");
        }
        let answers = worker(&visit.argument, &mut workers)
            .and_then(|program| ask(&desk, &visit.argument, &program, &visit.findings));
        match answers.and_then(|answers| told(visit, &answers)) {
            Ok((text, standings)) => {
                output::print(&text)?;
                for standing in standings {
                    *counts.entry(standing).or_default() += 1;
                }
            }
            Err(error) => {
                failed += 1;
                output::print(&format!("{} could not be asked: {}\n", visit.argument, once(&error)))?;
            }
        }
    }
    let count = |standing| counts.get(&standing).copied().unwrap_or(0_usize);
    output::print(&summary(&plan, &Standing::ALL.map(|standing| (count(standing), standing))))?;
    note(format_args!("{:.1} s", started.elapsed().as_secs_f64()));
    if counts.is_empty() && failed == 0 {
        bail!("no backend of a finding is set up: cargo xtask setup NAME");
    }
    Ok(ExitCode::from(u8::from(failed > 0 || count(Standing::OutOfDate) > 0)))
}

/// Returns a line for each finding and release that the history of its backend contradicts.
pub(super) fn disagreements(runtimes: &[Runtime]) -> Result<String> {
    let mut text = String::new();
    for runtime in runtimes {
        for Finding { line, defect, backend, witness, life, hazard, .. } in &runtime.findings {
            for (release, verdict) in history::verdicts(backend, witness) {
                if Standing::of(life.due(&release), *hazard, verdict) == Standing::OutOfDate {
                    let came =
                        verdict.map_or_else(|| "unsupported".to_owned(), |verdict| verdict.to_string());
                    let file = runtime.file.display();
                    writeln!(text, "{file}:{line}: {defect}: {backend}@{release} {came}, by its history")?;
                }
            }
        }
    }
    Ok(text)
}

/// Returns the worker of a backend in a release. Each crate is built once: its worker is the same for every release.
fn worker(argument: &str, built: &mut BTreeMap<&'static str, Program>) -> Result<Program> {
    let wanted = wanted(argument)?;
    let bare = match built.entry(wanted.known.name) {
        Entry::Occupied(bare) => bare.into_mut(),
        Entry::Vacant(place) => place.insert(wanted.bare()?),
    };
    wanted.equip(bare.clone())
}

/// Returns a line for each finding, with the remedy for an outdated one, and all standings.
fn told(visit: &Visit<'_>, answers: &Answers) -> Result<(String, Vec<Standing>)> {
    let Visit { runtime, argument, release, findings } = visit;
    let release = release.clone().map_or_else(|| released(&answers.version), Ok)?;
    let mut text = String::new();
    writeln!(
        text,
        "{argument}{}",
        if argument.contains('@') { String::new() } else { format!(" {release}") }
    )?;
    let mut standings = Vec::new();
    for (finding, outcome) in findings.iter().zip(&answers.outcomes) {
        let standing = Standing::of(finding.life.due(&release), finding.hazard, outcome.verdict());
        writeln!(text, "  {:<11}  {}: {outcome}", standing.label(), finding.witness)?;
        if standing == Standing::OutOfDate {
            writeln!(
                text,
                "{:15}{}:{}: {}",
                "",
                runtime.file.display(),
                finding.line,
                remedy(finding, &release, outcome)
            )?;
        }
        standings.push(standing);
    }
    if release > runtime.checked && !standings.contains(&Standing::OutOfDate) {
        let (file, checked) = (runtime.file.display(), &runtime.checked);
        writeln!(text, "  {file}: `checked` may become {release}; it is {checked}")?;
    }
    Ok((text, standings))
}

/// Describes the edit for an outdated finding.
fn remedy(finding: &Finding, release: &Release, outcome: &ReleaseOutcome) -> String {
    let of_packages =
        wanted(&finding.backend).and_then(|wanted| wanted.set_up()).is_ok_and(|set| set.is_some());
    let bisect = if of_packages {
        let (backend, call) = (&finding.backend, finding.witness.option());
        format!("; {} bisect {backend} {call} finds the release", program())
    } else {
        String::new()
    };
    let shows = |came: ReleaseVerdict| came.shows(finding.hazard);
    match (outcome.verdict().map(shows), finding.state) {
        (None, _) => format!("expected a failure in {release}, got no verdict"),
        (Some(false), State::Open | State::Reported) if *release >= finding.life.seen => {
            format!("no longer fails in {release}: expected `state: mended` with `until` and `seen`{bisect}")
        }
        (Some(false), _) => {
            format!("expected a failure in {release} by `since` and `until`{bisect}")
        }
        (Some(true), State::Mended) if *release >= finding.life.seen => {
            format!("fails in {release}: expected a later `until`, or `state: open`{bisect}")
        }
        (Some(true), _) => format!("fails in {release}: expected an older `since`{bisect}"),
    }
}

/// Returns the last lines: the number of each standing, and the backends that were left out.
fn summary(plan: &Plan<'_>, counts: &[(usize, Standing)]) -> String {
    let asked: usize = counts.iter().map(|(count, _)| count).sum();
    let counted = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> =
        counted.map(|(count, standing)| format!("{count} {}", standing.words())).collect();
    let mut text = String::new();
    if !plan.left_out.is_empty() {
        text = format!("left out, not set up: {}\n", plan.left_out.join(" "));
    }
    let lead = if counts.is_empty() { "" } else { ": " };
    text + &format!("{asked} rows asked of {} releases{lead}{}\n", plan.visits.len(), counts.join(", "))
}

#[cfg(test)]
mod tests {
    use normative_conformance::judge::fault::Fault;
    use rstest::rstest;

    use super::*;
    use normative_conformance::judge::hazard::Gives;

    const BAD: Option<ReleaseVerdict> = Some(ReleaseVerdict::Fails(Fault::WrongValue));
    const GOOD: Option<ReleaseVerdict> = Some(ReleaseVerdict::Conforms);
    const ALLOWED: Option<ReleaseVerdict> = Some(ReleaseVerdict::Hazard(Gives::Other));

    #[rstest]
    #[case::as_before(Due::Fails, BAD, Standing::Fails)]
    #[case::died(Due::Fails, Some(ReleaseVerdict::Fails(Fault::Crashed)), Standing::Fails)]
    #[case::by_chance(Due::Fails, Some(ReleaseVerdict::Nondeterministic), Standing::Fails)]
    #[case::mended_since(Due::Fails, GOOD, Standing::OutOfDate)]
    #[case::unsupported_since(Due::Fails, None, Standing::OutOfDate)]
    #[case::still_mended(Due::Conforms, GOOD, Standing::Conforms)]
    #[case::broken_again(Due::Conforms, BAD, Standing::OutOfDate)]
    #[case::allowed_since(Due::Fails, ALLOWED, Standing::OutOfDate)]
    #[case::gone_with_the_operator(Due::Conforms, None, Standing::NoVerdict)]
    #[case::bad_where_nothing_is_said(Due::Unknown, BAD, Standing::NotOnFile)]
    #[case::good_where_nothing_is_said(Due::Unknown, GOOD, Standing::NotOnFile)]
    fn a_row_is_out_of_date_where_the_file_says_otherwise(
        #[case] due: Due,
        #[case] came: Option<ReleaseVerdict>,
        #[case] standing: Standing,
    ) {
        assert_eq!(Standing::of(due, false, came), standing);
    }

    #[rstest]
    #[case::as_before(Due::Fails, ALLOWED, Standing::Fails)]
    #[case::worse_since(Due::Fails, BAD, Standing::Fails)]
    #[case::mended_since(Due::Fails, GOOD, Standing::OutOfDate)]
    #[case::back_again(Due::Conforms, ALLOWED, Standing::OutOfDate)]
    #[case::still_mended(Due::Conforms, GOOD, Standing::Conforms)]
    fn a_row_of_a_hazard_is_out_of_date_where_the_norm_comes_back(
        #[case] due: Due,
        #[case] came: Option<ReleaseVerdict>,
        #[case] standing: Standing,
    ) {
        assert_eq!(Standing::of(due, true, came), standing);
    }
}
