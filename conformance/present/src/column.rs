//! A backend in a report: what it was asked for by, and what came of it.

use crate::repro::Repro;
use normative_conformance::report::Report;

/// A backend and what it was found to be.
#[derive(Clone, Debug)]
pub struct Column<'a> {
    /// What it was asked for by, such as `onnxruntime@1.22.0`.
    pub name: String,
    /// What came of it.
    pub report: Report<'a>,
    /// The command that repeats its run.
    pub again: String,
    /// The command that writes a reproduction of one of its calls, where there is one for this backend.
    pub repro: Option<Repro>,
}
