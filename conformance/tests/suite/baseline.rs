//! Baselines on file: what is written is read back, and what is none is told so, with its line; and what only a run
//! that was stopped shows. The rest is tried as a user meets it, in `xtask/tests/suite/baseline.rs`.

use std::path::Path;

use normative_conformance::Identity;
use normative_conformance::Verdict;
use normative_conformance::corpus::{Corpus, load_text};
use normative_conformance::judge::fault::Fault;
use normative_conformance::judge::verdict::Accepts;
use normative_conformance::report::baseline::{
    Again, Baseline, Deviation, Known, KnownDefect, Name, Scope, check, doubtful, updated,
};
use normative_conformance::report::{Missing, Place, Report};
use normative_conformance::run::property::{self, Generated, Id};
use proptest::prelude::*;
use rstest::rstest;

fn read(text: &str) -> Result<Baseline, String> {
    Baseline::load_text(Path::new("known.yaml"), text)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn names() -> impl Strategy<Value = Name> {
    prop_oneof![
        "[a-z0-9-]{1,20}(/[A-Za-z0-9-]{1,9}){0,3}".prop_map(|text| Name::of(&text)),
        (any::<u64>(), any::<u64>()).prop_map(|(seed, index)| {
            Name::of(&format!("generated-{}/ReduceL1-13/f32", Id::first(seed, index)))
        }),
        "[a-z]{1,9}/[a-z]{1,9}( for [a-z0-9]{1,4})?: [a-z-]{1,9}".prop_map(|text| Name::of(&text)),
        // Whatever else may stand in a file.
        "[!-~][ -~]{0,30}[!-~]".prop_map(|text| Name::of(&text)),
    ]
}

fn known() -> impl Strategy<Value = Known> {
    let issue = proptest::option::of("[!-~][ -~]{0,30}[!-~]");
    let comment = proptest::option::of("[!-~]([ -~\n\u{e4}-\u{2000}]{0,30}[!-~])?");
    (0..Fault::ALL.len(), issue, comment).prop_map(|(reason, issue, comment)| Known {
        reason: Fault::ALL[reason],
        issue,
        comment,
    })
}

fn known_defect() -> impl Strategy<Value = KnownDefect> {
    let reason = (0..Fault::ALL.len(), proptest::option::of("[a-zA-Z-]{1,9}( for [a-zA-Z]{1,9})?"));
    let reason = reason.prop_map(|(fault, more)| {
        let word = Fault::ALL[fault].word();
        more.map_or_else(|| word.to_owned(), |more| format!("{word}: {more}"))
    });
    let reasons = proptest::collection::btree_set(reason, 1..4);
    let conditions = proptest::collection::btree_set("[!-~]([ -~\u{2264}\u{2265}]{0,30}[!-~])?", 1..5);
    (reasons, conditions, any::<usize>(), known()).prop_map(|(reasons, conditions, failures, known)| {
        let Known { issue, comment, .. } = known;
        KnownDefect { reasons, conditions: conditions.into_iter().collect(), failures, issue, comment }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        known in proptest::collection::btree_map(names(), known(), 0..9),
        defects in proptest::collection::btree_map("[!-~]([ -~]{0,30}[!-~])?", known_defect(), 0..5),
        seed in any::<u64>(),
        calls in any::<usize>(),
    ) {
        let baseline = Baseline { seed, calls, known, defects };
        let text = baseline.to_text(Path::new("known.yaml")).unwrap();
        prop_assert_eq!(read(&text).unwrap(), baseline, "{}", text);
    }

    #[test]
    fn any_text_gives_a_baseline_or_an_error(text in "\\PC*") {
        let _ = read(&text);
        let _ = read(&format!("seed: 1\ncalls: 0\nknown:\n- name: {text}\n  reason: crashed\n"));
    }
}

#[rstest]
#[case::nothing("", "missing field `seed`")]
#[case::no_list("seed: 1\ncalls: 0\n", "missing field `known`")]
#[case::unknown_key("seed: 1\ncalls: 0\nknown: []\nfoo: 1\n", "known.yaml:4: unknown field `foo`")]
#[case::repeated_key("seed: 1\nseed: 1\ncalls: 0\nknown: []\n", "duplicate field `seed`")]
#[case::unknown_reason(
    "seed: 1\ncalls: 0\nknown:\n- name: a\n  reason: slow\n",
    "known.yaml:5: a: known[0].reason: unknown variant `slow`"
)]
#[case::unknown_field(
    "seed: 1\ncalls: 0\nknown:\n- name: a\n  reason: crashed\n  why: x\n",
    "unknown field `why`"
)]
#[case::nothing_after_it(
    "seed: 1\ncalls: 0\nknown:\n- name: a\n  reason: crashed\n  issue:\n",
    "known.yaml:6: a: issue"
)]
#[case::no_name("seed: 1\ncalls: 0\nknown:\n- name: ' '\n  reason: crashed\n", "known.yaml:4: ")]
#[case::long_issue(
    "seed: 1\ncalls: 0\nknown:\n- name: a\n  reason: crashed\n  issue: \"a\\nb\"\n",
    "known.yaml:6: a: issue"
)]
#[case::empty_comment(
    "seed: 1\ncalls: 0\nknown:\n- name: a\n  reason: crashed\n  comment: ''\n",
    "known.yaml:6: a: comment"
)]
#[case::twice(
    "seed: 1\ncalls: 0\nknown:\n- name: a\n  reason: crashed\n- name: a\n  reason: bias\n",
    "known.yaml:6: a: is already at known.yaml:4"
)]
#[case::defect_without_conditions(
    "seed: 1\ncalls: 0\ndefects:\n- name: a\n  reasons: [crashed]\n  where: []\n  failures: 3\nknown: []\n",
    "known.yaml:6: a: where: is empty"
)]
#[case::defect_of_an_unknown_way(
    "seed: 1\ncalls: 0\nknown:\n- name: a\n  reason: crashed\ndefects:\n- name: b\n  reasons: ['slow: x']\n  where: [x]\n  failures: 3\n",
    "known.yaml:8: b: reasons: unknown reason `slow: x`, expected one of accepted-invalid, "
)]
#[case::defect_named_twice(
    "seed: 1\ncalls: 0\ndefects:\n- name: a\n  reasons: [crashed]\n  where: [x]\n  failures: 3\n- name: a\n  reasons: [crashed]\n  where: [y]\n  failures: 3\nknown: []\n",
    "known.yaml:8: a: is already at known.yaml:4"
)]
#[case::anchor("seed: &a 1\ncalls: 0\nknown: []\n", "known.yaml:1: anchors are not used here")]
#[case::negative("seed: -1\ncalls: 0\nknown: []\n", "known.yaml:1: ")]
fn what_is_no_baseline_is_told_so_with_its_line(#[case] text: &str, #[case] because: &str) {
    let error = read(text).unwrap_err();
    assert!(error.contains(because), "{error}");
}

