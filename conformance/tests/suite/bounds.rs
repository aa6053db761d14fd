//! The any-order bound, number by number, where it is worked out by hand: in f16, whose unit roundoff is so large
//! that no term of the formula hides behind another.

use half::f16;
use ndarray::{ArrayD, IxDyn};
use normative_conformance::accuracy::{Bound, Class, Measure, measure};
use normative_conformance::reference::{
    Axes, Call, Expected, FloatFormat, Near, Norm, Operator, Question, Reading, Real, Tensor, Value, expect,
    rule,
};
use rstest::rstest;

/// The unit roundoff of f16, and of f32.
const U: f64 = 1.0 / 2048.0;
const U32: f64 = 1.0 / 16_777_216.0;

/// What a full reduction expects where 16-bit floats are summed as `width` says and squares are naive, if they may be.
fn near(norm: Norm, data: Tensor, width: Reading) -> (Near, Real) {
    let call = Call { operator: Operator::OpenVino { norm, keep_dims: None }, data, axes: Axes::list(&[0]) };
    let ruling = rule(&call);
    let alternative = ruling.under(|question| match question {
        Question::HalfAccumulation => Some(width),
        Question::FloatRange => Some(Reading::Naive),
        _ => None,
    });
    let Ok(Expected::Near(near)) = expect(&call, &alternative.unwrap().outcome) else { panic!("{call:?}") };
    let Value::Finite(real) = near.values[0].clone() else { panic!("{call:?}") };
    (near, real)
}

fn tensor<T>(elements: &[T]) -> Tensor
where
    T: Copy,
    Tensor: From<ArrayD<T>>,
{
    ArrayD::from_shape_vec(IxDyn(&[elements.len()]), elements.to_vec()).unwrap().into()
}

fn halves(elements: &[f64]) -> Tensor {
    tensor(&elements.iter().map(|&x| f16::from_f64(x)).collect::<Vec<_>>())
}

/// Over the root of `1 + sum`, or below that of `1 - sum`: with its own rounding and that of scaling back.
fn of_root(sum: f64, u: f64, above: bool) -> f64 {
    if above {
        (1.0 + sum).sqrt() * (1.0 + u) * (1.0 + u) - 1.0
    } else {
        1.0 - (1.0 - sum).max(0.0).sqrt() * (1.0 - u) * (1.0 - u)
    }
}

#[track_caller]
pub(crate) fn is(got: f64, expected: f64) {
    assert!((got - expected).abs() <= 1e-11 * expected.abs(), "{got:e} is not {expected:e}");
}

#[rstest]
fn a_sum_may_be_off_by_gamma(#[values(true, false)] above: bool, #[values(1, 2, 100)] terms: usize) {
    let (near, value) = near(Norm::L1, halves(&vec![1.5; terms]), Reading::InType);
    let bound = Bound::of(&value, FloatFormat::F16, &near, None, above);
    let k = terms as f64 - 1.0;
    is(bound.roundings, k);
    is(bound.relative, k * U / (1.0 - k * U));
    is(bound.rho, 0.0);
    // In units of the last of eleven places.
    let sum = 1.5 * terms as f64;
    is(bound.size, sum / 2_f64.powi(sum.log2() as i32 - 10));
    is(bound.ulps(), bound.relative * bound.size);
}

#[rstest]
fn a_root_halves_the_error_of_its_sum_and_adds_two_roundings(
    #[values(true, false)] above: bool,
    #[values(1, 2, 100)] terms: usize,
) {
    let (near, value) = near(Norm::L2, halves(&vec![1.0; terms]), Reading::InType);
    let bound = Bound::of(&value, FloatFormat::F16, &near, None, above);
    let k = terms as f64 + 2.0;
    is(bound.roundings, k);
    // The square of 1 is far from underflowing, but the bound does not look at each.
    is(bound.rho, 2_f64.powi(-25));
    is(bound.relative, of_root(k * U / (1.0 - k * U) + bound.rho, U, above));
}

