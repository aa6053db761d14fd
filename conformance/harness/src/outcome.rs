//! What a test says in the end: it passes, it fails with what was found, or it shows nothing and says why.

use std::fmt::Write as _;

use libtest_mimic::{Completion, Failed};
use normative_conformance::report::finding::{Finding, Line};
use normative_present::terminal;

use crate::name::Test;

/// How a test ends.
pub(crate) type Outcome = Result<Completion, Failed>;

/// Findings of one test that are shown in full.
const SHOWN: usize = 5;

/// Nothing was shown; why, in the backend's words, on one line.
pub(crate) fn declined(why: &str) -> Completion {
    Completion::ignored_with(Line::new("because", why).text.replace('\n', " "))
}

/// A test passes when there is nothing to show.
pub(crate) fn show(findings: impl IntoIterator<Item = Finding>, test: &Test) -> Outcome {
    let findings: Vec<Finding> = findings.into_iter().collect();
    if findings.is_empty() {
        return Ok(Completion::Completed);
    }
    let mut text = String::new();
    for mut finding in findings.iter().take(SHOWN).cloned() {
        // The command there is the main job's.
        finding.lines.retain(|line| line.label != "again");
        finding.lines.push(Line::new("again", &format!("cargo test -- --exact '{test}'")));
        terminal::write_finding(&mut text, &finding)?;
    }
    if findings.len() > SHOWN {
        writeln!(text, "and {} more", findings.len() - SHOWN)?;
    }
    Err(text.trim_end().into())
}
