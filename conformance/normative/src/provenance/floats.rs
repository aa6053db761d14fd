//! The float environment of this process, found by computing: its rounding direction, and its treatment of subnormal
//! numbers.
//!
//! It does not describe a backend, which runs in another process. The backend's own answers show its treatment of
//! subnormal numbers.

use std::hint::black_box;

/// Returns the rounding direction of f64 sums.
pub(super) fn rounding() -> &'static str {
    // An eighth of an ulp beyond ±1, and ties whose lower float has an even and an odd significand.
    let ulp = f64::EPSILON;
    let sum = |a: f64, b: f64| black_box(black_box(a) + black_box(b));
    let is = |sum: f64, due: f64| sum.to_bits() == due.to_bits();
    let (above, below) = (sum(1.0, ulp / 8.0) > 1.0, sum(-1.0, -ulp / 8.0) < -1.0);
    let ties_to_even = is(sum(1.0, ulp / 2.0), 1.0) && is(sum(1.0 + ulp, ulp / 2.0), 1.0 + 2.0 * ulp);
    match (above, below) {
        (false, false) if ties_to_even => "to nearest, ties to even",
        (false, false) => "toward zero",
        (true, false) => "upward",
        (false, true) => "downward",
        (true, true) => "away from zero",
    }
}

/// Returns the treatment of subnormal numbers, for f32 and f64.
pub(super) fn subnormals() -> String {
    let single = {
        let half = black_box(black_box(f32::MIN_POSITIVE) * black_box(0.5));
        let read = black_box(black_box(f32::from_bits(1)) * black_box(2.0_f32.powi(100)));
        mode(read.to_bits() != 0, half.to_bits() != 0)
    };
    let double = {
        let half = black_box(black_box(f64::MIN_POSITIVE) * black_box(0.5));
        let read = black_box(black_box(f64::from_bits(1)) * black_box(2.0_f64.powi(600)));
        mode(read.to_bits() != 0, half.to_bits() != 0)
    };
    if single == double { single.to_owned() } else { format!("f32: {single}; f64: {double}") }
}

const fn mode(are_read: bool, are_made: bool) -> &'static str {
    match (are_read, are_made) {
        (true, true) => "count",
        (true, false) => "results flushed to zero",
        (false, true) => "operands taken as zero",
        (false, false) => "operands taken as zero, results flushed to zero",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_of_rust_rounds_to_nearest_and_keeps_subnormals() {
        // Rust code is compiled for these defaults only.
        assert_eq!(rounding(), "to nearest, ties to even");
        assert_eq!(subnormals(), "count");
    }
}
