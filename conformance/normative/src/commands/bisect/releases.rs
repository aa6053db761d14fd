//! The range of releases to search: those that the package index offers, between two that the user may name.

use anyhow::{Result, bail};

/// Returns the releases from `from` to `to`, both included, oldest first. `offered` is newest first, as pip lists it;
/// versions are not compared here.
///
/// # Errors
/// `from` or `to` is not offered, `from` is newer than `to`, or the index offers nothing.
pub(super) fn between(offered: Vec<String>, from: Option<&str>, to: Option<&str>) -> Result<Vec<String>> {
    let mut releases: Vec<String> = offered;
    releases.reverse();
    let (Some(oldest), Some(newest)) = (releases.first(), releases.last()) else {
        bail!("the package index offers no release with a wheel for this Python and platform");
    };
    let place = |option: &str, wanted: &str| {
        let found = releases.iter().position(|release| release == wanted);
        let offered = || releases.iter().rev().cloned().collect::<Vec<_>>().join(", ");
        found.ok_or_else(|| {
            anyhow::anyhow!("{option} {wanted}: expected a release that the index offers: {}", offered())
        })
    };
    let first = place("--from", from.unwrap_or(oldest))?;
    let last = place("--to", to.unwrap_or(newest))?;
    if first > last {
        let (from, to) = (&releases[first], &releases[last]);
        bail!("--from {from} --to {to}: expected --from to be the older release");
    }
    releases.truncate(last + 1);
    Ok(releases.split_off(first))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn offered() -> Vec<String> {
        ["1.10.0", "1.9.1", "1.9.0", "1.2.0"].map(str::to_owned).to_vec()
    }

    #[rstest]
    #[case::all(None, None, &["1.2.0", "1.9.0", "1.9.1", "1.10.0"])]
    #[case::from(Some("1.9.0"), None, &["1.9.0", "1.9.1", "1.10.0"])]
    #[case::to(None, Some("1.9.0"), &["1.2.0", "1.9.0"])]
    #[case::both(Some("1.9.0"), Some("1.9.1"), &["1.9.0", "1.9.1"])]
    #[case::one(Some("1.9.0"), Some("1.9.0"), &["1.9.0"])]
    fn both_ends_belong_to_the_range(
        #[case] from: Option<&str>,
        #[case] to: Option<&str>,
        #[case] expected: &[&str],
    ) {
        assert_eq!(between(offered(), from, to).unwrap(), expected);
    }

    #[rstest]
    #[case::unknown_from(
        Some("1.9"),
        None,
        "--from 1.9: expected a release that the index offers: 1.10.0, 1.9.1"
    )]
    #[case::unknown_to(None, Some("2.0"), "--to 2.0: expected")]
    #[case::crossed(
        Some("1.10.0"),
        Some("1.9.0"),
        "--from 1.10.0 --to 1.9.0: expected --from to be the older"
    )]
    fn a_range_that_is_not_one_is_refused(
        #[case] from: Option<&str>,
        #[case] to: Option<&str>,
        #[case] because: &str,
    ) {
        let error = between(offered(), from, to).unwrap_err().to_string();
        assert!(error.starts_with(because), "{error}");
    }

    #[test]
    fn an_index_without_releases_is_an_error() {
        let error = between(Vec::new(), None, None).unwrap_err().to_string();
        assert!(error.contains("offers no release"), "{error}");
    }
}
