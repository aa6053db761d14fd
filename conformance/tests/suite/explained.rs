//! Tests answers that conform although a defect explains them: they tell no reading, and contradict none.

use std::collections::BTreeSet;

use normative_conformance::defect::rules::{WrongRules, contradicts};
use normative_conformance::judge::verdict::{Sheet, judge};
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Opset, Question, Reading, Spec, Tensor};
use normative_conformance::report::defect::Witness;
use normative_conformance::report::{Place, Report, finding};
use normative_conformance::run::property::Id;
use normative_conformance::run::readings::{ReadingProfile, Row};
use normative_conformance::session::{Calls, Job};
use normative_conformance::{Answer, Backend, Demands, Observed, Stub};
use rstest::rstest;

use crate::reference_backend::{Policy, Reference};
use crate::session::{on_record, rebuilt};

const V18: Spec = Spec::Onnx(Norm::L1, Opset::V18);

fn policy() -> Policy {
    Policy::from([(Question::BooleanKeepdims, Reading::Only1IsTrue)])
}

fn judged(
    spec: Spec,
    calls: usize,
    answer: fn(&Call, Answer) -> Answer,
    rules: Option<&dyn WrongRules>,
) -> Report<'_> {
    let calls = Calls::Row { seed: 1, calls: Some(calls), specs: vec![spec] };
    let mut faulty = Stub::new("faulty", |call| answer(call, Reference(policy()).answer(call)));
    Job { calls, repeat: 0, shrink: 0, rules, ..Job::of(0, &[]) }.judge(&mut faulty, None, &mut ()).unwrap()
}

/// Gives data without elements back where an axis counts from the end. Where dims of 1 are reduced, that is right if a
/// strange keepdims means true.
fn from_the_end(call: &Call, right: Answer) -> Answer {
    let Axes::Given(axes) = &call.axes else { return right };
    match right {
        Answer::Tensor(_) if call.data.is_empty() && axes.values.iter().any(|axis| *axis < 0) => {
            Answer::Tensor(call.data.clone())
        }
        right => right,
    }
}

fn names_twice(call: &Call) -> bool {
    let Axes::Given(axes) = &call.axes else { return false };
    axes.values.iter().collect::<BTreeSet<_>>().len() < axes.values.len()
}

/// Refuses an axis that is named twice if the data have three dims, so it reads that question in two ways. It also has
/// a defect that has nothing to do with that question.
fn of_two_minds(call: &Call, right: Answer) -> Answer {
    match right {
        Answer::Tensor(_) if call.data.rank() == 3 && names_twice(call) => Answer::Rejected("twice".into()),
        Answer::Tensor(right) if right.dtype() == Dtype::F64 => zeros(&right),
        right => right,
    }
}

fn zeros(like: &Tensor) -> Answer {
    let zeros = vec![0; like.len()];
    Answer::Tensor(Tensor::from_bits(like.dtype(), like.shape(), &zeros).unwrap())
}

