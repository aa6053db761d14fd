//! Tests that sums whose terms cancel are accepted in every order of addition, and refused where a term is lost.
//!
//! Answers are computed here, in the formats of the type, and judged as those of a backend.

use crate::reference_backend::flushed;
use half::f16;
use normative_conformance::reference::textbook::to_f64;
use normative_conformance::reference::{
    Axes, Call, Dtype, Expected, FloatFormat, Kind, Norm, Operator, Opset, Tensor, expect, rule,
};
use normative_conformance::{Demands, Observed, Sheet, Verdict, judge};
use proptest::prelude::*;
use rstest::rstest;

/// A float type, with its numbers as f64, and an addition that rounds to it.
#[derive(Clone, Copy, Debug)]
struct Type {
    dtype: Dtype,
    held: fn(f64) -> f64,
    bits: fn(f64) -> u64,
}

const F16: Type = Type {
    dtype: Dtype::F16,
    held: |x| f16::from_f64(x).to_f64(),
    bits: |x| f16::from_f64(x).to_bits().into(),
};
/// The f64 sum of two f32 is rounded again without harm: f64 has more than twice the digits.
const F32: Type =
    Type { dtype: Dtype::F32, held: |x| (x as f32).into(), bits: |x| (x as f32).to_bits().into() };
const F64: Type = Type { dtype: Dtype::F64, held: |x| x, bits: f64::to_bits };

impl Type {
    fn format(self) -> FloatFormat {
        match self.dtype.kind() {
            Kind::Float(format) => format,
            Kind::Integer(_) => unreachable!(),
        }
    }

    fn call(self, rows: &[&[f64]]) -> Call {
        let bits: Vec<u64> = rows.concat().into_iter().map(|x| (self.bits)(x)).collect();
        let data = Tensor::from_bits(self.dtype, &[rows.len(), rows[0].len()], &bits).unwrap();
        let operator = Operator::Onnx {
            norm: Norm::Sum,
            opset: Opset::V13,
            keepdims: Some(0),
            noop_with_empty_axes: None,
        };
        Call::new(operator, data, Axes::list(&[1]))
    }

    fn verdict(self, rows: &[&[f64]], answers: &[f64]) -> Verdict {
        let bits: Vec<u64> = answers.iter().map(|&x| (self.bits)(x)).collect();
        let answer = Tensor::from_bits(self.dtype, &[rows.len()], &bits).unwrap();
        judge(&Sheet::of(&self.call(rows)).unwrap(), &Observed::Tensor(answer), &Demands::default())
    }

    fn accepts(self, elements: &[f64], answer: f64) -> bool {
        matches!(self.verdict(&[elements], &[answer]), Verdict::Conforms { .. })
    }

    fn plus(self, a: f64, b: f64) -> f64 {
        (self.held)(a + b)
    }

    fn number(self, bits: u64) -> f64 {
        to_f64(self.dtype, bits)
    }

    /// Returns the float nearest to the exact sum.
    fn nearest(self, elements: &[f64]) -> f64 {
        let call = self.call(&[elements]);
        let expected = expect(&call, &rule(&call).alternatives[0].outcome).unwrap();
        let Expected::Near(near) = expected else { panic!("{expected:?}") };
        self.number(near.rounded().unwrap().bits()[0])
    }

    fn pairwise(self, x: &[f64]) -> f64 {
        match x {
            [] => 0.0,
            [one] => *one,
            _ => {
                let (left, right) = x.split_at(x.len() / 2);
                self.plus(self.pairwise(left), self.pairwise(right))
            }
        }
    }

    fn in_order(self, x: impl Iterator<Item = f64>) -> f64 {
        x.fold(0.0, |sum, x| self.plus(sum, x))
    }

    fn lanes(self, x: &[f64], count: usize) -> f64 {
        self.in_order((0..count).map(|lane| self.in_order(x.iter().copied().skip(lane).step_by(count))))
    }

