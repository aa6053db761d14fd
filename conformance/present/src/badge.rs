//! Writes a badge for one run, or for several: the JSON of shields.io's endpoint. [`svg`] draws one.
//!
//! It says just "conforms" only if every case was asked and accepted, and none is a hazard. For several
//! backends it counts those that [conform](Report::conforms).

use std::fmt;

use serde::Serialize;

use crate::column::Column;
use crate::page::escape::html;
use normative_conformance::display::counted;
use normative_conformance::report::Report;
use normative_conformance::run::tally::Tally;

/// The fields, spelled as shields.io does.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Badge {
    schema_version: u32,
    label: &'static str,
    message: String,
    color: &'static str,
}

/// Writes the badge.
///
/// # Errors
/// Errors of `out`.
pub fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    let (message, color) = match columns {
        [Column { report, .. }] => says(report),
        columns => counts(columns),
    };
    let badge = Badge { schema_version: 1, label: "norm reductions", message, color };
    writeln!(out, "{}", serde_json::to_string_pretty(&badge).map_err(|_| fmt::Error)?)
}

/// Draws a badge that loads nothing. White text stands out from `color`, a name of shields.io or a colour, by 4.5 to 1.
#[must_use]
pub fn svg(label: &str, message: &str, color: &str) -> String {
    // Letters of Verdana at 11 px are 7 px wide at most, on average.
    let wide = |text: &str| 7 * text.chars().count() + 12;
    let (left, right) = (wide(label), wide(message));
    let (all, first, second) = (left + right, left / 2, left + right / 2);
    let (label, message) = (html(label), html(message));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all}\" height=\"20\" role=\"img\" aria-label=\"{label}: \
         {message}\"><title>{label}: {message}</title><rect width=\"{all}\" height=\"20\" rx=\"3\" fill=\"#444\"/>\
         <path fill=\"{color}\" d=\"M{left} 0h{right}v20h-{right}z\"/><g fill=\"#fff\" text-anchor=\"middle\" \
         font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\"><text x=\"{first}\" y=\"14\">{label}</text>\
         <text x=\"{second}\" y=\"14\">{message}</text></g></svg>\n"
    )
}

/// Returns the message for several backends, and its color.
fn counts(columns: &[Column<'_>]) -> (String, &'static str) {
    if columns.is_empty() {
        return ("shows nothing".into(), "lightgrey");
    }
    let conforming = columns.iter().filter(|column| column.report.conforms()).count();
    let color = match conforming {
        0 => "red",
        all if all == columns.len() => "green",
        _ => "yellow",
    };
    (format!("{conforming} of {} conform", columns.len()), color)
}

/// Returns the message for one backend, and its color.
fn says(report: &Report<'_>) -> (String, &'static str) {
    let (cases, calls) = (report.total(), Tally::sum(report.calls().values()));
    let failed = calls.fails + calls.died;
    let hazards = match report.hazards().len() {
        0 => String::new(),
        some => format!(", {}", counted(some, "hazard", "hazards")),
    };
    if report.executed() == 0 {
        ("shows nothing".into(), "lightgrey")
    } else if !report.is_clean() {
        // If no call fails, answers contradict each other.
        let failed = match failed {
            0 => "is inconsistent".to_owned(),
            _ => format!("{failed} of {} fail", report.executed()),
        };
        (failed, "red")
    } else if report.is_flaky() {
        ("is flaky".into(), "red")
    } else if !report.is_complete() {
        ("partial".into(), "yellow")
    } else if cases.conforms < report.corpus {
        (format!("conforms in {} of {} cases{hazards}", cases.conforms, report.corpus), "green")
    } else {
        (format!("conforms{hazards}"), if hazards.is_empty() { "brightgreen" } else { "green" })
    }
}
