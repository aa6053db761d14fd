//! Writes reports as JSON, for programs that show them: `docs/reports.md` explains each field.
//!
//! A pure function of the reports. A failure is counted in exactly one defect; the other findings are of several
//! answers together, of the process, or of the baseline. A call is written in the protocol of workers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use normative_reference::Call;
use serde::Serialize;

use crate::column::Column;
use crate::derived::derive;
use crate::outcome::outcome;
use crate::safety;
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::display::{self, plain};
use normative_conformance::judge::compare::Mismatch;
use normative_conformance::judge::verdict::Verdict;
use normative_conformance::report::Report;
use normative_conformance::report::defect::Defect;
use normative_conformance::report::finding::{self, FindingKind};
use normative_conformance::report::record::write_call;
use normative_conformance::report::tables::accuracies;
use normative_conformance::report::trace::{Failure, Status, Taken, TestOutcome, Trace, Traced};
use normative_conformance::run::property::{self, Id};

/// The version of this format.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Document {
    format: u32,
    runs: Vec<Run>,
}

/// The report of one backend.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Run {
    name: String,
    conforms: bool,
    outcome: String,
    defects: Vec<Group>,
    findings: Vec<Failure>,
    clauses: Vec<Tested>,
    questions: Vec<Taken>,
    safety: Vec<String>,
    accuracy: Vec<Measured>,
}

/// A defect, and its smallest call.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Group {
    name: String,
    failures: usize,
    clause: String,
    #[serde(serialize_with = "write_call")]
    call: Call,
    expected: String,
    got: String,
    lines: Vec<(String, String)>,
}

/// A clause that the run tests.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Tested {
    clause: String,
    level: &'static str,
    says: String,
    status: Status,
    /// The indices of the defects that break it, or whose calls test it.
    defects: BTreeSet<usize>,
    /// The number of known failures of calls that test it.
    known: usize,
}

