//! Tests a run of laws: honest backends obey them, refusals and deaths differ from answers, and a violation
//! can be repeated alone. The zoo tests wrong implementations.

use normative_backend::Declared;
use normative_conformance::law::{LAWS, Report, Tally, row, run};
use normative_conformance::reference::{Axes, Call, Norm, Spec};
use normative_conformance::{Answer, Backend, Capabilities, Death, Driver, Identity, Observed, Stub};
use rstest::rstest;

use crate::reference_backend::{Policy, Reference, mixed, otherwise};

/// Returns the reference with one difference.
fn differing(differs: impl FnMut(&Call) -> Option<Answer>) -> Stub<impl FnMut(&Call) -> Answer> {
    otherwise("otherwise", Policy::new(), differs)
}

/// Gives the same observation for every call.
struct Always(Observed);

impl Driver for Always {
    fn identity(&self) -> Identity {
        Backend::identity(&Reference(Policy::new()))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn ask(&mut self, _: &Call) -> Observed {
        self.0.clone()
    }
}

fn tried(calls: usize, backend: &mut dyn Driver) -> Report {
    run(row(3, &Spec::ALL, &Declared::default()).take(calls), backend)
}

fn tally(report: &Report, law: &str) -> Tally {
    report.tallies.iter().find(|(one, _)| one.name == law).unwrap().1
}

#[rstest]
fn the_reference_holds_every_law_whatever_it_reads(#[values(0, 1, 2, 3, 4, 5, 6, 7)] seed: usize) {
    let report = tried(300, &mut Reference(mixed(seed)));
    assert!(report.broken.is_empty(), "{:#?}", report.broken[0]);
    for (law, tally) in &report.tallies {
        let Tally { not_applicable, held, declined, .. } = *tally;
        assert!(held > 20 && held + not_applicable + declined == 300, "{}: {tally:?}", law.name);
    }
}

#[rstest]
#[case::unsupported(Answer::Unsupported("no".into()))]
#[case::rejected(Answer::Rejected("no".into()))]
fn who_declines_everything_has_held_nothing(#[case] answer: Answer) {
    let report = tried(200, &mut differing(move |_: &Call| Some(answer.clone())));
    assert!(report.broken.is_empty());
    for (law, Tally { held, declined, .. }) in &report.tallies {
        assert!(*held == 0 && *declined > 10, "{}", law.name);
    }
}

#[test]
fn a_refusal_of_one_spelling_breaks_the_law_and_a_gap_in_the_backend_does_not() {
    let negative = |call: &Call| matches!(&call.axes, Axes::Given(axes) if axes.values.first().is_some_and(|&axis| axis < 0));
    let with = |answer: Answer| {
        let answers = move |call: &Call| negative(call).then(|| answer.clone());
        tally(&tried(300, &mut differing(answers)), "negative-axes")
    };
    let Tally { held, broken, .. } = with(Answer::Rejected("negative".into()));
    assert!(held == 0 && broken > 50);
    let Tally { declined, held, broken, .. } = with(Answer::Unsupported("negative".into()));
    assert!(declined > 50 && held == 0 && broken == 0);
}

#[test]
fn a_missing_sibling_operator_breaks_no_law() {
    let no_l2 =
        |call: &Call| (call.spec().norm() == Norm::L2).then(|| Answer::Rejected("no such operator".into()));
    let Tally { declined, held, broken, .. } = tally(&tried(300, &mut differing(no_l2)), "one-element");
    assert!(declined > 50 && held == 0 && broken == 0);
}

#[rstest]
#[case::died(Observed::Died(Death::Crashed("SIGSEGV".into())))]
#[case::changed_the_data(Observed::ChangedData("element 0".into()))]
fn a_fault_breaks_whichever_law_made_the_call(#[case] fault: Observed) {
    for (law, tally) in &tried(100, &mut Always(fault)).tallies {
        assert!(tally.broken > 0 && tally.held == 0 && tally.declined == 0, "{}: {tally:?}", law.name);
    }
}

#[test]
fn what_is_broken_is_printed_with_its_calls_and_repeats_alone() {
    let unchanged = |call: &Call| Some(Answer::Tensor(call.data.clone()));
    let report = tried(60, &mut differing(unchanged));
    let first = &report.broken[0];
    let alone = run([first.id], &mut differing(unchanged));
    assert_eq!((&alone.broken[0].because, &alone.broken[0].asked), (&first.because, &first.asked));
    let mut text = String::new();
    report.write(&mut text, "cargo xtask conformance --backend ours --laws").unwrap();
    let again = format!("\n  again     cargo xtask conformance --backend ours --laws --case {}\n", first.id);
    assert!(text.starts_with(&format!("BROKEN {}: ", first.law)) && text.contains(&again), "{text}");
    assert!(LAWS.iter().all(|law| text.contains(&format!("\n{} ", law.name))), "{text}");
}
