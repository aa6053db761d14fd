//! Releases, and the expectation of a finding for each.
//!
//! Releases compare by their numbers; this module knows no runtime.

use std::fmt;
use std::str::FromStr;

/// A release such as 1.27.0 or 2026.4.1. Pre-releases are not releases here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release(Vec<u64>);

impl FromStr for Release {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |part: &str| {
            // The number must have neither a sign nor a leading zero, so that it reads back as written.
            let number: u64 = part.parse().map_err(|_| ())?;
            if number.to_string() == part { Ok(number) } else { Err(()) }
        };
        text.split('.').map(number).collect::<Result<_, ()>>().map(Self)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(u64::to_string).collect::<Vec<_>>().join("."))
    }
}

/// The release that brought a defect, or the one that mended it, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// This release; the one before it differs.
    At(Release),
    /// This release or an older one.
    OrBefore(Release),
    /// Not known.
    Unknown,
}

impl Bound {
    /// Returns the release that it names.
    pub(super) const fn release(&self) -> Option<&Release> {
        match self {
            Self::At(release) | Self::OrBefore(release) => Some(release),
            Self::Unknown => None,
        }
    }
}

impl FromStr for Bound {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match (text, text.strip_suffix(" or before")) {
            ("unknown", _) => Ok(Self::Unknown),
            (_, Some(release)) => release.parse().map(Self::OrBefore),
            (release, None) => release.parse().map(Self::At),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(release) => release.fmt(f),
            Self::OrBefore(release) => write!(f, "{release} or before"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

/// The releases that have a defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Life {
    /// The first release that has it.
    pub(super) since: Bound,
    /// The newest release in which it was seen.
    pub(super) seen: Release,
    /// The first release without it, if any.
    pub(super) until: Option<Bound>,
    /// The newest release in which a mended defect was not seen.
    pub(super) gone: Release,
}

/// The expectation of a finding for one release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The release has the defect.
    Fails,
    /// The release does not have it.
    Conforms,
    /// The finding does not cover the release.
    Unknown,
}

impl Life {
    /// Returns the expectation for this release.
    pub(super) fn due(&self, release: &Release) -> Due {
        let first = self.since.release().unwrap_or(&self.seen);
        if release < first {
            return if matches!(self.since, Bound::At(_)) { Due::Conforms } else { Due::Unknown };
        }
        let Some(until) = &self.until else { return Due::Fails };
        if release >= until.release().unwrap_or(&self.gone) {
            Due::Conforms
        } else if matches!(until, Bound::At(_)) || *release <= self.seen {
            Due::Fails
        } else {
            Due::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn release(text: &str) -> Release {
        text.parse().unwrap()
    }

    #[rstest]
    #[case::more_digits("1.9.1", "1.10.0")]
    #[case::one_number_more("1.9", "1.9.1")]
    #[case::years("2025.2.0", "2026.1.0")]
    fn releases_compare_by_their_numbers(#[case] older: &str, #[case] newer: &str) {
        assert!(release(older) < release(newer));
    }

    #[rstest]
    #[case::empty("")]
    #[case::a_word("newest")]
    #[case::a_pre_release("2.4.0rc1")]
    #[case::a_sign("1.+2.0")]
    #[case::a_leading_zero("1.02.0")]
    #[case::a_hole("1..0")]
    fn a_text_that_is_not_of_numbers_is_not_a_release(#[case] text: &str) {
        assert_eq!(text.parse::<Release>(), Err(()));
    }

    #[rstest]
    #[case::at("1.27.0")]
    #[case::or_before("1.19.0 or before")]
    #[case::unknown("unknown")]
    fn a_bound_reads_back_as_it_is_written(#[case] text: &str) {
        assert_eq!(text.parse::<Bound>().unwrap().to_string(), text);
    }

    #[rstest]
    #[case::before_it_came("1.3.0", None, "1.2.9", Due::Conforms)]
    #[case::when_it_came("1.3.0", None, "1.3.0", Due::Fails)]
    #[case::after_it_was_seen("1.3.0", None, "1.9.0", Due::Fails)]
    #[case::maybe_before_it_came("1.3.0 or before", None, "1.2.9", Due::Unknown)]
    #[case::at_the_oldest_asked("1.3.0 or before", None, "1.3.0", Due::Fails)]
    #[case::never_bisected("unknown", None, "1.4.9", Due::Unknown)]
    #[case::never_bisected_but_seen("unknown", None, "1.5.0", Due::Fails)]
    #[case::just_before_it_went("1.3.0", Some("1.7.0"), "1.6.9", Due::Fails)]
    #[case::when_it_went("1.3.0", Some("1.7.0"), "1.7.0", Due::Conforms)]
    #[case::between_seen_and_gone("1.3.0", Some("1.7.0 or before"), "1.6.0", Due::Unknown)]
    #[case::seen("1.3.0", Some("1.7.0 or before"), "1.5.0", Due::Fails)]
    #[case::gone("1.3.0", Some("1.7.0 or before"), "1.7.0", Due::Conforms)]
    #[case::gone_sometime("1.3.0", Some("unknown"), "1.8.0", Due::Conforms)]
    #[case::gone_by_then_or_not("1.3.0", Some("unknown"), "1.7.9", Due::Unknown)]
    fn a_release_fails_from_since_until_until(
        #[case] since: &str,
        #[case] until: Option<&str>,
        #[case] asked: &str,
        #[case] due: Due,
    ) {
        let until = until.map(|until| until.parse().unwrap());
        let life =
            Life { since: since.parse().unwrap(), seen: release("1.5.0"), until, gone: release("1.8.0") };
        assert_eq!(life.due(&release(asked)), due);
    }
}
