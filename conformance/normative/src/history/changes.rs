//! Values of releases as a text of their changes: `1.19.0 hazard, 1.27.0 conforms`.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::spans::Release;

/// The values of releases.
pub(super) type Values = BTreeMap<Release, String>;

/// The text of a release without a value.
const NONE: &str = "-";

/// Returns the changes of a value over these releases, oldest first.
pub(super) fn text(values: &Values, releases: &[Release]) -> String {
    let (mut changes, mut before) = (Vec::new(), NONE);
    for release in releases {
        let now = values.get(release).map_or(NONE, String::as_str);
        if now != before {
            changes.push(format!("{} {now}", release.0));
            before = now;
        }
    }
    changes.join(", ")
}

/// Reads such a text.
///
/// # Errors
/// It names a release that is not one of these, or that is out of order.
pub(super) fn values(text: &str, releases: &[Release]) -> Result<Values> {
    let mut changes = text.split(", ").filter_map(|change| change.split_once(' ')).peekable();
    let (mut values, mut now) = (Values::new(), NONE);
    for release in releases {
        if let Some((_, value)) = changes.next_if(|(at, _)| *at == release.0) {
            now = value;
        }
        if now != NONE {
            values.insert(release.clone(), now.to_owned());
        }
    }
    match changes.next() {
        Some((at, _)) => bail!("expected releases of `runs`, oldest first, got {at} in `{text}`"),
        None => Ok(values),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn releases() -> Vec<Release> {
        ["1.9.0", "1.10.0", "1.11.0"].map(|release| Release(release.to_owned())).to_vec()
    }

    #[rstest]
    #[case::nothing("")]
    #[case::one_value("1.9.0 a b")]
    #[case::a_change("1.9.0 a, 1.11.0 b")]
    #[case::a_hole("1.9.0 a, 1.10.0 -, 1.11.0 a")]
    #[case::no_value_at_first("1.10.0 a")]
    fn changes_read_back(#[case] changes: &str) {
        assert_eq!(text(&values(changes, &releases()).unwrap(), &releases()), changes);
    }

    #[rstest]
    #[case::unknown("1.9.1 a")]
    #[case::out_of_order("1.11.0 a, 1.10.0 b")]
    fn a_release_that_was_not_judged_is_refused(#[case] changes: &str) {
        assert!(values(changes, &releases()).is_err());
    }
}
