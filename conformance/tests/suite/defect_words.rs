//! Tests the words of defects: traits of calls, and the names that they make.

use std::collections::BTreeSet;

use normative_conformance::defect::traits::Trait;
use normative_conformance::defect::{Example, groups, traits};
use normative_conformance::judge::fault::Fault;
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Opset, Tensor};
use normative_conformance::report::defect::Defect;
use normative_conformance::shrink::{ClassDetail, FailureClass};
use normative_present::terminal::Detail;
use rstest::rstest;

use crate::defects::{column, report, written};

const ONE: u64 = 0x3f80_0000;
const NAN: u64 = 0x7fc0_0000;
const INFINITE: u64 = 0x7f80_0000;

/// The words of a kernel's author are about a sum, not about all data.
#[rstest]
#[case::zeros_and_a_nan(Dtype::F32, &[ONE, ONE, 0, NAN], &[1], "a NaN after zeros", true)]
#[case::a_nan_of_another_sum(Dtype::F32, &[0, 0, ONE, NAN], &[1], "a NaN after zeros", false)]
#[case::a_zero_first(Dtype::F32, &[ONE, ONE, 0, NAN], &[1], "a sum that begins with 0 and has a NaN", true)]
#[case::infinities_of_one_sum(Dtype::F32, &[INFINITE, INFINITE, 0, 0], &[1], "two infinities in a sum", true)]
#[case::infinities_of_two_sums(Dtype::F32, &[INFINITE, 0, INFINITE, 0], &[1], "two infinities in a sum", false)]
#[case::the_upper_half(Dtype::U32, &[1 << 31, 0, 0, 0], &[1], "a number beyond the signed half of its type", true)]
#[case::the_lower_half(Dtype::U32, &[(1 << 31) - 1, 0, 0, 0], &[1], "a number beyond the signed half of its type", false)]
#[case::two_from_the_end(Dtype::U32, &[0; 4], &[-1, -2], "two negative axes or more", true)]
#[case::out_of_order(Dtype::U32, &[0; 4], &[-1, 0], "axes out of order, counted from the start", true)]
#[case::in_order(Dtype::U32, &[0; 4], &[0, -1], "axes out of order, counted from the start", false)]
#[case::a_row_of_zeros(Dtype::U32, &[1, 1, 0, 0], &[1], "a norm of 0", true)]
#[case::zeros_of_two_rows(Dtype::U32, &[1, 0, 0, 1], &[1], "a norm of 0", false)]
#[case::zero_first(Dtype::F32, &[ONE, ONE, 0, ONE], &[1], "a sum that begins with 0", true)]
#[case::zero_last(Dtype::F32, &[ONE, ONE, ONE, 0], &[1], "a sum that begins with 0", false)]
#[case::minus_zero(Dtype::F32, &[ONE, ONE, 1 << 31, ONE], &[1], "a negative number or -0", true)]
#[case::sign_of_a_nan(Dtype::F32, &[ONE, ONE, NAN | 1 << 31, ONE], &[1], "a sign bit set", true)]
#[case::nan_without_sign(Dtype::F32, &[ONE, ONE, NAN, ONE], &[1], "a sign bit set", false)]
#[case::subnormals(Dtype::F32, &[1, 0, ONE, 0], &[1], "a sum whose greatest number is subnormal", true)]
#[case::beside_a_normal(Dtype::F32, &[1, 1 << 23, 0, 0], &[1], "a sum whose greatest number is subnormal", false)]
#[case::zeros(Dtype::F32, &[0; 4], &[1], "a sum whose greatest number is subnormal", false)]
#[case::no_sign(Dtype::F32, &[ONE, ONE, 0, ONE], &[1], "a negative number or -0", false)]
#[case::the_last(Dtype::U32, &[0; 4], &[-1], "only the last axes reduced", true)]
#[case::not_the_last(Dtype::U32, &[0; 4], &[0], "only the last axes reduced", false)]
#[case::the_first(Dtype::U32, &[0; 4], &[0], "only the first axes reduced", true)]
#[case::all(Dtype::U32, &[0; 4], &[0, 1], "only the first axes reduced", false)]
fn a_call_has_the_traits_of_its_sums_and_axes(
    #[case] dtype: Dtype,
    #[case] bits: &[u64],
    #[case] axes: &[i64],
    #[case] words: &str,
    #[case] due: bool,
) {
    let data = Tensor::from_bits(dtype, &[2, 2], bits).unwrap();
    let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
    let traits = traits::of(&Call::new(operator, data, Axes::list(axes)));
    assert_eq!(traits.iter().any(|of_call| of_call.to_string() == words), due);
}

