//! The data of the page's script: every failure as a row of small numbers, and every text once.
//!
//! Backends that share a runtime fail the same calls with the same texts, so failures refer to rows of
//! tables. A call is a tuple, because field names would repeat thousands of times.

use std::collections::BTreeMap;

use normative_reference::{Dtype, Spec};
use serde::Serialize;

use super::escape::visible;
use super::names;
use crate::column::Column;
use crate::derived::derive;
use crate::outcome;
use crate::repro;
use normative_conformance::corpus::{ClauseRef, Ledger};
use normative_conformance::display::plain;
use normative_conformance::judge::fault::Fault;
use normative_conformance::judge::verdict::Verdict;
use normative_conformance::report::defect::Defect;
use normative_conformance::report::divided::Divided;
use normative_conformance::report::finding::Finding;
use normative_conformance::report::finding::{self, Line};
use normative_conformance::run::readings::Place;

/// The kind of a failure, as fine as the filter of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Of(Fault),
    /// One call has two answers, and both may be right.
    Nondeterministic,
}

impl Kind {
    /// Returns the words of all kinds, in the order of the filter.
    fn all() -> Vec<&'static str> {
        let mut all: Vec<&str> = Vec::new();
        for words in
            Fault::ALL.iter().map(|&fault| Self::Of(fault)).chain([Self::Nondeterministic]).map(Self::words)
        {
            if !all.contains(&words) {
                all.push(words);
            }
        }
        all
    }

    /// Returns its words.
    const fn words(self) -> &'static str {
        match self {
            Self::Of(fault) => fault.on_the_page(),
            Self::Nondeterministic => "nondeterministic",
        }
    }

    fn of(verdict: &Verdict) -> Option<Self> {
        verdict.fault().map(Self::Of)
    }
}

/// All data of the script.
#[derive(Serialize)]
pub(super) struct Model {
    backends: Vec<Backend>,
    specs: Vec<&'static str>,
    dtypes: Vec<&'static str>,
    kinds: Vec<&'static str>,
    /// Name and statement.
    clauses: Vec<(String, String)>,
    labels: Vec<&'static str>,
    texts: Vec<String>,
    calls: Vec<Asked>,
    /// The answers to calls: label and text in turn.
    answers: Vec<Vec<usize>>,
    /// For each defect its backend, its number there, and its name.
    defects: Vec<(usize, usize, String)>,
    /// Backend, kind, call, answer, and the defect of a failure of one call.
    failures: Vec<(usize, usize, usize, usize, Option<usize>)>,
}

#[derive(Serialize)]
struct Backend {
    name: String,
    who: String,
    again: String,
    /// The command that writes a reproduction, before and after the name of a call.
    repro: Option<(String, String)>,
}

/// Name, spec, element type, clauses, and label and text in turn.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Asked(usize, usize, Option<usize>, Vec<usize>, Vec<usize>);

/// The number of failures of a kind that a backend has in a spec.
pub(super) type Counts = BTreeMap<(usize, Spec, Kind), usize>;

