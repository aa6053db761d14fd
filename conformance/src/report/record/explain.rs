//! Makes the parts of a record's line beside the answer, from the call, the answer and the verdict.
//!
//! A run writes with it, and a reader of a record compares with it. A difference means that the file was
//! changed, or written by a suite that judges differently.

use normative_reference::{Call, Choice};

use super::line::{
    Counts, End, Probe, RecordedAccuracy, RecordedEntry, RecordedVerdict, Resettled, Smaller, Split,
};
use crate::corpus::{ClauseRef, Ledger};
use crate::display;
use crate::judge::compare;
use crate::judge::verdict;
use crate::observed::Observed;
use crate::report::defect::Shrunk;
use crate::report::finding::{self, Finding};
use crate::report::hazard;
use crate::report::{Missing, Report};
use crate::run::probe::{self, Settled};
use crate::run::property::{Find, Generated, Made};
use crate::run::repeat::Unstable;
use crate::run::tally::Tally;
use crate::run::{Asked as _, Judged, Prepared};

/// Returns the line of a case. `again` is the command that repeats the run.
pub fn of_case(judged: &Judged<&Prepared<'_>>, ledger: &Ledger, again: &str) -> RecordedEntry {
    let case = judged.asked.case;
    let finding = finding::of_case(case, &judged.verdict, ledger, again);
    entry(case.name.clone(), &case.call, &case.clauses, finding, judged)
}

/// Returns the line of a generated call.
pub fn of_call(judged: &Judged<Made>, ledger: &Ledger, again: &str) -> RecordedEntry {
    let Made { id, call, .. } = &judged.asked;
    let find = || Find { id: *id, call: call.clone(), verdict: judged.verdict.clone() };
    let find = judged.verdict.is_failure().then(find);
    let broken: Vec<ClauseRef> = find.iter().map(|find| find.clause(ledger)).collect();
    let finding = find.and_then(|find| finding::of_find(&find, ledger, again));
    entry(judged.asked.name(), call, &broken, finding, judged)
}

/// Returns the line of a second answer that differs from the first.
pub fn of_unstable(unstable: &Unstable, again: &str) -> RecordedEntry {
    let call = &unstable.sample.call;
    RecordedEntry {
        name: unstable.sample.name.clone(),
        spec: call.spec().name().to_owned(),
        dtype: call.data.dtype().name().to_owned(),
        clauses: Vec::new(),
        call: Some(display::call(call)),
        verdict: fails(finding::of_unstable(unstable, again)),
        answer: unstable.then.clone(),
        row: unstable.row.clone(),
    }
}

/// Returns the line of a call that explains refusals.
pub fn of_probe(call: &Call, answer: &Observed) -> Probe {
    Probe {
        key: probe::key(call),
        spec: call.spec().name().to_owned(),
        dtype: call.data.dtype().name().to_owned(),
        call: display::call(call),
        answer: answer.clone(),
    }
}

/// Returns the line of a failing call that was made small.
pub fn of_shrunk(Shrunk { of, call, answer, .. }: &Shrunk) -> Smaller {
    Smaller {
        of: of.clone(),
        spec: call.spec().name().to_owned(),
        dtype: call.data.dtype().name().to_owned(),
        call: display::call(call),
        bytes: call.clone(),
        answer: answer.clone(),
    }
}

/// Returns the lines of verdicts that changed after they were written, in the given order.
pub fn of_settled<'v>(
    settled: &Settled,
    verdicts: impl IntoIterator<Item = (String, &'v verdict::Verdict)>,
) -> Vec<Resettled> {
    let resettled = |(name, verdict): (String, &verdict::Verdict)| {
        let (verdict, because) = match settled.verdict(&name, verdict)? {
            verdict::Verdict::Unsupported(why) => (RecordedVerdict::Unsupported, Some(why)),
            verdict => (proven(&verdict), None),
        };
        Some(Resettled { name, verdict, because })
    };
    verdicts.into_iter().filter_map(resettled).collect()
}

