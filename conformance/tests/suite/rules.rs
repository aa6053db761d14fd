//! Tests the effect of simple wrong rules on defects: a rule splits failures only if rules explain all of
//! them, and counts only if no answer contradicts it.

use normative_conformance::defect::rules::{Alike, WrongRules};
use normative_conformance::reference::{
    Axes, Call, Dtype, Norm, Operator, Opset, Question, Reading, Spec, Tensor,
};
use normative_conformance::report::Report;
use normative_conformance::report::defect::Shrunk;
use normative_conformance::run::{prepare, property, run};
use normative_conformance::{Answer, Demands, Observed, Sheet, judge};
use rstest::rstest;

use crate::example::cases_of;
use crate::reference_backend::{Policy, otherwise};

/// The calls that a wrong rule refuses.
type Refuses = fn(&Call) -> bool;

/// Rules that each refuse some calls.
#[derive(Debug)]
struct Refusals(Vec<(&'static str, Refuses)>);

impl WrongRules for Refusals {
    fn sentences(&self) -> Vec<&'static str> {
        self.0.iter().map(|(sentence, _)| *sentence).collect()
    }

    fn answers(&self, call: &Call, wanted: &[usize]) -> Vec<Option<Observed>> {
        let answer = |at: &usize| (self.0[*at].1)(call).then(|| Observed::Rejected("as a rule".into()));
        wanted.iter().map(answer).collect()
    }
}

fn is_f16(call: &Call) -> bool {
    call.data.dtype() == Dtype::F16
}

fn is_flat(call: &Call) -> bool {
    call.data.rank() < 2
}

const F16: (&str, Refuses) = ("f16 is refused.", is_f16);
const FLAT_F16: (&str, Refuses) = ("f16 below rank 2 is refused.", |call| is_f16(call) && is_flat(call));
const OTHER_F16: (&str, Refuses) = ("f16 from rank 2 on is refused.", |call| is_f16(call) && !is_flat(call));
const FLAT: (&str, Refuses) = ("Data below rank 2 are refused.", is_flat);
const FLOATS: (&str, Refuses) = ("Floats are refused.", |call| !call.data.dtype().is_integer());

/// The rule that explains a defect, and the one that it resembles in part.
type Named = (Option<&'static str>, Option<&'static str>);

/// Returns the names of the defects of a runtime that refuses f16.
fn said(rules: &[(&'static str, Refuses)]) -> Vec<Named> {
    said_of(rules, Policy::new(), is_f16)
}

/// Returns the names of the defects of a runtime that refuses some calls.
fn said_of(rules: &[(&'static str, Refuses)], policy: Policy, refused: Refuses) -> Vec<Named> {
    judged(rules, policy, refused, |report| {
        let defects = report.defects();
        let failures: usize = report.severities().values().sum();
        assert_eq!(defects.iter().map(|defect| defect.failures.len()).sum::<usize>(), failures);
        defects.iter().map(|defect| (defect.rule, defect.like)).collect()
    })
}

/// Looks at the report of a runtime that refuses some calls.
fn judged<T>(
    rules: &[(&'static str, Refuses)],
    policy: Policy,
    refused: Refuses,
    look: impl FnOnce(Report<'_>) -> T,
) -> T {
    let corpus = cases_of("onnx/ReduceL1");
    let prepared = prepare(&corpus.cases).unwrap();
    let demands = Demands::default();
    let refuses = |call: &Call| refused(call).then(|| Answer::Rejected("in words of its own".into()));
    let mut runtime = otherwise("refuses", policy, refuses);
    let verdicts = run(&prepared, &mut runtime, &demands);
    let results = prepared.iter().map(|one| one.case).zip(verdicts).collect();
    let generated =
        property::run(1, 300, &[Spec::Onnx(Norm::L1, Opset::V18)], &mut runtime, &demands).unwrap();
    let rules = Refusals(rules.to_vec());
    let report = Report::of(runtime.identity, results, corpus.cases.len());
    look(Report { generated: Some(generated), rules: Some(&rules), ..report })
}

#[test]
fn a_rule_that_answers_so_is_said() {
    assert_eq!(said(&[FLAT, F16, FLAT_F16]), [(Some(F16.0), None)]);
}

#[test]
fn a_rule_that_explains_half_takes_nothing_apart() {
    assert_eq!(said(&[FLAT_F16]), [(None, None)]);
}

#[test]
fn rules_that_explain_all_together_take_apart() {
    let mut said = said(&[FLAT_F16, OTHER_F16]);
    said.sort_unstable();
    assert_eq!(said, [(Some(FLAT_F16.0), None), (Some(OTHER_F16.0), None)]);
}

#[test]
fn a_rule_contradicted_elsewhere_names_and_groups_nothing() {
    assert_eq!(said(&[FLAT]), [(None, None)]);
}

#[test]
fn the_least_contradicted_rule_names_what_none_explains() {
    assert_eq!(said(&[("All is refused.", |_| true), FLOATS]), [(None, Some(FLOATS.0))]);
}

/// A name lists the types that fail.
#[test]
fn a_rule_is_not_contradicted_by_types_that_its_name_leaves_out() {
    let refused = |call: &Call| is_flat(call) && !matches!(call.data.dtype(), Dtype::F16 | Dtype::U64);
    assert_eq!(said_of(&[FLAT], Policy::new(), refused), [(None, Some(FLAT.0))]);
}

/// Rules take the first reading of each question.
#[test]
fn a_rule_is_not_contradicted_by_calls_that_the_runtime_reads_otherwise() {
    let noop = [Question::NoopAbsentAxes, Question::NoopNullAxes, Question::NoopEmptyAxes];
    let policy = Policy::from(noop.map(|question| (question, Reading::NormOfEachElement)));
    // Of those that it reads otherwise some are answered, which no trait tells.
    let refused: Refuses = |call| {
        let names_none = !matches!(&call.axes, Axes::Given(given) if !given.values.is_empty());
        let is_odd = call.data.bits().iter().map(|bits| bits.count_ones()).sum::<u32>() % 2 == 1;
        FLOATS.1(call) && names_none && (is_odd || call.operator.noop_with_empty_axes() != Some(1))
    };
    assert_eq!(said_of(&[FLOATS], policy, refused), [(None, Some(FLOATS.0))]);
}

/// Making a call small may end at a call that fails for another cause.
#[rstest]
#[case::of_another_type(Dtype::F32, Some(F16.0))]
#[case::of_its_own_type(Dtype::F16, None)]
fn a_small_call_that_contradicts_its_rule_is_of_another_cause_if_no_failure_has_its_type(
    #[case] dtype: Dtype,
    #[case] due: Option<&str>,
) {
    const F16_BUT_ONE: (&str, Refuses) = (F16.0, |call| is_f16(call) && !call.data.is_empty());
    let refused = |call: &Call| is_f16(call) && !call.data.is_empty();
    judged(&[F16_BUT_ONE], Policy::new(), refused, |report| {
        let of = report.defects()[0].smallest.name();
        let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
        let call = Call::new(operator, Tensor::from_bits(dtype, &[0], &[]).unwrap(), Axes::list(&[0]));
        let answer = Observed::Rejected("by another mistake".into());
        let verdict = judge(&Sheet::of(&call).unwrap(), &answer, &Demands::default());
        let report = Report { shrunk: vec![Shrunk { of, call, answer, verdict }], ..report };
        let defect = &report.defects()[0];
        assert_eq!((defect.rule, defect.shrunk.is_none()), (due, due.is_some()));
    });
}

const INFINITE: u64 = 0x7f80_0000;
const NAN: u64 = 0x7fc0_0000;

/// A runtime sums in another order than a rule, and its NaN may have a sign.
#[rstest]
#[case::of_either_sign([INFINITE, 0], [NAN, NAN | 1 << 31], Alike::Same)]
#[case::that_differ_by_rounding([0x4040_0000, 0x4080_0000], [0x41c8_0000, 0x41c8_0002], Alike::Same)]
#[case::that_differ_by_more([0x4040_0000, 0x4080_0000], [0x41c8_0000, 0x41d0_0000], Alike::Similar)]
#[case::that_are_wrong_by_rounding([0x4040_0000, 0x4080_0000], [0x40a0_0008, 0x40a0_0009], Alike::Similar)]
fn answers_are_the_same_but_for_the_order_of_sums(
    #[case] data: [u64; 2],
    #[case] answers: [u64; 2],
    #[case] due: Alike,
) {
    let data = Tensor::from_bits(Dtype::F32, &[2], &data).unwrap();
    let call = Call::new(Operator::OpenVino { norm: Norm::L2, keep_dims: None }, data, Axes::list(&[0]));
    let [one, other] = answers.map(|bits| {
        let answer = Observed::Tensor(Tensor::from_bits(Dtype::F32, &[], &[bits]).unwrap());
        judge(&Sheet::of(&call).unwrap(), &answer, &Demands::default())
    });
    assert_eq!(Alike::of(&one, &other), due);
}
