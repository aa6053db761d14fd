//! Finds wrong values over no elements that are no number in particular: memory that a kernel never writes.

#![allow(clippy::float_cmp, reason = "a number is 1, or it is not")]

use std::collections::BTreeSet;

use normative_reference::textbook::to_f64;
use normative_reference::{Call, Dtype, Kind, rule};

use super::rules::Likeness;
use super::traits::reduction;
use crate::judge::compare::Mismatch;
use crate::judge::verdict::Verdict;

/// Returns the failures over no elements, if they have several values that no rule gives. Conforming calls say nothing:
/// fresh memory is often 0, which is right.
pub(crate) fn likenesses(told: &[(&Call, Option<&Verdict>)]) -> Option<Likeness> {
    let (mut same, mut values) = (Vec::new(), BTreeSet::new());
    for (at, &(call, verdict)) in told.iter().enumerate() {
        let Some(Mismatch::Element(wrong)) = verdict.and_then(Verdict::mismatch) else { continue };
        let ruling = rule(call);
        if reduction(&ruling).is_some_and(|reduction| reduction.terms(call.data.shape()) == 0) {
            same.push(at);
            if !is_of_a_rule(wrong.dtype, wrong.got) {
                values.insert(to_f64(wrong.dtype, wrong.got).to_bits());
            }
        }
    }
    let sentence = "Of a norm over no elements the output is not written.";
    (values.len() > 1).then_some(Likeness { sentence, same, similar: Vec::new(), against: 0 })
}

/// Returns true for what a fold over no elements may begin with: 1, a NaN, or an end of the type.
fn is_of_a_rule(dtype: Dtype, bits: u64) -> bool {
    match dtype.kind() {
        Kind::Float(_) => {
            let number = to_f64(dtype, bits);
            // After the greatest finite number of either sign comes an infinity.
            !number.is_finite() || number.abs() == 1.0 || !to_f64(dtype, bits.wrapping_add(1)).is_finite()
        }
        Kind::Integer(range) => [range.min, range.max, 1, -1].contains(&range.decode(bits)),
    }
}

#[cfg(test)]
mod tests {
    use normative_reference::{Axes, Norm, Operator, Tensor};
    use rstest::rstest;

    use super::*;
    use crate::judge::verdict::{Demands, Sheet, judge};
    use crate::observed::Observed;

    #[rstest]
    #[case::leftovers(0, [7, 9], true)]
    #[case::one_number(0, [7, 7], false)]
    #[case::beginnings_of_a_fold(0, [1, i32::MAX as u64], false)]
    #[case::values_of_elements(1, [7, 9], false)]
    fn memory_is_unwritten_where_nothing_is_added_and_values_differ(
        #[case] terms: usize,
        #[case] got: [u64; 2],
        #[case] expected: bool,
    ) {
        let data = Tensor::from_bits(Dtype::I32, &[1, terms], &vec![1; terms]).unwrap();
        let call = Call::new(Operator::OpenVino { norm: Norm::L1, keep_dims: None }, data, Axes::list(&[1]));
        let sheet = Sheet::of(&call).unwrap();
        let verdicts = got.map(|got| {
            let answer = Tensor::from_bits(Dtype::I32, &[1], &[got]).unwrap();
            judge(&sheet, &Observed::Tensor(answer), &Demands::default())
        });
        let told: Vec<_> = verdicts.iter().map(|verdict| (&call, Some(verdict))).collect();
        assert_eq!(likenesses(&told).is_some_and(|like| like.same == [0, 1]), expected);
    }
}
