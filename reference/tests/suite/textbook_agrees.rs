//! Compares the exact evaluator with the f64 loop on 100,000 calls of every element type, rank, subset of
//! axes and dims. They share only the reduction's axes, and agree as closely as f64 can.
//!
//! The bound uses u = 2^-53 and n terms. The relative error of a square is u, that of a sum in any order (n -
//! 1)·u, so that of a sum of squares n·u. The root halves that and rounds once more: (n + 2)/2 · u. An L1 sum
//! has (n - 1)·u, and so has a sum with signs, relative to the L1 norm. A 64-bit integer is rounded to f64 first, which adds u. Another u/2 covers the products of
//! these small terms. No square leaves the range of f64.

use normative_reference::exact::{self, Variant};
use normative_reference::{
    Axes, Call, Dims, Dtype, Elements, Kind, Magnitude, Norm, Operator, Outcome, Real, Reduction, Tensor,
    Value, rule, textbook,
};
use num_bigint::BigUint;

use crate::common::{Random, filled};

const CALLS: usize = 100_000;

#[test]
fn exact_and_textbook_agree_within_the_error_of_f64() {
    let mut random = Random(1985);
    let mut seen = Seen::default();
    for number in 0..CALLS {
        let call = random_call(&mut random);
        let Some(reduction) = reduction_of(&call) else { panic!("call {number} reduces nothing: {call:?}") };
        let exact = exact::evaluate(&call.data, &reduction, Variant::default());
        let textbook = textbook::evaluate(&call.data, &reduction);
        assert_eq!(textbook.shape(), reduction.output_shape(call.data.shape()), "call {number}: {call:?}");
        assert_eq!(textbook.len(), exact.len(), "call {number}: {call:?}");
        let terms = reduction.terms(call.data.shape());
        let magnitudes = Reduction { norm: Norm::L1, ..reduction.clone() };
        let totals = exact::evaluate(&call.data, &magnitudes, Variant::default());
        for ((value, total), &approximate) in exact.iter().zip(&totals).zip(&textbook) {
            let near = match value {
                Value::Nan => approximate.is_nan(),
                Value::Infinite => approximate == f64::INFINITY,
                Value::NegativeInfinite => approximate == f64::NEG_INFINITY,
                Value::Finite(real) if reduction.norm == Norm::Sum => {
                    let half_ulps = half_ulps(call.data.dtype(), reduction.norm, terms);
                    sum_is_within(real, total, approximate, half_ulps)
                }
                Value::Finite(real) => {
                    let half_ulps = half_ulps(call.data.dtype(), reduction.norm, terms);
                    is_within(real, approximate, half_ulps)
                }
            };
            assert!(near, "call {number}: {value:?} is not {approximate:e}\n{call:?}");
        }
        seen.note(&call, &reduction, exact.len());
    }
    seen.check();
}

#[test]
fn the_textbook_has_the_shape_of_every_reduction() {
    let data = filled(Dtype::F32, &[2, 3], 0);
    for dims in [Dims::Keep, Dims::Drop, Dims::DropToVector] {
        for axes in [vec![], vec![0], vec![1], vec![0, 1]] {
            let reduction = Reduction { norm: Norm::L1, axes, dims, elements: Elements::All };
            let shape = reduction.output_shape(data.shape());
            assert_eq!(textbook::evaluate(&data, &reduction).shape(), shape, "{reduction:?}");
        }
    }
}

/// Returns the bound of the loop's relative error, in halves of u.
fn half_ulps(dtype: Dtype, norm: Norm, terms: usize) -> u64 {
    let terms = terms as u64;
    let conversion = if matches!(dtype, Dtype::I64 | Dtype::U64) { 2 } else { 0 };
    match norm {
        // Without a sum or a conversion, no step rounds.
        Norm::L1 | Norm::Sum if terms <= 1 => conversion,
        Norm::L1 | Norm::Sum => 2 * (terms - 1) + 1 + conversion,
        Norm::L2 => terms + 2 + 1 + conversion,
        Norm::SumSquare => 2 * terms + 1 + 2 * conversion,
    }
}

