//! Tests the errors of all elements together: their sums, and the limits on these. Variances are worked out
//! by hand from the derivation in `accuracy::whole`; they share no code with it.

use normative_conformance::judge::accuracy::whole::{Errors, Excess};
use normative_conformance::judge::accuracy::{Class, RoundingSteps};
use normative_conformance::judge::compare::Accuracy;
use normative_conformance::reference::arithmetic::{FloatArithmetic, Narrowing, Range, Subnormals};
use normative_conformance::reference::{Dtype, FloatFormat, Near, Norm};
use rstest::rstest;

/// `ln(2 / 1e-12)`.
const X: f64 = 28.324_168_296_488_494;

fn near(norm: Norm, terms: usize, sums: FloatFormat) -> Near {
    let arithmetic = FloatArithmetic {
        squares: sums,
        sums,
        root: sums,
        range: Range::Naive,
        subnormals: Subnormals::Kept,
        narrowing: Narrowing::Nearest,
        infinity_over_nan: false,
    };
    Near { dtype: Dtype::F32, shape: vec![], values: vec![], terms, norm, arithmetic, parts: vec![] }
}

fn errors(all: impl IntoIterator<Item = f64>) -> Errors {
    let mut errors = Errors::default();
    all.into_iter().for_each(|error| errors.add(error));
    errors
}

#[test]
fn errors_are_counted_summed_with_their_signs_and_squared() {
    let (first, second) = (errors([0.5, -0.25, 2.0]), errors([-3.0, 1.0]));
    assert_eq!(first, Errors { count: 3, sum: 2.25, squares: 4.3125 });
    assert_eq!(second, Errors { count: 2, sum: -2.0, squares: 10.0 });
    assert_eq!(first.and(second), Errors { count: 5, sum: 0.25, squares: 14.3125 });
}

#[test]
fn accuracies_of_two_tensors_join_to_the_worst_of_both_and_the_sums() {
    let accuracy = |class, worst, sum, errors, worst_at| Accuracy {
        class,
        worst,
        worst_at,
        sum,
        errors,
        outside: worst_at,
        terms: worst_at + 1,
        against: None,
    };
    let first = accuracy(Class::Faithful, 0.5, 3.0, errors([0.5, 2.5]), 7);
    let second = accuracy(Class::AnyOrder, 2.0, 0.25, errors([-0.25]), 9);
    let sums = errors([0.5, 2.5, -0.25]);
    let joined = |worst_at| Accuracy { outside: 16, ..accuracy(Class::AnyOrder, 2.0, 3.25, sums, worst_at) };
    assert_eq!(first.and(&second), joined(7));
    assert_eq!(second.and(&first), joined(9));
}

