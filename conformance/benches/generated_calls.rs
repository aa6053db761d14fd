//! Measures how many small calls are generated, evaluated and compared in a second: `cargo bench`.
//!
//! The calls are those of a row whose data are at most 64 elements of f32, a thousand of them; the
//! backend is a plain loop, so that what is measured is this project. One item is one call.

#![allow(missing_docs, reason = "divan makes functions of its own")]
#![allow(clippy::unwrap_used, reason = "a benchmark may")]

mod plain;

use divan::Bencher;
use divan::counter::ItemsCount;
use normative_conformance::reference::{Call, Dtype, Spec};
use normative_conformance::run::property::{Id, row};
use normative_conformance::{Demands, Observed, Sheet, judge};

const CALLS: usize = 1000;

fn main() {
    divan::main();
}

fn is_small(call: &Call) -> bool {
    call.data.dtype() == Dtype::F32 && call.data.len() <= 64
}

fn ids() -> Vec<Id> {
    row(1, &Spec::ALL).filter(|id| is_small(&id.call())).take(CALLS).collect()
}

fn calls() -> Vec<Call> {
    ids().into_iter().map(Id::call).collect()
}

#[divan::bench]
fn generate(bencher: Bencher<'_, '_>) {
    let ids = ids();
    bencher
        .counter(ItemsCount::new(CALLS))
        .bench(|| ids.iter().map(|id| id.call().data.len()).sum::<usize>());
}

#[divan::bench]
fn evaluate(bencher: Bencher<'_, '_>) {
    let calls = calls();
    let entries = |call: &Call| Sheet::of(call).unwrap().entries.len();
    bencher.counter(ItemsCount::new(CALLS)).bench(|| calls.iter().map(entries).sum::<usize>());
}

#[divan::bench]
fn compare(bencher: Bencher<'_, '_>) {
    let sheets: Vec<(Sheet, Observed)> =
        calls().iter().map(|call| (Sheet::of(call).unwrap(), plain::answer(call).into())).collect();
    let demands = Demands::default();
    let fails =
        |(sheet, answer): &(Sheet, Observed)| usize::from(judge(sheet, answer, &demands).is_failure());
    bencher.counter(ItemsCount::new(CALLS)).bench(|| sheets.iter().map(fails).sum::<usize>());
}

/// The three together, with answers prepared: what a run costs beside the backend.
#[divan::bench]
fn generate_evaluate_compare(bencher: Bencher<'_, '_>) {
    let answers: Vec<(Id, Observed)> =
        ids().into_iter().map(|id| (id, plain::answer(&id.call()).into())).collect();
    let demands = Demands::default();
    let fails = |(id, answer): &(Id, Observed)| {
        usize::from(judge(&Sheet::of(&id.call()).unwrap(), answer, &demands).is_failure())
    };
    bencher.counter(ItemsCount::new(CALLS)).bench(|| answers.iter().map(fails).sum::<usize>());
}
