//! Findings after their files are parsed. For the format, see [`document`](super::document).

use std::fmt;
use std::path::PathBuf;

use normative_conformance::run::property::Id;
use serde::Deserialize;

use super::release::{Life, Release};

/// A runtime and its findings.
#[derive(Clone, Debug)]
pub(super) struct Runtime {
    /// The file, for messages.
    pub(super) file: PathBuf,
    /// The heading on the page: the part before the release, and the part after it.
    pub(super) name: String,
    pub(super) part: Option<String>,
    /// The newest release in which every finding was asked.
    pub(super) checked: Release,
    /// The backends that reach it, in the order of the page.
    pub(super) routes: Vec<Route>,
    /// The findings, in the order of the file.
    pub(super) findings: Vec<Finding>,
}

/// A backend that reaches a runtime.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Route {
    /// Its name, as `cargo xtask backends` lists it.
    pub(super) name: String,
    /// The text on the page before its command.
    pub(super) heading: Option<String>,
    /// The text on the page after its rows.
    pub(super) note: Option<String>,
}

/// One defect.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    /// Its line in the file.
    pub(super) line: usize,
    pub(super) defect: String,
    pub(super) backend: String,
    pub(super) witness: Witness,
    /// True if the text allows the answer, but it is not the norm, although its type can hold the norm.
    pub(super) hazard: bool,
    pub(super) clause: String,
    pub(super) due: String,
    pub(super) came: String,
    pub(super) life: Life,
    pub(super) state: State,
    pub(super) upstream: Option<Upstream>,
}

/// The call that shows a defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Witness {
    /// The case of this name.
    Case(String),
    /// A generated call.
    Call(Id),
}

/// A report on the same or a similar defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Upstream {
    pub(super) link: String,
    /// The subject of the report, if it is not the defect itself.
    pub(super) of: Option<String>,
}

/// The state of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// The newest release has it, and no report upstream is known.
    Open,
    /// The newest release has it, and upstream has a report of it.
    Reported,
    /// The newest release does not have it.
    Mended,
}

impl State {
    /// Returns its word in files and on the page.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Reported => "reported",
            Self::Mended => "mended",
        }
    }
}

impl Witness {
    /// Returns the option that asks it, with its value.
    pub(super) fn option(&self) -> String {
        match self {
            Self::Case(name) => format!("--case {name}"),
            Self::Call(id) => format!("--case {id}"),
        }
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Case(name) => f.write_str(name),
            Self::Call(id) => id.fmt(f),
        }
    }
}
