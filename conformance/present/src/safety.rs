//! Facts that a user has to know before relying on a backend, whatever the verdict: its hazards, then the
//! questions about values that it answers in more than one way.

use std::fmt;

use crate::column::Column;
use crate::lines::write_lines;
use normative_conformance::display::shell::asking;
use normative_conformance::display::{self, plain};
use normative_conformance::report::divided::Divided;
use normative_conformance::report::finding::{self, Line};
use normative_conformance::report::{Report, hazard};

/// The most hazards, and mixed questions, that a summary names.
const NAMED: usize = 12;

/// The most mixed questions that a short report names.
const FEW_MIXED: usize = 3;

/// Returns the counts for after the verdict: ` with 2 hazards and 1 mixed question`; empty if there are none.
pub(crate) fn counts(report: &Report<'_>) -> String {
    let mixed = report.mixed().len();
    let parts = [(report.hazards().len(), "hazard", "hazards"), (mixed, "mixed question", "mixed questions")];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, one, many)| display::counted(count, one, many)).collect();
    if parts.is_empty() { String::new() } else { format!(" with {}", parts.join(" and ")) }
}

/// Returns a line for each, the hazards first: `hazard: …`, `mixed: …`.
pub(crate) fn named(report: &Report<'_>) -> Vec<String> {
    let hazards = report.hazards();
    let hazards = hazards.iter().map(|(kind, met)| format!("hazard: {}", hazard::sentence(kind, met)));
    cut(hazards.collect(), NAMED, "hazards").into_iter().chain(mixed(report, NAMED)).collect()
}

/// Returns the same with the command that shows each hazard below it, and fewer mixed questions.
pub(crate) fn with_commands(Column { report, again, .. }: &Column<'_>) -> Vec<String> {
    let hazards = report.hazards();
    let hazards = hazards.iter().map(|(kind, met)| {
        let command = plain(&format!("{again} {}", asking(&met.smallest.asked_by())));
        format!("hazard: {}\n      {command}", hazard::sentence(kind, met))
    });
    cut(hazards.collect(), NAMED, "hazards").into_iter().chain(mixed(report, FEW_MIXED)).collect()
}

fn mixed(report: &Report<'_>, most: usize) -> Vec<String> {
    let profile = report.profile();
    let divided = Divided::of(report, &profile);
    let mixed = profile.iter().filter_map(|(place, row)| Some((*place, row.mixed(place)?)));
    let mixed =
        mixed.map(|(place, split)| format!("mixed: {place}: {}", finding::sides(&divided, place, split)));
    cut(mixed.collect(), most, "mixed questions")
}

fn cut(mut lines: Vec<String>, most: usize, what: &str) -> Vec<String> {
    let more = lines.len().saturating_sub(most);
    lines.truncate(most);
    lines.extend((more > 0).then(|| format!("and {more} more {what}")));
    lines
}

/// Returns a heading and labelled lines for each, the hazards first.
pub(crate) fn sections(Column { report, again, .. }: &Column<'_>) -> Vec<(String, Vec<Line>)> {
    let hazards = report.hazards();
    let hazards = hazards.iter().map(|(kind, met)| {
        (format!("HAZARD {}", hazard::sentence(kind, met)), hazard::lines(kind, met, again))
    });
    let mixed = finding::mixed(report, again).into_iter();
    hazards.chain(mixed.map(|(place, lines)| (format!("MIXED {place}"), lines))).collect()
}

/// Writes the sections as text.
///
/// # Errors
/// Errors of `out`.
pub(crate) fn write(out: &mut dyn fmt::Write, column: &Column<'_>) -> fmt::Result {
    for (heading, lines) in sections(column) {
        writeln!(out, "{heading}")?;
        write_lines(out, &lines)?;
        writeln!(out)?;
    }
    Ok(())
}
