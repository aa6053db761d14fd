//! Writes a report as Markdown, for the summary of a CI job: outcome, defects, the first failures in full,
//! tables.
//!
//! It never exceeds GitHub's limit (1 MiB a step): the rest is left out, with its count. Foreign text has its
//! punctuation as character references inside code elements, so it forms no markup, link or mention.

use std::fmt::{self, Write as _};

use crate::SUITE;
use crate::column::Column;
use crate::matrix;
use crate::outcome::{claims, counted, late, verdict, who};
use crate::terminal::{explained, of_defect, severities, write_lines};
use crate::{repro, safety};
use normative_conformance::corpus::Ledger;
use normative_conformance::display::{self, cut, grouped, plain};
use normative_conformance::report::Report;
use normative_conformance::report::defects::FEW;
use normative_conformance::report::finding::{self, Finding, Line};
use normative_conformance::report::tables::{self, Grid};

/// The most bytes of the text: less than 1 MiB, because other output of the step has to fit as well.
pub const LIMIT: usize = 1_000_000;

/// Failures shown in full; further ones get a line each, as long as there is room.
const IN_FULL: usize = 100;

/// The most defects in full, and backends side by side.
const LISTED: usize = 50;

/// The most rows of a table.
const ROWS: usize = 500;

/// The most characters of foreign text on a line, and in a block of lines.
const LINE: usize = 200;
const BLOCK: usize = 6_000;

/// Writes one report in full, or several side by side.
///
/// # Errors
/// Errors of `out`.
pub fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>], ledger: &Ledger) -> fmt::Result {
    match columns {
        [column] => one(out, column, ledger),
        columns => several(out, columns),
    }
}

fn one(out: &mut dyn fmt::Write, column: &Column<'_>, ledger: &Ledger) -> fmt::Result {
    let Column { name, report, again, repro } = column;
    let grids: Vec<Grid> = tables::all(report).into_iter().map(|grid| grid.cut(ROWS)).collect();
    let mut grids = grids.iter();
    let (heading, who) = (code(&display::name(name)), code(&who(report)));
    let mut before = format!("## {}: {heading}\n\n{who}: {}\n\n", verdict(report), counted(report));
    for line in safety::named(report) {
        writeln!(before, "- {}\n", code(&line))?;
    }
    for line in late(report).into_iter().chain(claims(report)) {
        write!(before, "{}\n\n", code(&line))?;
    }
    if let Some(grid) = grids.next() {
        write_grid(&mut before, grid)?;
    }
    let mut after = String::new();
    for grid in grids {
        write_grid(&mut after, grid)?;
    }
    write_support(&mut after, name, report)?;
    if let Some(asked) = tables::asked_more(report) {
        writeln!(after, "{asked}\n")?;
    }
    writeln!(after, "Judged by {SUITE}. Again: {}", code(again))?;
    out.write_str(&before)?;
    let hazards = in_safety(column)?;
    out.write_str(&hazards)?;
    let findings: Vec<Finding> =
        finding::all(report, ledger, again).into_iter().map(|one| repro::told(one, repro.as_ref())).collect();
    let mut room = LIMIT.saturating_sub(before.len() + hazards.len() + after.len());
    if findings.len() > FEW {
        let defects = in_defects(column, ledger)?;
        room = room.saturating_sub(defects.len());
        out.write_str(&defects)?;
    }
    write_findings(out, report, &findings, room)?;
    out.write_str(&after)
}

/// Returns each hazard, and each mixed question, with the calls that show it.
fn in_safety(column: &Column<'_>) -> Result<String, fmt::Error> {
    let mut text = String::new();
    for (heading, lines) in safety::sections(column).into_iter().take(LISTED) {
        text.push_str(&folded(&code(&heading), &lines)?);
    }
    Ok(text)
}

/// Returns each defect with its smallest call, the worst first; empty if no call fails.
fn in_defects(column: &Column<'_>, ledger: &Ledger) -> Result<String, fmt::Error> {
    let defects = column.report.defects();
    if defects.is_empty() {
        return Ok(String::new());
    }
    let mut text = format!("### {}\n\n", explained(&column.report, &defects));
    for (at, defect) in defects.iter().enumerate() {
        let (nth, name, count) = (at + 1, code(&defect.name()), grouped(defect.failures.len()));
        if at < LISTED {
            let lines = of_defect(defect, column, ledger);
            text.push_str(&folded(&format!("{nth}. {name}: {count}"), &lines)?);
        } else if at < IN_FULL {
            writeln!(text, "{nth}. {name}: {count}\n")?;
        }
    }
    match defects.len().saturating_sub(IN_FULL) {
        0 => Ok(text),
        more => Ok(text + &format!("{more} more defects are left out.\n\n")),
    }
}

