//! Tests the accuracy classes: honest implementations of every summation order pass, small systematic errors
//! fail, and errors are measured against the unrounded value.

use half::f16;
use normative_conformance::judge::accuracy::Class;
use normative_conformance::reference::{Call, Choice, Norm, Question, Reading};
use normative_conformance::{Demands, Observed, Sheet, Verdict, judge};
use rstest::rstest;

use crate::any_order::{DATA, elements};
use crate::calls::{answer, openvino, scalar, tensor, vector, verdict};

fn accuracy(call: &Call, answer: &Observed) -> (Class, f64) {
    match verdict(call, answer) {
        Verdict::Conforms { accuracy: Some(accuracy), .. } => (accuracy.class, accuracy.worst),
        other => panic!("{other:?}"),
    }
}

/// The square of one element is rounded to f16, its root is taken in f32 and cut: half of all numbers change.
#[test]
fn a_root_of_a_rounded_square_may_be_cut_of_one_element_too() {
    let mut changed = 0;
    for bits in 0..f16::INFINITY.to_bits() {
        let element = f16::from_bits(bits);
        let square = f16::from_f32(element.to_f32() * element.to_f32());
        let root = square.to_f32().sqrt();
        let nearest = f16::from_f32(root);
        let cut = if nearest.to_f32() > root { f16::from_bits(nearest.to_bits() - 1) } else { nearest };
        let verdict = verdict(&openvino(Norm::L2, vector(&[element]), &[0]), &scalar(cut));
        assert!(matches!(verdict, Verdict::Conforms { .. }), "{element}: {cut}, {verdict:?}");
        changed += usize::from(square.is_normal() && cut != element);
    }
    assert!(changed > 5000, "{changed}");
}

#[rstest]
fn a_scaled_norm_in_f32_conforms(#[values(2, 17, 1000)] n: usize, #[values(1e-30, 1.0, 1e30)] size: f32) {
    let data: Vec<f32> = elements(DATA[1].1, n).iter().map(|&x| x as f32 * size).collect();
    let greatest = data.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
    let sum: f32 = data.iter().map(|x| (x / greatest) * (x / greatest)).sum();
    assert!(matches!(
        verdict(&openvino(Norm::L2, vector(&data), &[0]), &scalar(greatest * sum.sqrt())),
        Verdict::Conforms { .. }
    ));
}

#[rstest]
#[case::exact(&[1.0, 2.0], 3.0, Class::CorrectlyRounded, 0.0)]
// 1 + 2^-25 lies a quarter of an ulp above 1 and three quarters below the next float.
#[case::below(&[1.0, 2.980_232_2e-8], 1.0, Class::CorrectlyRounded, 0.25)]
// 1 + 2^-24 lies halfway.
#[case::tie_to_even(&[1.0, 5.960_464_5e-8], 1.0, Class::CorrectlyRounded, 0.5)]
#[case::tie_to_odd(&[1.0, 5.960_464_5e-8], 1.000_000_1, Class::Faithful, 0.5)]
fn errors_of_sums_are_distances_to_the_unrounded_truth(
    #[case] data: &[f32],
    #[case] answer: f32,
    #[case] class: Class,
    #[case] error: f64,
) {
    assert_eq!(accuracy(&openvino(Norm::L1, vector(data), &[0]), &scalar(answer)), (class, error));
}

#[test]
fn errors_of_roots_are_distances_to_the_unrounded_truth() {
    // √3 = 1.7320508075688772…; the nearest f32 is 1.73205077648162841796875, its ulp 2^-23.
    let call = openvino(Norm::L2, vector(&[1.0_f32; 3]), &[0]);
    let error = (1.732_050_807_568_877_2 - 1.732_050_776_481_628_4) * 8_388_608.0;
    let (class, measured) = accuracy(&call, &scalar(1.732_050_8_f32));
    assert_eq!(class, Class::CorrectlyRounded);
    assert!((measured - error).abs() < 1e-8, "{measured} {error}");
    let (class, measured) = accuracy(&call, &scalar(1.732_050_9_f32));
    assert_eq!(class, Class::Faithful);
    assert!((measured - (1.0 - error)).abs() < 1e-8, "{measured}");
}

#[rstest]
#[case::below(0.3, 0.299_999_98)]
#[case::above(0.3, 0.300_000_04)]
#[case::half_an_ulp_below_a_power_of_two(1.0, 0.999_999_94)]
fn the_l1_norm_of_one_element_has_no_error_to_forgive(#[case] element: f32, #[case] answer: f32) {
    assert!(matches!(
        verdict(&openvino(Norm::L1, vector(&[-element]), &[0]), &scalar(answer)),
        Verdict::Fails(_)
    ));
}

#[test]
fn a_faithful_result_that_no_order_of_ieee_operations_gives_fails() {
    // One addition must be correctly rounded, so 0.75 ulp fails.
    let call = openvino(Norm::L1, vector(&[1.0_f32, 2.980_232_2e-8]), &[0]);
    assert!(matches!(verdict(&call, &scalar(1.000_000_1_f32)), Verdict::Fails(_)));
}

