//! Tests the any-order bound against values worked out by hand, in f16, whose large unit roundoff makes every
//! term of the formula visible.

use half::f16;
use normative_conformance::judge::accuracy::{Bound, Class, Measure, measure};
use normative_conformance::reference::arithmetic::{Range, Subnormals};
use normative_conformance::reference::{
    Axes, Call, Expected, FloatFormat, Near, Norm, Operator, Opset, Question, Reading, Real, Tensor, Value,
    expect, rule,
};
use rstest::rstest;

use crate::calls::{openvino, vector};

/// The unit roundoffs of f16 and of f32.
const U: f64 = 1.0 / 2048.0;
const U32: f64 = 1.0 / 16_777_216.0;

/// Returns the expectation of a full reduction with 16-bit sums as in `width`, and naive squares if allowed.
fn near(norm: Norm, data: Tensor, width: Reading) -> (Near, Real) {
    let call = openvino(norm, data, &[0]);
    let ruling = rule(&call);
    let alternative = ruling.under(|question| match question {
        Question::HalfAccumulation => Some(width),
        Question::FloatRange => Some(Reading::Naive),
        _ => None,
    });
    let Ok(Expected::Near(mut near)) = expect(&call, &alternative.unwrap().outcome) else {
        panic!("{call:?}")
    };
    // The question is not asked if no square leaves the range.
    if norm == Norm::L2 && width == Reading::InType {
        near.arithmetic.range = Range::Naive;
    }
    let Value::Finite(real) = near.values[0].clone() else { panic!("{call:?}") };
    (near, real)
}

fn halves(elements: &[f64]) -> Tensor {
    vector(&elements.iter().map(|&x| f16::from_f64(x)).collect::<Vec<_>>())
}

