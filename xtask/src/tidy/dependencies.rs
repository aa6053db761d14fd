//! Whether `docs/dependencies.md` lists what the workspaces depend on, and nothing else.
//!
//! What cargo knows of the manifests counts: every member's direct dependencies of every kind, but for those by path.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use crate::runner::metadata;

/// The page.
pub(super) const PAGE: &str = "docs/dependencies.md";

/// The workspaces, by the heading that each has on the page and by its folder.
const WORKSPACES: [(&str, &str); 3] =
    [("The main workspace", "."), ("fuzz", "fuzz"), ("backends", "backends")];

/// What is to be mended on the page.
pub(super) fn differences(root: &Path, page: &str) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for (heading, folder) in WORKSPACES {
        findings.extend(differences_of(page, heading, &direct(&root.join(folder))?));
    }
    Ok(findings)
}

/// The names of the packages that the members of a workspace depend on.
fn direct(folder: &Path) -> Result<BTreeSet<String>> {
    let metadata = metadata(folder)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let all = packages.flat_map(|package| package["dependencies"].as_array().into_iter().flatten());
    let theirs = all.filter(|dependency| dependency["path"].is_null());
    Ok(theirs.filter_map(|dependency| dependency["name"].as_str().map(str::to_owned)).collect())
}

fn differences_of(page: &str, heading: &str, direct: &BTreeSet<String>) -> Vec<String> {
    let section = page.split("\n## ").find_map(|section| section.strip_prefix(heading)?.strip_prefix('\n'));
    let rows =
        section.unwrap_or_default().lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    // A row without a reason is none.
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
}
