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
use normative_conformance::display::plain;
use normative_conformance::reference::{Dtype, Family, Operator, Opset};
use normative_conformance::report::record;
use normative_conformance::{Demands, Sheet, outside};
use normative_repro::Due;
use normative_repro::due::{DueAnswer, DueCondition};
use normative_repro::selfcheck::{MOST_ANSWERS, controls, file_stem, kind};

use crate::output;
use crate::select::Folder;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("selfcheck")
        .about("Tell what models that judge themselves have printed on a device")
        .after_help(
            "The models are those of cases export --format onnx-selfcheck, whose README.md says what to print.\n\
             Exit code 0: every number is of an acceptable answer. 1: one is not. 2: the lines are not of these cases, or not\n\
             all of a folder, or they show nothing.",
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

/// The names of the lines with their content and the number of the line.
type Lines<'t> = BTreeMap<&'t str, (Printed<'t>, usize)>;

/// The content of the line `suite`: the digest of the cases, and the numbers of all models of `single` and of `bundles`.
struct Suite<'t> {
    digest: &'t str,
    all: [usize; 2],
}

/// The most characters of a runtime's message.
const MESSAGE: usize = 160;

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
    /// Wrong numbers, and refusals of valid calls of a type that has other answers, by clause.
    clauses: BTreeMap<String, Group>,
    /// Errors of types that have no answer, by spec and type.
    errors: BTreeMap<String, Group>,
    /// By question, the readings that an answer shows, and the number of those answers.
    readings: BTreeMap<String, BTreeMap<String, usize>>,
    /// By opset and type, the cases whose comparisons are not known to be right.
    distrusted: BTreeMap<String, usize>,
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let file = matches.get_one::<PathBuf>("file").context("no file")?;
    let corpus = Folder::of(matches).load()?;
    let text = outside::text(file, outside::WRITTEN).with_context(|| file.display().to_string())?;
    let name = || file.display().to_string();
    let (suite, lines) = parse(&text).with_context(name)?;
    let ours = record::digest(&corpus);
    if suite.digest != ours {
        bail!("{}: expected numbers of the cases {ours}, got {}; export them again", name(), suite.digest);
    }
    let cases: HashMap<String, &Case> =
        corpus.cases.iter().map(|case| (file_stem(&case.name), case)).collect();
    let (known, broken) = controlled(&lines)?;
    let mut asked: Vec<(&Case, Printed<'_>)> = Vec::new();
    for (stem, (printed, line)) in lines.iter().filter(|(stem, _)| !known.contains(**stem)) {
        let found = cases.get(*stem).filter(|case| case.call.spec().family() == Family::Onnx);
        let case =
            found.with_context(|| format!("{}: line {line}: expected a case of ONNX, got {stem}", name()))?;
        asked.push((case, *printed));
    }
    let answered: BTreeSet<String> = asked
        .iter()
        .filter(|(_, printed)| matches!(printed, Printed::Number(_)))
        .map(|(case, _)| kernel(case))
        .collect();
    let mut tally = Tally::default();
    for (case, printed) in asked {
        tally.count(case, printed, (&broken, &answered)).with_context(name)?;
    }
    let mut text = String::new();
    tally.write(&mut text, &broken)?;
    let is_whole = suite.all.contains(&lines.len());
    if !is_whole {
        let [single, bundles] = suite.all;
        writeln!(
            text,
            "PARTIAL: {} numbers; all of single are {single}, all of bundles {bundles}",
            lines.len()
        )?;
    }
    output::print(&text)?;
    let is_wrong = tally.clauses.values().any(|group| group.found > 0);
    let shows = is_whole && tally.right > 0 && tally.distrusted.is_empty();
    Ok(ExitCode::from(if is_wrong { 1 } else { u8::from(!shows) * 2 }))
}

/// Names the kernel of a case: its spec and its type.
fn kernel(case: &Case) -> String {
    format!("{} {}", case.call.spec(), case.call.data.dtype())
}

/// Returns what the lines say. A line without a tab is another's: a device prints more than numbers.
fn parse(text: &str) -> Result<(Suite<'_>, Lines<'_>)> {
    let (mut suite, mut lines) = (None, Lines::new());
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (at, line) in text.lines().enumerate() {
        let Some((name, rest)) = line.trim_end().split_once('\t') else { continue };
        let at = at + 1;
        let printed = match (name, rest.split_once('\t').unwrap_or((rest, ""))) {
            ("suite", _) => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                let all = words.iter().skip(1).map(|word| word.parse()).collect::<Result<Vec<_>, _>>();
                let (Some(&digest), Ok(&[single, bundles])) = (words.first(), all.as_deref()) else {
                    bail!("line {at}: expected the text of suite.txt, got {rest:?}");
                };
                suite = Some(Suite { digest, all: [single, bundles] });
                continue;
            }
            (_, ("error", message)) => Printed::Error(message),
            (_, (number, "")) if !number.starts_with('+') && number.parse::<f64>().is_ok() => {
                Printed::Number(of_answers(number.parse()?).with_context(|| {
                    format!("line {at}: expected a number of {MOST_ANSWERS} bits, got {number}")
                })?)
            }
            _ => bail!("line {at}: expected a name, a tab and a number or error, got {line:?}"),
        };
        if let Some((_, first)) = lines.insert(name, (printed, at)) {
            bail!("line {at}: expected each name once, got {name} as in line {first}");
        }
    }
    if lines.is_empty() {
        bail!("expected lines of a name, a tab and a number, got none");
    }
    Ok((suite.context("expected the line suite, with the text of suite.txt, got none")?, lines))
}