/// Squares of 2^-16 have 9 of 11 bits; each may lose half of the least f16, 2^-25.
#[rstest]
fn underflowing_squares_count_absolutely(#[values(true, false)] above: bool, #[values(1, 3)] terms: usize) {
    let (near, value) = near(Norm::L2, halves(&vec![2_f64.powi(-8); terms]), Reading::InType);
    let bound = Bound::of(&value, FloatFormat::F16, &near, None, above);
    let n = terms as f64;
    is(bound.rho, n * 2_f64.powi(-25) / (n * 2_f64.powi(-16)));
    let k = n + 2.0;
    is(bound.relative, of_root(k * U / (1.0 - k * U) + bound.rho, U, above));
    is(bound.scaling, 0.0);
}

/// A norm of 3 · 2^-130 is scaled, and is a multiple of 2^-149 in the end: half of that may be lost, half an ulp.
#[rstest]
fn scaling_back_to_a_subnormal_costs_half_an_ulp_more(#[values(true, false)] above: bool) {
    let elements = [3.0 * 2_f32.powi(-130)];
    let call = Call {
        operator: Operator::OpenVino { norm: Norm::L2, keep_dims: None },
        data: tensor(&elements),
        axes: Axes::list(&[0]),
    };
    let Ok(Expected::Near(near)) = expect(&call, &rule(&call).alternatives[0].outcome) else { panic!() };
    let Value::Finite(value) = &near.values[0] else { panic!() };
    let bound = Bound::of(value, FloatFormat::F32, &near, None, above);
    is(bound.scaling, 0.5);
    is(bound.size, 3.0 * 2_f64.powi(19));
    is(bound.ulps(), bound.relative * bound.size + 0.5);
}

/// Where γ says nothing, a sum of n positive terms is between the greatest of them and, at most, doubled n times.
#[rstest]
fn too_many_terms_for_gamma_leave_a_crude_bound(#[values(true, false)] above: bool) {
    let n = 4096;
    let (near, value) = near(Norm::L1, halves(&vec![1.0; n]), Reading::InType);
    let bound = Bound::of(&value, FloatFormat::F16, &near, None, above);
    assert_eq!(bound.gamma, None);
    let n = n as f64;
    is(bound.relative, if above { 2.0 * (1.0 + n * U) - 1.0 } else { 1.0 - 0.5 / n });
}

/// A sum in f32 is rounded to f16 at the end: half the gap to the next f16 is allowed besides.
#[rstest]
#[case::above(1025, true)]
#[case::below(1024, false)]
fn narrowing_may_cost_half_a_gap(#[case] units: u16, #[case] above: bool) {
    // 1 + 1.5 · 2^-11, in quarters of the last place of f16 next to 1024.75.
    let (near, value) = near(Norm::L1, halves(&[1.0, 0.75 * 2_f64.powi(-10)]), Reading::Wide);
    let bits = u64::from(0x3c00 + units - 1024);
    let got: Measure = measure(&value, bits, FloatFormat::F16, &near, None);
    let sums = Bound::of(&value, FloatFormat::F16, &near, None, above);
    is(sums.relative, U32 / (1.0 - U32));
    assert_eq!(got.above, above);
    is(got.error, if above { 0.25 } else { 0.75 });
    if above {
        assert_eq!((got.bound, got.class), (f64::INFINITY, Some(Class::CorrectlyRounded)));
    } else {
        assert!((got.bound - (sums.ulps() + 0.5)).abs() < 1e-9, "{got:?}");
        assert_eq!(got.class, None);
    }
}

/// What one term summed in f32 gives in f16: nothing but the narrowing may be off.
fn near_narrowed() -> Near {
    Near { terms: 1, ..near(Norm::L1, halves(&[1.0]), Reading::Wide).0 }
}

