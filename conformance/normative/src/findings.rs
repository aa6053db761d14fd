//! Looks up failures that are known of released runtimes, in `docs/findings`: since which release, and where reported.
//!
//! The workshop checks these files (`cargo xtask findings`). An installed program has none of them, so it knows nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use normative_conformance::outside;
use normative_conformance::report::finding::Line;
use serde::{Deserialize, Serialize};

use crate::history::matters::{AskedHistory, Matter};
use crate::history::model::Facts;
use crate::history::spans::{Release, Span};
use crate::history::split;
use crate::{history, home};

/// A failure that a person named. `cargo xtask findings` explains and checks the fields.
#[derive(Debug, Deserialize, Serialize)]
#[allow(missing_docs, reason = "the fields of the file, which the workshop explains")]
pub struct FindingRow {
    pub defect: String,
    pub backend: String,
    pub case: Option<String>,
    pub call: Option<String>,
    /// Without it, the history of the backend has the releases.
    pub since: Option<String>,
    #[serde(default)]
    pub hazard: bool,
    #[serde(default)]
    pub clause: String,
    #[serde(default)]
    pub due: String,
    #[serde(default)]
    pub came: String,
    #[serde(default)]
    pub state: String,
    pub until: Option<String>,
    /// The release in which a mended defect was last seen.
    pub seen: Option<String>,
    pub upstream: String,
    pub upstream_of: Option<String>,
}

impl FindingRow {
    /// Returns the name of its call in a history.
    pub fn call(&self) -> String {
        self.case.as_ref().or(self.call.as_ref()).map(|call| history::call(call)).unwrap_or_default()
    }
}

/// A file of findings.
#[derive(Debug, Deserialize)]
#[allow(missing_docs, reason = "the fields of the file, which the workshop explains")]
pub struct Runtime {
    pub runtime: String,
    #[serde(default)]
    pub checked: String,
    pub findings: Vec<FindingRow>,
}

/// Returns every file of findings, with the releases of each failure as far as they are known.
///
/// # Errors
/// There is no checkout, or a file of it cannot be read.
pub fn all() -> Result<Vec<Runtime>> {
    let mut runtimes = files()?;
    let all = runtimes.iter_mut().flat_map(|runtime| &mut runtime.findings);
    for one in all.filter(|one| one.since.is_none()) {
        let Some(span) = span(one)? else { continue };
        (one.since, one.until) = (Some(span.since()), span.until.map(|until| until.0));
    }
    Ok(runtimes)
}

/// Returns every file of findings as it is.
fn files() -> Result<Vec<Runtime>> {
    let root = home::checkout_for("docs/findings")?;
    let paths = outside::entries(&root.join("docs/findings"), outside::ENTRIES)?;
    let read = |path: &Path| serde_yaml::from_str(&text(path)?).with_context(|| path.display().to_string());
    paths.iter().map(|path| read(path)).collect()
}

/// Returns every file of findings as it is; none outside of a checkout.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn known() -> Result<Vec<Runtime>> {
    if home::checkout().is_some() { files() } else { Ok(Vec::new()) }
}

/// Returns lines about the releases with a failure, and its reports. `shows` is true for the names of calls that show it.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn about(backend: &str, shows: impl Fn(&str) -> bool) -> Result<Vec<Line>> {
    let Some(root) = home::checkout() else { return Ok(Vec::new()) };
    let mut lines = Vec::new();
    for path in outside::entries(&root.join("docs/findings"), outside::ENTRIES)? {
        let of_file = lines_of(&text(&path)?, backend, &shows);
        lines.extend(of_file.with_context(|| path.display().to_string())?);
    }
    Ok(lines)
}

/// A finding with a report upstream, and the name of its call in a history.
pub type Reported<'r> = (&'r FindingRow, String);

/// Returns the findings of a backend that have a report upstream.
pub fn reported<'r>(runtimes: &'r [Runtime], backend: &str) -> Vec<Reported<'r>> {
    let all = runtimes.iter().flat_map(|runtime| &runtime.findings);
    let own = all.filter(|one| one.backend == backend && one.upstream != "none");
    own.map(|one| (one, one.call())).collect()
}