#[rstest]
#[case::one_norm(&[1, 0], true)]
#[case::no_norm(&[0, 0], false)]
fn a_norm_over_no_elements_is_a_norm_of_0(#[case] shape: &[usize], #[case] due: bool) {
    let data = Tensor::from_bits(Dtype::F32, shape, &[]).unwrap();
    let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
    let traits = traits::of(&Call::new(operator, data, Axes::list(&[1])));
    assert_eq!(traits.iter().any(|of_call| of_call.to_string() == "a norm of 0"), due);
}

/// All axes are reduced where none is named.
#[rstest]
#[case::absent(&[1, 2], Axes::Absent, "the last axis reduced")]
#[case::null(&[1, 2], Axes::Null, "several axes reduced")]
#[case::empty(&[1, 1], Axes::list(&[]), "only dims of 1 reduced")]
#[case::of_rank_one(&[2], Axes::Absent, "one axis reduced")]
#[case::the_last_of_rank_one(&[2], Axes::Absent, "only the last axis reduced")]
#[case::all(&[1, 2], Axes::Absent, "all axes reduced")]
#[case::last_but_one(&[1, 2], Axes::list(&[0]), "only the last axis but one reduced")]
fn the_places_of_reduced_axes_are_said_where_none_is_named(
    #[case] shape: &[usize],
    #[case] axes: Axes,
    #[case] words: &str,
) {
    let data = Tensor::from_bits(Dtype::F32, shape, &vec![ONE; shape.iter().product()]).unwrap();
    let operator =
        Operator::Onnx { norm: Norm::L1, opset: Opset::V18, keepdims: None, noop_with_empty_axes: None };
    let traits = traits::of(&Call::new(operator, data, axes));
    assert!(traits.iter().any(|of_call| of_call.to_string() == words), "{traits:?}");
}

#[rstest]
#[case::of_rank_zero(Opset::V18, &[], "only axis 0 or -1 of a scalar named", true)]
#[case::of_rank_one(Opset::V18, &[1], "only axis 0 or -1 of a scalar named", false)]
#[case::input(Opset::V18, &[], "axes are an input", true)]
#[case::attribute(Opset::V13, &[], "axes are an input", false)]
fn the_form_of_axes_and_an_axis_of_a_scalar_are_said(
    #[case] opset: Opset,
    #[case] shape: &[usize],
    #[case] words: &str,
    #[case] due: bool,
) {
    let data = Tensor::from_bits(Dtype::F32, shape, &[ONE]).unwrap();
    let operator = Operator::Onnx { norm: Norm::L1, opset, keepdims: None, noop_with_empty_axes: None };
    let traits = traits::of(&Call::new(operator, data, Axes::list(&[-1])));
    assert_eq!(traits.iter().any(|of_call| of_call.to_string() == words), due);
}

#[rstest]
#[case::crashes_alone(&[Fault::Crashed], "crashes for ")]
#[case::also_hangs(&[Fault::Crashed, Fault::TimedOut], "no answer for ")]
fn a_name_says_crashes_where_each_call_ends_so(#[case] faults: &[Fault], #[case] due: &str) {
    let found = report().defects().remove(0);
    let faults = faults.iter().map(|&fault| (fault, 1)).collect();
    let name = Defect { faults, gives: BTreeSet::new(), ..found }.name();
    assert!(name.starts_with(due), "{name}");
}

#[rstest]
#[case::read(2, true)]
#[case::beyond_n(1, false)]
fn only_the_elements_that_a_vector_has_count(#[case] n: i32, #[case] due: bool) {
    let data = Tensor::from_bits(Dtype::F32, &[2], &[ONE, NAN]).unwrap();
    let call = Call::new(Operator::Blas { norm: Norm::L2, n, incx: 1 }, data, Axes::Absent);
    assert_eq!(traits::of(&call).iter().any(|of_call| of_call.to_string() == "a NaN"), due);
}

