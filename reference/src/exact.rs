//! Defines every norm, as an exact real, by integer arithmetic alone. This module is made to be read: a
//! faster evaluator has to give the same values.
//!
//! Each finite element is `m · 2^e`. Its term (`m · 2^e`, or `m² · 2^2e`) is added, as an integer,
//! to the bucket of its exponent; at the end the buckets are shifted to a common exponent and
//! joined. Nothing rounds. Special values follow the formula: a NaN makes the norm NaN, otherwise
//! an infinity makes it infinite, and no term at all makes it 0.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use crate::arithmetic::{FloatArithmetic, Subnormals};
use crate::dtype::{Dtype, FloatFormat, Kind, Magnitude};
use crate::real::{Real, Value};
use crate::reduction::Reduction;
use crate::spec::Norm;
use crate::tensor::Tensor;

/// The two ways in which a reading changes the exact values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Subnormal elements count as zero.
    pub flush_subnormals: bool,
    /// An infinity wins over a NaN.
    pub infinity_over_nan: bool,
}

impl Variant {
    /// Returns the changes that this arithmetic makes to the values.
    pub fn of(arithmetic: FloatArithmetic) -> Self {
        let FloatArithmetic { subnormals, infinity_over_nan, .. } = arithmetic;
        Self { flush_subnormals: subnormals == Subnormals::Flushed, infinity_over_nan }
    }
}

/// Returns the exact norm of every output element, row-major in the output's shape.
pub fn evaluate(data: &Tensor, reduction: &Reduction, variant: Variant) -> Vec<Value> {
    let data = &*reduction.operand(data);
    let outputs: usize = reduction.output_shape(data.shape()).iter().product();
    let terms = reduction.terms(data.shape());
    let order = reduction.outer_to_inner(data.rank());
    let flush = match data.dtype().kind() {
        Kind::Float(format) if variant.flush_subnormals => Some(format),
        _ => None,
    };
    // Reduced axes innermost: each run of `terms` elements is one output.
    let elements = data.bits_by(&order);
    let norm = |output: usize| {
        let run = &elements[output * terms..(output + 1) * terms];
        let magnitudes = run.iter().map(|&bits| magnitude(data.dtype(), bits, flush));
        summed(reduction.norm, magnitudes).finish(reduction.norm, variant.infinity_over_nan)
    };
    (0..outputs).map(norm).collect()
}

/// Returns the norm of one run of elements, given by their magnitudes.
pub fn norm_of(norm: Norm, elements: impl IntoIterator<Item = Magnitude>) -> Value {
    summed(norm, elements).finish(norm, false)
}

fn summed(norm: Norm, elements: impl IntoIterator<Item = Magnitude>) -> Sum {
    let mut sum = Sum::default();
    for element in elements {
        sum.add(norm, element);
    }
    sum
}

fn magnitude(dtype: Dtype, bits: u64, flush: Option<FloatFormat>) -> Magnitude {
    match flush {
        Some(format) if format.is_subnormal(bits) => Magnitude::Finite { significand: 0, exponent: 0 },
        _ => dtype.magnitude(bits),
    }
}

/// A running sum of terms: one wide integer per exponent.
#[derive(Default)]
struct Sum {
    buckets: BTreeMap<i32, u128>,
    /// Buckets that were about to overflow: the square of a 64-bit integer can fill one by itself.
    full: Vec<(i32, u128)>,
    nan: bool,
    infinite: bool,
}

impl Sum {
    fn add(&mut self, norm: Norm, element: Magnitude) {
        let (significand, exponent) = match element {
            Magnitude::Nan => return self.nan = true,
            Magnitude::Infinite => return self.infinite = true,
            Magnitude::Finite { significand, exponent } => (u128::from(significand), exponent),
        };
        let (term, exponent) = match norm {
            Norm::L1 => (significand, exponent),
            Norm::L2 => (significand * significand, 2 * exponent),
        };
        if term == 0 {
            return;
        }
        let bucket = self.buckets.entry(exponent).or_insert(0);
        match bucket.checked_add(term) {
            Some(sum) => *bucket = sum,
            None => self.full.push((exponent, std::mem::replace(bucket, term))),
        }
    }

    fn finish(self, norm: Norm, infinity_over_nan: bool) -> Value {
        if self.infinite && (infinity_over_nan || !self.nan) {
            return Value::Infinite;
        }
        if self.nan {
            return Value::Nan;
        }
        // Every exponent of an L2 sum is even, so the smallest is too, as a `Real` with a root requires.
        let Some(&exponent) = self.buckets.keys().next() else { return Value::Finite(Real::zero()) };
        let buckets = self.buckets.into_iter().chain(self.full);
        let significand = buckets.map(|(at, bucket)| BigUint::from(bucket) << (at - exponent)).sum();
        Value::Finite(Real { significand, exponent, root: norm == Norm::L2 })
    }
}
