//! Tests the guesses of `σ`. Only speed depends on them, because `settle` does not trust them, so results
//! cannot show them.

use normative_reference::exact::Variant;
use normative_reference::{Norm, Value};
use rstest::rstest;

use super::*;

type Sums<F> = <F as Term>::Plain;
type SquareSums<F> = <F as Term>::Squared;

fn rows<F: Float>(elements: &[F]) -> Vec<Lanes<F>> {
    elements.as_chunks().0.to_vec()
}

/// Converts floats to bits for comparison.
fn bits(start: Lanes<f64>) -> Lanes<u64> {
    start.map(f64::to_bits)
}

/// Returns the strip after these rows, the answer of `begin`, and the norm of the rows.
fn settled<F: Float, S: Strip<F>>(mut strip: S, rows: &[Lanes<F>], norm: Norm) -> (S, bool, Value) {
    let worth = strip.begin(rows[0]);
    add_up(rows.as_flattened(), |x| x, from_mut(&mut strip));
    let mut sum = Sum::default();
    strip.settle(from_mut(&mut sum), rows.iter().copied());
    (strip, worth, sum.take(norm, Variant::default()))
}

#[test]
fn zero_comes_last_in_the_order_of_magnitudes() {
    let floats = [f32::from_bits(1), f32::MIN_POSITIVE, 1.0, f32::MAX, f32::INFINITY, 0.0];
    assert!(floats.is_sorted_by_key(|x| x.order()));
    assert_eq!((floats[0].order(), 0_f32.order()), (0, f32::LAST));
    let floats = [f64::from_bits(1), f64::MIN_POSITIVE, 1.0, f64::MAX, f64::INFINITY, 0.0];
    assert!(floats.is_sorted_by_key(|x| x.order()));
    assert_eq!((floats[0].order(), 0_f64.order()), (0, f64::LAST));
}

/// Terms below 2^top, multiples of 2^bottom: the start lies a sixteenth of the way from the need of 256 terms
/// to the allowed spread.
#[test]
fn a_start_is_a_little_more_than_terms_need() {
    let log2 = |sigma: f64| sigma.is_finite().then(|| sigma.log2());
    // The number 1 is below 2^1 and a multiple of 2^-23 here: the range is 9 to 72.
    assert_eq!(log2(Sums::<f32>::sigma([1.0].into_iter())), Some(12.0));
    assert_eq!(log2(Sums::<f32>::sigma([0.0, 1.0, 0.0].into_iter())), Some(12.0));
    // The range is 10 to 49.
    assert_eq!(log2(SquareSums::<f32>::sigma([1.0].into_iter())), Some(12.0));
    // The range is 9 to 43, then 9 to 23, because 2^-20 is a multiple of 2^-72.
    assert_eq!(log2(Sums::<f64>::sigma([1.0].into_iter())), Some(11.0));
    assert_eq!(log2(Sums::<f64>::sigma([1.0, 2_f64.powi(-20)].into_iter())), Some(9.0));
    // The range is 10 to 42.
    let squares = fuses().then_some(12.0);
    assert_eq!(log2(SquareSums::<f64>::sigma([1.0].into_iter())), squares);
}

#[rstest]
#[case::as_far_apart_as_may_be(&[1.0, 2_f64.powi(-34)], true)]
#[case::further(&[1.0, 2_f64.powi(-35)], false)]
#[case::greatest_sum(&[2_f64.powi(1013)], true)]
#[case::greater(&[2_f64.powi(1014)], false)]
#[case::least(&[f64::from_bits(1)], true)]
#[case::zeros(&[0.0], true)]
#[case::infinity(&[1.0, f64::INFINITY], false)]
fn there_is_a_start_where_sums_of_such_magnitudes_can_be_exact(#[case] magnitudes: &[f64], #[case] is: bool) {
    assert_eq!(Sums::<f64>::sigma(magnitudes.iter().copied()).is_normal(), is);
}

