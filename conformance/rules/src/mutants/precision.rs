//! Mistakes of precision in some places only, and algorithms with weak spots: compensation, scaling, blocks,
//! estimates.

use normative_conformance::reference::{Dtype, FloatFormat, Norm};

use super::MutantFamily::Numerics;
use super::{Mutant, TEN_BITS, row};
use crate::floats::{encode, exponent, format, held, power, read, sequential, terms};
use crate::plan::{Plan, StepResult};
use crate::steps::{Steps, norm};

const VALUE: &str = "norm output-type silent-on-conversion conversion slices types function-body-root function-body-square \
    silent-on-intermediates squares-range silent-on-range accumulation axes-some axes-all axes \
    axes-indices example-all-axes";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Numerics, "long-rows-in-ten-bits", "f32 elements have ten bits after the point where 64 and more are summed.", VALUE, |s| s.norm = |s, plan, x| {
        if x.len() >= 64 { norm(s, plan, &shortened(plan, x, Dtype::F32, TEN_BITS)) } else { norm(s, plan, x) }
    }),
    row(Numerics, "inner-rows-in-ten-bits", "f32 elements have ten bits after the point where the last of several axes is reduced.", VALUE, |s| s.norm = |s, plan, x| {
        let inner = plan.data.len() > 1 && plan.reduces(plan.data.len() - 1);
        if inner { norm(s, plan, &shortened(plan, x, Dtype::F32, TEN_BITS)) } else { norm(s, plan, x) }
    }),
    row(Numerics, "matrices-of-sixteen-in-ten-bits", "f32 elements have ten bits after the point where 16 and more are summed along the last axis.", VALUE, |s| s.norm = |s, plan, x| {
        let inner = x.len() >= 16 && plan.reduces(plan.data.len() - 1);
        if inner { norm(s, plan, &shortened(plan, x, Dtype::F32, TEN_BITS)) } else { norm(s, plan, x) }
    }),
    row(Numerics, "f64-rows-in-f32", "f64 elements are converted to f32 where 32 and more are summed.", VALUE, |s| s.norm = |s, plan, x| {
        if x.len() >= 32 { norm(s, plan, &shortened(plan, x, Dtype::F64, FloatFormat::F32)) } else { norm(s, plan, x) }
    }),
    row(Numerics, "f16-through-bf16", "f16 elements are converted to bf16.", VALUE, |s| s.norm = |s, plan, x| norm(s, plan, &shortened(plan, x, Dtype::F16, FloatFormat::BF16))),
    row(Numerics, "f64-roots-in-f32", "Roots are taken in f32 before opset 18 too.", VALUE, |s| {
        s.floats.root = |x| held(held(x, FloatFormat::F32).sqrt(), FloatFormat::F32);
    }),
    row(Numerics, "f32-results-through-f16", "Results of f32 are converted to f16 and back.", VALUE, |s| s.floats.narrow = |x, format| if format == FloatFormat::F32 { held(held(x, FloatFormat::F16), format) } else { held(x, format) }),
    row(Numerics, "f64-with-one-bit-less", "f64 results are rounded to 52 bits.", VALUE, |s| s.floats.narrow = |x, format| if format == FloatFormat::F64 { held(x, FloatFormat { precision: 52, ..FloatFormat::F64 }) } else { held(x, format) }),
    row(Numerics, "f32-additions-cut", "Sums of f32 are cut off at every step.", VALUE, |s| {
        s.floats.width = |plan, _| if plan.dtype == Dtype::F32 { FloatFormat::F32 } else { FloatFormat::F64 };
        s.floats.sum = |x, width| if width == FloatFormat::F32 { x.iter().fold(0.0, |sum, x| down(sum + x, width)) } else { sequential(x, width) };
    }),
    row(Numerics, "f64-additions-cut", "Sums of f64 are cut off at every step.", VALUE, |s| s.floats.sum = |x, width| x.iter().fold(0.0, |sum: f64, &x| {
        let next = held(sum + x, width);
        // The rounding error of the addition, exactly.
        let (high, low) = if sum > x { (sum, x) } else { (x, sum) };
        if next.is_finite() && low - (next - high) < 0.0 { f64::from_bits(next.to_bits() - 1) } else { next }
    })),
    row(Numerics, "f32-results-up", "f32 results are rounded up.", VALUE, |s| s.floats.narrow = |x, format| if format == FloatFormat::F32 { up(x, format) } else { held(x, format) }),
    row(Numerics, "half-results-rounded-by-chance", "16-bit results are rounded up or down by a bit that is as good as drawn.", VALUE, |s| s.floats.narrow = |x, format| {
        if format.precision >= 24 { held(x, format) } else if x.to_bits().count_ones() % 2 == 1 { up(x, format) } else { down(x, format) }
    }),
    row(Numerics, "half-results-rounded-to-odd", "16-bit results are rounded to the neighbour whose last bit is 1.", VALUE, |s| s.floats.narrow = |x, format| {
        if format.precision >= 24 || !x.is_finite() { return held(x, format) }
        let below = down(x, format);
        let step = step(x, format);
        if below >= x || (below / step).abs() % 2.0 > 0.5 { below } else { up(x, format) }
    }),

    row(Numerics, "pairwise-loses-the-odd-one", "Sums of halves leave out the middle element of odd lengths.", VALUE, |s| s.floats.sum = pairs_only),
    row(Numerics, "blocks-of-64-not-joined", "Of blocks of 64 only the last one's sum is returned.", VALUE, |s| s.floats.sum = |x, width| x.chunks(64).last().map_or(0.0, |block| sequential(block, width))),
    row(Numerics, "blocks-of-512-not-joined", "Of blocks of 512 only the last one's sum is returned.", VALUE, |s| s.floats.sum = |x, width| x.chunks(512).last().map_or(0.0, |block| sequential(block, width))),
    row(Numerics, "norms-of-blocks-added", "L2 adds the roots of blocks of 32.", VALUE, |s| s.norm = roots_added::<32>),
    row(Numerics, "norms-of-blocks-of-256-added", "L2 adds the roots of blocks of 256.", VALUE, |s| s.norm = roots_added::<256>),
    row(Numerics, "norms-of-blocks-of-1024-added", "L2 adds the roots of blocks of 1,024.", VALUE, |s| s.norm = roots_added::<1024>),
    row(Numerics, "rescaled-by-the-ratio", "Where a greater element comes, the sum of squares is rescaled by the ratio instead of its square.", VALUE, |s| s.norm = rescaled),
    row(Numerics, "every-greatest-counted-once", "Elements as great as the greatest are counted once together.", VALUE, |s| s.floats.terms = |norm, x| {
        let greatest = x.iter().fold(0.0, |greatest: f64, x| greatest.max(x.abs()));
        let mut met = false;
        let once = |x: &&f64| norm == Norm::L1 || x.abs() < greatest || !greatest.is_normal() || !std::mem::replace(&mut met, true);
        terms(norm, &x.iter().filter(once).copied().collect::<Vec<_>>())
    }),
    row(Numerics, "big-elements-hide-the-others", "Beside an element above 1e15 those below are left out.", VALUE, |s| s.norm = |s, plan, x| {
        if plan.dtype.is_integer() { return norm(s, plan, x) }
        let of = |bits: &u64| read(plan.dtype, *bits).abs();
        let big = x.iter().any(|bits| of(bits) > 1e15);
        let left: Vec<u64> = x.iter().copied().filter(|bits| { let x = of(bits); !big || x.is_nan() || x > 1e15 }).collect();
        norm(s, plan, &left)
    }),
    row(Numerics, "small-elements-in-a-sum-of-their-own-lost", "Elements below 1e-15 are summed apart, and that sum is lost beside others.", VALUE, |s| s.norm = |s, plan, x| {
        if plan.dtype.is_integer() { return norm(s, plan, x) }
        let of = |bits: &u64| read(plan.dtype, *bits).abs();
        // Drops elements below 1e-15 if any is above.
        let ordinary = x.iter().any(|bits| of(bits) >= 1e-15);
        let left: Vec<u64> = x.iter().copied().filter(|bits| !ordinary || of(bits).is_nan() || of(bits) >= 1e-15).collect();
        norm(s, plan, &left)
    }),
    row(Numerics, "decimal-digits", "Results are written with six digits.", VALUE, |s| s.floats.narrow = |x, format| held(if x.is_finite() { format!("{x:.5e}").parse().unwrap_or(x) } else { x }, format)),
    row(Numerics, "fixed-point", "Elements are held in fixed point with 16 bits after the point.", VALUE, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        if x.abs() < 32768.0 { (x * 65536.0).round() / 65536.0 } else { x }
    }),
    row(Numerics, "last-bit-cleared", "Results have their last bit cleared.", VALUE, |s| s.norm = |s, plan, x| {
        let bits = norm(s, plan, x)?;
        Ok(if plan.dtype.is_integer() || !read(plan.dtype, bits).is_finite() { bits } else { bits & !1 })
    }),
    row(Numerics, "one-step-too-great", "Results of f32 that are no whole numbers are the next number above.", VALUE, |s| s.norm = |s, plan, x| {
        let bits = norm(s, plan, x)?;
        let x = read(plan.dtype, bits);
        Ok(if plan.dtype == Dtype::F32 && x.is_finite() && x.fract() != 0.0 { encode(plan.dtype, up(x * (1.0 + power(-30)), format(plan.dtype))) } else { bits })
    }),
];

