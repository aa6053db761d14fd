//! Tests a run of laws: honest backends obey them, refusals and deaths differ from answers, and a violation
//! can be repeated alone. The zoo tests wrong implementations.

use std::collections::BTreeSet;

use normative_conformance::generate::turns::Turns;
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Question, Reading, Spec, Tensor};
use normative_conformance::{Answer, Backend, Capabilities, Death, Driver, Identity, Observed};
use normative_hunt::law::{Breach, LAWS, Law, Report, Tally, row, run};
use rstest::rstest;

use crate::reference_backend::{Policy, Reference, mixed};

/// Answers by the function, and as the reference where that returns `None`.
struct Otherwise<F>(F);

impl<F: FnMut(&Call) -> Option<Answer>> Backend for Otherwise<F> {
    fn identity(&self) -> Identity {
        Backend::identity(&Reference(Policy::new()))
    }

    fn answer(&mut self, call: &Call) -> Answer {
        (self.0)(call).unwrap_or_else(|| Reference(Policy::new()).answer(call))
    }
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
    run(&LAWS, row(3, &Spec::ALL).take(calls), backend)
}

fn law(name: &str) -> Law {
    Law::from_name(name).unwrap()
}

#[test]
fn laws_have_names_of_their_own_and_are_found_by_them() {
    let names: BTreeSet<&str> = LAWS.iter().map(|law| law.name).collect();
    assert_eq!(names.len(), LAWS.len());
    for each in LAWS {
        assert_eq!(law(each.name).says, each.says);
        assert!(each.says.ends_with('.'));
    }
    assert!(Law::from_name("gravity").is_none());
}

#[rstest]
fn the_reference_holds_every_law_whatever_it_reads(#[values(0, 1, 2, 3, 4, 5, 6, 7)] seed: usize) {
    let report = tried(300, &mut Reference(mixed(seed)));
    assert!(report.broken.is_empty(), "{:#?}", report.broken[0]);
    for (law, tally) in &report.tallies {
        assert_eq!(tally.tried(), 300);
        assert!(tally.held > 20, "{}: {tally:?}", law.name);
    }
}

#[rstest]
#[case::unsupported(Answer::Unsupported("no".into()))]
#[case::rejected(Answer::Rejected("no".into()))]
fn who_declines_everything_has_held_nothing(#[case] answer: Answer) {
    let report = tried(200, &mut Otherwise(move |_: &Call| Some(answer.clone())));
    assert!(report.broken.is_empty());
    assert_eq!(report.never_applied().count(), LAWS.len());
    for (law, tally) in &report.tallies {
        assert!(tally.declined > 10, "{}: {tally:?}", law.name);
        assert_eq!(tally.tried(), 200);
    }
}

#[test]
fn a_refusal_of_one_spelling_breaks_the_law_and_a_gap_in_the_backend_does_not() {
    let negative = |call: &Call| matches!(&call.axes, Axes::Given(axes) if axes.values.first().is_some_and(|&axis| axis < 0));
    let with = |answer: Answer| {
        let answers = move |call: &Call| negative(call).then(|| answer.clone());
        run(&[law("negative-axes")], row(3, &Spec::ALL).take(300), &mut Otherwise(answers))
    };
    let refused = with(Answer::Rejected("negative".into()));
    assert!(refused.tallies[0].1.held == 0 && refused.broken.len() > 50);
    let is_refusal = |breach: &Breach| *breach == Breach::Refused("negative".into());
    assert!(refused.broken.iter().all(|broken| is_refusal(&broken.breach)));
    let unsupported = with(Answer::Unsupported("negative".into()));
    let Tally { declined, held, broken, .. } = unsupported.tallies[0].1;
    assert!(declined > 50 && held == 0 && broken == 0);
}

#[test]
fn who_sums_otherwise_where_dims_are_dropped_breaks_no_law() {
    let narrow = Policy::from([
        (Question::HalfAccumulation, Reading::InType),
        (Question::F64Precision, Reading::Single),
        (Question::FloatRange, Reading::Naive),
    ]);
    let mut differ = 0;
    let mut backend = Otherwise(|call: &Call| {
        let drops = matches!(
            call.operator,
            Operator::OpenVino { keep_dims: None | Some(false), .. }
                | Operator::Onnx { keepdims: Some(0), .. }
        );
        let otherwise = Reference(narrow.clone()).answer(call);
        differ += usize::from(drops && otherwise != Reference(Policy::new()).answer(call));
        drops.then_some(otherwise)
    });
    let report = run(&[law("keep-dims")], row(3, &Spec::ALL).take(8_000), &mut backend);
    assert!(report.broken.is_empty(), "{:#?}", report.broken[0]);
    assert!(differ > 20, "{differ}");
}

#[test]
fn a_missing_sibling_operator_says_nothing_of_the_order_of_norms() {
    let no_l2 = |call: &Call| {
        let l2 = call.spec().norm() == Norm::L2;
        l2.then(|| Answer::Rejected("no such operator".into()))
    };
    let report = run(&[law("order-of-norms")], row(3, &Spec::ALL).take(300), &mut Otherwise(no_l2));
    let Tally { declined, held, broken, .. } = report.tallies[0].1;
    assert!(declined > 50 && held == 0 && broken == 0);
}

#[rstest]
#[case::died(Observed::Died(Death::Crashed("SIGSEGV".into())))]
#[case::changed_the_data(Observed::ChangedData("element 0".into()))]
fn a_fault_breaks_whichever_law_made_the_call(#[case] fault: Observed) {
    let report = tried(100, &mut Always(fault));
    for (law, tally) in &report.tallies {
        assert!(tally.broken > 0 && tally.held == 0 && tally.declined == 0, "{}: {tally:?}", law.name);
    }
}

#[test]
fn another_element_type_of_the_output_breaks_every_law() {
    let widened = |call: &Call| {
        let Answer::Tensor(tensor) = Reference(Policy::new()).answer(call) else { return None };
        let integer = tensor.dtype() == Dtype::I32;
        integer
            .then(|| Answer::Tensor(Tensor::from_bits(Dtype::U32, tensor.shape(), &tensor.bits()).unwrap()))
    };
    let report = tried(1_500, &mut Otherwise(widened));
    for (law, tally) in &report.tallies {
        assert!(tally.broken > 0, "{}: {tally:?}", law.name);
    }
    let wrong = Breach::Dtype { data: Dtype::I32, output: Dtype::U32 };
    assert!(report.broken.iter().all(|broken| broken.breach == wrong));
}

#[test]
fn what_is_broken_is_printed_with_its_calls_and_repeats_alone() {
    let unsigned = |call: &Call| Some(Answer::Tensor(call.data.clone()));
    let report = run(&[law("negation")], row(3, Turns::First.specs()).take(60), &mut Otherwise(unsigned));
    let first = &report.broken[0];
    let alone = run(&[law("negation")], [first.id], &mut Otherwise(unsigned));
    assert_eq!(alone.broken.len(), 1);
    assert_eq!((&alone.broken[0].breach, &alone.broken[0].asked), (&first.breach, &first.asked));
    let mut text = String::new();
    report.write(&mut text, "cargo xtask laws --backend ours").unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn the_same_row_gives_the_same_report() {
    let text = || {
        let mut text = String::new();
        let every_third = |call: &Call| (call.data.len() % 3 == 1).then(|| Answer::Tensor(call.data.clone()));
        tried(80, &mut Otherwise(every_third)).write(&mut text, "again").unwrap();
        text
    };
    assert_eq!(text(), text());
}