#[test]
fn on_a_tie_either_float_is_correctly_rounded() {
    // 1 + 2^-11 lies between 0x3c00, to which ties go, and 0x3c01.
    let value = Real { significand: 2049_u32.into(), exponent: -11, root: false };
    for bits in [0x3c00, 0x3c01] {
        let measure = measure(&value, bits, FloatFormat::F16, &near_narrowed(), None);
        assert_eq!((measure.error, measure.class), (0.5, Some(Class::CorrectlyRounded)));
    }
}

#[test]
fn an_error_as_great_as_the_bound_is_within_it() {
    // Half a unit, widened for our own rounding, is 2^-53 times this.
    let widened = (0.5 * (1.0 + 1e-12) * 2_f64.powi(53)) as u64;
    for (further, class) in [(0, Some(Class::Faithful)), (1, None)] {
        // So much below 1 + 2^-10, in units of 2^-63.
        let significand = (1_u64 << 63) + (1 << 53) - widened - further;
        let value = Real { significand: significand.into(), exponent: -63, root: false };
        let measure = measure(&value, 0x3c01, FloatFormat::F16, &near_narrowed(), None);
        assert_eq!(measure.error > measure.bound, class.is_none(), "{measure:?}");
        assert_eq!(measure.class, class);
    }
}

#[test]
fn beside_a_value_that_is_a_float_no_other_is_faithful() {
    let (near, value) = near(Norm::L1, halves(&vec![1.5; 100]), Reading::InType);
    let class = |bits| measure(&value, bits, FloatFormat::F16, &near, None).class;
    let right = value.round(FloatFormat::F16);
    assert_eq!(
        [right - 1, right, right + 1].map(class),
        [Class::AnyOrder, Class::CorrectlyRounded, Class::AnyOrder].map(Some)
    );
}

#[rstest]
#[case::scaled(Norm::L2, false, -130, 0.5)]
#[case::naive(Norm::L2, true, -130, 0.0)]
#[case::nothing_to_scale(Norm::L1, false, -130, 0.0)]
#[case::least_normal(Norm::L2, false, -126, 0.0)]
#[case::greatest_subnormal(Norm::L2, false, -127, 0.5)]
fn scaling_back_costs_only_where_squares_are_scaled_and_the_norm_is_subnormal(
    #[case] norm: Norm,
    #[case] naive_squares: bool,
    #[case] exponent: i32,
    #[case] ulps: f64,
) {
    let (mut near, _) = near(norm, tensor(&[1.0_f32]), Reading::InType);
    near.arithmetic.naive_squares = naive_squares;
    let value = Real { significand: 1_u32.into(), exponent, root: false };
    is(Bound::of(&value, FloatFormat::F32, &near, None, true).scaling, ulps);
}

#[test]
fn gamma_says_nothing_from_as_many_roundings_as_an_ulp_has_half_units() {
    for (terms, says) in [(2045, true), (2046, false)] {
        let (near, value) = near(Norm::L2, halves(&vec![1.0; terms]), Reading::InType);
        let bound = Bound::of(&value, FloatFormat::F16, &near, None, true);
        assert_eq!((bound.roundings, bound.gamma.is_some()), (terms as f64 + 2.0, says));
    }
}

/// Naive squares in f16, of so many terms.
fn near_naive(terms: usize) -> Near {
    Near { terms, ..near(Norm::L2, halves(&[1.0]), Reading::InType).0 }
}

/// The norm whose square is `share` of what overflows in f16.
fn norm_of(share: f64, error: f64) -> Real {
    let square = (share * 2_f64.powi(50)) as i128 * (1 << 60);
    let square = square + (square as f64 * error) as i128;
    Real { significand: square.unsigned_abs().into(), exponent: 16 - 110, root: true }
}

