//! Further rules for a file of findings: names must exist, releases be in order, and fields fit the state.

use std::str::FromStr;

use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::reference::Spec;
use normative_conformance::run::property::Id;

use super::fields::{Entry, Fields};
use super::finding::{Finding, Route, State, Upstream, Witness};
use super::history;
use super::release::{Bound, Life, Release};
use normative::backends;

/// A field, and the words on it.
pub(super) type Wrong = (&'static str, String);

/// Checks the fields above the findings. Returns the `checked` release.
pub(super) fn head(fields: &Fields) -> Result<Release, Wrong> {
    filled("runtime", &fields.runtime)?;
    fields.part.iter().try_for_each(|part| filled("part", part))?;
    let checked = release("checked", &fields.checked)?;
    for (at, Route { name, heading, note }) in fields.backends.iter().enumerate() {
        if backends::all().all(|wanted| wanted.known.name != name) {
            return Err((
                "backends",
                format!("backends: expected a backend that cargo xtask backends lists, got `{name}`"),
            ));
        }
        let twice = fields.backends.iter().take(at).any(|earlier| earlier.name == *name);
        if twice || fields.findings.iter().all(|entry| entry.backend != *name) {
            let wanted = "backends: expected each backend once, with at least one finding";
            return Err(("backends", format!("{wanted}: `{name}`")));
        }
        [heading, note].into_iter().flatten().try_for_each(|text| filled("backends", text))?;
    }
    Ok(checked)
}

/// Checks one finding.
pub(super) fn finding(
    entry: &Entry,
    line: usize,
    fields: &Fields,
    checked: &Release,
    corpus: &Corpus,
    ledger: &Ledger,
) -> Result<Finding, Wrong> {
    let Entry { defect, backend, clause, due, came, state, .. } = entry;
    for (field, text) in [("defect", defect), ("due", due), ("came", came)] {
        filled(field, text)?;
    }
    if fields.backends.iter().all(|route| route.name != *backend) {
        let listed: Vec<&str> = fields.backends.iter().map(|route| route.name.as_str()).collect();
        return Err(("backend", format!("backend: expected one of {}, got `{backend}`", listed.join(", "))));
    }
    let (witness, spec) = witness(entry, corpus)?;
    if ledger.get(spec, clause).is_none() {
        return Err(("clause", format!("clause: expected a clause of {spec}, got `{clause}`")));
    }
    let life = life(entry, &witness, checked)?;
    Ok(Finding {
        line,
        defect: defect.clone(),
        backend: backend.clone(),
        witness,
        hazard: entry.hazard,
        clause: clause.clone(),
        due: due.clone(),
        came: came.clone(),
        life,
        state: *state,
        upstream: upstream(entry)?,
    })
}

/// Returns the call that shows the defect, and its spec.
fn witness(entry: &Entry, corpus: &Corpus) -> Result<(Witness, Spec), Wrong> {
    match (&entry.case, &entry.call) {
        (Some(name), None) => {
            let case = corpus.cases.iter().find(|case| case.name == *name);
            let case =
                case.ok_or_else(|| ("case", format!("case: expected a case of the corpus, got `{name}`")))?;
            Ok((Witness::Case(name.clone()), case.call.spec()))
        }
        (None, Some(id)) => {
            let id = Id::from_str(id).map_err(|expected| ("call", format!("call: {expected}")))?;
            Ok((Witness::Call(id), id.spec()))
        }
        (case, _) => {
            let got = if case.is_some() { "both" } else { "neither" };
            Err(("defect", format!("expected one of `case` and `call`, got {got}")))
        }
    }
}

/// Returns the releases that have the defect.
fn life(entry: &Entry, witness: &Witness, checked: &Release) -> Result<Life, Wrong> {
    let Entry { until, seen, state, .. } = entry;
    let Some(since) = &entry.since else { return of_history(entry, witness) };
    for (field, there) in [("until", until.is_some()), ("seen", seen.is_some())] {
        let wanted = *state == State::Mended;
        if there != wanted {
            return Err(of_state(field, *state, wanted));
        }
    }
    let since = bound("since", since)?;
    let until = until.as_deref().map(|until| bound("until", until)).transpose()?;
    let seen = seen.as_deref().map(|seen| release("seen", seen)).transpose()?;
    // A defect that is not mended has no `seen`; the `checked` release stands for it.
    let ends = [
        (since.release(), "since", seen.as_ref(), "seen", true),
        (since.release(), "since", Some(checked), "checked", true),
        (seen.as_ref(), "seen", until.as_ref().and_then(Bound::release), "until", false),
        (seen.as_ref(), "seen", Some(checked), "checked", false),
        (until.as_ref().and_then(Bound::release), "until", Some(checked), "checked", true),
    ];
    for (one, older, other, newer, may_be_equal) in ends {
        let (Some(one), Some(other)) = (one, other) else { continue };
        if one > other || (one == other && !may_be_equal) {
            return Err((older, format!("expected `{older}` to be before `{newer}`")));
        }
    }
    Ok(Life { since, seen: seen.unwrap_or_else(|| checked.clone()), until, gone: checked.clone() })
}

/// Returns the releases that have the defect, by the history of its backend.
fn of_history(entry: &Entry, witness: &Witness) -> Result<Life, Wrong> {
    for (field, there) in [("until", entry.until.is_some()), ("seen", entry.seen.is_some())] {
        if there {
            return Err((field, format!("{field}: expected it beside `since` alone")));
        }
    }
    let backend = &entry.backend;
    let followed = history::life(backend, witness, entry.hazard);
    let life = followed.ok_or_else(|| {
        let ask = format!("cargo xtask history {backend} asks it");
        ("defect", format!("expected `since`, or a failure in the history of {backend}, which {ask}"))
    })?;
    if life.until.is_some() != (entry.state == State::Mended) {
        let until =
            life.until.as_ref().map_or_else(|| "not mended".to_owned(), |until| format!("mended in {until}"));
        return Err((
            "state",
            format!("state: the history of {backend} has it {until}, got `{}`", entry.state.word()),
        ));
    }
    Ok(life)
}

/// Returns the report on the same or a similar defect.
fn upstream(entry: &Entry) -> Result<Option<Upstream>, Wrong> {
    let Entry { state, upstream, upstream_of: of, .. } = entry;
    of.iter().try_for_each(|of| filled("upstream_of", of))?;
    if *state == State::Reported && of.is_some() {
        return Err(of_state("upstream_of", *state, false));
    }
    match upstream.as_str() {
        "none" if *state == State::Reported => Err(of_state("upstream", *state, true)),
        "none" => Ok(None),
        link if link.starts_with("https://") && !link.contains([' ', '|', ')']) => {
            Ok(Some(Upstream { link: link.to_owned(), of: of.clone() }))
        }
        other => {
            let wanted = "upstream: expected `none` or a link that begins with https://";
            Err(("upstream", format!("{wanted}, got `{other}`")))
        }
    }
}

/// Checks that a text fits into a cell of a table.
fn filled(field: &'static str, text: &str) -> Result<(), Wrong> {
    let fits = !text.trim().is_empty() && !text.contains(['\n', '|']);
    if fits { Ok(()) } else { Err((field, format!("{field}: expected a text on one line without `|`"))) }
}

/// Returns the error for a field that the state needs, or does not take.
fn of_state(field: &'static str, state: State, needs: bool) -> Wrong {
    let (with, got) = if needs { ("with", "none") } else { ("without", "both") };
    (field, format!("{field}: expected it {with} `state: {}`, got {got}", state.word()))
}

fn release(field: &'static str, text: &str) -> Result<Release, Wrong> {
    text.parse().map_err(|()| (field, format!("{field}: expected a release such as 1.27.0, got `{text}`")))
}

fn bound(field: &'static str, text: &str) -> Result<Bound, Wrong> {
    let wanted = "expected a release such as 1.27.0, `1.27.0 or before`, or `unknown`";
    text.parse().map_err(|()| (field, format!("{field}: {wanted}, got `{text}`")))
}
