//! `cargo xtask laws --backend NAME`: holds the answers of a backend against each other.
//!
//! No expected value is involved. Counts go to standard output, with the first breach of each law.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::nearest::did_you_mean;
use normative_conformance::reference::Spec;
use normative_conformance::run::property::Id;
use normative_conformance::{Driver as _, Worker};
use normative_hunt::law::{LAWS, Law, row, run};

use normative::home;
use normative::judging::PATIENCE;
use normative::note::note;
use normative::rerun::backend_options;
use normative::{demands, runner};

/// Generated calls each law is tried on, unless `--calls` says otherwise.
const CALLS: u64 = 2_000;

/// The row they stand in, unless `--seed` says otherwise.
const SEED: u64 = 1;

/// What the command takes.
pub(crate) fn command() -> Command {
    let option = |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    let number = |name, value| option(name, value).value_parser(clap::value_parser!(u64));
    Command::new("laws")
        .about("Hold a backend's answers to related calls against each other, without any expected value")
        .after_help(
            "Exit code 0: every law held. 1: one was broken. 2: one never applied, or the run went wrong.",
        )
        .args([
            runner::option().required(true),
            runner::name_option(),
            number("calls", "N").help(format!("Try each law on this many calls [default: {CALLS}]")),
            number("seed", "SEED").help(format!("Generate the calls of this seed [default: {SEED}]")),
            option("law", "LAW")
                .action(ArgAction::Append)
                .value_parser(law)
                .help("Try only this law (repeatable)"),
            option("call", "SEED:INDEX")
                .value_parser(clap::value_parser!(Id))
                .conflicts_with_all(["calls", "seed"])
                .help("Try only this generated call, as a broken law prints it"),
        ])
        .args(demands::timeouts(PATIENCE))
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let asked: Vec<Law> = matches.get_many("law").into_iter().flatten().copied().collect();
    let laws = if asked.is_empty() { LAWS.to_vec() } else { asked };
    let seed = matches.get_one("seed").copied().unwrap_or(SEED);
    let calls = matches.get_one("calls").copied().unwrap_or(CALLS);
    let backend = matches.get_one::<String>("backend").map_or("", String::as_str);
    let program = runner::program(backend)?;
    let limits = demands::limits(matches, PATIENCE);
    let mut worker = Worker::start(program, limits).context("the worker did not start")?;
    let claimed: Vec<Spec> =
        worker.capabilities().claims.into_iter().flat_map(|claim| claim.family.specs()).collect();
    let calls: Box<dyn Iterator<Item = Id>> = match matches.get_one("call") {
        Some(&id) => Box::new(std::iter::once(id)),
        None => Box::new(row(seed, &claimed).take(usize::try_from(calls)?)),
    };
    let started = Instant::now();
    let report = run(&laws, calls, &mut worker);
    worker.check()?;
    let given = matches.get_one::<String>("name");
    let name = given.map_or(backend, String::as_str);
    note(format_args!("{name}: {} laws in {:.2} s", laws.len(), started.elapsed().as_secs_f64()));

    let patience = limits.answer.as_secs();
    let timeout = if patience == PATIENCE { String::new() } else { format!(" --timeout {patience}") };
    let again = format!("{} laws {}{timeout}", home::program(), backend_options(backend, given));
    let mut text = String::new();
    report.write(&mut text, &again)?;
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    if !report.broken.is_empty() {
        return Ok(ExitCode::from(1));
    }
    let never: Vec<&str> = report.never_applied().map(|law| law.name).collect();
    if !never.is_empty() {
        bail!("never applied, so nothing is known of: {}", never.join(", "));
    }
    Ok(ExitCode::SUCCESS)
}

fn law(name: &str) -> Result<Law, String> {
    Law::from_name(name).ok_or_else(|| {
        let near = did_you_mean(name, LAWS.iter().map(|law| law.name));
        let known: Vec<&str> = LAWS.iter().map(|law| law.name).collect();
        let known = if near.is_empty() { format!("; there are {}", known.join(", ")) } else { near };
        format!("no law is named {name:?}{known}")
    })
}
