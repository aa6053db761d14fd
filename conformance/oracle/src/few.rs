//! Sums of few terms: 128 bits nearly always hold them, so they need neither a block nor digits.

use normative_reference::exact::Variant;
use normative_reference::{Magnitude, Norm, Real, Value};
use num_bigint::BigUint;

use crate::axes::{Axis, for_each_offset};
use crate::sum::{Sum, special};
use crate::term::{Term, greater, lesser};

/// The most elements of a tensor that is summed here.
pub(crate) const FEW: usize = 64;

/// The most elements of an output that is summed here; for more, a block is faster.
pub(crate) const RUN: usize = 32;

/// Returns the norm of every output element of a tensor with these axes, row-major.
pub(crate) fn reduce<T: Copy, M: Term>(
    elements: &[T],
    mut axes: Vec<Axis>,
    norm: Norm,
    variant: Variant,
    magnitude: impl Fn(T) -> M,
) -> Vec<Value> {
    axes.sort_by_key(|axis| axis.reduced);
    let (kept, reduced) = axes.split_at(axes.partition_point(|axis| !axis.reduced));
    let (run, reduced) = reduced.split_last().unwrap_or((&Axis::ONE, &[]));
    let mut values = Vec::with_capacity(kept.iter().map(|axis| axis.dim).product());
    let mut room = [M::ZERO; FEW];
    let mut sum = None;
    for_each_offset(kept, 0, &mut |at| {
        let mut free = room.iter_mut();
        for_each_offset(reduced, at, &mut |at| {
            let run = (0..run.dim).map(|index| magnitude(elements[at + index * run.stride]));
            run.zip(free.by_ref()).for_each(|(term, to)| *to = term);
        });
        let left = free.len();
        let terms = &room[..FEW - left];
        values.push(
            norm_of(terms, norm, variant)
                .unwrap_or_else(|| one_by_one(terms, norm, variant, sum.get_or_insert_with(Sum::default))),
        );
    });
    values
}

/// Returns the norm of all these elements.
pub(crate) fn norm_of_all<T: Copy, M: Term>(
    elements: &[T],
    norm: Norm,
    variant: Variant,
    magnitude: impl Fn(T) -> M,
) -> Value {
    let mut room = [M::ZERO; FEW];
    room.iter_mut().zip(elements).for_each(|(to, &x)| *to = magnitude(x));
    let terms = &room[..elements.len()];
    norm_of(terms, norm, variant).unwrap_or_else(|| one_by_one(terms, norm, variant, &mut Sum::default()))
}

fn one_by_one<M: Term>(terms: &[M], norm: Norm, variant: Variant, sum: &mut Sum) -> Value {
    for term in terms {
        sum.add_term(norm, term.magnitude());
    }
    sum.take(norm, variant)
}

/// Returns the norm of these terms; `None` if their sum may need more than 128 bits.
fn norm_of<M: Term>(terms: &[M], norm: Norm, variant: Variant) -> Option<Value> {
    let nan = terms.iter().any(|term| term.partial_cmp(&M::ZERO).is_none());
    let greatest = terms.iter().copied().fold(M::ZERO, greater);
    let least = terms.iter().copied().filter(|&term| term > M::ZERO).fold(greatest, lesser);
    if let Some(value) = special(nan, greatest.magnitude() == Magnitude::Infinite, variant) {
        return Some(value);
    }
    // Every term is below 2^top and a multiple of 2^bottom.
    let ends = (least.magnitude(), greatest.magnitude());
    let (Magnitude::Finite { exponent: bottom, .. }, Magnitude::Finite { significand, exponent }) = ends
    else {
        return None;
    };
    if significand == 0 {
        return Some(Value::Finite(Real::zero()));
    }
    let top = exponent + (u64::BITS - significand.leading_zeros()) as i32;
    let power = if norm == Norm::L1 { 1 } else { 2 };
    let carries = terms.len().ilog2() + 1;
    if power * (top - bottom) as u32 + carries > u128::BITS {
        return None;
    }
    let of = |term: &M| match (term.magnitude(), norm) {
        (Magnitude::Finite { significand: 0, .. } | Magnitude::Infinite | Magnitude::Nan, _) => 0,
        (Magnitude::Finite { significand, exponent }, Norm::L1) => {
            u128::from(significand) << (exponent - bottom)
        }
        (Magnitude::Finite { significand, exponent }, Norm::L2) => {
            (u128::from(significand) * u128::from(significand)) << (2 * (exponent - bottom))
        }
    };
    let significand = BigUint::from(terms.iter().map(of).sum::<u128>());
    Some(Value::Finite(Real { significand, exponent: power as i32 * bottom, root: norm == Norm::L2 }))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The number 1 is below 2^1, and the other a multiple of `2^(exponent - 52)`; two of them carry into two bits.
    #[rstest]
    #[case::sum_of_128_bits(Norm::L1, -73, true)]
    #[case::sum_of_129(Norm::L1, -74, false)]
    #[case::squares_of_128(Norm::L2, -10, true)]
    #[case::squares_of_130(Norm::L2, -11, false)]
    fn as_much_is_added_at_once_as_128_bits_hold(
        #[case] norm: Norm,
        #[case] exponent: i32,
        #[case] at_once: bool,
    ) {
        let terms = [1.0, 2_f64.powi(exponent)];
        assert_eq!(norm_of(&terms, norm, Variant::default()).is_some(), at_once);
        let mut sum = Sum::default();
        let value = one_by_one(&terms, norm, Variant::default(), &mut sum);
        assert!(norm_of(&terms, norm, Variant::default()).is_none_or(|at_once| at_once == value));
    }

    #[test]
    fn zeros_take_no_room() {
        let value = norm_of(&[0.0, 3.0, 0.0, 4.0], Norm::L2, Variant::default());
        let five = Real { significand: 25_u8.into(), exponent: 0, root: true };
        assert_eq!(value, Some(Value::Finite(five)));
    }
}
