//! The outcome of a test: it passes, it fails with findings, or it is ignored with a reason.

use std::fmt::Write as _;

use libtest_mimic::{Completion, Failed};
use normative_conformance::report::finding::{Finding, Line};
use normative_conformance::report::label;
use normative_present::terminal;

use crate::name::Test;

/// The outcome of a test.
pub(crate) type Outcome = Result<Completion, Failed>;

/// The most findings of one test that are shown in full.
const SHOWN: usize = 5;

/// Returns an ignored test, with the backend's reason on one line.
pub(crate) fn declined(why: &str) -> Completion {
    Completion::ignored_with(Line::new("because", why).text.replace('\n', " "))
}

/// Passes a test without findings, and fails any other.
pub(crate) fn show(findings: impl IntoIterator<Item = Finding>, test: &Test) -> Outcome {
    let findings: Vec<Finding> = findings.into_iter().collect();
    if findings.is_empty() {
        return Ok(Completion::Completed);
    }
    let mut text = String::new();
    for mut finding in findings.iter().take(SHOWN).cloned() {
        // That command is for `cargo xtask`, not for this crate.
        finding.lines.retain(|line| line.label != label::AGAIN);
        finding.lines.push(Line::new(label::AGAIN, &format!("cargo test -- --exact '{test}'")));
        terminal::write_finding(&mut text, &finding)?;
    }
    if findings.len() > SHOWN {
        writeln!(text, "and {} more", findings.len() - SHOWN)?;
    }
    Err(text.trim_end().into())
}
