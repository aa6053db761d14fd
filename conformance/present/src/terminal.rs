//! Prints a report on a terminal: the findings in full, then the tables. The end, which users read first, has the
//! hazards, a line for each defect, the outcome, what the first finding asked, expected and got, and the next steps.
//!
//! Findings are defects; single failures are listed only if there are few, or on request.
//!
//! A pure function of the report: the same report gives the same bytes on any machine, without colours or
//! times.

use std::collections::BTreeMap;
use std::fmt;

use comfy_table::{CellAlignment, Table, presets};

use crate::SUITE;
use crate::column::Column;
use crate::outcome::{claims, late, outcome};
use crate::{repro, safety};
use normative_conformance::corpus::Ledger;
use normative_conformance::display::shell::asking;
use normative_conformance::display::{counted, grouped, plain};
use normative_conformance::report::defect::Defect;
use normative_conformance::report::defects::PAIR;
use normative_conformance::report::finding::{self, Finding, FindingKind, Line};
use normative_conformance::report::label;
use normative_conformance::report::tables::{self, Grid};
use normative_conformance::report::{Place, Report};

pub use crate::lines::write_lines;

/// The amount of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail<'a> {
    /// Each defect with its smallest call, and tables of a few rows. The text is the command that shows all.
    Brief(&'a str),
    /// Each failure, and whole tables.
    All,
}

/// Defects shown in full.
const SHOWN: usize = 12;

/// The most calls of a run that is reported in full.
const CALLS: usize = 10;

/// Defects named at the end: together with the first finding they fill a screen of 24 lines.
const LISTED: usize = 6;

/// Characters of a name on a line of 80, and of a text on two such lines after a label.
const WIDTH: usize = 66;
const TWO_LINES: usize = 130;

/// The labels of a finding that say what was asked, what was due, and what came.
const GIST: [&str; 12] = [
    label::CLAUSE,
    label::CALL,
    label::DATA,
    label::UNDER,
    label::RESULT,
    label::EXPECTED,
    label::GOT,
    label::CRASHED,
    label::NO_ANSWER,
    label::FIRST,
    label::THEN,
    label::READS,
];

/// Writes the whole report. The command for one call is the run's command with `--case NAME`.
///
/// # Errors
/// Errors of `out`.
pub fn write(
    out: &mut dyn fmt::Write,
    column: &Column<'_>,
    ledger: &Ledger,
    detail: Detail<'_>,
) -> fmt::Result {
    let Column { report, again, repro, .. } = column;
    let findings: Vec<Finding> =
        finding::all(report, ledger, again).into_iter().map(|one| repro::told(one, repro.as_ref())).collect();
    let is_whole = detail == Detail::All;
    // A run of few calls is about these, so it says all about them.
    let in_full = is_whole || report.executed() <= CALLS;
    let defects = if in_full || findings.len() <= PAIR { Vec::new() } else { report.defects() };
    if !defects.is_empty() && !report.unstable.is_empty() {
        let calls = counted(report.unstable.len(), "call was", "calls were");
        writeln!(
            out,
            "{calls} answered in two ways, below as {}: these defects may be of chance\n",
            FindingKind::Nondeterministic.word()
        )?;
    }
    write_defects(out, &defects, column, ledger)?;
    let of_calls = [FindingKind::Fail, FindingKind::Crash, FindingKind::Timeout];
    let is_grouped = |finding: &Finding| !defects.is_empty() && of_calls.contains(&finding.kind);
    let others: Vec<Finding> = findings.into_iter().filter(|finding| !is_grouped(finding)).collect();
    let (shown, most) = if is_whole { (others.clone(), usize::MAX) } else { (joined(others.clone()), SHOWN) };
    shown.iter().take(most).try_for_each(|finding| write_finding(out, finding))?;
    if shown.len() > most {
        writeln!(out, "{} more findings are left out.\n", shown.len() - most)?;
    }
    if in_full {
        safety::write(out, column)?;
    }
    let grids = if is_whole { tables::all(report) } else { tables::brief(report) };
    let tables: Vec<String> = grids.iter().map(table).collect();
    writeln!(out, "{}", tables.join("\n\n"))?;
    if let Some(asked) = tables::asked_more(report).filter(|_| is_whole) {
        writeln!(out, "\n{asked}")?;
    }
    writeln!(out, "\njudged by {SUITE}")?;
    for line in late(report).into_iter().chain(claims(report)) {
        writeln!(out, "{line}")?;
    }
    let hazards = if in_full { safety::named(report) } else { safety::with_commands(column) };
    hazards.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    write_end(out, &defects, &others, column, ledger)?;
    match detail {
        Detail::Brief(whole) => writeln!(out, "all:  {}", plain(whole)),
        Detail::All => Ok(()),
    }
}