#[rstest]
// c²(n - 1): each addition changes the sum by an ulp of its format.
#[case::l1_in_its_own_type(Norm::L1, 17, FloatFormat::F32, FloatFormat::F32, 16.0)]
#[case::l1_in_a_wider_type(Norm::L1, 17, FloatFormat::F16, FloatFormat::F32, 16.0 / 67_108_864.0 + 0.25)]
#[case::l1_in_a_narrower_type(Norm::L1, 3, FloatFormat::F32, FloatFormat::F16, 2.0 * 67_108_864.0)]
#[case::l1_of_one_element_in_a_wider_type(Norm::L1, 1, FloatFormat::F32, FloatFormat::F64, 0.25)]
#[case::l1_of_nothing_in_a_wider_type(Norm::L1, 0, FloatFormat::BF16, FloatFormat::F16, 0.25)]
// c²(n + 12) / 4: the root halves each, squares, scaling and root count as 12.
#[case::l2_in_its_own_type(Norm::L2, 4, FloatFormat::F32, FloatFormat::F32, 4.0)]
#[case::l2_of_many_terms(Norm::L2, 1000, FloatFormat::F32, FloatFormat::F32, 253.0)]
// Formats close enough that the step shows beside the rounding: bf16 has 8 bits, f16 has 11.
#[case::l2_in_a_wider_type(Norm::L2, 52, FloatFormat::BF16, FloatFormat::F16, 16.0 / 64.0 + 0.25)]
fn errors_may_reach_their_limits_and_not_pass_them(
    #[case] norm: Norm,
    #[case] terms: usize,
    #[case] output: FloatFormat,
    #[case] sums: FloatFormat,
    #[case] variance: f64,
    #[values(1000, 4000)] count: usize,
) {
    let near = near(norm, terms, sums);
    let share = X / count as f64;
    let bias = (variance * 2.0 * share).sqrt();
    for sign in [1.0, -1.0] {
        let all = |factor: f64| errors(std::iter::repeat_n(sign * bias * factor, count));
        assert_eq!(all(0.999_99).excess(&near, output, &RoundingSteps::of(&near, None)), None);
        match all(1.000_01).excess(&near, output, &RoundingSteps::of(&near, None)) {
            Some(Excess::Bias { mean, limit }) => {
                assert!((mean - sign * bias).abs() < 1e-4 * bias, "{mean} is the mean, about {bias}");
                assert!((limit - bias).abs() < 1e-9 * bias, "{limit} is not {bias}");
            }
            other => panic!("{other:?}"),
        }
    }
    // Errors that cancel: only their squares can exceed a limit.
    let spread = (variance * (1.0 + 2.0 * share.sqrt() + 2.0 * share)).sqrt();
    let all = |factor: f64| errors([spread * factor, -spread * factor].repeat(count / 2));
    assert_eq!(all(0.999_99).excess(&near, output, &RoundingSteps::of(&near, None)), None);
    match all(1.000_01).excess(&near, output, &RoundingSteps::of(&near, None)) {
        Some(Excess::Spread { root_mean_square, limit }) => {
            assert!((root_mean_square - spread).abs() < 1e-4 * spread, "{root_mean_square} is not {spread}");
            assert!((limit - spread).abs() < 1e-9 * spread, "{limit} is not {spread}");
        }
        other => panic!("{other:?}"),
    }
}

/// A one-element sum in its own type has no rounding: any error is an excess, and none is not.
#[test]
fn where_nothing_is_rounded_only_no_error_passes() {
    let near = near(Norm::L1, 1, FloatFormat::F32);
    let excess = |error: f64| {
        errors(std::iter::repeat_n(error, 1000)).excess(
            &near,
            FloatFormat::F32,
            &RoundingSteps::of(&near, None),
        )
    };
    assert_eq!(excess(0.0), None);
    assert!(matches!(excess(0.5), Some(Excess::Bias { .. })));
    assert!(matches!(excess(-0.5), Some(Excess::Bias { .. })));
}

/// 4c²(n - 1): each step of a chain of `hypot` changes the norm by two units of its format.
#[test]
fn a_chain_of_hypot_may_spread_twice_as_far_a_step() {
    let mut near = near(Norm::L2, 5, FloatFormat::F32);
    near.arithmetic.range = Range::Scaled;
    let steps = RoundingSteps::of(&near, None);
    let limit = (16.0 * 2.0 * X / 1000.0).sqrt();
    let mean = |mean: f64| errors(std::iter::repeat_n(mean, 1000)).excess(&near, FloatFormat::F32, &steps);
    assert_eq!(mean(0.999 * limit), None);
    assert!(matches!(mean(1.001 * limit), Some(Excess::Bias { .. })));
}

/// A cut lowers each result by up to an ulp, and never raises one.
#[test]
fn results_that_are_cut_may_lie_an_ulp_lower_on_average() {
    let mut near = near(Norm::L1, 17, FloatFormat::F32);
    near.arithmetic.narrowing = Narrowing::TowardZero;
    let steps = RoundingSteps::of(&near, None);
    let limit = (0.250_000_238 * 2.0 * X / 1000.0).sqrt();
    let mean = |mean: f64| errors(std::iter::repeat_n(mean, 1000)).excess(&near, FloatFormat::F16, &steps);
    assert_eq!(mean(-1.0 - 0.999 * limit), None);
    assert!(matches!(mean(-1.0 - 1.001 * limit), Some(Excess::Bias { .. })));
    assert!(matches!(mean(1.001 * limit), Some(Excess::Bias { .. })));
}
