//! Tests baselines on file: they read back as written, malformed ones are reported with their line, and the
//! effects of a stopped run. `xtask/tests/suite/baseline.rs` tests the rest through the command line.

use std::path::Path;

use normative_conformance::Identity;
use normative_conformance::Verdict;
use normative_conformance::corpus::{Case, Corpus, load_text};
use normative_conformance::judge::compare::{ElementMismatch, Mismatch};
use normative_conformance::judge::fault::Fault;
use normative_conformance::judge::verdict::{Accepts, Miss};
use normative_conformance::reference::Dtype;
use normative_conformance::report::baseline::{
    Again, Baseline, Deviation, How, Key, KnownEntry, Made, Name, Scope, check, doubtful, updated,
};
use normative_conformance::report::{Missing, Place, Report};
use normative_conformance::run::property::{self, Generated, Id};
use proptest::prelude::*;
use rstest::rstest;

fn read(text: &str) -> Result<Baseline, String> {
    Baseline::load_text(Path::new("known.yaml"), text)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn how() -> impl Strategy<Value = How> {
    let way = (0..Fault::ALL.len(), proptest::option::of("[a-zA-Z-]{1,9}( for [a-zA-Z]{1,9})?"));
    (way, proptest::option::of(any::<u8>())).prop_map(|((fault, more), far)| {
        let word = Fault::ALL[fault].word();
        How { way: more.map_or_else(|| word.to_owned(), |more| format!("{word}: {more}")), far }
    })
}

/// Draws entries by name that have no call in common.
fn known() -> impl Strategy<Value = Vec<(String, KnownEntry)>> {
    let calls = proptest::collection::vec(how(), 1..30);
    let issue = proptest::option::of("[!-~][ -~]{0,30}[!-~]");
    let comment = proptest::option::of("[!-~]([ -~\n\u{e4}-\u{2000}]{0,30}[!-~])?");
    let entry = ("[!-~]([ -~\u{2264}\u{2265}]{0,30}[!-~])?", calls, issue, comment);
    proptest::collection::vec(entry, 0..6).prop_map(|entries| {
        let mut keys = (0_u64..).map(|at| Key::of_place(&at.to_string()));
        let entry = |(name, calls, issue, comment): (String, Vec<How>, _, _)| {
            (name, KnownEntry { calls: keys.by_ref().zip(calls).collect(), issue, comment })
        };
        entries.into_iter().map(entry).collect()
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        known in known(),
        runs in proptest::collection::btree_set((any::<u64>(), any::<usize>(), any::<bool>()), 0..3),
    ) {
        let runs = runs.into_iter().map(|(seed, calls, part)| Made { seed, calls, part }).collect();
        let baseline = Baseline { runs, known: known.into_iter().collect() };
        let text = baseline.to_text(Path::new("known.yaml")).unwrap();
        prop_assert_eq!(read(&text).unwrap(), baseline, "{}", text);
    }

    #[test]
    fn any_text_gives_a_baseline_or_an_error(text in "\\PC*") {
        let _ = read(&text);
        let _ = read(&format!("runs: []\nknown:\n- name: {text}\n  fails:\n  - way: crashed\n    calls: {text}\n"));
    }
}

/// A baseline of one entry, to be changed.
const KNOWN: &str = "runs: []\nknown:\n- name: a\n  fails:\n  - way: crashed\n    calls: 0123abcd\n";

#[rstest]
#[case::nothing("", "expected `runs`, got none")]
#[case::no_list("runs: []\n", "expected `known`, got none")]
#[case::unknown_key("runs: []\nknown: []\nfoo: 1\n", "known.yaml:3: unknown field `foo`")]
#[case::repeated_key("runs: []\nruns: []\nknown: []\n", "duplicate field `runs`")]
#[case::anchor("runs: &a []\nknown: []\n", "known.yaml:1: anchors are not used here")]
#[case::negative("runs: [{seed: -1, calls: 0}]\nknown: []\n", "known.yaml:1: ")]
fn what_is_no_baseline_is_told_so_with_its_line(#[case] text: &str, #[case] because: &str) {
    let error = read(text).unwrap_err();
    assert!(error.contains(because), "{error}");
}

#[rstest]
#[case::unknown_way(
    "crashed",
    "slow",
    "known.yaml:4: a: way: unknown way `slow`, expected one of accepted-invalid, "
)]
#[case::unknown_field("abcd\n", "abcd\n  why: x\n", "unknown field `why`")]
#[case::nothing_after_it("abcd\n", "abcd\n  issue:\n", "known.yaml:7: a: issue")]
#[case::no_name("name: a", "name: ' '", "known.yaml:3: ")]
#[case::long_issue("abcd\n", "abcd\n  issue: \"a\\nb\"\n", "known.yaml:7: a: issue")]
#[case::empty_comment("abcd\n", "abcd\n  comment: ''\n", "known.yaml:7: a: comment")]
#[case::name_twice(
    "abcd\n",
    "abcd\n- name: a\n  fails:\n  - way: bias\n    calls: 1123abcd\n",
    "known.yaml:7: a: expected a name of its own, got that of known.yaml:3"
)]
#[case::call_twice(
    "abcd\n",
    "abcd\n- name: b\n  fails:\n  - way: bias\n    calls: 0123abcd\n",
    "known.yaml:8: b: calls: expected each name once, got `0123abcd` twice"
)]
#[case::way_twice(
    "abcd\n",
    "abcd\n  - way: crashed\n    calls: 1123abcd\n",
    "known.yaml:4: a: fails: expected each name once, got `crashed` twice"
)]
#[case::no_ways(
    "\n  - way: crashed\n    calls: 0123abcd",
    " []",
    "known.yaml:4: a: fails: expected a list of one or more, got an empty one"
)]
#[case::no_calls("0123abcd", "' '", "known.yaml:4: a: calls")]
#[case::no_call(
    "abcd\n",
    "abcd 123\n",
    "known.yaml:4: a: calls: expected eight hexadecimal digits, and behind `^` a power of two, got `123`"
)]
#[case::no_power("abcd\n", "abcd^256\n", "got `0123abcd^256`")]
fn what_is_no_entry_is_told_so_with_its_line(#[case] from: &str, #[case] to: &str, #[case] because: &str) {
    assert_eq!(KNOWN.matches(from).count(), 1, "{from}");
    let error = read(&KNOWN.replace(from, to)).unwrap_err();
    assert!(error.contains(because), "{error}");
}

