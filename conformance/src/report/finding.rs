//! Findings: evidence against a backend as labelled lines, which every format shows in its own way.
//!
//! It holds no markup and no layout. A backend's words stand in it without control characters: they can neither
//! move a cursor nor start a line that looks like ours.

use normative_reference::{Call, Choice, Value};
use serde::{Deserialize, Serialize};

use crate::corpus::{Case, CaseClaim, ClauseRef, Ledger};
use crate::display::shell::asking;
use crate::display::{self, plain};
use crate::drive::Flake;
use crate::judge::compare::{ElementMismatch, Mismatch};
use crate::judge::fault::{Fault, Severity};
use crate::judge::verdict::{Miss, Verdict};
use crate::report::Report;
use crate::report::defect::{Defect, Witness};
use crate::report::divided::Divided;
use crate::report::label;
use crate::run::property::{self, Find, Id};
use crate::run::readings::{Place, Split, Statement};
use crate::run::repeat::Unstable;

/// The kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// An answer that no reading accepts, or only a reading that is ruled out.
    Fail,
    /// A call that brought the backend down.
    Crash,
    /// A call that was not answered in time.
    Timeout,
    /// A call that was answered in two ways.
    Nondeterministic,
    /// A question about the form of a call that no single reading explains.
    Inconsistent,
    /// A known failure that does not fail.
    UnexpectedPass,
    /// A failure with another reason than the known one.
    OtherReason,
    /// A known failure whose call does not exist any more.
    Stale,
    /// A known failure that was not asked.
    Missing,
    /// A call whose repeated answer fails differently or not at all; or a process failure that no single call
    /// reproduces.
    Flaky,
}

impl FindingKind {
    /// Returns its word in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fail => "FAIL",
            Self::Crash => "CRASH",
            Self::Timeout => "TIMEOUT",
            Self::Nondeterministic => "NONDETERMINISTIC",
            Self::Inconsistent => "INCONSISTENT",
            Self::UnexpectedPass => "UNEXPECTED PASS",
            Self::OtherReason => "OTHER REASON",
            Self::Stale => "STALE",
            Self::Missing => "MISSING",
            Self::Flaky => "FLAKY",
        }
    }

    /// Returns the kind of a verdict that speaks against a backend.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        verdict.fault().map(|fault| match fault.severity() {
            Severity::Died if fault == Fault::TimedOut => Self::Timeout,
            Severity::Died => Self::Crash,
            Severity::Readings if fault == Fault::Inconsistent => Self::Inconsistent,
            Severity::Changed
            | Severity::Wrong
            | Severity::Form
            | Severity::Refused
            | Severity::Lenient
            | Severity::Readings => Self::Fail,
        })
    }
}

/// One piece of evidence against a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of finding.
    pub kind: FindingKind,
    /// The case, the generated call, or the place of the question.
    pub name: String,
    /// The details, in reading order.
    pub lines: Vec<Line>,
    /// The name of the call for commands, as the option `--case` takes it, if its answer alone shows the fault: a
    /// script that asks it can check.
    pub shown_by: Option<String>,
}

/// A labelled line of a finding, or a few.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The label: `clause`, `call`, `exact`, `again`, …
    pub label: &'static str,
    /// The text; control characters other than line feeds are blanks.
    pub text: String,
}

impl Line {
    /// Returns a line without control characters.
    pub fn new(label: &'static str, text: &str) -> Self {
        Self { label, text: text.lines().map(plain).collect::<Vec<_>>().join("\n") }
    }
}

/// Returns everything that speaks against a backend: cases in corpus order, then generated calls, then
/// contradictions between answers. Determined calls come before open ones. With a baseline, unknown failures
/// and deviations only. `again` is the command that repeats the run; `--case NAME` is appended for a single call, and
/// several of these for calls that show something together.
pub fn all(report: &Report<'_>, ledger: &Ledger, again: &str) -> Vec<Finding> {
    let cases = cases_in_order(report).into_iter();
    let cases = cases.filter_map(|(case, verdict)| of_case(case, verdict, ledger, again));
    let calls = finds_in_order(report).into_iter().filter_map(|find| of_find(find, ledger, again));
    let unstable = report.unstable.iter().map(|unstable| of_unstable(unstable, again));
    let findings = cases.chain(calls).chain(unstable).chain(inconsistent(report, again)).collect();
    let findings: Vec<Finding> = match &report.baseline {
        Some(outcome) => outcome.sift(findings, again),
        None => findings,
    };
    findings.into_iter().chain(flaky(report, again)).collect()
}