    /// Kahan's and Neumaier's methods.
    fn compensated(self, x: &[f64]) -> [f64; 2] {
        let minus = |a: f64, b: f64| (self.held)(a - b);
        let (mut kahan, mut lost) = (0.0, 0.0);
        let (mut sum, mut left) = (0.0_f64, 0.0);
        for &x in x {
            let y = minus(x, lost);
            let next = self.plus(kahan, y);
            lost = minus(minus(next, kahan), y);
            kahan = next;

            let next = self.plus(sum, x);
            let (great, small) = if sum.abs() >= x.abs() { (sum, x) } else { (x, sum) };
            left = self.plus(left, self.plus(minus(great, next), small));
            sum = next;
        }
        [kahan, self.plus(sum, left)]
    }

    /// Returns the sums that honest implementations give.
    fn honest(self, x: &[f64]) -> Vec<(&'static str, f64)> {
        let mut sorted = x.to_vec();
        sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let [kahan, neumaier] = self.compensated(x);
        vec![
            ("sequential", self.in_order(x.iter().copied())),
            ("reversed", self.in_order(x.iter().rev().copied())),
            ("pairwise", self.pairwise(x)),
            ("eight lanes", self.lanes(x, 8)),
            ("three lanes", self.lanes(x, 3)),
            ("smallest first", self.in_order(sorted.iter().copied())),
            ("greatest first", self.in_order(sorted.iter().rev().copied())),
            ("positive first", {
                let of = |negative| x.iter().copied().filter(move |x| x.is_sign_negative() == negative);
                self.in_order(of(false).chain(of(true)))
            }),
            ("fused", x.iter().fold(0.0, |sum: f64, x| (self.held)(x.mul_add(1.0, sum)))),
            ("compensated", kahan),
            ("Neumaier's", neumaier),
            ("exact", self.nearest(x)),
        ]
    }
}

/// Machines that keep subnormal elements, and flush the subnormal result of each operation.
const F16_FLUSHED: Type = Type { held: |x| flushed((F16.held)(x), FloatFormat::F16), ..F16 };
const F32_FLUSHED: Type = Type { held: |x| flushed((F32.held)(x), FloatFormat::F32), ..F32 };

/// Draws `n` elements over a span of exponents, about half of them cancelled by others of nearly the same size.
fn cancelling(of: Type, span: i32) -> impl Strategy<Value = Vec<f64>> {
    let digits = 1_i64 << of.format().precision;
    let element = (-digits + 1..digits, -span..=0)
        .prop_map(move |(m, e)| (of.held)(m as f64 / digits as f64 * f64::from(e).exp2()));
    (prop::collection::vec(element, 1..40), prop::collection::vec((0..40_usize, -1..=1_i64), 0..40)).prop_map(
        move |(mut elements, cancelled)| {
            for (at, moved) in cancelled {
                let x = elements[at % elements.len()];
                let place = (of.bits)(x).wrapping_add_signed(moved);
                // A neighbour of the element, with the other sign.
                let near = if x == 0.0 { x } else { of.number(place) };
                elements.push(-near);
            }
            elements
        },
    )
}