/// Writes the first findings in full, then a line each, then the number left out, all within `room` bytes.
fn write_findings(
    out: &mut dyn fmt::Write,
    report: &Report<'_>,
    findings: &[Finding],
    room: usize,
) -> fmt::Result {
    if findings.is_empty() {
        return Ok(());
    }
    let severities = severities(report);
    let severities = if severities.is_empty() { severities } else { format!(": {severities}") };
    let heading = format!("### {} findings{severities}\n\n", findings.len());
    // The line about left-out findings needs room as well.
    let mut room = room.saturating_sub(heading.len() + 100);
    out.write_str(&heading)?;
    for (at, finding) in findings.iter().enumerate() {
        let text = if at < IN_FULL { in_full(finding)? } else { in_a_line(finding, at == IN_FULL) };
        if text.len() > room {
            let left = findings.len() - at;
            return writeln!(out, "\n{left} more findings are left out: a summary has no room for them.\n");
        }
        room -= text.len();
        out.write_str(&text)?;
    }
    writeln!(out)
}

fn in_full(Finding { kind, name, lines, .. }: &Finding) -> Result<String, fmt::Error> {
    folded(&format!("{} {}", kind.word(), code(name)), lines)
}

/// Returns lines that show once the summary is clicked.
fn folded(summary: &str, lines: &[Line]) -> Result<String, fmt::Error> {
    let mut text = String::new();
    write_lines(&mut text, lines)?;
    let text = escaped(&cut(&text, BLOCK));
    Ok(format!("<details><summary>{summary}</summary>\n\n<pre>\n{text}\n</pre>\n\n</details>\n\n"))
}

fn in_a_line(Finding { kind, name, .. }: &Finding, is_first: bool) -> String {
    let above = if is_first { "\n" } else { "" };
    format!("{above}- {} {}\n", kind.word(), code(name))
}

fn several(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    let shown = &columns[..columns.len().min(LISTED)];
    writeln!(out, "## {} backends\n", columns.len())?;
    for grid in matrix::grids(shown) {
        write_grid(out, &grid)?;
    }
    writeln!(out, "{}\n\nJudged by {SUITE}:\n", matrix::LEGEND.replace('\n', "  \n"))?;
    for Column { name, report, .. } in shown {
        let (name, who) = (code(&display::name(name)), code(&who(report)));
        writeln!(out, "- {}: {name} ({who}): {}", verdict(report), counted(report))?;
        safety::named(report).iter().try_for_each(|line| writeln!(out, "  - {}", code(line)))?;
    }
    writeln!(out)?;
    let mut room = LIMIT / 2;
    for (at, Column { name, report, .. }) in shown.iter().enumerate() {
        let mut text = String::new();
        write_support(&mut text, name, report)?;
        let Some(left) = room.checked_sub(text.len()) else {
            let more = shown.len() - at;
            writeln!(
                out,
                "Which types {more} more backends support is left out: a summary has no room for it."
            )?;
            break;
        };
        room = left;
        out.write_str(&text)?;
    }
    match columns.len() - shown.len() {
        0 => Ok(()),
        more => writeln!(out, "\n{more} more backends are left out: a summary has no room for them."),
    }
}

/// Writes the types that a backend supports, in a collapsed section.
fn write_support(out: &mut dyn fmt::Write, name: &str, report: &Report<'_>) -> fmt::Result {
    writeln!(out, "<details><summary>Types that {} supports</summary>\n", code(&display::name(name)))?;
    write_grid(out, &tables::support(report))?;
    writeln!(out, "</details>\n")
}

fn write_grid(out: &mut dyn fmt::Write, Grid { header, rows, words }: &Grid) -> fmt::Result {
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let rule = (0..header.len()).map(|at| if at < *words { "---|" } else { "--:|" });
    writeln!(out, "{}\n|{}", row(header), rule.collect::<String>())?;
    rows.iter().try_for_each(|cells| writeln!(out, "{}", row(cells)))?;
    writeln!(out)
}

/// Formats a cell. Text that cannot be markup stays as it is.
fn cell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -+/,:().=".contains(c);
    let links = ["://", "www."];
    if text.chars().all(is_plain) && !links.iter().any(|link| text.contains(link)) {
        text.to_owned()
    } else {
        code(text)
    }
}

/// Formats text on one line, as code. Character references cannot form markup, in a table, in HTML or elsewhere.
fn code(text: &str) -> String {
    let mut shown = String::from("<code>");
    for c in cut(&plain(text), LINE).chars() {
        if c.is_ascii_punctuation() && !"-,/()+=".contains(c) {
            let _ = write!(shown, "&#{};", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown + "</code>"
}

/// Escapes lines inside an element, which only a tag can end.
fn escaped(text: &str) -> String {
    text.trim_end().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
