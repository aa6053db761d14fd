//! A report as text for a terminal: what is wrong in full, what is allowed and hazardous, then the tables, and last, where a
//! person looks first, the outcome, the hazards and what is wrong in a line each, and what to do next.
//!
//! What is wrong are defects, and failures only where there are few or all are wanted.
//!
//! A pure function of the report: the same report gives the same bytes on any machine. No colour,
//! no time, nothing that depends on where it is printed.

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
use normative_conformance::report::finding::{self, Finding, Kind, Line};
use normative_conformance::report::tables::{self, Grid};

pub use crate::lines::write_lines;

/// How much is said of what is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Each defect, with the smallest call that shows it.
    #[default]
    Defects,
    /// Each failure.
    All,
}

/// Defects shown in full.
const SHOWN: usize = 12;

/// Defects named at the end: with what stands around them, two commands of three lines each among it, they fill a screen
/// of 24 lines.
const LISTED: usize = 12;

/// Characters of a name on a line of 80.
const WIDTH: usize = 66;

/// Writes the whole report. A case's own command is the one that repeats the run with `--case NAME`, a generated call's
/// with `--property-call SEED:INDEX`.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(out: &mut dyn fmt::Write, column: &Column<'_>, ledger: &Ledger, detail: Detail) -> fmt::Result {
    let Column { report, again, repro, .. } = column;
    let findings: Vec<Finding> =
        finding::all(report, ledger, again).into_iter().map(|one| repro::told(one, repro.as_ref())).collect();
    let defects = if detail == Detail::All || findings.len() <= FEW { Vec::new() } else { report.defects() };
    if defects.is_empty() {
        findings.iter().try_for_each(|finding| write_finding(out, finding))?;
    } else {
        write_defects(out, &defects, column, ledger)?;
        let of_calls = [Kind::Fail, Kind::Crash, Kind::Timeout];
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

/// Each defect with the smallest call that shows it, the worst first.
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

/// What is known of a defect, and the smallest call that shows it.
pub(crate) fn of_defect(defect: &Defect<'_>, column: &Column<'_>, ledger: &Ledger) -> Vec<Line> {
    let Column { report, again, repro, .. } = column;
    let mut lines = finding::of_defect(defect);
    if let Some(smallest) = report.shown(defect, ledger, again) {
        lines.push(Line::new("smallest", &smallest.name));
        // What a case catches is its author's guess; the condition is what was seen.
        let told = repro::told(smallest, repro.as_ref()).lines;
        lines.extend(told.into_iter().filter(|line| line.label != "catches"));
    }
    lines
}

/// How many failures there are of each severity, the worst first.
pub(crate) fn severities(report: &Report<'_>) -> String {
    let counts = report.severities();
    let counts = counts.iter().map(|(severity, count)| format!("{} {}", severity.word(), grouped(*count)));
    counts.collect::<Vec<_>>().join(", ")
}

/// How many defects explain how many failures, and how many there are of each severity.
pub(crate) fn explained(report: &Report<'_>, defects: &[Defect<'_>]) -> String {
    let failures: usize = defects.iter().map(|defect| defect.failures.len()).sum();
    let (s, explain) = if defects.len() == 1 { ("", "explains") } else { ("s", "explain") };
    format!("{} defect{s} {explain} {} failures: {}", defects.len(), grouped(failures), severities(report))
}

/// A name that fits its line. It is cut in the middle: names of one kind begin alike.
fn short(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let Some(over) = characters.len().checked_sub(WIDTH).filter(|&over| over > 0) else {
        return name.to_owned();
    };
    let head = WIDTH * 2 / 3;
    let (before, after) = (&characters[..head], &characters[head + over + 1..]);
    before.iter().chain(&['…']).chain(after).collect()
}

/// What is wrong, in a line each, and what to do next.
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
        writeln!(out, "next: {}", plain(&format!("{again} {}", first.smallest.option())))?;
        let shown_by = report.shown(first, ledger, again).and_then(|smallest| smallest.shown_by);
        if let (Some(call), Some(repro)) = (shown_by, repro) {
            writeln!(out, "      {}", plain(&repro.of(&call)))?;
        }
    }
    writeln!(out, "      --all shows every failure")
}

/// One finding, and an empty line after it.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_finding(out: &mut dyn fmt::Write, Finding { kind, name, lines, .. }: &Finding) -> fmt::Result {
    writeln!(out, "{} {name}", kind.word())?;
    write_lines(out, lines)?;
    writeln!(out)
}

/// A table in columns of text.
pub(crate) fn table(Grid { header, rows, words }: &Grid) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header).add_rows(rows);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        column.set_cell_alignment(if at < *words { CellAlignment::Left } else { CellAlignment::Right });
    }
    trimmed(&table)
}

/// A table without the blanks that pad its last column.
fn trimmed(table: &Table) -> String {
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Why calls were declined, each reason once with its count.
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
