//! `cargo xtask cases import DIR`: [directories](models) of ONNX's backend tests as cases.
//!
//! Each data set becomes a case with the same call. The reference computes the expectation: a data set whose output the
//! reference does not accept is reported, and does not become a case.

mod models;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::guard::MAX_BYTES;
use normative_conformance::corpus::{Case, Ledger, prefix, stated, write};
use normative_conformance::display::said;
use normative_conformance::reference::{Call, Tensor};
use normative_conformance::{Demands, Observed, Sheet, judge};

use crate::cases::found::text_of;
use normative::select::Folder;

/// The maximum size of a model or a tensor in bytes. A larger case would not fit its file.
const MAX_FILE: usize = 64 << 20;

const TOPIC: &str = "Calls that another test suite makes";

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("import")
        .about("Make cases of ONNX's test directories")
        .after_help(HELP)
        .arg(
            Arg::new("directory")
                .value_name("DIR")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("A directory with a model.onnx, or one of such directories"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .value_name("OUTPUT")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Write the cases into this folder, a few files an operator; it must be empty or not be there"),
        )
        .arg(Folder::option())
}

/// The outcome of a data set.
enum Outcome {
    Case(Box<Case>),
    /// The reason why it does not become a case, although nothing is wrong.
    LeftOut(String),
    /// The problem with it.
    Wrong(String),
}

const HELP: &str = "\
ONNX's own are in onnx/backend/test/data/node of the package onnx, to 1.21 (Apache-2.0).

A folder that this writes runs as it is: cargo xtask conformance --backend NAME --cases FOLDER --property 0

Exit code 0: every call of these operators became a case. 1: one could not be read, or its own output is not what the \
specification says.";

/// The outcomes of all data sets.
#[derive(Default)]
struct Sorted {
    cases: Vec<Case>,
    /// The names of the cases.
    names: HashSet<String>,
    left_out: BTreeMap<String, usize>,
    /// Titles, each with its problem.
    wrong: Vec<(String, String)>,
}

impl Sorted {
    fn add(&mut self, title: &str, outcome: Outcome) {
        match outcome {
            Outcome::Case(case) if !self.names.insert(case.name.clone()) => {
                let what = format!("its name is that of another, as a case's id: {}", case.id);
                self.wrong.push((title.to_owned(), what));
            }
            Outcome::Case(case) => self.cases.push(*case),
            Outcome::LeftOut(why) => *self.left_out.entry(why).or_default() += 1,
            Outcome::Wrong(why) => self.wrong.push((title.to_owned(), why)),
        }
    }
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let ledger = Folder::of(matches).ledger()?;
    let output = matches.get_one::<PathBuf>("output").context("no folder is given")?;
    normative::output::fresh_folder(output)?;
    let directory = matches.get_one::<PathBuf>("directory").context("no path is given")?;
    finish(of_models(directory, &ledger).with_context(|| directory.display().to_string())?, output)
}

fn of_models(directory: &Path, ledger: &Ledger) -> Result<Sorted> {
    let models = models::models(directory)?;
    if models.is_empty() {
        bail!("there is no model.onnx in it, nor one folder below");
    }
    let mut sorted = Sorted::default();
    for model in models {
        let title = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (at, set) in models::data_sets(&model)?.iter().enumerate() {
            sorted.add(&title, models::outcome(&model, set, &id_words(&title, at), ledger));
        }
    }
    Ok(sorted)
}

/// Writes the cases, and reports the other vectors.
fn finish(Sorted { cases, left_out, wrong, names: _ }: Sorted, output: &Path) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    for (title, what) in &wrong {
        writeln!(out, "{}: {}", said(title), said(what))?;
    }
    let kept = write_cases(&mut out, cases, output)?;
    for (why, count) in left_out {
        writeln!(out, "{count} left out: {}", said(&why))?;
    }
    if kept + wrong.len() == 0 {
        bail!("no model is of these operators");
    }
    Ok(ExitCode::from(u8::from(!wrong.is_empty())))
}

/// Writes cases into a folder, and reports their number.
fn write_cases(out: &mut dyn Write, cases: Vec<Case>, output: &Path) -> Result<usize> {
    let kept = cases.len();
    for (name, cases) in in_files(cases) {
        let file = output.join(name);
        fs::write(&file, text_of(&file, TOPIC, &cases)?).with_context(|| file.display().to_string())?;
    }
    writeln!(out, "{kept} cases written to {}", output.display())?;
    Ok(kept)
}

/// Distributes cases over files, by name: each of one operator, and within the maximum size of a file.
fn in_files(cases: Vec<Case>) -> Vec<(String, Vec<Case>)> {
    let mut files: Vec<(&str, Vec<Case>, usize)> = Vec::new();
    for case in cases {
        let (operator, bytes) =
            (prefix(case.call.spec()), write::file(TOPIC, std::slice::from_ref(&case)).len());
        // Formatting adds line breaks, but never doubles a text.
        let last = files.iter_mut().rev().find(|(known, ..)| *known == operator);
        match last.filter(|(_, _, before)| 2 * (before + bytes) <= MAX_BYTES) {
            Some((_, cases, before)) => {
                cases.push(case);
                *before += bytes;
            }
            None => files.push((operator, vec![case], bytes)),
        }
    }
    let name = |(at, (operator, cases, _)): (usize, (&str, Vec<Case>, usize))| {
        (format!("{operator}{}.yaml", at + 1), cases)
    };
    files.into_iter().enumerate().map(name).collect()
}

/// Makes the words of a case's id from the name of a directory.
fn id_words(title: &str, set: usize) -> String {
    let clean: String =
        title.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = clean.split_whitespace().filter(|&word| word != "test").collect();
    let words = words.join("-");
    if set == 0 { words } else { format!("{words}-set-{}", set + 1) }
}

fn case_of(call: Call, output: Tensor, words: &str, ledger: &Ledger) -> Outcome {
    let sheet = match Sheet::of(&call) {
        Ok(sheet) => sheet,
        Err(error) => return Outcome::Wrong(error.to_string()),
    };
    let verdict = judge(&sheet, &Observed::Tensor(output), &Demands::default());
    if verdict.is_failure() {
        return Outcome::Wrong(format!(
            "its own output is not what the specification says: {}",
            verdict.reason()
        ));
    }
    let id = format!("{}{}", prefix(call.spec()), words);
    let why = "Another project tests it; say here which wrong implementation it catches.";
    let Some(case) = stated::case(call, id, why, ledger) else {
        return Outcome::LeftOut("calls whose readings the data do not tell apart".into());
    };
    if write::file(TOPIC, std::slice::from_ref(&case)).len() * 2 > MAX_BYTES {
        return Outcome::LeftOut("calls with more data than a case file holds".into());
    }
    Outcome::Case(Box::new(case))
}
