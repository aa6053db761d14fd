//! The releases of a runtime: those that the package index offers, between two that the user may name, and starting one.

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgMatches};
use normative_conformance::drive::{Driver as _, Program};

use crate::backends::{self, Wanted};
use crate::history::spans::is_named;
use crate::judging::Judging;
use crate::outcome::{ReleaseOutcome, error_line};

/// Returns the argument that names a runtime.
pub(crate) fn argument() -> Arg {
    Arg::new("runtime")
        .value_name("RUNTIME")
        .required(true)
        .help("The backend: a name that `cargo xtask backends` lists with a version")
}

/// Returns the options that narrow the releases.
pub(crate) fn options() -> [Arg; 2] {
    let version =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).value_name("VERSION").help(help);
    [
        version("from", "Try no release before this one [default: the oldest that the index offers]"),
        version("to", "Try no release after this one [default: the newest]"),
    ]
}

/// Returns the row of the runtime, which must be named without a version, and its releases in the range of the options.
///
/// # Errors
/// The name is unknown or has a version, or the index does not have these releases.
pub(crate) fn of(matches: &ArgMatches, pre: bool) -> Result<(Wanted<'_>, Vec<String>)> {
    let wanted = wanted(named(matches))?;
    let name = wanted.known.name;
    let offered = wanted.releases(pre)?.with_context(|| {
        format!(
            "{name} is not installed from the package index: its version is the one its crate is built with"
        )
    })?;
    let option = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    Ok((wanted, between(offered, option("from"), option("to"))?))
}

/// Returns the releases as [`of`] does; of a crate, the version that its adapter is built with, which its worker tells.
///
/// # Errors
/// Those of [`of`], or the worker of a crate does not start.
pub(crate) fn or_built<'m>(
    matches: &'m ArgMatches,
    judging: &Judging<'_>,
) -> Result<(Wanted<'m>, Vec<String>)> {
    let wanted = wanted(named(matches))?;
    // A crate has no releases, so a range of them is refused.
    if wanted.has_releases() || matches.contains_id("from") || matches.contains_id("to") {
        return of(matches, false);
    }
    let worker = judging.worker(wanted.bare()?)?;
    Ok((wanted, vec![worker.identity().version]))
}

fn named(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("runtime").map_or("", String::as_str)
}

/// Looks up the row of the runtime, which must be named without a version.
fn wanted(name: &str) -> Result<Wanted<'_>> {
    if name.contains('@') {
        bail!("{name}: expected a name without a version; --from and --to say which releases to try");
    }
    let wanted = backends::find(name)?;
    wanted.with_context(|| format!("there is no backend `{name}` here; cargo xtask backends lists them"))
}

/// Installs one release if it is missing, and starts it once without a call: a failure after that is not the adapter's.
/// Returns its worker, or the outcome of a release that cannot be asked.
///
/// # Errors
/// The name has no row.
pub(crate) fn start(
    judging: &Judging<'_>,
    release: &str,
    bare: Program,
) -> Result<Result<Program, ReleaseOutcome>> {
    let wanted = backends::find(release)?.with_context(|| release.to_owned())?;
    if let Err(why) = wanted.install() {
        return Ok(Err(ReleaseOutcome::NotInstalled(error_line(&format!("{why:#}")))));
    }
    let program = match wanted.equip(bare) {
        Ok(program) => program,
        Err(why) => return Ok(Err(ReleaseOutcome::NotStarted(error_line(&format!("{why:#}"))))),
    };
    Ok(match judging.worker(program.clone()) {
        Ok(_) => Ok(program),
        Err(why) => Err(ReleaseOutcome::NotStarted(error_line(&why.to_string()))),
    })
}

/// Returns the releases from `from` to `to`, both included, oldest first. `offered` is newest first, as pip lists it;
/// versions are not compared here.
///
/// # Errors
/// `from` or `to` is not offered, `from` is newer than `to`, or the index offers nothing.
fn between(offered: Vec<String>, from: Option<&str>, to: Option<&str>) -> Result<Vec<String>> {
    let mut releases: Vec<String> = offered;
    releases.reverse();
    let (Some(oldest), Some(newest)) = (releases.first(), releases.last()) else {
        bail!("the package index offers no release with a wheel for this Python and platform");
    };
    // The range takes all of a minor version that an option names.
    let place = |option: &str, wanted: &str| {
        let found = match option {
            "--from" => releases.iter().position(|release| is_named(release, wanted)),
            _ => releases.iter().rposition(|release| is_named(release, wanted)),
        };
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

/// Returns the last of the neighbours that share their first two numbers, such as 1.22.1 of 1.22.0 and 1.22.1.
pub(crate) fn newest_of_minors(mut oldest_first: Vec<String>) -> Vec<String> {
    oldest_first.reverse();
    oldest_first.dedup_by(|older, newer| older.split('.').take(2).eq(newer.split('.').take(2)));
    oldest_first.reverse();
    oldest_first
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
    #[case::of_a_minor_version(Some("1.9"), Some("1.9"), &["1.9.0", "1.9.1"])]
    fn both_ends_belong_to_the_range(
        #[case] from: Option<&str>,
        #[case] to: Option<&str>,
        #[case] expected: &[&str],
    ) {
        assert_eq!(between(offered(), from, to).unwrap(), expected);
    }

    #[rstest]
    #[case::unknown_from(
        Some("1.1"),
        None,
        "--from 1.1: expected a release that the index offers: 1.10.0, 1.9.1"
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
    fn a_minor_version_has_one_newest_release() {
        let releases = ["1.2.0", "1.9.0", "1.9.1", "1.10", "1.10.0.1"].map(str::to_owned).to_vec();
        assert_eq!(newest_of_minors(releases), ["1.2.0", "1.9.1", "1.10.0.1"]);
    }

    #[test]
    fn an_index_without_releases_is_an_error() {
        let error = between(Vec::new(), None, None).unwrap_err().to_string();
        assert!(error.contains("offers no release"), "{error}");
    }

    #[rstest]
    #[case::a_version("onnxruntime@1.22.0", "--from and --to say which releases to try")]
    #[case::unknown("onnxruntimes", "there is no backend `onnxruntimes` here")]
    fn a_runtime_is_the_name_of_a_backend_here(#[case] name: &str, #[case] because: &str) {
        let error = wanted(name).unwrap_err().to_string();
        assert!(error.contains(because), "{error}");
    }

    #[test]
    fn a_crate_has_no_releases_to_try() {
        assert_eq!(wanted("tract").unwrap().releases(false).unwrap(), None);
    }
}
