//! The outcome of a run in one line: our verdict first, then the backend's name, then the counts.
//!
//! A backend chooses its name, so the name stands in quotes after the verdict.

use normative_backend::Extent;

use crate::safety;
use normative_conformance::display;
use normative_conformance::drive::SECOND_LIMIT;
use normative_conformance::report::{Missing, Report};
use normative_conformance::run::tally::Tally;

/// Returns the verdict, the backend's name and version, and the counts, in a line.
pub(crate) fn outcome(report: &Report<'_>) -> String {
    format!("{}: {}: {}", verdict(report), who(report), counted(report))
}

/// Returns the same for one of several backends, with its name in this report.
pub(crate) fn named(name: &str, report: &Report<'_>) -> String {
    format!("{}: {} ({}): {}", verdict(report), display::name(name), who(report), counted(report))
}

/// Returns name and version of the backend.
pub(crate) fn who(report: &Report<'_>) -> String {
    display::who(&report.identity)
}

/// Returns the verdict in words that no backend chose.
pub(crate) fn verdict(report: &Report<'_>) -> String {
    let outcome = match report.executed() {
        0 => "shows nothing",
        _ if !report.is_clean() && report.baseline.is_some() => "is not as its baseline says",
        _ if !report.is_clean() && report.severities().is_empty() => {
            "does not conform, though each answer does by itself"
        }
        _ if !report.is_clean() => "does not conform",
        _ if report.is_flaky() => {
            "is flaky, no answer is wrong but its process failed over no call in particular"
        }
        _ if !report.is_complete() => "conforms as far as it was asked",
        _ if known(report) > 0 => "conforms but for what is known",
        _ => "conforms",
    };
    let partial = if report.is_complete() { "" } else { "PARTIAL (the run was stopped), " };
    let hazards = if report.is_clean() { safety::counts(report) } else { String::new() };
    format!("{partial}{outcome}{hazards}")
}

/// Returns the number of known failures.
fn known(report: &Report<'_>) -> usize {
    report.baseline.as_ref().map_or(0, |outcome| outcome.expected.len())
}

/// Returns the counts of cases and of generated calls.
pub(crate) fn counted(report: &Report<'_>) -> String {
    let Missing { cases, calls } = report.missing;
    let mut parts =
        vec![format!("{} of {} cases", counts(&report.total(), report.filtered(), cases), report.corpus)];
    if let Some(generated) = &report.generated {
        let total = generated.total();
        let slow = if report.capabilities.slow { " (it declares itself slow)" } else { "" };
        parts.push(format!("{} of {} generated calls{slow}", counts(&total, 0, calls), total.run + calls));
    }
    if !report.unstable.is_empty() {
        parts.push(format!("{} nondeterministic", report.unstable.len()));
    }
    let inconsistent = report.inconsistent().len();
    if inconsistent > 0 {
        parts.push(display::counted(inconsistent, "INCONSISTENT reading", "INCONSISTENT readings"));
    }
    let mixed = report.mixed().len();
    // If nothing speaks against the backend, the verdict counts them.
    if mixed > 0 && !report.is_clean() {
        parts.push(display::counted(mixed, "mixed reading", "mixed readings"));
    }
    let known = known(report);
    if known > 0 {
        parts.push(format!("{known} known to fail"));
    }
    parts.join("; ")
}

/// Returns the nonzero counts in words.
fn counts(total: &Tally, filtered: usize, missing: usize) -> String {
    let counts = [
        (total.conforms, "conform"),
        (total.fails, "fail"),
        (total.died, "died"),
        (total.unsupported, "unsupported"),
        (filtered, "filtered out"),
        (missing, "missing"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    if counts.is_empty() { "0".into() } else { counts.join(", ") }
}

/// Returns the number of missed deadlines, if one was missed and then met.
pub(crate) fn late(report: &Report<'_>) -> Option<String> {
    let late = display::counted(report.late, "deadline was missed and met", "deadlines were missed and met");
    (report.late > 0)
        .then(|| format!("{late} when the calls were asked again with {SECOND_LIMIT} times as long"))
}

/// Returns the families that a backend was judged by, if some were left out or are claimed in part.
pub(crate) fn claims(report: &Report<'_>) -> Option<String> {
    let claims = &report.capabilities.claims;
    let by = display::joined(claims);
    let in_part = claims.iter().any(|claim| claim.extent == Extent::ValuesAlone);
    let Some(first) = report.left_out.first() else {
        return in_part.then(|| format!("judged by what it claims: {by}"));
    };
    let left_out = display::joined(&report.left_out);
    Some(format!("judged by what it claims: {by}; left out: {left_out} (--spec {first} asks for it)"))
}
