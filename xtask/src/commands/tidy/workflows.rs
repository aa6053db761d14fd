//! Checks that workflows name other projects' actions by commit, so that they run the code that was reviewed.

/// Returns the problem with a line of a workflow, if any.
pub(super) fn unpinned(file: &str, line: &str) -> Option<&'static str> {
    if !file.starts_with(".github/workflows/") && file != "action.yml" {
        return None;
    }
    let line = line.trim_start();
    let used = line.strip_prefix("- ").unwrap_or(line).strip_prefix("uses:")?.trim();
    let used = used.split_whitespace().next().unwrap_or_default();
    let is_commit = |name: &str| name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_pinned = used.starts_with("./") || used.split_once('@').is_some_and(|(_, at)| is_commit(at));
    (!is_pinned).then_some("uses an action that is not named by its commit")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const COMMIT: &str = "11d5960a326750d5838078e36cf38b85af677262";

    #[rstest]
    #[case::a_tag(".github/workflows/a.yml", "      - uses: actions/checkout@v4", false)]
    #[case::a_tag_of_a_named_step(".github/workflows/a.yml", "        uses: actions/checkout@v4.4.0", false)]
    #[case::a_short_commit(".github/workflows/a.yml", "uses: actions/checkout@11d5960", false)]
    #[case::nothing(".github/workflows/a.yml", "uses: actions/checkout", false)]
    #[case::of_the_action_itself("action.yml", "uses: actions/checkout@main", false)]
    #[case::our_own(".github/workflows/a.yml", "        uses: ./", true)]
    #[case::elsewhere("docs/ci.md", "      - uses: actions/checkout@v4", true)]
    #[case::no_use(".github/workflows/a.yml", "      - run: echo uses: a@b", true)]
    fn actions_are_named_by_commit(#[case] file: &str, #[case] line: &str, #[case] fine: bool) {
        assert_eq!(unpinned(file, line).is_none(), fine);
    }

    #[test]
    fn a_commit_is_a_pin_whatever_follows_it() {
        let line = format!("      - uses: actions/checkout@{COMMIT} # v4.4.0");
        assert_eq!(unpinned(".github/workflows/a.yml", &line), None);
    }
}
