//! Mistakes of precision: biases, short mantissas, wrong rounding.

use normative_conformance::reference::{Dtype, FloatFormat, Norm, Question, Reading};

use super::MutantFamily::Numerics;
use super::{Mutant, TEN_BITS, row};
use crate::floats::{encode, exponent, format, held, power, read, sequential, towards_zero};
use crate::plan::{Plan, StepResult};
use crate::steps::{Steps, norm};

const VALUE: &str = "norm output-type silent-on-conversion conversion slices types function-body-root \
    silent-on-intermediates axes-some axes-all";

const RANGE: &str = "norm silent-on-intermediates squares-range slices axes-some axes-all";

/// One bit less than f32.
const ONE_BIT_LESS: FloatFormat = FloatFormat { precision: 23, min_exponent: -126, max_exponent: 127 };

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Numerics, "a-thousandth-too-much", "Results are 0.1 % too great.", VALUE, |s| s.floats.narrow = |x, format| held(x * 1.001, format)),
    row(Numerics, "a-ten-thousandth-too-much", "Results are 0.01 % too great.", VALUE, |s| s.floats.narrow = |x, format| held(x * 1.0001, format)),
    row(Numerics, "a-millionth-too-little", "Results are a millionth too small.", VALUE, |s| s.floats.narrow = |x, format| held(x * 0.999_999, format)),
    row(Numerics, "long-sums-drift", "Sums of 100 and more lose a hundred-thousandth.", VALUE, |s| s.floats.sum = |x, width| sequential(x, width) * if x.len() < 100 { 1.0 } else { 0.999_99 }),
    row(Numerics, "ten-bit-mantissa", "f32 elements are read with ten bits after the point.", VALUE, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        if dtype == Dtype::F32 { held(x, TEN_BITS) } else { x }
    }),
    row(Numerics, "f32-through-bf16", "f32 elements are read as bf16.", VALUE, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        if dtype == Dtype::F32 { held(x, FloatFormat::BF16) } else { x }
    }),
    row(Numerics, "f32-sums-in-ten-bits", "f32 is summed with ten bits after the point.", VALUE, |s| s.floats.width = |plan, _| if plan.dtype == Dtype::F32 { TEN_BITS } else { FloatFormat::F64 }),
    row(Numerics, "f32-sums-one-bit-short", "f32 is summed with one bit less than it has.", VALUE, |s| s.floats.width = |plan, _| if plan.dtype == Dtype::F32 { ONE_BIT_LESS } else { FloatFormat::F64 }),
    row(Numerics, "f16-throughout", "Everything but f16 is computed in f16 too.", VALUE, |s| {
        s.floats.width = |_, _| FloatFormat::F16;
        s.floats.scale = |_, _, _| 1.0;
    }),
    row(Numerics, "f16-sums-for-bf16", "bf16 is summed in f16.", VALUE, |s| s.floats.width = |plan, _| if plan.dtype == Dtype::Bf16 { FloatFormat::F16 } else { FloatFormat::F64 }),
    row(Numerics, "f32-results-cut", "f32 results are cut off instead of rounded.", VALUE, |s| s.floats.narrow = |x, format| if format == FloatFormat::F32 { towards_zero(x, format) } else { held(x, format) }),
    row(Numerics, "half-results-rounded-up", "16-bit results are rounded up.", VALUE, |s| s.floats.narrow = |x, format| {
        let down = towards_zero(x, format);
        if format.precision < 24 && down < x { held(down + power(exponent(x).max(format.min_exponent) - format.precision as i32 + 1), format) } else { held(x, format) }
    }),
    row(Numerics, "rescued-from-zero-by-half", "L2 is half the norm where all squares vanish.", RANGE, |s| s.norm = |s, plan, x| from_zero(s, plan, x, |x| x / 2.0)),
    row(Numerics, "rescued-from-zero-and-off", "L2 is 0.1 % too great where all squares vanish.", RANGE, |s| s.norm = |s, plan, x| from_zero(s, plan, x, |x| x * 1.001)),
    row(Numerics, "rescued-by-the-least-number", "L2 is the least normal number where all squares vanish.", RANGE, |s| s.norm = |s, plan, x| {
        from_zero(s, plan, x, |x| x.min(power(FloatFormat::F32.min_exponent)))
    }),
    row(Numerics, "f32-results-through-bf16", "f32 results are rounded to bf16.", VALUE, |s| s.floats.narrow = |x, format| held(if format == FloatFormat::F32 { held(x, FloatFormat::BF16) } else { x }, format)),
    row(Numerics, "estimated-root", "Roots come from an estimate of 12 bits.", VALUE, |s| s.floats.root = |x| held_to_bits(x.sqrt(), 12)),
    row(Numerics, "root-of-twenty-bits", "Roots come from an estimate refined once.", VALUE, |s| s.floats.root = |x| held_to_bits(x.sqrt(), 20)),
    row(Numerics, "epsilon-added", "1e-6 is added to every sum.", VALUE, |s| s.floats.sum = |x, width| sequential(x, width) + 1e-6),
    row(Numerics, "small-terms-lost", "Terms below a ten-thousandth of the greatest are left out.", VALUE, |s| s.floats.sum = |x, width| {
        let greatest = x.iter().fold(0.0, |greatest: f64, &x| greatest.max(x));
        sequential(&x.iter().copied().filter(|x| greatest.is_infinite() || x.is_nan() || *x >= greatest * 1e-4).collect::<Vec<_>>(), width)
    }),
    row(Numerics, "whole-numbers-only", "Results are rounded to whole numbers.", VALUE, |s| s.floats.narrow = |x, format| held(x.round(), format)),
];

/// Returns `x` rounded to this many bits.
fn held_to_bits(x: f64, precision: u32) -> f64 {
    held(x, FloatFormat { precision, ..FloatFormat::F64 })
}

/// Computes f32 L2 again where it overflows or vanishes, with an error where it vanishes.
fn from_zero(steps: &Steps, plan: &Plan, x: &[u64], off: fn(f64) -> f64) -> StepResult<u64> {
    let once = norm(&steps.reading(Question::FloatRange, Reading::Rescued), plan, x)?;
    if plan.norm == Norm::L1 || plan.dtype != Dtype::F32 || read(plan.dtype, once) != 0.0 {
        return Ok(once);
    }
    let right = read(plan.dtype, norm(steps, plan, x)?);
    Ok(encode(plan.dtype, held(off(right), format(plan.dtype))))
}
