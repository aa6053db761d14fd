//! The histories of runtimes, from which findings take their releases, and which they must agree with.

use std::fmt::Write as _;

use anyhow::Result;
use normative::history::model::History;
use normative::history::{self, spans};
use normative::outcome::ReleaseVerdict;

use super::finding::{Finding, Runtime, Witness};
use super::release::{Bound, Due, Life, Release};

/// Returns the history of a backend. Tests of `normative` read all of them.
fn kept(backend: &str) -> Option<&'static History> {
    history::of(backend).ok()?
}

/// Returns the verdict of each judged release on a call; `None` if the release does not support it. Empty for a call
/// that the history of this backend does not follow.
fn verdicts(backend: &str, witness: &Witness) -> Vec<(Release, Option<ReleaseVerdict>)> {
    let asked = kept(backend).and_then(|history| history.calls.get(&call(witness)));
    let all = asked.into_iter().flatten();
    all.filter_map(|(release, verdict)| Some((of(release)?, *verdict))).collect()
}

/// Returns a line for each finding and release that the history of its backend contradicts.
pub(super) fn disagreements(runtimes: &[Runtime]) -> Result<String> {
    let mut text = String::new();
    for runtime in runtimes {
        for Finding { line, defect, backend, witness, life, hazard, .. } in &runtime.findings {
            for (release, verdict) in verdicts(backend, witness) {
                if contradicts(life.due(&release), *hazard, verdict) {
                    let came =
                        verdict.map_or_else(|| "unsupported".to_owned(), |verdict| verdict.to_string());
                    let file = runtime.file.display();
                    writeln!(text, "{file}:{line}: {defect}: {backend}@{release} {came}, by its history")?;
                }
            }
        }
    }
    Ok(text)
}

/// Returns true if a verdict is not what a finding expects of the release. A `hazard` also counts as present if its answer
/// is accepted.
fn contradicts(due: Due, hazard: bool, came: Option<ReleaseVerdict>) -> bool {
    match (due, came.map(|came| came.shows(hazard))) {
        (Due::Unknown, _) | (Due::Conforms, None | Some(false)) | (Due::Fails, Some(true)) => false,
        (Due::Fails, None | Some(false)) | (Due::Conforms, Some(true)) => true,
    }
}

/// Returns the releases that have a defect, by the history of its backend: of several spans, the last.
pub(super) fn life(backend: &str, witness: &Witness, hazard: bool) -> Option<Life> {
    let history = kept(backend)?;
    let span = history.spans(&call(witness), |_, verdict| verdict.shows(hazard)).pop()?;
    let since = of(&span.since)?;
    let seen = history.results.keys().rfind(|release| span.holds(release))?;
    Some(Life {
        since: if span.came { Bound::At(since) } else { Bound::OrBefore(since) },
        seen: of(seen)?,
        until: span.until.and_then(|until| of(&until)).map(Bound::At),
        gone: of(history.results.keys().next_back()?)?,
    })
}

/// Returns the name of a call in a history.
fn call(witness: &Witness) -> String {
    match witness {
        Witness::Case(name) => name.clone(),
        Witness::Call(id) => history::call(&id.to_string()),
    }
}

fn of(release: &spans::Release) -> Option<Release> {
    release.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use normative_conformance::judge::fault::Fault;
    use rstest::rstest;

    use super::*;
    use normative_conformance::judge::hazard::Gives;

    const BAD: Option<ReleaseVerdict> = Some(ReleaseVerdict::Fails(Fault::WrongValue));
    const GOOD: Option<ReleaseVerdict> = Some(ReleaseVerdict::Conforms);
    const ALLOWED: Option<ReleaseVerdict> = Some(ReleaseVerdict::Hazard(Gives::Other));

    #[rstest]
    #[case::as_before(Due::Fails, BAD, false)]
    #[case::died(Due::Fails, Some(ReleaseVerdict::Fails(Fault::Crashed)), false)]
    #[case::by_chance(Due::Fails, Some(ReleaseVerdict::Nondeterministic), false)]
    #[case::mended_since(Due::Fails, GOOD, true)]
    #[case::unsupported_since(Due::Fails, None, true)]
    #[case::still_mended(Due::Conforms, GOOD, false)]
    #[case::broken_again(Due::Conforms, BAD, true)]
    #[case::allowed_since(Due::Fails, ALLOWED, true)]
    #[case::gone_with_the_operator(Due::Conforms, None, false)]
    #[case::bad_where_nothing_is_said(Due::Unknown, BAD, false)]
    #[case::good_where_nothing_is_said(Due::Unknown, GOOD, false)]
    fn a_row_is_out_of_date_where_the_file_says_otherwise(
        #[case] due: Due,
        #[case] came: Option<ReleaseVerdict>,
        #[case] is_out_of_date: bool,
    ) {
        assert_eq!(contradicts(due, false, came), is_out_of_date);
    }

    #[rstest]
    #[case::as_before(Due::Fails, ALLOWED, false)]
    #[case::worse_since(Due::Fails, BAD, false)]
    #[case::mended_since(Due::Fails, GOOD, true)]
    #[case::back_again(Due::Conforms, ALLOWED, true)]
    #[case::still_mended(Due::Conforms, GOOD, false)]
    fn a_row_of_a_hazard_is_out_of_date_where_the_norm_comes_back(
        #[case] due: Due,
        #[case] came: Option<ReleaseVerdict>,
        #[case] is_out_of_date: bool,
    ) {
        assert_eq!(contradicts(due, true, came), is_out_of_date);
    }
}