#[test]
fn a_file_that_is_too_long_is_refused_and_not_written() {
    let known = Known { reason: Fault::Crashed, issue: None, comment: Some("a".repeat(4 << 20)) };
    let baseline = Baseline { known: [(Name::of("a"), known)].into(), ..Baseline::empty(1, 0) };
    let errors = baseline.to_text(Path::new("known.yaml")).map(|text| text.len()).unwrap_err();
    assert!(errors[0].to_string().contains("is longer than"), "{}", errors[0]);
}

#[rstest]
#[case::plain("onnx/ReduceL2-13: duplicate-axes", true)]
#[case::typed("onnx/ReduceL2-13 for f32: float-range", true)]
#[case::no_such_part("onnx/ReduceL2-18 for null: boolean-attributes-noop", false)]
#[case::no_spec("onnx/ReduceL2-12: duplicate-axes", false)]
#[case::no_question("onnx/ReduceL2-13: none", false)]
#[case::no_type("onnx/ReduceL2-13 for f8: float-range", false)]
#[case::not_as_written("onnx/ReduceL2-13 for f32 : float-range", false)]
fn a_place_is_read_as_it_is_written(#[case] name: &str, #[case] there_is: bool) {
    assert_eq!(Place::from_name(name).map(|place| place.to_string()), there_is.then(|| name.to_owned()));
}

