//! `cargo xtask cases lock`: writes the expectation of every case to a file. So every changed expectation is a changed
//! line for review, whether the case, the loader or the reference changed.
//!
//! Each case has one line for all its expansions: its id, the number of expansions, a digest of all calls and of the
//! accepted answers, and the first expectation in words. Below, each clause and each question has a line in the format
//! of [`locked`](mod@crate::spec::locked). With `--check` it writes nothing. It names the cases, clauses and questions
//! that changed, and fails if there are any.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_backend::bytes;
use normative_backend::wire::encode_call;
use normative_conformance::corpus::{Case, CaseClaim, Corpus, Statement};
use normative_conformance::digest::Digest;
use normative_conformance::display;
use normative_conformance::outside;
use normative_conformance::reference::{Dtype, Expected, Tensor};
use normative_conformance::run::{Prepared, prepare};

use super::page;
use crate::spec::{locked, sources};
use normative::home::program;
use normative::select::LOCK;
use normative::select::{Folder, list};

const HEAD: &str = "# What each case expects, and what each clause and question says. cargo xtask cases lock writes it; a changed line is a changed expectation.\n";

/// The maximum length of an expectation in words.
const SHOWN: usize = 100;

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("lock")
        .about("Write down what every case expects and every clause says, so that a change shows in review; and the page about cases")
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Write nothing; name the cases, clauses, questions and files that changed, and fail"),
        )
        .arg(Folder::option())
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let corpus = folder.load()?;
    let prepared = prepare(&corpus.cases)
        .map_err(|errors| anyhow!("cases and reference disagree:\n{}", list(&errors)))?;
    let file = folder.path()?.join(LOCK);
    let locked = outside::text_if_there(&file, outside::WRITTEN);
    let locked = locked.with_context(|| file.display().to_string())?.unwrap_or_default();
    let mut now = text(&corpus, &prepared)?;
    now.push_str(&locked::lines(&folder.ledger()?, &sources::load(&folder.path()?)?));
    let check = matches.get_flag("check");
    // The page is about this repository's format, whichever cases are locked.
    let stale = folder.given().is_none() && page::write(check)?;
    let mut out = std::io::stdout().lock();
    let code = ExitCode::from(u8::from(check && stale));
    if locked == now {
        writeln!(out, "{}: as it is locked", file.display())?;
        return Ok(code);
    }
    let changes = changes(&locked, &now);
    for (id, how) in &changes {
        writeln!(out, "{how} {id}")?;
    }
    if check {
        writeln!(
            out,
            "{} is out of date: {} cases lock, and look at the difference",
            file.display(),
            program()
        )?;
        return Ok(ExitCode::FAILURE);
    }
    fs::write(&file, now).with_context(|| file.display().to_string())?;
    writeln!(out, "wrote {}", file.display())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the text of the file, without the clauses and questions.
