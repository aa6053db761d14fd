//! Tests the laws on the zoo: no right implementation breaks one, a wrong one breaks each, and each applies
//! to enough calls.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use normative_conformance::parallel::each;
use normative_conformance::reference::{Family, Spec};
use normative_hunt::law::{LAWS, Law, row, run};
use normative_zoo::{honest, mutants, some};
use rstest::rstest;

/// Laws, each with a wrong implementation that breaks it.
const BROKEN_BY: [(&str, &str); 22] = [
    ("same-call", "every-seventh-call-drops-the-last"),
    ("negative-axes", "negative-off-by-one"),
    ("axes-order", "order-assumed"),
    ("keep-dims", "kept-at-the-end"),
    ("permutation", "last-dropped"),
    ("permutation", "i64-through-f64"),
    ("permutation", "f32-sums-in-ten-bits"),
    ("transposition", "output-transposed"),
    ("transposition", "dims-reversed"),
    ("batch", "nan-everywhere"),
    ("negation", "abs-dropped"),
    ("negation", "minus-zero-kept"),
    ("scaling", "epsilon-added"),
    ("scaling", "roots-up"),
    ("padding", "tails-of-eight-dropped"),
    ("padding", "nothing-is-minus-zero"),
    ("concatenation", "greatest-instead-of-sum"),
    ("concatenation", "a-millionth-too-little"),
    ("splitting", "a-ten-thousandth-too-much"),
    ("splitting", "no-output-refused"),
    ("monotonicity", "abs-of-the-sum"),
    ("order-of-norms", "root-dropped"),
];

#[test]
fn no_honest_implementation_breaks_a_law() {
    let alarms = each(&some(honest(), 3), |honest| {
        let report = run(&LAWS, row(1, &Spec::ALL).take(1_000), &mut honest.backend());
        let mut text = String::new();
        report.write(&mut text, "again").unwrap();
        let silent = report.never_applied().next().is_some();
        (silent || !report.broken.is_empty()).then(|| format!("{}:\n{text}", honest.name))
    });
    let alarms: Vec<String> = alarms.into_iter().flatten().collect();
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}

#[test]
fn each_law_is_broken_by_wrong_implementations() {
    let mutants = mutants();
    let holds = each(&BROKEN_BY, |(law, name)| {
        let mutant = mutants.iter().find(|mutant| mutant.name == *name).unwrap();
        let report =
            run(&[Law::from_name(law).unwrap()], row(1, &Spec::ALL).take(4_000), &mut mutant.backend());
        report.broken.is_empty().then(|| format!("{law}: {name} {:?}", report.tallies[0].1))
    });
    let holds: Vec<String> = holds.into_iter().flatten().collect();
    assert!(holds.is_empty(), "{holds:#?}");
    for law in LAWS {
        assert!(BROKEN_BY.iter().any(|(name, _)| *name == law.name), "{}", law.name);
    }
}

/// Returns the number of generated calls, of a thousand to these specs, to which a law applies.
fn applied(law: &str, specs: &[Spec]) -> usize {
    let plain = honest().into_iter().next().unwrap();
    let report = run(&[Law::from_name(law).unwrap()], row(7, specs).take(1_000), &mut plain.backend());
    let tally = report.tallies[0].1;
    assert_eq!(tally.tried(), 1_000);
    tally.applied()
}

/// Each bound is about four fifths of the count, so that a change of the generator that starves a law shows.
#[rstest]
#[case::same_call("same-call", 950)]
#[case::permutation("permutation", 570)]
#[case::transposition("transposition", 515)]
#[case::batch("batch", 375)]
#[case::negation("negation", 640)]
#[case::scaling("scaling", 390)]
#[case::padding("padding", 430)]
#[case::concatenation("concatenation", 335)]
#[case::monotonicity("monotonicity", 390)]
#[case::order_of_norms("order-of-norms", 265)]
fn each_law_speaks_of_many_of_a_thousand_calls(#[case] law: &str, #[case] at_least: usize) {
    let applied = applied(law, &Spec::ALL);
    assert!(applied >= at_least, "{applied}");
}

/// Counts without BLAS, whose calls have no axes, so that these laws never apply.
#[rstest]
#[case::negative_axes("negative-axes", 430)]
#[case::axes_order("axes-order", 215)]
#[case::keep_dims("keep-dims", 600)]
#[case::splitting("splitting", 135)]
fn each_law_about_axes_speaks_of_many_calls(#[case] law: &str, #[case] at_least: usize) {
    let specs: Vec<Spec> = Spec::ALL.into_iter().filter(|spec| spec.family() != Family::Blas).collect();
    let applied = applied(law, &specs);
    assert!(applied >= at_least, "{applied}");
}
