//! A second evaluator, in another language and by another method (`oracle.py`), gives the same bits
//! on vectors made to be hard: subnormals, the whole range of exponents, and norms that lie exactly
//! on, or a hair beside, the border between two floats or between the greatest float and infinity.
//!
//! Without `python3` on the path there is nothing to compare with, and the test says so.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail tests")]

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::process::{Command, Stdio};

use normative_reference::exact::{Variant, evaluate};
use normative_reference::{Dims, Dtype, FloatFormat, Kind, Norm, Reduction, Tensor};

mod common;
use common::Random;

const ORACLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle.py");

#[test]
fn norms_agree_with_python_to_the_last_bit() {
    let vectors = vectors();
    let mut input = String::new();
    for Vector { dtype, norm, bits } in &vectors {
        write!(input, "{dtype} {norm:?}").unwrap();
        for bits in bits {
            write!(input, " {bits:x}").unwrap();
        }
        input.push('\n');
    }
    let Some(output) = ask_python(&input) else {
        eprintln!("skipped: python3 is not on the path, so nothing was compared");
        return;
    };
    let answers: Vec<&str> = output.lines().collect();
    assert_eq!(answers.len(), vectors.len(), "one answer a vector");
    let (mut ties, mut infinite) = (0, 0);
    for (Vector { dtype, norm, bits }, answer) in vectors.iter().zip(answers) {
        let data = Tensor::from_bits(*dtype, &[bits.len()], bits).unwrap();
        let reduction = Reduction { norm: *norm, axes: vec![0], dims: Dims::Drop };
        let rounded = evaluate(&data, &reduction, Variant::default())[0].round(format(*dtype));
        let (expected, tie) = answer.strip_suffix(" tie").map_or((answer, false), |bits| (bits, true));
        assert_eq!(format!("{rounded:x}"), expected, "{norm:?} of {dtype} {bits:x?}");
        ties += usize::from(tie);
        infinite += usize::from(rounded == format(*dtype).infinity());
    }
    // Otherwise the vectors would not have been hard.
    assert!(ties > 500 && infinite > 500, "{ties} ties and {infinite} infinities among {}", vectors.len());
}

/// What the oracle prints for this input; `None` where there is no Python.
fn ask_python(input: &str) -> Option<String> {
    let spawned = Command::new("python3").arg(ORACLE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = match spawned {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        spawned => spawned.unwrap(),
    };
    // The oracle reads everything before it writes anything, so neither pipe can fill up.
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the oracle failed: {}", output.status);
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The elements whose norm is asked for.
struct Vector {
    dtype: Dtype,
    norm: Norm,
    bits: Vec<u64>,
}

fn format(dtype: Dtype) -> FloatFormat {
    match dtype.kind() {
        Kind::Float(format) => format,
        Kind::Integer(_) => panic!("{dtype} is no float"),
    }
}

fn vectors() -> Vec<Vector> {
    let mut random = Random(13);
    let mut vectors = Vec::new();
    for dtype in [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64] {
        for norm in [Norm::L1, Norm::L2] {
            for _ in 0..120 {
                for kind in KINDS {
                    let mut bits = kind(&mut random, format(dtype), norm);
                    // Neither order nor sign may matter.
                    for at in 1..bits.len() {
                        bits.swap(at, random.below(at + 1));
                    }
                    let sign = format(dtype).sign();
                    for bits in &mut bits {
                        *bits |= if random.one_in(2) { sign } else { 0 };
                    }
                    vectors.push(Vector { dtype, norm, bits });
                }
            }
        }
    }
    vectors
}

/// The bits of some non-negative elements.
type Generator = fn(&mut Random, FloatFormat, Norm) -> Vec<u64>;

const KINDS: [Generator; 6] =
    [full_range, subnormals, powers_of_two, close_together, border_of_neighbours, border_of_infinity];

/// Any finite numbers.
fn full_range(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    (0..random.below(24)).map(|_| random.bits() % format.infinity()).collect()
}

/// Subnormals, and now and then a small normal number.
fn subnormals(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    let normal = 1 << (format.precision - 1);
    let below = if random.one_in(2) { normal } else { 16 };
    let mut bits: Vec<u64> = (0..=random.below(12)).map(|_| random.bits() % below).collect();
    if random.one_in(3) {
        bits.push(normal + random.bits() % normal);
    }
    bits
}

/// Powers of two, some of them repeated: sums of few bits, with ties among them.
fn powers_of_two(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    let place = format.precision - 1;
    let fields = format.infinity() >> place;
    let from = random.bits() % fields;
    let near =
        |random: &mut Random| (from + random.bits() % (2 * u64::from(format.precision))).min(fields - 1);
    (0..=random.below(8)).map(|_| near(random) << place).collect()
}

/// Numbers of about one size, where a loop in a few more bits would round differently.
fn close_together(random: &mut Random, format: FloatFormat, _: Norm) -> Vec<u64> {
    let place = format.precision - 1;
    let field = random.bits() % ((format.infinity() >> place) - 3);
    (0..=random.below(40))
        .map(|_| (field + random.bits() % 3) << place | random.bits() & ((1 << place) - 1))
        .collect()
}

/// A norm exactly halfway between two floats, or a hair beside.
fn border_of_neighbours(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let smallest = 2 << (format.precision - 1);
    let lower = smallest + random.bits() % (format.infinity() - smallest);
    let bits = halfway_above(format, norm, lower);
    beside(random, bits)
}

/// A norm exactly where overflow begins, or a hair beside.
fn border_of_infinity(random: &mut Random, format: FloatFormat, norm: Norm) -> Vec<u64> {
    let bits = halfway_above(format, norm, format.infinity() - 1);
    beside(random, bits)
}

/// Elements whose norm is halfway between a number and the next: the number itself, which has to be
/// at least twice the smallest normal one, and what is missing.
///
/// In units of half its last place the number is 2m and the norm 2m + 1. What is missing is 1 for
/// L1, and squares that add up to (2m + 1)² - (2m)² = 4m + 1 for L2.
fn halfway_above(format: FloatFormat, norm: Norm, lower: u64) -> Vec<u64> {
    let place = format.precision - 1;
    let half_ulp = (lower >> place) - 2;
    let m = lower & ((1 << place) - 1) | 1 << place;
    let missing = match norm {
        Norm::L1 => vec![1],
        Norm::L2 => squares(4 * m + 1),
    };
    let missing = missing.into_iter().map(|integer| from_integer(format, integer, half_ulp));
    std::iter::once(lower).chain(missing).collect()
}

/// Integers whose squares add up to `sum`, the greatest first.
fn squares(mut sum: u64) -> Vec<u64> {
    let mut roots = Vec::new();
    while sum > 0 {
        roots.push(sum.isqrt());
        sum -= sum.isqrt().pow(2);
    }
    roots
}

/// The bits of `integer · 2^scale` quanta, for an integer from 1 up to 2^precision - 1.
fn from_integer(format: FloatFormat, integer: u64, scale: u64) -> u64 {
    let place = u64::from(format.precision - 1);
    let log2 = u64::from(integer.ilog2());
    if log2 + scale < place {
        return integer << scale;
    }
    // The hidden bit adds one to the exponent field.
    ((log2 + scale - place) << place) + (integer << (place - log2))
}

/// Leaves a vector as it is, adds the smallest subnormal, or takes one unit from some element.
fn beside(random: &mut Random, mut bits: Vec<u64>) -> Vec<u64> {
    match random.below(3) {
        0 => {}
        1 => bits.push(1),
        _ => {
            let at = random.below(bits.len());
            bits[at] -= 1;
        }
    }
    bits
}
