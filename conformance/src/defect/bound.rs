//! Finds the exact bounds of conditions: the length of an axis at which a small call begins or ceases to fail.
//!
//! A learned condition has a bound from a list ("terms ≥ 65"). The length of one axis is halved between a call that fails
//! and one that the condition leaves out. Only lengths can be varied so; sizes of integers keep their learned bound.

use normative_reference::Call;

use super::traits::{Test, Trait, number};
use crate::shrink::lengthened;

/// The lengths of an axis between which the bound of a condition lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    axis: usize,
    /// The length that fails.
    fails: usize,
    /// The nearest length that the condition leaves out.
    breaks: usize,
}

impl Stretch {
    /// Returns the lengths for a part of the condition of this failing call, if an axis changes that number. A condition
    /// with a remainder leaves out lengths between others, so it has none.
    pub(crate) fn of(call: &Call, part: Trait, condition: &[Trait]) -> Option<Self> {
        let is_bound = |part: &Trait| match part {
            Trait::Number(_, test) => matches!(test, Test::AtLeast(_) | Test::Below(_)),
            _ => true,
        };
        let (true, Trait::Number(quantity, test)) = (condition.iter().all(is_bound), part) else {
            return None;
        };
        let fails = |axis: usize| call.data.shape().get(axis).copied();
        let at = |axis, dim| number(quantity, &lengthened(call, axis, dim)?);
        let own = number(quantity, call)?;
        let changes =
            |axis: &usize| fails(*axis).and_then(|dim| at(*axis, dim + 1)).is_some_and(|more| more > own);
        let axis = (0..call.data.rank()).find(changes)?;
        let fails = fails(axis)?;
        let breaks = match test {
            Test::AtLeast(bound) => {
                (0..fails).rev().find(|&dim| at(axis, dim).is_none_or(|number| number < bound))?
            }
            Test::Below(bound) => {
                (fails + 1..)
                    .map_while(|dim| Some((dim, at(axis, dim)?)))
                    .find(|(_, number)| *number >= bound)?
                    .0
            }
            Test::Is(_) | Test::Rest { .. } | Test::NoMultipleOf(_) => return None,
        };
        Some(Self { axis, fails, breaks })
    }

    /// Returns the calls with the last length that fails, as found by halving.
    pub(crate) fn last(self, call: &Call, mut fails: impl FnMut(&Call) -> bool) -> Option<Call> {
        let Self { axis, fails: mut near, breaks: mut far } = self;
        let mut last = call.clone();
        while near.abs_diff(far) > 1 {
            let middle = near.midpoint(far);
            let tried = lengthened(call, axis, middle)?;
            if fails(&tried) {
                (near, last) = (middle, tried);
            } else {
                far = middle;
            }
        }
        Some(last)
    }
}

/// Returns a part of a condition with the bound that these failing calls have, if that is narrower.
pub(crate) fn exact<'c>(part: Trait, failing: impl Iterator<Item = &'c Call>) -> Trait {
    let Trait::Number(quantity, test) = part else { return part };
    let numbers = failing.filter_map(|call| number(quantity, call));
    let test = match test {
        Test::AtLeast(bound) => Test::AtLeast(numbers.min().map_or(bound, |least| least.max(bound))),
        Test::Below(bound) => Test::Below(numbers.max().map_or(bound, |most| bound.min(most + 1))),
        other => other,
    };
    Trait::Number(quantity, test)
}

/// Returns true if a call is within the bound of a part of a condition.
pub(crate) fn meets(part: Trait, call: &Call) -> bool {
    let Trait::Number(quantity, test) = part else { return true };
    let Some(number) = number(quantity, call) else { return true };
    match test {
        Test::AtLeast(bound) => number >= bound,
        Test::Below(bound) => number < bound,
        Test::Is(_) | Test::Rest { .. } | Test::NoMultipleOf(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use normative_reference::{Axes, Dtype, Norm, Operator, Tensor};
    use rstest::rstest;

    use super::*;
    use crate::defect::traits::Quantity;

    fn call(shape: &[usize]) -> Call {
        let data = Tensor::from_bits(Dtype::I32, shape, &vec![1; shape.iter().product()]).unwrap();
        Call::new(Operator::OpenVino { norm: Norm::L1, keep_dims: None }, data, Axes::list(&[0]))
    }

    fn length(call: &Call) -> usize {
        call.data.shape()[0]
    }

    #[rstest]
    #[case::from_below(70, Test::AtLeast(65), 66)]
    #[case::from_above(3, Test::Below(256), 200)]
    #[case::beyond_all_learned_bounds(2000, Test::AtLeast(1025), 1500)]
    fn a_bound_is_found_by_halving(#[case] small: usize, #[case] learned: Test, #[case] bound: usize) {
        let part = Trait::Number(Quantity::Terms, learned);
        let fails = |call: &Call| match learned {
            Test::AtLeast(_) => length(call) >= bound,
            _ => length(call) < bound,
        };
        let mut asked = 0;
        let last = Stretch::of(&call(&[small]), part, &[part]).unwrap().last(&call(&[small]), |call| {
            asked += 1;
            fails(call)
        });
        let last = last.unwrap();
        assert!(asked <= 10, "{asked}");
        let due = match learned {
            Test::AtLeast(_) => Test::AtLeast(bound as u64),
            _ => Test::Below(bound as u64),
        };
        assert_eq!(exact(part, [&last].into_iter()), Trait::Number(Quantity::Terms, due));
        assert!(meets(exact(part, [&last].into_iter()), &last));
    }

    #[rstest]
    #[case::the_size_of_integers(Trait::Number(Quantity::IntegerBits, Test::AtLeast(8)))]
    #[case::a_remainder(Trait::Number(Quantity::Terms, Test::NoMultipleOf(4)))]
    #[case::no_number(Trait::Dtype(Dtype::I32))]
    fn what_no_length_changes_keeps_its_bound(#[case] part: Trait) {
        assert_eq!(Stretch::of(&call(&[3]), part, &[part]), None);
        assert_eq!(exact(part, [&call(&[3])].into_iter()), part);
    }
}