/// Returns every sum that some order of addition gives.
fn of_every_order(of: Type, x: &[f64]) -> Vec<f64> {
    let [first, rest @ ..] = x else { return Vec::new() };
    if rest.is_empty() {
        return vec![*first];
    }
    let mut all = Vec::new();
    // Each way to divide the elements in two, with the first one on the left.
    for mask in 0..(1_u32 << rest.len()) - 1 {
        let side = |left: bool| {
            rest.iter().enumerate().filter(move |(at, _)| (mask >> at & 1 == 1) == left).map(|(_, x)| *x)
        };
        let left: Vec<f64> = std::iter::once(*first).chain(side(true)).collect();
        let right: Vec<f64> = side(false).collect();
        for a in of_every_order(of, &left) {
            all.extend(of_every_order(of, &right).into_iter().map(|b| of.plus(a, b)));
        }
    }
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

fn assert_accepts(of: Type, rows: &[&[f64]], answers: &[f64], what: &str) -> Result<(), TestCaseError> {
    let verdict = of.verdict(rows, answers);
    let conforms = matches!(verdict, Verdict::Conforms { .. });
    prop_assert!(conforms, "{what} of {rows:?}: {answers:?}, {verdict:?}");
    Ok(())
}

fn honest_sums_are_accepted(of: Type, elements: &[f64]) -> Result<(), TestCaseError> {
    let mut honest = of.honest(elements).into_iter();
    honest.try_for_each(|(name, answer)| assert_accepts(of, &[elements], &[answer], name))
}

/// Asks for two rows of small elements: that of one order alone would conform as that of flushed elements.
fn flushed_sums_are_accepted(
    kept: Type,
    of: Type,
    elements: &[f64],
    power: i32,
) -> Result<(), TestCaseError> {
    let small: Vec<f64> = elements.iter().map(|x| (kept.held)(x * f64::from(-power).exp2())).collect();
    let reversed: Vec<f64> = small.iter().rev().copied().collect();
    let rows = [small.as_slice(), &reversed];
    let [one, other] = rows.map(|row| of.honest(row));
    let mut both = one.into_iter().zip(other);
    both.try_for_each(|((name, a), (_, b))| assert_accepts(of, &rows, &[a, b], name))
}

proptest! {
    #[test]
    fn honest_sums_of_f16_are_accepted(elements in cancelling(F16, 12)) {
        honest_sums_are_accepted(F16, &elements)?;
    }

    #[test]
    fn honest_sums_of_f32_are_accepted(elements in cancelling(F32, 60)) {
        honest_sums_are_accepted(F32, &elements)?;
    }

    #[test]
    fn honest_sums_of_f64_are_accepted(elements in cancelling(F64, 120)) {
        honest_sums_are_accepted(F64, &elements)?;
    }

    #[test]
    fn honest_sums_of_f16_that_flush_results_are_accepted(elements in cancelling(F16, 12), small in 0..24_i32) {
        flushed_sums_are_accepted(F16, F16_FLUSHED, &elements, small)?;
    }

    #[test]
    fn honest_sums_of_f32_that_flush_results_are_accepted(elements in cancelling(F32, 60), small in 60..149_i32) {
        flushed_sums_are_accepted(F32, F32_FLUSHED, &elements, small)?;
    }

    #[test]
    fn every_order_of_five_terms_is_accepted(elements in cancelling(F16, 4)) {
        let elements = &elements[..elements.len().min(5)];
        for answer in of_every_order(F16, elements) {
            assert_accepts(F16, &[elements], &[answer], "an order")?;
        }
    }

    /// The greatest element is 2^6 times the smallest, so no order loses half of the smallest.
    #[test]
    fn a_sum_that_loses_half_of_its_smallest_term_fails(
        parts in prop::collection::vec((1_i64 << 18..1 << 24, any::<bool>()), 2..9),
        lost in prop::sample::select(vec![0.5, -0.5, 1.0, 2.0]),
    ) {
        let elements: Vec<f64> =
            parts.iter().map(|&(m, negative)| if negative { -m as f64 } else { m as f64 }).collect();
        let smallest = elements.iter().fold(f64::INFINITY, |least, x| x.abs().min(least));
        let exact: f64 = elements.iter().sum();
        prop_assert!(!F32.accepts(&elements, (F32.held)(exact - lost * smallest)), "{elements:?}");
    }

    #[test]
    fn two_terms_have_no_answer_but_the_nearest_float(
        a in prop::num::f32::NORMAL,
        b in prop::num::f32::NORMAL,
        moved in 1..4_i32,
    ) {
        let elements = [f64::from(a), f64::from(b)];
        let right = a + b;
        // Each operation may lose a subnormal result.
        prop_assume!(right.abs() > 1e-29);
        prop_assert!(F32.accepts(&elements, right.into()));
        let wrong = f32::from_bits(right.to_bits().wrapping_add_signed(moved));
        // A tie may be turned either way.
        let far = |float: f32| (elements[0] + elements[1] - f64::from(float)).abs();
        prop_assume!(far(right) < far(wrong));
        prop_assert!(!F32.accepts(&elements, wrong.into()), "{elements:?} {wrong:e}");
    }
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const MAX: f64 = f32::MAX as f64;
/// The ulp at 1.
const ULP: f64 = f32::EPSILON as f64;
/// Less than half an ulp at 1.
const SMALL: f64 = 1.0 / (1_u64 << 30) as f64;
/// The least normal f32.
const NORMAL: f64 = f32::MIN_POSITIVE as f64;

#[rstest]
#[case::signs_are_kept(&[3.0, -4.0], &[-1.0], &[1.0, 7.0])]
#[case::a_total_cancellation_is_zero_of_either_sign(&[3.0, -3.0], &[0.0, -0.0], &[1e-45, 6.0, NAN])]
#[case::no_term(&[], &[0.0, -0.0], &[1.0])]
#[case::one_term(&[-0.25], &[-0.25], &[0.25, -0.250_000_03])]
#[case::an_infinity_wins(&[INF, -MAX], &[INF], &[-INF, NAN, MAX])]
#[case::a_negative_infinity_stays(&[1.0, -INF], &[-INF], &[INF, NAN])]
#[case::infinities_of_both_signs_give_nan(&[INF, 1.0, -INF], &[NAN], &[0.0, INF, -INF])]
#[case::nan_wins(&[INF, NAN], &[NAN], &[INF])]
#[case::a_partial_sum_may_overflow(&[MAX, MAX, -MAX], &[MAX, INF], &[0.0, -MAX])]
#[case::partial_sums_of_both_signs_may_overflow(&[MAX, MAX, -MAX, -MAX], &[0.0, INF, -INF, NAN], &[MAX])]
#[case::finite_terms_beside_an_infinity_may_overflow(&[INF, -MAX, -MAX], &[INF, NAN], &[-INF])]
#[case::one_finite_term_beside_an_infinity_does_not(&[INF, -MAX], &[INF], &[NAN])]
#[case::a_tie_may_be_turned_either_way(&[1.0, ULP / 2.0], &[1.0, 1.0 + ULP], &[1.0 + 2.0 * ULP, 1.0 - ULP / 2.0])]
#[case::a_sum_beyond_the_type_is_infinite(&[-MAX, -MAX], &[-INF], &[-MAX, INF])]
#[case::a_subnormal_difference_may_be_flushed(&[1.5 * NORMAL, -NORMAL], &[0.5 * NORMAL, 0.0], &[5.0 * NORMAL, -4.0 * NORMAL])]
#[case::a_small_term_may_be_absorbed(&[1.0, SMALL, -1.0], &[SMALL, 0.0], &[1e-6, -1e-6])]
fn special_sums_have_these_answers_and_not_those(
    #[case] elements: &[f64],
    #[case] right: &[f64],
    #[case] wrong: &[f64],
) {
    for answer in right {
        assert!(F32.accepts(elements, *answer), "{answer:e}: {:?}", F32.verdict(&[elements], &[*answer]));
    }
    for answer in wrong {
        assert!(!F32.accepts(elements, *answer), "{answer:e}: {:?}", F32.verdict(&[elements], &[*answer]));
    }
}

#[test]
fn a_loop_that_starts_from_zero_may_flush_its_first_term() {
    let rows: [&[f64]; 2] = [&[0.5 * NORMAL, NORMAL], &[NORMAL, 0.5 * NORMAL]];
    let verdict = F32.verdict(&rows, &[NORMAL, 1.5 * NORMAL]);
    assert!(matches!(verdict, Verdict::Conforms { .. }), "{verdict:?}");
}
