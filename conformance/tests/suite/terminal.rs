//! Tests the look of a report: one snapshot with every kind of line.

use crate::calls::{answer, tensor};
use crate::example;
use normative_conformance::corpus::clauses::Ledger;
use normative_conformance::corpus::{Case, ClauseRef};
use normative_conformance::reference::{Axes, Call, Norm, Operator, Tensor};
use normative_conformance::report::Report;
use normative_conformance::run::repeat::{Sample, Unstable};
use normative_conformance::{Death, Demands, Identity, Observed, Sheet, judge};
use normative_present::column::Column;
use normative_present::terminal;

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
    let pair = || tensor(&[2], &[1.0_f32, -2.0]);
    let cases = [
        (case("right", Norm::L1, pair(), Axes::list(&[0])), answer(&[], &[3.0_f32])),
        (case("wrong-value", Norm::L1, pair(), Axes::list(&[0])), answer(&[], &[-1.0_f32])),
        (case("inexact-root", Norm::L2, pair(), Axes::list(&[0])), answer(&[], &[2.236_f32])),
        (case("wrong-shape", Norm::L1, pair(), Axes::list(&[0])), answer(&[1], &[3.0_f32])),
        (case("not-refused", Norm::L1, pair(), Axes::list(&[1])), answer(&[], &[3.0_f32])),
        (case("neither-reading", Norm::L1, pair(), Axes::list(&[])), answer(&[2], &[1.0_f32, 0.0])),
        (case("one-reading", Norm::L1, pair(), Axes::list(&[])), Observed::Tensor(pair())),
        (case("the-other", Norm::L1, pair(), Axes::list(&[])), answer(&[2], &[1.0_f32, 2.0])),
        (
            case("brings-it-down", Norm::L1, pair(), Axes::list(&[0])),
            Observed::Died(Death::Crashed("SIGSEGV".into())),
        ),
        (case("declined", Norm::L2, pair(), Axes::list(&[0])), Observed::Unsupported("no L2 yet".into())),
    ];
    insta::assert_snapshot!(written(&cases, 12, terminal::Detail::All));
}

#[test]
fn defects_of_a_backend_that_answers_in_two_ways_may_be_of_chance() {
    let names: Vec<String> = (0..20).map(|at| format!("call-{at}")).collect();
    let wrong = |name: &String| {
        let call = case(name, Norm::L1, tensor(&[2], &[1.0_f32, -2.0]), Axes::list(&[0]));
        (call, answer(&[], &[-1.0_f32]))
    };
    let cases: Vec<(Case, Observed)> = names.iter().map(wrong).collect();
    let (asked, first) = cases[0].clone();
    let sample = Sample { name: asked.name, call: asked.call, first };
    let unstable = vec![Unstable { sample, then: Observed::Rejected("not again".into()), row: None }];
    let brief = terminal::Detail::Brief("show");
    let note = "1 call was answered in two ways, below as NONDETERMINISTIC: these defects may be of chance\n\nDEFECT 1 of 1";
    assert!(written_with(&cases, 20, brief, unstable).contains(note));
    assert!(!written(&cases, 20, brief).contains("two ways"));
}

/// Returns the report of these answers, of a corpus with `corpus` cases.
fn written(cases: &[(Case, Observed)], corpus: usize, detail: terminal::Detail<'_>) -> String {
    written_with(cases, corpus, detail, Vec::new())
}

fn written_with(
    cases: &[(Case, Observed)],
    corpus: usize,
    detail: terminal::Detail<'_>,
    unstable: Vec<Unstable>,
) -> String {
    let results = cases
        .iter()
        .map(|(case, answer)| (case, judge(&Sheet::of(&case.call).unwrap(), answer, &Demands::default())));
    let identity =
        Identity { name: "example".into(), version: "1.2".into(), report_bugs_to: "nobody".into() };
    let report = Report { unstable, ..Report::of(identity, results.collect(), corpus) };
    let mut text = String::new();
    let again = "cargo xtask conformance --backend example".to_owned();
    let column = Column { name: "example".into(), report, again, repro: None };
    terminal::write(&mut text, &column, &Ledger::default(), detail).unwrap();
    text
}

