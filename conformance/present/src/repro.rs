//! The command that writes a standalone reproduction of a call, beside the one that repeats it.
//!
//! The command line decides which backends have one; this module holds its two parts, before and after the
//! name of a call.

use normative_conformance::display::shell::quoted;
use normative_conformance::report::finding::{Finding, Line};

/// The label of the line with the command.
pub(crate) const LABEL: &str = "repro";

/// The command, split at the name of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repro {
    /// The part before the name.
    pub before: String,
    /// The part after it.
    pub after: String,
}

impl Repro {
    /// Returns the command for a call.
    pub fn of(&self, call: &str) -> String {
        format!("{} {} {}", self.before, quoted(call), self.after)
    }
}

/// Appends that command to a finding, if it has one.
pub(crate) fn told(mut finding: Finding, repro: Option<&Repro>) -> Finding {
    if let (Some(call), Some(repro)) = (&finding.shown_by, repro) {
        finding.lines.push(Line::new(LABEL, &repro.of(call)));
    }
    finding
}