/// Three roundings: the sum is between 1 - γ and 1 + γ, γ = 3u / (1 - 3u), times as much.
#[test]
fn a_sum_of_squares_must_or_may_overflow_from_its_bound_on_and_our_rounding_is_on_the_safe_side() {
    let infinite = |value: &Real| {
        let bits = FloatFormat::F16.infinity();
        measure(value, bits, FloatFormat::F16, &near_naive(1), None).class.is_some()
    };
    let finite = |value: &Real| {
        let right = value.round(FloatFormat::F16);
        measure(value, right, FloatFormat::F16, &near_naive(1), None).class.is_some()
    };
    let must = (1.0 - 3.0 * U) / (1.0 - 6.0 * U);
    for (error, may_be_finite) in [(-1e-9, true), (5e-13, true), (2e-12, false), (1e-9, false)] {
        assert_eq!(finite(&norm_of(must, error)), may_be_finite, "{error}");
        assert!(infinite(&norm_of(must, error)), "{error}");
    }
    let may = (1.0 - U) * (1.0 - 3.0 * U);
    for (error, may_be_infinite) in [(-1e-9, false), (-2e-12, false), (-5e-13, true), (1e-9, true)] {
        assert_eq!(infinite(&norm_of(may, error)), may_be_infinite, "{error}");
        assert!(finite(&norm_of(may, error)), "{error}");
    }
}

/// Of 4094 terms γ says nothing. Their squares are rounded once, their sum is at most 1 + 4096 u times as much.
#[test]
fn so_many_squares_that_gamma_says_nothing_may_overflow_from_the_crude_bound_on() {
    let may = (1.0 - U) / (2.0 * (1.0 + 4096.0 * U));
    for (error, accepted) in [(-1e-9, false), (1e-9, true)] {
        let (value, bits) = (norm_of(may, error), FloatFormat::F16.infinity());
        let class = measure(&value, bits, FloatFormat::F16, &near_naive(4094), None).class;
        assert_eq!(class.is_some(), accepted, "{error}");
    }
}

/// The sum of squares is 2^-11: half the least f16 that underflow takes from one is 2^-14 of that.
#[rstest]
fn the_crude_bound_counts_underflow_of_every_square(#[values(true, false)] above: bool) {
    let value = Real { significand: 1_u32.into(), exponent: -11, root: true };
    let bound = Bound::of(&value, FloatFormat::F16, &near_naive(4094), None, above);
    let (n, rho) = (4094.0, 2_f64.powi(-14));
    is(bound.rho, n * rho);
    let (least, most) = (1.0 / n - rho, 1.0 + n * U + n * rho);
    is(bound.relative, if above { 2.0 * most.sqrt() - 1.0 } else { 1.0 - least.sqrt() / 2.0 });
}

/// Flushing takes up to the least normal f16, 2^-14, and never adds anything.
#[rstest]
#[case::rounded_up(false, true, 2_f64.powi(-25))]
#[case::rounded_down(false, false, 2_f64.powi(-25))]
#[case::flushed_adds_nothing(true, true, 0.0)]
#[case::flushed_away(true, false, 2_f64.powi(-14))]
fn flushing_costs_downwards_only(#[case] flush_subnormals: bool, #[case] above: bool, #[case] rho: f64) {
    let mut near = near_naive(1);
    near.arithmetic.flush_subnormals = flush_subnormals;
    let value = Real { significand: 1_u32.into(), exponent: 0, root: true };
    is(Bound::of(&value, FloatFormat::F16, &near, None, above).rho, rho);
}

#[rstest]
fn the_norm_of_nothing_but_zeros_is_zero(#[values(true, false)] naive_squares: bool) {
    let (mut near, value) = near(Norm::L2, halves(&[0.0, 0.0]), Reading::InType);
    near.arithmetic.naive_squares = naive_squares;
    let class = |bits| measure(&value, bits, FloatFormat::F16, &near, None).class;
    assert_eq!([0, 1, 2].map(class), [Some(Class::CorrectlyRounded), None, None]);
}

#[test]
fn classes_have_the_names_that_options_take() {
    let names = Class::DEMANDED.map(Class::name);
    assert_eq!(names, ["correctly-rounded", "faithful", "any-order"]);
    assert_eq!(Class::Vacuous.name(), "vacuous");
}