fn text(corpus: &Corpus, prepared: &[Prepared<'_>]) -> Result<String> {
    let mut cases: BTreeMap<&str, Vec<&Prepared<'_>>> = BTreeMap::new();
    for one in prepared {
        cases.entry(&one.case.id).or_default().push(one);
    }
    let mut whole = Digest::default();
    let mut lines = String::new();
    for (id, expansions) in &cases {
        let mut digest = Digest::default();
        for one in expansions {
            add(&mut digest, one)?;
        }
        let digest = digest.to_string();
        whole.add(digest.as_bytes());
        let words = expansions.first().map_or(Ok(String::new()), |one| in_words(one))?;
        writeln!(lines, "{id}  {}  {}  {}", expansions.len(), &digest[..12], display::cut(&words, SHOWN))?;
    }
    Ok(format!("{HEAD}corpus  {}  {whole}  {} cases\n{lines}", corpus.cases.len(), cases.len()))
}

/// Adds the call, the case's claim, and the accepted answers under each reading to the digest.
fn add(digest: &mut Digest, Prepared { case, sheet }: &Prepared<'_>) -> Result<()> {
    digest.add(case.name.as_bytes());
    digest.add(&encode_call(0, &case.call));
    digest.add(format!("{:?}", case.claim).as_bytes());
    for entry in &sheet.entries {
        for choices in &entry.choices {
            let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
            digest.add(choices.join(" ").as_bytes());
        }
        match &entry.expected {
            Expected::Exactly(tensor) => add_tensor(digest, tensor),
            // The exact values may be long; a change that matters also changes the rounded values.
            Expected::Near(near) => {
                digest.add(format!("{} {:?}", near.terms, near.arithmetic).as_bytes());
                add_tensor(digest, &near.rounded()?);
            }
            Expected::Converted(converted) => {
                digest.add(format!("{:?} {:?}", converted.near.dtype, converted.overflow).as_bytes());
                add_tensor(digest, &converted.best);
            }
            Expected::Rejection(clause) => digest.add(clause.to_string().as_bytes()),
            Expected::Anything(clause) => digest.add(format!("outside {clause}").as_bytes()),
        }
    }
    Ok(())
}

fn add_tensor(digest: &mut Digest, tensor: &Tensor) {
    digest.add(format!("{} {:?}", tensor.dtype(), tensor.shape()).as_bytes());
    digest.add(&bytes::of(tensor));
}

/// Describes the expectation of an expansion.
fn in_words(Prepared { case, sheet }: &Prepared<'_>) -> Result<String> {
    Ok(match (&case.claim, sheet.entries.first().map(|entry| &entry.expected)) {
        (CaseClaim::Determined(_), Some(Expected::Exactly(tensor))) => tensor_in_words(tensor),
        (CaseClaim::Determined(_), Some(Expected::Converted(converted))) => tensor_in_words(&converted.best),
        (CaseClaim::Determined(_), Some(Expected::Near(near))) => tensor_in_words(&near.rounded()?),
        (CaseClaim::Determined(statement), _) => statement_in_words(case, statement),
        (CaseClaim::Open { question, readings }, _) => {
            let readings = readings.iter();
            let words =
                readings.map(|(reading, says)| format!("{reading} {}", statement_in_words(case, says)));
            format!("open {question}: {}", words.collect::<Vec<_>>().join("; "))
        }
    })
}

fn statement_in_words(case: &Case, statement: &Statement) -> String {
    match statement {
        Statement::Unchanged => "unchanged".into(),
        Statement::Rejected { clause } => format!("rejected, {clause}"),
        Statement::Outside { clause } => format!("outside, {clause}"),
        Statement::Tensor(stated) => {
            elements(case.call.data.dtype(), &stated.shape, stated.elements.iter().map(|&(_, bits)| bits))
        }
    }
}

fn tensor_in_words(tensor: &Tensor) -> String {
    elements(tensor.dtype(), tensor.shape(), tensor.bits().into_iter())
}

fn elements(dtype: Dtype, shape: &[usize], bits: impl Iterator<Item = u64>) -> String {
    // Further elements would be cut.
    let elements: Vec<String> = bits.take(SHOWN).map(|bits| display::element(dtype, bits)).collect();
    format!("{dtype}{shape:?} {}", elements.join(" ")).trim_end().to_owned()
}

/// Lists the cases whose lines differ.
fn changes<'t>(before: &'t str, after: &'t str) -> Vec<(&'t str, &'static str)> {
    let lines = |text: &'t str| -> BTreeMap<&'t str, &'t str> {
        let cases = text.lines().filter(|line| !line.starts_with('#') && !line.starts_with("corpus "));
        cases.filter_map(|line| line.split_once("  ")).collect()
    };
    let (before, after) = (lines(before), lines(after));
    let mut changes = Vec::new();
    for (id, line) in &after {
        match before.get(id) {
            None => changes.push((*id, "added")),
            Some(earlier) if earlier != line => changes.push((*id, "changed")),
            Some(_) => {}
        }
    }
    changes.extend(before.keys().filter(|id| !after.contains_key(*id)).map(|id| (*id, "removed")));
    changes.sort_unstable();
    changes
}
