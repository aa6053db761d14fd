//! The command that writes a reproduction of a call without this project, beside the one that repeats it.
//!
//! Which backends have one, and how the command is spelled, is known where commands are: here are the two halves that
//! stand around the name of a call.

use normative_conformance::report::finding::{Finding, Line};

/// What a line that shows the command is labelled.
pub(crate) const LABEL: &str = "repro";

/// The command, cut where the name of a call goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repro {
    /// What stands before the name.
    pub before: String,
    /// What stands after it.
    pub after: String,
}

impl Repro {
    /// The command for a call.
    pub fn of(&self, call: &str) -> String {
        format!("{} {call} {}", self.before, self.after)
    }
}

/// A finding with that command as its last line, where there is one for it.
pub(crate) fn told(mut finding: Finding, repro: Option<&Repro>) -> Finding {
    if let (Some(call), Some(repro)) = (&finding.shown_by, repro) {
        finding.lines.push(Line::new(LABEL, &repro.of(call)));
    }
    finding
}
