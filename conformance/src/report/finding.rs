//! What speaks against a backend, one finding at a time: labelled lines, which every format shows in its own way.
//!
//! It holds no markup and no layout. What a backend said stands in it without control characters: its words may
//! neither move a cursor nor start a line that looks like ours.

use std::collections::BTreeMap;

use normative_reference::{Call, Choice, Value};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::corpus::{Case, Claim, ClauseRef, Ledger};
use crate::display::{self, plain};
use crate::drive::{Flake, Suspect};
use crate::judge::compare::{ElementMismatch, Mismatch};
use crate::judge::fault::{Fault, Severity};
use crate::judge::verdict::{Miss, Verdict};
use crate::report::Report;
use crate::report::defect::{Defect, Witness};
use crate::run::property::{Find, Id};
use crate::run::readings::{Place, Split, Statement};
use crate::run::repeat::Unstable;

/// What is the matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An answer that no reading accepts, or only one that is ruled out.
    Fail,
    /// A call that brought the backend down.
    Crash,
    /// A call that was not answered in time.
    Timeout,
    /// A call that was answered in two ways.
    Nondeterministic,
    /// A question about the form of a call that no one reading explains.
    Inconsistent,
    /// Something that is known to fail and does not.
    UnexpectedPass,
    /// Something that fails for another reason than the known one.
    OtherReason,
    /// Something that is known to fail and that there is not.
    Stale,
    /// Something that is known to fail and was not asked.
    Missing,
    /// A call that fails once and, asked again, does not, or otherwise; a process that fails over calls of which none makes
    /// it fail alone.
    Flaky,
}

impl Kind {
    /// Its word in reports.
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

    /// What a verdict says against a backend, if it does.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        verdict.fault().map(|fault| match fault.severity() {
            Severity::Died if fault == Fault::TimedOut => Self::Timeout,
            Severity::Died => Self::Crash,
            Severity::Readings if fault == Fault::Inconsistent => Self::Inconsistent,
            Severity::Wrong | Severity::Form | Severity::Refused | Severity::Lenient | Severity::Readings => {
                Self::Fail
            }
        })
    }
}

/// The label of a row of commands.
pub const ROW: &str = "row";

/// One thing that speaks against a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is the matter.
    pub kind: Kind,
    /// The case, the generated call, or the question and where it was met.
    pub name: String,
    /// What is known of it, in the order it is to be read.
    pub lines: Vec<Line>,
    /// The call by whose name commands take it, a case's name or `SEED:INDEX`, where its answer alone shows what is wrong:
    /// a script that asks it can tell.
    pub shown_by: Option<String>,
}

/// A labelled line of a finding, or a few.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is: `clause`, `call`, `exact`, `again`, …
    pub label: &'static str,
    /// The text; control characters other than line feeds are blanks.
    pub text: String,
}

impl Line {
    /// A line, cleaned.
    pub fn new(label: &'static str, text: &str) -> Self {
        Self { label, text: text.lines().map(plain).collect::<Vec<_>>().join("\n") }
    }
}

/// Everything that speaks against a backend: cases in the order of the corpus, then generated calls, then what only
/// several answers together show. Among cases and among calls, what the text determines comes before what it leaves
/// open. Of a run with a baseline, what is not known, and what is and did not come. `again` is the command that repeats the run; a case's own command is that with
/// `--case NAME`, a generated call's with `--property-call SEED:INDEX`.
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

/// Every fault of the process that is put down to no call. What is known to fail are calls, so none of these is known.
fn flaky(report: &Report<'_>, again: &str) -> Vec<Finding> {
    report.conduct.flakes.iter().map(|flake| of_flake(flake, &report.suspects, again)).collect()
}

/// Every place where no one reading explains the answers, though there has to be one.
pub fn inconsistent(report: &Report<'_>, again: &str) -> Vec<Finding> {
    let profile = report.profile();
    let splits = profile.iter().filter_map(|(place, row)| Some((place, row.inconsistent(place)?)));
    splits.map(|(place, split)| of_place(*place, split, again)).collect()
}

/// Every place where no one reading explains the answers, and none has to. It speaks against nobody.
pub fn mixed(report: &Report<'_>, again: &str) -> Vec<(Place, Vec<Line>)> {
    report.mixed().into_iter().map(|(place, split)| (place, of_split(place, &split, again))).collect()
}

/// The cases that ran, the determined ones first.
pub fn cases_in_order<'r>(report: &'r Report<'_>) -> Vec<(&'r Case, &'r Verdict)> {
    let mut cases: Vec<_> = report.results.iter().map(|(case, verdict)| (*case, verdict)).collect();
    cases.sort_by_key(|(case, _)| matches!(case.claim, Claim::Open { .. }));
    cases
}

/// The generated calls that fail, those first whose failure depends on no reading.
pub fn finds_in_order<'r>(report: &'r Report<'_>) -> Vec<&'r Find> {
    let mut finds: Vec<_> = report.generated.iter().flat_map(|generated| &generated.finds).collect();
    finds.sort_by_key(|find| is_open(&find.verdict));
    finds
}

