//! `cargo xtask report selfcheck`: the meaning of the numbers that models of `cases export --format onnx-selfcheck` printed.
//!
//! A line has a name, a tab and a number, or `error`, a tab and the runtime's message. Nothing is run. The number has a bit
//! for each acceptable answer, as [`selfcheck`](normative_repro::selfcheck) says; the answers are computed again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::Case;
use normative_conformance::reference::{Dtype, Family, Operator, Opset};
use normative_conformance::report::record;
use normative_conformance::{Demands, Sheet, outside};
use normative_repro::Due;
use normative_repro::due::{DueAnswer, DueCondition};
use normative_repro::selfcheck::{controls, file_stem, kind};

use crate::output;
use crate::select::Folder;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("selfcheck")
        .about("Tell what models that judge themselves have printed on a device")
        .after_help(
            "The models are those of cases export --format onnx-selfcheck, whose README.md says what to print.\n\
             Exit code 0: every number is of an acceptable answer. 1: one is not. 2: the lines are not of these cases.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .required(true)
                .help("What the device printed, a line a number"),
        )
        .arg(Folder::option())
}

/// The content of a line.
#[derive(Clone, Copy)]
enum Printed<'t> {
    Number(u32),
    Error(&'t str),
}

/// The names that the lines have, in their order, with their content.
type Lines<'t> = Vec<(&'t str, Printed<'t>)>;

/// A group of results: their number, and the first.
#[derive(Default)]
struct Group {
    asked: usize,
    found: usize,
    first: String,
}

/// The results.
#[derive(Default)]
struct Tally {
    right: usize,
    refused: usize,
    /// Wrong numbers by clause.
    clauses: BTreeMap<String, Group>,
    /// Errors that are not acceptable, by opset and type.
    errors: BTreeMap<String, Group>,
    /// By question, the readings that an answer shows, and the number of those answers.
    readings: BTreeMap<String, BTreeMap<String, usize>>,
    /// Cases whose comparisons are broken.
    distrusted: usize,
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let file = matches.get_one::<PathBuf>("file").context("no file")?;
    let corpus = Folder::of(matches).load()?;
    let text = outside::text(file, outside::WRITTEN).with_context(|| file.display().to_string())?;
    let (suite, lines) = parse(&text).with_context(|| file.display().to_string())?;
    let ours = record::digest(&corpus);
    if suite != ours {
        bail!("{}: expected numbers of the cases {ours}, got {suite}; export them again", file.display());
    }
    let mut cases: HashMap<String, &Case> =
        corpus.cases.iter().map(|case| (file_stem(&case.name), case)).collect();
    let (known, broken) = controlled(&lines)?;
    let mut tally = Tally::default();
    for &(name, printed) in lines.iter().filter(|(name, _)| !known.contains(*name)) {
        let found = cases.remove(name).filter(|case| case.call.spec().family() == Family::Onnx);
        let case = found.with_context(|| format!("expected a case of ONNX, each once, got {name}"))?;
        tally.count(case, printed, &broken)?;
    }
    let mut text = String::new();
    tally.write(&mut text, &broken)?;
    output::print(&text)?;
    Ok(ExitCode::from(u8::from(!tally.clauses.values().all(|group| group.found == 0) || !broken.is_empty())))
}

/// Returns the digest of the cases, and the lines.
fn parse(text: &str) -> Result<(&str, Lines<'_>)> {
    let mut suite = None;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (name, rest) = line.split_once('\t').unwrap_or((line, ""));
        match (name, rest.split_once('\t').unwrap_or((rest, ""))) {
            ("suite", (digest, _)) => suite = Some(digest.trim()),
            (name, ("error", message)) => lines.push((name, Printed::Error(message))),
            (name, (number, _)) => match number.trim().parse() {
                Ok(number) => lines.push((name, Printed::Number(number))),
                Err(_) => {
                    bail!("line {}: expected a name, a tab and a number or error, got {line:?}", at + 1)
                }
            },
        }
    }
    if lines.is_empty() {
        bail!("expected lines of numbers, got none");
    }
    Ok((suite.context("expected the line suite, with the text of suite.txt, got none")?, lines))
}

