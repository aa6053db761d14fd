//! `cargo xtask report show|diff|merge`: what the record of a run, or of several, says, without asking anybody.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::cases::{Corpus, Ledger};
use normative_conformance::diff;
use normative_conformance::matrix::{self, Column};
use normative_conformance::page;
use normative_conformance::property::{Generated, Id, Made};
use normative_conformance::record::{self, Answered, End, Entry, Header, Line, Record};
use normative_conformance::reference::Call;
use normative_conformance::repeat::{Sample, Unstable};
use normative_conformance::report::{Missing, Report};
use normative_conformance::run::{Asked as _, Judged, Prepared, prepare};
use normative_conformance::worker::Conduct;
use normative_conformance::{Answer, Verdict, terminal};

use crate::recorder::{read, read_all};
use crate::select::{Folder, list};

/// What the command takes.
pub(crate) fn command() -> Command {
    let file = |name: &'static str| {
        Arg::new(name).value_name("FILE").value_parser(clap::value_parser!(PathBuf)).required(true)
    };
    Command::new("report")
        .about("Report on runs that are on record")
        .after_help("Exit codes are those of the run.")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("show")
                .about("Print the report of a run, also of one that was cut off, or the matrix of several")
                .arg(file("file").help("The record"))
                .arg(Folder::option()),
        )
        .subcommand(
            Command::new("diff")
                .about("Tell what changed from one run to another: what became worse first")
                .after_help(
                    "Exit code 0: nothing became worse. 1: something did. 2: they cannot be compared.",
                )
                .arg(file("before").help("The record of a run, or of a matrix"))
                .arg(file("after").help("Another; of two matrices, backends of the same name are compared"))
                .arg(Folder::option()),
        )
        .subcommand(
            Command::new("page")
                .about("Write a page of a run, or of several, that shows and filters every failure")
                .arg(file("file").help("The record"))
                .arg(
                    Arg::new("output")
                        .long("output")
                        .value_name("PAGE")
                        .value_parser(clap::value_parser!(PathBuf))
                        .required(true)
                        .help("Write it to this file"),
                )
                .arg(Folder::option()),
        )
        .subcommand(
            Command::new("merge")
                .about("Join the records of all parts of a run, and print the report of the whole")
                .arg(file("files").action(ArgAction::Append).num_args(1..).help("The records"))
                .arg(
                    Arg::new("output")
                        .long("output")
                        .value_name("FILE")
                        .value_parser(clap::value_parser!(PathBuf))
                        .help("Keep the record of the whole in this file"),
                )
                .arg(Folder::option()),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("show", matches)) => {
            let file: &PathBuf = matches.get_one("file").context("no file")?;
            show(&read_all(file)?, &Folder::of(matches)).with_context(|| file.display().to_string())
        }
        Some(("diff", matches)) => {
            let file = |name: &str| matches.get_one::<PathBuf>(name).context("no file");
            diff(file("before")?, file("after")?, &Folder::of(matches))
        }
        Some(("page", matches)) => {
            let path = |name: &str| matches.get_one::<PathBuf>(name).context("no file");
            page(path("file")?, path("output")?, &Folder::of(matches))
        }
        Some(("merge", matches)) => {
            let files: Vec<&PathBuf> = matches.get_many("files").into_iter().flatten().collect();
            let folder = Folder::of(matches);
            let whole = merge(&files, &folder.load()?)?;
            if let Some(path) = matches.get_one::<PathBuf>("output") {
                keep(path, &whole).with_context(|| path.display().to_string())?;
            }
            show(&[whole], &folder)
        }
        _ => Ok(ExitCode::from(2)),
    }
}

/// Prints a report; its exit code.
pub(crate) fn print(
    out: &mut dyn Write,
    report: &Report<'_>,
    ledger: &Ledger,
    again: &str,
) -> Result<ExitCode> {
    let mut text = String::new();
    terminal::write(&mut text, report, ledger, again)?;
    out.write_all(text.as_bytes())?;
    out.flush()?;
    if report.is_clean() && !report.is_complete() {
        bail!("the run was stopped before everything was asked; --resume goes on with it");
    }
    if report.executed() == 0 {
        bail!("no case was executed: the backend says it supports none of them");
    }
    if report.generated.as_ref().is_some_and(|generated| generated.total().executed() == 0) {
        bail!("no generated call was executed: the backend says it supports none of them");
    }
    Ok(ExitCode::from(u8::from(!report.is_clean())))
}

