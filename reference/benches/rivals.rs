//! Other ways to make expected values: the usual plain loop, and other exact methods.
//!
//! Each takes the elements of one output. A rival that cannot hold the terms of a type exactly has no answer
//! for it: xsum takes f64 alone, so it cannot hold the squares of f64 and of i32; neither crate can hold i64.

use accurate::dot::OnlineExactDot;
use accurate::sum::OnlineExactSum;
use accurate::traits::{DotAccumulator as _, SumAccumulator as _};
use half::{bf16, f16};
use normative_reference::{Dtype, Element, Finish, FloatFormat, Kind, Magnitude, Norm, Real};
use num_bigint::BigUint;
use xsum::constants::XSUM_THRESHOLD;
use xsum::{Xsum, XsumLarge, XsumSmall};

/// An element as the plain loop reads it.
pub(crate) trait Number: Element {
    fn to_f64(self) -> f64;
}

macro_rules! numbers {
    ($($ty:ty: $to_f64:expr),* $(,)?) => {
        $(impl Number for $ty {
            #[inline]
            fn to_f64(self) -> f64 { $to_f64(self) }
        })*
    };
}

numbers! {
    f16: f16::to_f64, bf16: bf16::to_f64, f32: f64::from, f64: |x| x,
    i8: f64::from, i16: f64::from, i32: f64::from, i64: |x| x as f64,
    u8: f64::from, u16: f64::from, u32: f64::from, u64: |x| x as f64,
}

/// A function that returns the norm of one output's elements.
pub(crate) type Rival<T> = fn(&[T], Norm) -> f64;

/// Adds in f64, eight sums side by side as kernels with vectors do; not exact.
///
/// A single sum waits for each addition, and exact sums do not. A neighbour on the same core slows only what does not
/// wait, so a ratio to a single sum tells of the neighbour: 2.1 or 3.3 for f32, on the same machine within minutes.
pub(crate) fn plain<T: Number>(elements: &[T], norm: Norm) -> f64 {
    let sum = match norm {
        Norm::L1 => eight_sums(elements, f64::abs),
        Norm::L2 | Norm::SumSquare => eight_sums(elements, |x| x * x),
        Norm::Sum => eight_sums(elements, |x| x),
    };
    if norm.finish() == Finish::Nothing { sum } else { sum.sqrt() }
}

fn eight_sums<T: Number>(elements: &[T], term: impl Fn(f64) -> f64) -> f64 {
    let (chunks, rest) = elements.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += term(x.to_f64());
        }
    }
    sums.into_iter().sum::<f64>() + rest.iter().map(|x| term(x.to_f64())).sum::<f64>()
}

/// Adds every term to one big integer, in units of the least possible term.
pub(crate) fn big_integer<T: Number>(elements: &[T], norm: Norm) -> f64 {
    let power = u32::from(norm.order());
    let quantum = match T::DTYPE.kind() {
        Kind::Float(format) => format.quantum(),
        Kind::Integer(_) => 0,
    };
    let mut sum = BigUint::ZERO;
    for x in elements {
        if let Magnitude::Finite { significand, exponent } = T::DTYPE.magnitude(x.to_u64()) {
            sum += BigUint::from(significand).pow(power) << (power as i32 * (exponent - quantum));
        }
    }
    let real =
        Real { significand: sum, exponent: power as i32 * quantum, root: norm == Norm::L2, negative: false };
    f64::from_bits(real.round(FloatFormat::F64))
}

/// Uses the crate xsum, with the accumulator that it recommends for this length.
pub(crate) fn xsum<T: Number>(elements: &[T], norm: Norm) -> f64 {
    if elements.len() < XSUM_THRESHOLD {
        xsum_into(XsumSmall::new(), elements, norm)
    } else {
        xsum_into(XsumLarge::new(), elements, norm)
    }
}

fn xsum_into<T: Number>(mut sum: impl Xsum, elements: &[T], norm: Norm) -> f64 {
    match norm {
        Norm::L1 => elements.iter().for_each(|x| sum.add(x.to_f64().abs())),
        Norm::L2 | Norm::SumSquare => elements.iter().for_each(|x| sum.add(x.to_f64() * x.to_f64())),
        Norm::Sum => elements.iter().for_each(|x| sum.add(x.to_f64())),
    }
    if norm.finish() == Finish::Nothing { sum.sum() } else { sum.sum().sqrt() }
}

/// Returns true if [`xsum`] is exact up to its last rounding.
pub(crate) fn xsum_has(dtype: Dtype, norm: Norm) -> bool {
    match norm {
        Norm::L1 | Norm::Sum => dtype != Dtype::I64,
        Norm::L2 | Norm::SumSquare => matches!(dtype, Dtype::F16 | Dtype::Bf16 | Dtype::F32),
    }
}

/// Uses the crate accurate, with its two exact algorithms.
pub(crate) fn accurate<T: Number>(elements: &[T], norm: Norm) -> f64 {
    match norm {
        Norm::L1 => elements.iter().fold(OnlineExactSum::zero(), |sum, x| sum + x.to_f64().abs()).sum(),
        Norm::Sum => elements.iter().fold(OnlineExactSum::zero(), |sum, x| sum + x.to_f64()).sum(),
        Norm::L2 | Norm::SumSquare => {
            let squares = elements.iter().map(|x| (x.to_f64(), x.to_f64()));
            let sum = squares.fold(OnlineExactDot::zero(), |dot, pair| dot + pair).dot();
            if norm == Norm::L2 { sum.sqrt() } else { sum }
        }
    }
}

/// Returns true if [`accurate`] is exact up to its last rounding.
pub(crate) fn accurate_has(dtype: Dtype) -> bool {
    dtype != Dtype::I64
}