#[test]
fn a_name_has_the_condition_unless_as_many_calls_conform_and_the_value_that_all_answers_are() {
    let report = report();
    let found = report.defects().into_iter().find(|defect| !defect.condition.is_empty()).unwrap();
    let says = |times: usize, gives: &[Option<&'static str>], words: &str| {
        let gives = gives.iter().copied().collect();
        let conforming = times * found.failures.len();
        Defect { conforming, gives, rule: None, like: None, ..found.clone() }.name().contains(words)
    };
    let condition = format!(": {}", found.condition.last().unwrap());
    let part = condition.trim_start_matches(": ");
    assert!(says(0, &[], part) && !says(1, &[], part));
    assert!(says(0, &[Some("NaN")], " (NaN) for ") && !says(0, &[None, Some("NaN")], "(NaN)"));
    let of_norm = |conforming, rule| {
        let condition = vec![Trait::Is("L2"), Trait::Is("integer data")];
        Defect { conforming, condition, rule, like: None, ..found.clone() }.name()
    };
    assert!(of_norm(0, None).ends_with(": L2, integer data"));
    assert!(of_norm(found.failures.len(), None).ends_with(": L2"), "a norm is said");
    assert!(!of_norm(found.failures.len(), Some("A rule.")).contains("L2"));
    // A rule that conforming calls contradict is true under the condition alone.
    let as_if = |rule, like| {
        let conforming = found.failures.len();
        Defect { conforming, rule, like, ..found.clone() }.name().contains(part)
    };
    assert!(as_if(None, Some("A rule.")) && !as_if(Some("A rule."), None));
}

#[test]
fn a_name_says_type_or_dims_unless_both_are_wrong() {
    let found = report().defects().remove(0);
    let named = |faults: &[Fault]| {
        let faults = faults.iter().map(|&fault| (fault, 2)).collect();
        Defect { faults, gives: [].into(), ..found.clone() }.name()
    };
    assert!(named(&[Fault::OutputType]).starts_with("wrong type of the output for "));
    assert!(named(&[Fault::OutputShape, Fault::WrongValue]).starts_with("wrong dims of the output for "));
    let both = named(&[Fault::OutputShape, Fault::OutputType]);
    assert!(both.starts_with("wrong type or dims of the output for "), "{both}");
}

/// An integer norm that overflows may be refused, so a refusal of it conforms.
#[test]
fn refusals_that_a_reading_allows_say_nothing_of_the_cause_of_others() {
    let refused = Some(FailureClass { fault: Fault::RefusedValid, detail: ClassDetail::Nothing });
    let of = |dtype: Dtype, bits: u64, class| {
        let data = Tensor::from_bits(dtype, &[2], &[bits; 2]).unwrap();
        let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
        let traits = traits::of(&Call::new(operator, data, Axes::list(&[0])));
        Example { traits, class, error: None }
    };
    let calls = |bits| {
        [of(Dtype::I32, bits, refused), of(Dtype::I32, (1 << 30) + bits, None), of(Dtype::F64, bits, None)]
    };
    let found = groups(&(1..=40).flat_map(calls).collect::<Vec<_>>(), &[]).groups();
    let words: Vec<String> = found[0].condition.iter().map(ToString::to_string).collect();
    assert_eq!((found.len(), words), (1, vec!["integer data".to_owned()]));
}

/// Six failures have a condition, which their calls alone do not say.
#[test]
fn few_failures_of_a_large_run_are_shown_as_a_defect() {
    let mut report = report();
    let mut left = 6;
    report.generated = None;
    report.grouped = None;
    report.results.retain(|(_, verdict)| {
        let fails = verdict.fault() == Some(Fault::RefusedValid);
        left -= usize::from(fails && left > 0);
        !verdict.is_failure() || fails && left > 0
    });
    let text = written(&column(report), Detail::Brief("show"));
    assert!(text.starts_with("DEFECT 1 of 1: valid calls refused"), "{}", &text[..400]);
}