/// Computes L2 as the sum of the norms of blocks.
fn roots_added<const BLOCK: usize>(steps: &Steps, plan: &Plan, x: &[u64]) -> StepResult<u64> {
    if plan.norm != Norm::L2 || plan.dtype.is_integer() || x.len() <= BLOCK {
        return norm(steps, plan, x);
    }
    let roots = x.chunks(BLOCK).map(|block| norm(steps, plan, block)).collect::<StepResult<Vec<u64>>>()?;
    norm(steps, &Plan { norm: Norm::L1, ..plan.clone() }, &roots)
}

/// Returns the elements rounded to another format, if they are of this type.
fn shortened(plan: &Plan, x: &[u64], dtype: Dtype, format: FloatFormat) -> Vec<u64> {
    if plan.dtype != dtype {
        return x.to_vec();
    }
    x.iter().map(|&bits| encode(dtype, held(read(dtype, bits), format))).collect()
}

/// Returns the next number of the format at or below `x`, for x ≥ 0.
fn down(x: f64, format: FloatFormat) -> f64 {
    if !x.is_finite() || format == FloatFormat::F64 {
        return held(x, format);
    }
    let step = step(x, format);
    (x / step).floor() * step
}

/// Returns the next number of the format at or above `x`, for x ≥ 0.
fn up(x: f64, format: FloatFormat) -> f64 {
    if !x.is_finite() || format == FloatFormat::F64 {
        return held(x, format);
    }
    let step = step(x, format);
    held((x / step).ceil() * step, format)
}