/// Returns every process fault that no call explains. A baseline knows only calls, so none of these is known.
fn flaky(report: &Report<'_>, again: &str) -> Vec<Finding> {
    report.conduct.flakes.iter().map(|flake| of_flake(flake, again)).collect()
}

/// Returns every question of form that no single reading explains.
pub fn inconsistent(report: &Report<'_>, again: &str) -> Vec<Finding> {
    let profile = report.profile();
    let splits = profile.iter().filter_map(|(place, row)| Some((place, row.inconsistent(place)?)));
    let splits: Vec<_> = splits.collect();
    if splits.is_empty() {
        return Vec::new();
    }
    let divided = Divided::of(report, &profile);
    splits.into_iter().map(|(place, split)| of_place(&divided, *place, split, again)).collect()
}

/// Returns every question about values that no single reading explains, which is allowed.
pub fn mixed(report: &Report<'_>, again: &str) -> Vec<(Place, Vec<Line>)> {
    let profile = report.profile();
    let mixed = profile.iter().filter_map(|(place, row)| Some((*place, row.mixed(place)?)));
    let divided = Divided::of(report, &profile);
    mixed.map(|(place, split)| (place, of_split(&divided, place, split, again))).collect()
}

/// Returns the cases that ran, the determined ones first.
pub fn cases_in_order<'r>(report: &'r Report<'_>) -> Vec<(&'r Case, &'r Verdict)> {
    let mut cases: Vec<_> = report.results.iter().map(|(case, verdict)| (*case, verdict)).collect();
    cases.sort_by_key(|(case, _)| matches!(case.claim, CaseClaim::Open { .. }));
    cases
}

/// Returns the failing generated calls, those first whose failure depends on no reading.
pub fn finds_in_order<'r>(report: &'r Report<'_>) -> Vec<&'r Find> {
    let mut finds: Vec<_> = report.finds().collect();
    finds.sort_by_key(|find| is_open(&find.verdict));
    finds
}

/// Returns true if the mismatch depends on the reading of an open question.
fn is_open(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Fails(misses) if misses.iter().any(|miss| !miss.readings.is_empty()))
}

/// Returns the finding of a failing case: call, data, clause, answer, and the command that repeats it.
pub fn of_case(case: &Case, verdict: &Verdict, ledger: &Ledger, again: &str) -> Option<Finding> {
    let kind = FindingKind::of(verdict)?;
    let mut lines: Vec<Line> = case.clauses.iter().map(|clause| of_clause(clause, ledger)).collect();
    if lines.is_empty() {
        lines.push(of_clause(&property::clause(&case.call, verdict, ledger), ledger));
    } else {
        lines.push(Line::new(label::CATCHES, &case.why));
    }
    lines.extend(of_call(&case.call, verdict));
    lines.push(Line::new(label::AGAIN, &format!("{again} {}", asking(&case.name))));
    let shown_by = is_told_by_answer(verdict).then(|| case.name.clone());
    Some(Finding { kind, name: case.name.clone(), lines, shown_by })
}

/// Returns the finding of a generated call.
pub fn of_find(find: &Find, ledger: &Ledger, again: &str) -> Option<Finding> {
    let kind = FindingKind::of(&find.verdict)?;
    let mut lines = vec![of_clause(&find.clause(ledger), ledger)];
    lines.extend(of_call(&find.call, &find.verdict));
    lines.extend(of_neighbour(find.id));
    lines.push(Line::new(label::AGAIN, &format!("{again} {}", asking(&find.id.to_string()))));
    let shown_by = is_told_by_answer(&find.verdict).then(|| find.id.to_string());
    Some(Finding { kind, name: find.name(), lines, shown_by })
}

/// Returns a line about the call before a neighbour, because its answer may be that of the call before.
fn of_neighbour(id: Id) -> Option<Line> {
    let (before, difference) = (id.before()?, id.difference()?.words());
    Some(Line::new(
        "after",
        &format!("asked right after {before}, which differs in one thing alone: {difference}"),
    ))
}

/// Returns true if an element of the answer, or the lack of an answer, shows the fault. False for a demanded
/// accuracy, for all errors together, and for changed data.
fn is_told_by_answer(verdict: &Verdict) -> bool {
    verdict.fault().is_some_and(Fault::is_shown_by_answer)
}

/// Returns lines for a call with its data and its fault.
pub fn of_call(call: &Call, verdict: &Verdict) -> Vec<Line> {
    let mut lines = vec![
        Line::new(label::CALL, &display::call(call)),
        Line::new(label::DATA, &display::data(&call.data)),
    ];
    lines.extend(of_verdict(verdict));
    lines
}

