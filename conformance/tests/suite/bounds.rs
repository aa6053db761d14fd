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

#[test]
fn classes_have_the_names_that_options_take() {
    let names = Class::DEMANDED.map(Class::name);
    assert_eq!(names, ["correctly-rounded", "faithful", "any-order"]);
    assert_eq!(Class::Vacuous.name(), "vacuous");
}
