//! `cargo xtask conformance --backend NAME`: the main job.
//!
//! Builds a worker for the backend, asks it every selected case and so many generated calls, prints
//! the report. Progress goes
//! to standard error, the report to standard output.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::accuracy::Class;
use normative_conformance::reference::{Choice, Question};
use normative_conformance::report::Report;
use normative_conformance::run::{Prepared, prepare, run};
use normative_conformance::worker::{Limits, Program, Worker};
use normative_conformance::{Backend as _, Demands, terminal};

use crate::progress::Progress;
use crate::property::Property;
use crate::runner::{BackendArg, build_runner};
use crate::select::{Selection, list, write_names};

/// Seconds an answer may take, unless `--timeout` says otherwise.
const PATIENCE: u64 = 10;

/// What the command takes.
pub(crate) fn command() -> Command {
    Command::new("conformance")
        .about("Judge a backend against the cases, and against generated calls")
        .after_help("Exit code 0: it conforms. 1: it does not. 2: the run itself went wrong.")
        .arg(
            Arg::new("backend")
                .long("backend")
                .value_name("NAME|PATH")
                .required_unless_present("list")
                .help("The backend: a name in backends/, or the path of a crate that exports `backend()`"),
        )
        .args(Selection::options())
        .args(Property::options())
        .arg(
            Arg::new("reading")
                .long("reading")
                .value_name("QUESTION=READING")
                .action(ArgAction::Append)
                .value_parser(choice)
                .help("Fail the backend wherever it reads this question otherwise (repeatable)"),
        )
        .arg(
            Arg::new("accuracy")
                .long("accuracy")
                .value_name("CLASS")
                .value_parser(class)
                .help("Fail float results outside this class: correctly-rounded, faithful or any-order"),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .value_parser(clap::value_parser!(u64).range(1..))
                .help(format!("Give up on an answer after this many seconds [default: {PATIENCE}]")),
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
    let corpus = selection.folder.load()?;
    let property = Property::of(matches, &selection)?;
    let selected = if property.is_one_call() { Vec::new() } else { selection.select(&corpus)? };
    let mut out = std::io::stdout().lock();
    let Some(backend) = matches.get_one::<String>("backend").filter(|_| !matches.get_flag("list")) else {
        write_names(&mut out, &selected)?;
        return Ok(ExitCode::SUCCESS);
    };
    let readings: Vec<Choice> = matches.get_many("reading").into_iter().flatten().copied().collect();
    let patience = matches.get_one("timeout").copied().unwrap_or(PATIENCE);
    let ledger = selection.folder.ledger()?;
    let prepared = prepare(selected).map_err(|errors| {
        anyhow::anyhow!("cases and reference disagree; nobody is judged:\n{}", list(&errors))
    })?;

    eprintln!("building a worker for {backend}");
    let program = build_runner(&BackendArg::parse(backend)?)?;
    let limits = Limits { answer: Duration::from_secs(patience), ..Limits::default() };
    let mut worker = Worker::start(Program::new(program), limits).context("the worker did not start")?;
    let identity = worker.identity();
    let accuracy = matches.get_one("accuracy").copied();
    let demands = Demands { capabilities: worker.capabilities(), accuracy, readings };
    let started = Instant::now();
    let results = ask(&prepared, &mut worker, &demands);
    eprintln!("{} cases in {:.2} s", prepared.len(), started.elapsed().as_secs_f64());
    let generated = property.run(&mut worker, &demands)?;

    let report = Report { identity, results, corpus: corpus.cases.len(), generated };
    let mut text = String::new();
    terminal::write(&mut text, &report, &ledger, &again(backend, &selection, &demands, patience))?;
    out.write_all(text.as_bytes())?;
    out.flush()?;
    if report.executed() == 0 {
        bail!("no case was executed: the backend says it supports none of them");
    }
    if report.generated.as_ref().is_some_and(|generated| generated.total().executed() == 0) {
        bail!("no generated call was executed: the backend says it supports none of them");
    }
    Ok(ExitCode::from(u8::from(!report.conforms())))
}

/// Runs the cases.
fn ask<'a>(
    prepared: &[Prepared<'a>],
    worker: &mut Worker,
    demands: &Demands,
) -> Vec<(&'a normative_conformance::cases::Case, normative_conformance::Verdict)> {
    let mut progress = Progress::new(prepared.len());
    let verdicts = run(prepared, worker, demands, |_, verdict| progress.count(verdict));
    progress.finish();
    prepared.iter().map(|one| one.case).zip(verdicts).collect()
}

/// The command that repeats this run, without what narrows it to some cases.
fn again(backend: &str, selection: &Selection, demands: &Demands, patience: u64) -> String {
    let mut words = vec!["cargo xtask conformance --backend".to_owned(), quoted(backend)];
    if let Some(folder) = selection.folder.given() {
        words.extend(["--cases".to_owned(), quoted(&folder.display().to_string())]);
    }
    for choice in &demands.readings {
        words.push(format!("--reading {choice}"));
    }
    if let Some(class) = demands.accuracy {
        words.push(format!("--accuracy {}", class.name()));
    }
    if patience != PATIENCE {
        words.push(format!("--timeout {patience}"));
    }
    words.join(" ")
}

/// A word as a shell takes it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-@:+=".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

fn class(text: &str) -> Result<Class, String> {
    let known = Class::DEMANDED.map(Class::name).join(", ");
    let class = Class::DEMANDED.into_iter().find(|class| class.name() == text);
    class.ok_or_else(|| format!("a class is one of {known}"))
}

fn choice(text: &str) -> Result<Choice, String> {
    let (question, reading) = text.split_once('=').ok_or("expected QUESTION=READING")?;
    let question = Question::from_name(question).ok_or_else(|| {
        let known: Vec<&str> = Question::ALL.iter().map(|question| question.entry().name).collect();
        format!("no question is named {question:?}; there are {}", known.join(", "))
    })?;
    let readings = question.entry().readings;
    let reading = readings.iter().copied().find(|known| known.name() == reading).ok_or_else(|| {
        let known: Vec<&str> = readings.iter().map(|reading| reading.name()).collect();
        format!("{question} is read as one of {}", known.join(", "))
    })?;
    Ok(Choice { question, reading })
}
