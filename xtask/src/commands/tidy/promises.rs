//! Checks SECURITY.md: each promise and each bound names tests, and those exist.

use normative_conformance::outside;

use std::path::{Path, PathBuf};

/// The page.
pub(super) const PAGE: &str = "SECURITY.md";

/// The first lines of the tables whose last column names tests.
const HEADS: [&str; 2] = ["| promise | test |", "| what | bound | in the code | test |"];

/// Returns the promises that name no test, and the named tests that do not exist.
pub(super) fn unheld(root: &Path, files: &[PathBuf], page: &str) -> Vec<String> {
    let code: Vec<String> = files
        .iter()
        .filter(|file| file.extension().is_some_and(|end| end == "rs"))
        .filter_map(|file| outside::text(&root.join(file), outside::WRITTEN).ok())
        .collect();
    let exists = |name: &str| {
        let begins = format!("fn {name}");
        // A name may be the prefix of another.
        let is_whole = |rest: &str| rest.starts_with(['(', '<']);
        code.iter().any(|code| code.split(&begins).skip(1).any(is_whole))
    };
    HEADS.iter().flat_map(|head| of_table(head, page, &exists)).collect()
}

fn of_table(head: &str, page: &str, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let table = page.lines().skip_while(|line| *line != head).skip(2);
    let rows: Vec<&str> = table.take_while(|line| line.starts_with('|')).collect();
    if rows.is_empty() {
        return vec![format!("has no table that begins with `{head}`")];
    }
    let mut findings = Vec::new();
    for row in rows {
        let mut cells = row.trim_matches('|').rsplit('|').map(str::trim);
        let (tests, promise) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        if names.is_empty() {
            findings.push(format!("names no test that holds: {promise}"));
        }
        let missing = names.into_iter().filter(|name| !exists(name));
        findings.extend(missing.map(|name| format!("names the test {name}, which is not there")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::held("| a | `known` |", &[])]
    #[case::held_by_two("| a | `known`, `other` |", &["names the test other, which is not there"])]
    #[case::held_by_nothing("| a | soon |", &["names no test that holds: a"])]
    fn a_promise_names_tests_that_are_there(#[case] row: &str, #[case] findings: &[&str]) {
        let head = HEADS[0];
        let page = format!("# Security\n\n{head}\n|---|---|\n{row}\n\nMore.\n");
        assert_eq!(of_table(head, &page, &|name| name == "known"), findings);
    }

    #[test]
    fn a_page_without_the_table_is_named() {
        assert_eq!(of_table(HEADS[1], "# Security\n", &|_| true).len(), 1);
    }
}