/// Returns the reported findings of a defect or hazard: their call fails in the same way in this release, in a type of
/// the matter, and by one of its clauses.
pub fn reports<'r>(
    reported: &[Reported<'r>],
    asked: &AskedHistory<'_>,
    release: &Release,
    facts: &Facts,
    matter: &Matter,
) -> Vec<&'r FindingRow> {
    let facts = facts.defects.iter().chain(&facts.hazards).filter(|fact| fact.name == matter.name);
    let types: BTreeSet<&String> =
        facts.flat_map(|fact| fact.extent.values().flat_map(BTreeMap::keys)).collect();
    let clauses = asked.clauses(matter);
    let is_of = |(one, call): &&Reported<'_>| {
        let verdicts = asked.history.calls.get(call);
        let verdict = verdicts.and_then(|verdicts| verdicts.get(release).copied().flatten());
        let is_alike = verdict.is_some() && verdict == matter.verdict;
        is_alike && clauses.contains(&one.clause.as_str()) && types.contains(&split(call).2)
    };
    reported.iter().filter(is_of).map(|(one, _)| *one).collect()
}

/// Lists the calls that show the failures of a backend, as the option `--case` takes them.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn calls(backend: &str) -> Result<Vec<String>> {
    let own = files()?.into_iter().flat_map(|runtime| runtime.findings).filter(|one| one.backend == backend);
    Ok(own.filter_map(|one| one.case.or(one.call)).collect())
}

fn text(path: &Path) -> Result<String> {
    outside::text(path, outside::WRITTEN).with_context(|| path.display().to_string())
}

fn lines_of(text: &str, backend: &str, shows: impl Fn(&str) -> bool) -> Result<Vec<Line>> {
    let runtime: Runtime = serde_yaml::from_str(text)?;
    let is_about = |one: &FindingRow| {
        let call = one.case.as_ref().or(one.call.as_ref());
        one.backend == backend && call.is_some_and(|call| shows(call))
    };
    let mut lines: Vec<Line> = Vec::new();
    for one in runtime.findings.into_iter().filter(is_about) {
        let (since, until) = match one.since {
            Some(since) => (since, one.until),
            None => match span(&one)? {
                Some(span) => (span.since(), span.until.map(|until| until.0)),
                None => continue,
            },
        };
        let until = until.map(|until| format!("; mended in {until}")).unwrap_or_default();
        let known = (since != "unknown").then(|| Line::new("since", &(since + &until)));
        let is_reported = one.upstream != "none" && one.upstream_of.is_none();
        let reported = is_reported.then(|| Line::new("reported", &one.upstream));
        for line in known.into_iter().chain(reported) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    Ok(lines)
}

/// Returns the last releases that have a failure, by the history of its backend.
fn span(one: &FindingRow) -> Result<Option<Span>> {
    let Some(history) = history::of(&one.backend)? else { return Ok(None) };
    Ok(history.spans(&one.call(), |_, verdict| verdict.shows(one.hazard)).pop())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const TEXT: &str = "runtime: R
findings:
  - {backend: r, case: a, since: 1.2.0, until: 1.4.0, upstream: https://example.org/1, defect: of one call}
  - {defect: d, backend: r, case: b, since: unknown, upstream: https://example.org/2, upstream_of: another operator}
  - {defect: d, backend: r-fed, case: a, since: 1.0.0 or before, upstream: none}
  - {defect: d, backend: r, call: '1:7', since: 1.2.0, upstream: none}
";

    #[rstest]
    #[case::of_a_case("r", &["a"], &["since 1.2.0; mended in 1.4.0", "reported https://example.org/1"])]
    #[case::of_another_operator("r", &["b"], &[])]
    #[case::of_another_route("r-fed", &["a", "b"], &["since 1.0.0 or before"])]
    #[case::of_a_generated_call("r", &["1:7"], &["since 1.2.0"])]
    #[case::of_none("r", &["c"], &[])]
    fn a_failure_has_the_releases_of_its_finding(
        #[case] backend: &str,
        #[case] shown: &[&str],
        #[case] due: &[&str],
    ) {
        let lines = lines_of(TEXT, backend, |call| shown.contains(&call)).unwrap();
        let lines: Vec<String> = lines.iter().map(|line| format!("{} {}", line.label, line.text)).collect();
        assert_eq!(lines, due);
    }
}
