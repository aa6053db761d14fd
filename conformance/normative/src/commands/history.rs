//! `cargo xtask history RUNTIME`: judges the releases of a runtime, and keeps what each answered.
//!
//! A release is judged over all cases that its backend claims and some generated calls. Then the smallest call of every
//! defect and hazard, for every version of all operators of its family and every type, is asked of every release, so that
//! since and until come from answers. The file is written after every release. A release on file that was judged by the
//! same cases is not judged again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::corpus::{Case, Corpus, Ledger, line};
use normative_conformance::display::counted;
use normative_conformance::drive::Program;
use normative_conformance::outside;
use normative_conformance::reference::{Call, Outcome, Spec, rule};
use normative_conformance::report::Report;
use normative_conformance::report::record::digest;
use normative_conformance::run::property::Id;
use normative_conformance::session::{Calls, Job};

use crate::history::model::{History, ReleaseRun};
use crate::history::spans::Release;
use crate::history::{self, split};
use crate::judging::Judging;
use crate::note::note;
use crate::outcome::ReleaseOutcome;
use crate::records::path_apart;
use crate::rerun::Rerun;
use crate::select::{self, Folder};
use crate::{backends, demands, facts, findings, home, interrupt, jobs, output, provenance, releases};

/// The default number of generated calls.
const CALLS: usize = 2000;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("history")
        .about("Judge every release of a runtime, and keep what each answered for `ask`")
        .after_help(
            "Releases come by pip from the package index and stay under the target directory; of a crate, the version that \
             its adapter is built with is judged. What they answered is in conformance/normative/history; a release on \
             file is not judged again by the same cases. Exit code 0: all on file. 2: the command could not do its work.",
        )
        .arg(releases::argument())
        .args(releases::options())
        .arg(
            Arg::new("minor")
                .long("minor")
                .action(ArgAction::SetTrue)
                .help("Try only the newest release of each minor version, such as 1.22.1 of 1.22"),
        )
        .arg(
            Arg::new("property")
                .long("property")
                .value_name("N")
                .value_parser(clap::value_parser!(usize))
                .help(format!("Make this many generated calls as well [default: {CALLS}]")),
        )
        .arg(demands::timeout())
        .arg(jobs::option("Ask each release by N workers at once"))
}

/// The settings of all runs.
struct Desk<'a> {
    backend: &'a str,
    file: PathBuf,
    corpus: &'a Corpus,
    ledger: &'a Ledger,
    bare: Program,
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::ours();
    let (corpus, ledger) = (folder.load()?, folder.ledger()?);
    let prepared = select::prepared(&corpus.cases)?;
    let generated = matches.get_one("property").copied().unwrap_or(CALLS);
    let calls = Calls::Row { seed: Calls::SEED, calls: Some(generated), specs: Spec::ALL.to_vec() };
    let limits = demands::limits(matches);
    let jobs = jobs::of(matches);
    let judging = Judging { claimed: true, jobs, ..Judging::of(&corpus, &ledger, &prepared, calls, limits) };
    let (wanted, mut offered) = releases::or_built(matches, &judging)?;
    if matches.get_flag("minor") {
        offered = releases::newest_of_minors(offered);
    }
    let backend = wanted.known.name;
    let file =
        home::checkout_for("history")?.join("conformance/normative/history").join(format!("{backend}.yaml"));
    let desk = Desk { backend, file, corpus: &corpus, ledger: &ledger, bare: wanted.bare()? };
    let mut history = read(&desk.file)?.unwrap_or_default();
    backend.clone_into(&mut history.backend);
    interrupt::listen()?;

    let digest = digest(&corpus);
    for release in offered.iter().cloned().map(Release) {
        let on_file = history.results.get(&release);
        if on_file.is_some_and(|(run, _)| run.digest == digest && run.generated == generated) {
            continue;
        }
        desk.judge(&judging, &mut history, release)?;
        desk.write(&history)?;
    }

    let followed = followed(&history, &corpus)?;
    history.calls.retain(|call, _| followed.contains(call));
    for call in followed {
        history.calls.entry(call).or_default();
    }
    // A crate can be asked in the version alone that it is built with.
    let can_ask = |release: &&Release| wanted.has_releases() || offered.contains(&release.0);
    for release in history.results.keys().filter(can_ask).cloned().collect::<Vec<_>>() {
        let (ids, cases) = missing(&history, &release, &corpus)?;
        let prepared = select::prepared(&cases)?;
        let of_cases = (!cases.is_empty()).then_some((prepared.as_slice(), Calls::none()));
        let of_ids = ids.into_iter().map(|id| (&[][..], Calls::These(id.seed, vec![id])));
        for (prepared, calls) in of_cases.into_iter().chain(of_ids) {
            let plain = Judging::of(&corpus, &ledger, prepared, calls, limits);
            let job = Job { shrink: 0, few: usize::MAX, ..plain.job };
            desk.follow(&Judging { job, jobs, ..plain }, &mut history, &release)?;
            desk.write(&history)?;
        }
    }
    desk.write(&history)?;
    output::print(&summary(&history))?;
    note(format_args!("{} is what `cargo xtask ask {backend}` reads", home::shown(&desk.file)));
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> Result<Option<History>> {
    let name = || file.display().to_string();
    let text = outside::text_if_there(file, outside::WRITTEN).with_context(name)?;
    text.map(|text| history::of_text(&text)).transpose().with_context(name)
}

