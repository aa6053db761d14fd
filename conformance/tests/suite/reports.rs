//! Tests the sums of a report: nothing is counted twice or lost, and a contradiction in one place is not
//! conforming.

use std::time::Duration;

use crate::example;
use normative_conformance::corpus::{Case, CaseClaim, Statement};
use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::whole::Errors;
use normative_conformance::judge::compare::{Accuracy, Mismatch};
use normative_conformance::judge::verdict::{Accepts, Miss};
use normative_conformance::reference::{
    Axes, Call, Choice, Dtype, Norm, Operator, Question, Reading, Tensor,
};
use normative_conformance::report::{Place, Report};
use normative_conformance::run::measured::{Decade, Precision};
use normative_conformance::run::readings::Row;
use normative_conformance::run::tally::Tally;
use normative_conformance::{Identity, Verdict};
use proptest::prelude::*;
use rstest::rstest;

fn case(norm: Norm, dtype: Dtype, open: bool) -> Case {
    let operator = Operator::OpenVino { norm, keep_dims: None };
    let data = Tensor::from_bits(dtype, &[], &[0]).unwrap();
    let statement = Statement::Unchanged;
    let claim = if open {
        let question = Question::EmptyAxesIdentity;
        CaseClaim::Open { question, readings: vec![(Reading::Unchanged, statement)] }
    } else {
        CaseClaim::Determined(statement)
    };
    let call = Call::new(operator, data, Axes::list(&[]));
    Case { id: "example".into(), claim, ..example::case(&format!("{norm:?}/{dtype}"), call) }
}

fn report<'a>(results: &[(&'a Case, Verdict)], left_out: usize) -> Report<'a> {
    let identity = Identity { name: "x".into(), version: "0".into(), report_bugs_to: "y".into() };
    Report::of(identity, results.to_vec(), results.len() + left_out)
}

fn conforms(readings: &[(Question, Reading)], accuracy: Option<Accuracy>) -> Verdict {
    let choice = |&(question, reading): &(Question, Reading)| Choice { question, reading };
    Verdict::Conforms {
        accepting: Accepts::only(readings.iter().map(choice).collect()),
        accuracy,
        hazard: None,
    }
}

fn fails() -> Verdict {
    let mismatch = Mismatch::Rejected { message: "no".into() };
    Verdict::Fails(vec![Miss { readings: vec![], mismatch, accuracy: None }])
}

/// The ends of decades, decade by decade.
const TERMS: [[usize; 3]; 4] = [[0, 1, 9], [10, 11, 99], [100, 500, 999], [1000, 1001, 9999]];

fn a_verdict() -> impl Strategy<Value = Verdict> {
    let accuracy = (0_usize..4, 0.0..2.0_f64, 1_usize..50, prop::sample::select(TERMS.as_flattened()));
    let accuracy = accuracy.prop_map(|(class, worst, elements, terms)| {
        let class = [Class::CorrectlyRounded, Class::Faithful, Class::AnyOrder, Class::Vacuous][class];
        let errors = Errors { count: elements, ..Errors::default() };
        let sum = worst * elements as f64 / 2.0;
        Accuracy { class, worst, worst_at: 0, sum, errors, outside: elements / 3, terms, against: None }
    });
    let beyond = accuracy.clone().prop_map(|accuracy| {
        let mismatch = Mismatch::Rejected { message: "no".into() };
        let accuracy = Some(Accuracy { class: Class::Beyond, ..accuracy });
        Verdict::Fails(vec![Miss { readings: vec![], mismatch, accuracy }])
    });
    prop_oneof![
        accuracy.prop_map(|accuracy| conforms(&[], Some(accuracy))),
        beyond,
        Just(conforms(&[], None)),
        Just(fails()),
        Just(Verdict::Unsupported("no".into())),
        Just(Verdict::Crashed("SIGSEGV".into())),
        Just(Verdict::TimedOut(Duration::from_secs(1))),
    ]
}

fn a_case() -> impl Strategy<Value = Case> {
    let norm = prop_oneof![Just(Norm::L1), Just(Norm::L2)];
    let dtype = prop_oneof![Just(Dtype::F16), Just(Dtype::F32), Just(Dtype::F64)];
    (norm, dtype, any::<bool>()).prop_map(|(norm, dtype, open)| case(norm, dtype, open))
}

