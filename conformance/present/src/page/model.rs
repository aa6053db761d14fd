//! The data of the page: all that it shows, as one JSON value, which the script lays out.

use std::collections::BTreeMap;

use normative_reference::{Choice, Dtype, Norm, Question, Spec};
use serde_json::{Value, json};

use super::cells::{Matrix, Row};
use super::escape::visible;
use super::{failures, lead, place_in};
use crate::column::Column;
use crate::{safety, terminal};
use normative_conformance::corpus::Ledger;
use normative_conformance::display::{family, plain, ulps};
use normative_conformance::judge::accuracy::Class;
use normative_conformance::report::defect::Defect;
use normative_conformance::report::finding::Line;
use normative_conformance::report::tables::{self, Grid};
use normative_conformance::run::measured::{Decade, Precision};

/// The most defects of a backend with lines: the page lists the failures of the others alone.
const SHOWN: usize = 50;

/// Returns the data. Every text in it is visible and of limited length, ours and a backend's.
pub(super) fn of(columns: &[Column<'_>], ledger: &Ledger) -> Value {
    let defects: Vec<Vec<Defect<'_>>> = columns.iter().map(|column| column.report.defects()).collect();
    let Matrix { specs, rows, .. } = Matrix::of(columns);
    let backends = columns.iter().zip(&defects).zip(&rows);
    let backends = backends.map(|((column, defects), row)| backend(column, defects, row, ledger));
    let mut page = json!({
        "outcome": lead::outcome(columns),
        "partial": lead::partial(columns),
        "asked": lead::asked(columns),
        "specs": Spec::ALL.map(Spec::name),
        "norms": Spec::ALL.map(|spec| norm(spec.norm())),
        "dtypes": Dtype::ALL.map(Dtype::name),
        "columns": specs.iter().map(|spec| place_in(&Spec::ALL, spec)).collect::<Vec<_>>(),
        "backends": backends.collect::<Vec<_>>(),
        "questions": questions(columns),
        "accuracy": accuracy(columns),
        "failures": failures::tables(columns, &defects, ledger),
    });
    make_visible(&mut page);
    page
}

fn make_visible(value: &mut Value) {
    match value {
        Value::String(text) => *text = visible(text),
        Value::Array(all) => all.iter_mut().for_each(make_visible),
        Value::Object(all) => all.values_mut().for_each(make_visible),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

const fn norm(norm: Norm) -> &'static str {
    match norm {
        Norm::L1 => "L1",
        Norm::L2 => "L2",
        Norm::SumSquare => "sums of squares",
        Norm::Sum => "sums of elements",
    }
}

/// Returns a backend with its row of the matrix, its hazards and its defects.
fn backend(column: &Column<'_>, defects: &[Defect<'_>], row: &Row, ledger: &Ledger) -> Value {
    let Column { report, again, repro, .. } = column;
    let hazards = safety::sections(column);
    let defect = |(at, defect): (usize, &Defect<'_>)| {
        json!({
            "name": defect.name(),
            "failures": defect.failures.len(),
            "specs": defect.specs.keys().map(|spec| place_in(&Spec::ALL, spec)).collect::<Vec<_>>(),
            "lines": (at < SHOWN).then(|| pairs(terminal::of_defect(defect, column, ledger))),
        })
    };
    json!({
        "name": row.name,
        "who": row.who,
        "again": plain(again),
        "repro": repro.as_ref().map(|repro| [&repro.before, &repro.after]),
        "cells": row.cells,
        "conform": row.total.conforms,
        "tried": row.total.executed(),
        "safety": safety::named(report),
        "severities": terminal::severities(report),
        "explained": terminal::explained(report, defects),
        "hazards": hazards.into_iter().map(|(name, lines)| section(&name, lines)).collect::<Vec<_>>(),
        "defects": defects.iter().enumerate().map(defect).collect::<Vec<_>>(),
        "refusals": table(&tables::reasons(report)),
        "support": table(&tables::support(report)),
    })
}

fn section(name: &str, lines: Vec<Line>) -> Value {
    json!({ "name": name, "lines": pairs(lines) })
}

fn pairs(lines: Vec<Line>) -> Vec<(&'static str, String)> {
    lines.into_iter().map(|line| (line.label, line.text)).collect()
}

fn table(Grid { header, rows, .. }: &Grid) -> Value {
    json!({ "header": header, "rows": rows })
}

/// Returns the questions that answers tell, family by family. `taken` has a reading of it, a backend that takes
/// that, and the spec and element type where it does.
fn questions(columns: &[Column<'_>]) -> Vec<Value> {
    let mut asked: BTreeMap<(&str, Question), Vec<_>> = BTreeMap::new();
    for (at, column) in columns.iter().enumerate() {
        for (place, row) in column.report.profile() {
            let (spec, dtype) = (place_in(&Spec::ALL, &place.spec), place.dtype);
            let dtype = dtype.map(|dtype| place_in(&Dtype::ALL, &dtype));
            let taken = asked.entry((family(place.spec), place.question)).or_default();
            for reading in row.readings() {
                taken.push((place_in(place.question.readings(), &reading), at, spec, dtype));
            }
        }
    }
    let question = |((family, question), taken): ((&str, Question), Vec<_>)| {
        let today = question.newest().map(|newest| {
            let meaning = Choice { question, reading: newest.reading }.meaning();
            format!("Today's text, since {}: {} ({meaning})", newest.since, newest.reading)
        });
        json!({
            "family": family,
            "name": question.name(),
            "asks": question.asks(),
            "because": question.because(),
            "today": today,
            "of-values": question.concerns_values(),
            "readings": question.readings().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "taken": taken,
        })
    };
    asked.into_iter().filter(|(_, taken)| !taken.is_empty()).map(question).collect()
}

/// Returns the errors over cases and generated calls together, for each element type that was measured. Each
/// backend has points: log10 of the least number of terms, the worst and the mean error, and both as a text.
fn accuracy(columns: &[Column<'_>]) -> Vec<Value> {
    let mut all: BTreeMap<Dtype, Vec<BTreeMap<Decade, Precision>>> = BTreeMap::new();
    for (at, Column { report, .. }) in columns.iter().enumerate() {
        let generated = report.generated.iter().flat_map(|generated| generated.measured.precision());
        for ((dtype, decade), precision) in report.precision().into_iter().chain(generated) {
            if precision.elements == 0 {
                continue;
            }
            let series = all.entry(dtype).or_insert_with(|| vec![BTreeMap::new(); columns.len()]);
            series[at].entry(decade).and_modify(|sum| *sum = sum.and(precision)).or_insert(precision);
        }
    }
    let point = |(decade, Precision { class, worst, mean, .. }): (&Decade, &Precision)| {
        let exponent = decade.bounds().0.checked_ilog10().unwrap_or(0);
        let text = format!("{} / {}", ulps(*worst), ulps(*mean));
        json!([exponent, worst, mean, text, *class == Class::Beyond])
    };
    let points = |series: &BTreeMap<_, _>| series.iter().map(point).collect::<Vec<_>>();
    let of_dtype = |(dtype, series): (Dtype, Vec<_>)| json!({ "dtype": dtype.name(), "backends": series.iter().map(points).collect::<Vec<_>>() });
    all.into_iter().map(of_dtype).collect()
}