/// Whether what an answer misses depends on how an open question is read.
fn is_open(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Fails(misses) if misses.iter().any(|miss| !miss.readings.is_empty()))
}

/// What a case shows, if anything: what was asked, of which data, which clause, what came, and how to see it again.
pub fn of_case(case: &Case, verdict: &Verdict, ledger: &Ledger, again: &str) -> Option<Finding> {
    let kind = Kind::of(verdict)?;
    let mut lines: Vec<Line> = case.clauses.iter().map(|clause| of_clause(clause, ledger)).collect();
    lines.push(Line::new("catches", &case.why));
    lines.extend(of_call(&case.call, verdict));
    lines.push(Line::new("again", &format!("{again} --case {}", case.name)));
    let shown_by = is_told_by_answer(verdict).then(|| case.name.clone());
    Some(Finding { kind, name: case.name.clone(), lines, shown_by })
}

/// What a generated call shows.
pub fn of_find(find: &Find, ledger: &Ledger, again: &str) -> Option<Finding> {
    let kind = Kind::of(&find.verdict)?;
    let mut lines = vec![of_clause(&find.clause(ledger), ledger)];
    lines.extend(of_call(&find.call, &find.verdict));
    lines.extend(of_neighbour(find.id));
    lines.push(Line::new("again", &format!("{again} --property-call {}", find.id)));
    let shown_by = is_told_by_answer(&find.verdict).then(|| find.id.to_string());
    Some(Finding { kind, name: find.name(), lines, shown_by })
}

/// A line on the call before a neighbour: its answer may be that of the call before.
fn of_neighbour(id: Id) -> Option<Line> {
    let (before, difference) = (id.before()?, id.difference()?.words());
    Some(Line::new(
        "after",
        &format!("asked right after {before}, which differs in one thing alone: {difference}"),
    ))
}

/// Whether each element of the answer, or that there is none, shows what is wrong: not so of an accuracy that somebody
/// demanded, of all errors together, and of data that were written to.
fn is_told_by_answer(verdict: &Verdict) -> bool {
    verdict.fault().is_some_and(Fault::is_shown_by_answer)
}

/// A call with its data, and what is wrong.
pub fn of_call(call: &Call, verdict: &Verdict) -> Vec<Line> {
    let mut lines =
        vec![Line::new("call", &display::call(call)), Line::new("data", &display::data(&call.data))];
    lines.extend(of_verdict(verdict));
    lines
}

/// What a verdict rests on.
pub fn of_verdict(verdict: &Verdict) -> Vec<Line> {
    match verdict {
        Verdict::Fails(misses) => of_misses(misses),
        Verdict::Crashed(how) => vec![Line::new("crashed", how)],
        Verdict::TimedOut(after) => {
            vec![Line::new("no answer", &format!("within {} s", after.as_secs_f64()))]
        }
        Verdict::Unsupported(why) => vec![Line::new("because", why)],
        Verdict::Conforms { accepting, .. } => vec![Line::new("reading", &choices(&accepting.told()))],
    }
}

pub(crate) fn of_clause(clause: &ClauseRef, ledger: &Ledger) -> Line {
    let says = ledger.get(clause.spec, &clause.name).map_or("", |entry| entry.says.as_str());
    Line::new("clause", &format!("{clause}: {says}"))
}

/// How an answer misses the reading it comes nearest to, and in a line each what the other readings expect. What
/// all expect alike depends on none.
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
        lines.push(Line::new("under", &choices(&nearest.readings)));
    }
    lines.push(Line::new("result", &nearest.mismatch.to_string()));
    if let Mismatch::Element(element) = &nearest.mismatch {
        lines.extend(of_element(element));
    }
    for (text, miss, more) in otherwise {
        let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
        lines.push(Line::new("or under", &format!("{}{more}: {text}", choices(&miss.readings))));
    }
    lines
}

/// What a reading expects, in a line.
fn wanted(mismatch: &Mismatch) -> String {
    match mismatch {
        Mismatch::Element(element) => {
            let (expected, because) = best(element);
            format!("expected {expected} at {:?}{because}", element.index)
        }
        other => other.to_string(),
    }
}

/// The best answer, and why it is not the norm where it is not.
fn best(element: &ElementMismatch) -> (String, String) {
    match element.because {
        Some(why) => (display::element(element.dtype, element.expected), format!(", because {why}")),
        None => (display::in_full(element.dtype, element.expected), String::new()),
    }
}

fn of_element(element: &ElementMismatch) -> Vec<Line> {
    let finite = element.exact.iter().filter(|exact| matches!(exact, Value::Finite(_)));
    let mut lines: Vec<Line> = finite.map(|exact| Line::new("exact", &display::exact(exact))).collect();
    let (expected, because) = best(element);
    lines.push(Line::new("expected", &(expected + &because)));
    lines.push(Line::new("got", &display::in_full(element.dtype, element.got)));
    if let Some((error, bound)) = element.error {
        let text = format!("{} ulp, allowed {} ulp", display::ulps(error), display::ulps(bound));
        lines.push(Line::new("error", &text));
    }
    lines
}

