//! Sums of few terms: nearly always 128 bits hold them, with neither a block nor digits to set up.

use num_bigint::BigUint;

use super::block::Term;
use super::sum::{Sum, special};
use super::{Axis, for_each_offset};
use crate::dtype::Magnitude;
use crate::exact::Variant;
use crate::real::{Real, Value};
use crate::spec::Norm;

/// A tensor of at most so many elements is summed here.
pub(super) const FEW: usize = 64;

/// The norm of every output element of a tensor with these axes, row-major.
pub(super) fn reduce<T: Copy, M: Term>(
    elements: &[T],
    mut axes: Vec<Axis>,
    norm: Norm,
    variant: Variant,
    magnitude: impl Fn(T) -> M,
) -> Vec<Value> {
    axes.sort_by_key(|axis| axis.reduced);
    let (kept, reduced) = axes.split_at(axes.partition_point(|axis| !axis.reduced));
    let (run, reduced) = reduced.split_last().unwrap_or((&Axis { dim: 1, stride: 1, reduced: true }, &[]));
    let mut values = Vec::with_capacity(kept.iter().map(|axis| axis.dim).product());
    let mut terms = Vec::with_capacity(elements.len());
    let mut sum = None;
    for_each_offset(kept, 0, &mut |at| {
        terms.clear();
        for_each_offset(reduced, at, &mut |at| {
            terms.extend((0..run.dim).map(|index| magnitude(elements[at + index * run.stride])));
        });
        values.push(norm_of(&terms, norm, variant).unwrap_or_else(|| {
            let sum = sum.get_or_insert_with(Sum::default);
            for term in &terms {
                sum.add_term(norm, term.magnitude());
            }
            sum.take(norm, variant)
        }));
    });
    values
}

/// The norm of these terms; `None` where their sum may need more than 128 bits.
fn norm_of<M: Term>(terms: &[M], norm: Norm, variant: Variant) -> Option<Value> {
    let (mut nan, mut infinite) = (false, false);
    // Every term is below 2^top and a multiple of 2^bottom.
    let (mut bottom, mut top) = (i32::MAX, i32::MIN);
    for term in terms {
        match term.magnitude() {
            Magnitude::Nan => nan = true,
            Magnitude::Infinite => infinite = true,
            Magnitude::Finite { significand: 0, .. } => {}
            Magnitude::Finite { significand, exponent } => {
                bottom = bottom.min(exponent);
                top = top.max(exponent + (u64::BITS - significand.leading_zeros()) as i32);
            }
        }
    }
    if let Some(value) = special(nan, infinite, variant) {
        return Some(value);
    }
    if bottom > top {
        return Some(Value::Finite(Real::zero()));
    }
    let power = if norm == Norm::L1 { 1 } else { 2 };
    let carries = terms.len().ilog2() + 1;
    if power * (top - bottom) as u32 + carries > u128::BITS {
        return None;
    }
    let of = |term: &M| match term.magnitude() {
        Magnitude::Finite { significand: 0, .. } | Magnitude::Infinite | Magnitude::Nan => 0,
        Magnitude::Finite { significand, exponent } => {
            u128::from(significand).pow(power) << (power * (exponent - bottom) as u32)
        }
    };
    let significand = BigUint::from(terms.iter().map(of).sum::<u128>());
    Some(Value::Finite(Real { significand, exponent: power as i32 * bottom, root: norm == Norm::L2 }))
}