/// Returns the distance between two numbers of the format near `x`.
fn step(x: f64, format: FloatFormat) -> f64 {
    let exponent = if x == 0.0 { format.min_exponent } else { exponent(x).max(format.min_exponent) };
    power(exponent - format.precision as i32 + 1)
}

fn pairs_only(x: &[f64], width: FloatFormat) -> f64 {
    match x {
        [] => 0.0,
        [x] => *x,
        _ => {
            let half = x.len() / 2;
            held(pairs_only(&x[..half], width) + pairs_only(&x[half..2 * half], width), width)
        }
    }
}

/// Computes L2 with a running scale as BLAS does, but with a wrong rescaling.
fn rescaled(steps: &Steps, plan: &Plan, x: &[u64]) -> StepResult<u64> {
    let of = |bits: &u64| read(plan.dtype, *bits).abs();
    if plan.norm == Norm::L1 || plan.dtype.is_integer() || !x.iter().all(|bits| of(bits).is_finite()) {
        return norm(steps, plan, x);
    }
    let (mut scale, mut squares) = (0.0, 1.0);
    for x in x.iter().map(of).filter(|x| *x > 0.0) {
        if x > scale {
            squares = 1.0 + squares * (scale / x);
            scale = x;
        } else {
            squares += (x / scale) * (x / scale);
        }
    }
    Ok(encode(plan.dtype, held(scale * f64::sqrt(squares), format(plan.dtype))))
}
