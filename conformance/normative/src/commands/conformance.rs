//! `cargo xtask conformance --backend NAME`: the main job.
//!
//! Builds a worker for the backend, asks it every selected case and the generated calls, and prints the report.
//! Progress goes to standard error, the report to standard output, every answer to the record.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::Demands;
use normative_conformance::run::repeat;
use normative_conformance::session::{Calls, Job};
use normative_present::column::Column;
use normative_rules::rules;

use crate::exit::{self, FailOn};
use crate::judging::Judging;
use crate::output::Output;
use crate::records::path_of_run;
use crate::rerun::{Rerun, of_records};
use crate::select::{self, Selection, write_names};
use crate::{baseline, demands, interrupt, jobs, keep, last_failed, laws, property, runner};

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("conformance")
        .about("Judge a backend against the cases, and against generated calls")
        .after_help("Exit code 0: it conforms. 1: it does not, or is flaky. 2: the run itself went wrong.")
        .arg(runner::option().required_unless_present("list"))
        .arg(runner::name_option())
        .args(Selection::options())
        .args(property::options())
        .arg(demands::reading(
            "Fail the backend wherever it reads this question otherwise; newest: wherever it reads one otherwise that a later \
             revision of the texts settles (repeatable)",
        ))
        .arg(
            Arg::new("accuracy")
                .long("accuracy")
                .value_name("CLASS")
                .value_parser(Demands::class)
                .help("Fail float results outside this class: correctly-rounded, faithful or any-order"),
        )
        .arg(demands::timeout())
        .arg(Arg::new("repeat").long("repeat").value_name("N").value_parser(clap::value_parser!(usize)).help(
            format!(
                "Ask about N of the calls again, in another order: the answers must be the same, bit for bit \
                     [default: {}]",
                repeat::USUAL
            ),
        ))
        .arg(jobs::option(
            "Ask N workers at once, each a part of the calls; the record and the report are those of one. Give 1 where the \
             runtime uses all processors by itself, or keeps something from call to call",
        ))
        .args(baseline::options())
        .arg(
            Arg::new("record")
                .long("record")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help(
                    "Keep every answer in this file [default: one per backend, under the target directory]",
                ),
        )
        .arg(
            Arg::new("resume")
                .long("resume")
                .action(ArgAction::SetTrue)
                .help("Go on with the run that the record holds the beginning of"),
        )
        .args(Output::options())
        .arg(keep::option())
        .arg(laws::option())
        .arg(
            Arg::new("fail-on")
                .long("fail-on")
                .value_name("KIND,…")
                .value_delimiter(',')
                .value_parser(FailOn::from_word)
                .help(
                    "Exit with 1 for these kinds of failure only: died, changed (data), wrong (values), form (type or dims), refused \
                     (valid calls), lenient (invalid calls answered), readings, flaky (the process failed over calls of which \
                     none makes it fail alone) [default: all]; and for what is allowed and not to be relied on: hazards (not \
                     the norm, though its type holds it), mixed (read in several ways)",
                ),
        )
        .arg(
            Arg::new("max-failures")
                .long("max-failures")
                .value_name("N")
                .value_parser(clap::value_parser!(u64).range(1..))
                .help("Stop after so many failures, and report what was asked by then"),
        )
        .arg(
            Arg::new("list")
                .long("list")
                .action(ArgAction::SetTrue)
                .help("Name the selected cases instead of running them"),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let selection = Selection::of(matches);
    // Report misspelt options before anything is loaded.
    selection.specs()?;
    matches.get_one::<String>("backend").map_or(Ok(()), |backend| runner::check(backend))?;
    if let Some(backend) = matches.get_one::<String>("backend").filter(|_| matches.get_flag("laws")) {
        return laws::main(matches, backend, &selection);
    }
    let known = baseline::Known::of(matches)?;
    let corpus = selection.load()?;
    let backend = matches.get_one::<String>("backend");
    let name = matches.get_one::<String>("name").or(backend);
    let (selected, calls) = if let Some(name) = name.filter(|_| selection.is_last_failed()) {
        last_failed::of(name, &corpus)?
    } else {
        (selection.select_beside_generated(&corpus)?, property::of(matches, &selection)?)
    };
    let is_whole = matches!(calls, Calls::Row { .. }) && !matches.contains_id("max-failures");
    let narrowed = !is_whole || selection.narrows();
    let Some((backend, name)) = backend.zip(name).filter(|_| !matches.get_flag("list")) else {
        write_names(&mut std::io::stdout().lock(), &selected)?;
        return Ok(ExitCode::SUCCESS);
    };
    let path = matches.get_one("record").cloned().map_or_else(|| path_of_run(name, narrowed), Ok)?;
    let resume = matches.get_flag("resume");
    let ledger = selection.folder.ledger()?;
    let prepared = select::prepared(selected)?;
    let job = Job {
        calls,
        accuracy: matches.get_one("accuracy").copied(),
        readings: demands::readings(matches),
        repeat: matches.get_one("repeat").copied().unwrap_or(repeat::USUAL),
        rules: Some(rules()),
        ..Job::of(corpus.cases.len(), &prepared)
    };
    let keeps = matches.get_one::<PathBuf>("keep");
    // Calls to be kept are made small, however few they are.
    let job = if keeps.is_some() { Job { few: 0, shrink: keep::SHRINK, ..job } } else { job };
    let output = Output::of(matches);
    let job = if output.shows_defects_alone() { Job { few: 0, ..job } } else { job };
    let limits = demands::limits(matches);
    let max_failures = matches.get_one::<u64>("max-failures");
    let max_failures = max_failures.map(|&max| usize::try_from(max).unwrap_or(usize::MAX));
    let jobs = jobs::of(matches);
    // If the user names specs or calls, ask those even if the backend does not claim their family.
    let claimed = !selection.narrows() && matches!(job.calls, Calls::Row { .. } | Calls::Timed { .. });
    let mut judging =
        Judging { corpus: &corpus, ledger: &ledger, job, limits, claimed, max_failures, jobs, among: false };
    let program = runner::program(backend)?;
    let rerun = Rerun::of(backend, &selection.folder, &judging).named(matches.get_one("name"));
    interrupt::listen()?;
    let mut report = judging.run(name, &program, rerun.for_others().command(), path.clone(), resume)?;
    if let Some(known) = known {
        report = known.check(&judging, program, report)?;
    }
    let rerun = if output.is_for_others() { rerun.for_others() } else { rerun };
    let column = Column { repro: rerun.repro(), name: name.clone(), report, again: rerun.command() };
    let show = of_records(&[&path], &selection.folder);
    output.write_one(&column, Some(&show), &corpus, &ledger)?;
    keeps.map_or(Ok(()), |folder| keep::keep(&column.report, &ledger, folder))?;
    let fail_on: Vec<FailOn> = matches.get_many("fail-on").into_iter().flatten().copied().collect();
    exit::code(&column.report, &fail_on)
}
