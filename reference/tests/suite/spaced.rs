//! Tests vectors that lie spaced in data of rank 1: the elements that are read, and the gaps that must not count.

use normative_reference::Norm::{L1, L2};
use normative_reference::{
    Call, Dims, Elements, Expected, Norm, Outcome, Question, Reading, Reduction, Tensor, expect, rule,
    textbook,
};
use rstest::rstest;

use crate::common::readings::{ones, readings};
use crate::common::{blas, tensor};

/// Returns the norm under the first reading of every question, and that of the f64 loop.
fn norms(call: &Call) -> [Tensor; 2] {
    let ruling = rule(call);
    let outcome = &ruling.alternatives[0].outcome;
    let rounded = match expect(call, outcome).unwrap() {
        Expected::Near(near) => near.rounded().unwrap(),
        other => panic!("expected floats, got {other:?}"),
    };
    let Outcome::Reduce(reduction, _) = outcome else { panic!("expected a reduction, got {outcome:?}") };
    let by_loop = textbook::evaluate(&call.data, reduction).mapv(|norm| norm as f32);
    [rounded, by_loop.into()]
}

#[rstest]
#[case::neighbours(3, 1, &[3.0, 4.0, 12.0], 19.0, 13.0)]
#[case::spaced(3, 2, &[3.0, f32::NAN, -4.0, f32::INFINITY, 12.0], 19.0, 13.0)]
#[case::what_follows_is_not_read(2, 1, &[3.0, -4.0, f32::NAN], 7.0, 5.0)]
#[case::what_follows_the_last_is_not_read(2, 3, &[3.0, 9.0, 9.0, -4.0, 9.0, 9.0], 7.0, 5.0)]
#[case::one(1, 1000, &[-7.0], 7.0, 7.0)]
#[case::none(0, 1, &[f32::NAN], 0.0, 0.0)]
#[case::none_of_nothing(0, 2, &[], 0.0, 0.0)]
#[case::less_than_none(-3, 1, &[5.0], 0.0, 0.0)]
fn elements_lie_so_far_apart(
    #[case] n: i32,
    #[case] incx: i32,
    #[case] data: &[f32],
    #[case] asum: f32,
    #[case] nrm2: f32,
) {
    for (norm, value) in [(L1, asum), (L2, nrm2)] {
        let call = blas(norm, n, incx, tensor(&[data.len()], data));
        assert_eq!(norms(&call), [tensor(&[], &[value]), tensor(&[], &[value])], "{norm:?}");
        assert_eq!(rule(&call).alternatives.len(), 1, "{norm:?}");
    }
}

#[rstest]
#[case::farthest_first(2, -2, &[3.0, 9.0, 4.0, 9.0], 5.0)]
#[case::all_but_none_of_the_rest(3, -1, &[3.0, 4.0, 12.0, f32::NAN], 13.0)]
#[case::the_first_again_and_again(4, 0, &[-3.0, f32::NAN], 6.0)]
#[case::none(0, -2, &[], 0.0)]
fn nrm2_says_what_other_spacings_mean(
    #[case] n: i32,
    #[case] incx: i32,
    #[case] data: &[f32],
    #[case] value: f32,
) {
    let call = blas(L2, n, incx, tensor(&[data.len()], data));
    assert_eq!(norms(&call), [tensor(&[], &[value]), tensor(&[], &[value])]);
    assert_eq!(rule(&call).alternatives.len(), 1);
}

#[rstest]
#[case::negative(-2, Question::NegativeIncrement, 7.0)]
#[case::zero(0, Question::ZeroIncrement, 6.0)]
fn asum_is_zero_or_of_the_elements(#[case] incx: i32, #[case] question: Question, #[case] value: f32) {
    let call = blas(L1, 2, incx, tensor(&[4], &[3.0_f32, f32::NAN, -4.0, f32::NAN]));
    let ruling = rule(&call);
    let of = |reading| {
        let outcome = &ruling.under(|asked| (asked == question).then_some(reading)).unwrap().outcome;
        let Expected::Near(near) = expect(&call, outcome).unwrap() else { panic!("expected floats") };
        near.rounded().unwrap()
    };
    assert_eq!(of(Reading::Zero), tensor(&[], &[0.0_f32]));
    assert_eq!(of(Reading::OfElements), tensor(&[], &[value]));
    assert_eq!(ruling.questions(), [question].into(), "NaN lies between the elements");
}

#[rstest]
#[case(0, -1)]
#[case(-1, 0)]
fn asum_of_no_elements_leaves_nothing_open(#[case] n: i32, #[case] incx: i32) {
    assert_eq!(readings(&blas(L1, n, incx, ones(&[2]))).len(), 1);
}

#[rstest]
#[case::overflow(1e30, &["over [0] to [], 2 from 0 by 1"])]
#[case::underflow(1e-30, &["over [0] to [], 2 from 0 by 1"])]
fn nrm2_keeps_squares_in_range(#[case] element: f32, #[case] expected: &[&str]) {
    assert_eq!(readings(&blas(L2, 2, 1, tensor(&[2], &[element; 2]))), expected);
}

#[test]
fn what_lies_between_the_elements_raises_no_question() {
    let odd = [1.0_f32, f32::NAN, 1.0, f32::INFINITY, 1.0, f32::from_bits(1)];
    for norm in [L1, L2] {
        assert_eq!(readings(&blas(norm, 3, 2, tensor(&[6], &odd))), ["over [0] to [], 3 from 0 by 2"]);
    }
}

#[test]
fn a_vector_has_its_own_terms_and_shape_whatever_the_data() {
    let elements = Elements::Spaced { count: 3, first: 4, step: -2 };
    let reduction = Reduction { norm: Norm::L1, axes: vec![0], dims: Dims::Drop, elements };
    let data = tensor(&[7], &[0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!((reduction.terms(data.shape()), reduction.outputs(data.shape())), (3, 1));
    assert_eq!(reduction.operand(&data).into_owned(), tensor(&[3], &[4.0_f32, 2.0, 0.0]));
    assert!(reduction.output_shape(data.shape()).is_empty());
}

#[test]
fn a_vector_reaches_its_farthest_element() {
    let reach = |n, incx| blas(L1, n, incx, ones(&[1])).operator.reach();
    assert_eq!(
        [reach(3, 2), reach(3, -2), reach(3, 0), reach(1, 9), reach(0, 5), reach(-1, 5)],
        [5, 5, 1, 1, 0, 0]
    );
    assert_eq!(reach(i32::MAX, i32::MIN), 1 + (i32::MAX as u64 - 1) * (1 << 31));
    assert!(blas(L1, 3, -2, ones(&[5])).reads_within_data());
    assert!(!blas(L1, 3, -2, ones(&[4])).reads_within_data());
    assert!(!blas(L1, i32::MAX, 0, ones(&[1])).reads_within_data(), "more than data may have");
}
