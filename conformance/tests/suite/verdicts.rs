//! Tests the verdicts on determined, refused and open calls, and the readings that an answer shows.

use std::time::Duration;

use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::whole::{Errors, Excess};
use normative_conformance::judge::compare::{Accuracy, Mismatch};
use normative_conformance::judge::verdict::{Accepts, Entry};
use normative_conformance::reference::{
    Axes, Call, Choice, Dtype, Expected, Family, Norm, Operator, Opset, Question, Reading, Tensor,
};
use normative_conformance::{Capabilities, Death, Demands, Observed, Sheet, Verdict, judge};
use rstest::rstest;

use crate::calls::{answer, openvino, tensor, verdict};

fn refused() -> Observed {
    Observed::Rejected("I do not like it".into())
}

/// Returns the mismatch under each reading, the nearest first.
fn mismatches(call: &Call, answer: &Observed) -> Vec<Mismatch> {
    match verdict(call, answer) {
        Verdict::Fails(misses) => {
            assert!(!misses.is_empty());
            misses.into_iter().map(|miss| miss.mismatch).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn only_mismatch(call: &Call, answer: &Observed) -> Mismatch {
    let mut all = mismatches(call, answer);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn a_determined_call_is_answered_with_its_norm_and_tells_nothing() {
    let call = openvino(Norm::L1, tensor(&[2], &[1.0_f32, -2.0]), &[0]);
    let verdict = verdict(&call, &answer(&[], &[3.0_f32]));
    assert!(
        matches!(&verdict, Verdict::Conforms { accepting, .. } if accepting.told().is_empty()),
        "{verdict:?}"
    );
    assert!(!verdict.is_failure());
}

#[test]
fn the_ways_to_miss_a_norm_are_told_apart() {
    let call = openvino(Norm::L1, tensor(&[2, 2], &[1_i32, -2, 3, 4]), &[1]);
    let right = answer(&[2], &[3_i32, 7]);
    assert!(matches!(verdict(&call, &right), Verdict::Conforms { .. }));
    assert_eq!(
        only_mismatch(&call, &answer(&[2], &[3_i64, 7])),
        Mismatch::Dtype { expected: Dtype::I32, got: Dtype::I64 }
    );
    for shape in [&[2, 1][..], &[1, 2]] {
        assert_eq!(
            only_mismatch(&call, &answer(shape, &[3_i32, 7])),
            Mismatch::Shape { expected: vec![2], got: shape.to_vec() }
        );
    }
    assert_eq!(only_mismatch(&call, &refused()), Mismatch::Rejected { message: "I do not like it".into() });
    match only_mismatch(&call, &answer(&[2], &[3_i32, -7])) {
        Mismatch::Element(element) => {
            assert_eq!((element.index, element.wrong, element.elements), (vec![1], 1, 2));
            assert_eq!((element.expected, element.got), (7, 0xffff_fff9));
            assert_eq!((element.dtype, element.exact, element.error), (Dtype::I32, None, None));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_wrong_float_is_named_with_the_exact_value_and_the_others_are_counted() {
    let call = openvino(Norm::L1, tensor(&[2, 1, 3], &[1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0]), &[1]);
    match only_mismatch(&call, &answer(&[2, 3], &[1.0, 2.0, 3.5, 4.0, f64::NAN, -6.0])) {
        Mismatch::Element(element) => {
            assert_eq!((element.index, element.wrong, element.elements), (vec![0, 2], 3, 6));
            assert!(element.exact.is_some() && element.error.is_some_and(|(error, bound)| error > bound));
        }
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::nan(f32::NAN)]
#[case::negative(-3.0)]
#[case::infinite(f32::INFINITY)]
#[case::zero(0.0)]
fn a_finite_norm_is_no_special_value(#[case] value: f32) {
    let call = openvino(Norm::L1, tensor(&[2], &[1.0_f32, -2.0]), &[0]);
    assert!(matches!(only_mismatch(&call, &answer(&[], &[value])), Mismatch::Element(_)));
}

#[test]
fn a_norm_of_nothing_but_zeros_is_plus_zero() {
    let call = openvino(Norm::L1, tensor(&[2], &[0.0_f32, -0.0]), &[0]);
    assert!(matches!(verdict(&call, &answer(&[], &[0.0_f32])), Verdict::Conforms { .. }));
    assert!(matches!(only_mismatch(&call, &answer(&[], &[-0.0_f32])), Mismatch::Element(_)));
}

#[test]
fn any_nan_is_as_good_as_another_but_no_number_is() {
    let call = openvino(Norm::L1, tensor(&[2], &[1.0_f32, f32::NAN]), &[0]);
    for nan in [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001)] {
        assert!(matches!(verdict(&call, &answer(&[], &[nan])), Verdict::Conforms { accuracy: None, .. }));
    }
    assert!(matches!(only_mismatch(&call, &answer(&[], &[1.0_f32])), Mismatch::Element(_)));
}

#[test]
fn a_call_that_must_be_refused_is_refused_in_whatever_words() {
    let call = openvino(Norm::L1, tensor(&[2], &[1.0_f32, -2.0]), &[1]);
    assert!(matches!(verdict(&call, &refused()), Verdict::Conforms { accuracy: None, .. }));
    match only_mismatch(&call, &answer(&[], &[3.0_f32])) {
        Mismatch::NotRejected { clause, shape } => {
            assert_eq!((clause.to_string().as_str(), shape), ("openvino/ReduceL1-4#axes-range", vec![]));
        }
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::determined(&[0])]
#[case::rejected(&[1])]
#[case::open(&[0, -1])]
#[case::repeated(&[0, 0])]
fn no_answer_is_no_answer_whatever_was_asked(#[case] axes: &[i64]) {
    let call = openvino(Norm::L1, tensor(&[2], &[1.0_f32, -2.0]), axes);
    let of = |answer| verdict(&call, &answer);
    let unsupported = of(Observed::Unsupported("not yet".into()));
    assert_eq!(unsupported, Verdict::Unsupported("not yet".into()));
    assert!(!unsupported.is_failure());
    let crashed = of(Observed::Died(Death::Crashed("SIGSEGV".into())));
    assert_eq!(crashed, Verdict::Crashed("SIGSEGV".into()));
    let late = of(Observed::Died(Death::TimedOut(Duration::from_secs(3))));
    assert_eq!(late, Verdict::TimedOut(Duration::from_secs(3)));
    assert!(crashed.is_failure() && late.is_failure());
}

#[test]
fn a_refusal_is_one_reading_of_an_open_call_and_wrong_for_another() {
    let duplicate = openvino(Norm::L1, tensor(&[2], &[1.0_f32, -2.0]), &[0, -1]);
    let refusal = verdict(&duplicate, &refused());
    assert_eq!(refusal.reading(Question::DuplicateAxesMixedSign), Some(Reading::Reject));
    let collapsed = verdict(&duplicate, &answer(&[], &[3.0_f32]));
    assert_eq!(collapsed.reading(Question::DuplicateAxesMixedSign), Some(Reading::Collapse));
    let identity = openvino(Norm::L1, tensor(&[2], &[1.0_f32, -2.0]), &[]);
    let all = mismatches(&identity, &refused());
    assert!(matches!(all.as_slice(), [Mismatch::Rejected { .. }, Mismatch::Rejected { .. }]), "{all:?}");
}

#[test]
fn the_reading_that_an_answer_misses_by_least_comes_first() {
    // Axes [1, -1] collapse to [3, 7], or are refused.
    let call = openvino(Norm::L1, tensor(&[2, 2], &[1.0_f32, -2.0, 3.0, 4.0]), &[1, -1]);
    let all = mismatches(&call, &answer(&[2], &[3.0_f32, 8.0]));
    assert!(matches!(all.as_slice(), [Mismatch::Element(_), Mismatch::NotRejected { .. }]), "{all:?}");
    // As unchanged data, both elements of [-1, -2] differ; as norms of each, one does.
    let call = openvino(Norm::L1, tensor(&[2], &[-1.0_f32, -2.0]), &[]);
    let all = mismatches(&call, &answer(&[2], &[1.0_f32, 0.0]));
    let wrong = |mismatch: &Mismatch| match mismatch {
        Mismatch::Element(element) => element.wrong,
        other => panic!("{other:?}"),
    };
    assert_eq!(all.iter().map(wrong).collect::<Vec<_>>(), [1, 2]);
}

type Combinations = Vec<Vec<Choice>>;

/// Returns a sheet of entries that expect one f32 each, so that an answer shows which accept it.
fn sheet(entries: Vec<(f32, Combinations)>) -> Sheet {
    let entry = |(value, choices)| Entry { expected: Expected::Exactly(tensor(&[], &[value])), choices };
    let entries = entries.into_iter().map(entry).collect();
    Sheet { entries, terms: None, whole: false, family: Family::OpenVino }
}

const fn choice(question: Question, reading: Reading) -> Choice {
    Choice { question, reading }
}

const KEPT: Choice = choice(Question::Subnormals, Reading::Kept);
const FLUSHED: Choice = choice(Question::Subnormals, Reading::Flushed);
const SCALED: Choice = choice(Question::FloatRange, Reading::Scaled);
const NAIVE: Choice = choice(Question::FloatRange, Reading::Naive);

#[rstest]
#[case::one_combination(vec![(1.0, vec![vec![KEPT, SCALED]])], &[SCALED, KEPT])]
#[case::they_agree_on_one(vec![(1.0, vec![vec![KEPT, SCALED], vec![FLUSHED, SCALED]])], &[SCALED])]
#[case::they_agree_on_none(vec![(1.0, vec![vec![KEPT, SCALED], vec![FLUSHED, NAIVE]])], &[])]
#[case::equal_entries_count_together(
    vec![(1.0, vec![vec![KEPT, SCALED]]), (1.0, vec![vec![KEPT, NAIVE]])], &[KEPT])]
#[case::entries_that_refuse_say_nothing(
    vec![(1.0, vec![vec![KEPT]]), (2.0, vec![vec![FLUSHED]])], &[KEPT])]
#[case::a_question_that_only_some_raise_is_not_told(
    vec![(1.0, vec![vec![SCALED], vec![NAIVE, FLUSHED]])], &[])]
#[case::determined(vec![(1.0, vec![vec![]])], &[])]
fn an_answer_tells_what_every_combination_that_accepts_it_agrees_on(
    #[case] entries: Vec<(f32, Combinations)>,
    #[case] told: &[Choice],
) {
    // A reading shows only if another reading refuses the answer, so this entry does.
    let refuses = vec![(9.0, vec![vec![]])];
    let all = judge(&sheet(entries.clone()), &answer(&[], &[1.0_f32]), &Demands::default());
    if entries.iter().all(|(value, _)| value.to_bits() == 1.0_f32.to_bits()) {
        assert_eq!(all, Verdict::Conforms { accepting: Accepts::default(), accuracy: None, hazard: None });
    }
    match judge(&sheet([entries, refuses].concat()), &answer(&[], &[1.0_f32]), &Demands::default()) {
        Verdict::Conforms { accepting, .. } => {
            let (mut readings, mut told) = (accepting.told(), told.to_vec());
            told.sort_unstable();
            readings.sort_unstable();
            assert_eq!(readings, told);
        }
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::taken(vec![vec![KEPT]], &[KEPT], None)]
#[case::not_taken(vec![vec![KEPT]], &[FLUSHED], Some((FLUSHED, Reading::Kept)))]
#[case::perhaps_taken(vec![vec![KEPT], vec![FLUSHED]], &[FLUSHED], None)]
#[case::not_raised(vec![vec![KEPT]], &[NAIVE], None)]
#[case::not_raised_by_one(vec![vec![KEPT, SCALED], vec![KEPT]], &[NAIVE], None)]
#[case::both_taken(vec![vec![KEPT, SCALED]], &[KEPT, SCALED], None)]
#[case::second_not_taken(vec![vec![KEPT, SCALED]], &[KEPT, NAIVE], Some((NAIVE, Reading::Scaled)))]
// Each may be taken alone, but no honest arithmetic takes both.
#[case::not_taken_together(vec![vec![KEPT, SCALED], vec![FLUSHED, NAIVE]], &[KEPT, NAIVE], Some((NAIVE, Reading::Scaled)))]
#[case::taken_together(vec![vec![KEPT, SCALED], vec![FLUSHED, NAIVE], vec![KEPT, NAIVE]], &[KEPT, NAIVE], None)]
#[case::determined(vec![vec![]], &[KEPT], None)]
fn demanded_readings_have_to_be_taken_together(
    #[case] accepting: Combinations,
    #[case] readings: &[Choice],
    #[case] fails: Option<(Choice, Reading)>,
) {
    let sheet = sheet(vec![(1.0, accepting)]);
    let demands = Demands { readings: readings.to_vec(), ..Demands::default() };
    match (judge(&sheet, &answer(&[], &[1.0_f32]), &demands), fails) {
        (Verdict::Conforms { .. }, None) => {}
        (Verdict::Fails(misses), Some((wanted, taken))) => {
            let mismatches: Vec<Mismatch> = misses.into_iter().map(|miss| miss.mismatch).collect();
            assert_eq!(mismatches, [Mismatch::Reading { wanted, taken }]);
        }
        (other, _) => panic!("{other:?}"),
    }
}

#[test]
fn a_wrong_answer_fails_for_being_wrong_and_not_for_its_reading() {
    let sheet = sheet(vec![(1.0, vec![vec![KEPT]])]);
    let demands = Demands { readings: vec![FLUSHED], ..Demands::default() };
    match judge(&sheet, &answer(&[], &[2.0_f32]), &demands) {
        Verdict::Fails(misses) => assert!(matches!(misses[0].mismatch, Mismatch::Element(_))),
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::unchanged(&[1.0, -2.0], Reading::Unchanged)]
#[case::norm_of_each(&[1.0, 2.0], Reading::NormOfEachElement)]
fn onnx_noop_tells_its_reading_by_the_sign(#[case] result: &[f32], #[case] reading: Reading) {
    let operator =
        Operator::Onnx { norm: Norm::L1, opset: Opset::V18, keepdims: None, noop_with_empty_axes: Some(1) };
    let call = Call::new(operator, tensor(&[2], &[1.0_f32, -2.0]), Axes::list(&[]));
    let told = verdict(&call, &answer(&[2], result));
    assert_eq!(told.reading(Question::NoopEmptyAxes), Some(reading));
    assert_eq!(told.reading(Question::NoopAbsentAxes), None);
}

/// Returns rows of 17 terms with a sum a little above 1, and answers that lie so many ulp above 1.
fn rows_near_one(rows: usize, ulps: u32) -> (Call, Observed) {
    let mut data = vec![0.0_f32; 17 * rows];
    for row in data.chunks_mut(17) {
        (row[0], row[1]) = (1.0, 2_f32.powi(-30));
    }
    let value = f32::from_bits(1.0_f32.to_bits() + ulps);
    (openvino(Norm::L1, tensor(&[rows, 17], &data), &[1]), answer(&[rows], &vec![value; rows]))
}

#[rstest]
fn a_class_is_reached_by_itself_and_by_every_tighter_one(
    #[values(Class::CorrectlyRounded, Class::Faithful, Class::AnyOrder)] wanted: Class,
    #[values((0, Class::CorrectlyRounded), (1, Class::Faithful), (2, Class::AnyOrder))] reached: (u32, Class),
) {
    let (ulps, class) = reached;
    let (call, answer) = rows_near_one(1, ulps);
    let demands = Demands { accuracy: Some(wanted), ..Demands::default() };
    match judge(&Sheet::of(&call).unwrap(), &answer, &demands) {
        Verdict::Conforms { accuracy: Some(accuracy), .. } => {
            assert_eq!(accuracy.class, class);
            assert!(class <= wanted, "{class:?} is not {wanted:?}");
        }
        Verdict::Fails(misses) => {
            assert!(class > wanted, "{class:?} is {wanted:?} or better");
            for miss in misses {
                match miss.mismatch {
                    Mismatch::Class { wanted: named, reached, index, .. } => {
                        assert_eq!((named, reached, index), (wanted, class, vec![0]));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::biased_and_looked_at_together(2, true, false)]
#[case::biased_but_looked_at_one_by_one(2, false, true)]
#[case::right_and_looked_at_together(0, true, true)]
fn errors_all_to_one_side_fail_only_where_they_are_looked_at_together(
    #[case] ulps: u32,
    #[case] whole: bool,
    #[case] conforms: bool,
) {
    let (call, answer) = rows_near_one(1000, ulps);
    let sheet = Sheet { whole, ..Sheet::of(&call).unwrap() };
    match judge(&sheet, &answer, &Demands::default()) {
        Verdict::Conforms { .. } => assert!(conforms),
        Verdict::Fails(misses) => {
            assert!(!conforms);
            assert!(misses.iter().all(|miss| matches!(miss.mismatch, Mismatch::Whole(Excess::Bias { .. }))));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_accuracy_names_the_first_of_the_worst_and_sums_errors_with_and_without_signs() {
    let mut data = vec![0.0_f32; 17 * 5];
    data.chunks_mut(17).for_each(|row| row[0] = 1.0);
    let (call, ulp) = (openvino(Norm::L1, tensor(&[5, 17], &data), &[1]), f32::EPSILON);
    let values = [1.0 + ulp, 1.0 - ulp / 2.0, 1.0 + 2.0 * ulp, 1.0 - 2.0 * ulp, 1.0];
    match verdict(&call, &answer(&[5], &values)) {
        Verdict::Conforms { accuracy: Some(accuracy), .. } => assert_eq!(
            accuracy,
            Accuracy {
                class: Class::AnyOrder,
                worst: 2.0,
                worst_at: 2,
                sum: 5.5,
                errors: Errors { count: 5, sum: 0.5, squares: 9.25 },
                outside: 0,
                terms: 17,
                against: accuracy.against,
            }
        ),
        other => panic!("{other:?}"),
    }
}

/// The bf16 bound allows any sum of so many terms; a declared accumulation type narrows it.
#[rstest]
#[case::nothing_declared(vec![], true)]
#[case::declared_for_another_type(vec![(Dtype::F16, Dtype::F32)], true)]
#[case::declared(vec![(Dtype::F16, Dtype::F64), (Dtype::Bf16, Dtype::F32)], false)]
#[case::declared_as_no_float(vec![(Dtype::Bf16, Dtype::I32)], true)]
fn a_declared_width_of_sums_binds_where_the_reading_says_nothing(
    #[case] accumulation: Vec<(Dtype, Dtype)>,
    #[case] conforms: bool,
) {
    // The sum of 512 ones; 520 is two floats above it.
    let call = openvino(Norm::L1, Tensor::from_bits(Dtype::Bf16, &[512], &[0x3f80; 512]).unwrap(), &[0]);
    let answer = Observed::Tensor(Tensor::from_bits(Dtype::Bf16, &[], &[0x4402]).unwrap());
    let demands = Demands {
        capabilities: Capabilities { accumulation, ..Capabilities::default() },
        ..Demands::default()
    };
    let verdict = judge(&Sheet::of(&call).unwrap(), &answer, &demands);
    assert_eq!(matches!(verdict, Verdict::Conforms { .. }), conforms, "{verdict:?}");
}

#[rstest]
#[case::last([1, 2, 3])]
#[case::last_of_the_first_axis([1, 0, 0])]
#[case::inner([0, 2, 1])]
#[case::every_axis_differs([1, 1, 2])]
fn a_wrong_element_is_named_by_its_index_along_every_axis(#[case] index: [usize; 3]) {
    let shape = [2, 3, 4];
    let call = openvino(Norm::L1, tensor(&[2, 3, 4, 1], &[1_i32; 24]), &[3]);
    let mut values = [1_i32; 24];
    values[(index[0] * 3 + index[1]) * 4 + index[2]] = 7;
    match only_mismatch(&call, &answer(&shape, &values)) {
        Mismatch::Element(element) => assert_eq!(element.index, index),
        other => panic!("{other:?}"),
    }
}

#[test]
fn demands_are_read_by_name_and_every_other_name_is_told_what_there_is() {
    for class in Class::DEMANDED {
        assert_eq!(Demands::class(class.name()), Ok(class));
    }
    let unknown = Demands::class("vacuous").unwrap_err();
    assert_eq!(unknown, "expected one of correctly-rounded, faithful, any-order, got \"vacuous\"");
    let choice = Choice { question: Question::FloatRange, reading: Reading::Naive };
    assert_eq!(Demands::reading("float-range=naive"), Ok(choice));
    assert_eq!(
        Demands::reading("float-range=wide").unwrap_err(),
        "expected a reading of float-range, one of scaled, rescued, naive, got \"wide\""
    );
    let near = Demands::reading("flat-range=naive").unwrap_err();
    assert!(near.starts_with("no question is named \"flat-range\""), "{near}");
    assert!(near.contains("float-range"), "{near}");
    assert!(Demands::reading("zebra=naive").unwrap_err().contains("there are empty-axes-identity, "));
    assert_eq!(Demands::reading("float-range").unwrap_err(), "expected QUESTION=READING");
}

#[rstest]
#[case::conforms(Verdict::Conforms { accepting: Accepts::default(), accuracy: None, hazard: None }, "conforms", "conforms")]
#[case::as_it_reads(
    Verdict::Conforms { accepting: Accepts::only(vec![Choice { question: Question::Subnormals, reading: Reading::Kept }]), accuracy: None, hazard: None },
    "conforms",
    "conforms, subnormals=kept"
)]
#[case::unsupported(Verdict::Unsupported("no bf16".into()), "unsupported", "no bf16")]
#[case::crashed(Verdict::Crashed("signal 11".into()), "crashed", "signal 11")]
fn a_verdict_has_a_word_and_a_reason(#[case] verdict: Verdict, #[case] word: &str, #[case] reason: &str) {
    assert_eq!(verdict.word(), word);
    assert!(verdict.reason().ends_with(reason), "{}", verdict.reason());
}