#[test]
fn a_file_that_is_too_long_is_refused_and_not_written() {
    let calls = [(Key::of_place("a"), How { way: "crashed".into(), far: None })].into();
    let entry = KnownEntry { calls, issue: None, comment: Some("a".repeat(4 << 20)) };
    let baseline = Baseline { known: [("a".to_owned(), entry)].into(), ..Baseline::default() };
    let errors = baseline.to_text(Path::new("known.yaml")).map(|text| text.len()).unwrap_err();
    assert!(errors[0].to_string().contains("expected at most"), "{}", errors[0]);
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

/// Returns three cases with a call each: `a`, `b` and `c`.
fn corpus() -> Corpus {
    let case = |(id, value): (&str, usize)| {
        format!(
            "  - id: onnx-l1-{id}\n    clauses: [norm]\n    why: It is an example.\n    dtypes: [f32]\n    data: \
             {{shape: [1], values: [{value}]}}\n    expect: {{shape: [1], values: [{value}]}}\n"
        )
    };
    let cases = [("a", 1), ("b", 2), ("c", 3)].map(case).concat();
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

const CRASHED: &str = "crashed";

/// Returns a baseline with an entry for each of these, which expects a crash.
fn known_to_crash(keys: &[(&str, Key)]) -> Baseline {
    let how = How { way: CRASHED.into(), far: None };
    let entry = |key| KnownEntry { calls: [(key, how.clone())].into(), ..KnownEntry::default() };
    let known = keys.iter().map(|&(name, key)| (name.to_owned(), entry(key))).collect();
    Baseline { known, ..Baseline::default() }
}

fn of_case(case: &Case) -> (&str, Key) {
    (&case.name, Key::of_case(case))
}

/// Returns the names of deviations, and true for those that were not asked.
fn not_asked(outcome: &normative_conformance::report::baseline::BaselineOutcome) -> Vec<(&str, bool)> {
    let is_missing = |deviation: &Deviation| match deviation {
        Deviation::Gone { passes, missing, .. } => passes.is_empty() && !missing.is_empty(),
        Deviation::Otherwise { .. } | Deviation::Flaky(..) => false,
    };
    outcome.deviations.iter().map(|(name, deviation)| (name.text(), is_missing(deviation))).collect()
}

#[test]
fn what_a_stopped_run_did_not_come_to_is_missing_and_what_was_left_out_is_not() {
    let corpus = corpus();
    let cases: Vec<(&str, Key)> = corpus.cases.iter().map(of_case).collect();
    let ids: Vec<Id> = (0..4).map(|index| Id::first(1, index)).collect();
    let names: Vec<(String, Key)> = (0..5)
        .map(|index| Id::first(1, index))
        .map(|id| (property::name(id, &id.call()), Key::of_call(&id.call())))
        .collect();
    let call = |at: usize| (names[at].0.as_str(), names[at].1);
    // One of the cases `a` and `b`, and one of four generated calls, was asked.
    let generated = Generated { conforming: vec![ids[0]], ..Generated::default() };
    let report = Report {
        generated: Some(generated),
        missing: Missing { cases: 1, calls: 3 },
        ..Report::of(identity(), vec![(&corpus.cases[0], crashed())], 3)
    };
    let scope = Scope {
        corpus: &corpus,
        cases: cases[..2].iter().map(|(name, _)| *name).collect(),
        ids: &ids,
        seed: 1,
    };
    let baseline = known_to_crash(&[cases[0], cases[1], cases[2], call(0), call(3), call(4)]);
    let outcome = check(&baseline, &report, &scope, &Again::new());
    assert_eq!(outcome.expected, [Name::of(cases[0].0)].into());
    let mut due = [(call(0).0, false), (call(3).0, true), (cases[1].0, true)];
    due.sort_unstable();
    assert_eq!(not_asked(&outcome), due);
    let report = Report { baseline: Some(outcome), ..report };
    assert!(!report.is_clean());
}

#[test]
fn who_died_is_not_asked_again_and_what_is_flaky_stays_as_it_was_known() {
    let corpus = corpus();
    let cases: Vec<(&str, Key)> = corpus.cases.iter().map(of_case).collect();
    let names: Vec<&str> = cases.iter().map(|(name, _)| *name).collect();
    let verdicts = [crashed(), conforms(), conforms()];
    let report = Report::of(identity(), corpus.cases.iter().zip(verdicts).collect(), 3);
    let scope = Scope { corpus: &corpus, cases: names.iter().copied().collect(), ids: &[], seed: 1 };
    let baseline = known_to_crash(&cases[1..]);
    // A worker blames a call for a death only after a second one.
    let again = doubtful(&baseline, &report, &scope);
    assert_eq!(again, [Name::of(names[1]), Name::of(names[2])]);
    let again: Again = again.into_iter().zip([crashed(), conforms()]).collect();
    let outcome = check(&baseline, &report, &scope, &again);
    assert_eq!(outcome.deviations[&Name::of(names[1])], Deviation::Flaky(None, Some(Fault::Crashed)));
    let Deviation::Gone { passes, .. } = &outcome.deviations[&Name::Entry(names[2].to_owned())] else {
        panic!()
    };
    assert_eq!(passes, &[Name::of(names[2])]);
    let updated = updated(&baseline, &report, &scope, &again);
    assert_eq!(updated.known, known_to_crash(&cases[..2]).known);
    let outcome = check(&updated, &report, &scope, &again);
    assert_eq!(outcome.expected, [Name::of(names[0])].into());
    assert!(matches!(outcome.deviations[&Name::of(names[1])], Deviation::Flaky(..)));
    assert_eq!(outcome.deviations.len(), 1);
}

#[test]
fn as_many_failures_as_before_are_new_where_other_calls_fail() {
    let corpus = corpus();
    let cases: Vec<(&str, Key)> = corpus.cases.iter().map(of_case).collect();
    let mut baseline = known_to_crash(&cases[..1]);
    let how = baseline.known[cases[0].0].calls[&cases[0].1].clone();
    let entry = KnownEntry {
        calls: cases[..2].iter().map(|(_, key)| (*key, how.clone())).collect(),
        ..KnownEntry::default()
    };
    baseline.known = [("all that crash".to_owned(), entry)].into();
    let verdicts = [conforms(), crashed(), crashed()];
    let report = Report::of(identity(), corpus.cases.iter().zip(verdicts).collect(), 3);
    let scope =
        Scope { corpus: &corpus, cases: cases.iter().map(|(name, _)| *name).collect(), ids: &[], seed: 1 };
    let outcome = check(&baseline, &report, &scope, &Again::new());
    assert_eq!(outcome.expected, [Name::of(cases[1].0)].into());
    let report = Report { baseline: Some(outcome), ..report };
    assert!(!report.expects(cases[2].0) && !report.is_clean());
    let deviations = report.baseline.unwrap().deviations;
    let names: Vec<&Name> = deviations.keys().collect();
    assert_eq!(names, [&Name::Entry("all that crash".to_owned())]);
}

#[test]
fn a_case_that_is_no_more_is_stale_where_all_was_asked_and_else_kept() {
    let corpus = corpus();
    let cases: Vec<(&str, Key)> = corpus.cases.iter().map(of_case).collect();
    let gone = ("onnx-l1-gone/ReduceL1-13/f32", Key::of_place("some other call"));
    let mut baseline = known_to_crash(&[gone]);
    baseline.runs = [Made { seed: 1, calls: 0, part: false }].into();
    let all: Vec<(&Case, Verdict)> = corpus.cases.iter().map(|case| (case, conforms())).collect();
    let of = |asked: usize| {
        let report = Report::of(identity(), all[..asked].to_vec(), 3);
        let names = cases[..asked].iter().map(|(name, _)| *name).collect();
        let scope = Scope { corpus: &corpus, cases: names, ids: &[], seed: 1 };
        let outcome = check(&baseline, &report, &scope, &Again::new());
        (outcome, updated(&baseline, &report, &scope, &Again::new()))
    };
    let (outcome, pruned) = of(3);
    assert!(matches!(outcome.deviations[&Name::Entry(gone.0.to_owned())], Deviation::Gone { stale: 1, .. }));
    assert_eq!(pruned, Baseline { known: [].into(), ..baseline.clone() });
    let (outcome, kept) = of(2);
    assert_eq!((outcome.deviations.len(), kept), (0, baseline.clone()));
}

fn wrong_by(far: f64) -> Verdict {
    let (index, expected, got) = (vec![0], 3.0_f32.to_bits().into(), 2.5_f32.to_bits().into());
    let (exact, because, error) = (None, None, None);
    let (wrong, elements, dtype) = (1, 2, Dtype::F32);
    let wrong = ElementMismatch { index, wrong, elements, dtype, exact, expected, because, got, error, far };
    let mismatch = Mismatch::Element(Box::new(wrong));
    Verdict::Fails(vec![Miss { readings: Vec::new(), mismatch, accuracy: None }])
}

#[rstest]
#[case::as_wrong(1000.0, 1000.0, true)]
#[case::a_processor_sums_otherwise(3.0, 5.5, true)]
#[case::less_wrong(1e6, 3.0, true)]
#[case::grossly_wrong(3.0, 1e6, false)]
#[case::twice_as_many_elements(1000.0, 2000.0, true)]
#[case::sixteen_times_as_many_elements(1000.0, 16000.0, false)]
#[case::not_a_number_everywhere(1.8e19, 1e22, false)]
fn a_wrong_value_that_becomes_grossly_wrong_is_new(
    #[case] before: f64,
    #[case] now: f64,
    #[case] is_known: bool,
) {
    let [before, now] = [before, now].map(|far| How::of(&wrong_by(far)).unwrap());
    assert_eq!(before.covers(&now), is_known, "{before}; {now}");
}