/// A table of accuracy.
#[derive(Serialize)]
struct Measured {
    of: &'static str,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Writes one report or several.
///
/// # Errors
/// Errors of `out`.
pub fn write(
    out: &mut dyn fmt::Write,
    columns: &[Column<'_>],
    corpus: &Corpus,
    ledger: &Ledger,
) -> fmt::Result {
    let runs = columns.iter().map(|column| run(column, corpus, ledger)).collect();
    let json = serde_json::to_string(&Document { format: FORMAT, runs }).map_err(|_| fmt::Error)?;
    writeln!(out, "{json}")
}

fn run(column: &Column<'_>, corpus: &Corpus, ledger: &Ledger) -> Run {
    let Column { name, report, again, .. } = column;
    let defects = report.defects();
    let trace = Trace::of(report, corpus, ledger, &asked(report), again);
    let clauses = clauses(&defects, &trace);
    let of_calls = [FindingKind::Fail, FindingKind::Crash, FindingKind::Timeout].map(FindingKind::word);
    let is_beside = |failure: &Failure| !of_calls.contains(&failure.kind);
    let tables = accuracies(report).into_iter();
    Run {
        name: name.clone(),
        conforms: report.conforms(),
        outcome: outcome(report),
        defects: defects.iter().filter_map(|defect| group(report, defect, ledger)).collect(),
        findings: trace.failures.into_iter().filter(is_beside).collect(),
        clauses,
        questions: trace.questions,
        safety: safety::named(report),
        accuracy: tables.map(|(of, grid)| Measured { of, header: grid.header, rows: grid.rows }).collect(),
    }
}

/// Returns the generated calls with a verdict, without those that were declined: a report only counts these.
fn asked(report: &Report<'_>) -> Vec<Id> {
    let finds = report.finds().map(|find| find.id);
    finds.chain(report.generated.iter().flat_map(|generated| generated.conforming.iter().copied())).collect()
}

/// Returns a defect with the evidence of its smallest call; `None` if the defect is of another report.
fn group(report: &Report<'_>, defect: &Defect<'_>, ledger: &Ledger) -> Option<Group> {
    let (call, verdict) = smallest(report, defect)?;
    let clause = property::clause(&call, &verdict, ledger);
    let mut lines = vec![finding::of_clause(&clause, ledger)];
    lines.extend(finding::of_call(&call, &verdict));
    derive(&mut lines, &call, &verdict, &report.capabilities);
    lines.extend(finding::of_defect(defect));
    let (expected, got) = gist(&verdict);
    Some(Group {
        name: defect.name(),
        failures: defect.failures.len(),
        clause: clause.to_string(),
        call,
        expected,
        got,
        lines: lines.into_iter().map(|line| (line.label.to_owned(), line.text)).collect(),
    })
}

/// Returns what was expected and what came, in a few words each.
pub fn gist(verdict: &Verdict) -> (String, String) {
    match (verdict.mismatch(), verdict) {
        (Some(Mismatch::Element(element)), _) => {
            let shown = |bits| display::element(element.dtype, bits);
            (format!("{} at {:?}", shown(element.expected), element.index), shown(element.got))
        }
        (Some(Mismatch::NotRejected { clause, shape }), _) => {
            (format!("a refusal, by {clause}"), format!("a tensor of shape {shape:?}"))
        }
        (Some(Mismatch::Rejected { message }), _) => {
            ("a tensor".into(), format!("a refusal: {}", plain(message)))
        }
        (Some(Mismatch::Dtype { expected, got }), _) => (expected.to_string(), got.to_string()),
        (Some(Mismatch::Shape { expected, got }), _) => {
            (format!("shape {expected:?}"), format!("shape {got:?}"))
        }
        (Some(Mismatch::ChangedData(how)), _) => ("the data as they were".into(), plain(how)),
        (Some(other), _) => ("a result without this".into(), other.to_string()),
        (None, Verdict::Crashed(how)) => ("an answer".into(), format!("a crash: {}", plain(how))),
        (None, Verdict::TimedOut(after)) => {
            ("an answer".into(), format!("none within {} s", after.as_secs_f64()))
        }
        (None, _) => Default::default(),
    }
}

/// Returns the smallest call of a defect with its verdict; `None` if the defect is of another report.
pub fn smallest(report: &Report<'_>, defect: &Defect<'_>) -> Option<(Call, Verdict)> {
    let shrunk = defect.shrunk.as_ref().map(|shrunk| (&shrunk.call, &shrunk.verdict));
    let (call, verdict) = shrunk.or_else(|| report.failure(&defect.smallest))?;
    Some((call.clone(), verdict.clone()))
}

/// Returns the clauses that the run tests, each with the defects and known failures among its tests.
fn clauses(defects: &[Defect<'_>], trace: &Trace) -> Vec<Tested> {
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    for (at, defect) in defects.iter().enumerate() {
        by_name.extend(defect.failures.iter().map(|failure| (failure.asked_by(), at)));
    }
    let mut of_clause: HashMap<String, (BTreeSet<usize>, usize)> = HashMap::new();
    for one in &trace.asked {
        if !matches!(one.outcome, TestOutcome::Fails | TestOutcome::Died) {
            continue;
        }
        for clause in &one.clauses {
            let (among, known) = of_clause.entry(format!("{}#{clause}", one.spec)).or_default();
            match by_name.get(&one.name) {
                Some(&at) => drop(among.insert(at)),
                None => *known += 1,
            }
        }
    }
    let is_tested = |status| !matches!(status, Status::NotAsked | Status::NoTest | Status::Informative);
    let tested = trace.clauses.iter().filter(|clause| is_tested(clause.status)).map(|clause| {
        let (defects, known) = of_clause.remove(&clause.clause).unwrap_or_default();
        let Traced { clause, level, says, status, .. } = clause.clone();
        Tested { clause, level, says, status, defects, known }
    });
    tested.collect()
}
