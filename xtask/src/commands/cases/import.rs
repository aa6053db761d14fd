//! `cargo xtask cases import PATH`: model directories of ONNX's backend tests, or a file of [pairs], as cases.
//!
//! Each `model.onnx` with its `test_data_set_*` becomes a case that makes the same call. What is due is stated by the
//! reference, never taken over: an output that the reference does not accept is reported and no case is written of it.

mod pairs;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::guard::MAX_BYTES;
use normative_conformance::corpus::{Case, Ledger, prefix, write};
use normative_conformance::display::said;
use normative_conformance::outside;
use normative_conformance::reference::{Call, Dtype, Tensor};
use normative_conformance::{Demands, Observed, Sheet, judge};
use normative_onnx::read::{self, ReadError};

use crate::cases::found::{stated, text_of};
use crate::select::Folder;

/// Bytes of a model or a tensor. A case of more would not fit its file.
const MAX_FILE: usize = 64 << 20;

/// Inputs of a model. A reduction has two.
const MAX_INPUTS: usize = 64;

const TOPIC: &str = "Calls that another test suite makes";

/// What the command takes.
pub(super) fn command() -> Command {
    Command::new("import")
        .about("Make cases of what other test suites have: model directories of ONNX's backend tests, or pairs of numbers")
        .after_help(
            "Exit code 0: every directory of these operators became a case. 1: one could not be read, or its own \
             output is not what the specification says.",
        )
        .arg(
            Arg::new("directory")
                .value_name("DIR")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("A directory with a model.onnx, or one of such directories; with --pairs, a file"),
        )
        .arg(
            Arg::new("pairs")
                .long("pairs")
                .value_name("DTYPE")
                .value_parser(["f32", "f64"])
                .help(
                    "Read a file of pairs of numbers, two a line, whose L2 norms are due, as this type: CORE-MATH's \
                     hypotf.wc as f32, its hypot.wc as f64",
                ),
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

/// What became of a data set.
enum Outcome {
    Case(Box<Case>),
    /// Why there is no case, and why that is nobody's fault.
    LeftOut(String),
    /// What is wrong with it.
    Wrong(String),
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let ledger = Folder::of(matches).ledger()?;
    let directory = matches.get_one::<PathBuf>("directory").context("no directory is given")?;
    let output = matches.get_one::<PathBuf>("output").context("no folder is given")?;
    crate::output::fresh_folder(output)?;
    if let Some(dtype) = matches.get_one::<String>("pairs").and_then(|name| Dtype::from_name(name)) {
        return of_pairs(directory, dtype, output, &ledger);
    }
    let models = models(directory).with_context(|| directory.display().to_string())?;
    if models.is_empty() {
        bail!("{}: there is no model.onnx in it, nor one folder below", directory.display());
    }
    let mut out = std::io::stdout().lock();
    let mut cases: Vec<Case> = Vec::new();
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = 0;
    for model in models {
        let title = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (at, set) in data_sets(&model)?.iter().enumerate() {
            match outcome(&model, set, &id_words(&title, at), &ledger) {
                Outcome::Case(case) if cases.iter().any(|known| known.name == case.name) => {
                    wrong += 1;
                    let title = said(&title);
                    writeln!(out, "{title}: its name is that of another, as a case's id: {}", case.id)?;
                }
                Outcome::Case(case) => cases.push(*case),
                Outcome::LeftOut(why) => *left_out.entry(why).or_default() += 1,
                Outcome::Wrong(why) => {
                    wrong += 1;
                    writeln!(out, "{}: {}", said(&title), said(&why))?;
                }
            }
        }
    }
    let kept = write_cases(&mut out, cases, output)?;
    for (why, count) in left_out {
        writeln!(out, "{count} left out: {}", said(&why))?;
    }
    if kept + wrong == 0 {
        bail!("no directory is of these operators");
    }
    Ok(ExitCode::from(u8::from(wrong > 0)))
}

/// Makes cases of a file of pairs.
fn of_pairs(file: &Path, dtype: Dtype, output: &Path, ledger: &Ledger) -> Result<ExitCode> {
    let name = || file.display().to_string();
    let text = outside::text(file, MAX_FILE).with_context(name)?;
    let pairs = pairs::read(&text, dtype).map_err(anyhow::Error::msg).with_context(name)?;
    if pairs.finite.is_empty() {
        bail!("{}: there is no pair of finite numbers in it", name());
    }
    let words = id_words(&file.file_stem().unwrap_or_default().to_string_lossy(), 0);
    let mut cases = Vec::new();
    for (at, call) in pairs::calls(&pairs.finite, dtype)?.into_iter().enumerate() {
        let id = format!("{}{words}-{}", prefix(call.spec()), at + 1);
        let why = "Another project lists these pairs as the hardest to round; say here which wrong implementation they catch.";
        cases.push(stated(call, PathBuf::new(), id, why, ledger).context("a pair raises a question")?);
    }
    let mut out = std::io::stdout().lock();
    write_cases(&mut out, cases, output)?;
    writeln!(out, "{} pairs", pairs.finite.len())?;
    if pairs.others > 0 {
        writeln!(
            out,
            "{} left out: pairs with an infinity or a NaN, whose norm is a question of its own",
            pairs.others
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes cases into a folder, and says how many.
fn write_cases(out: &mut dyn std::io::Write, cases: Vec<Case>, output: &Path) -> Result<usize> {
    let kept = cases.len();
    for (name, cases) in in_files(cases) {
        let file = output.join(name);
        fs::write(&file, text_of(&file, TOPIC, &cases)?).with_context(|| file.display().to_string())?;
    }
    writeln!(out, "{kept} cases written to {}", output.display())?;
    Ok(kept)
}

/// The cases of each file, by its name: of one operator, and not more than a file may have.
fn in_files(cases: Vec<Case>) -> Vec<(String, Vec<Case>)> {
    let mut files: Vec<(&str, Vec<Case>, usize)> = Vec::new();
    for case in cases {
        let (operator, bytes) =
            (prefix(case.call.spec()), write::file(TOPIC, std::slice::from_ref(&case)).len());
        // Formatting adds line breaks, never as much again.
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

/// The folders with a model, in the order of their names.
fn models(directory: &Path) -> Result<Vec<PathBuf>> {
    if directory.join("model.onnx").exists() {
        return Ok(vec![directory.to_path_buf()]);
    }
    folders(directory, |path| path.join("model.onnx").exists())
}

fn data_sets(model: &Path) -> Result<Vec<PathBuf>> {
    folders(model, |path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("test_data_set_"))
    })
}

fn folders(directory: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() && wanted(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Words for a case's id, of the name of a directory.
fn id_words(title: &str, set: usize) -> String {
    let clean: String =
        title.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = clean.split_whitespace().filter(|&word| word != "test").collect();
    let words = words.join("-");
    if set == 0 { words } else { format!("{words}-set-{}", set + 1) }
}

fn outcome(model: &Path, set: &Path, words: &str, ledger: &Ledger) -> Outcome {
    match read_set(model, set) {
        Ok((call, output)) => case_of(call, output, words, ledger),
        Err(error) => match error.downcast_ref::<ReadError>() {
            Some(ReadError::Operator(_) | ReadError::Nodes(_)) => {
                Outcome::LeftOut("models of another operator, or of several".into())
            }
            Some(ReadError::ElementType(_)) => {
                Outcome::LeftOut("tensors of a type that no spec here has".into())
            }
            _ => Outcome::Wrong(format!("{error:#}")),
        },
    }
}

fn read_set(model: &Path, set: &Path) -> Result<(Call, Tensor)> {
    let bytes = |path: &Path| outside::bytes(path, MAX_FILE).with_context(|| path.display().to_string());
    let tensor = |path: &Path| -> Result<Tensor> {
        let (_, tensor) = read::tensor(&bytes(path)?).with_context(|| path.display().to_string())?;
        Ok(tensor)
    };
    let inputs =
        (0..MAX_INPUTS).map(|at| set.join(format!("input_{at}.pb"))).take_while(|path| path.exists());
    let model = bytes(&model.join("model.onnx"))?;
    // The model first: of another operator, the tensors may be anything.
    read::norm(&model)?;
    let inputs = inputs.map(|path| tensor(&path)).collect::<Result<Vec<_>>>()?;
    let call = read::call(&model, &inputs)?;
    Ok((call, tensor(&set.join("output_0.pb"))?))
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
    let Some(case) = stated(call, PathBuf::new(), id, why, ledger) else {
        return Outcome::LeftOut("calls whose readings the data do not tell apart".into());
    };
    if write::file(TOPIC, std::slice::from_ref(&case)).len() * 2 > MAX_BYTES {
        return Outcome::LeftOut("calls with more data than a case file holds".into());
    }
    Outcome::Case(Box::new(case))
}
