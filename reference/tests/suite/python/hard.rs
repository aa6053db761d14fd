//! Tests that the vectors are hard. It counts the norms that are easily rounded wrong, and the vectors that
//! are added in several lanes.
//!
//! It does not compute any norm.

use std::iter::zip;

use normative_reference::{Dtype, FloatFormat, Norm, Real, Value};
use rstest::rstest;

use super::vectors::KINDS;
use super::{format, in_columns, vectors};

/// The hard kinds, each with the least count for L1 and for L2 of each type.
const HARD: [(&str, [u32; 2]); 6] = [
    ("ties", [15_000, 12_500]),
    ("a hair beside a tie", [2_500, 15_000]),
    ("ties with infinity", [3_000, 3_000]),
    ("too large", [6_500, 6_500]),
    ("subnormal", [12_500, 13_000]),
    ("added in several lanes", [192, 192]),
];

/// Without such vectors, an evaluator that is wrong only in hard cases would pass.
#[rstest]
fn vectors_are_hard(
    #[values(Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64)] dtype: Dtype,
    #[values(Norm::L1, Norm::L2)] norm: Norm,
) {
    let format = format(dtype);
    let mut counts = [0; HARD.len()];
    for kind in KINDS {
        let vectors = vectors(&kind, dtype, norm);
        for (bits, value) in zip(&vectors, in_columns(dtype, norm, &vectors)) {
            let (rounded, standing) = (value.round(format), standing(&value, format));
            let finite = matches!(value, Value::Finite(_));
            let infinity = finite && rounded == format.infinity();
            let is = [
                standing == Standing::Tie,
                standing == Standing::HairBeside,
                standing == Standing::Tie && infinity,
                infinity,
                format.is_subnormal(rounded),
                bits.len() >= 1024,
            ];
            zip(&mut counts, is).for_each(|(count, is)| *count += u32::from(is));
        }
    }
    for ((what, least), count) in zip(HARD, counts) {
        let least = least[usize::from(norm == Norm::L2)];
        assert!(count >= least, "{norm:?} of {dtype}, {what}: {count} vectors, not {least}");
    }
}

/// The position of a norm relative to the rounding border.
#[derive(Debug, PartialEq)]
pub(crate) enum Standing {
    /// In the middle of two numbers.
    Tie,
    /// Not a tie, but within a millionth of half a unit in the last place.
    HairBeside,
    Elsewhere,
}

pub(crate) fn standing(value: &Value, format: FloatFormat) -> Standing {
    const FINER: i32 = 20;
    let Value::Finite(real) = value else { return Standing::Elsewhere };
    let Real { significand, exponent, root, negative: _ } = real;
    let Some(log2) = real.floor_log2() else { return Standing::Elsewhere };
    let last = (log2 as i32 + 1 - format.precision as i32).max(format.quantum());
    // In units of the millionth part, rounded down.
    let unit = last - 1 - FINER;
    let shift = exponent - if *root { 2 * unit } else { unit };
    let (left, right) = (shift.max(0), (-shift).max(0));
    let power = significand << left >> right;
    let floor = if *root { power.sqrt() } else { power.clone() };
    let exact = &power << right == significand << left && (!*root || &floor * &floor == power);
    let middle = 1_u64 << FINER;
    let from_last = (floor % (2 * middle)).iter_u64_digits().next().unwrap_or(0);
    if from_last == middle && exact {
        Standing::Tie
    } else if from_last == middle || from_last == middle - 1 && !exact {
        Standing::HairBeside
    } else {
        Standing::Elsewhere
    }
}