/// Returns the bits of a number, which many languages print as 1.0. A NaN, a fraction and a negative number give 0, which
/// is wrong. `None` if a number has more than [`MOST_ANSWERS`] bits.
fn of_answers(number: f64) -> Option<u32> {
    if number >= f64::from(1_u32 << MOST_ANSWERS) {
        return None;
    }
    Some(if number.fract() == 0.0 { number as u32 } else { 0 })
}

/// Returns the names of controls, and the kinds of comparison that are not known to be right, each with the reason.
fn controlled(lines: &Lines<'_>) -> Result<(BTreeSet<String>, BTreeMap<String, String>)> {
    let (mut known, mut broken) = (BTreeSet::new(), BTreeMap::new());
    for (opset, dtype) in Opset::ALL.into_iter().flat_map(|opset| Dtype::ALL.map(|dtype| (opset, dtype))) {
        for control in controls(opset, dtype)? {
            let why = match lines.get(control.name.as_str()) {
                Some((Printed::Number(number), _)) if *number == u32::from(control.is_met) => None,
                Some((Printed::Number(number), _)) => Some(format!("gave {number}")),
                Some((Printed::Error(_), _)) => Some("ended in an error".to_owned()),
                None => Some("was not printed".to_owned()),
            };
            if let Some(why) = why {
                broken.entry(kind(opset, dtype)).or_insert_with(|| format!("{} {why}", control.name));
            }
            known.insert(control.name);
        }
    }
    Ok((known, broken))
}

impl Tally {
    fn count(
        &mut self,
        case: &Case,
        printed: Printed<'_>,
        (broken, answered): (&BTreeMap<String, String>, &BTreeSet<String>),
    ) -> Result<()> {
        let Operator::Onnx { opset, .. } = case.call.operator else { return Ok(()) };
        let is_number = matches!(printed, Printed::Number(_));
        let kind = kind(opset, case.call.data.dtype());
        if is_number && broken.contains_key(&kind) {
            *self.distrusted.entry(kind).or_default() += 1;
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
                let message: String = plain(message).chars().take(MESSAGE).collect();
                let said = || format!("{}: {message}", case.name);
                if answered.contains(&kernel(case)) && !broken.contains_key(&kind) {
                    let group = self.clauses.entry(clause).or_default();
                    group.asked += 1;
                    group.add(said);
                } else {
                    self.errors.entry(kernel(case)).or_default().add(said);
                }
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
        for (kind, why) in broken.iter().filter(|(kind, _)| self.distrusted.contains_key(*kind)) {
            writeln!(text, "not judged  {kind}: {why}")?;
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
        let Self { right, refused, .. } = self;
        let distrusted: usize = self.distrusted.values().sum();
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