/// Returns the names of controls, and the kinds of comparison that one of them shows to be wrong, with its name.
fn controlled(lines: &[(&str, Printed<'_>)]) -> Result<(BTreeSet<String>, BTreeMap<String, String>)> {
    let (mut known, mut broken) = (BTreeSet::new(), BTreeMap::new());
    for (opset, dtype) in Opset::ALL.into_iter().flat_map(|opset| Dtype::ALL.map(|dtype| (opset, dtype))) {
        for control in controls(opset, dtype)? {
            let is_wrong = |(name, printed): &&(&str, Printed<'_>)| {
                *name == control.name
                    && matches!(printed, Printed::Number(number) if *number != u32::from(control.is_met))
            };
            if lines.iter().any(|line| is_wrong(&line)) {
                broken.entry(kind(opset, dtype)).or_insert_with(|| control.name.clone());
            }
            known.insert(control.name);
        }
    }
    Ok((known, broken))
}

impl Tally {
    fn count(&mut self, case: &Case, printed: Printed<'_>, broken: &BTreeMap<String, String>) -> Result<()> {
        let Operator::Onnx { opset, .. } = case.call.operator else { return Ok(()) };
        let kind = kind(opset, case.call.data.dtype());
        if broken.contains_key(&kind) {
            self.distrusted += 1;
            return Ok(());
        }
        let due = Due::of(&Sheet::of(&case.call)?, case.call.spec(), &Demands::default())?;
        let came: Vec<&DueAnswer> = match printed {
            Printed::Number(number) => {
                let bits = due.answers.iter().enumerate();
                let came: Vec<_> = bits.filter(|(bit, _)| number >> bit & 1 == 1).collect();
                let is_tensor =
                    |(_, answer): &(usize, &DueAnswer)| matches!(answer.is, DueCondition::Tensor(_));
                if came.len() != number.count_ones() as usize || !came.iter().all(is_tensor) {
                    bail!("{}: expected a number of its acceptable answers, got {number}", case.name);
                }
                came.into_iter().map(|(_, answer)| answer).collect()
            }
            Printed::Error(_) => {
                due.answers.iter().filter(|answer| matches!(answer.is, DueCondition::Refused(_))).collect()
            }
        };
        // An error shows no reading, because the runtime may lack the type, and an answer of several combinations none
        // of them.
        if let ([DueAnswer { readings, .. }], Printed::Number(_)) = (came.as_slice(), printed)
            && !readings.contains(" (and ")
        {
            for (question, reading) in readings.split(", ").filter_map(|choice| choice.split_once('=')) {
                let readings = self.readings.entry(question.to_owned()).or_default();
                *readings.entry(reading.to_owned()).or_default() += 1;
            }
        }
        let clause = case.clauses.first().map(ToString::to_string).unwrap_or_default();
        match printed {
            Printed::Error(message) if came.is_empty() => {
                self.errors.entry(kind).or_default().add(|| format!("{}: {message}", case.name));
            }
            Printed::Error(_) => self.refused += 1,
            Printed::Number(_) => {
                let group = self.clauses.entry(clause).or_default();
                group.asked += 1;
                if came.is_empty() {
                    group.add(|| format!("{}: {}", case.name, case.why));
                } else {
                    self.right += 1;
                }
            }
        }
        Ok(())
    }

    fn write(&self, text: &mut String, broken: &BTreeMap<String, String>) -> fmt::Result {
        for (kind, control) in broken {
            writeln!(text, "not judged  {kind}: the runtime compares wrongly, see {control}")?;
        }
        for (clause, Group { asked, found, first }) in
            self.clauses.iter().filter(|(_, group)| group.found > 0)
        {
            writeln!(text, "wrong       {clause}: {found} of {asked}, the first {first}")?;
        }
        for (kind, Group { found, first, .. }) in &self.errors {
            writeln!(text, "no answer   {kind}: {found}, the first {first}")?;
        }
        for (question, readings) in &self.readings {
            let readings = readings.iter().map(|(reading, count)| format!("{reading} ({count})"));
            writeln!(text, "reading     {question}: {}", readings.collect::<Vec<_>>().join(", "))?;
        }
        let Self { right, refused, distrusted, .. } = self;
        let wrong: usize = self.clauses.values().map(|group| group.found).sum();
        let errors: usize = self.errors.values().map(|group| group.found).sum();
        writeln!(
            text,
            "{right} right, {wrong} wrong, {refused} refused as a reading allows, {errors} without an answer, {distrusted} not judged"
        )
    }
}

impl Group {
    fn add(&mut self, name: impl FnOnce() -> String) {
        self.found += 1;
        if self.first.is_empty() {
            self.first = name();
        }
    }
}