/// Returns the end of a run with this report.
pub fn end(report: &Report<'_>, again: &str) -> End {
    let counts = |tally: &Tally, filtered, missing| Counts {
        conforms: tally.conforms,
        fails: tally.fails,
        died: tally.died,
        unsupported: tally.unsupported,
        filtered,
        missing,
    };
    let Missing { cases, calls } = report.missing;
    let generated = report.generated.as_ref().map(Generated::total).unwrap_or_default();
    End {
        complete: report.is_complete(),
        cases: counts(&report.total(), report.filtered(), cases),
        calls: counts(&generated, 0, calls),
        nondeterministic: report.unstable.len(),
        inconsistent: inconsistent(report, again),
        mixed: mixed(report, again),
        hazards: hazards(report, again),
        flakes: report.conduct.flakes.len(),
        late: report.late,
    }
}

/// Returns the questions of form that no single reading explains.
fn inconsistent(report: &Report<'_>, again: &str) -> Vec<Split> {
    let findings = finding::inconsistent(report, again).into_iter();
    findings.map(|Finding { name, lines, .. }| Split { name, lines: pairs(lines) }).collect()
}

/// Returns the questions about values that no single reading explains.
fn mixed(report: &Report<'_>, again: &str) -> Vec<Split> {
    let mixed = finding::mixed(report, again).into_iter();
    mixed.map(|(place, lines)| Split { name: place.to_string(), lines: pairs(lines) }).collect()
}

/// Returns the hazards.
fn hazards(report: &Report<'_>, again: &str) -> Vec<Split> {
    let hazards = report.hazards();
    let split = |(kind, met): &(_, _)| Split {
        name: hazard::sentence(kind, met),
        lines: pairs(hazard::lines(kind, met, again)),
    };
    hazards.iter().map(split).collect()
}

fn entry<T>(
    name: String,
    call: &Call,
    clauses: &[ClauseRef],
    finding: Option<Finding>,
    Judged { verdict, answer, .. }: &Judged<T>,
) -> RecordedEntry {
    let verdict = finding.map_or_else(|| proven(verdict), fails);
    RecordedEntry {
        name,
        spec: call.spec().name().to_owned(),
        dtype: call.data.dtype().name().to_owned(),
        clauses: clauses.iter().map(|clause| clause.name.clone()).collect(),
        call: (verdict != RecordedVerdict::Unsupported).then(|| display::call(call)),
        verdict,
        answer: answer.clone(),
        row: None,
    }
}

/// Converts a verdict that is not a failure.
pub fn proven(verdict: &verdict::Verdict) -> RecordedVerdict {
    match verdict {
        verdict::Verdict::Conforms { accepting, accuracy, hazard } => RecordedVerdict::Conforms {
            readings: accepting.told().iter().map(Choice::to_string).collect(),
            accuracy: accuracy.as_ref().map(measured),
            hazard: hazard.as_ref().map(|found| hazard::of_answer(found)),
        },
        _ => RecordedVerdict::Unsupported,
    }
}

fn fails(Finding { kind, lines, .. }: Finding) -> RecordedVerdict {
    RecordedVerdict::Fails { kind, lines: pairs(lines) }
}

fn pairs(lines: Vec<finding::Line>) -> Vec<(String, String)> {
    lines.into_iter().map(|line| (line.label.to_owned(), line.text)).collect()
}

/// Converts an accuracy. JSON has no infinity, so errors are capped at the greatest f64.
fn measured(accuracy: &compare::Accuracy) -> RecordedAccuracy {
    let finite = |error: f64| error.min(f64::MAX);
    let elements = accuracy.errors.count;
    RecordedAccuracy {
        class: accuracy.class.name().to_owned(),
        worst: finite(accuracy.worst),
        mean: finite(accuracy.sum / elements.max(1) as f64),
        elements,
        out_of_range: accuracy.outside,
        terms: accuracy.terms,
        against: accuracy.against.map_or_else(|| "several".to_owned(), |against| against.to_string()),
    }
}
