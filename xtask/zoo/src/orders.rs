//! Honest orders of summation, for any format of intermediate results.

use normative_conformance::reference::FloatFormat;

use normative_rules::floats::{held, sequential};

/// Adds from the last to the first.
pub(crate) fn reversed(terms: &[f64], width: FloatFormat) -> f64 {
    terms.iter().rev().fold(0.0, |sum, x| held(sum + x, width))
}

/// Adds halves of halves, recursively.
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

/// Keeps as many sums as a vector register has lanes, joined at the end.
pub(crate) fn lanes<const N: usize>(terms: &[f64], width: FloatFormat) -> f64 {
    let mut sums = [0.0; N];
    for vector in terms.chunks(N) {
        for (sum, x) in sums.iter_mut().zip(vector) {
            *sum = held(*sum + x, width);
        }
    }
    pairwise(&sums, width)
}

/// Adds blocks of N, each in order; then the blocks.
pub(crate) fn blocks<const N: usize>(terms: &[f64], width: FloatFormat) -> f64 {
    terms.chunks(N).fold(0.0, |sum, block| held(sum + sequential(block, width), width))
}

/// Adds from the greatest to the least.
pub(crate) fn greatest_first(terms: &[f64], width: FloatFormat) -> f64 {
    let mut sorted = terms.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sequential(&sorted, width)
}

/// Adds from the least to the greatest.
pub(crate) fn least_first(terms: &[f64], width: FloatFormat) -> f64 {
    let mut sorted = terms.to_vec();
    sorted.sort_by(f64::total_cmp);
    sequential(&sorted, width)
}

/// Adds by Kahan's method: the rounding error of an addition goes into the next.
pub(crate) fn compensated(terms: &[f64], width: FloatFormat) -> f64 {
    let plain = sequential(terms, width);
    // The compensation of an infinite sum is NaN.
    if !plain.is_finite() {
        return plain;
    }
    let (mut sum, mut lost) = (0.0, 0.0);
    for x in terms {
        let term = held(x - lost, width);
        let next = held(sum + term, width);
        // This sum may overflow where the plain sum stagnates.
        if !next.is_finite() {
            return next;
        }
        lost = held(held(next - sum, width) - term, width);
        sum = next;
    }
    sum
}

/// Adds in a pseudo-random order, the same for the same number of terms.
pub(crate) fn shuffled(terms: &[f64], width: FloatFormat) -> f64 {
    let mut order = terms.to_vec();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for at in (1..order.len()).rev() {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        order.swap(at, (seed >> 33) as usize % (at + 1));
    }
    sequential(&order, width)
}

/// Adds blocks of 64 in the format, and their sums in f64.
pub(crate) fn blocks_joined_in_f64(terms: &[f64], width: FloatFormat) -> f64 {
    terms.chunks(64).map(|block| sequential(block, width)).sum()
}

/// Adds by Neumaier's method: the rounding errors, of the smaller term, are added at the end.
pub(crate) fn neumaier(terms: &[f64], width: FloatFormat) -> f64 {
    let plain = sequential(terms, width);
    if !plain.is_finite() {
        return plain;
    }
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for &x in terms {
        let next = held(sum + x, width);
        let off =
            if sum.abs() >= x.abs() { held(sum - next, width) + x } else { held(x - next, width) + sum };
        lost = held(lost + held(off, width), width);
        sum = next;
    }
    held(sum + lost, width)
}

/// Adds with two f64: the second holds the rounding errors of the first.
pub(crate) fn double_double(terms: &[f64]) -> f64 {
    let plain: f64 = terms.iter().sum();
    if !plain.is_finite() {
        return plain;
    }
    let (mut high, mut low) = (0.0_f64, 0.0);
    for &x in terms {
        let sum = high + x;
        // Knuth's two-sum is exact for any order of magnitude.
        let back = sum - high;
        low += (high - (sum - back)) + (x - back);
        high = sum;
    }
    high + low
}

/// Squares and adds elements with one rounding.
pub(crate) fn fused(elements: &[f64], width: FloatFormat) -> f64 {
    elements.iter().fold(0.0, |sum: f64, &x| {
        if width == FloatFormat::F64 { x.mul_add(x, sum) } else { held(x * x + sum, width) }
    })
}

/// Combines the norm so far and the next element by hypot.
pub(crate) fn hypot_chain(elements: &[f64], width: FloatFormat) -> f64 {
    elements.iter().fold(0.0, |norm, &x| hypot(norm, x, width))
}

/// Combines two halves by hypot, recursively.
pub(crate) fn hypot_tree(elements: &[f64], width: FloatFormat) -> f64 {
    match elements {
        [] => 0.0,
        [x] => x.abs(),
        _ => {
            let (front, back) = elements.split_at(elements.len() / 2);
            hypot(hypot_tree(front, width), hypot_tree(back, width), width)
        }
    }
}

/// Returns hypot, rounded once; NaN if either is NaN.
fn hypot(a: f64, b: f64, width: FloatFormat) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { held(a.hypot(b), width) }
}

#[cfg(test)]
mod tests;
