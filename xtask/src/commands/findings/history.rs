//! The histories of runtimes, from which findings take their releases, and which they must agree with.

use normative::history::model::History;
use normative::history::{self, spans};
use normative::outcome::ReleaseVerdict;

use super::finding::Witness;
use super::release::{Bound, Life, Release};

/// Returns the history of a backend. Tests of `normative` read all of them.
fn kept(backend: &str) -> Option<&'static History> {
    history::of(backend).ok()?
}

/// Returns the verdict of each judged release on a call; `None` if the release does not support it. Empty for a call
/// that the history of this backend does not follow.
pub(super) fn verdicts(backend: &str, witness: &Witness) -> Vec<(Release, Option<ReleaseVerdict>)> {
    let asked = kept(backend).and_then(|history| history.calls.get(&call(witness)));
    let all = asked.into_iter().flatten();
    all.filter_map(|(release, verdict)| Some((of(release)?, *verdict))).collect()
}

/// Returns the releases that have a defect, by the history of its backend: of several spans, the last.
pub(super) fn life(backend: &str, witness: &Witness, hazard: bool) -> Option<Life> {
    let history = kept(backend)?;
    let span = history.spans(&call(witness), |verdict| verdict.shows(hazard)).pop()?;
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
