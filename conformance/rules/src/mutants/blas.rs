//! Mistakes about the vectors of BLAS: the elements that are read, and squares out of range.
//!
//! No row here changes a call of another family. Reading a vector backwards adds the same numbers, so it is
//! not a mistake.

use normative_conformance::reference::{FloatFormat, Norm, Spec};

use super::MutantFamily::{Arithmetic, Numerics, Versions};
use super::{Mutant, row};
use crate::floats::{format, held, scale};
use crate::form::vector;
use crate::plan::Plan;
use crate::steps::{Steps, norm};

const APART: &str = "incx";
const NEGATIVE: &str = "incx-negative negative-incx-unstated";
const ZERO: &str = "incx-zero zero-incx-unstated";
const COUNT: &str = "count incx norm";
const EMPTY: &str = "empty";
const RANGE: &str = "range";
const NORM: &str = "norm count types";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Versions, "blas-incx-ignored", "The elements are taken to lie side by side.", APART, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, n, if incx > 0 { 1 } else { incx }, length, readings)
    }),
    row(Versions, "blas-incx-one-more", "incx is taken for the number of elements between two of them.", APART, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, n, if incx > 1 { incx + 1 } else { incx }, length, readings)
    }),
    row(Versions, "blas-incx-of-4-at-most", "Elements that lie farther apart than 4 are read as if they lay 4 apart.", APART, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, n, incx.clamp(-4, 4), length, readings)
    }),
    row(Versions, "blas-n-as-a-span", "n is taken for the span of the elements, so that n / incx of them are read.", APART, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, if incx > 1 { n.saturating_add(incx - 1) / incx } else { n }, incx, length, readings)
    }),
    row(Versions, "blas-spaced-tail-dropped", "Of elements that lie apart, the last of an odd number is dropped.", APART, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, if incx > 1 { n - n % 2 } else { n }, incx, length, readings)
    }),
    row(Versions, "blas-n-from-the-data", "All elements of the data are read that lie so far apart, whatever n.", "count incx empty", |s| s.vector = |norm, _, incx, length, readings| {
        let n = if incx == 0 { length } else { length.div_ceil(incx.unsigned_abs() as usize) };
        vector(norm, n as i32, incx, length, readings)
    }),
    row(Versions, "blas-one-too-many", "The element after the last is read too.", COUNT, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, if n > 0 { n.saturating_add(1) } else { n }, incx, length, readings)
    }),
    row(Versions, "blas-one-too-few", "The last element is not read.", NORM, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, n.max(1) - 1, incx, length, readings)
    }),
    row(Versions, "blas-n-of-8-bits", "n is read as an integer of 8 bits.", COUNT, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, if n > 0 { n & 0xff } else { n }, incx, length, readings)
    }),
    row(Versions, "blas-negative-n-as-positive", "The sign of n is ignored.", EMPTY, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, n.checked_abs().unwrap_or(0), incx, length, readings)
    }),
    row(Versions, "blas-none-as-one", "Where n is 0, one element is read.", EMPTY, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, if n == 0 { 1 } else { n }, incx, length, readings)
    }),
    row(Versions, "blas-none-is-not-a-number", "The norm of no elements is NaN.", EMPTY, |s| s.nothing = |plan| {
        if is_blas(plan) { format(plan.dtype).nan() } else { 0 }
    }),
    row(Versions, "blas-nrm2-of-negative-incx-is-0", "nrm2 gives 0 where incx is negative, as before 3.10.", NEGATIVE, |s| s.vector = |norm, n, incx, length, readings| {
        if norm == Norm::L2 && incx < 0 { Vec::new() } else { vector(norm, n, incx, length, readings) }
    }),
    row(Versions, "blas-negative-from-the-end-of-the-data", "A negative incx counts from the last element of the data.", NEGATIVE, |s| s.vector = |norm, n, incx, length, readings| {
        let places = vector(norm, n, incx, length, readings);
        let shift = places.iter().max().map_or(0, |&last| length.saturating_sub(1 + last));
        if incx < 0 { places.into_iter().map(|place| place + shift).collect() } else { places }
    }),
    row(Versions, "blas-negative-from-behind-the-first", "A negative incx starts n times as far as elements lie apart, one too far.", NEGATIVE, |s| s.vector = |norm, n, incx, length, readings| {
        let places = vector(norm, n, incx, length, readings);
        if incx < 0 { places.into_iter().map(|place| place + incx.unsigned_abs() as usize).collect() } else { places }
    }),
    row(Versions, "blas-negative-as-minus-one", "Every negative incx is -1.", NEGATIVE, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, n, incx.max(-1), length, readings)
    }),
    row(Versions, "blas-zero-incx-as-1", "An incx of 0 is 1.", ZERO, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, n, if incx == 0 && norm == Norm::L2 { 1 } else { incx }, length, readings)
    }),
    row(Versions, "blas-zero-incx-counts-once", "Where incx is 0, the first element counts once.", ZERO, |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, if incx == 0 { n.min(1) } else { n }, incx, length, readings)
    }),
    row(Versions, "blas-nrm2-of-zero-incx-is-0", "nrm2 gives 0 where incx is 0, as before 3.10.", ZERO, |s| s.vector = |norm, n, incx, length, readings| {
        if norm == Norm::L2 && incx == 0 { Vec::new() } else { vector(norm, n, incx, length, readings) }
    }),
    row(Versions, "blas-fewer-than-two-as-one", "Of one element or none, the first of the data counts.", "empty count", |s| s.vector = |norm, n, incx, length, readings| {
        if n <= 1 && length > 0 { vec![0] } else { vector(norm, n, incx, length, readings) }
    }),
    row(Arithmetic, "blas-squares-overflow", "Squares are added as they are: they overflow, and underflow.", RANGE, |s| s.norm = |s, plan, x| unscaled(s, plan, x, false, false)),
    row(Arithmetic, "blas-large-squares-overflow", "Only small elements are scaled before they are squared.", RANGE, |s| s.norm = |s, plan, x| unscaled(s, plan, x, false, true)),
    row(Arithmetic, "blas-small-squares-underflow", "Only large elements are scaled before they are squared.", RANGE, |s| s.norm = |s, plan, x| unscaled(s, plan, x, true, false)),
    row(Arithmetic, "blas-scaled-by-the-first", "Elements are divided by the first one, whatever the others are.", "range norm", |s| s.norm = |s, plan, x| {
        if !is_blas(plan) || plan.norm == Norm::L1 { return norm(s, plan, x) }
        let mut other = s.clone();
        other.floats.width = |plan, _| format(plan.dtype);
        other.floats.scale = |elements, width, _| match elements.first().map(|x| x.abs()) {
            Some(first) if first > 0.0 && first.is_finite() => held(first, width),
            _ => 1.0,
        };
        norm(&other, plan, x)
    }),
    row(Numerics, "blas-double-in-single", "dasum and dnrm2 add in f32.", NORM, |s| s.floats.width = |plan, _| {
        if is_blas(plan) { FloatFormat::F32 } else { FloatFormat::F64 }
    }),
    row(Numerics, "blas-passes-over-nan", "Elements that are NaN are passed over.", "norm silent-on-nan-with-infinity", |s| s.norm = |s, plan, x| {
        if !is_blas(plan) { return norm(s, plan, x) }
        let nan = format(plan.dtype);
        let kept: Vec<u64> = x.iter().copied().filter(|bits| bits & (nan.sign() - 1) <= nan.infinity()).collect();
        norm(s, plan, &kept)
    }),
];

/// Computes nrm2 in the type of the data, with large or small elements scaled, or neither.
fn unscaled(s: &Steps, plan: &Plan, x: &[u64], large: bool, small: bool) -> crate::plan::StepResult<u64> {
    if !is_blas(plan) || plan.norm == Norm::L1 {
        return norm(s, plan, x);
    }
    let mut other = s.clone();
    other.floats.width = |plan, _| format(plan.dtype);
    other.floats.scale = match (large, small) {
        (true, _) => |elements, width, readings| scale(elements, width, readings).max(1.0),
        (_, true) => |elements, width, readings| scale(elements, width, readings).min(1.0),
        _ => |_, _, _| 1.0,
    };
    norm(&other, plan, x)
}

const fn is_blas(plan: &Plan) -> bool {
    matches!(plan.spec, Spec::Blas(_))
}
