//! Right implementations that choose a computation by element type, length, axis or operator.
//!
//! No text demands one computation for all calls, so none of these is wrong; a profile shows them as mixed.

use normative_conformance::reference::{Dtype, FloatFormat, Norm, Question as Q, Reading as R, Spec};

use super::{NONE, Way, no_wider};
use crate::orders::{hypot_chain, lanes};
use normative_rules::floats::{format, greatest, held, is_half, power, scale, towards_zero};
use normative_rules::plan::{Plan, Readings, StepResult};
use normative_rules::steps::{Steps, norm};

const fn way(name: &'static str, does: &'static str, mixes: &'static [Q], edit: fn(&mut Steps)) -> Way {
    Way { mixes, ..super::way(name, does, NONE, edit) }
}

const RANGE: &[Q] = &[Q::FloatRange, Q::Subnormals];
const HALVES: &[Q] = &[Q::HalfAccumulation, Q::FloatRange, Q::Subnormals];

#[rustfmt::skip]
pub(super) const WAYS: &[Way] = &[
    way("magnitude-of-one-term", "returns |x| for one term, and squares naively where there are more", RANGE, |s| {
        s.floats.width = no_wider;
        s.norm = |s, plan, x| read_so(s, plan, x, Q::FloatRange, if x.len() > 1 { R::Naive } else { R::Scaled });
    }),
    way("hypot-of-two-terms", "combines two terms by hypot, and squares naively where there are more", RANGE, |s| {
        s.floats.width = no_wider;
        s.norm = |s, plan, x| if x.len() == 2 { by_hypot(s, plan, x) } else { read_so(s, plan, x, Q::FloatRange, R::Naive) };
    }),
    way("naive-from-eight-terms", "scales short rows, and squares naively from eight terms on", RANGE, |s| {
        s.floats.width = no_wider;
        s.norm = |s, plan, x| read_so(s, plan, x, Q::FloatRange, if x.len() >= 8 { R::Naive } else { R::Scaled });
    }),
    way("f32-lanes-inside-f64-outside", "keeps eight sums of f32 along the last axis, and sums in f64 along the others", RANGE, |s| {
        s.norm = |s, plan, x| {
            let mut with = s.clone();
            if inner(plan) {
                with.floats.width = no_wider;
                with.floats.sum = lanes::<8>;
                if !matches!(plan.spec, Spec::Blas(_)) {
                    with.floats.scale = |_, _, _| 1.0;
                }
            }
            norm(&with, plan, x)
        };
    }),
    way("f32-naive-f64-scaled", "scales f64 only", RANGE, |s| {
        s.floats.width = no_wider;
        s.norm = |s, plan, x| read_so(s, plan, x, Q::FloatRange, if plan.dtype == Dtype::F64 { R::Scaled } else { R::Naive });
    }),
    way("rescued-in-f32-only", "computes f32 again after an overflow, and f64 naively", RANGE, |s| {
        s.norm = |s, plan, x| read_so(s, plan, x, Q::FloatRange, if plan.dtype == Dtype::F64 { R::Naive } else { R::Rescued });
    }),
    way("a-width-for-each-type", "sums bf16 in its own type, f16 in f32 and f32 in f64", HALVES, |s| {
        s.floats.width = |plan, _| match plan.dtype { Dtype::Bf16 => FloatFormat::BF16, Dtype::F16 => FloatFormat::F32, _ => FloatFormat::F64 };
        s.floats.scale = unscaled_halves;
    }),
    way("f16-in-type-bf16-wide", "sums f16 in its own type and bf16 in f32", HALVES, |s| {
        s.floats.width = |plan, _| match plan.dtype { Dtype::F16 => FloatFormat::F16, Dtype::Bf16 => FloatFormat::F32, _ => FloatFormat::F64 };
        s.floats.scale = unscaled_halves;
    }),
    way("halves-wide-where-short", "sums 16-bit floats in f32 up to 64 terms, and in their own type beyond", HALVES, |s| { s.floats.width = |plan, _| narrow_if(plan.terms() > 64, plan); s.floats.scale = unscaled_halves; }),
    way("halves-narrow-outside", "sums 16-bit floats in their own type unless the last axis is reduced", HALVES, |s| { s.floats.width = |plan, _| narrow_if(!inner(plan), plan); s.floats.scale = unscaled_halves; }),
    way("halves-narrow-inside", "sums 16-bit floats in their own type where the last axis is reduced", HALVES, |s| { s.floats.width = |plan, _| narrow_if(inner(plan), plan); s.floats.scale = unscaled_halves; }),
    way("halves-by-operator-outside", "rounds to 16 bits after each operator unless the last axis is reduced", HALVES, |s| {
        // BLAS keeps squares in range.
        s.floats.width = |plan, _| if plan.dtype == Dtype::F64 || matches!(plan.spec, Spec::Blas(_)) { FloatFormat::F64 } else { FloatFormat::F32 };
        s.floats.beside = |width, plan, _| if is_half(plan.dtype) && !inner(plan) { (format(plan.dtype), format(plan.dtype)) } else { (width, width) };
        s.floats.scale = unscaled_halves;
    }),
    way("overflow-by-the-norm", "wraps in L1 and saturates in L2", &[Q::IntegerOverflow], |s| {
        s.norm = |s, plan, x| read_so(s, plan, x, Q::IntegerOverflow, if plan.norm == Norm::L1 { R::Wrap } else { R::Saturate });
    }),
    way("overflow-by-the-type", "wraps signed integers and saturates unsigned ones", &[Q::IntegerOverflow], |s| {
        s.norm = |s, plan, x| {
            let signed = matches!(plan.dtype, Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64);
            read_so(s, plan, x, Q::IntegerOverflow, if signed { R::Wrap } else { R::Saturate })
        };
    }),
    way("squares-wrap-in-long-rows", "holds sums of squares exactly up to four terms, and in the type beyond", &[Q::IntegerL2Intermediate, Q::IntegerOverflow], |s| {
        s.norm = |s, plan, x| read_so(s, plan, x, Q::IntegerL2Intermediate, if x.len() > 4 { R::Wraps } else { R::Exact });
    }),
    way("roots-by-the-type", "rounds roots of unsigned integers and truncates others", &[Q::IntegerL2Rounding], |s| {
        s.norm = |s, plan, x| {
            let unsigned = matches!(plan.dtype, Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64);
            read_so(s, plan, x, Q::IntegerL2Rounding, if unsigned { R::Nearest } else { R::Truncate })
        };
    }),
    way("integer-roots-by-length", "takes roots in f32 from four terms on", &[Q::IntegerL2Precision, Q::IntegerL2Rounding], |s| {
        s.norm = |s, plan, x| read_so(s, plan, x, Q::IntegerL2Precision, if x.len() >= 4 { R::Single } else { R::Exact });
    }),
    way("infinity-over-nan-in-l1", "gives infinity for NaN and infinity in L1 alone", &[Q::NanWithInfinity], |s| {
        s.norm = |s, plan, x| read_so(s, plan, x, Q::NanWithInfinity, if plan.norm == Norm::L1 { R::Inf } else { R::Nan });
    }),
    way("subnormals-flushed-in-vectors", "takes subnormal elements for 0 in rows of eight and more", &[Q::Subnormals], |s| {
        s.norm = |s, plan, x| read_so(s, plan, x, Q::Subnormals, if x.len() >= 8 { R::Flushed } else { R::Kept });
    }),
    way("subnormals-flushed-inside", "takes subnormal elements for 0 where the last axis is reduced", &[Q::Subnormals], |s| {
        s.norm = |s, plan, x| read_so(s, plan, x, Q::Subnormals, if inner(plan) { R::Flushed } else { R::Kept });
    }),
    way("subnormals-flushed-in-f32", "takes subnormal f32 for 0, and those of other types for what they are", &[Q::Subnormals], |s| {
        s.norm = |s, plan, x| read_so(s, plan, x, Q::Subnormals, if plan.dtype == Dtype::F32 { R::Flushed } else { R::Kept });
    }),
    way("results-flushed-in-f64", "takes subnormal results of f64 for 0, and other subnormals for what they are", &[Q::Subnormals], |s| {
        s.norm = |s, plan, x| read_so(s, plan, x, Q::Subnormals, if plan.dtype == Dtype::F64 { R::ResultsFlushed } else { R::Kept });
    }),
    way("subnormal-results-flushed", "takes subnormal results for 0, and subnormal elements for what they are", &[Q::Subnormals], |s| {
        s.floats.narrow = |x, format| if x.abs() < power(format.min_exponent) { 0.0 } else { held(x, format) };
    }),
    way("f16-results-cut", "cuts f16 results and rounds bf16 ones", &[Q::ResultRounding], |s| {
        s.floats.narrow = |x, format| if format == FloatFormat::F16 { towards_zero(x, format) } else { held(x, format) };
    }),
    way("bf16-results-cut", "gives the upper half of f32 results as bf16, and rounds f16 ones", &[Q::ResultRounding], |s| {
        s.floats.narrow = |x, format| if format == FloatFormat::BF16 { towards_zero(held(x, FloatFormat::F32), format) } else { held(x, format) };
    }),
    way("f16-stops-at-its-greatest", "gives f16's greatest number for what is beyond it, and rounds what is not", &[Q::ResultRounding], |s| {
        s.floats.narrow = |x, format| if format == FloatFormat::F16 && x.is_finite() { held(x, format).min(greatest(format)) } else { held(x, format) };
    }),
    way("halves-rounded-from-twenty-bits", "drops what f64 has beyond twenty bits before it rounds to 16", &[Q::ResultRounding], |s| {
        s.floats.narrow = |x, format| held(if format.precision < 24 && x.is_finite() { f64::from_bits(x.to_bits() & !0xffff_ffff) } else { x }, format);
    }),
    way("bf16-rounded-by-the-second-bit-cut", "rounds bf16 results up from three quarters on", &[Q::ResultRounding], |s| {
        s.floats.narrow = |x, format| {
            let cut = towards_zero(x, format);
            let nearest = held(x, format);
            // Round up only if x is at least three quarters of a step above the cut.
            if format == FloatFormat::BF16 && nearest.is_finite() && nearest > x && nearest - x > (x - cut) / 3.0 { cut } else { nearest }
        };
    }),
    way("halves-cut-in-vectors", "cuts 16-bit results of rows of eight and more", &[Q::ResultRounding], |s| {
        s.norm = |s, plan, x| read_so(s, plan, x, Q::ResultRounding, if x.len() >= 8 { R::TowardZero } else { R::Nearest });
    }),
];