impl Desk<'_> {
    fn write(&self, history: &History) -> Result<()> {
        let text = history::text(history)?;
        let written = outside::write(&self.file, |to| std::io::Write::write_all(to, text.as_bytes()));
        written.with_context(|| self.file.display().to_string())
    }

    /// Starts a release and asks it; a release that cannot be asked has a reason.
    fn run<'a>(
        &self,
        judging: &Judging<'a>,
        release: &Release,
    ) -> Result<Result<Report<'a>, ReleaseOutcome>> {
        if interrupt::wanted() {
            bail!("stopped; the same command goes on from {}", home::shown(&self.file));
        }
        let name = backends::asked_by(self.backend, &release.0);
        let program = match releases::start(judging, &name, self.bare.clone())? {
            Ok(program) => program,
            Err(outcome) => return Ok(Err(outcome)),
        };
        let again = Rerun::of(&name, &Folder::ours(), judging).command();
        let report = judging.clone().run(&name, &program, again, path_apart("history", &name)?, false)?;
        if !report.is_complete() {
            bail!("stopped; the same command goes on from {}", home::shown(&self.file));
        }
        Ok(Ok(report))
    }

    /// Judges a release over everything.
    fn judge(&self, judging: &Judging<'_>, history: &mut History, release: Release) -> Result<()> {
        let started = Instant::now();
        let report = match self.run(judging, &release)? {
            Ok(report) => report,
            Err(outcome) => {
                note(format_args!("{}@{}: {outcome}", self.backend, release.0));
                history.set(release, Err(outcome.to_string()));
                return Ok(());
            }
        };
        report.identity.name.clone_into(&mut history.runtime);
        let commit = provenance::commit().unwrap_or_default();
        let run = ReleaseRun {
            judged: provenance::today(),
            suite: format!("{} {commit}", env!("CARGO_PKG_VERSION")).trim().to_owned(),
            digest: digest(self.corpus),
            cases: report.results.len(),
            seed: judging.job.calls.seed(),
            generated: report.generated.as_ref().map_or(0, |generated| generated.total().run),
        };
        let facts = facts::of(&report, self.ledger);
        let defects = counted(facts.defects.len(), "defect", "defects");
        note(format_args!(
            "{}@{}: {defects} ({:.1} s)",
            self.backend,
            release.0,
            started.elapsed().as_secs_f64()
        ));
        history.set(release, Ok((run, facts)));
        Ok(())
    }

    /// Asks a release the followed calls that it was not asked yet.
    fn follow(&self, judging: &Judging<'_>, history: &mut History, release: &Release) -> Result<()> {
        let report = match self.run(judging, release)? {
            Ok(report) => report,
            Err(outcome) => bail!("{}@{}: {outcome}", self.backend, release.0),
        };
        let mut set = |call: String, outcome: ReleaseOutcome| {
            history.calls.entry(call).or_default().insert(release.clone(), outcome.verdict());
        };
        for (case, _) in &report.results {
            set(case.name.clone(), ReleaseOutcome::of_case(&report, &case.name).context("no answer")?);
        }
        if let Calls::These(_, ids) = &judging.job.calls {
            for id in ids {
                set(id.to_string(), ReleaseOutcome::of(&report));
            }
        }
        note(format_args!(
            "{}@{}: {}",
            self.backend,
            release.0,
            counted(report.executed(), "call answered", "calls answered")
        ));
        Ok(())
    }
}

