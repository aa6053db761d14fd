//! Tests f64 under the function body of ONNX ReduceL2-18, which squares and adds in f64, and casts only the
//! sum to f32. A plain implementation of that conforms; one in f32 throughout does not.

use ndarray::{ArrayD, IxDyn};
use normative_conformance::random::splitmix64;
use normative_conformance::reference::{Axes, Call, Norm, Operator, Opset};
use normative_conformance::{Demands, Observed, Sheet, Verdict, judge};
use rstest::rstest;

use crate::any_order::pairwise;

/// Returns rows of numbers between -1 and 1.
fn rows(rows: usize, n: usize) -> Vec<f64> {
    (0..rows * n).map(|i| (splitmix64(n as u64, i as u64) >> 11) as f64 / 2_f64.powi(52) - 1.0).collect()
}

fn verdict(norm: Norm, n: usize, data: &[f64], of: impl Fn(&[f64]) -> f64) -> Verdict {
    let results: Vec<f64> = data.chunks(n).map(of).collect();
    let outputs = results.len();
    let operator = Operator::Onnx { norm, opset: Opset::V18, keepdims: Some(0), noop_with_empty_axes: None };
    let data = ArrayD::from_shape_vec(IxDyn(&[outputs, n]), data.to_vec()).unwrap().into();
    let call = Call::new(operator, data, Axes::list(&[1]));
    let answer = Observed::Tensor(ArrayD::from_shape_vec(IxDyn(&[outputs]), results).unwrap().into());
    judge(&Sheet::of(&call).unwrap(), &answer, &Demands::default())
}

#[rstest]
fn a_body_that_casts_only_the_sum_conforms(#[values(1, 2, 3, 5, 10, 100, 1000, 10_000, 100_000)] n: usize) {
    let data = rows(1 + 20_000 / n, n);
    let squares = |row: &[f64]| row.iter().map(|x| x * x).collect::<Vec<f64>>();
    let body = |sum: f64| f64::from((sum as f32).sqrt());
    for conforms in [
        verdict(Norm::L2, n, &data, |row| body(squares(row).iter().sum())),
        verdict(Norm::L2, n, &data, |row| body(squares(row).iter().rev().sum())),
        verdict(Norm::L2, n, &data, |row| body(pairwise(&squares(row)))),
    ] {
        assert!(matches!(conforms, Verdict::Conforms { .. }), "{conforms:?}");
    }
}

#[rstest]
fn a_body_in_f32_throughout_fails(#[values(2, 3, 5, 10, 100, 1000, 10_000, 100_000)] n: usize) {
    let data = rows(1 + 20_000 / n, n);
    let sum = |row: &[f64]| row.iter().map(|&x| (x as f32) * (x as f32)).sum::<f32>();
    let fails = verdict(Norm::L2, n, &data, |row| f64::from(sum(row).sqrt()));
    assert!(matches!(fails, Verdict::Fails(_)), "{fails:?}");
}

#[rstest]
#[case::squares_in_f32(|row: &[f64]| row.iter().map(|&x| f64::from(x as f32 * x as f32)).sum::<f64>().sqrt())]
#[case::elements_in_f32(|row: &[f64]| row.iter().map(|&x| f64::from(x as f32).powi(2)).sum::<f64>().sqrt())]
fn what_is_no_number_of_f32_is_held_to_f64(#[case] of: fn(&[f64]) -> f64, #[values(2, 10, 100)] n: usize) {
    let fails = verdict(Norm::L2, n, &rows(100, n), of);
    assert!(matches!(fails, Verdict::Fails(_)), "{fails:?}");
}

/// The body of ReduceL1 has no cast.
#[test]
fn l1_in_f32_fails() {
    let sum = |row: &[f64]| f64::from(row.iter().map(|&x| x.abs() as f32).sum::<f32>());
    assert!(matches!(verdict(Norm::L1, 10, &rows(10, 10), sum), Verdict::Fails(_)));
}