/// Returns the relative error of the root of `1 ± sum` after so many roundings, above or below 1.
fn of_root(sum: f64, u: f64, roundings: i32, above: bool) -> f64 {
    if above {
        (1.0 + sum).sqrt() * (1.0 + u).powi(roundings) - 1.0
    } else {
        1.0 - (1.0 - sum).max(0.0).sqrt() * (1.0 - u).powi(roundings)
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
    is(bound.steps.roundoffs(), k * U);
    is(bound.relative, k * U / (1.0 - k * U));
    is(bound.rho, 0.0);
    // In units of the last of eleven bits.
    let sum = 1.5 * terms as f64;
    is(bound.size, sum / 2_f64.powi(sum.log2() as i32 - 10));
    is(bound.ulps(), bound.relative * bound.size);
}

#[rstest]
fn a_root_halves_the_error_of_its_sum_and_adds_its_own_rounding(
    #[values(true, false)] above: bool,
    #[values(1, 2, 100)] terms: usize,
) {
    let (near, value) = near(Norm::L2, halves(&vec![1.0; terms]), Reading::InType);
    let bound = Bound::of(&value, FloatFormat::F16, &near, None, above);
    let k = terms as f64;
    is(bound.steps.roundoffs(), k * U);
    // The square of 1 does not underflow, but the bound does not check each square.
    is(bound.rho, 2_f64.powi(-25));
    is(bound.relative, of_root(k * U / (1.0 - k * U) + bound.rho, U, 1, above));
}

/// Division by a scale counts twice, and multiplication by it once; a chain of `hypot` is not halved.
#[rstest]
fn scaling_costs_three_roundings_and_hypot_two_units_a_step(
    #[values(true, false)] above: bool,
    #[values(1, 3, 4, 100)] terms: usize,
) {
    let (near, value) = near(Norm::L2, vector(&vec![1.0_f32; terms]), Reading::Wide);
    let bound = Bound::of(&value, FloatFormat::F32, &near, None, above);
    let (k, sign) = (terms as f64 + 2.0, if above { 1.0 } else { -1.0 });
    is(bound.steps.roundoffs(), k * U32);
    let hypot = ((1.0 + sign * 2.0 * U32).powi(terms as i32 - 1) - 1.0).abs();
    assert!((bound.hypot - hypot).abs() <= 1e-8 * hypot, "{bound:?}");
    let sum = of_root(k * U32 / (1.0 - k * U32), U32, 2, above);
    assert!((bound.relative - sum.max(hypot)).abs() <= 1e-8 * bound.relative, "{bound:?}");
    assert_eq!(hypot > sum, terms >= 4);
}

/// Every step counts in the unit of its own format; a sum rounded before its root counts once more.
#[rstest]
#[case::squares_in_type(Reading::SquaresInType, |n: f64| (U + (n - 1.0) * U32, U32))]
#[case::by_operator(Reading::ByOperator, |n: f64| (2.0 * U + (n - 1.0) * U32, U))]
#[case::in_type(Reading::InType, |n: f64| (n * U, U))]
fn each_step_counts_the_unit_of_its_own_format(
    #[case] width: Reading,
    #[case] units: fn(f64) -> (f64, f64),
    #[values(true, false)] above: bool,
    #[values(1, 3, 100)] terms: usize,
) {
    let (near, value) = near(Norm::L2, halves(&vec![1.0; terms]), width);
    let bound = Bound::of(&value, FloatFormat::F16, &near, None, above);
    let (s, u) = units(terms as f64);
    is(bound.steps.roundoffs(), s);
    is(bound.relative, of_root(s / (1.0 - s) + bound.rho, u, 1, above));
}

/// Squares and additions are in f64; the sum is rounded to f32, and its root to a number of f32.
#[test]
fn a_sum_cast_to_f32_costs_half_a_unit_and_its_root_half_a_gap_of_f32() {
    let call = Call::new(
        Operator::Onnx { norm: Norm::L2, opset: Opset::V18, keepdims: Some(0), noop_with_empty_axes: None },
        vector(&[1.0_f64, 1.0, 1.0]),
        Axes::list(&[0]),
    );
    let single = |question| (question == Question::F64Precision).then_some(Reading::Single);
    let Ok(Expected::Near(near)) = expect(&call, &rule(&call).under(single).unwrap().outcome) else {
        panic!()
    };
    let Value::Finite(value) = &near.values[0] else { panic!() };
    let bound = Bound::of(value, FloatFormat::F64, &near, None, true);
    let u64 = U32 * 2_f64.powi(-29);
    let s = U32 + 3.0 * u64;
    is(bound.steps.roundoffs(), s);
    assert!((bound.relative - of_root(s / (1.0 - s), U32, 0, true)).abs() < 1e-15, "{bound:?}");
    // √3 lies 0.52 of a gap of f32 above the lower one.
    let accepts =
        |result: f64| measure(value, result.to_bits(), FloatFormat::F64, &near, None).class.is_some();
    let (below, above) = (f64::from(1.732_050_8_f32), f64::from(1.732_050_9_f32));
    assert!(accepts(below) && accepts(3_f64.sqrt()));
    assert!(accepts(above), "half a gap and half a unit of f32 reach it");
    // Two f32 numbers away, or nearer but not a number of f32.
    assert!(!accepts(f64::from(1.732_051_1_f32)) && !accepts(3_f64.sqrt() + 1e-10));
}

/// Squares of 2^-16 have 9 of 11 bits; each may lose half of the least f16, 2^-25.
#[rstest]
fn underflowing_squares_count_absolutely(#[values(true, false)] above: bool, #[values(1, 3)] terms: usize) {
    let (near, value) = near(Norm::L2, halves(&vec![2_f64.powi(-8); terms]), Reading::InType);
    let bound = Bound::of(&value, FloatFormat::F16, &near, None, above);
    let n = terms as f64;
    is(bound.rho, n * 2_f64.powi(-25) / (n * 2_f64.powi(-16)));
    let k = n;
    is(bound.relative, of_root(k * U / (1.0 - k * U) + bound.rho, U, 1, above));
    is(bound.subnormal, 0.0);
}

/// A norm of 3 · 2^-130 is scaled back to a multiple of 2^-149, which may lose half of that: half an ulp.
#[rstest]
fn scaling_back_to_a_subnormal_costs_half_an_ulp_more(#[values(true, false)] above: bool) {
    let elements = [(3.0 * 2_f64.powi(-130)) as f32];
    let call = openvino(Norm::L2, vector(&elements), &[0]);
    let Ok(Expected::Near(near)) = expect(&call, &rule(&call).alternatives[0].outcome) else { panic!() };
    let Value::Finite(value) = &near.values[0] else { panic!() };
    let bound = Bound::of(value, FloatFormat::F32, &near, None, above);
    is(bound.subnormal, 0.5);
    is(bound.size, 3.0 * 2_f64.powi(19));
    is(bound.ulps(), bound.relative * bound.size + 0.5);
}

/// If γ is undefined, a sum of n positive terms lies between the greatest one and the terms doubled n times.
#[rstest]
fn too_many_terms_for_gamma_leave_a_crude_bound(#[values(true, false)] above: bool) {
    let n = 4096;
    let (near, value) = near(Norm::L1, halves(&vec![1.0; n]), Reading::InType);
    let bound = Bound::of(&value, FloatFormat::F16, &near, None, above);
    assert_eq!(bound.gamma, None);
    let n = n as f64;
    is(bound.relative, if above { 2.0 * (1.0 + n * U) - 1.0 } else { 1.0 - 0.5 / n });
}

/// A sum in f32 is rounded to f16 at the end, which allows half the gap to the next f16 more.
#[rstest]
#[case::above(1025, true)]
#[case::below(1024, false)]
fn narrowing_may_cost_half_a_gap(#[case] units: u16, #[case] above: bool) {
    // The value 1 + 1.5 · 2^-11, next to 1024.75 in quarters of the last place of f16.
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

/// Returns the expectation of one term, summed in f32: only the narrowing to f16 may be off.
fn near_narrowed() -> Near {
    Near { terms: 1, ..near(Norm::L1, halves(&[1.0]), Reading::Wide).0 }
}

#[test]
fn on_a_tie_the_even_float_is_correctly_rounded_and_the_other_is_faithful() {
    // 1 + 2^-11 lies between 0x3c00, to which ties go, and 0x3c01.
    let value = Real { significand: 2049_u32.into(), exponent: -11, root: false, negative: false };
    for (bits, class) in [(0x3c00, Class::CorrectlyRounded), (0x3c01, Class::Faithful)] {
        let measure = measure(&value, bits, FloatFormat::F16, &near_narrowed(), None);
        assert_eq!((measure.error, measure.class), (0.5, Some(class)));
    }
}

#[test]
fn an_error_as_great_as_the_bound_is_within_it() {
    // Half a unit, widened for our own rounding, is 2^-53 times this.
    let widened = (0.5 * (1.0 + 1e-12) * 2_f64.powi(53)) as u64;
    for (further, class) in [(0, Some(Class::Faithful)), (1, None)] {
        // This much below 1 + 2^-10, in units of 2^-63.
        let significand = (1_u64 << 63) + (1 << 53) - widened - further;
        let value = Real { significand: significand.into(), exponent: -63, root: false, negative: false };
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
#[case::scaled(Norm::L2, Range::Scaled, 1, -130, 0.5)]
#[case::a_step_of_hypot(Norm::L2, Range::Scaled, 2, -130, 1.0)]
#[case::nine_steps_of_hypot(Norm::L2, Range::Rescued, 10, -130, 9.0)]
#[case::naive(Norm::L2, Range::Naive, 10, -130, 0.0)]
#[case::nothing_to_scale(Norm::L1, Range::Scaled, 10, -130, 0.0)]
#[case::least_normal(Norm::L2, Range::Scaled, 10, -126, 0.0)]
#[case::greatest_subnormal(Norm::L2, Range::Scaled, 1, -127, 0.5)]
fn subnormal_steps_cost_only_where_squares_are_scaled_and_the_norm_is_subnormal(
    #[case] norm: Norm,
    #[case] range: Range,
    #[case] terms: usize,
    #[case] exponent: i32,
    #[case] ulps: f64,
) {
    let (near, _) = near(norm, vector(&[1.0_f32]), Reading::InType);
    let mut near = Near { terms, ..near };
    near.arithmetic.range = range;
    let value = Real { significand: 1_u32.into(), exponent, root: false, negative: false };
    is(Bound::of(&value, FloatFormat::F32, &near, None, true).subnormal, ulps);
}

#[test]
fn gamma_says_nothing_from_as_many_roundings_as_an_ulp_has_half_units() {
    for (terms, says) in [(2047, true), (2048, false)] {
        let (near, value) = near(Norm::L2, halves(&vec![1.0; terms]), Reading::InType);
        let bound = Bound::of(&value, FloatFormat::F16, &near, None, true);
        assert_eq!((bound.steps.roundoffs(), bound.gamma.is_some()), (terms as f64 * U, says));
    }
}

/// A 16-bit `hypot` is an f32 one rounded to nearest; beyond the number of terms for γ, the crude bound holds.
#[rstest]
#[case::a_few(10, true)]
#[case::as_many_as_gamma_speaks_of(2045, true)]
#[case::more(2046, false)]
fn a_chain_of_hypot_in_f16_is_off_by_a_rounding_to_nearest_at_each_step(
    #[case] terms: usize,
    #[case] counts: bool,
    #[values(true, false)] above: bool,
) {
    let (near, value) = near(Norm::L2, halves(&vec![1.0; terms]), Reading::InType);
    let mut near = near;
    near.arithmetic.range = Range::Scaled;
    let each = if above { U + 2.0 * U32 } else { -U - 2.0 * U32 };
    let hypot = ((1.0 + each).powi(terms as i32 - 1) - 1.0).abs();
    is(Bound::of(&value, FloatFormat::F16, &near, None, above).hypot, if counts { hypot } else { 0.0 });
    let declared = Bound::of(&value, FloatFormat::F16, &near, Some(FloatFormat::F32), above);
    is(declared.hypot, if counts { hypot } else { 0.0 });
}

/// Returns the expectation of naive squares in f16, of so many terms.
fn near_naive(terms: usize) -> Near {
    Near { terms, ..near(Norm::L2, halves(&[1.0]), Reading::InType).0 }
}

/// Returns the norm whose square is `share` of the overflow threshold of f16.
fn norm_of(share: f64, error: f64) -> Real {
    let square = (share * 2_f64.powi(50)) as i128 * (1 << 60);
    let square = square + (square as f64 * error) as i128;
    Real { significand: square.unsigned_abs().into(), exponent: 16 - 110, root: true, negative: false }
}

/// A square and an addition: the computed sum is the exact one times 1 - γ to 1 + γ, with γ = 2u / (1 - 2u).
#[test]
fn a_sum_of_squares_must_or_may_overflow_from_its_bound_on_and_our_rounding_is_on_the_safe_side() {
    let infinite = |value: &Real| {
        let bits = FloatFormat::F16.infinity();
        measure(value, bits, FloatFormat::F16, &near_naive(2), None).class.is_some()
    };
    let finite = |value: &Real| {
        let right = value.round(FloatFormat::F16);
        measure(value, right, FloatFormat::F16, &near_naive(2), None).class.is_some()
    };
    let must = (1.0 - 2.0 * U) / (1.0 - 4.0 * U);
    for (error, may_be_finite) in [(-1e-9, true), (5e-13, true), (2e-12, false), (1e-9, false)] {
        assert_eq!(finite(&norm_of(must, error)), may_be_finite, "{error}");
        assert!(infinite(&norm_of(must, error)), "{error}");
    }
    let may = (1.0 - U) * (1.0 - 2.0 * U);
    for (error, may_be_infinite) in [(-1e-9, false), (-2e-12, false), (-5e-13, true), (1e-9, true)] {
        assert_eq!(infinite(&norm_of(may, error)), may_be_infinite, "{error}");
        assert!(finite(&norm_of(may, error)), "{error}");
    }
}

/// γ is undefined for 4094 terms. Squares are rounded once, and their sum grows by at most 1 + 4094 u.
#[test]
fn so_many_squares_that_gamma_says_nothing_may_overflow_from_the_crude_bound_on() {
    let may = (1.0 - U) / (2.0 * (1.0 + 4094.0 * U));
    for (error, accepted) in [(-1e-9, false), (1e-9, true)] {
        let (value, bits) = (norm_of(may, error), FloatFormat::F16.infinity());
        let class = measure(&value, bits, FloatFormat::F16, &near_naive(4094), None).class;
        assert_eq!(class.is_some(), accepted, "{error}");
    }
}

/// The sum of squares is 2^-11: half of the least f16, the most that one underflow takes, is 2^-14 of it.
#[rstest]
fn the_crude_bound_counts_underflow_of_every_square(#[values(true, false)] above: bool) {
    let value = Real { significand: 1_u32.into(), exponent: -11, root: true, negative: false };
    let bound = Bound::of(&value, FloatFormat::F16, &near_naive(4094), None, above);
    let (n, rho) = (4094.0, 2_f64.powi(-14));
    is(bound.rho, n * rho);
    let (least, most) = (1.0 / n - rho, 1.0 + n * U + n * rho);
    is(bound.relative, if above { 2.0 * most.sqrt() - 1.0 } else { 1.0 - least.sqrt() / 2.0 });
}

/// Flushing takes up to the least normal f16, 2^-14, and never adds anything.
#[rstest]
#[case::rounded_up(Subnormals::Kept, true, 1, 2_f64.powi(-25))]
#[case::rounded_down(Subnormals::Kept, false, 1, 2_f64.powi(-25))]
#[case::flushed_adds_nothing(Subnormals::Flushed, true, 1, 0.0)]
#[case::flushed_away(Subnormals::Flushed, false, 1, 2_f64.powi(-14))]
#[case::results_flushed_add_nothing(Subnormals::ResultsFlushed, true, 3, 0.0)]
#[case::results_flushed_away(Subnormals::ResultsFlushed, false, 3, 3.0 * 2_f64.powi(-14))]
#[case::one_result_is_flushed_whole(Subnormals::ResultsFlushed, false, 1, 2_f64.powi(-25))]
fn flushing_costs_downwards_only(
    #[case] subnormals: Subnormals,
    #[case] above: bool,
    #[case] terms: usize,
    #[case] rho: f64,
) {
    let mut near = near_naive(terms);
    near.arithmetic.subnormals = subnormals;
    let value = Real { significand: 1_u32.into(), exponent: 0, root: true, negative: false };
    is(Bound::of(&value, FloatFormat::F16, &near, None, above).rho, rho);
}

#[rstest]
fn the_norm_of_nothing_but_zeros_is_zero(
    #[values(Range::Scaled, Range::Rescued, Range::Naive)] range: Range,
) {
    let (mut near, value) = near(Norm::L2, halves(&[0.0, 0.0]), Reading::InType);
    near.arithmetic.range = range;
    let class = |bits| measure(&value, bits, FloatFormat::F16, &near, None).class;
    assert_eq!([0, 1, 2].map(class), [Some(Class::CorrectlyRounded), None, None]);
}

#[test]
fn classes_have_the_names_that_options_take() {
    let names = Class::DEMANDED.map(Class::name);
    assert_eq!(names, ["correctly-rounded", "faithful", "any-order"]);
    assert_eq!([Class::Vacuous, Class::Beyond].map(Class::name), ["vacuous", "beyond"]);
}