/// Returns the calls to ask of every release: the smallest ones in all variants, and those of findings.
fn followed(history: &History, corpus: &Corpus) -> Result<BTreeSet<String>> {
    let facts = history.results.values().map(|(_, facts)| facts);
    let smallest = facts.flat_map(|facts| facts.defects.iter().chain(&facts.hazards)).map(|fact| &fact.call);
    let mut calls: BTreeSet<String> = smallest.flat_map(|call| variants(call)).collect();
    for call in findings::calls(&history.backend)? {
        let case = corpus.cases.iter().find(|case| case.name == call);
        let stated = case.map_or_else(|| Some(history::call(&call)), |case| line::of(&case.call));
        calls.extend(stated.iter().flat_map(|call| variants(call)));
        calls.extend(case.map(|_| call));
    }
    let is_case = |call: &String| corpus.cases.iter().any(|case| case.name == *call);
    calls.retain(|call| line::is_one(call) || call.parse::<Id>().is_ok() || is_case(call));
    Ok(calls)
}

/// Returns a call in a line for every operator version of its family and every type, as far as that is a call; any other
/// word alone.
fn variants(word: &str) -> Vec<String> {
    let cases = line::cases(word).unwrap_or_default();
    let Some(call) = cases.first().map(|case| &case.call) else { return vec![word.to_owned()] };
    let (spec, dtype) = (call.spec(), call.data.dtype());
    let is_sibling = |other: &Spec| other.family() == spec.family();
    let siblings = Spec::ALL.into_iter().filter(is_sibling);
    let each = siblings.flat_map(|other| other.rules().dtypes.iter().map(move |&dtype| (other, dtype)));
    let rest = split(word).0;
    let variant = |(other, to): (Spec, _)| {
        let word = word.replacen(spec.name(), other.name(), 1);
        let word = word.replacen(&format!("dtypes: [{dtype}]"), &format!("dtypes: [{to}]"), 1);
        let case = line::cases(&word).ok()?.pop()?;
        // The same elements, not those that another type rounds them to, and not in a form of another version alone.
        (split(&case.name).0 == rest && is_refused(&case.call) == is_refused(call)).then_some(case.name)
    };
    // A call in a type that its text excludes is followed as well.
    each.filter_map(variant).chain(cases.iter().map(|case| case.name.clone())).collect()
}

/// Returns true if no reading answers a call.
fn is_refused(call: &Call) -> bool {
    let refuses = |outcome: &Outcome| matches!(outcome, Outcome::Rejected(_) | Outcome::OutOfScope(_));
    rule(call).alternatives.iter().all(|reading| refuses(&reading.outcome))
}

/// Returns the followed calls that this release was not asked yet: generated ones that no line can say, and cases.
fn missing(history: &History, release: &Release, corpus: &Corpus) -> Result<(Vec<Id>, Vec<Case>)> {
    let (mut ids, mut cases) = (Vec::new(), Vec::new());
    for (call, _) in history.calls.iter().filter(|(_, verdicts)| !verdicts.contains_key(release)) {
        let case = || corpus.cases.iter().find(|case| case.name == *call).cloned();
        match call.parse() {
            Ok(id) => ids.push(id),
            Err(_) => cases.push(history::stated(call).or_else(case).context(call.clone())?),
        }
    }
    Ok((ids, cases))
}

/// Lists the releases on file with their counts.
fn summary(history: &History) -> String {
    let judged = history.results.iter().map(|(release, (_, facts))| {
        let defects = counted(facts.defects.len(), "defect", "defects");
        (release, format!("{defects}, {}", counted(facts.hazards.len(), "hazard", "hazards")))
    });
    let absent = history.absent.iter().map(|(release, why)| (release, why.clone()));
    let lines = absent.chain(judged).map(|(release, says)| format!("{}: {says}", release.0));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::every_version_says_it("[1], values: [0]}, axes: [0]", 15)]
    #[case::a_version_leaves_it_open("[0], values: []}, axes: [-1]", 15)]
    #[case::an_attribute_is_no_scalar("[1], values: [0]}, axes: {dtypes: [i64], shape: [], values: [0]}", 4)]
    fn a_call_is_followed_in_every_version_that_says_it(#[case] says: &str, #[case] due: usize) {
        let calls = variants(&format!("{{specs: [onnx/ReduceL1-18], dtypes: [f32], data: {{shape: {says}}}"));
        let specs: BTreeSet<String> = calls.iter().map(|call| split(call).1).collect();
        assert_eq!(specs.len(), due, "{specs:?}");
    }
}