fn choices(choices: &[Choice]) -> String {
    if choices.is_empty() {
        return "no open question".into();
    }
    choices.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What is known of a defect beside the smallest call that shows it.
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
    let mut lines = vec![Line::new("explains", &explains)];
    lines.extend(defect.like.map(|like| Line::new("as if", like)));
    let condition: Vec<String> = defect.condition.iter().map(ToString::to_string).collect();
    let failures = display::grouped(defect.failures.len());
    lines.push(Line::new(
        "where",
        &match defect.conforming {
            _ if condition.is_empty() => "nothing sets these calls apart from others that conform".to_owned(),
            0 => format!("{}; every such call fails", condition.join(", ")),
            others => format!(
                "{}; these {failures} fail, {}",
                condition.join(", "),
                display::counted(others, "such call conforms", "such calls conform")
            ),
        },
    ));
    lines.push(Line::new("specs", &names(defect.specs.keys().map(|spec| spec.name()).collect())));
    lines.push(Line::new("types", &names(defect.dtypes.iter().map(|dtype| dtype.name()).collect())));
    lines
}

/// A call that was answered in two ways. Alone it may well be answered in one, so the whole run is to be repeated.
pub fn of_unstable(Unstable { sample, then, row }: &Unstable, again: &str) -> Finding {
    let lines = vec![
        Line::new("call", &display::call(&sample.call)),
        Line::new("first", &display::answer(&sample.first)),
        Line::new("then", &display::answer(then)),
        Line::new(ROW, &of_row(row.as_deref(), again)),
        Line::new("again", again),
    ];
    Finding { kind: Kind::Nondeterministic, name: sample.name.clone(), lines, shown_by: None }
}

/// A fault of the process that is put down to no call. Chance decides whether it comes again, so the whole run is to be
/// repeated.
fn of_flake(flake: &Flake, names: &BTreeMap<String, String>, again: &str) -> Finding {
    let said = |Suspect { key, call }: &Suspect| match names.get(key) {
        Some(name) => format!("{name}: {call}"),
        None => format!("{call} (asked besides)"),
    };
    let over = flake.suspects.first().map(|first| names.get(&first.key).unwrap_or(&first.call).clone());
    let name = over.map_or_else(|| "the process".to_owned(), |over| format!("the process, over {over}"));
    let suspects: Vec<String> = flake.suspects.iter().map(said).collect();
    let lines = vec![
        Line::new("process", &flake.how),
        Line::new("over", &suspects.join("\n")),
        Line::new("alone", "none of these makes it fail, so none is to blame"),
        Line::new("again", again),
    ];
    Finding { kind: Kind::Flaky, name, lines, shown_by: None }
}

/// The shortest row of calls that shows that a call is answered in two ways, each with its command.
fn of_row(row: Option<&[String]>, again: &str) -> String {
    let again = plain(again);
    let command = |name: &String| {
        let option = if name.parse::<Id>().is_ok() { "--property-call" } else { "--case" };
        format!("\n{again} {option} {name}")
    };
    let (says, shown) = match row {
        None => ("not looked for: too many calls differ", &[][..]),
        Some([]) => ("none of those tried, each in a fresh process, shows it again", &[][..]),
        Some([_]) => ("by itself, in two fresh processes, it is answered in two ways", &[][..]),
        Some(row) => (
            "after the others, in one fresh process, the last of these is answered otherwise than alone:",
            row,
        ),
    };
    std::iter::once(says.to_owned()).chain(shown.iter().map(command)).collect()
}

/// A place where no one reading explains the answers.
pub fn of_place(place: Place, split: &Split<Witness<'_>>, again: &str) -> Finding {
    let lines = of_split(place, split, again);
    Finding { kind: Kind::Inconsistent, name: place.to_string(), lines, shown_by: None }
}

/// What each answer of a smallest set reads, in a line.
pub fn sides(Split { witness, .. }: &Split<Witness<'_>>) -> String {
    let side = |Statement { answer, says, at, .. }: &Statement<Witness<'_>>| {
        let at = at.as_ref().map_or_else(String::new, |at| format!(" ({at})"));
        format!("{says}{at} in {}", answer.name())
    };
    witness.iter().map(side).collect::<Vec<_>>().join("; ")
}

/// The smallest set of answers that no one reading explains, each with its command.
fn of_split(
    place: Place,
    Split { witness, exceptions, others }: &Split<Witness<'_>>,
    again: &str,
) -> Vec<Line> {
    let s = if *exceptions == 1 { "" } else { "s" };
    let together = format!(
        "no single reading explains these {} answers; {exceptions} answer{s} cannot be explained with the {others} \
         others about this question",
        witness.len()
    );
    let mut lines = vec![Line::new("asks", place.question.asks()), Line::new("together", &together)];
    for Statement { answer, count, says, at, .. } in witness {
        let at = at.as_ref().map_or_else(String::new, |at| format!(" ({at})"));
        let more = match count - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        lines.push(Line::new("reads", &format!("{says}{at} in {}{more}", answer.name())));
        lines.push(Line::new("again", &format!("{again} {}", answer.option())));
    }
    lines
}
