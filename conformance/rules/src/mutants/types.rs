//! Mistakes about element types: accumulators too narrow, signs misread, detours through other types.

use normative_conformance::Answer;
use normative_conformance::reference::{Dtype, FloatFormat, Tensor};
use num_bigint::BigInt;

use super::MutantFamily::Types;
use super::{Mutant, answer, row};
use crate::floats::{encode, format, held, scale};
use crate::integers::{intermediate, range, read, root, sum, terms, wrapped};

/// The clauses about the values of a type.
pub(super) const VALUES: &str = "norm types output-type data-type slices silent-on-overflow result-range";
const ROOTS: &str = "norm types output-type silent-on-rounding integer-roots integer-intermediate silent-on-intermediates \
    silent-on-overflow";
const HALF: &str = "norm output-type slices silent-on-intermediates accumulation types";
const DOUBLE: &str = "norm output-type types slices function-body-cast silent-on-intermediates squares-range";
const OUTPUT: &str = "output-type norm types";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Types, "i8-read-as-u8", "i8 elements are read as u8.", VALUES, |s| s.integers.read = |dtype, bits| if dtype == Dtype::I8 { bits.into() } else { read(dtype, bits) }),
    row(Types, "u8-read-as-i8", "u8 elements are read as i8.", VALUES, |s| s.integers.read = |dtype, bits| if dtype == Dtype::U8 { (bits as i8).into() } else { read(dtype, bits) }),
    row(Types, "u16-read-as-i16", "u16 elements are read as i16.", VALUES, |s| s.integers.read = |dtype, bits| if dtype == Dtype::U16 { (bits as i16).into() } else { read(dtype, bits) }),
    row(Types, "u32-read-as-i32", "u32 elements are read as i32.", VALUES, |s| s.integers.read = |dtype, bits| if dtype == Dtype::U32 { (bits as i32).into() } else { read(dtype, bits) }),
    row(Types, "u64-read-as-i64", "u64 elements are read as i64.", VALUES, |s| s.integers.read = |dtype, bits| if dtype == Dtype::U64 { (bits as i64).into() } else { read(dtype, bits) }),
    row(Types, "i64-through-i32", "i64 elements are cut to i32.", VALUES, |s| s.integers.read = |dtype, bits| if dtype == Dtype::I64 { (bits as i32).into() } else { read(dtype, bits) }),
    row(Types, "u64-through-u32", "u64 elements are cut to u32.", VALUES, |s| s.integers.read = |dtype, bits| if dtype == Dtype::U64 { (bits as u32).into() } else { read(dtype, bits) }),
    row(Types, "64-bits-through-32", "64-bit elements are cut to 32 bits.", VALUES, |s| s.integers.read = |dtype, bits| match dtype {
        Dtype::I64 => (bits as i32).into(),
        Dtype::U64 => (bits as u32).into(),
        _ => read(dtype, bits),
    }),
    row(Types, "i64-through-f64", "i64 sums are held in f64.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::I64 { in_float(x, FloatFormat::F64) } else { sum(x, dtype) }),
    row(Types, "i64-through-f32", "i64 sums are held in f32.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::I64 { in_float(x, FloatFormat::F32) } else { sum(x, dtype) }),
    row(Types, "u64-through-f64", "u64 sums are held in f64.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::U64 { in_float(x, FloatFormat::F64) } else { sum(x, dtype) }),
    row(Types, "i32-through-f32", "i32 sums are held in f32.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::I32 { in_float(x, FloatFormat::F32) } else { sum(x, dtype) }),
    row(Types, "u32-through-f32", "u32 sums are held in f32.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::U32 { in_float(x, FloatFormat::F32) } else { sum(x, dtype) }),
    row(Types, "i64-sums-in-i32", "i64 sums wrap as i32 does.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::I64 { read(Dtype::I32, wrapped(&sum(x, dtype), Dtype::I32)).into() } else { sum(x, dtype) }),
    row(Types, "i32-sums-in-i16", "i32 sums wrap as i16 does.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::I32 { read(Dtype::I16, wrapped(&sum(x, dtype), Dtype::I16)).into() } else { sum(x, dtype) }),
    row(Types, "i16-sums-in-i8", "i16 sums wrap as i8 does.", VALUES, |s| s.integers.sum = |x, dtype| if dtype == Dtype::I16 { read(Dtype::I8, wrapped(&sum(x, dtype), Dtype::I8)).into() } else { sum(x, dtype) }),
    row(Types, "u64-sums-saturate-as-i64", "u64 sums stop at the greatest i64.", VALUES, |s| s.integers.sum = |x, dtype| stopped(x, dtype, Dtype::U64, Dtype::I64)),
    row(Types, "u32-sums-saturate-as-i32", "u32 sums stop at the greatest i32.", VALUES, |s| s.integers.sum = |x, dtype| stopped(x, dtype, Dtype::U32, Dtype::I32)),
    row(Types, "u8-sums-saturate-as-i8", "u8 sums stop at the greatest i8.", VALUES, |s| s.integers.sum = |x, dtype| stopped(x, dtype, Dtype::U8, Dtype::I8)),
    row(Types, "one-below-the-greatest", "Sums saturate one below the greatest number of the type.", VALUES, |s| s.integers.fit = |norm, dtype, _| Ok(wrapped(&norm.min(BigInt::from(range(dtype).1 - 1)), dtype))),
    row(Types, "minimum-skipped", "The type's minimum, whose magnitude it lacks, counts as 0.", VALUES, |s| s.integers.terms = |norm, x, dtype| {
        let there: Vec<i128> = x.iter().map(|&x| if x == range(dtype).0 { 0 } else { x }).collect();
        terms(norm, &there, dtype)
    }),
    row(Types, "magnitude-saturates-and-sums-wrap", "The minimum's magnitude saturates, while sums wrap.", VALUES, |s| s.integers.terms = |norm, x, dtype| {
        let (min, max) = range(dtype);
        let there: Vec<i128> = x.iter().map(|&x| if min < 0 && x == min { max } else { x }).collect();
        terms(norm, &there, dtype)
    }),

    row(Types, "roots-up", "Roots of integers are rounded up.", ROOTS, |s| s.integers.root = |sum, _, _| {
        let root = sum.magnitude().sqrt();
        (if &root * &root < *sum.magnitude() { root + 1_u8 } else { root }).into()
    }),
    row(Types, "roots-up-from-three-quarters", "Roots of integers are rounded up from three quarters on.", ROOTS, |s| s.integers.root = |sum, _, _| {
        // Compares (4 root + 3)² with 16 sum.
        let root = sum.magnitude().sqrt();
        let quarters: num_bigint::BigUint = &root * 4_u8 + 3_u8;
        (if &quarters * &quarters < sum.magnitude() * 16_u8 { root + 1_u8 } else { root }).into()
    }),
    row(Types, "roots-of-squares-one-short", "Roots of perfect squares come out one too small.", ROOTS, |s| s.integers.root = |sum, plan, readings| if *sum > BigInt::ZERO { root(&(sum - 1), plan, readings) } else { sum.clone() }),
    row(Types, "squares-saturate-as-i32", "Sums of squares stop at the greatest i32, whatever the type.", ROOTS, |s| s.integers.intermediate = |sum, dtype, readings| intermediate(sum, dtype, readings).min(i32::MAX.into())),

    row(Types, "f64-through-f32", "f64 elements are read as f32.", DOUBLE, |s| s.floats.read = |dtype, bits| {
        let x = crate::floats::read(dtype, bits);
        if dtype == Dtype::F64 { held(x, FloatFormat::F32) } else { x }
    }),
    row(Types, "f64-sums-in-f32", "f64 is summed in f32.", DOUBLE, |s| s.floats.width = |plan, _| if plan.dtype == Dtype::F64 { FloatFormat::F32 } else { FloatFormat::F64 }),
    row(Types, "f64-results-through-f32", "f64 results are rounded to f32.", DOUBLE, |s| s.floats.narrow = |x, format| held(if format == FloatFormat::F64 { held(x, FloatFormat::F32) } else { x }, format)),
    row(Types, "squares-stop-at-65504", "f16 squares are clamped to the greatest number of the type.", HALF, |s| {
        s.floats.width = |plan, _| if plan.dtype == Dtype::F16 { FloatFormat::F32 } else { FloatFormat::F64 };
        s.floats.scale = |x, width, readings| if width == FloatFormat::F32 { 1.0 } else { scale(x, width, readings) };
        s.floats.sum = |x, width| if width == FloatFormat::F32 { crate::floats::sequential(&x.iter().map(|x| if x.is_finite() { x.min(65504.0) } else { *x }).collect::<Vec<_>>(), width) } else { crate::floats::sequential(x, width) };
    }),
    row(Types, "bf16-through-f16", "bf16 elements are read as f16.", HALF, |s| s.floats.read = |dtype, bits| {
        let x = crate::floats::read(dtype, bits);
        if dtype == Dtype::Bf16 { held(x, FloatFormat::F16) } else { x }
    }),
    row(Types, "bf16-bits-read-as-f16", "bf16 bits are taken for f16 bits.", HALF, |s| s.floats.read = |dtype, bits| crate::floats::read(if dtype == Dtype::Bf16 { Dtype::F16 } else { dtype }, bits)),

    row(Types, "half-answered-in-f32", "16-bit floats give an f32 output.", OUTPUT, |s| s.after = |_, _, answer| match answer {
        Answer::Tensor(tensor) if matches!(tensor.dtype(), Dtype::F16 | Dtype::Bf16) => retyped(&tensor, Dtype::F32),
        answer => answer,
    }),
    row(Types, "integers-answered-in-f64", "Integers give an f64 output.", OUTPUT, |s| s.after = |_, _, answer| match answer {
        Answer::Tensor(tensor) if tensor.dtype().is_integer() => retyped(&tensor, Dtype::F64),
        answer => answer,
    }),
    row(Types, "narrow-integers-answered-in-i32", "8-bit and 16-bit integers give an i32 output.", OUTPUT, |s| s.after = |_, _, answer| match answer {
        Answer::Tensor(tensor) if tensor.dtype().is_integer() && tensor.dtype().size() < 4 => retyped(&tensor, Dtype::I32),
        answer => answer,
    }),
    row(Types, "unsigned-refused", "Unsigned data are refused.", VALUES, |s| s.admit = |call, readings| match call.data.dtype() {
        Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 => Err("unsigned".into()),
        _ => crate::form::admit(call, readings),
    }),
];

/// Returns a sum in a float format, as an integer.
fn in_float(x: &[i128], format: FloatFormat) -> BigInt {
    BigInt::from(x.iter().fold(0.0, |sum, &x| held(sum + held(x as f64, format), format)) as i128)
}

/// Returns a sum that saturates at the greatest number of another type.
fn stopped(x: &[i128], dtype: Dtype, of: Dtype, at: Dtype) -> BigInt {
    let sum = sum(x, dtype);
    if dtype == of { sum.min(range(at).1.into()) } else { sum }
}

fn retyped(tensor: &Tensor, dtype: Dtype) -> Answer {
    let number = |bits: u64| match (tensor.dtype().is_integer(), dtype.is_integer()) {
        (true, true) => wrapped(&read(tensor.dtype(), bits).into(), dtype),
        (true, false) => encode(dtype, held(read(tensor.dtype(), bits) as f64, format(dtype))),
        (false, _) => encode(dtype, held(crate::floats::read(tensor.dtype(), bits), format(dtype))),
    };
    let bits: Vec<u64> = tensor.bits().into_iter().map(number).collect();
    answer(dtype, tensor.shape(), &bits)
}
