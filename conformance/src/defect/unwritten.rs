//! Finds wrong values of memory that a kernel never writes: any numbers where nothing is added, or floats of one byte.

#![allow(clippy::float_cmp, reason = "a number is 1, or it is not")]

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::textbook::to_f64;
use normative_reference::{Call, Dtype, Kind, rule};

use super::rules::Likeness;
use super::traits::reduction;
use crate::judge::compare::{ElementMismatch, Mismatch};
use crate::judge::verdict::Verdict;

/// Calls with the verdict on a failing answer; `None` if the answer conforms.
type Told<'a> = [(&'a Call, Option<&'a Verdict>)];

/// Returns the failures whose values no kernel wrote. Conforming calls say nothing: fresh memory is often 0, which may be
/// right.
pub(crate) fn likenesses(told: &Told<'_>) -> Vec<Likeness> {
    let like = |sentence, same| Likeness { sentence, same, similar: Vec::new(), against: 0 };
    let nothing =
        of_no_elements(told).map(|same| like("Of a norm over no elements the output is not written.", same));
    let filled = of_one_byte(told).map(|same| like("The output is not written.", same));
    nothing.into_iter().chain(filled).collect()
}

fn wrong_elements<'a>(told: &'a Told<'_>) -> impl Iterator<Item = (usize, &'a Call, &'a ElementMismatch)> {
    told.iter().enumerate().filter_map(|(at, &(call, verdict))| match verdict?.mismatch()? {
        Mismatch::Element(wrong) => Some((at, call, wrong.as_ref())),
        _ => None,
    })
}

/// Returns the failures over no elements, if those of one type have several values that no rule gives. One number is rounded
/// to a value of each type.
fn of_no_elements(told: &Told<'_>) -> Option<Vec<usize>> {
    let (mut same, mut values) = (Vec::new(), BTreeMap::<Dtype, BTreeSet<u64>>::new());
    for (at, call, wrong) in wrong_elements(told) {
        let ruling = rule(call);
        if reduction(&ruling).is_some_and(|reduction| reduction.terms(call.data.shape()) == 0) {
            same.push(at);
            if !is_of_a_rule(wrong.dtype, wrong.got) {
                values.entry(wrong.dtype).or_default().insert(wrong.got);
            }
        }
    }
    values.values().any(|values| values.len() > 1).then_some(same)
}

/// Returns the failures with floats of one byte over and over, as debug allocators fill fresh memory, if two of them have 32
/// bits or more: one in 256 floats of 16 bits is such by chance.
fn of_one_byte(told: &Told<'_>) -> Option<Vec<usize>> {
    let mut of_bytes = BTreeMap::<u8, (Vec<usize>, usize)>::new();
    for (at, _, wrong) in wrong_elements(told).filter(|(_, _, wrong)| !wrong.dtype.is_integer()) {
        let bytes = &wrong.got.to_le_bytes()[..wrong.dtype.size()];
        // Zeros are often right or lost, and all bits set are a NaN.
        if bytes.iter().all(|byte| *byte == bytes[0]) && !matches!(bytes[0], 0 | 0xff) {
            let (same, wide) = of_bytes.entry(bytes[0]).or_default();
            same.push(at);
            *wide += usize::from(bytes.len() >= 4);
        }
    }
    let told = of_bytes.into_values().filter(|(_, wide)| *wide > 1);
    told.map(|(same, _)| same).max_by_key(Vec::len)
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
    use normative_reference::Dtype::{F16, F32, F64, I32};
    use normative_reference::{Axes, Norm, Operator, Tensor};
    use rstest::rstest;

    use super::*;
    use crate::judge::verdict::{Demands, Sheet, judge};
    use crate::observed::Observed;

    /// Returns the places of failures that each sentence explains, of L1 over so many elements with these wrong values.
    fn told(terms: usize, got: &[(Dtype, u64)]) -> Vec<(&'static str, Vec<usize>)> {
        let calls: Vec<(Call, Verdict)> = got
            .iter()
            .map(|&(dtype, got)| {
                let data = Tensor::from_bits(dtype, &[1, terms], &vec![1; terms]).unwrap();
                let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
                let call = Call::new(operator, data, Axes::list(&[1]));
                let answer = Tensor::from_bits(dtype, &[1], &[got]).unwrap();
                let sheet = Sheet::of(&call).unwrap();
                let verdict = judge(&sheet, &Observed::Tensor(answer), &Demands::default());
                (call, verdict)
            })
            .collect();
        let told: Vec<_> = calls.iter().map(|(call, verdict)| (call, Some(verdict))).collect();
        likenesses(&told).into_iter().map(|like| (like.sentence, like.same)).collect()
    }

    #[rstest]
    #[case::leftovers(0, [(I32, 7), (I32, 9)], true)]
    #[case::one_number(0, [(I32, 7), (I32, 7)], false)]
    #[case::one_number_of_two_types(0, [(F32, 0x3586_37bd), (F16, 0x0011)], false)]
    #[case::beginnings_of_a_fold(0, [(I32, 1), (I32, i32::MAX as u64)], false)]
    #[case::values_of_elements(1, [(I32, 7), (I32, 9)], false)]
    fn memory_is_unwritten_where_nothing_is_added_and_values_of_a_type_differ(
        #[case] terms: usize,
        #[case] got: [(Dtype, u64); 2],
        #[case] due: bool,
    ) {
        let due = if due {
            vec![("Of a norm over no elements the output is not written.", vec![0, 1])]
        } else {
            Vec::new()
        };
        assert_eq!(told(terms, &got), due);
    }

    #[rstest]
    #[case::debug_memory(&[(F32, 0xcdcd_cdcd), (F64, 0xcdcd_cdcd_cdcd_cdcd), (F16, 0xcdcd)], &[0, 1, 2])]
    #[case::beside_other_values(&[(F32, 0xcdcd_cdcd), (F32, 0x3f80_0001), (F32, 0xcdcd_cdcd)], &[0, 2])]
    #[case::once(&[(F32, 0xcdcd_cdcd), (F16, 0xcdcd)], &[])]
    #[case::two_bytes(&[(F32, 0xcdcd_cdcd), (F32, 0xabab_abab)], &[])]
    #[case::by_chance_in_16_bits(&[(F16, 0x3c3c), (F16, 0x3c3c)], &[])]
    #[case::all_bits_set(&[(F32, 0xffff_ffff), (F32, 0xffff_ffff)], &[])]
    #[case::integers(&[(I32, 0x0101_0101), (I32, 0x0101_0101)], &[])]
    fn memory_is_unwritten_where_two_wide_floats_are_one_byte_over_and_over(
        #[case] got: &[(Dtype, u64)],
        #[case] due: &[usize],
    ) {
        let due =
            if due.is_empty() { Vec::new() } else { vec![("The output is not written.", due.to_vec())] };
        assert_eq!(told(1, got), due);
    }
}
