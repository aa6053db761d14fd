//! Tests that a million hard vectors have the same norm, to the last bit, by two ways: alone and as columns of one
//! tensor, and by `norms.py`, in another language and by another method. Sums of signed elements: `sums`.
//!
//! Without `python3`, the stored digests of its answers replace it. They are always compared, so Python verifies
//! them wherever it runs. The test prints on standard error which of the two it used. A digest other than the
//! stored one means wrong norms or other vectors: store a new one only after Python has agreed.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _, stderr};
use std::iter::zip;
use std::process::{Command, Stdio};
use std::thread;

use normative_reference::exact::{self, Variant};
use normative_reference::{Dims, Dtype, Elements, FloatFormat, Norm, Reduction, Tensor, Value, dtype};
use rstest::rstest;

mod sums;
mod vectors;

use crate::common::Random;
use vectors::{KINDS, Kind};

const NORMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/python/norms.py");

#[rstest]
#[case::l1_of_f16(Dtype::F16, Norm::L1, 0x8357_3899_3922_d65b)]
#[case::l2_of_f16(Dtype::F16, Norm::L2, 0x38f5_cf82_29ea_eba4)]
#[case::l1_of_bf16(Dtype::Bf16, Norm::L1, 0xd940_e3de_4445_7d37)]
#[case::l2_of_bf16(Dtype::Bf16, Norm::L2, 0x949d_3cd2_31f0_380d)]
#[case::l1_of_f32(Dtype::F32, Norm::L1, 0xc530_e83d_d85c_35b2)]
#[case::l2_of_f32(Dtype::F32, Norm::L2, 0x9e5f_b34e_35c5_ac1c)]
#[case::l1_of_f64(Dtype::F64, Norm::L1, 0x5f4b_04cb_b232_5407)]
#[case::l2_of_f64(Dtype::F64, Norm::L2, 0x0955_8d0d_9f0f_4ffd)]
fn norms_are_those_of_python_or_of_the_stored_digests(
    #[case] dtype: Dtype,
    #[case] norm: Norm,
    #[case] stored: u64,
) {
    let format = format(dtype);
    let groups = KINDS.map(|kind| vectors(&kind, dtype, norm));
    let count: usize = groups.iter().map(Vec::len).sum();
    let answers = ask_python(dtype, norm, &groups.concat());
    let (against, cause) = match answers {
        Some(_) => {
            ("python3 and stored digests", "but Python agrees with these norms: other vectors than then")
        }
        None => ("stored digests alone: no python3", "and there is no Python to tell why"),
    };
    // `writeln!` because the test harness captures `eprintln!`.
    writeln!(stderr(), "{norm:?} of {dtype}: {count} vectors against {against}").unwrap();

    let mut answers = answers.map(Vec::into_iter);
    let mut all = Vec::new();
    for (kind, vectors) in zip(KINDS, groups) {
        let what = format!("{norm:?} of {dtype}, {}", kind.name);
        let values = one_by_one(dtype, norm, &vectors);
        let rounded: Vec<u64> = values.iter().map(|value| value.round(format)).collect();
        for (bits, rounded) in zip(&vectors, &rounded) {
            let Some(expected) = answers.as_mut().map(|answers| answers.next().unwrap()) else { break };
            assert_eq!(*rounded, expected, "{what}: not Python's {expected:x} but {rounded:x} for {bits:x?}");
        }
        for (bits, (column, value)) in zip(&vectors, zip(in_columns(dtype, norm, &vectors), &values)) {
            assert!(column == *value, "{what}: not the same value as a column for {bits:x?}");
        }
        all.extend(rounded);
    }
    let digest = digest(all.iter().flat_map(|bits| bits.to_le_bytes()));
    assert_eq!(digest, stored, "{norm:?} of {dtype}: not the digest stored, {cause}: {digest:#018x}");
}

/// Returns the FNV-1a hash, 64 bits.
fn digest(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn format(dtype: Dtype) -> FloatFormat {
    match dtype.kind() {
        dtype::Kind::Float(format) => format,
        dtype::Kind::Integer(_) => panic!("{dtype} is no float"),
    }
}

/// Draws vectors. Each kind, type and norm has its own seed, so that a new one does not change the others.
fn vectors(kind: &Kind, dtype: Dtype, norm: Norm) -> Vec<Vec<u64>> {
    let seed = digest(format!("{norm:?} of {dtype}, {}", kind.name).bytes());
    kind.vectors(Random(seed), format(dtype), norm)
}

fn one_by_one(dtype: Dtype, norm: Norm, vectors: &[Vec<u64>]) -> Vec<Value> {
    let reduction = Reduction { norm, axes: vec![0], dims: Dims::Drop, elements: Elements::All };
    let values = vectors.iter().flat_map(|bits| {
        let data = Tensor::from_bits(dtype, &[bits.len()], bits).unwrap();
        exact::evaluate(&data, &reduction, Variant::default())
    });
    values.collect()
}

/// Evaluates many vectors at once, each a column, padded with zeros, which do not change a norm.
fn in_columns(dtype: Dtype, norm: Norm, vectors: &[Vec<u64>]) -> Vec<Value> {
    // 149 is prime, so it is not a multiple of any number of columns that are taken together.
    const COLUMNS: usize = 149;
    let reduction = Reduction { norm, axes: vec![0], dims: Dims::Drop, elements: Elements::All };
    let values = vectors.chunks(COLUMNS).flat_map(|columns| {
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        let mut elements = vec![0; rows * columns.len()];
        for (at, column) in columns.iter().enumerate() {
            for (row, &bits) in column.iter().enumerate() {
                elements[row * columns.len() + at] = bits;
            }
        }
        let data = Tensor::from_bits(dtype, &[rows, columns.len()], &elements).unwrap();
        exact::evaluate(&data, &reduction, Variant::default())
    });
    values.collect()
}

/// Returns the bits of each vector's norm; `None` where Python is missing.
fn ask_python(dtype: Dtype, norm: Norm, vectors: &[Vec<u64>]) -> Option<Vec<u64>> {
    let output = ask(NORMS, &[dtype.name(), &format!("{norm:?}")], dtype, vectors)?;
    Some(output.lines().map(|line| u64::from_str_radix(line, 16).unwrap()).collect())
}

/// Returns what a script answers to these vectors, a line each; `None` where Python is missing.
fn ask(script: &str, arguments: &[&str], dtype: Dtype, vectors: &[Vec<u64>]) -> Option<String> {
    let mut command = Command::new("python3");
    command.arg(script).args(arguments);
    let mut child = match command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        spawned => spawned.unwrap(),
    };
    let mut input = String::new();
    for bits in vectors {
        for bits in bits {
            write!(input, "{bits:0width$x}", width = 2 * dtype.size()).unwrap();
        }
        input.push('\n');
    }
    let mut stdin = child.stdin.take().unwrap();
    let written = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the script failed: {}", output.status);
    written.join().unwrap().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.lines().count(), vectors.len(), "one answer a vector");
    Some(output)
}
