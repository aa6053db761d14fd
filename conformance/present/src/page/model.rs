//! What the page's script works on: every failure as a row of small numbers, and every text once.
//!
//! Backends that share a runtime fail the same calls in the same words, so calls, answers and texts are tables, and
//! a failure is four places in them. The fields of a call are a tuple: names would be said thousands of times.

use std::collections::BTreeMap;

use normative_reference::{Call, Dtype, Kind as Format, Spec, Value};
use serde::Serialize;

use super::escape::visible;
use super::names;
use crate::column::Column;
use crate::outcome;
use crate::repro;
use normative_backend::Capabilities;
use normative_conformance::corpus::{ClauseRef, Ledger};
use normative_conformance::display::plain;
use normative_conformance::judge::accuracy;
use normative_conformance::judge::compare::{ElementMismatch, Mismatch, declared_accumulation};
use normative_conformance::judge::fault::Fault;
use normative_conformance::judge::verdict::{Miss, Sheet, Verdict};
use normative_conformance::report::defect::Defect;
use normative_conformance::report::derivation;
use normative_conformance::report::finding::Finding;
use normative_conformance::report::finding::{self, Line};
use normative_conformance::run::readings::Place;

/// What is the matter, as finely as a reader wants to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Of(Fault),
    /// One call has two answers, of which neither has to be wrong.
    Nondeterministic,
}

impl Kind {
    /// The words of all, in the order of the filter.
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

    /// Its words.
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

/// Everything the script needs.
#[derive(Serialize)]
pub(super) struct Model {
    backends: Vec<Backend>,
    specs: Vec<&'static str>,
    dtypes: Vec<&'static str>,
    kinds: Vec<&'static str>,
    /// Name, and what it says.
    clauses: Vec<(String, String)>,
    labels: Vec<&'static str>,
    texts: Vec<String>,
    calls: Vec<Asked>,
    /// What came of a call: label and text by turns.
    answers: Vec<Vec<usize>>,
    /// Of each cause its backend, its place among those, and its name.
    defects: Vec<(usize, usize, String)>,
    /// Backend, kind, call, answer, and of what is a failure of one call its defect.
    failures: Vec<(usize, usize, usize, usize, Option<usize>)>,
}

#[derive(Serialize)]
struct Backend {
    name: String,
    who: String,
    again: String,
    /// What stands before and after the name of a call in the command that writes a reproduction.
    repro: Option<(String, String)>,
}

/// Name, spec, element type, clauses, and label and text by turns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Asked(usize, usize, Option<usize>, Vec<usize>, Vec<usize>);

/// How many failures of a kind a backend has in a spec.
pub(super) type Counts = BTreeMap<(usize, Spec, Kind), usize>;

/// A failure before its texts are looked up.
struct Failure {
    kind: Kind,
    spec: Spec,
    dtype: Option<Dtype>,
    clauses: Vec<ClauseRef>,
    finding: Finding,
}

/// Each of some things once, in the order they were met.
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

/// The model of some reports, each with its defects, and how many failures there are of each kind.
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
                // Clauses are a table of their own, and the command differs by the backend's part alone.
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
                // Where it is the name of the failure, it need not be said again.
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

/// What speaks against a backend, in the order of [`finding::all`].
fn of_column(Column { report, again, .. }: &Column<'_>, ledger: &Ledger) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (case, verdict) in finding::cases_in_order(report) {
        if let (Some(kind), Some(mut finding)) =
            (Kind::of(verdict), finding::of_case(case, verdict, ledger, again))
        {
            derive(&mut finding, &case.call, verdict, &report.capabilities);
            let (spec, dtype) = (case.call.spec(), Some(case.call.data.dtype()));
            failures.push(Failure { kind, spec, dtype, clauses: case.clauses.clone(), finding });
        }
    }
    for find in finding::finds_in_order(report) {
        if let (Some(kind), Some(mut finding)) =
            (Kind::of(&find.verdict), finding::of_find(find, ledger, again))
        {
            derive(&mut finding, &find.call, &find.verdict, &report.capabilities);
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
    for (place, row) in &report.profile() {
        let Some(split) = row.inconsistent(place) else { continue };
        let Place { spec, question, dtype, .. } = *place;
        let raises =
            ledger.iter().filter(|entry| entry.clause.spec == spec && entry.questions.contains(&question));
        failures.push(Failure {
            kind: Kind::Of(Fault::Inconsistent),
            spec,
            dtype,
            clauses: raises.map(|entry| entry.clause.clone()).collect(),
            finding: finding::of_place(*place, split, again),
        });
    }
    failures
}

/// Puts the arithmetic of the bound behind the error that is beyond it, of the nearest reading.
fn derive(finding: &mut Finding, call: &Call, verdict: &Verdict, capabilities: &Capabilities) {
    let Verdict::Fails(misses) = verdict else { return };
    let Some(miss) = misses.first() else { return };
    let Mismatch::Element(element) = &miss.mismatch else { return };
    // The same call was evaluated to be judged, so this does not fail.
    let Some(sheet) = element.error.and_then(|_| Sheet::of(call).ok()) else { return };
    if let Some(at) = finding.lines.iter().position(|line| line.label == "error") {
        let lines = arithmetic(&sheet, miss, element, capabilities);
        let after = finding.lines.split_off(at + 1);
        finding.lines.extend(lines);
        finding.lines.extend(after);
    }
}

fn arithmetic(
    sheet: &Sheet,
    miss: &Miss,
    ElementMismatch { dtype, exact, got, .. }: &ElementMismatch,
    capabilities: &Capabilities,
) -> Vec<Line> {
    let entry = sheet
        .entries
        .iter()
        .find(|entry| entry.choices.first().map_or(&[][..], Vec::as_slice) == miss.readings.as_slice());
    let Some(normative_reference::Expected::Near(near)) = entry.map(|entry| &entry.expected) else {
        return Vec::new();
    };
    let (Some(Value::Finite(exact)), Format::Float(format)) = (exact, dtype.kind()) else {
        return Vec::new();
    };
    let declared = declared_accumulation(*dtype, capabilities);
    let above = accuracy::measure(exact, *got, format, near, declared).above;
    derivation::lines(exact, format, near, declared, &[above])
}
