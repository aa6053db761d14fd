//! Tests of the arithmetics that explain wrong values.

use normative_reference::{Axes, AxesTensor, Operator, Opset, Tensor};
use rstest::rstest;

use super::*;
use crate::judge::verdict::{Demands, Sheet, judge};
use crate::observed::Observed;

fn call(norm: Norm, data: Tensor) -> Call {
    let operator = Operator::Onnx { norm, opset: Opset::V13, keepdims: Some(0), noop_with_empty_axes: None };
    Call::new(operator, data, Axes::Absent)
}

/// Returns the arithmetics that explain an answer to two calls of these bits, if any.
fn told(norm: Norm, dtype: Dtype, bits: &[u64], got: u64) -> Vec<&'static str> {
    let call = call(norm, Tensor::from_bits(dtype, &[bits.len()], bits).unwrap());
    let answer = Observed::Tensor(Tensor::from_bits(dtype, &[], &[got]).unwrap());
    let verdict = judge(&Sheet::of(&call).unwrap(), &answer, &Demands::default());
    assert!(verdict.is_failure(), "{verdict:?}");
    let told = likenesses(&[(&call, Some(&verdict)), (&call, Some(&verdict))]);
    told.into_iter().map(|like| like.sentence).collect()
}

const F64: &str = "The result is computed in f64.";
const F32: &str = "The result is computed in f32.";
const CUT: &str = "Elements are converted to i32, and summed in f32.";
const I32: &str = "The result is computed in i32.";
const INFINITE: u64 = 0x7ff0_0000_0000_0000;
const GREATEST_F32: u64 = 0x47ef_ffff_e000_0000;

#[rstest]
#[case::i64_past_53_bits(Norm::L1, Dtype::I64, &[1 << 62 | 1], 1 << 62, &[F64, F32, "The result is computed in bf16."])]
#[case::i64_past_24_bits(Norm::L1, Dtype::I64, &[(1 << 24) + 1], 1 << 24, &[F32, "The result is computed in bf16."])]
#[case::i32_that_becomes_the_least_integer(Norm::L1, Dtype::I64, &[1 << 31], (-1_i64 << 31) as u64, &[I32, CUT, F64, F32, "The result is computed in f16.", "The result is computed in bf16."])]
#[case::i64_cut_to_32_bits(Norm::L1, Dtype::I64, &[(1 << 32) | 5], 5, &[I32, CUT, F64])]
#[case::a_magnitude_cut_to_32_bits(Norm::L1, Dtype::I64, &[-0xffff_ffff_i64 as u64], u64::MAX, &[I32, F64])]
#[case::i64_stopped_at_i32(Norm::L1, Dtype::I64, &[1 << 32, 1 << 32, 1 << 32], 0x7fff_fffd, &[I32])]
#[case::f64_cut_to_f32(Norm::L1, Dtype::F64, &[0.1_f64.to_bits()], f64::from(0.1_f32).to_bits(), &[F32])]
#[case::a_root_in_f32(Norm::L2, Dtype::F64, &[1_f64.to_bits(); 2], f64::from(2_f32.sqrt()).to_bits(), &[F32])]
#[case::squares_held_in_f16(Norm::L2, Dtype::F32, &[30_f32.to_bits().into(), 41_f32.to_bits().into()], 2580_f32.sqrt().to_bits().into(), &["The result is computed in f16."])]
#[case::squares_that_vanish_in_f16(Norm::L2, Dtype::F32, &[(1.0 / 65_536_f32).to_bits().into()], 0, &["The result is computed in f16."])]
#[case::a_long_sum_in_16_bits(Norm::L1, Dtype::F32, &[1.01_f32.to_bits().into(); 100], 101.5_f32.to_bits().into(), &["The result is computed in f16.", "The result is computed in bf16."])]
#[case::a_long_sum_in_more_bits(Norm::L1, Dtype::F32, &[1.01_f32.to_bits().into(); 100], 101.001_f32.to_bits().into(), &[])]
#[case::an_infinity_that_stops(Norm::L1, Dtype::F64, &[INFINITE], GREATEST_F32, &[F32])]
#[case::a_negative_infinity_that_stops(Norm::Sum, Dtype::F64, &[INFINITE | 1 << 63], GREATEST_F32 | 1 << 63, &[F32])]
#[case::opposite_infinities_that_stop(Norm::Sum, Dtype::F64, &[INFINITE, INFINITE | 1 << 63], 0, &[F32, "The result is computed in f16.", "The result is computed in bf16."])]
#[case::a_negative_sum_that_stops(Norm::Sum, Dtype::F64, &[(-3e38_f64).to_bits(); 2], GREATEST_F32 | 1 << 63, &[F32])]
#[case::a_sum_below_i32(Norm::Sum, Dtype::I64, &[-(1_i64 << 62) as u64, -(1_i64 << 61) as u64], (-1_i64 << 31) as u64, &[CUT, F64, F32, "The result is computed in f16.", "The result is computed in bf16."])]
#[case::u32_stopped_below_i32(Norm::L1, Dtype::U32, &[2_630_634_970], 2_147_483_520, &[CUT, F32])]
#[case::squares_of_i32_summed_in_f32(Norm::SumSquare, Dtype::I64, &[94_906_267, 0], 261_134_304, &[CUT])]
#[case::a_root_that_any_mistake_beyond_i32_gives(Norm::L2, Dtype::I32, &[1, 1 << 16], 0, &[])]
#[case::a_sum_that_any_mistake_beyond_u64_gives(Norm::L1, Dtype::U64, &[u64::MAX, u64::MAX], 0, &[])]
#[case::a_plain_mistake(Norm::L1, Dtype::F64, &[3_f64.to_bits()], 4_f64.to_bits(), &[])]
#[case::u64_read_as_i64(Norm::L1, Dtype::U64, &[3 << 62], 1 << 62, &["Unsigned elements are read as signed ones."])]
#[case::nan_of_infinities(Norm::L2, Dtype::Bf16, &[0x7f80, 0], 0x7fc0, &[])]
#[case::a_lost_sign(Norm::L1, Dtype::I64, &[-3_i64 as u64], -3_i64 as u64, &[])]
fn the_arithmetic_that_gives_wrong_answers_is_told(
    #[case] norm: Norm,
    #[case] dtype: Dtype,
    #[case] bits: &[u64],
    #[case] got: u64,
    #[case] expected: &[&str],
) {
    assert_eq!(told(norm, dtype, bits, got), expected);
}