/// Scaling and computing again after an overflow give the same answer, so it shows neither reading.
#[rstest]
#[case::scaled_or_rescued(1.414_213_6e30, None, false)]
#[case::naive(f32::INFINITY, Some(Reading::Naive), false)]
#[case::greatest_float(f32::MAX, None, true)]
#[case::nan(f32::NAN, None, true)]
#[case::zero(0.0, None, true)]
fn an_overflowing_square_may_give_infinity_but_nothing_in_between(
    #[case] answer: f32,
    #[case] reading: Option<Reading>,
    #[case] fails: bool,
) {
    let verdict = verdict(&openvino(Norm::L2, vector(&[1e30_f32, 1e30]), &[0]), &scalar(answer));
    assert_eq!((verdict.reading(Question::FloatRange), verdict.is_failure()), (reading, fails));
}

#[rstest]
#[case::scaled_or_rescued(1.414_213_6e-30, None, false)]
#[case::naive_or_rescued(0.0, None, false)]
#[case::between(7e-31, None, true)]
#[case::minus_zero(-0.0, None, true)]
#[case::twice(2.828_427e-30, None, true)]
fn an_underflowing_square_may_give_zero(
    #[case] answer: f32,
    #[case] reading: Option<Reading>,
    #[case] fails: bool,
) {
    let verdict = verdict(&openvino(Norm::L2, vector(&[1e-30_f32, 1e-30]), &[0]), &scalar(answer));
    assert_eq!((verdict.reading(Question::FloatRange), verdict.is_failure()), (reading, fails));
}

/// One norm overflows and one underflows: computing again may get both right, as scaling does.
#[rstest]
#[case::scaled_or_rescued([1e30, 1e-30], None)]
#[case::rescued([1e30, 0.0], Some(Reading::Rescued))]
#[case::naive([f32::INFINITY, 0.0], Some(Reading::Naive))]
fn an_answer_with_large_and_small_norms_tells_how_squares_are_kept_in_range(
    #[case] answer: [f32; 2],
    #[case] reading: Option<Reading>,
) {
    let call = openvino(Norm::L2, tensor(&[2, 1], &[1e30_f32, 1e-30]), &[1]);
    assert_eq!(verdict(&call, &self::answer(&[2], &answer)).reading(Question::FloatRange), reading);
}

/// Infinities and zeros from squares out of range do not count as norms with error 0.
#[test]
fn elements_out_of_range_are_counted_apart_from_those_measured() {
    let call = openvino(Norm::L2, tensor(&[3, 1], &[1e30_f32, 1e-30, 1.5]), &[1]);
    let verdict = verdict(&call, &answer(&[3], &[f32::INFINITY, 0.0, 1.5]));
    let accuracy = verdict.accuracy().unwrap();
    assert_eq!((accuracy.errors.count, accuracy.outside, accuracy.worst.to_bits()), (1, 2, 0));
    assert_eq!(accuracy.against.unwrap().to_string(), "sums f32, naive squares");
}

/// A failing answer is measured too, against the nearest reading.
#[test]
fn the_errors_of_a_wrong_answer_are_measured_and_called_beyond() {
    let call = openvino(Norm::L1, vector(&[1.0_f32, 2.0]), &[0]);
    let verdict = verdict(&call, &scalar(3.5_f32));
    assert!(verdict.is_failure());
    let accuracy = verdict.accuracy().unwrap();
    assert_eq!((accuracy.class, accuracy.errors.count), (Class::Beyond, 1));
    assert_eq!(accuracy.worst.to_bits(), (0.5 * 2_f64.powi(22)).to_bits());
}

#[rstest]
#[case::rounds_up(f32::INFINITY, false)]
#[case::stays(f32::MAX, false)]
#[case::far_below(3e38, true)]
fn near_the_overflow_threshold_both_sides_of_it_are_near(#[case] answer: f32, #[case] fails: bool) {
    // MAX plus one hundredth of an ulp rounds down; two honest additions may give either neighbour.
    let data = [f32::MAX / 2.0, f32::MAX / 2.0, 2e29];
    assert_eq!(verdict(&openvino(Norm::L1, vector(&data), &[0]), &scalar(answer)).is_failure(), fails);
}

#[test]
fn an_answer_that_two_readings_accept_tells_neither() {
    // The f16 sum of [1, 2] is exact in any width.
    let data = [half::f16::from_f32(1.0), half::f16::from_f32(2.0)];
    let verdict = verdict(&openvino(Norm::L1, vector(&data), &[0]), &scalar(half::f16::from_f32(3.0)));
    assert!(
        matches!(&verdict, Verdict::Conforms { accepting, .. } if accepting.told().is_empty()),
        "{verdict:?}"
    );
}

#[rstest]
#[case::the_one_taken(Reading::Scaled, false)]
#[case::one_that_answers_alike(Reading::Rescued, false)]
#[case::another(Reading::Naive, true)]
fn a_demanded_reading_is_the_only_one_accepted(#[case] reading: Reading, #[case] fails: bool) {
    let sheet = Sheet::of(&openvino(Norm::L2, vector(&[1e30_f32, 1e30]), &[0])).unwrap();
    let readings = vec![Choice { question: Question::FloatRange, reading }];
    let demands = Demands { readings, ..Demands::default() };
    let verdict = judge(&sheet, &scalar(1.414_213_6e30_f32), &demands);
    assert_eq!(verdict.is_failure(), fails, "{verdict:?}");
}