proptest! {
    #[test]
    fn every_case_is_counted_once(
        run in prop::collection::vec((a_case(), a_verdict()), 0..40),
        left_out in 0_usize..100,
    ) {
        let results: Vec<(&Case, Verdict)> = run.iter().map(|(case, verdict)| (case, verdict.clone())).collect();
        let report = report(&results, left_out);
        let total = report.total();
        prop_assert_eq!(total.run, run.len());
        prop_assert_eq!(total.run + report.filtered(), report.corpus);
        prop_assert_eq!(total.open, run.iter().filter(|(case, _)| matches!(case.claim, CaseClaim::Open { .. })).count());
        for tally in report.tallies().values().chain([&total]) {
            prop_assert_eq!(tally.run, tally.conforms + tally.fails + tally.died + tally.unsupported);
            prop_assert!(tally.open <= tally.run);
        }
        let sum = |count: fn(&Tally) -> usize| report.tallies().values().map(count).sum::<usize>();
        prop_assert_eq!(sum(|tally| tally.run), total.run);
        prop_assert_eq!(sum(|tally| tally.conforms), total.conforms);
        prop_assert_eq!(report.failures().count(), total.fails + total.died);
        prop_assert_eq!(report.executed(), total.run - total.unsupported);
        prop_assert_eq!(report.conforms(), total.conforms > 0 && total.fails + total.died == 0);
    }

    #[test]
    fn precision_is_the_worst_the_loosest_and_the_mean_of_all_elements(
        run in prop::collection::vec((a_case(), a_verdict()), 0..40),
    ) {
        let results: Vec<(&Case, Verdict)> = run.iter().map(|(case, verdict)| (case, verdict.clone())).collect();
        let precision = report(&results, 0).precision();
        let dtypes = [Dtype::F16, Dtype::F32, Dtype::F64];
        for (dtype, decade) in dtypes.into_iter().flat_map(|dtype| TERMS.map(|decade| (dtype, decade))) {
            let measured: Vec<Accuracy> = run
                .iter()
                .filter(|(case, _)| case.call.data.dtype() == dtype)
                .filter_map(|(_, verdict)| verdict.accuracy().copied())
                .filter(|accuracy| decade.contains(&accuracy.terms))
                .collect();
            let row = precision.get(&(dtype, Decade::of(decade[1]))).copied();
            let Some(Precision { class, worst, mean, elements, outside, against }) = row else {
                prop_assert!(measured.is_empty());
                continue;
            };
            prop_assert_eq!(Some(class), measured.iter().map(|accuracy| accuracy.class).max());
            let greatest = measured.iter().map(|accuracy| accuracy.worst).fold(0.0, f64::max);
            prop_assert_eq!(worst.to_bits(), greatest.to_bits());
            prop_assert_eq!(against, None);
            prop_assert_eq!(outside, measured.iter().map(|accuracy| accuracy.outside).sum::<usize>());
            prop_assert_eq!(elements, measured.iter().map(|accuracy| accuracy.errors.count).sum::<usize>());
            let sum: f64 = measured.iter().map(|accuracy| accuracy.sum).sum();
            prop_assert!((mean * elements as f64 - sum).abs() < 1e-9 * (1.0 + sum), "{} {}", mean, sum);
            prop_assert!(mean <= worst);
        }
    }
}

const FORM: Question = Question::EmptyAxesIdentity;
const VALUES: Question = Question::Subnormals;

#[rstest]
#[case::one_reading_of_form([(Dtype::F32, FORM, Reading::Unchanged), (Dtype::F64, FORM, Reading::Unchanged)], true)]
#[case::two_readings_of_form([(Dtype::F32, FORM, Reading::Unchanged), (Dtype::F64, FORM, Reading::NormOfEachElement)], false)]
#[case::two_types_may_differ_in_values([(Dtype::F32, VALUES, Reading::Flushed), (Dtype::F64, VALUES, Reading::Kept)], true)]
#[case::one_type_may_too([(Dtype::F32, VALUES, Reading::Flushed), (Dtype::F32, VALUES, Reading::Kept)], true)]
#[case::two_questions([(Dtype::F32, FORM, Reading::Unchanged), (Dtype::F32, VALUES, Reading::Kept)], true)]
fn one_spec_has_one_reading_of_form(#[case] told: [(Dtype, Question, Reading); 2], #[case] consistent: bool) {
    let cases = told.map(|(dtype, ..)| case(Norm::L1, dtype, true));
    let results: Vec<(&Case, Verdict)> = cases
        .iter()
        .zip(told)
        .map(|(case, (_, question, reading))| (case, conforms(&[(question, reading)], None)))
        .collect();
    let report = report(&results, 0);
    assert_eq!(report.conforms(), consistent, "{:?}", report.profile());
    assert_eq!(report.failures().count(), 0, "each answer by itself is honest");
}

#[test]
fn specs_may_be_read_differently() {
    let cases = [Norm::L1, Norm::L2].map(|norm| case(norm, Dtype::F32, true));
    let told = [Reading::Unchanged, Reading::NormOfEachElement];
    let results: Vec<(&Case, Verdict)> =
        cases.iter().zip(told).map(|(case, reading)| (case, conforms(&[(FORM, reading)], None))).collect();
    let report = report(&results, 0);
    assert!(report.conforms());
    assert_eq!(report.profile().len(), 2);
}

#[test]
fn the_profile_has_the_readings_that_answers_force() {
    let cases = [case(Norm::L1, Dtype::F32, true), case(Norm::L1, Dtype::F64, true)];
    let both = [(FORM, Reading::Unchanged), (VALUES, Reading::Kept)];
    let results = [(&cases[0], conforms(&both, None)), (&cases[1], conforms(&both[..1], None))];
    let report = report(&results, 0);
    let spec = cases[0].call.spec();
    let profile = report.profile();
    let form = &profile[&Place { spec, question: FORM, dtype: None }];
    assert_eq!(*form, Row::Forced(Reading::Unchanged));
    let values = &profile[&Place { spec, question: VALUES, dtype: Some(Dtype::F32) }];
    assert_eq!(*values, Row::Forced(Reading::Kept));
    assert_eq!(profile.len(), 2);
}

#[test]
fn a_run_in_which_nothing_was_executed_shows_nothing() {
    let case = case(Norm::L1, Dtype::F32, false);
    let nothing = report(&[], 3);
    assert_eq!((nothing.executed(), nothing.conforms(), nothing.filtered()), (0, false, 3));
    let declined = report(&[(&case, Verdict::Unsupported("no".into()))], 0);
    assert_eq!((declined.executed(), declined.conforms()), (0, false));
    let crashed = report(&[(&case, Verdict::Crashed("SIGSEGV".into()))], 0);
    assert_eq!((crashed.executed(), crashed.conforms()), (1, false));
}