#[test]
fn answers_that_only_contradict_each_other_are_counted_first_and_shown_by_one_command() {
    let open = |name: &str| case(name, Norm::L1, tensor(&[2], &[1.0_f32, -2.0]), Axes::list(&[]));
    let cases = [
        (open("as-it-was"), answer(&[2], &[1.0_f32, -2.0])),
        (open("its-norm"), answer(&[2], &[1.0_f32, 2.0])),
        (open("its-norm-again"), answer(&[2], &[1.0_f32, 2.0])),
    ];
    let text = written(&cases, 3, terminal::Detail::Brief("show"));
    let (_, end) = text.split_once("\n1 INCONSISTENT\n\n").unwrap();
    let lines: Vec<&str> = end.lines().collect();
    let [headline, name, reads, again, next, all] = lines[..] else { panic!("{end}") };
    assert_eq!(
        headline,
        "does not conform, though each answer does by itself: \"example 1.2\": 3 conform of 3 cases; 1 INCONSISTENT \
         reading"
    );
    assert_eq!(name, "first: INCONSISTENT openvino/ReduceL1-4: empty-axes-identity");
    assert!(reads.starts_with("  reads     ") && again.starts_with("  reads     "), "{end}");
    assert_eq!(next, "next: cargo xtask conformance --backend example --spec openvino/ReduceL1-4");
    assert_eq!(all, "all:  show");
}

#[test]
fn the_last_lines_of_a_screen_say_what_the_first_failure_asked_expected_and_got() {
    for failures in [1, 40] {
        let data = tensor(&[400], &[1.5_f32; 400]);
        let wrong = |at| case(&format!("wrong-{at}"), Norm::L1, data.clone(), Axes::list(&[0]));
        let cases: Vec<_> = (0..failures).map(|at| (wrong(at), answer(&[], &[1.0_f32]))).collect();
        let text = written(&cases, failures, terminal::Detail::Brief("show"));
        // A terminal of 80 columns breaks a longer line.
        let lines: Vec<&str> = text.lines().collect();
        let mut rows = 0;
        let shown: Vec<&str> = lines
            .into_iter()
            .rev()
            .take_while(|line| {
                rows += line.chars().count().div_ceil(80).max(1);
                rows <= 19
            })
            .collect();
        for start in [
            "  clause    openvino/ReduceL1-4#norm",
            "  call      openvino/ReduceL1-4 data f32[400]",
            "  data      [1.5, ",
            "  expected  600 ",
            "  got       1 ",
            "next: ",
            "does not conform: ",
        ] {
            assert!(shown.iter().any(|line| line.starts_with(start)), "{start}: {shown:?}");
        }
    }
}

#[test]
fn a_brief_report_counts_cases_of_a_family_in_a_row_and_a_whole_one_by_spec() {
    let norm = |norm, right: f32| {
        let axes = Axes::list(&[0]);
        (case("right", norm, tensor(&[2], &[3.0_f32, -4.0]), axes), answer(&[], &[right]))
    };
    let right = [norm(Norm::L1, 7.0), norm(Norm::L2, 5.0)];
    let wrong = [norm(Norm::L1, 7.0), norm(Norm::L2, 6.0)];
    let brief = |cases| written(cases, 2, terminal::Detail::Brief("show"));
    assert!(brief(&right).contains("\nopenvino    2         2 "), "{}", brief(&right));
    assert!(brief(&wrong).contains("\nopenvino/ReduceL2-4    1         0 "), "{}", brief(&wrong));
    let whole = written(&right, 2, terminal::Detail::All);
    assert!(whole.contains("\nopenvino/ReduceL2-4    1         1 "), "{whole}");
}
