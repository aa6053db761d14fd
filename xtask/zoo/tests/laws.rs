//! Tests the laws on the zoo: no right implementation breaks one, a wrong one breaks each, and each applies
//! to enough calls.

#![allow(clippy::unwrap_used, reason = "a test may")]

use normative_conformance::Declared;
use normative_conformance::law::{LAWS, row, run};
use normative_conformance::parallel::each;
use normative_conformance::reference::Spec;
use normative_zoo::{honest, mutants, some};

/// Laws, each with a wrong implementation that breaks it.
const BROKEN_BY: [(&str, &str); 10] = [
    ("same-call", "every-seventh-call-drops-the-last"),
    ("negative-axes", "negative-off-by-one"),
    ("axes-order", "order-assumed"),
    ("keep-dims", "kept-at-the-end"),
    ("transposition", "dims-reversed"),
    ("batch", "output-transposed"),
    ("signs", "abs-of-the-sum"),
    ("scaling", "epsilon-added"),
    ("padding", "tails-of-eight-dropped"),
    ("one-element", "root-dropped"),
];

#[test]
fn no_honest_implementation_breaks_a_law() {
    let alarms = each(&some(honest(), 12), |honest| {
        let report = run(row(1, &Spec::ALL, &Declared::default()).take(300), &mut honest.backend());
        let mut text = String::new();
        report.write(&mut text, "again").unwrap();
        let is_silent = report.tallies.iter().any(|(_, tally)| tally.held < 10);
        (is_silent || !report.broken.is_empty()).then(|| format!("{}:\n{text}", honest.name))
    });
    let alarms: Vec<String> = alarms.into_iter().flatten().collect();
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}

#[test]
fn each_law_is_broken_by_a_wrong_implementation() {
    let mutants = mutants();
    let holds = each(&BROKEN_BY, |(law, name)| {
        let mutant = mutants.iter().find(|mutant| mutant.name == *name).unwrap();
        let report = run(row(1, &Spec::ALL, &Declared::default()).take(500), &mut mutant.backend());
        report.broken.iter().all(|broken| broken.law != *law).then(|| format!("{law}: {name}"))
    });
    let holds: Vec<String> = holds.into_iter().flatten().collect();
    assert!(holds.is_empty(), "{holds:#?}");
    assert_eq!(BROKEN_BY.map(|(law, _)| law), LAWS.map(|law| law.name));
}
