//! Mistakes about the width of an element type: detours through narrower ones, products added in pairs,
//! estimated roots, types refused or accepted by mistake.

use normative_conformance::reference::{Dtype, FloatFormat, Norm, Operator, Opset, Spec};
use num_bigint::BigInt;

use super::MutantFamily::Types;
use super::types::VALUES;
use super::{Mutant, row};
use crate::floats::{held, power};
use crate::form::admit;
use crate::integers::{fit, range, read, sum, terms, wrapped};
use crate::steps::Steps;

const ROOTS: &str = "norm types output-type silent-on-rounding integer-roots integer-intermediate silent-on-intermediates \
    silent-on-overflow result-range";
const FLOATS: &str = "norm output-type silent-on-conversion conversion types slices accumulation silent-on-intermediates \
    squares-range function-body-cast silent-on-subnormals subnormal-elements";
const TAKEN: &str = "types";
const REFUSED: &str = "types norm output-type result-range axes data numpy-like";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Types, "u8-squares-saturate-in-pairs", "Squares of u8 are added in pairs that stop at the greatest i16, as pmaddubsw has it.", ROOTS, |s| s.integers.terms = |norm, x, dtype| {
        paired(norm, x, dtype, Dtype::U8, |pair| pair.min(i16::MAX.into()))
    }),
    row(Types, "squares-stop-at-2-to-the-53", "Sums of squares stop at the greatest integer up to which f64 has all.", ROOTS, |s| s.integers.intermediate = |sum, _, _| sum.min(BigInt::from(1_i64 << 53))),
    row(Types, "u64-sums-lose-the-top-bit", "Sums of u64 are held in 63 bits.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::U64 { sum(x, dtype) % (BigInt::from(1) << 63) } else { sum(x, dtype) }),
    row(Types, "u32-sums-lose-the-top-bit", "Sums of u32 are held in 31 bits.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::U32 { sum(x, dtype) % (BigInt::from(1) << 31) } else { sum(x, dtype) }),
    row(Types, "u16-sums-lose-the-top-bit", "Sums of u16 are held in 15 bits.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::U16 { sum(x, dtype) % (1_i64 << 15) } else { sum(x, dtype) }),
    row(Types, "unsigned-read-as-signed", "Unsigned elements are read as signed.", VALUES, |s| s.integers.read = |dtype, bits| {
        let (x, (least, greatest)) = (read(dtype, bits), range(dtype));
        if least == 0 && x > greatest / 2 { x - greatest - 1 } else { x }
    }),
    row(Types, "i64-elements-through-f64", "Elements of i64 are converted to f64 and back.", VALUES, |s| s.integers.read = |dtype, bits| {
        let x = read(dtype, bits);
        if dtype == Dtype::I64 { x as f64 as i128 } else { x }
    }),
    row(Types, "u64-elements-through-f64", "Elements of u64 are converted to f64 and back.", VALUES, |s| s.integers.read = |dtype, bits| {
        let x = read(dtype, bits);
        if dtype == Dtype::U64 { x as f64 as i128 } else { x }
    }),
    row(Types, "i32-elements-through-f32", "Elements of i32 are converted to f32 and back.", VALUES, |s| s.integers.read = |dtype, bits| {
        let x = read(dtype, bits);
        if dtype == Dtype::I32 { x as f32 as i128 } else { x }
    }),
    row(Types, "u32-elements-through-f32", "Elements of u32 are converted to f32 and back.", VALUES, |s| s.integers.read = |dtype, bits| {
        let x = read(dtype, bits);
        if dtype == Dtype::U32 { x as f32 as i128 } else { x }
    }),
    row(Types, "i64-results-through-f64", "Results of i64 are converted to f64 and back.", VALUES, |s| s.integers.fit = |norm, dtype, readings| {
        let small = i128::try_from(&norm).ok().filter(|_| dtype == Dtype::I64);
        fit(small.map_or(norm, |small| (small as f64 as i128).into()), dtype, readings)
    }),
    row(Types, "results-stop-at-i32", "Results of i64 stop at the greatest i32.", VALUES, |s| s.integers.fit = |norm, dtype, readings| fit(if dtype == Dtype::I64 { norm.min(i32::MAX.into()) } else { norm }, dtype, readings)),
    row(Types, "narrow-results-as-magnitudes", "A result that wraps below zero is given as its magnitude.", VALUES, |s| s.integers.fit = |norm, dtype, readings| {
        let bits = fit(norm, dtype, readings)?;
        let signed = read(dtype, bits);
        Ok(wrapped(&signed.unsigned_abs().into(), dtype))
    }),
    row(Types, "halves-of-the-minimum", "The minimum's magnitude is taken one bit short.", VALUES, |s| s.integers.terms = |norm, x, dtype| {
        let there: Vec<i128> = x.iter().map(|&x| if range(dtype).0 < 0 && x == range(dtype).0 { x / 2 } else { x }).collect();
        terms(norm, &there, dtype)
    }),

    row(Types, "roots-of-magnitudes", "Sums of squares wrap in the type, and the root of what is below zero is that of its magnitude.", ROOTS, |s| { wrapping(s); s.integers.root = |sum, _, _| root_or(sum, |sum| sum.magnitude().sqrt().into()); }),
    row(Types, "roots-minus-one-below-zero", "Sums of squares wrap in the type, and the root of what is below zero is -1.", ROOTS, |s| { wrapping(s); s.integers.root = |sum, _, _| root_or(sum, |_| BigInt::from(-1)); }),
    row(Types, "roots-negated-below-zero", "Sums of squares wrap in the type, and the root of what is below zero is that of its magnitude, negated.", ROOTS, |s| { wrapping(s); s.integers.root = |sum, _, _| root_or(sum, |sum| -BigInt::from(sum.magnitude().sqrt())); }),
    row(Types, "roots-stop-a-step-early", "Newton's iteration ends where two steps differ by one, a step too early.", ROOTS, |s| s.integers.root = |sum, _, _| newton(sum)),
    row(Types, "integer-roots-in-halves", "Integer roots are taken in f16.", ROOTS, |s| s.integers.root = |sum, _, _| float_root(&sum.clone().min(BigInt::from(65504)), FloatFormat::F16)),

    row(Types, "f64-beyond-f32-infinite", "Elements of f64 beyond f32's range are infinite.", FLOATS, |s| s.floats.read = |dtype, bits| {
        let x = crate::floats::read(dtype, bits);
        if dtype == Dtype::F64 && held(x, FloatFormat::F32).is_infinite() { f64::INFINITY.copysign(x) } else { x }
    }),
    row(Types, "f64-below-f32-zero", "Elements of f64 below f32's range are 0.", FLOATS, |s| s.floats.read = |dtype, bits| {
        let x = crate::floats::read(dtype, bits);
        if dtype == Dtype::F64 && x.abs() < power(-149) { 0.0 } else { x }
    }),
    row(Types, "f32-beyond-f16-infinite", "Elements of f32 beyond f16's range are infinite.", FLOATS, |s| s.floats.read = |dtype, bits| {
        let x = crate::floats::read(dtype, bits);
        if dtype == Dtype::F32 && held(x, FloatFormat::F16).is_infinite() { f64::INFINITY.copysign(x) } else { x }
    }),
    row(Types, "bf16-beyond-f16-infinite", "Results of bf16 beyond f16's range are infinite.", FLOATS, |s| s.floats.narrow = |x, format| {
        if format == FloatFormat::BF16 && held(x, FloatFormat::F16).is_infinite() { f64::INFINITY } else { held(x, format) }
    }),
    row(Types, "f16-bits-read-as-bf16", "f16 bits are taken for bf16 bits.", FLOATS, |s| s.floats.read = |dtype, bits| crate::floats::read(if dtype == Dtype::F16 { Dtype::Bf16 } else { dtype }, bits)),
    row(Types, "body-in-f32-throughout", "ReduceL2-18 squares and adds f64 in f32, where the body casts the sum alone.", FLOATS, |s| {
        s.floats.width = |plan, _| if plan.spec == Spec::Onnx(Norm::L2, Opset::V18) { FloatFormat::F32 } else { FloatFormat::F64 };
        s.floats.scale = |x, width, readings| if width == FloatFormat::F32 { 1.0 } else { crate::floats::scale(x, width, readings) };
    }),

    row(Types, "u32-refused-by-onnx", "ONNX data of u32 are refused.", REFUSED, |s| s.admit = |call, readings| if is_onnx(call.spec()) && call.data.dtype() == Dtype::U32 { Err("u32".into()) } else { admit(call, readings) }),
    row(Types, "u64-refused-by-onnx", "ONNX data of u64 are refused.", REFUSED, |s| s.admit = |call, readings| if is_onnx(call.spec()) && call.data.dtype() == Dtype::U64 { Err("u64".into()) } else { admit(call, readings) }),
    row(Types, "f64-refused-by-onnx", "ONNX data of f64 are refused.", REFUSED, |s| s.admit = |call, readings| if is_onnx(call.spec()) && call.data.dtype() == Dtype::F64 { Err("f64".into()) } else { admit(call, readings) }),
    row(Types, "bf16-refused-at-13", "ONNX data of bf16 are refused at opset 13, which has them.", REFUSED, |s| s.admit = |call, readings| if matches!(call.operator, Operator::Onnx { opset: Opset::V13, .. }) && call.data.dtype() == Dtype::Bf16 { Err("bf16".into()) } else { admit(call, readings) }),
    row(Types, "i8-taken-by-onnx", "ONNX data may be i8.", TAKEN, |s| s.admit = |call, readings| if call.data.dtype() == Dtype::I8 { Ok(()) } else { admit(call, readings) }),
    row(Types, "u8-taken-by-onnx", "ONNX data may be u8.", TAKEN, |s| s.admit = |call, readings| if call.data.dtype() == Dtype::U8 { Ok(()) } else { admit(call, readings) }),
    row(Types, "bf16-taken-at-11", "ONNX data may be bf16 from opset 11 on.", TAKEN, |s| s.admit = |call, readings| if matches!(call.operator, Operator::Onnx { opset: Opset::V11, noop_with_empty_axes: None, .. }) && call.data.dtype() == Dtype::Bf16 { Ok(()) } else { admit(call, readings) }),
];

/// Returns squares of elements of this type, added in pairs; `held` converts each pair.
fn paired(norm: Norm, x: &[i128], dtype: Dtype, of: Dtype, held: fn(i128) -> i128) -> Vec<i128> {
    let terms = terms(norm, x, dtype);
    if norm == Norm::L1 || dtype != of {
        return terms;
    }
    terms.chunks(2).map(|pair| held(pair.iter().sum())).collect()
}

/// Returns the type's number that is congruent to this one.
fn as_type(x: &BigInt, dtype: Dtype) -> BigInt {
    read(dtype, wrapped(x, dtype)).into()
}

/// Makes sums of squares wrap in the data's type.
fn wrapping(steps: &mut Steps) {
    steps.integers.intermediate = |sum, dtype, _| as_type(&sum, dtype);
}

/// Returns the truncated root of a sum of squares; `below` gives it for a negative sum.
fn root_or(sum: &BigInt, below: fn(&BigInt) -> BigInt) -> BigInt {
    if *sum < BigInt::ZERO { below(sum) } else { sum.sqrt() }
}

/// Runs Newton's iteration for a root, but stops when two steps differ by one.
fn newton(sum: &BigInt) -> BigInt {
    if *sum <= BigInt::ZERO {
        return BigInt::ZERO;
    }
    let mut x = BigInt::from(1) << sum.bits().div_ceil(2);
    loop {
        let next: BigInt = (&x + sum / &x) >> 1;
        if (&x - &next).magnitude() <= &1_u8.into() {
            return next;
        }
        x = next;
    }
}

/// Returns a root computed in a float format, truncated.
fn float_root(sum: &BigInt, format: FloatFormat) -> BigInt {
    let sum = sum.iter_u64_digits().rev().fold(0.0, |sum, digit| sum * power(64) + digit as f64);
    BigInt::from(held(held(sum, format).sqrt(), format) as i128)
}

const fn is_onnx(spec: Spec) -> bool {
    matches!(spec, Spec::Onnx(..))
}