#[test]
fn data_that_are_returned_through_the_arithmetic_are_of_it_and_a_plain_copy_is_not_against_it() {
    let operator = Operator::OpenVino { norm: Norm::Sum, keep_dims: None };
    let call = |number: f64| {
        let data = Tensor::from_bits(Dtype::F64, &[1], &[number.to_bits()]).unwrap();
        Call::new(
            operator.clone(),
            data,
            Axes::Given(AxesTensor { dtype: Dtype::I64, shape: vec![0], values: vec![] }),
        )
    };
    let (wrong, right) = (call(f64::NEG_INFINITY), call(0.1));
    let answer = Tensor::from_bits(Dtype::F64, &[1], &[GREATEST_F32 | 1 << 63]).unwrap();
    let verdict = judge(&Sheet::of(&wrong).unwrap(), &Observed::Tensor(answer), &Demands::default());
    let told = likenesses(&[(&wrong, Some(&verdict)), (&wrong, Some(&verdict)), (&right, None)]);
    assert!(told.iter().any(|like| like.sentence == F32 && like.against == 0), "{told:?}");
}

#[test]
fn bytes_tell_no_arithmetic_that_holds_each_of_them() {
    let operator = Operator::OpenVino { norm: Norm::L2, keep_dims: None };
    let call =
        Call::new(operator, Tensor::from_bits(Dtype::U8, &[1, 2], &[182, 16]).unwrap(), Axes::list(&[0]));
    let answer = Observed::Tensor(Tensor::from_bits(Dtype::U8, &[2], &[0, 15]).unwrap());
    let verdict = judge(&Sheet::of(&call).unwrap(), &answer, &Demands::default());
    assert!(verdict.is_failure());
    assert!(likenesses(&[(&call, Some(&verdict)), (&call, Some(&verdict))]).is_empty());
}

