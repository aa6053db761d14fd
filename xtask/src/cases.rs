//! The text of case files: read, put in order, written.
//!
//! What a case means is the loader's matter.

pub(crate) mod content;
pub(crate) mod files;
pub(crate) mod found;

mod canonical;

use normative_conformance::corpus::{Case, Claim};

/// The file, in the folder of the cases, that says what every call is due.
pub(crate) const LOCK: &str = "expectations.lock";

/// What a case is about, in a word.
pub(crate) fn kind(case: &Case) -> String {
    match &case.claim {
        Claim::Determined(_) => "determined".into(),
        Claim::Open { question, .. } => format!("open: {question}"),
    }
}
