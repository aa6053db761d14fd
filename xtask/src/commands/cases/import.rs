//! `cargo xtask cases import PATH`: makes cases of other projects' test vectors.
//!
//! [Directories](models) of ONNX's backend tests, files of [`pairs`], of [ITF1788](itl) and of [WPT](wpt), and the [`grid`]
//! of reference BLAS. Each vector becomes a case with the same call. The reference computes the expectation: a vector
//! whose output the reference does not accept is reported, and does not become a case.

mod grid;
mod itl;
mod models;
mod pairs;
mod wpt;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::corpus::guard::MAX_BYTES;
use normative_conformance::corpus::{Case, Ledger, prefix, write};
use normative_conformance::display::said;
use normative_conformance::outside;
use normative_conformance::reference::{Call, Dtype, Tensor};
use normative_conformance::{Demands, Observed, Sheet, judge};

use crate::cases::found::{stated, text_of};
use normative::select::Folder;

/// The maximum size of a model or a tensor in bytes. A larger case would not fit its file.
const MAX_FILE: usize = 64 << 20;

const TOPIC: &str = "Calls that another test suite makes";

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("import")
        .about("Make cases of the vectors of other projects; docs/packs.md says where to get them")
        .after_help(HELP)
        .arg(
            Arg::new("directory")
                .value_name("PATH")
                .required_unless_present("grid")
                .value_parser(clap::value_parser!(PathBuf))
                .help(
                    "A directory with a model.onnx, or one of such directories; a file of ITF1788 (.itl) or of WPT's webnn \
                     tests (.json); with --pairs, a file of pairs",
                ),
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
        .arg(Arg::new("grid").long("grid").action(ArgAction::SetTrue).conflicts_with_all(["directory", "pairs"]).help(
            "Read nothing; write the magnitudes at which the test program of reference BLAS tries nrm2",
        ))
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

/// The outcome of a vector.
enum Outcome {
    Case(Box<Case>),
    /// The reason why it does not become a case, although nothing is wrong.
    LeftOut(String),
    /// The problem with it.
    Wrong(String),
}

/// The source of each pack, for users who only have the program.
const HELP: &str = "\
Packs, each with its licence:
  ONNX backend tests   onnx/backend/test/data/node of the package onnx, to 1.20 (Apache-2.0)
  CORE-MATH            src/binary32/hypot/hypotf.wc as --pairs f32, src/binary64/hypot/hypot.wc as --pairs f64 (MIT)
  ITF1788              itl/libieeep1788_reduction.itl of oheim/ITF1788 (Apache-2.0)
  WPT webnn            tests/wpt_data/conformance/reduce_l1.json and reduce_l2.json of the package pywebnn (BSD-3-Clause)
  reference BLAS       --grid: the magnitudes of BLAS/TESTING/dblat1.f, DB1NRM2 (BSD-3-Clause)
docs/packs.md has their checksums and what was found in each.

A folder that this writes runs as it is: cargo xtask conformance --backend NAME --cases FOLDER --property 0

Exit code 0: every vector of these operators became a case. 1: one could not be read, or its own output is not what the \
specification says.";

/// A vector of another project: a call, its stated output, and words for a case's id.
struct Vector {
    words: String,
    call: Call,
    output: Tensor,
}

/// The content of another project's file.
#[derive(Default)]
struct Vectors {
    of_norms: Vec<Vector>,
    /// The reasons why other vectors do not become cases, each with their number.
    others: BTreeMap<String, usize>,
}

/// The outcomes of all vectors.
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
    if matches.get_flag("grid") {
        return finish(sorted(Vectors { of_norms: grid::vectors()?, ..Vectors::default() }, &ledger), output);
    }
    let path = matches.get_one::<PathBuf>("directory").context("no path is given")?;
    if let Some(dtype) = matches.get_one::<String>("pairs").and_then(|name| Dtype::from_name(name)) {
        return of_pairs(path, dtype, output, &ledger);
    }
    let shown = || path.display().to_string();
    let read: fn(&str) -> Result<Vectors, String> = match path.extension().and_then(|suffix| suffix.to_str())
    {
        Some("itl") => itl::read,
        Some("json") => wpt::read,
        _ => return finish(of_models(path, &ledger).with_context(shown)?, output),
    };
    let text = outside::text(path, MAX_FILE).with_context(shown)?;
    let vectors = read(&text).map_err(anyhow::Error::msg).with_context(shown)?;
    finish(sorted(vectors, &ledger), output)
}

/// Compares each vector with the reference.
fn sorted(Vectors { of_norms, others }: Vectors, ledger: &Ledger) -> Sorted {
    let mut sorted = Sorted { left_out: others, ..Sorted::default() };
    for Vector { words, call, output } in of_norms {
        sorted.add(&words, case_of(call, output, &id_words(&words, 0), ledger));
    }
    sorted
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
        bail!("no vector is of these operators");
    }
    Ok(ExitCode::from(u8::from(!wrong.is_empty())))
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
    let (mut cases, mut right) = (Vec::new(), 0);
    for (at, call) in pairs::calls(&pairs.finite, dtype)?.into_iter().enumerate() {
        right += pairs::right_in_f64(&call)?;
        let id = format!("{}{words}-{}", prefix(call.spec()), at + 1);
        let why = "Another project lists these pairs as the hardest to round; say here which wrong implementation they catch.";
        cases.push(stated(call, PathBuf::new(), id, why, ledger).context("a pair raises a question")?);
    }
    let mut out = std::io::stdout().lock();
    write_cases(&mut out, cases, output)?;
    writeln!(
        out,
        "{} pairs; computed in f64 and rounded to {dtype}, {right} of them are right ({:.1} %)",
        pairs.finite.len(),
        100.0 * right as f64 / pairs.finite.len() as f64
    )?;
    if pairs.others > 0 {
        writeln!(
            out,
            "{} left out: pairs with an infinity or a NaN, whose norm is a question of its own",
            pairs.others
        )?;
    }
    Ok(ExitCode::SUCCESS)
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
    let Some(case) = stated(call, PathBuf::new(), id, why, ledger) else {
        return Outcome::LeftOut("calls whose readings the data do not tell apart".into());
    };
    if write::file(TOPIC, std::slice::from_ref(&case)).len() * 2 > MAX_BYTES {
        return Outcome::LeftOut("calls with more data than a case file holds".into());
    }
    Outcome::Case(Box::new(case))
}