/// Returns true if the last axis is reduced.
fn inner(plan: &Plan) -> bool {
    plan.data.len().checked_sub(1).is_some_and(|last| plan.reduces(last))
}

/// Returns the norm under this reading.
fn read_so(steps: &Steps, plan: &Plan, x: &[u64], question: Q, reading: R) -> StepResult<u64> {
    norm(&steps.reading(question, reading), plan, x)
}

/// Computes L2 of floats by hypot, and everything else as usual.
fn by_hypot(steps: &Steps, plan: &Plan, x: &[u64]) -> StepResult<u64> {
    let mut with = steps.clone();
    if plan.norm == Norm::L2 {
        with.floats.scale = |_, _, _| 1.0;
        with.floats.terms = |_, x| x.iter().map(|x| x.abs()).collect();
        with.floats.sum = hypot_chain;
        with.floats.root = |x| x;
    }
    norm(&with, plan, x)
}

/// Returns the type's own format for 16-bit floats if `narrow`, else f32 for them.
fn narrow_if(narrow: bool, plan: &Plan) -> FloatFormat {
    match plan.dtype {
        Dtype::F16 | Dtype::Bf16 if narrow => format(plan.dtype),
        Dtype::F16 | Dtype::Bf16 => FloatFormat::F32,
        _ => FloatFormat::F64,
    }
}

/// Returns 1 if sums are narrower than f64, because f64's range holds every square of f32.
fn unscaled_halves(x: &[f64], width: FloatFormat, readings: &Readings) -> f64 {
    if width == FloatFormat::F64 { scale(x, width, readings) } else { 1.0 }
}