/// Three cases: `a`, `b` and `c`.
fn corpus() -> Corpus {
    let case = |id: &str| {
        format!(
            "  - id: onnx-l1-{id}\n    clauses: [norm]\n    why: It is an example.\n    dtypes: [f32]\n    data: \
             {{shape: [1], values: [1]}}\n    expect: {{shape: [1], values: [1]}}\n"
        )
    };
    let cases = ["a", "b", "c"].map(case).concat();
    let text = format!("topic: Three\nspecs: [onnx/ReduceL1-13]\ncases:\n{cases}");
    Corpus { cases: load_text(Path::new("three.yaml"), &text).unwrap() }
}

fn identity() -> Identity {
    Identity { name: "mock".into(), version: "1".into(), report_bugs_to: "this test".into() }
}

fn crashed() -> Verdict {
    Verdict::Crashed("as told".into())
}

fn conforms() -> Verdict {
    Verdict::Conforms { accepting: Accepts::default(), accuracy: None, hazard: None }
}

fn known_to_crash(names: &[&str]) -> Baseline {
    let known = Known { reason: Fault::Crashed, issue: None, comment: None };
    let known = names.iter().map(|name| (Name::of(name), known.clone())).collect();
    Baseline { known, ..Baseline::empty(1, 4) }
}

#[test]
fn what_a_stopped_run_did_not_come_to_is_missing_and_what_was_left_out_is_not() {
    let corpus = corpus();
    let names: Vec<&str> = corpus.cases.iter().map(|case| case.name.as_str()).collect();
    let ids: Vec<Id> = (0..4).map(|index| Id::first(1, index)).collect();
    let call = |index| {
        let id = Id::first(1, index);
        property::name(id, &id.call())
    };
    // Of `a` and `b`, and of four calls, one each was asked.
    let report = Report {
        generated: Some(Generated::default()),
        missing: Missing { cases: 1, calls: 3 },
        ..Report::of(identity(), vec![(&corpus.cases[0], crashed())], 3)
    };
    let scope = Scope { corpus: &corpus, cases: names[..2].iter().copied().collect(), ids: &ids, seed: 1 };
    let (asked, left, beyond) = (call(0), call(3), call(4));
    let baseline = known_to_crash(&[names[0], names[1], names[2], &asked, &left, &beyond]);
    let outcome = check(&baseline, &report, &scope, &Again::new());
    assert_eq!(outcome.expected, [Name::of(names[0])].into());
    let deviations: Vec<(&str, bool)> = outcome
        .deviations
        .iter()
        .map(|(name, deviation)| (name.text(), matches!(deviation, Deviation::Missing(..))))
        .collect();
    assert_eq!(deviations, [(names[1], true), (asked.as_str(), false), (left.as_str(), true)]);
    let report = Report { baseline: Some(outcome), ..report };
    assert!(!report.is_clean());
}

#[test]
fn who_died_is_not_asked_again_and_what_is_flaky_stays_as_it_was_known() {
    let corpus = corpus();
    let names: Vec<&str> = corpus.cases.iter().map(|case| case.name.as_str()).collect();
    let verdicts = [crashed(), conforms(), conforms()];
    let report = Report::of(identity(), corpus.cases.iter().zip(verdicts).collect(), 3);
    let scope = Scope { corpus: &corpus, cases: names.iter().copied().collect(), ids: &[], seed: 1 };
    let baseline = known_to_crash(&[names[1], names[2]]);
    // A worker blames nobody for a death that it did not see twice.
    let again = doubtful(&baseline, &report, &scope);
    assert_eq!(again, [Name::of(names[1]), Name::of(names[2])]);
    let again: Again = again.into_iter().zip([crashed(), conforms()]).collect();
    let outcome = check(&baseline, &report, &scope, &again);
    assert_eq!(outcome.deviations[&Name::of(names[1])], Deviation::Flaky(None, Some(Fault::Crashed)));
    assert!(matches!(outcome.deviations[&Name::of(names[2])], Deviation::Passes(_)));
    let updated = updated(&baseline, &report, &scope, &again);
    assert_eq!(updated.known, known_to_crash(&[names[0], names[1]]).known);
    let outcome = check(&updated, &report, &scope, &again);
    assert_eq!(outcome.expected, [Name::of(names[0])].into());
    assert!(matches!(outcome.deviations[&Name::of(names[1])], Deviation::Flaky(..)));
    assert_eq!(outcome.deviations.len(), 1);
}
