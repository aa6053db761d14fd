//! Ten ways to get the operators wrong, each caught by the corpus for the right reason and by generated
//! calls without it, and the honest implementation they are edits of, which is let alone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

mod common;

use std::path::{Path, PathBuf};

use common::{Edit, Edited};
use normative_conformance::cases::clauses::load_ledger;
use normative_conformance::cases::{Case, load};
use normative_conformance::property::{Generated, row};
use normative_conformance::reference::{Norm, Spec};
use normative_conformance::report::Report;
use normative_conformance::run::{prepare, run};
use normative_conformance::{Backend as _, Demands, terminal};
use rstest::rstest;

fn cases_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("cases")
}

fn openvino() -> Vec<Case> {
    let corpus = load(&cases_dir()).unwrap();
    corpus.cases.into_iter().filter(|case| case.name.starts_with("openvino-")).collect()
}

fn judge(cases: &[Case], edit: Edit) -> Report<'_> {
    let prepared = prepare(cases).unwrap();
    let mut backend = Edited(edit);
    let verdicts = run(&prepared, &mut backend, &Demands::default(), |_, _| {});
    let results = cases.iter().zip(verdicts).collect();
    Report { identity: backend.identity(), results, corpus: cases.len(), generated: None }
}

fn text(report: &Report<'_>) -> String {
    let mut text = String::new();
    let ledger = load_ledger(&cases_dir().join("clauses")).unwrap();
    terminal::write(&mut text, report, &ledger, "cargo xtask conformance --backend edited").unwrap();
    text
}

#[test]
fn the_honest_implementation_conforms() {
    let cases = openvino();
    let report = judge(&cases, Edit::None);
    assert!(report.conforms(), "{}", text(&report));
    assert_eq!(report.total().conforms, cases.len(), "nothing is left undone");
}

#[rstest]
#[case(Edit::AbsDropped, "norm")]
#[case(Edit::NegativeAxesTakenAsZero, "axes-negative")]
#[case(Edit::SecondAxisIgnored, "axes-indices")]
#[case(Edit::KeepDimsInverted, "keep-dims-default")]
#[case(Edit::RootDropped, "norm")]
#[case(Edit::SumsHeldInF16, "norm")]
#[case(Edit::NanSkipped, "norm")]
#[case(Edit::EmptyAxesReduceAll, "empty-axes")]
#[case(Edit::SizeOneAxisReturnedUnchanged, "norm")]
#[case(Edit::AxesReversed, "axes-indices")]
fn a_wrong_implementation_fails_for_the_clause_it_breaks(#[case] edit: Edit, #[case] clause: &str) {
    let cases = openvino();
    let report = judge(&cases, edit);
    assert!(!report.conforms());
    let cited = |case: &&Case| case.clauses.first().is_some_and(|first| first.name == clause);
    let blamed = report.failures().map(|(case, _)| case).find(cited);
    let blamed = blamed.unwrap_or_else(|| {
        let clauses: std::collections::BTreeSet<&str> =
            report.failures().filter_map(|(case, _)| Some(case.clauses.first()?.name.as_str())).collect();
        panic!("no failing case is about {clause}, only about {clauses:?}")
    });
    assert!(
        text(&report).contains(&format!("{}#{clause}: ", blamed.call.spec())),
        "the report names the clause"
    );
}

/// How many generated calls it takes until one speaks against the edited implementation.
fn calls_until_found(edit: Edit, seed: u64, at_most: usize) -> Option<usize> {
    let specs = [Norm::L1, Norm::L2].map(Spec::OpenVino);
    let mut generated = Generated::default();
    for (calls, id) in row(seed, &specs).take(at_most).enumerate() {
        generated.ask(id, &mut Edited(edit), &Demands::default()).unwrap();
        if !generated.finds.is_empty() || generated.readings.values().any(|readings| readings.len() > 1) {
            return Some(calls + 1);
        }
    }
    None
}

#[test]
fn generated_calls_let_the_honest_implementation_alone() {
    assert_eq!(calls_until_found(Edit::None, 1, 20_000), None);
}

#[rstest]
fn generated_calls_find_a_wrong_implementation_without_the_corpus(
    #[values(
        Edit::AbsDropped,
        Edit::NegativeAxesTakenAsZero,
        Edit::SecondAxisIgnored,
        Edit::KeepDimsInverted,
        Edit::RootDropped,
        Edit::SumsHeldInF16,
        Edit::NanSkipped,
        Edit::EmptyAxesReduceAll,
        Edit::SizeOneAxisReturnedUnchanged,
        Edit::AxesReversed
    )]
    edit: Edit,
) {
    let found: Vec<Option<usize>> = (1..=9).map(|seed| calls_until_found(edit, seed, 2_000)).collect();
    println!("{edit:?}: {found:?}");
    assert!(found.iter().all(Option::is_some), "{found:?}");
}
