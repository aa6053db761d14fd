//! A backend in a report: the name on the command line, and the results.

use crate::repro::Repro;
use normative_conformance::report::Report;

/// A backend and its results.
#[derive(Clone, Debug)]
pub struct Column<'a> {
    /// Its name on the command line, such as `onnxruntime@1.22.0`.
    pub name: String,
    /// The report of its run.
    pub report: Report<'a>,
    /// The command that repeats its run.
    pub again: String,
    /// The command that writes a reproduction of one of its calls, if the backend has one.
    pub repro: Option<Repro>,
}