/// A failure whose texts are not in the tables yet.
struct Failure {
    kind: Kind,
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

/// Returns the model of some reports, each with its defects, and the number of failures of each kind.
pub(super) fn of(columns: &[Column<'_>], defects: &[Vec<Defect<'_>>], ledger: &Ledger) -> (Model, Counts) {
    let mut clauses = Once::new();
    let mut labels: Once<&'static str> = Once::new();
    let (mut texts, kinds) = (Once::new(), Kind::all());
    let (mut calls, mut answers) = (Once::new(), Once::new());
    let (mut failures, mut counts, mut causes) = (Vec::new(), Counts::new(), Vec::new());
    for (backend, column) in columns.iter().enumerate() {
        let defects = defects.get(backend).map_or(&[][..], Vec::as_slice);
        let (by_failure, before) = (column.report.by_failure(defects), causes.len());
        causes.extend(
            defects.iter().enumerate().map(|(at, defect)| (backend, at + 1, visible(&defect.name()))),
        );
        for Failure { kind, spec, dtype, clauses: cited, finding } in of_column(column, ledger) {
            let of_call = !matches!(kind, Kind::Nondeterministic | Kind::Of(Fault::Inconsistent));
            let defect = by_failure.get(&finding.name).filter(|_| of_call).map(|at| before + at);
            *counts.entry((backend, spec, kind)).or_default() += 1;
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
                let text = visible(text.trim());
                to.extend([labels.place(label), texts.place(text)]);
            }
            if let (Some(call), Some(_)) = (&finding.shown_by, &column.repro) {
                // An empty text stands for the name of the failure.
                let call = if *call == finding.name { String::new() } else { visible(call) };
                came.extend([labels.place(repro::LABEL), texts.place(call)]);
            }
            let cited = cited.iter().map(|clause| {
                let says = ledger.get(clause.spec, &clause.name).map_or("", |entry| entry.says.as_str());
                clauses.place((clause.to_string(), says.to_owned()))
            });
            let name = texts.place(visible(&finding.name));
            let dtype = dtype.and_then(|dtype| place_in(&Dtype::ALL, &dtype));
            let asked =
                Asked(name, place_in(&Spec::ALL, &spec).unwrap_or_default(), dtype, cited.collect(), asked);
            let kind = place_in(&kinds, &kind.words()).unwrap_or_default();
            failures.push((backend, kind, calls.place(asked), answers.place(came), defect));
        }
    }
    let backends = columns.iter().zip(names(columns)).map(|(column, name)| Backend {
        name,
        who: outcome::who(&column.report),
        again: plain(&column.again),
        repro: column.repro.as_ref().map(|repro| (repro.before.clone(), repro.after.clone())),
    });
    let model = Model {
        backends: backends.collect(),
        specs: Spec::ALL.map(Spec::name).to_vec(),
        dtypes: Dtype::ALL.map(Dtype::name).to_vec(),
        kinds,
        clauses: clauses.0,
        labels: labels.0,
        texts: texts.0,
        calls: calls.0,
        answers: answers.0,
        defects: causes,
        failures,
    };
    (model, counts)
}

fn place_in<T: PartialEq>(all: &[T], one: &T) -> Option<usize> {
    all.iter().position(|other| other == one)
}

/// Returns the findings against a backend, in the order of [`finding::all`].
fn of_column(Column { report, again, .. }: &Column<'_>, ledger: &Ledger) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (case, verdict) in finding::cases_in_order(report) {
        if let (Some(kind), Some(mut finding)) =
            (Kind::of(verdict), finding::of_case(case, verdict, ledger, again))
        {
            derive(&mut finding.lines, &case.call, verdict, &report.capabilities);
            let (spec, dtype) = (case.call.spec(), Some(case.call.data.dtype()));
            failures.push(Failure { kind, spec, dtype, clauses: case.clauses.clone(), finding });
        }
    }
    for find in finding::finds_in_order(report) {
        if let (Some(kind), Some(mut finding)) =
            (Kind::of(&find.verdict), finding::of_find(find, ledger, again))
        {
            derive(&mut finding.lines, &find.call, &find.verdict, &report.capabilities);
            let (spec, dtype) = (find.call.spec(), Some(find.call.data.dtype()));
            failures.push(Failure { kind, spec, dtype, clauses: vec![find.clause(ledger)], finding });
        }
    }
    for unstable in &report.unstable {
        let call = &unstable.sample.call;
        failures.push(Failure {
            kind: Kind::Nondeterministic,
            spec: call.spec(),
            dtype: Some(call.data.dtype()),
            clauses: Vec::new(),
            finding: finding::of_unstable(unstable, again),
        });
    }
    let profile = report.profile();
    let divided = Divided::of(report, &profile);
    for (place, row) in &profile {
        let Some(split) = row.inconsistent(place) else { continue };
        let Place { spec, question, dtype, .. } = *place;
        let raises =
            ledger.iter().filter(|entry| entry.clause.spec == spec && entry.questions.contains(&question));
        failures.push(Failure {
            kind: Kind::Of(Fault::Inconsistent),
            spec,
            dtype,
            clauses: raises.map(|entry| entry.clause.clone()).collect(),
            finding: finding::of_place(&divided, *place, split, again),
        });
    }
    failures
}
