//! Computes the any-order bound on one side of an exact value, before the rounding to the output type.
//!
//! The head of the parent module derives it, term by term.

use normative_reference::arithmetic::{Range, Subnormals};
use normative_reference::{Finish, FloatFormat, Near, Real, Term};

use super::scaled::{Scaled, power, ulp_exponent};
use super::squares::{least_exponent, rescued_from_zero};
use super::steps::{RoundingSteps, unit_roundoff};

/// The most that a result may differ from an exact value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The counted roundings.
    pub steps: RoundingSteps,
    /// `γ(s)`; `None` if `s ≥ 1`, where the crude bound takes its place.
    pub gamma: Option<f64>,
    /// `ρ`: the most that underflowing squares or flushed results may cost, relative to the sum.
    pub rho: f64,
    /// The most that a chain of `hypot` may cost, relative to the value.
    pub hypot: f64,
    /// The bound relative to the value.
    pub relative: f64,
    /// The same if nothing underflows: with `ρ = 0`.
    pub in_range: f64,
    /// The value, in ulp.
    pub size: f64,
    /// The most that steps with a subnormal result may cost, in ulp.
    pub subnormal: f64,
    /// The most that flushed steps may cost besides, in ulp.
    pub flushed: f64,
}

impl Bound {
    /// Returns the bound on one side of `value`, in ulp of `output`.
    pub fn of(
        value: &Real,
        output: FloatFormat,
        near: &Near,
        declared: Option<FloatFormat>,
        above: bool,
    ) -> Self {
        let steps = RoundingSteps::of(near, declared);
        let gamma = steps.gamma();
        let losses = Losses::of(value, near, &steps, above);
        let hypot = hypot(near, &steps, above);
        let in_range = within_range(near, &steps, output, above);
        let ulp = ulp_exponent(value, output);
        Self {
            steps,
            gamma,
            rho: losses.all(near.terms),
            hypot,
            relative: relative(near, &steps, output, losses, above).max(hypot),
            in_range,
            size: Scaled::of(value).times_power(-i64::from(ulp)).to_f64(),
            subnormal: subnormal_steps(value, near, steps.root, ulp),
            flushed: flushed_steps(near, steps.root, ulp, above),
        }
    }

    /// Returns the bound in ulp, before the rounding to the output type.
    pub fn ulps(&self) -> f64 {
        self.relative * self.size + self.subnormal + self.flushed
    }

    /// Returns the same bound if nothing underflows and nothing is flushed.
    pub fn ulps_in_range(&self) -> f64 {
        self.in_range * self.size + self.subnormal
    }
}

/// The most that underflow may cost, relative to the sum.
#[derive(Clone, Copy, Debug)]
struct Losses {
    /// The loss of each term.
    each: f64,
    /// The loss of the sum, when it is rounded to a narrower format.
    once: f64,
}

impl Losses {
    const NONE: Self = Self { each: 0.0, once: 0.0 };

    fn all(self, terms: usize) -> f64 {
        terms as f64 * self.each + self.once
    }

    fn of(value: &Real, near: &Near, steps: &RoundingSteps, above: bool) -> Self {
        // With one term, a result is flushed whole or not at all.
        let flushes = match near.arithmetic.subnormals {
            Subnormals::Kept => false,
            Subnormals::Flushed => true,
            Subnormals::ResultsFlushed => near.terms >= 2,
        };
        let sums_too = flushes && near.arithmetic.subnormals == Subnormals::ResultsFlushed;
        let squares = near.norm.term() == Term::Square && near.arithmetic.range != Range::Scaled;
        if value.is_zero()
            || (flushes && above)
            || !(squares || sums_too && near.norm.term() == Term::Magnitude)
        {
            return Self::NONE;
        }
        // Squares that all vanish are computed again, and then scaled.
        if rescued_from_zero(value, near, *steps) {
            return Self::NONE;
        }
        let sum = Scaled::from_integer(&value.significand, value.exponent.into());
        let least = |format: FloatFormat| least_exponent(format, flushes);
        let partial = if sums_too { least(steps.sums) } else { i64::MIN };
        let each = if squares { least(steps.squares).max(partial) } else { partial };
        let share = |exponent: i64| 1.0 / sum.times_power(-exponent).to_f64();
        Self { each: share(each), once: if steps.casts { share(least(steps.root)) } else { 0.0 } }
    }
}

