//! The fields of a file of findings, for serde.

use serde::Deserialize;

use super::finding::{Route, State};

/// The fields of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fields {
    pub(super) runtime: String,
    pub(super) part: Option<String>,
    pub(super) checked: String,
    pub(super) backends: Vec<Route>,
    pub(super) findings: Vec<Entry>,
}

/// The fields of a finding.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) defect: String,
    pub(super) backend: String,
    pub(super) case: Option<String>,
    pub(super) call: Option<String>,
    #[serde(default)]
    pub(super) hazard: bool,
    pub(super) clause: String,
    pub(super) due: String,
    pub(super) came: String,
    pub(super) since: Option<String>,
    pub(super) until: Option<String>,
    pub(super) seen: Option<String>,
    pub(super) state: State,
    pub(super) upstream: String,
    pub(super) upstream_of: Option<String>,
}
