//! Prints a report on a terminal: the findings in full, the hazards, then the tables. The end, which users
//! read first, has the outcome, a line for each hazard and defect, and the next steps.
//!
//! Findings are defects; single failures are listed only if there are few, or on request.
//!
//! A pure function of the report: the same report gives the same bytes on any machine, without colours or
//! times.

use std::fmt;

use comfy_table::{CellAlignment, Table, presets};

use crate::SUITE;
use crate::column::Column;
use crate::outcome::{claims, clock, outcome};
use crate::{repro, safety};
use normative_conformance::corpus::Ledger;
use normative_conformance::display::{grouped, plain};
use normative_conformance::report::Report;
use normative_conformance::report::defect::Defect;
use normative_conformance::report::defects::FEW;
use normative_conformance::report::finding::{self, Finding, FindingKind, Line};
use normative_conformance::report::tables::{self, Grid};
use normative_conformance::shell::asking;

pub use crate::lines::write_lines;

/// The amount of detail on findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Each defect, with its smallest call.
    #[default]
    Defects,
    /// Each failure.
    All,
}

/// Defects shown in full.
const SHOWN: usize = 12;

/// Defects named at the end: with the lines around them, including two commands of three lines each, they
/// fill a screen of 24 lines.
const LISTED: usize = 12;

/// Characters of a name on a line of 80.
const WIDTH: usize = 66;

/// Writes the whole report. The command for one call is the run's command with `--case NAME`.
///
/// # Errors
/// Errors of `out`.
pub fn write(out: &mut dyn fmt::Write, column: &Column<'_>, ledger: &Ledger, detail: Detail) -> fmt::Result {
    let Column { report, again, repro, .. } = column;
    let findings: Vec<Finding> =
        finding::all(report, ledger, again).into_iter().map(|one| repro::told(one, repro.as_ref())).collect();
    let defects = if detail == Detail::All || findings.len() <= FEW { Vec::new() } else { report.defects() };
    if defects.is_empty() {
        findings.iter().try_for_each(|finding| write_finding(out, finding))?;
    } else {
        write_defects(out, &defects, column, ledger)?;
        let of_calls = [FindingKind::Fail, FindingKind::Crash, FindingKind::Timeout];
        let others: Vec<&Finding> =
            findings.iter().filter(|finding| !of_calls.contains(&finding.kind)).collect();
        others.iter().take(SHOWN).try_for_each(|finding| write_finding(out, finding))?;
        if others.len() > SHOWN {
            writeln!(
                out,
                "{} more findings that are no failures of calls; --all shows them.\n",
                others.len() - SHOWN
            )?;
        }
    }
    safety::write(out, column, if detail == Detail::All { usize::MAX } else { SHOWN })?;
    let tables: Vec<String> = tables::all(report).iter().map(table).collect();
    writeln!(out, "{}", tables.join("\n\n"))?;
    write_unsupported(out, report)?;
    write_summary(out, report)?;
    if defects.is_empty() { Ok(()) } else { write_next(out, &defects, column, ledger) }
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
        lines.extend(told.into_iter().filter(|line| line.label != "catches"));
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

/// Shortens a name to its line. It cuts the middle, because related names begin alike.
fn short(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let Some(over) = characters.len().checked_sub(WIDTH).filter(|&over| over > 0) else {
        return name.to_owned();
    };
    let head = WIDTH * 2 / 3;
    let (before, after) = (&characters[..head], &characters[head + over + 1..]);
    before.iter().chain(&['…']).chain(after).collect()
}

/// Writes a line for each defect, and the next steps.
fn write_next(
    out: &mut dyn fmt::Write,
    defects: &[Defect<'_>],
    column: &Column<'_>,
    ledger: &Ledger,
) -> fmt::Result {
    let Column { report, again, repro, .. } = column;
    writeln!(out, "\n{}", explained(report, defects))?;
    for (at, defect) in defects.iter().take(LISTED).enumerate() {
        let name = short(&defect.name());
        writeln!(out, "{:>4}  {:>6}  {name}", at + 1, grouped(defect.failures.len()))?;
    }
    if defects.len() > LISTED {
        writeln!(out, "      and {} more defects", defects.len() - LISTED)?;
    }
    if let Some(first) = defects.first() {
        writeln!(out, "next: {}", plain(&format!("{again} {}", asking(&first.asked_by()))))?;
        let shown_by = report.shown(first, ledger, again).and_then(|smallest| smallest.shown_by);
        if let (Some(call), Some(repro)) = (shown_by, repro) {
            writeln!(out, "      {}", plain(&repro.of(&call)))?;
        }
    }
    writeln!(out, "      --all shows every failure")
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

/// Writes the reasons why calls were declined, each once with its count.
fn write_unsupported(out: &mut dyn fmt::Write, report: &Report<'_>) -> fmt::Result {
    let reasons = tables::unsupported(report);
    if reasons.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nunsupported, in the backend's words:")?;
    reasons.into_iter().try_for_each(|(why, count)| writeln!(out, "{count:>6}  {why}"))
}

fn write_summary(out: &mut dyn fmt::Write, report: &Report<'_>) -> fmt::Result {
    if let Some(asked) = tables::asked_more(report) {
        writeln!(out, "\n{asked}")?;
    }
    writeln!(out, "\njudged by {SUITE}:\n{}", outcome(report))?;
    safety::named(report).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    for line in clock(report).into_iter().chain(claims(report)) {
        writeln!(out, "{line}")?;
    }
    Ok(())
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
            let short = short(&name);
            assert_eq!(short.chars().count(), WIDTH, "{short}");
            assert!(
                short.starts_with("wrong type or dims of the output: a ") && short.ends_with(ends),
                "{short}"
            );
            assert!(short.contains('…'), "{short}");
        }
        let fits = "≥".repeat(WIDTH);
        assert_eq!(short(&fits), fits);
    }
}
