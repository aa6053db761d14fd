//! The tables of an evidence folder as CSV: clauses, calls, failures, questions, accuracy.
//!
//! The first column of every table is the name of the run, so one table holds several runs.

use std::collections::BTreeMap;

use anyhow::Result;
use normative_conformance::report::record::Header;
use normative_conformance::report::tables::accuracies;
use normative_conformance::report::trace::{Counts, Status, TestOutcome, Trace, Traced};
use normative_present::column::Column;
use serde::Serialize;

use super::cells::csv;

/// The header of the table of clauses.
const CLAUSES: &str = "run,clause,level,status,cases that conform,cases that fail,cases that died,cases unsupported,\
    cases not asked,calls that conform,calls that fail,calls that died,calls unsupported,calls not asked,\
    first that fail,says,source,place";

/// A run.
#[derive(Clone, Copy)]
pub(super) struct EvidenceRun<'a> {
    /// The backend and its report.
    pub(super) column: &'a Column<'a>,
    /// The header of its record.
    pub(super) header: &'a Header,
    /// The links between clauses, tests and failures.
    pub(super) trace: &'a Trace,
}

/// Returns every table, by the name of its file.
///
/// # Errors
/// A table cannot be written.
pub(super) fn all(runs: &[(String, EvidenceRun<'_>)]) -> Result<BTreeMap<String, Vec<u8>>> {
    Ok(BTreeMap::from([
        ("clauses.csv".to_owned(), clauses(runs)?),
        ("calls.csv".to_owned(), calls(runs)?),
        ("failures.csv".to_owned(), failures(runs)?),
        ("questions.csv".to_owned(), questions(runs)?),
        ("accuracy.csv".to_owned(), accuracy(runs)?),
    ]))
}

/// Returns the word that JSON has for a value.
fn word<T: Serialize>(one: T) -> String {
    serde_json::to_value(one).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

fn counts(clause: &Traced) -> Vec<String> {
    let of = |Counts { conforms, fails, died, unsupported, not_asked }: Counts| {
        [conforms, fails, died, unsupported, not_asked].map(|count| count.to_string())
    };
    [of(clause.cases), of(clause.calls)].concat()
}

fn clauses(runs: &[(String, EvidenceRun<'_>)]) -> Result<Vec<u8>> {
    let rows = runs.iter().flat_map(|(name, run)| {
        run.trace.clauses.iter().map(|clause| {
            let Traced { level, status, says, source, place, failing, .. } = clause;
            let status: Status = *status;
            let mut row = vec![name.clone(), clause.clause.clone(), (*level).to_owned(), word(status)];
            row.extend(counts(clause));
            row.extend([failing.join(" "), says.clone(), source.clone(), place.clone()]);
            row
        })
    });
    csv(CLAUSES, rows)
}

fn calls(runs: &[(String, EvidenceRun<'_>)]) -> Result<Vec<u8>> {
    let rows = runs.iter().flat_map(|(name, run)| {
        run.trace.asked.iter().map(|one| {
            let outcome: TestOutcome = one.outcome;
            vec![
                name.clone(),
                one.name.clone(),
                one.spec.to_owned(),
                one.dtype.to_owned(),
                word(outcome),
                one.clauses.join(" "),
            ]
        })
    });
    csv("run,case or call,spec,type,verdict,clauses", rows)
}

fn failures(runs: &[(String, EvidenceRun<'_>)]) -> Result<Vec<u8>> {
    let rows = runs.iter().flat_map(|(name, run)| {
        run.trace.failures.iter().map(|failure| {
            let said = |label: &str| {
                let lines = failure.lines.iter().filter(|(name, _)| name == label);
                lines.map(|(_, said)| said.as_str()).collect::<Vec<_>>().join("; ")
            };
            let others = failure
                .lines
                .iter()
                .filter(|(label, _)| !["clause", "call", "again"].contains(&label.as_str()));
            let others: Vec<String> = others.map(|(label, said)| format!("{label}: {said}")).collect();
            vec![
                name.clone(),
                failure.kind.to_owned(),
                failure.name.clone(),
                failure.asked.clone().unwrap_or_default(),
                failure.clauses.join(" "),
                said("call"),
                others.join("; "),
                said("again"),
            ]
        })
    });
    csv("run,kind,name,case or call,clauses,call,what is known,again", rows)
}

fn questions(runs: &[(String, EvidenceRun<'_>)]) -> Result<Vec<u8>> {
    let rows = runs.iter().flat_map(|(name, run)| {
        run.trace.questions.iter().map(|taken| {
            vec![
                name.clone(),
                taken.spec.to_owned(),
                taken.question.to_owned(),
                taken.dtype.unwrap_or_default().to_owned(),
                taken.how.to_owned(),
                taken.readings.join(" "),
                taken.answers.join(" "),
                taken.alone.to_string(),
                taken.clauses.join(" "),
                taken.asks.to_owned(),
            ]
        })
    });
    csv("run,spec,question,type,how,readings,shown by,answers that show it alone,clauses,asks", rows)
}

fn accuracy(runs: &[(String, EvidenceRun<'_>)]) -> Result<Vec<u8>> {
    let mut rows = Vec::new();
    for (name, run) in runs {
        for (of, grid) in accuracies(&run.column.report) {
            rows.extend(grid.rows.into_iter().map(|row| {
                // The grid has a dash where nothing was measured; CSV has an empty cell.
                let cells = row.into_iter().map(|cell| if cell == "-" { String::new() } else { cell });
                [name.clone(), of.to_owned()].into_iter().chain(cells).collect()
            }));
        }
    }
    csv("run,of,type,terms,class,against,elements,out of range,worst ulp,mean ulp", rows)
}
