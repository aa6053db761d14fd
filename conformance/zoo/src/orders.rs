//! Orders of summation, each an honest one, for any format that intermediate results are held in.

use normative_conformance::reference::FloatFormat;

use crate::floats::{held, sequential};

/// From the last to the first.
pub(crate) fn reversed(terms: &[f64], width: FloatFormat) -> f64 {
    terms.iter().rev().fold(0.0, |sum, x| held(sum + x, width))
}

/// Halves, their halves, and so on.
pub(crate) fn pairwise(terms: &[f64], width: FloatFormat) -> f64 {
    match terms {
        [] => 0.0,
        [x] => *x,
        _ => {
            let (front, back) = terms.split_at(terms.len() / 2);
            held(pairwise(front, width) + pairwise(back, width), width)
        }
    }
}

/// As many sums side by side as a vector register has lanes, joined at the end.
pub(crate) fn lanes<const N: usize>(terms: &[f64], width: FloatFormat) -> f64 {
    let mut sums = [0.0; N];
    for vector in terms.chunks(N) {
        for (sum, x) in sums.iter_mut().zip(vector) {
            *sum = held(*sum + x, width);
        }
    }
    pairwise(&sums, width)
}

/// Blocks of N, summed one after the other; then the blocks.
pub(crate) fn blocks<const N: usize>(terms: &[f64], width: FloatFormat) -> f64 {
    terms.chunks(N).fold(0.0, |sum, block| held(sum + sequential(block, width), width))
}

/// From the greatest to the least.
pub(crate) fn greatest_first(terms: &[f64], width: FloatFormat) -> f64 {
    let mut sorted = terms.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sequential(&sorted, width)
}

/// From the least to the greatest.
pub(crate) fn least_first(terms: &[f64], width: FloatFormat) -> f64 {
    let mut sorted = terms.to_vec();
    sorted.sort_by(f64::total_cmp);
    sequential(&sorted, width)
}

/// Kahan's: what an addition rounded off is taken along to the next.
pub(crate) fn compensated(terms: &[f64], width: FloatFormat) -> f64 {
    let plain = sequential(terms, width);
    // The compensation of an infinite sum is no number.
    if !plain.is_finite() {
        return plain;
    }
    let (mut sum, mut lost) = (0.0, 0.0);
    for x in terms {
        let term = held(x - lost, width);
        let next = held(sum + term, width);
        lost = held(held(next - sum, width) - term, width);
        sum = next;
    }
    sum
}