#[rstest]
#[case::as_far_apart_as_may_be(&[1.0, 2_f64.powi(-16)], true)]
#[case::further(&[1.0, 2_f64.powi(-17)], false)]
#[case::greatest_sum(&[2_f64.powi(506)], true)]
#[case::greater(&[2_f64.powi(507)], false)]
#[case::least(&[2_f64.powi(-485)], true)]
#[case::lesser(&[2_f64.powi(-486)], false)]
fn there_is_a_start_where_sums_of_squares_can_be_exact(#[case] magnitudes: &[f64], #[case] is: bool) {
    assert_eq!(SquareSums::<f64>::sigma(magnitudes.iter().copied()).is_normal(), is && fuses());
}

/// Repeats 1, 1/2, … 1/8, so that all rows are like the first.
#[test]
fn rows_like_the_first_are_added_once() {
    let elements: Vec<f32> = (0..2048).map(|at| 1.0 / (1 + at % 8) as f32).collect();
    let (strip, worth, _) = settled(Sums::<f32>::default(), &rows(&elements), Norm::L1);
    assert!(worth && strip.exact());
    assert_eq!(bits(strip.start), bits([Sums::<f32>::sigma(elements[..8].iter().copied()); LANES]));
}

/// 1.5 and 6e18 are 63 bits apart, the greatest spread of f32 sums: 87 - 24.
#[rstest]
#[case::first_row_too_small(1e-15)]
#[case::first_row_too_large(6e18)]
fn a_start_that_was_wrong_is_mended_and_kept(#[case] misleading: f32) {
    let elements: Vec<f32> = (0..2048).map(|at| if at < 8 { misleading } else { 1.5 }).collect();
    let (strip, worth, _) = settled(Sums::<f32>::default(), &rows(&elements), Norm::L1);
    let all = Sums::<f32>::sigma(elements.iter().copied());
    assert_ne!(all.to_bits(), Sums::<f32>::sigma(elements[..8].iter().copied()).to_bits());
    assert!(worth && strip.exact());
    assert_eq!(bits(strip.start), bits([all; LANES]));
    let (again, worth, _) = settled(strip, &rows(&[1.5; 2048]), Norm::L1);
    assert_eq!((bits(again.start), worth, again.exact()), (bits([all; LANES]), true, true));
}

#[test]
fn a_row_without_a_start_is_not_worth_adding_and_the_next_is_asked_again() {
    let hopeless = rows(&[1.0, 1e30, 1e-30, f32::NAN, 1.0, 1.0, 1.0, 1.0]);
    let (strip, worth, value) = settled(Sums::<f32>::default(), &hopeless, Norm::L1);
    assert_eq!((worth, strip.exact(), value), (false, false, Value::Nan));
    let (strip, worth, _) = settled(strip, &rows(&[1.5; 2048]), Norm::L1);
    assert!(worth && strip.exact());
}

/// With several outputs, each lane gets the start that its own terms need; correct ones stay.
#[test]
fn a_lane_of_another_size_gets_a_start_of_its_own() {
    let element = |at: usize| if at >= 8 && at % 8 == 3 { 1e9_f64 } else { 1.5 };
    let rows = rows(&(0..2048).map(element).collect::<Vec<_>>());
    let mut strip = Sums::<f64>::default();
    strip.begin(rows[0]);
    let first = strip.start[0];
    add_up(rows.as_flattened(), |x| x, from_mut(&mut strip));
    let mut sums: Vec<Sum> = (0..LANES).map(|_| Sum::default()).collect();
    strip.settle(&mut sums, rows.iter().copied());
    let own = strip.start.map(|start| start.to_bits() != first.to_bits());
    assert_eq!(own, from_fn(|lane| lane == 3));
    // 256 terms below 2^30.
    assert_eq!(strip.start[3].to_bits(), 2_f64.powi(38).to_bits());
    assert!(strip.exact());
}
