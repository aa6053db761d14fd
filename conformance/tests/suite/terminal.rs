//! Tests the look of a report: one snapshot with every kind of line.

use crate::example;
use ndarray::{ArrayD, IxDyn};
use normative_conformance::corpus::clauses::Ledger;
use normative_conformance::corpus::{Case, ClauseRef};
use normative_conformance::reference::{Axes, Call, Norm, Operator, Tensor};
use normative_conformance::report::Report;
use normative_conformance::{Death, Demands, Identity, Observed, Sheet, judge};
use normative_present::column::Column;
use normative_present::terminal;

fn tensor(shape: &[usize], values: &[f32]) -> Tensor {
    ArrayD::from_shape_vec(IxDyn(shape), values.to_vec()).unwrap().into()
}

fn case(name: &str, norm: Norm, data: Tensor, axes: Axes) -> Case {
    let call = Call::new(Operator::OpenVino { norm, keep_dims: Some(false) }, data, axes);
    Case {
        clauses: vec![ClauseRef { spec: call.spec(), name: "norm".into() }],
        why: "An implementation without abs adds 1 and -2.".into(),
        ..example::case(name, call)
    }
}

#[test]
fn a_report_shows_every_failure_with_its_clause_its_element_and_its_command() {
    let pair = || tensor(&[2], &[1.0, -2.0]);
    let cases = [
        (case("right", Norm::L1, pair(), Axes::list(&[0])), Observed::Tensor(tensor(&[], &[3.0]))),
        (case("wrong-value", Norm::L1, pair(), Axes::list(&[0])), Observed::Tensor(tensor(&[], &[-1.0]))),
        (case("inexact-root", Norm::L2, pair(), Axes::list(&[0])), Observed::Tensor(tensor(&[], &[2.236]))),
        (case("wrong-shape", Norm::L1, pair(), Axes::list(&[0])), Observed::Tensor(tensor(&[1], &[3.0]))),
        (case("not-refused", Norm::L1, pair(), Axes::list(&[1])), Observed::Tensor(tensor(&[], &[3.0]))),
        (
            case("neither-reading", Norm::L1, pair(), Axes::list(&[])),
            Observed::Tensor(tensor(&[2], &[1.0, 0.0])),
        ),
        (case("one-reading", Norm::L1, pair(), Axes::list(&[])), Observed::Tensor(pair())),
        (case("the-other", Norm::L1, pair(), Axes::list(&[])), Observed::Tensor(tensor(&[2], &[1.0, 2.0]))),
        (
            case("brings-it-down", Norm::L1, pair(), Axes::list(&[0])),
            Observed::Died(Death::Crashed("SIGSEGV".into())),
        ),
        (case("declined", Norm::L2, pair(), Axes::list(&[0])), Observed::Unsupported("no L2 yet".into())),
    ];
    let results = cases
        .iter()
        .map(|(case, answer)| (case, judge(&Sheet::of(&case.call).unwrap(), answer, &Demands::default())));
    let identity =
        Identity { name: "example".into(), version: "1.2".into(), report_bugs_to: "nobody".into() };
    let report = Report::of(identity, results.collect(), 12);
    let mut text = String::new();
    let again = "cargo xtask conformance --backend example".to_owned();
    let column = Column { name: "example".into(), report, again, repro: None };
    terminal::write(&mut text, &column, &Ledger::default(), terminal::Detail::All).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn the_words_of_a_backend_cannot_pass_for_ours() {
    let case = case("a-case", Norm::L1, tensor(&[2], &[1.0, -2.0]), Axes::list(&[0]));
    let forged = "no\nFAIL nothing\rexample 1 conforms\x1b[2J";
    for answer in [
        Observed::Rejected(forged.into()),
        Observed::Unsupported(forged.into()),
        Observed::Died(Death::Crashed(forged.into())),
    ] {
        let verdict = judge(&Sheet::of(&case.call).unwrap(), &answer, &Demands::default());
        let identity =
            Identity { name: forged.into(), version: forged.into(), report_bugs_to: "nobody".into() };
        let report = Report::of(identity, vec![(&case, verdict)], 1);
        let mut text = String::new();
        let column = Column { name: forged.into(), report, again: "again".into(), repro: None };
        terminal::write(&mut text, &column, &Ledger::default(), terminal::Detail::All).unwrap();
        assert!(text.contains("FAIL nothing"), "{text:?}");
        assert!(!text.lines().any(|line| line.starts_with("FAIL nothing")), "{text:?}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
}