/// Joins the places at which no single reading of the same question explains the answers: the first keeps its
/// lines, and names the others.
fn joined(findings: Vec<Finding>) -> Vec<Finding> {
    let question = |finding: &Finding| {
        let place = Place::from_name(&finding.name).filter(|_| finding.kind == FindingKind::Inconsistent);
        place.map(|place| (place.question, place.spec))
    };
    let mut joined: Vec<Finding> = Vec::new();
    for finding in findings {
        let of = question(&finding);
        let first = joined.iter_mut().find(|first| {
            let (of, first) = (of.map(|(of, _)| of), question(first).map(|(of, _)| of));
            of.is_some() && of == first
        });
        match (first, of) {
            (Some(Finding { lines, .. }), Some((_, spec))) => match lines.last_mut() {
                Some(Line { label: "also", text }) => *text = format!("{text} {spec}"),
                _ => lines.push(Line::new("also", spec.name())),
            },
            _ => joined.push(finding),
        }
    }
    joined
}

/// Writes each defect with its smallest call, the worst first.
fn write_defects(
    out: &mut dyn fmt::Write,
    defects: &[Defect<'_>],
    column: &Column<'_>,
    ledger: &Ledger,
) -> fmt::Result {
    for (at, defect) in defects.iter().take(SHOWN).enumerate() {
        writeln!(out, "DEFECT {} of {}: {}", at + 1, defects.len(), defect.name())?;
        write_lines(out, &of_defect(defect, column, ledger))?;
        writeln!(out)?;
    }
    match defects.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => writeln!(out, "{more} more defects are named at the end.\n"),
    }
}

/// Returns the facts about a defect, and its smallest call.
pub(crate) fn of_defect(defect: &Defect<'_>, column: &Column<'_>, ledger: &Ledger) -> Vec<Line> {
    let Column { report, again, repro, .. } = column;
    let mut lines = finding::of_defect(defect);
    if let Some(smallest) = report.shown(defect, ledger, again) {
        lines.push(Line::new("smallest", &smallest.name));
        // "catches" is the guess of the case's author; the defect's condition was observed.
        let told = repro::told(smallest, repro.as_ref()).lines;
        lines.extend(told.into_iter().filter(|line| line.label != label::CATCHES));
    }
    lines
}

/// Returns the number of failures of each severity, the worst first.
pub(crate) fn severities(report: &Report<'_>) -> String {
    let counts = report.severities();
    let counts = counts.iter().map(|(severity, count)| format!("{} {}", severity.word(), grouped(*count)));
    counts.collect::<Vec<_>>().join(", ")
}

/// Returns the numbers of defects and of the failures that they explain, and the failures by severity.
pub(crate) fn explained(report: &Report<'_>, defects: &[Defect<'_>]) -> String {
    let failures: usize = defects.iter().map(|defect| defect.failures.len()).sum();
    let (s, explain) = if defects.len() == 1 { ("", "explains") } else { ("s", "explain") };
    format!("{} defect{s} {explain} {} failures: {}", defects.len(), grouped(failures), severities(report))
}

/// Shortens a text. It cuts the middle, because related names begin alike.
fn short(name: &str, width: usize) -> String {
    let characters: Vec<char> = name.chars().collect();
    let Some(over) = characters.len().checked_sub(width).filter(|&over| over > 0) else {
        return name.to_owned();
    };
    let head = width * 2 / 3;
    let (before, after) = (&characters[..head], &characters[head + over + 1..]);
    before.iter().chain(&['…']).chain(after).collect()
}

