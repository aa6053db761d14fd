//! Releases, and the spans of them in which a call shows a defect.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::outcome::ReleaseVerdict;

/// A release, ordered by its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Release(pub String);

/// Returns true if a version names a release: it is the same, or the minor version of it.
pub(crate) fn is_named(release: &str, version: &str) -> bool {
    release.strip_prefix(version).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The verdict of each release that was asked; `None` if it does not support the call.
pub type Verdicts = BTreeMap<Release, Option<ReleaseVerdict>>;

/// Consecutive releases in which a call shows a defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first of them.
    pub since: Release,
    /// False if the defect was there in the oldest release that was asked.
    pub came: bool,
    /// The first release without it, if any.
    pub until: Option<Release>,
    /// The first of the newest releases, if none of those has a verdict.
    pub silent: Option<Release>,
}

/// Returns the spans of releases that have a defect. Releases without a verdict are left out.
pub fn spans(releases: impl IntoIterator<Item = (Release, bool)>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut before = None;
    for (release, has) in releases {
        match (before, has) {
            (None | Some(false), true) => {
                spans.push(Span { since: release, came: before.is_some(), until: None, silent: None });
            }
            (Some(true), false) => {
                spans.last_mut().into_iter().for_each(|span| span.until = Some(release.clone()));
            }
            _ => {}
        }
        before = Some(has);
    }
    spans
}

impl Span {
    /// Returns its first release in words.
    pub fn since(&self) -> String {
        format!("{}{}", self.since.0, if self.came { "" } else { " or before" })
    }

    /// Returns the first release after it in words.
    pub fn until(&self) -> String {
        self.until.as_ref().map_or_else(|| "-".to_owned(), |until| until.0.clone())
    }

    /// Returns the span from the older start to the newer end of both.
    pub(crate) fn around(self, other: Self) -> Self {
        let (older, newer) = if self.since <= other.since { (self, other) } else { (other, self) };
        let came = older.came && (newer.came || newer.since > older.since);
        let until = older.until.zip(newer.until).map(|(one, other)| one.max(other));
        let silent = older.silent.zip(newer.silent).map(|(one, other)| one.max(other));
        Self { since: older.since, came, until, silent }
    }

    /// Returns true if it holds this release.
    pub fn holds(&self, release: &Release) -> bool {
        self.since <= *release && self.until.as_ref().is_none_or(|until| release < until)
    }
}

impl Release {
    fn numbers(&self) -> impl Iterator<Item = u64> {
        self.0.split('.').map_while(|part| part.parse().ok())
    }
}

impl Ord for Release {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers().cmp(other.numbers()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Release {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