/// The reports of runs, each with the name its backend was asked for by.
fn columns<'a>(records: &[Record], corpus: &'a Corpus, prepared: &[Prepared<'a>]) -> Result<Vec<Column<'a>>> {
    let column = |record: &Record| {
        let Header { name, again, .. } = record.header.clone();
        let report = rebuilt(record, corpus, prepared).with_context(|| name.clone())?;
        Ok(Column { name, report, again })
    };
    records.iter().map(column).collect()
}

fn all_prepared(corpus: &Corpus) -> Result<Vec<Prepared<'_>>> {
    prepare(&corpus.cases).map_err(|errors| anyhow!("cases and reference disagree:\n{}", list(&errors)))
}

/// Prints what changed. Of two single runs the names may differ: two versions, two backends.
fn diff(before: &Path, after: &Path, folder: &Folder) -> Result<ExitCode> {
    let corpus = folder.load()?;
    let prepared = all_prepared(&corpus)?;
    let read = |path: &Path| {
        columns(&read_all(path)?, &corpus, &prepared).with_context(|| path.display().to_string())
    };
    let (before, after) = (read(before)?, read(after)?);
    let single = before.len() == 1 && after.len() == 1;
    let mut text = String::new();
    let mut worse = false;
    for Column { name, report, .. } in &after {
        let Some(earlier) = before.iter().find(|column| single || column.name == *name) else {
            writeln!(text, "{name}: only in the second")?;
            continue;
        };
        worse |= diff::changes(&earlier.report, report).iter().any(|change| change.turn.is_worse());
        diff::write(&mut text, (&earlier.name, &earlier.report), (name, report))?;
    }
    for Column { name, .. } in &before {
        if !single && !after.iter().any(|column| column.name == *name) {
            worse = true;
            writeln!(text, "{name}: only in the first")?;
        }
    }
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::from(u8::from(worse)))
}

/// Prints the report of a run, or the matrix of several.
fn show(records: &[Record], folder: &Folder) -> Result<ExitCode> {
    let corpus = folder.load()?;
    let columns = columns(records, &corpus, &all_prepared(&corpus)?)?;
    let mut out = std::io::stdout().lock();
    match (columns.as_slice(), records) {
        ([column], [record]) => print(&mut out, &column.report, &folder.ledger()?, &record.header.again),
        (columns, _) => print_matrix(&mut out, columns),
    }
}

