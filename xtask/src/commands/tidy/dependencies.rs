//! Checks that `docs/dependencies.md` lists exactly the dependencies of the workspaces, and that adapters do not get
//! more dependencies than they need.
//!
//! It uses cargo's metadata: every member's direct dependencies of every kind, except those by path.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use normative::runner::metadata;

/// The page.
pub(super) const PAGE: &str = "docs/dependencies.md";

/// The workspaces: the heading on the page, and the folder.
const WORKSPACES: [(&str, &str); 3] =
    [("The main workspace", "."), ("fuzz", "fuzz"), ("backends", "backends")];

/// The crates that every adapter is built with, each with the dependencies that it may have.
const OF_ADAPTERS: [(&str, &[&str]); 2] = [
    ("normative-backend", &["ndarray", "normative-reference", "thiserror"]),
    ("normative-reference", &["half", "ndarray", "num-bigint", "strum", "thiserror"]),
];

/// Returns the findings about the page, and about the crates that adapters are built with.
pub(super) fn differences(root: &Path, page: &str) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for (heading, folder) in WORKSPACES {
        findings.extend(differences_of(page, heading, &direct(&root.join(folder))?));
    }
    findings.extend(burdens(&metadata(root)?));
    Ok(findings)
}

/// Returns the names of the packages that the members of a workspace depend on.
fn direct(folder: &Path) -> Result<BTreeSet<String>> {
    let metadata = metadata(folder)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let all = packages.flat_map(|package| package["dependencies"].as_array().into_iter().flatten());
    let theirs = all.filter(|dependency| dependency["path"].is_null());
    Ok(theirs.filter_map(|dependency| dependency["name"].as_str().map(str::to_owned)).collect())
}

/// Returns the dependencies that the crates for adapters must not have.
fn burdens(metadata: &Value) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, needs) in OF_ADAPTERS {
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let ours = packages.filter(|package| package["name"] == name);
        let all = ours.flat_map(|package| package["dependencies"].as_array().into_iter().flatten());
        // The kind of an ordinary dependency is null.
        let ordinary = all.filter(|dependency| dependency["kind"].is_null());
        let more = ordinary.filter_map(|dependency| dependency["name"].as_str());
        findings.extend(
            more.filter(|more| !needs.contains(more))
                .map(|more| format!("{name} depends on {more}, and every adapter would be built with it")),
        );
    }
    findings
}

fn differences_of(page: &str, heading: &str, direct: &BTreeSet<String>) -> Vec<String> {
    let section = page.split("\n## ").find_map(|section| section.strip_prefix(heading)?.strip_prefix('\n'));
    let rows =
        section.unwrap_or_default().lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    // A row without a reason does not count.
    let listed: BTreeSet<String> = rows
        .filter(|(_, reason)| !reason.trim_matches([' ', '|']).is_empty())
        .map(|(name, _)| name.to_owned())
        .collect();
    let missing =
        direct.difference(&listed).map(|name| format!("{heading} depends on {name}, which is not listed"));
    let stale =
        listed.difference(direct).map(|name| format!("{heading} does not depend on {name}, which is listed"));
    missing.chain(stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_that_is_not_listed_and_one_that_is_no_more_are_named() {
        let page = "# A\n\n## fuzz\n\n| `a` | for a |\n| `b` | |\n| `c` | for c |\n\n## backends\n\n| `d` | for d |\n";
        let direct = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(
            differences_of(page, "fuzz", &direct(&["a", "b"])),
            ["fuzz depends on b, which is not listed", "fuzz does not depend on c, which is listed"]
        );
        assert_eq!(differences_of(page, "backends", &direct(&["d"])), [""; 0]);
        assert_eq!(
            differences_of(page, "other", &direct(&["d"])),
            ["other depends on d, which is not listed"]
        );
    }

    #[test]
    fn what_an_adapter_does_not_need_is_named() {
        let dependency = |name: &str, kind: Value| serde_json::json!({ "name": name, "kind": kind });
        let metadata = serde_json::json!({ "packages": [
            { "name": "normative-backend", "dependencies": [
                dependency("ndarray", Value::Null),
                dependency("yaml_serde", Value::Null),
                dependency("proptest", "dev".into()),
            ] },
            { "name": "normative-conformance", "dependencies": [dependency("yaml_serde", Value::Null)] },
        ] });
        let due = "normative-backend depends on yaml_serde, and every adapter would be built with it";
        assert_eq!(burdens(&metadata), [due]);
    }
}