/// Returns true if `|approximate - real| ≤ half_ulps · 2^-54 · real`, computed in integers.
fn is_within(real: &Real, approximate: f64, half_ulps: u64) -> bool {
    let bits = approximate.to_bits();
    let (field, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    if field >= 0x7ff {
        return false;
    }
    let significand = if field == 0 { fraction } else { fraction | 1 << 52 };
    let exponent = field.max(1) as i32 - 1075;
    let power = if real.root { 2 } else { 1 };
    let one = 1_u64 << 54;
    // Both sides times 2^(54·power), at their common exponent.
    let approximate = (BigUint::from(significand) * one).pow(power);
    let low = BigUint::from(one - half_ulps).pow(power) * &real.significand;
    let high = BigUint::from(one + half_ulps).pow(power) * &real.significand;
    let (exponent, real_exponent) = (exponent * power as i32, real.exponent);
    let least = exponent.min(real_exponent);
    let approximate = approximate << (exponent - least);
    (low << (real_exponent - least)) <= approximate && approximate <= (high << (real_exponent - least))
}

/// Returns true if `|approximate - real| ≤ half_ulps · 2^-54 · total`.
fn sum_is_within(real: &Real, total: &Value, approximate: f64, half_ulps: u64) -> bool {
    let (Value::Finite(total), Magnitude::Finite { significand, exponent }) =
        (total, Dtype::F64.magnitude(approximate.to_bits()))
    else {
        return false;
    };
    let got = Real { significand: significand.into(), exponent, root: false, negative: approximate < 0.0 };
    let error = Real { negative: false, ..real.minus(&got) };
    let allowed =
        Real { significand: &total.significand * half_ulps, exponent: total.exponent - 54, ..Real::zero() };
    !allowed.minus(&error).negative
}

/// Returns the reduction of the first reading that has one (empty axes may also mean unchanged data).
fn reduction_of(call: &Call) -> Option<Reduction> {
    rule(call).alternatives.into_iter().find_map(|alternative| match alternative.outcome {
        Outcome::Reduce(reduction, _) => Some(reduction),
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => None,
    })
}

fn random_call(random: &mut Random) -> Call {
    let norm = random.pick(&[Norm::L1, Norm::L2, Norm::Sum]);
    let keep_dims = random.pick(&[None, Some(false), Some(true)]);
    let rank = random.below(6);
    let dims = [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5];
    let shape: Vec<usize> = (0..rank).map(|_| random.pick(&dims)).collect();
    // In any order, from either end.
    let mut axes: Vec<i64> = (0..rank as i64).filter(|_| random.one_in(2)).collect();
    for at in 1..axes.len() {
        axes.swap(at, random.below(at + 1));
    }
    for axis in &mut axes {
        *axis -= if random.one_in(3) { rank as i64 } else { 0 };
    }
    let dtype = random.pick(&Dtype::ALL);
    let specials = random.one_in(16);
    let count: usize = shape.iter().product();
    let bits: Vec<u64> = (0..count).map(|_| random_element(random, dtype, specials)).collect();
    let data = Tensor::from_bits(dtype, &shape, &bits).unwrap();
    Call::new(Operator::OpenVino { norm, keep_dims }, data, Axes::list(&axes))
}

fn random_element(random: &mut Random, dtype: Dtype, specials: bool) -> u64 {
    let bits = random.bits();
    match dtype.kind() {
        _ if random.one_in(8) => 0,
        Kind::Integer(_) => random.pick(&[bits, bits, 1, bits >> 1, !0]),
        Kind::Float(format) if specials && random.one_in(8) => {
            bits & format.sign() | random.pick(&[0, format.infinity(), format.nan()])
        }
        Kind::Float(_) if dtype == Dtype::F64 => {
            // Exponents within ±500, so that squares stay normal.
            let field = 1023 - 500 + random.below(1001) as u64;
            bits & !(0x7ff << 52) | field << 52
        }
        Kind::Float(format) => {
            let finite = bits % format.infinity();
            finite | if random.one_in(2) { format.sign() } else { 0 }
        }
    }
}

/// Counts of the drawn calls: the test fails if the generator leaves a form out.
#[derive(Default)]
struct Seen {
    dtypes: [usize; 12],
    ranks: [usize; 6],
    axes: [usize; 6],
    kept: usize,
    empty_data: usize,
    empty_sets: usize,
    outputs: usize,
}

impl Seen {
    fn note(&mut self, call: &Call, reduction: &Reduction, outputs: usize) {
        self.dtypes[call.data.dtype() as usize] += 1;
        self.ranks[call.data.rank()] += 1;
        self.axes[reduction.axes.len()] += 1;
        self.kept += usize::from(reduction.dims == Dims::Keep);
        self.empty_data += usize::from(call.data.is_empty());
        self.empty_sets += usize::from(call.data.is_empty() && outputs > 0);
        self.outputs += outputs;
    }

    fn check(&self) {
        let counts = [&self.dtypes[..], &self.ranks, &self.axes].concat();
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
        assert!(self.kept > 1000 && self.empty_data > 1000 && self.empty_sets > 1000);
        assert!(self.outputs > CALLS, "{} outputs", self.outputs);
    }
}