/// Writes a line for each defect, the outcome, the first finding in short, and the next steps. `others` are the
/// findings beside the defects.
fn write_end(
    out: &mut dyn fmt::Write,
    defects: &[Defect<'_>],
    others: &[Finding],
    column: &Column<'_>,
    ledger: &Ledger,
) -> fmt::Result {
    let Column { report, again, repro, .. } = column;
    let mut kinds: BTreeMap<FindingKind, usize> = BTreeMap::new();
    for finding in others {
        *kinds.entry(finding.kind).or_default() += 1;
    }
    let kinds = kinds.iter().map(|(kind, count)| format!("{} {}", grouped(*count), kind.word()));
    let kinds: Vec<String> = kinds.collect();
    let explained = (!defects.is_empty()).then(|| explained(report, defects));
    let counts: Vec<String> =
        explained.into_iter().chain((!kinds.is_empty()).then(|| kinds.join(", "))).collect();
    if !counts.is_empty() {
        writeln!(out, "\n{}", counts.join("; beside them "))?;
    }
    for (at, defect) in defects.iter().take(LISTED).enumerate() {
        let name = short(&defect.name(), WIDTH);
        writeln!(out, "{:>4}  {:>6}  {name}", at + 1, grouped(defect.failures.len()))?;
    }
    if defects.len() > LISTED {
        writeln!(out, "      and {} more defects", defects.len() - LISTED)?;
    }
    writeln!(out, "\n{}", outcome(report))?;
    let (title, first, next) = if let Some(first) = defects.first() {
        let shown = report.shown(first, ledger, again);
        ("defect 1: ".to_owned(), shown, format!("{again} {}", asking(&first.asked_by())))
    } else if let Some(first) = others.first() {
        (format!("first: {} ", first.kind.word()), Some(first.clone()), next_of(first, again))
    } else {
        return match report.mixed().first() {
            Some((place, _)) => writeln!(out, "next: {}", plain(&format!("{again} --spec {}", place.spec))),
            None => Ok(()),
        };
    };
    let shown_by = first.as_ref().and_then(|first| first.shown_by.clone());
    if let Some(Finding { name, lines, .. }) = first {
        writeln!(out, "{title}{name}")?;
        write_lines(out, &gist(lines))?;
    }
    writeln!(out, "next: {}", plain(&next))?;
    if let (Some(call), Some(repro)) = (shown_by, repro) {
        writeln!(out, "      {}", plain(&repro.of(&call)))?;
    }
    let inconsistent = others.iter().find(|finding| finding.kind == FindingKind::Inconsistent);
    match inconsistent.map(|other| next_of(other, again)).filter(|other| *other != next) {
        Some(other) => writeln!(out, "      {}", plain(&other)),
        None => Ok(()),
    }
}

/// Returns the lines that say what was asked, what was due and what came, short and with one clause.
fn gist(lines: Vec<Line>) -> Vec<Line> {
    let clause = lines.iter().position(|line| line.label == label::CLAUSE);
    let is_gist = |(at, line): &(usize, Line)| {
        GIST.contains(&line.label) && (line.label != label::CLAUSE || Some(*at) == clause)
    };
    let text = |line: &Line| short(line.text.lines().next().unwrap_or_default(), TWO_LINES);
    let lines = lines.into_iter().enumerate().filter(is_gist);
    lines.map(|(_, line)| Line { text: text(&line), ..line }).collect()
}

/// Returns the command that shows a finding: for answers that contradict each other it asks all calls of the spec,
/// because none of them is wrong by itself.
fn next_of(finding: &Finding, again: &str) -> String {
    let place = Place::from_name(&finding.name).filter(|_| finding.kind == FindingKind::Inconsistent);
    let line = finding.lines.iter().find(|line| line.label == label::AGAIN);
    match (place, line) {
        (Some(place), _) => format!("{again} --spec {}", place.spec),
        (None, Some(line)) => line.text.clone(),
        (None, None) => again.to_owned(),
    }
}

/// Writes one finding, and an empty line after it.
///
/// # Errors
/// Errors of `out`.
pub fn write_finding(out: &mut dyn fmt::Write, Finding { kind, name, lines, .. }: &Finding) -> fmt::Result {
    writeln!(out, "{} {name}", kind.word())?;
    write_lines(out, lines)?;
    writeln!(out)
}

/// Formats a table in columns of text.
pub(crate) fn table(Grid { header, rows, words }: &Grid) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header).add_rows(rows);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        column.set_cell_alignment(if at < *words { CellAlignment::Left } else { CellAlignment::Right });
    }
    trimmed(&table)
}

/// Returns a table without the padding of its last column.
fn trimmed(table: &Table) -> String {
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        let name = |end: &str| {
            format!("wrong type or dims of the output: {}, opset ≥ {end}", "a negative axis, ".repeat(4))
        };
        for (name, ends) in [(name("11"), "opset ≥ 11"), (name("13"), "opset ≥ 13")] {
            let short = short(&name, WIDTH);
            assert_eq!(short.chars().count(), WIDTH, "{short}");
            assert!(
                short.starts_with("wrong type or dims of the output: a ") && short.ends_with(ends),
                "{short}"
            );
            assert!(short.contains('…'), "{short}");
        }
        let fits = "≥".repeat(WIDTH);
        assert_eq!(short(&fits, WIDTH), fits);
    }
}