/// Returns lines for the evidence of a verdict.
pub fn of_verdict(verdict: &Verdict) -> Vec<Line> {
    match verdict {
        Verdict::Fails(misses) => of_misses(misses),
        Verdict::Crashed(how) => vec![Line::new(label::CRASHED, how)],
        Verdict::TimedOut(after) => {
            vec![Line::new(label::NO_ANSWER, &format!("within {} s", after.as_secs_f64()))]
        }
        Verdict::Unsupported(why) => vec![Line::new("because", why)],
        Verdict::Conforms { accepting, .. } => vec![Line::new("reading", &choices(&accepting.told()))],
    }
}

/// Returns the line of a clause: its name, and its statement.
pub fn of_clause(clause: &ClauseRef, ledger: &Ledger) -> Line {
    let says = ledger.get(clause.spec, &clause.name).map_or("", |entry| entry.says.as_str());
    Line::new(label::CLAUSE, &format!("{clause}: {says}"))
}

/// Returns lines for the nearest reading that an answer misses, and one line for each distinct expectation of
/// other readings. An expectation shared by all readings depends on none.
fn of_misses(misses: &[Miss]) -> Vec<Line> {
    let Some((nearest, others)) = misses.split_first() else { return Vec::new() };
    let expected = wanted(&nearest.mismatch);
    let mut otherwise: Vec<(String, &Miss, usize)> = Vec::new();
    for miss in others {
        let text = wanted(&miss.mismatch);
        match otherwise.iter_mut().find(|(other, ..)| *other == text) {
            _ if text == expected => {}
            Some((.., more)) => *more += 1,
            None => otherwise.push((text, miss, 0)),
        }
    }
    let mut lines = Vec::new();
    if !otherwise.is_empty() {
        lines.push(Line::new(label::UNDER, &choices(&nearest.readings)));
    }
    lines.push(Line::new(label::RESULT, &nearest.mismatch.to_string()));
    if let Mismatch::Element(element) = &nearest.mismatch {
        lines.extend(of_element(element));
    }
    for (text, miss, more) in otherwise {
        let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
        lines.push(Line::new("or under", &format!("{}{more}: {text}", choices(&miss.readings))));
    }
    lines
}

/// Describes the expectation of a reading, in a line.
fn wanted(mismatch: &Mismatch) -> String {
    match mismatch {
        Mismatch::Element(element) => {
            let (expected, because) = best(element);
            format!("expected {expected} at {:?}{because}", element.index)
        }
        other => other.to_string(),
    }
}

/// Returns the best answer, and the reason if it is not the norm.
fn best(element: &ElementMismatch) -> (String, String) {
    match element.because {
        Some(why) => (display::element(element.dtype, element.expected), format!(", because {why}")),
        None => (display::in_full(element.dtype, element.expected), String::new()),
    }
}

fn of_element(element: &ElementMismatch) -> Vec<Line> {
    let finite = element.exact.iter().filter(|exact| matches!(exact, Value::Finite(_)));
    let mut lines: Vec<Line> = finite.map(|exact| Line::new(label::EXACT, &display::exact(exact))).collect();
    let (expected, because) = best(element);
    lines.push(Line::new(label::EXPECTED, &(expected + &because)));
    lines.push(Line::new(label::GOT, &display::in_full(element.dtype, element.got)));
    if let Some((error, bound)) = element.error {
        let text = format!("{} ulp, allowed {} ulp", display::ulps(error), display::ulps(bound));
        lines.push(Line::new(label::ERROR, &text));
    }
    lines
}

fn choices(choices: &[Choice]) -> String {
    if choices.is_empty() {
        return "no open question".into();
    }
    display::joined(choices)
}

/// The most conforming answers named with a defect.
const ALSO: usize = 3;

/// Returns lines for a defect, without the smallest call that shows it.
pub fn of_defect(defect: &Defect<'_>) -> Vec<Line> {
    let (cases, calls) = defect.counts();
    let faults: Vec<String> =
        defect.faults.iter().map(|(fault, count)| format!("{fault} {}", display::grouped(*count))).collect();
    let explains = format!(
        "{} and {}: {}",
        display::counted(cases, "case", "cases"),
        display::counted(calls, "generated call", "generated calls"),
        faults.join(", ")
    );
    let names = |names: Vec<&str>| names.join(" ");
    let mut lines = vec![Line::new(label::EXPLAINS, &explains)];
    lines.extend(defect.like.map(|like| Line::new("as if", like)));
    lines.extend(defect.sets_apart().map(|text| Line::new("where", &text)));
    let also: Vec<String> = defect.also.iter().take(ALSO).map(Witness::name).collect();
    if !also.is_empty() {
        let count = display::counted(defect.also.len(), "answer", "answers");
        let more = if defect.also.len() > ALSO { " …" } else { "" };
        let also = format!("{count} right by chance, which so tell no reading: {}{more}", also.join(" "));
        lines.push(Line::new("also", &also));
    }
    lines.push(Line::new("specs", &names(defect.specs.keys().map(|spec| spec.name()).collect())));
    lines.push(Line::new("types", &names(defect.dtypes.iter().map(|dtype| dtype.name()).collect())));
    lines
}

