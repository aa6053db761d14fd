//! Judges the errors of a whole tensor together. It finds a bias, or a spread, that the bound of each single
//! element forgives.
//!
//! Applied only if a case asks for it, on data drawn at random. The limits assume independent roundings, and
//! equal or constructed data break that.
//!
//! # The two limits
//!
//! Each rounding to nearest on the way to an element is a random variable of mean zero, given those before it (the
//! model of Higham and Mary, SIAM J. Sci. Comput. 41, 2019, as a martingale). No partial sum exceeds the
//! sum by more than its own error, so in ulp of an output of precision `p`, a rounding in a format of
//! precision `q` moves it by at most `c = 2^(p - q)`. L1 has `n - 1` of them.
//!
//! For L2 the root halves each, to `c / 2`. Squares, and twice the scaling before them, touch only their own shares
//! of the sum. The squares of all shares add up to at most one, so they weigh no more than `1 + 4` roundings of the
//! sum, with the `c` of their own format. The root and scaling back are not halved and weigh 4 each, with the `c` of
//! theirs, and rounding the sum to the root's format weighs 1. Each step of a chain of `hypot` is off by less than an
//! ulp, `2c`, and nothing halves it: unless squares are naive, the proxy is the greater of both.
//!
//! Rounding to a narrower output adds one of half an ulp. So an element's error is sub-Gaussian with
//! variance proxy `σ² = c²·(n - 1) + 1/4` for L1 and, where all steps have one format,
//! `max(c²·(n + 12) / 4, 4c²·(n - 1)) + 1/4` for L2 (Azuma and Hoeffding), and over `N` outputs, with `x = ln(2 / p)`:
//!
//! - the mean error stays within `σ √(2x / N)`, and
//! - the mean square stays within `σ² (1 + 2 √(x / N) + 2x / N)` (Laurent and Massart, Ann. Statist. 28,
//!   2000, Lemma 1, whose tail sub-Gaussian variables share),
//!
//! A result that is cut instead lies up to an ulp below the value it was cut from: the mean may be an ulp
//! lower, and the root of the mean square an ulp higher. Each limit is passed with a probability of at most
//! `p` = 1e-12: one false alarm in 5e11 tensors.

use normative_reference::arithmetic::{Narrowing, Range};
use normative_reference::{Finish, FloatFormat, Near, Term};

use super::RoundingSteps;

/// The probability that an honest implementation passes a limit.
pub const FALSE_ALARM: f64 = 1e-12;

/// The least number of outputs: fewer show too little of a bias. A case that asks for less is refused.
pub const FEWEST_OUTPUTS: usize = 1000;

/// The errors of a tensor's elements, in ulp, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// The number of errors.
    pub count: usize,
    /// The sum of the signed errors: positive above the exact value.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
}

/// A value that passed its limit, and the limit, in ulp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Excess {
    /// The mean error.
    Bias {
        /// The mean error found.
        mean: f64,
        /// The limit in that direction.
        limit: f64,
    },
    /// The root of the mean square error.
    Spread {
        /// The value found.
        root_mean_square: f64,
        /// The limit.
        limit: f64,
    },
}

impl Errors {
    /// Counts one more error.
    pub fn add(&mut self, error: f64) {
        self.count += 1;
        self.sum += error;
        self.squares += error * error;
    }

    /// Adds up the errors of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    /// Returns the limit that these errors pass, if any.
    pub fn excess(&self, near: &Near, output: FloatFormat, steps: &RoundingSteps) -> Option<Excess> {
        let count = self.count as f64;
        let (mean, mean_square) = (self.sum / count, self.squares / count);
        let (variance, x) = (variance(near, output, steps), (2.0 / FALSE_ALARM).ln());
        let limit = (variance * 2.0 * x / count).sqrt();
        let narrows = steps.root.precision > output.precision;
        let cut = if narrows && near.arithmetic.narrowing == Narrowing::TowardZero { 1.0 } else { 0.0 };
        if mean > limit || -mean > limit + cut {
            return Some(Excess::Bias { mean, limit: if mean > 0.0 { limit } else { limit + cut } });
        }
        let limit = (variance * (1.0 + 2.0 * (x / count).sqrt() + 2.0 * x / count)).sqrt() + cut;
        let root_mean_square = mean_square.sqrt();
        (root_mean_square > limit).then_some(Excess::Spread { root_mean_square, limit })
    }
}

/// Returns `σ²`, in square ulp.
fn variance(near: &Near, output: FloatFormat, steps: &RoundingSteps) -> f64 {
    let RoundingSteps { squares, sums, root, additions, casts, .. } = *steps;
    // c² of a rounding in this format.
    let square = |format: FloatFormat| {
        let step = f64::from(output.precision as i32 - format.precision as i32).exp2();
        step * step
    };
    let of_squares = match near.norm.term() {
        Term::Magnitude | Term::Element => 0.0,
        Term::Square => 5.0 * square(squares),
    };
    let sum = square(sums) * additions + of_squares;
    let steps = match near.norm.finish() {
        Finish::Nothing => sum,
        Finish::Root => {
            let cast = if casts { square(root) } else { 0.0 };
            let summed = (sum + 8.0 * square(root) + cast) / 4.0;
            let chains = near.arithmetic.range != Range::Naive;
            if chains { summed.max(4.0 * square(root) * additions) } else { summed }
        }
    };
    let narrowing = if root.precision > output.precision { 0.25 } else { 0.0 };
    steps + narrowing
}
