//! A run as a badge: the JSON that shields.io's endpoint takes.
//!
//! It says "conforms" without more only where every case of the corpus was asked and accepted.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use crate::matrix::Column;
use crate::report::Report;

/// Why there is no badge.
#[derive(Debug, Error)]
pub enum BadgeError {
    /// A badge says one thing.
    #[error("a badge is of one run, and these are {0}")]
    Several(usize),
    /// The text could not be written.
    #[error(transparent)]
    Write(#[from] fmt::Error),
    /// The text could not be made.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// The fields, spelled as shields.io does.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Badge {
    schema_version: u32,
    label: &'static str,
    message: String,
    color: &'static str,
}

/// Writes the badge of one run.
///
/// # Errors
/// [`BadgeError::Several`] unless there is one; whatever `out` returns.
pub fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> Result<(), BadgeError> {
    let [Column { report, .. }] = columns else { return Err(BadgeError::Several(columns.len())) };
    let (message, color) = says(report);
    let badge = Badge { schema_version: 1, label: "norm reductions", message, color };
    Ok(writeln!(out, "{}", serde_json::to_string_pretty(&badge)?)?)
}

/// What it says, and its color.
fn says(report: &Report<'_>) -> (String, &'static str) {
    let cases = report.total();
    let generated = report.generated.as_ref().map(crate::property::Generated::total).unwrap_or_default();
    let failed = cases.fails + cases.died + generated.fails + generated.died;
    if report.executed() == 0 {
        ("shows nothing".into(), "lightgrey")
    } else if !report.is_clean() {
        // Without one that fails, answers contradict each other.
        let failed = match failed {
            0 => "is inconsistent".to_owned(),
            _ => format!("{failed} of {} fail", report.executed()),
        };
        (failed, "red")
    } else if !report.is_complete() {
        ("partial".into(), "yellow")
    } else if cases.conforms < report.corpus {
        (format!("conforms in {} of {} cases", cases.conforms, report.corpus), "green")
    } else {
        ("conforms".into(), "brightgreen")
    }
}