/// Returns the finding of a call answered in two ways. It may be stable alone, so its row is repeated, or the whole run.
pub fn of_unstable(Unstable { sample, then, row }: &Unstable, again: &str) -> Finding {
    let again = match row.as_deref().unwrap_or_default() {
        [] => again.to_owned(),
        row => format!("{again} --jobs 1 {}", asking_all(row.iter())),
    };
    let lines = vec![
        Line::new(label::CALL, &display::call(&sample.call)),
        Line::new(label::FIRST, &display::answer(&sample.first)),
        Line::new(label::THEN, &display::answer(then)),
        Line::new("row", &of_row(row.as_deref())),
        Line::new(label::AGAIN, &again),
    ];
    Finding { kind: FindingKind::Nondeterministic, name: sample.name.clone(), lines, shown_by: None }
}

/// Returns the finding of a process fault that no call explains. It is nondeterministic, so the whole run must
/// be repeated.
fn of_flake(flake: &Flake, again: &str) -> Finding {
    let over = flake.suspects.first();
    let name = over.map_or_else(|| "the process".to_owned(), |over| format!("the process, over {over}"));
    let lines = vec![
        Line::new(label::PROCESS, &flake.how),
        Line::new("over", &flake.suspects.join("\n")),
        Line::new("alone", "none of these makes it fail, so none is to blame"),
        Line::new(label::AGAIN, again),
    ];
    Finding { kind: FindingKind::Flaky, name, lines, shown_by: None }
}

/// Describes the shortest row of calls that shows two answers to a call.
fn of_row(row: Option<&[String]>) -> String {
    match row {
        None => "not looked for: too many calls differ".to_owned(),
        Some([]) => "none of those tried, each in a fresh process, shows it again".to_owned(),
        Some([_]) => "by itself, in two fresh processes, it is answered in two ways".to_owned(),
        Some(row) => format!(
            "after the others, in one fresh process, the last of these is answered otherwise than alone:\n{}",
            row.join("\n")
        ),
    }
}

/// Returns the finding of a place that no single reading explains.
pub fn of_place(divided: &Divided, place: Place, split: &Split<Witness<'_>>, again: &str) -> Finding {
    let lines = of_split(divided, place, split, again);
    Finding { kind: FindingKind::Inconsistent, name: place.to_string(), lines, shown_by: None }
}

/// Describes the reading of each answer of a smallest set, in a line.
pub fn sides(divided: &Divided, place: Place, split: &Split<Witness<'_>>) -> String {
    let side = |(Statement { answer, says, .. }, at): (&Statement<Witness<'_>>, String)| {
        format!("{says}{at} in {}", answer.name())
    };
    split.witness.iter().zip(divided.at(place, split)).map(side).collect::<Vec<_>>().join("; ")
}

/// Returns the options that ask several calls.
fn asking_all(names: impl Iterator<Item = impl AsRef<str>>) -> String {
    names.map(|name| asking(name.as_ref())).collect::<Vec<_>>().join(" ")
}

/// Returns lines for the smallest set of answers that no single reading explains, and the command that asks all.
fn of_split(
    divided: &Divided,
    place: Place,
    split @ Split { witness, exceptions, others }: &Split<Witness<'_>>,
    again: &str,
) -> Vec<Line> {
    let s = if *exceptions == 1 { "" } else { "s" };
    let together = format!(
        "no single reading explains these {} answers; {exceptions} answer{s} cannot be explained with the {others} \
         others about this question",
        witness.len()
    );
    let names = witness.iter().map(|one| one.answer.asked_by());
    let again = format!("{again} {}", asking_all(names));
    let mut lines = vec![Line::new("asks", place.question.asks()), Line::new(label::TOGETHER, &together)];
    for (Statement { answer, count, says, .. }, at) in witness.iter().zip(divided.at(place, split)) {
        let more = match count - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        lines.push(Line::new(label::READS, &format!("{says}{at} in {}{more}", answer.name())));
    }
    lines.push(Line::new(label::AGAIN, &again));
    lines
}
