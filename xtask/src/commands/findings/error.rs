//! What can be wrong with a file of findings, and where.

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
    /// The line, from 1; 1 where the problem is the file as a whole.
    pub(super) line: usize,
    /// What is wrong.
    pub(super) problem: Problem,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Problem {
    /// The file system refuses.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// A folder, a link, or another kind of file.
    #[error("expected a regular file whose name ends in .yaml")]
    NotAFile,
    /// Nothing to read at all.
    #[error("expected at least one .yaml file")]
    NoFiles,
    /// Beyond [`MAX_BYTES`].
    #[error("expected at most {MAX_BYTES} bytes")]
    TooLong,
    /// YAML that the files of this repository do without.
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
        /// What it says.
        name: String,
    },
    /// A backend of a finding that the head of the file does not name.
    #[error("backend: expected one of {}, got `{name}`", listed.join(", "))]
    UnlistedBackend {
        /// What it says.
        name: String,
        /// Those that the head names.
        listed: Vec<String>,
    },
    /// A backend of the head that no finding has, or that is there twice.
    #[error("backends: expected each backend once, with at least one finding: `{name}`")]
    UselessBackend {
        /// Its name.
        name: String,
    },
    /// Neither a case nor a call, or both.
    #[error("expected one of `case` and `call`, got {}", if *.both { "both" } else { "neither" })]
    NotOneWitness {
        /// Whether both are there.
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
        /// What the file says.
        clause: String,
    },
    /// The same call of the same backend, twice.
    #[error("is already at line {0}")]
    Duplicate(usize),
    /// Not a version of numbers.
    #[error("{field}: expected a release such as 1.27.0{}, got `{text}`", if *.bound { ", `1.27.0 or before`, or `unknown`" } else { "" })]
    Release {
        /// The field.
        field: &'static str,
        /// What it says.
        text: String,
        /// Whether the field may also be a bound.
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
        /// Whether the field is missing.
        missing: bool,
    },
    /// Neither a link nor `none`.
    #[error("upstream: expected `none` or a link that begins with https://, got `{0}`")]
    Upstream(String),
}
