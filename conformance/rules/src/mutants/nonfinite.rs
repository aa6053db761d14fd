//! Mistakes about NaN and infinities in some places only, about their bits, and about finite data: zeros, subnormals.

use normative_conformance::reference::{Dtype, FloatFormat, Norm};

use super::MutantFamily::Specials;
use super::{Mutant, row};
use crate::floats::{format, greatest, held, power, read, sequential, terms};
use crate::steps::norm;

const NAN: &str =
    "norm silent-on-nan-with-infinity nan-and-infinity slices axes-some output-type empty-axes noop-true";
const INFINITY: &str = "norm silent-on-nan-with-infinity nan-and-infinity slices silent-on-range silent-on-intermediates \
    squares-range output-type accumulation";
const ZERO: &str = "norm slices function-body-abs function-body-root axes-some axes-all output-type";
const SUBNORMAL: &str = "norm silent-on-subnormals subnormal-elements slices silent-on-intermediates squares-range \
    silent-on-range accumulation";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Specials, "nan-only-in-the-first-of-eight-lanes", "A NaN counts in the first of eight lanes, and is 0 in the others.", NAN, |s| s.floats.terms = |norm, x| terms(norm, &x.iter().enumerate().map(|(at, &x)| if x.is_nan() && at % 8 > 0 { 0.0 } else { x }).collect::<Vec<_>>())),
    row(Specials, "nan-in-tails-ignored", "A NaN in what is left over from vectors of four is 0.", NAN, |s| s.floats.terms = |norm, x| nan_ignored_from(x.len() / 4 * 4, norm, x)),
    row(Specials, "nan-in-tails-of-eight-ignored", "A NaN in what is left over from vectors of eight is 0.", NAN, |s| s.floats.terms = |norm, x| {
        nan_ignored_from(if x.len() > 8 { x.len() / 8 * 8 } else { x.len() }, norm, x)
    }),
    row(Specials, "negative-nan-ignored", "A NaN with its sign bit set is 0.", NAN, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        if x.is_nan() && bits >> (8 * dtype.size() - 1) == 1 { 0.0 } else { x }
    }),
    row(Specials, "signalling-nan-as-infinity", "A NaN whose quiet bit is clear is taken for an infinity.", NAN, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        let quiet = bits >> (format(dtype).precision - 2) & 1 == 1;
        if x.is_nan() && !quiet { f64::INFINITY } else { x }
    }),
    row(Specials, "nan-with-payload-as-infinity", "Of NaN only the one with no bit but the quiet one is known, others are infinite.", NAN, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        let payload = bits & ((1 << (format(dtype).precision - 2)) - 1);
        if x.is_nan() && payload != 0 { f64::INFINITY } else { x }
    }),
    row(Specials, "nan-as-the-greatest", "NaN elements are read as the greatest finite number.", NAN, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        if x.is_nan() { greatest(format(dtype)) } else { x }
    }),
    row(Specials, "nan-makes-infinity", "A NaN result is given as infinity.", NAN, |s| s.floats.narrow = |x, format| if x.is_nan() { f64::INFINITY } else { held(x, format) }),
    row(Specials, "nan-lost-in-f16", "f16 has no NaN and no infinity: its highest exponent is one more of numbers.", NAN, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        let finite = power(16) * (1.0 + (bits & 0x3ff) as f64 / 1024.0);
        if dtype == Dtype::F16 && !x.is_finite() { if bits >> 15 == 1 { -finite } else { finite } } else { x }
    }),
    row(Specials, "nan-ignored-in-l2", "L2 passes over NaN elements, which no comparison with a greatest one finds.", NAN, |s| s.floats.terms = |norm, x| match norm {
        Norm::L1 | Norm::Sum => terms(norm, x),
        Norm::L2 | Norm::SumSquare => terms(norm, &x.iter().copied().filter(|x| !x.is_nan()).collect::<Vec<_>>()),
    }),
    row(Specials, "nan-of-one-element-lost", "The norm of a single NaN is 0.", NAN, |s| s.norm = |s, plan, x| match x {
        [one] if !plan.dtype.is_integer() && read(plan.dtype, *one).is_nan() => Ok(0),
        _ => norm(s, plan, x),
    }),

    row(Specials, "infinity-first-wins", "The first infinity or NaN met is the result, so that one call is answered in two ways.", INFINITY, |s| s.floats.sum = |x, width| {
        x.iter().copied().find(|x| !x.is_finite()).unwrap_or_else(|| sequential(x, width))
    }),
    row(Specials, "infinities-cancel", "L1 of infinities of both signs is NaN.", INFINITY, |s| s.floats.terms = |norm, x| {
        let mut terms = terms(norm, x);
        if norm == Norm::L1 && x.contains(&f64::INFINITY) && x.contains(&f64::NEG_INFINITY) { terms.push(f64::NAN); }
        terms
    }),
    row(Specials, "two-infinities-make-nan", "Two infinities are subtracted from each other on the way to a norm.", INFINITY, |s| s.floats.terms = |norm, x| {
        let mut terms = terms(norm, x);
        if x.iter().filter(|x| x.is_infinite()).count() > 1 { terms.push(f64::NAN); }
        terms
    }),
    row(Specials, "infinity-times-zero", "A zero beside an infinity makes NaN.", INFINITY, |s| s.floats.terms = |norm, x| {
        let mut terms = terms(norm, x);
        if x.iter().any(|x| x.is_infinite()) && x.contains(&0.0) { terms.push(f64::NAN); }
        terms
    }),
    row(Specials, "infinity-ignored", "Infinite elements are passed over.", INFINITY, |s| s.floats.terms = |norm, x| terms(norm, &x.iter().copied().filter(|x| !x.is_infinite()).collect::<Vec<_>>())),
    row(Specials, "infinity-kept-in-the-first-place-only", "An infinity counts only as the first element.", INFINITY, |s| s.floats.terms = |norm, x| terms(norm, &x.iter().enumerate().filter(|(at, x)| *at == 0 || !x.is_infinite()).map(|(_, &x)| x).collect::<Vec<_>>())),
    row(Specials, "infinite-squares-clamped", "Squares beyond f32 are its greatest number, which is finite once rooted.", INFINITY, |s| {
        s.floats.width = |plan, _| if plan.dtype == Dtype::F64 { FloatFormat::F64 } else { FloatFormat::F32 };
        s.floats.scale = |x, width, readings| if width == FloatFormat::F32 { 1.0 } else { crate::floats::scale(x, width, readings) };
        s.floats.sum = |x, width| {
            let most = greatest(FloatFormat::F32);
            if width == FloatFormat::F32 { sequential(&x.iter().map(|x| if x.is_nan() { *x } else { x.min(most) }).collect::<Vec<_>>(), width).min(most) } else { sequential(x, width) }
        };
    }),
    row(Specials, "finite-results-infinite-early", "Results in the highest binade are infinite.", INFINITY, |s| s.floats.narrow = |x, format| {
        let rounded = held(x, format);
        if rounded >= power(format.max_exponent) { f64::INFINITY } else { rounded }
    }),

    row(Specials, "scaled-by-the-first", "L2 divides by the first element, which may be 0.", ZERO, |s| s.floats.scale = |x, _, _| x.first().map_or(1.0, |x| if x.is_infinite() { 1.0 } else { x.abs() })),
    row(Specials, "zero-through-the-reciprocal-root", "Roots are the argument times its reciprocal root, which is NaN for 0.", ZERO, |s| s.floats.root = |x| x * (1.0 / x.sqrt())),
    row(Specials, "root-of-at-least-the-smallest", "The root's argument is at least 1e-12.", ZERO, |s| {
        s.floats.scale = |_, _, _| 1.0;
        s.floats.root = |x| if x < 1e-12 { 1e-6 } else { x.sqrt() };
    }),
    row(Specials, "root-of-at-least-the-smallest-normal", "The root's argument is at least f32's smallest normal number.", ZERO, |s| {
        s.floats.scale = |_, _, _| 1.0;
        s.floats.root = |x| if x < power(-126) { power(-63) } else { x.sqrt() };
    }),
    row(Specials, "minus-zero-for-l2", "L2 of zeros is the first of them, sign and all.", ZERO, |s| s.norm = |s, plan, x| {
        let sign = 1 << (8 * plan.dtype.size() - 1);
        let zeros = !plan.dtype.is_integer() && plan.norm == Norm::L2 && x.iter().all(|&x| x | sign == sign);
        match x { [first, ..] if zeros => Ok(*first), _ => norm(s, plan, x) }
    }),
    row(Specials, "minus-zero-as-a-smallest-number", "-0 is read as the smallest subnormal number.", ZERO, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        if x == 0.0 && x.is_sign_negative() { read(dtype, 1) } else { x }
    }),

    row(Specials, "numbers-below-1e-30-flushed", "Elements below 1e-30 are 0.", SUBNORMAL, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        if x.abs() < 1e-30 { 0.0 } else { x }
    }),
    row(Specials, "numbers-below-an-epsilon-flushed", "Elements below the type's distance from 1 to the next number are 0.", SUBNORMAL, |s| s.floats.read = |dtype, bits| {
        let x = read(dtype, bits);
        if x.abs() < power(1 - format(dtype).precision as i32) { 0.0 } else { x }
    }),
    row(Specials, "subnormals-read-with-a-hidden-bit", "Subnormal elements of 16 bits are read with the leading bit of normal ones.", SUBNORMAL, |s| s.floats.read = |dtype, bits| {
        let (x, format) = (read(dtype, bits), format(dtype));
        if format.precision < 24 && x != 0.0 && x.abs() < power(format.min_exponent) { x + power(format.min_exponent - 1).copysign(x) } else { x }
    }),
    row(Specials, "subnormals-twice-too-great", "The exponent of subnormal elements is read one too great.", SUBNORMAL, |s| s.floats.read = |dtype, bits| {
        let (x, format) = (read(dtype, bits), format(dtype));
        if x.abs() < power(format.min_exponent) { 2.0 * x } else { x }
    }),
    row(Specials, "subnormals-raised", "Subnormal elements are raised to the smallest normal number.", SUBNORMAL, |s| s.floats.read = |dtype, bits| {
        let (x, format) = (read(dtype, bits), format(dtype));
        if x != 0.0 && x.abs() < power(format.min_exponent) { power(format.min_exponent).copysign(x) } else { x }
    }),
    row(Specials, "smallest-normals-flushed", "The smallest binade of normal numbers is taken for subnormal, and 0.", SUBNORMAL, |s| s.floats.read = |dtype, bits| {
        let (x, format) = (read(dtype, bits), format(dtype));
        if x.abs() < power(format.min_exponent + 1) { 0.0 } else { x }
    }),
    row(Specials, "results-in-the-lowest-binade-flushed", "Results in the smallest binade of normal numbers are 0.", SUBNORMAL, |s| s.floats.narrow = |x, format| {
        let rounded = held(x, format);
        if rounded.abs() < power(format.min_exponent + 1) && rounded.abs() >= power(format.min_exponent) { 0.0 } else { rounded }
    }),
];

/// Returns the terms of elements whose NaN count as 0 from this place on.
fn nan_ignored_from(first: usize, norm: Norm, x: &[f64]) -> Vec<f64> {
    let heeded = |(at, &x): (usize, &f64)| if x.is_nan() && at >= first { 0.0 } else { x };
    terms(norm, &x.iter().enumerate().map(heeded).collect::<Vec<_>>())
}