#[rstest]
#[case::beside_many(SURE, true)]
#[case::beside_few(SURE - 1, false)]
fn a_single_wrong_answer_of_a_type_is_of_an_arithmetic_that_explains_many(
    #[case] of: usize,
    #[case] is_of: bool,
) {
    let failure = |dtype, bits: u64, got: u64| {
        let call = call(Norm::L1, Tensor::from_bits(dtype, &[1], &[bits]).unwrap());
        let answer = Observed::Tensor(Tensor::from_bits(dtype, &[], &[got]).unwrap());
        let verdict = judge(&Sheet::of(&call).unwrap(), &answer, &Demands::default());
        (call, verdict)
    };
    let (many, single) =
        (failure(Dtype::I64, (1 << 24) + 1, 1 << 24), failure(Dtype::U64, (1 << 26) + 1, 1 << 26));
    let mut all = vec![(&many.0, Some(&many.1)); of];
    all.push((&single.0, Some(&single.1)));
    let told = likenesses(&all);
    let told = told.iter().find(|like| like.sentence == F32).unwrap();
    assert_eq!(told.same.contains(&of), is_of);
}

#[test]
fn right_answers_that_the_arithmetic_cannot_give_speak_against_it() {
    let wrong = call(Norm::L1, Tensor::from_bits(Dtype::I64, &[1], &[(1 << 24) + 1]).unwrap());
    let answer = Observed::Tensor(Tensor::from_bits(Dtype::I64, &[], &[1 << 24]).unwrap());
    let verdict = judge(&Sheet::of(&wrong).unwrap(), &answer, &Demands::default());
    let right = call(Norm::L1, Tensor::from_bits(Dtype::I64, &[1], &[(1 << 24) + 3]).unwrap());
    let mut told = vec![(&wrong, Some(&verdict)); 4];
    assert!(likenesses(&told).iter().any(|like| like.sentence == F32));
    let other = call(Norm::L2, Tensor::from_bits(Dtype::I64, &[1], &[(1 << 24) + 3]).unwrap());
    told.extend([(&other, None); 4]);
    assert!(likenesses(&told).iter().any(|like| like.sentence == F32), "another kernel");
    told.extend([(&right, None); 2]);
    assert!(likenesses(&told).iter().all(|like| like.sentence != F32));
}

#[rstest]
#[case::zero_is_accepted(&[1])]
#[case::an_infinity_is_accepted(&[f64::MAX.to_bits(), 1_f64.to_bits()])]
fn right_answers_do_not_speak_against_an_arithmetic_whose_own_is(#[case] bits: &[u64]) {
    let wrong = call(Norm::L1, Tensor::from_bits(Dtype::F64, &[1], &[0.1_f64.to_bits()]).unwrap());
    let rounded = Tensor::from_bits(Dtype::F64, &[], &[f64::from(0.1_f32).to_bits()]).unwrap();
    let verdict = judge(&Sheet::of(&wrong).unwrap(), &Observed::Tensor(rounded), &Demands::default());
    let right = call(Norm::L1, Tensor::from_bits(Dtype::F64, &[bits.len()], bits).unwrap());
    let told = [vec![(&wrong, Some(&verdict)); 4], vec![(&right, None); 4]].concat();
    assert!(likenesses(&told).iter().any(|like| like.sentence == F32));
}

#[test]
fn right_answers_along_the_last_axis_do_not_speak_against_other_axes() {
    let of = |axis: i64, bits: u64| {
        let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
        Call::new(operator, Tensor::from_bits(Dtype::I64, &[1, 1], &[bits]).unwrap(), Axes::list(&[axis]))
    };
    let (wrong, right) = (of(0, (1 << 24) + 1), of(1, (1 << 24) + 1));
    let answer = Observed::Tensor(Tensor::from_bits(Dtype::I64, &[1], &[1 << 24]).unwrap());
    let verdict = judge(&Sheet::of(&wrong).unwrap(), &answer, &Demands::default());
    let mut told = vec![(&wrong, Some(&verdict)); 4];
    told.extend([(&right, None); 4]);
    assert!(likenesses(&told).iter().any(|like| like.sentence == F32 && like.same == [0, 1, 2, 3]));
}