/// Writes the page of a run, or of several; its exit code is 0, as it compares and demands nothing.
fn page(file: &Path, output: &Path, folder: &Folder) -> Result<ExitCode> {
    let corpus = folder.load()?;
    let prepared = all_prepared(&corpus)?;
    let columns =
        columns(&read_all(file)?, &corpus, &prepared).with_context(|| file.display().to_string())?;
    let mut text = String::new();
    page::write(&mut text, &columns, &folder.ledger()?)?;
    std::fs::write(output, text).with_context(|| output.display().to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a matrix; its exit code is 0, as it compares and demands nothing.
pub(crate) fn print_matrix(out: &mut dyn Write, columns: &[Column<'_>]) -> Result<ExitCode> {
    let mut text = String::new();
    matrix::write(&mut text, columns)?;
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The report that a run gave, from its record alone.
fn rebuilt<'a>(record: &Record, corpus: &'a Corpus, prepared: &[Prepared<'a>]) -> Result<Report<'a>> {
    let Record { header, cases, calls, then, end, .. } = record;
    if header.digest != record::digest(corpus) {
        bail!("that run was of other cases than these");
    }
    let demands = header.demands().map_err(|why| anyhow!(why))?;
    let named: HashMap<&str, &Answer> = cases.iter().map(|one| (one.name.as_str(), &one.answer)).collect();
    let mut first: BTreeMap<String, Sample> = BTreeMap::new();
    let mut note = |name: String, call: &Call, answer: &Answer| {
        if then.iter().any(|doubted| doubted.name == name) {
            first.insert(name.clone(), Sample { name, call: call.clone(), first: answer.clone() });
        }
    };
    let mut results: Vec<(_, Verdict)> = Vec::with_capacity(cases.len());
    for one in prepared {
        let Some(&answer) = named.get(one.case.name.as_str()) else { continue };
        note(one.name(), &one.case.call, answer);
        results.push((one.case, Judged::of(one, answer.clone(), &demands).verdict));
    }
    if results.len() != cases.len() {
        bail!("it names cases twice, or cases that there are not");
    }
    let mut generated = Generated { seed: header.seed, ..Generated::default() };
    for Answered { name, answer, .. } in calls {
        let id = name.parse().map_err(|why| anyhow!("generated call {name}: {why}"))?;
        let made = Made::of(id).with_context(|| format!("generated call {name}"))?;
        note(made.name(), &made.call, answer);
        generated.count(&Judged::of(made, answer.clone(), &demands));
    }
    let unstable = then.iter().map(|Answered { name, answer, .. }| {
        let sample = first.remove(name).ok_or_else(|| anyhow!("{name} was asked again, but never asked"))?;
        Ok(Unstable { sample, then: answer.clone() })
    });
    let unstable = unstable.collect::<Result<_>>()?;
    let missing = Missing {
        cases: header.cases.saturating_sub(results.len()),
        calls: header.calls.saturating_sub(calls.len()),
    };
    let End { restarts, unrepeated, .. } =
        end.clone().unwrap_or(End { complete: false, restarts: 0, unrepeated: 0 });
    let generated = (header.calls > 0).then_some(generated);
    let report = Report::of(header.backend.identity(), results, header.corpus);
    let conduct = Conduct { restarts, unrepeated };
    let capabilities = demands.capabilities;
    Ok(Report { capabilities, generated, unstable, conduct, missing, ..report })
}

/// The record of the whole, from those of all its parts.
fn merge(files: &[&PathBuf], corpus: &Corpus) -> Result<Record> {
    let mut parts: BTreeMap<u64, Record> = BTreeMap::new();
    let mut whole: Option<Header> = None;
    let mut of = 0;
    for file in files {
        let name = || file.display().to_string();
        let record = read(file)?;
        let Some((index, parts_in_all)) = record.header.part else { bail!("{}: that is no part", name()) };
        if !record.end.as_ref().is_some_and(|end| end.complete) {
            bail!("{}: that run was cut off; --resume goes on with it", name());
        }
        let header = Header { part: None, cases: 0, calls: 0, ..record.header.clone() };
        if of != 0 && of != parts_in_all || whole.as_ref().is_some_and(|whole| *whole != header) {
            bail!("{}: that is a part of another run than the first", name());
        }
        (whole, of) = (Some(header), parts_in_all);
        if parts.insert(index, record).is_some() {
            bail!("{}: part {} is there twice", name(), index + 1);
        }
    }
    let missing: Vec<String> =
        (0..of).filter(|index| !parts.contains_key(index)).map(|index| (index + 1).to_string()).collect();
    if !missing.is_empty() {
        bail!("of {of} parts there is no {}", missing.join(", "));
    }
    let header = whole.context("no file")?;
    Ok(join(header, parts.into_values(), corpus))
}

fn join(header: Header, parts: impl Iterator<Item = Record>, corpus: &Corpus) -> Record {
    let order: HashMap<&str, usize> =
        corpus.cases.iter().enumerate().map(|(place, case)| (case.name.as_str(), place)).collect();
    let (mut cases, mut calls, mut then) = (Vec::new(), Vec::new(), Vec::new());
    let mut end = End { complete: true, restarts: 0, unrepeated: 0 };
    for part in parts {
        cases.extend(part.cases);
        calls.extend(part.calls);
        then.extend(part.then);
        let (restarts, unrepeated) = part.end.map_or((0, 0), |end| (end.restarts, end.unrepeated));
        end.restarts += restarts;
        end.unrepeated += unrepeated;
    }
    cases.sort_by_key(|one: &Answered| order.get(one.name.as_str()).copied());
    // In the order of the row; what is no place in one is told when the record is shown.
    calls.sort_by_key(|one: &Answered| one.name.parse::<Id>().ok());
    then.sort_by(|a: &Answered, b| a.name.cmp(&b.name));
    let header = Header { cases: cases.len(), calls: calls.len(), ..header };
    Record { header, cases, calls, then, end: Some(end), length: 0 }
}

/// Writes a record that was not written as it went.
fn keep(path: &Path, Record { header, cases, calls, then, end, .. }: &Record) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let entry = |one: &Answered| Entry::of(&one.name, &one.verdict, &one.answer);
    let lines = std::iter::once(Line::Run(header.clone()))
        .chain(cases.iter().map(|one| Line::Case(entry(one))))
        .chain(calls.iter().map(|one| Line::Call(entry(one))))
        .chain(then.iter().map(|one| Line::Then(entry(one))))
        .chain(end.iter().cloned().map(Line::End));
    for line in lines {
        record::write(&mut file, &line)?;
    }
    Ok(file.flush()?)
}
