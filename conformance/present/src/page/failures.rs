//! The failures as data: every failure as a row of small numbers, and every text once.
//!
//! Backends that share a runtime fail the same calls with the same texts, so failures refer to rows of
//! tables. A call is a tuple, because field names would repeat thousands of times.

use std::collections::BTreeMap;

use normative_reference::{Call, Dtype, Spec};
use serde::Serialize;
use serde_json::{Value, json};

use super::place_in;
use crate::column::Column;
use crate::derived::derive;
use crate::repro;
use normative_conformance::corpus::{ClauseRef, Ledger};
use normative_conformance::display::plain;
use normative_conformance::judge::fault::Fault;
use normative_conformance::judge::verdict::Verdict;
use normative_conformance::report::defect::Defect;
use normative_conformance::report::divided::Divided;
use normative_conformance::report::finding::{self, Finding, Line};
use normative_conformance::run::readings::Place;

/// The kind of two answers to one call, of which both may be right. The other kinds are faults.
const NONDETERMINISTIC: &str = "nondeterministic";

/// Name, spec, element type, clauses, and label and text in turn.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Asked(usize, usize, Option<usize>, Vec<usize>, Vec<usize>);

/// A failure whose texts are not in the tables yet.
struct Failure {
    /// The fault; `None` for two answers to one call.
    fault: Option<Fault>,
    spec: Spec,
    dtype: Option<Dtype>,
    clauses: Vec<ClauseRef>,
    finding: Finding,
}

/// A set of distinct items, in the order of their insertion.
struct Once<T>(Vec<T>, BTreeMap<T, usize>);

impl<T: Ord + Clone> Once<T> {
    const fn new() -> Self {
        Self(Vec::new(), BTreeMap::new())
    }

    fn place(&mut self, one: T) -> usize {
        if let Some(&place) = self.1.get(&one) {
            return place;
        }
        self.1.insert(one.clone(), self.0.len());
        self.0.push(one);
        self.0.len() - 1
    }
}

/// Returns the tables of all failures of some reports, each with its defects:
///
/// - `kinds`, `labels` and `texts`: words
/// - `clauses`: name and statement
/// - `calls`: as [`Asked`] says
/// - `answers`: label and text in turn
/// - `rows`: for each failure the backend, the kind, the call, the answer, and the defect of a failure of one
///   call, counted over all backends
pub(super) fn tables(columns: &[Column<'_>], defects: &[Vec<Defect<'_>>], ledger: &Ledger) -> Value {
    let mut kinds = Once::new();
    for fault in Fault::ALL {
        kinds.place(fault.on_the_page());
    }
    kinds.place(NONDETERMINISTIC);
    let (mut clauses, mut labels, mut texts) = (Once::new(), Once::new(), Once::new());
    let (mut calls, mut answers) = (Once::new(), Once::new());
    let (mut rows, mut before) = (Vec::new(), 0);
    for (backend, (column, defects)) in columns.iter().zip(defects).enumerate() {
        let by_failure = column.report.by_failure(defects);
        for Failure { fault, spec, dtype, clauses: cited, finding } in of_column(column, ledger) {
            let of_call = fault.is_some_and(|fault| fault != Fault::Inconsistent);
            let defect = by_failure.get(&finding.name).filter(|_| of_call).map(|at| before + at);
            let (mut asked, mut came) = (Vec::new(), Vec::new());
            for Line { label, text } in finding.lines {
                // Clauses have their own table, and commands differ only in the part after the backend's.
                let option = text.strip_prefix(&plain(&column.again)).filter(|_| label == "again");
                let to = match label {
                    "clause" => continue,
                    "catches" | "call" | "data" => &mut asked,
                    _ => &mut came,
                };
                let name = option.and_then(|option| option.strip_prefix(" --case "));
                // Most commands name the case that failed.
                let text = if name == Some(&finding.name) { "--case" } else { option.unwrap_or(&text) };
                to.extend([labels.place(label), texts.place(text.trim().to_owned())]);
            }
            if let (Some(call), Some(_)) = (finding.shown_by, &column.repro) {
                // An empty text stands for the name of the failure.
                let call = if call == finding.name { String::new() } else { call };
                came.extend([labels.place(repro::LABEL), texts.place(call)]);
            }
            let cited = cited.iter().map(|clause| {
                let says = ledger.get(clause.spec, &clause.name).map_or("", |entry| entry.says.as_str());
                clauses.place((clause.to_string(), says.to_owned()))
            });
            let dtype = dtype.map(|dtype| place_in(&Dtype::ALL, &dtype));
            let name = texts.place(finding.name);
            let asked = Asked(name, place_in(&Spec::ALL, &spec), dtype, cited.collect(), asked);
            let kind = kinds.place(fault.map_or(NONDETERMINISTIC, Fault::on_the_page));
            rows.push((backend, kind, calls.place(asked), answers.place(came), defect));
        }
        before += defects.len();
    }
    json!({
        "kinds": kinds.0, "clauses": clauses.0, "labels": labels.0, "texts": texts.0, "calls": calls.0,
        "answers": answers.0, "rows": rows,
    })
}

/// Returns the findings against a backend, in the order of [`finding::all`].
fn of_column(Column { report, again, .. }: &Column<'_>, ledger: &Ledger) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut add = |call: &Call, verdict: &Verdict, clauses, finding: Option<Finding>| {
        if let (Some(fault), Some(mut finding)) = (verdict.fault(), finding) {
            derive(&mut finding.lines, call, verdict, &report.capabilities);
            let (spec, dtype) = (call.spec(), Some(call.data.dtype()));
            failures.push(Failure { fault: Some(fault), spec, dtype, clauses, finding });
        }
    };
    for (case, verdict) in finding::cases_in_order(report) {
        let finding = finding::of_case(case, verdict, ledger, again);
        add(&case.call, verdict, case.clauses.clone(), finding);
    }
    for find in finding::finds_in_order(report) {
        let finding = finding::of_find(find, ledger, again);
        add(&find.call, &find.verdict, vec![find.clause(ledger)], finding);
    }
    failures.extend(report.unstable.iter().map(|unstable| Failure {
        fault: None,
        spec: unstable.sample.call.spec(),
        dtype: Some(unstable.sample.call.data.dtype()),
        clauses: Vec::new(),
        finding: finding::of_unstable(unstable, again),
    }));
    let profile = report.profile();
    let divided = Divided::of(report, &profile);
    for (place, row) in &profile {
        let Some(split) = row.inconsistent(place) else { continue };
        let Place { spec, question, dtype, .. } = *place;
        let raises =
            ledger.iter().filter(|entry| entry.clause.spec == spec && entry.questions.contains(&question));
        failures.push(Failure {
            fault: Some(Fault::Inconsistent),
            spec,
            dtype,
            clauses: raises.map(|entry| entry.clause.clone()).collect(),
            finding: finding::of_place(&divided, *place, split, again),
        });
    }
    failures
}
