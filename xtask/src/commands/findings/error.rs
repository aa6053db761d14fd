//! Errors in files of findings, with their lines.

use std::path::PathBuf;

use normative_conformance::corpus::guard::{MAX_BYTES, Refusal};
use normative_conformance::reference::Spec;
use thiserror::Error;

/// One problem in one file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}:{line}: {problem}", file.display())]
pub(super) struct FindingError {
    /// The file or folder.
    pub(super) file: PathBuf,
    /// The line, from 1. It is 1 for a problem with the file as a whole.
    pub(super) line: usize,
    /// The problem.
    pub(super) problem: Problem,
}

/// A kind of problem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Problem {
    /// An error of the file system.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// A folder, a link, or another kind of file.
    #[error("expected a regular file whose name ends in .yaml")]
    NotAFile,
    /// A folder without files.
    #[error("expected at least one .yaml file")]
    NoFiles,
    /// A file above [`MAX_BYTES`].
    #[error("expected at most {MAX_BYTES} bytes")]
    TooLong,
    /// A feature of YAML that this repository does not use.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// Not YAML, an unknown, missing or repeated field, or a value of the wrong type.
    #[error("{0}")]
    Yaml(String),
    /// A text that is empty, or that would break the table of the page.
    #[error("{field}: expected a text on one line without `|`")]
    Text {
        /// The field.
        field: &'static str,
    },
    /// A backend that `cargo xtask backends` does not list.
    #[error("{field}: there is no backend `{name}`; cargo xtask backends lists them")]
    UnknownBackend {
        /// The field.
        field: &'static str,
        /// The name in the file.
        name: String,
    },
    /// A backend of a finding that the head of the file does not name.
    #[error("backend: expected one of {}, got `{name}`", listed.join(", "))]
    UnlistedBackend {
        /// The name in the file.
        name: String,
        /// The backends that the head names.
        listed: Vec<String>,
    },
    /// A backend of the head that has no findings, or that occurs twice.
    #[error("backends: expected each backend once, with at least one finding: `{name}`")]
    UselessBackend {
        /// Its name.
        name: String,
    },
    /// Neither a case nor a call, or both.
    #[error("expected one of `case` and `call`, got {}", if *.both { "both" } else { "neither" })]
    NotOneWitness {
        /// Set if both are present, cleared if neither is.
        both: bool,
    },
    /// A case that the corpus does not have.
    #[error("case: the corpus has no case `{0}`")]
    UnknownCase(String),
    /// A call that is not SEED:INDEX.
    #[error("call: {0}")]
    Call(&'static str),
    /// A clause that the ledger does not have.
    #[error("clause: {spec} has no clause `{clause}`")]
    UnknownClause {
        /// The spec of the case or call.
        spec: Spec,
        /// The name in the file.
        clause: String,
    },
    /// The same call of the same backend, twice.
    #[error("is already at line {0}")]
    Duplicate(usize),
    /// A release that is not a version of numbers.
    #[error("{field}: expected a release such as 1.27.0{}, got `{text}`", if *.bound { ", `1.27.0 or before`, or `unknown`" } else { "" })]
    Release {
        /// The field.
        field: &'static str,
        /// The text in the file.
        text: String,
        /// True if the field may also be a bound.
        bound: bool,
    },
    /// Two releases in the wrong order.
    #[error("expected `{older}` to be before `{newer}`")]
    Order {
        /// The field of the older release.
        older: &'static str,
        /// The field of the newer one.
        newer: &'static str,
    },
    /// A field that the state needs, or does not take.
    #[error("{field}: `state: {state}` {}", if *.missing { "needs it" } else { "does not take it" })]
    State {
        /// The field.
        field: &'static str,
        /// The state.
        state: &'static str,
        /// True if the field is missing.
        missing: bool,
    },
    /// A value that is neither a link nor `none`.
    #[error("upstream: expected `none` or a link that begins with https://, got `{0}`")]
    Upstream(String),
}
