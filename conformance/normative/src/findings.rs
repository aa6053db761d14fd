//! Looks up failures that are known of released runtimes, in `docs/findings`: since which release, and where reported.
//!
//! The workshop checks these files (`cargo xtask findings`). An installed program has none of them, so it knows nothing.

use std::path::Path;

use anyhow::{Context as _, Result};
use normative_conformance::outside;
use normative_conformance::report::finding::Line;
use serde::Deserialize;

use crate::home;

/// The fields that say when a failure came and went.
#[derive(Debug, Deserialize)]
struct Finding {
    backend: String,
    case: Option<String>,
    call: Option<String>,
    since: String,
    until: Option<String>,
    upstream: String,
    upstream_of: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Runtime {
    findings: Vec<Finding>,
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

fn text(path: &Path) -> Result<String> {
    outside::text(path, outside::WRITTEN).with_context(|| path.display().to_string())
}

fn lines_of(text: &str, backend: &str, shows: impl Fn(&str) -> bool) -> Result<Vec<Line>> {
    let runtime: Runtime = serde_yaml::from_str(text)?;
    let is_about = |one: &Finding| {
        let call = one.case.as_ref().or(one.call.as_ref());
        one.backend == backend && call.is_some_and(|call| shows(call))
    };
    let mut lines: Vec<Line> = Vec::new();
    for one in runtime.findings.into_iter().filter(is_about) {
        let until = one.until.map(|until| format!("; mended in {until}")).unwrap_or_default();
        let known = (one.since != "unknown").then(|| Line::new("since", &(one.since + &until)));
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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const TEXT: &str = "runtime: R
findings:
  - {backend: r, case: a, since: 1.2.0, until: 1.4.0, upstream: https://example.org/1, defect: of one call}
  - {backend: r, case: b, since: unknown, upstream: https://example.org/2, upstream_of: another operator}
  - {backend: r-fed, case: a, since: 1.0.0 or before, upstream: none}
  - {backend: r, call: '1:7', since: 1.2.0, upstream: none}
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
