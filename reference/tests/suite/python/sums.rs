//! Tests that sums of elements whose signs differ are exact: 100,000 vectors of cancelling terms against Python's
//! fractions, or against the stored digests of its answers.

use std::iter::{repeat_with, zip};

use normative_reference::exact::{self, Variant};
use normative_reference::{Dims, Dtype, Elements, FloatFormat, Norm, Real, Reduction, Tensor, Value};
use num_bigint::BigUint;
use rstest::rstest;

use super::{Random, ask, digest, format};

const SUMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/python/sums.py");

/// The vectors of each type.
const COUNT: usize = 25_000;

/// Draws a vector: terms of any size, most of them cancelled by a term of nearly the same size, so that condition
/// numbers go up to the range of the type; a fifth has infinities, NaNs or zeros of either sign.
fn vector(random: &mut Random, format: FloatFormat) -> Vec<u64> {
    let sign = |random: &mut Random| random.pick(&[0, format.sign()]);
    let top = random.pick(&[
        format.infinity(),
        format.infinity(),
        1 << (format.precision - 1),
        1 << format.precision,
    ]);
    let mut bits: Vec<u64> = (0..=random.below(12)).map(|_| (random.bits() % top) | sign(random)).collect();
    for _ in 0..random.below(2 * bits.len()) {
        let opposite = bits[random.below(bits.len())] ^ format.sign();
        // A finite neighbour, or the same number.
        let magnitude = (opposite & !format.sign()).saturating_add(random.below(3) as u64).saturating_sub(1);
        bits.push(opposite & format.sign() | magnitude.min(format.infinity() - 1));
    }
    if random.one_in(5) {
        let specials = [0, 0, 0, format.infinity(), format.nan()];
        bits.extend(repeat_with(|| random.pick(&specials) | sign(random)).take(2).collect::<Vec<_>>());
    }
    for at in 1..bits.len() {
        bits.swap(at, random.below(at + 1));
    }
    bits
}

/// Returns the sum as a fraction in lowest terms, or as the name of a special value.
fn fraction(value: &Value) -> String {
    let Real { significand, exponent, negative, .. } = match value {
        Value::Nan => return "nan".into(),
        Value::Infinite => return "inf".into(),
        Value::NegativeInfinite => return "-inf".into(),
        Value::Finite(real) => real,
    };
    let zeros = significand.trailing_zeros().unwrap_or(0);
    let below = u64::from(exponent.unsigned_abs()) * u64::from(*exponent < 0);
    let shared = zeros.min(below);
    let numerator = (significand << (*exponent).max(0)) >> shared;
    let denominator = BigUint::from(1_u8) << if numerator == BigUint::ZERO { 0 } else { below - shared };
    format!("{}{numerator}/{denominator}", if *negative { "-" } else { "" })
}

#[rstest]
#[case::f16(Dtype::F16, 0x5e91_f826_83be_9cdf)]
#[case::bf16(Dtype::Bf16, 0x14a9_3a3e_e83c_ed56)]
#[case::f32(Dtype::F32, 0xbe9c_c04b_5f47_89d7)]
#[case::f64(Dtype::F64, 0x9355_2460_48a0_90ed)]
fn sums_of_cancelling_terms_are_pythons_fractions(#[case] dtype: Dtype, #[case] stored: u64) {
    let mut random = Random(1966);
    let vectors: Vec<Vec<u64>> = repeat_with(|| vector(&mut random, format(dtype))).take(COUNT).collect();
    let sum = |bits: &Vec<u64>| {
        let data = Tensor::from_bits(dtype, &[bits.len()], bits).unwrap();
        let reduction =
            Reduction { norm: Norm::Sum, axes: vec![0], dims: Dims::Drop, elements: Elements::All };
        fraction(&exact::evaluate(&data, &reduction, Variant::default())[0])
    };
    let sums: Vec<String> = vectors.iter().map(sum).collect();
    if let Some(answers) = ask(SUMS, &[dtype.name()], dtype, &vectors) {
        for ((sum, expected), bits) in zip(zip(&sums, answers.lines()), &vectors) {
            assert_eq!(sum, expected, "{bits:x?}");
        }
    }
    let distinct: std::collections::BTreeSet<&String> = sums.iter().collect();
    assert!(["nan", "inf", "-inf", "0/1"].iter().all(|one| distinct.contains(&(*one).to_owned())));
    let digest = digest(sums.concat().bytes());
    assert_eq!(digest, stored, "other vectors than when Python agreed: {digest:#x}");
}