/// True for some calls that no trait sets apart.
fn is_drawn(call: &Call) -> bool {
    let bits = call.data.bits().into_iter();
    bits.fold(call.data.len() as u64, |sum, bits| (sum ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 61 == 0
}

/// Refuses an axis that is named twice, which is right by one reading. Otherwise some answers are 0.
fn zeros_of_some(call: &Call, right: Answer) -> Answer {
    match right {
        Answer::Tensor(_) if names_twice(call) => Answer::Rejected("twice".into()),
        right => zero_of_some(call, right),
    }
}

fn zero_of_some(call: &Call, right: Answer) -> Answer {
    match right {
        Answer::Tensor(right) if call.data.rank() > 4 || names_twice(call) => zeros(&right),
        right => right,
    }
}

#[test]
fn calls_that_the_backend_reads_otherwise_do_not_speak_against_a_rule() {
    let rule = Rule("Some answers are 0.", zero_of_some);
    let report = judged(V18, 3000, zeros_of_some, Some(&rule));
    let rules: Vec<_> = report.defects().into_iter().map(|defect| defect.rule).collect();
    assert_eq!(rules, [Some(rule.0)]);
}

fn refuses_some(call: &Call, right: Answer) -> Answer {
    if is_drawn(call) { Answer::Rejected("not this one".into()) } else { right }
}

/// A rule: a sentence, and its answer where the right one is this.
#[derive(Debug)]
struct Rule(&'static str, fn(&Call, Answer) -> Answer);

impl WrongRules for Rule {
    fn sentences(&self) -> Vec<&'static str> {
        vec![self.0]
    }

    fn answers(&self, call: &Call, wanted: &[usize]) -> Vec<Option<Observed>> {
        let right = Reference(Policy::new()).answer(call);
        let answer =
            Some((self.1)(call, right.clone())).filter(|answer| *answer != right).map(Observed::from);
        wanted.iter().map(|_| answer.clone()).collect()
    }
}

#[test]
fn a_rule_is_contradicted_by_a_failure_that_it_does_not_give() {
    let rule = Rule("Some calls are refused.", refuses_some);
    let verdict =
        |call: &Call, answer: Answer| judge(&Sheet::of(call).unwrap(), &answer.into(), &Demands::default());
    let is_wrong = |call: &Call| is_drawn(call) && verdict(call, Answer::Rejected("no".into())).is_failure();
    let refused = (0..1000).map(|index| Id::first(1, index).call()).find(is_wrong).unwrap();
    let by_it = verdict(&refused, Answer::Rejected("no".into()));
    let otherwise = verdict(&refused, Answer::Crashed("dead".into()));
    assert!(!contradicts(&rule, rule.0, &refused, &by_it));
    assert!(contradicts(&rule, rule.0, &refused, &otherwise));
    assert!(!contradicts(&rule, "Another sentence.", &refused, &otherwise), "a sentence of no rule");
}

fn is_plain((place, row): (&Place, &Row<impl Sized>)) -> bool {
    let usual = policy().get(&place.question).copied().unwrap_or(place.question.readings()[0]);
    matches!(row, Row::Forced(reading) if *reading == usual)
}

#[rstest]
#[case::by_its_condition(Spec::Onnx(Norm::L2, Opset::V13), 3000, from_the_end, None)]
#[case::by_its_rule(V18, 3000, refuses_some, Some(&Rule("Some calls are refused.", refuses_some) as &dyn WrongRules))]
fn answers_that_a_defect_explains_tell_no_reading(
    #[case] spec: Spec,
    #[case] calls: usize,
    #[case] answer: fn(&Call, Answer) -> Answer,
    #[case] rules: Option<&dyn WrongRules>,
) {
    let report = judged(spec, calls, answer, rules);
    let all = Report { explained: BTreeSet::new(), ..report.clone() };
    assert!(
        !all.profile().iter().all(is_plain),
        "all answers together contradict each other, or tell another reading"
    );
    let profile: ReadingProfile<_> = report.profile();
    let others: Vec<_> = profile.iter().filter(|&row| !is_plain(row)).collect();
    assert!(others.is_empty(), "{others:?}");
    assert!(!profile.is_empty() && !report.conforms());
    let also: usize = report.defects().iter().map(|defect| defect.also.len()).sum();
    assert_eq!(also, report.explained.len());
    assert!(also > 0);
}

/// If a defect explains a contradiction, neither the run nor the report made from its record counts it.
#[test]
fn a_record_ends_as_the_report_made_from_it() {
    let (corpus, ledger) = crate::session::corpus();
    let calls = Calls::Row { seed: 1, calls: Some(3000), specs: vec![Spec::Onnx(Norm::L2, Opset::V13)] };
    let job = Job { calls, repeat: 0, shrink: 0, ..Job::of(0, &[]) };
    let mut faulty = Stub::new("faulty", |call| from_the_end(call, Reference(policy()).answer(call)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let report = on_record(&job, &corpus, &ledger, &path, &mut faulty, &mut ());
    assert!(!report.explained.is_empty());
    let rebuilt = rebuilt(&corpus, &ledger, &[], &path);
    assert_eq!((rebuilt.differs, rebuilt.report.explained), (None, report.explained));
}

#[test]
fn a_defect_does_not_excuse_readings_that_it_does_not_explain() {
    let report = judged(V18, 3000, of_two_minds, None);
    let twice = Place { spec: V18, question: Question::DuplicateAxes, dtype: None };
    assert!(!report.defects().is_empty());
    assert!(report.profile()[&twice].inconsistent(&twice).is_some());
    let of_cubes = report.explained.iter().filter(|answer| match answer {
        Witness::Call(id) => names_twice(&id.call()) && id.call().data.rank() == 3,
        Witness::Case(..) => false,
    });
    assert_eq!(of_cubes.count(), 0);
}

/// Lets norms beyond their type wrap, but not those of data with three dims or more.
fn saturates_cubes(call: &Call, right: Answer) -> Answer {
    if call.data.rank() < 3 {
        return right;
    }
    Reference(Policy::from([(Question::IntegerOverflow, Reading::Saturate)])).answer(call)
}

#[test]
fn what_divides_the_calls_of_a_mixed_question_is_named() {
    let report = judged(V18, 20_000, saturates_cubes, None);
    let mixed = finding::mixed(&report, "again");
    assert!(!mixed.is_empty());
    for (place, lines) in mixed {
        assert_eq!(place.question, Question::IntegerOverflow);
        let reads: Vec<&str> =
            lines.iter().filter(|line| line.label == "reads").map(|line| line.text.as_str()).collect();
        assert!(reads.iter().any(|line| line.starts_with("saturate (rank ≥ 3) in ")), "{reads:?}");
    }
}
