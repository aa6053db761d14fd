//! A report as text for a terminal: failures first, one block each, then the tables; cases before
//! generated calls.
//!
//! A pure function of the report: the same report gives the same bytes on any machine. No colour,
//! no time, nothing that depends on where it is printed.

use std::fmt;

use comfy_table::{CellAlignment, Table, presets};

use crate::corpus::Ledger;
use crate::display::plain;
use crate::drive::Conduct;
use crate::report::finding::{self, Finding, Line};
use crate::report::tables::{self, Grid};
use crate::report::{Missing, Report};
use crate::run::tally::Tally;

/// Writes the whole report. `again` is the command that repeats this run; a case's own command is
/// that with `--case NAME`, a generated call's with `--property-call SEED:INDEX`.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(out: &mut dyn fmt::Write, report: &Report<'_>, ledger: &Ledger, again: &str) -> fmt::Result {
    for finding in finding::all(report, ledger, again) {
        write_finding(out, &finding)?;
    }
    let tables: Vec<String> = tables::all(report).iter().map(table).collect();
    writeln!(out, "{}", tables.join("\n\n"))?;
    write_unsupported(out, report)?;
    write_summary(out, report)
}

/// One finding, and an empty line after it.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_finding(out: &mut dyn fmt::Write, Finding { kind, name, lines }: &Finding) -> fmt::Result {
    writeln!(out, "{} {name}", kind.word())?;
    write_lines(out, lines)?;
    writeln!(out)
}

/// Labelled lines.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_lines(out: &mut dyn fmt::Write, lines: &[Line]) -> fmt::Result {
    for Line { label, text } in lines {
        let mut lines = text.lines();
        writeln!(out, "  {label:<9} {}", lines.next().unwrap_or_default())?;
        lines.try_for_each(|more| writeln!(out, "  {:<9} {more}", ""))?;
    }
    Ok(())
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
    let Conduct { restarts, unrepeated } = report.conduct;
    if restarts > 0 {
        writeln!(out, "\nThe worker was started again {restarts} times.")?;
    }
    if unrepeated > 0 {
        writeln!(
            out,
            "{unrepeated} faults were put down to no call: none of the suspects repeats them alone."
        )?;
    }
    if let Some(asked) = tables::asked_more(report) {
        writeln!(out, "\n{asked}")?;
    }
    writeln!(out, "\n{}", outcome(report))
}

/// Who was judged, what came of it, and the counts that say so, in a line.
pub(crate) fn outcome(report: &Report<'_>) -> String {
    let Missing { cases, calls } = report.missing;
    let mut parts =
        vec![format!("{} of {} cases", counts(&report.total(), report.filtered(), cases), report.corpus)];
    if let Some(generated) = &report.generated {
        let total = generated.total();
        let slow = if report.capabilities.slow { " (it declares itself slow)" } else { "" };
        parts.push(format!("{} of {} generated calls{slow}", counts(&total, 0, calls), total.run + calls));
    }
    if !report.unstable.is_empty() {
        parts.push(format!("{} nondeterministic", report.unstable.len()));
    }
    let known = report.baseline.as_ref().map_or(0, |outcome| outcome.expected.len());
    if known > 0 {
        parts.push(format!("{known} known to fail"));
    }
    let outcome = match report.executed() {
        0 => "shows nothing",
        _ if !report.is_clean() && report.baseline.is_some() => "is not as its baseline says",
        _ if !report.is_clean() => "does not conform",
        _ if !report.is_complete() => "conforms as far as it was asked",
        _ if known > 0 => "conforms but for what is known",
        _ => "conforms",
    };
    let partial = if report.is_complete() { "" } else { "PARTIAL: the run was stopped. " };
    format!("{partial}{} {outcome}: {}", who(report), parts.join("; "))
}

/// Name and version of who was judged.
pub(crate) fn who(report: &Report<'_>) -> String {
    plain(&format!("{} {}", report.identity.name, report.identity.version))
}

/// What there is of each verdict, in words.
fn counts(total: &Tally, filtered: usize, missing: usize) -> String {
    let counts = [
        (total.conforms, "conform"),
        (total.fails, "fail"),
        (total.died, "died"),
        (total.unsupported, "unsupported"),
        (filtered, "filtered out"),
        (missing, "missing"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    if counts.is_empty() { "0".into() } else { counts.join(", ") }
}
