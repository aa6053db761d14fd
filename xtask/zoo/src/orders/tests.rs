//! Tests the honest orders: each takes every term exactly once.

#![allow(clippy::float_cmp, reason = "there is one right result")]

use rstest::rstest;

use super::*;

#[rstest]
#[case::reversed(reversed)]
#[case::pairwise(pairwise)]
#[case::lanes(lanes::<8>)]
#[case::blocks(blocks::<8>)]
#[case::blocks_joined_in_f64(blocks_joined_in_f64)]
#[case::greatest_first(greatest_first)]
#[case::least_first(least_first)]
#[case::compensated(compensated)]
#[case::neumaier(neumaier)]
#[case::shuffled(shuffled)]
#[case::double_double(|terms: &[f64], _: FloatFormat| double_double(terms))]
fn each_order_adds_each_term_once(#[case] sum: fn(&[f64], FloatFormat) -> f64) {
    for length in 0..300 {
        // Powers of four would exceed the format; squares tell most pairs of terms apart.
        let terms: Vec<f64> = (0..length).map(|at| f64::from(at * at % 97)).collect();
        for width in [FloatFormat::F32, FloatFormat::F64] {
            assert_eq!(sum(&terms, width), terms.iter().sum::<f64>(), "{length} terms");
        }
    }
}

#[test]
fn double_double_keeps_what_f64_rounds_off() {
    assert_eq!(double_double(&[1e16, 1.0, 1.0, -1e16]), 2.0);
    assert_eq!(neumaier(&[1.0, 1e100, 1.0, -1e100], FloatFormat::F64), 2.0);
}

#[test]
fn hypot_of_a_quadruple_is_whole_in_any_order() {
    for elements in [[2.0, -3.0, 6.0], [6.0, 2.0, -3.0], [-3.0, 6.0, 2.0]] {
        for norm in [hypot_chain, hypot_tree] {
            let off = norm(&elements, FloatFormat::F64) - 7.0;
            assert!(off.abs() <= 2.0 * f64::EPSILON * 7.0, "{off:e}");
        }
        assert_eq!(fused(&elements, FloatFormat::F64), 49.0);
    }
    assert!(hypot_chain(&[f64::INFINITY, f64::NAN], FloatFormat::F64).is_nan());
}