/// Returns the bound relative to the value, if nothing leaves the range of its format.
pub(super) fn within_range(near: &Near, steps: &RoundingSteps, output: FloatFormat, above: bool) -> f64 {
    relative(near, steps, output, Losses::NONE, above).max(hypot(near, steps, above))
}

/// Returns the bound relative to the value, without the last rounding if that is to a narrower format.
fn relative(near: &Near, steps: &RoundingSteps, output: FloatFormat, losses: Losses, above: bool) -> f64 {
    let Some(gamma) = steps.gamma() else { return crude(near, steps, losses, above) };
    let sum = gamma + losses.all(near.terms);
    if near.norm.finish() == Finish::Nothing {
        return sum;
    }
    let last = i32::from(steps.root.precision < output.precision);
    root_bound(sum, unit_roundoff(steps.root), steps.per_root - last, above)
}

/// Returns the relative error of the root, from that of the sum of squares and the roundings after the sum.
/// Written so that nothing cancels: `u` itself vanishes beside 1 in f64.
fn root_bound(sum: f64, u: f64, roundings: i32, above: bool) -> f64 {
    // |(1 ± u)^roundings - 1|
    let after = match roundings {
        ..=0 => 0.0,
        1 => u,
        _ if above => u * (2.0 + u),
        _ => u * (2.0 - u),
    };
    if above {
        let root = sum / (1.0 + (1.0 + sum).sqrt());
        root + (1.0 + root) * after
    } else {
        let lost = sum.min(1.0);
        let root = lost / (1.0 + (1.0 - lost).sqrt());
        root + (1.0 - root) * after
    }
}

/// Returns the cost of a chain of `hypot`, `|(1 ± e)^(n - 1) - 1|`, where each step is off by a factor of `1 ± e`.
fn hypot(near: &Near, steps: &RoundingSteps, above: bool) -> f64 {
    if !chains(near) {
        return 0.0;
    }
    let u = unit_roundoff(steps.root);
    let each = if [FloatFormat::F16, FloatFormat::BF16].contains(&steps.root) {
        // If `γ` says nothing, the crude bound holds, or the bound of the declared sums.
        if steps.gamma().is_none() || steps.sums != near.arithmetic.sums {
            return 0.0;
        }
        u + 2.0 * unit_roundoff(FloatFormat::F32)
    } else {
        2.0 * u
    };
    let log = (if above { each } else { -each }).ln_1p();
    (near.terms.saturating_sub(1) as f64 * log).exp_m1().abs()
}

/// Returns true if the norm may be computed as a chain of `hypot`.
fn chains(near: &Near) -> bool {
    near.norm.finish() == Finish::Root && near.arithmetic.range != Range::Naive
}

/// Returns the crude bound, which holds for any number of terms.
fn crude(near: &Near, steps: &RoundingSteps, losses: Losses, above: bool) -> f64 {
    let n = (near.terms as f64).max(1.0);
    let least = (1.0 / n - losses.each - losses.once).max(0.0);
    let most = 1.0 + n * unit_roundoff(steps.sums) + losses.all(near.terms);
    let (least, most) = match near.norm.finish() {
        Finish::Nothing => (least, most),
        Finish::Root => (least.sqrt(), most.sqrt()),
    };
    if above { 2.0 * most - 1.0 } else { 1.0 - least / 2.0 }
}

/// Returns the cost of subnormal steps, in ulp, if the norm is subnormal: half the least float for multiplying
/// a scale back, or the least float for each step of a chain of `hypot`.
fn subnormal_steps(value: &Real, near: &Near, root: FloatFormat, ulp: i32) -> f64 {
    let subnormal = value.floor_log2().is_some_and(|log2| log2 < i64::from(root.min_exponent));
    if !(chains(near) && subnormal) {
        return 0.0;
    }
    let steps = (near.terms.saturating_sub(1) as f64).max(0.5);
    steps * power(i64::from(root.quantum() - ulp))
}

/// Returns the cost of flushed steps, in ulp: each step of a chain of `hypot` may lose the least normal number.
fn flushed_steps(near: &Near, root: FloatFormat, ulp: i32, above: bool) -> f64 {
    let flushes = near.arithmetic.subnormals == Subnormals::ResultsFlushed;
    if above || !flushes || !chains(near) {
        return 0.0;
    }
    near.terms.saturating_sub(1) as f64 * power(i64::from(root.min_exponent - ulp))
}
