//! Tests that a million hard vectors have the same norm, to the last bit, by two ways: alone and as columns of one
//! tensor, and by `norms.py`, in another language and by another method. Sums of signed elements: `sums`.
//!
//! Without `python3`, the stored digests of its answers (`digests`) replace it. They are always compared, so
//! Python verifies them wherever it runs. The test prints on standard error which of the two it used.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _, stderr};
use std::iter::zip;
use std::process::{Command, Stdio};
use std::thread;

use normative_reference::exact::{self, Variant};
use normative_reference::{Dims, Dtype, Elements, FloatFormat, Norm, Reduction, Tensor, Value, dtype};
use rstest::rstest;

mod digests;
mod hard;
mod sums;
mod vectors;

use crate::common::Random;
use digests::{DIGESTS, digest};
use hard::{Standing, standing};
use vectors::{KINDS, Kind};

const NORMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/python/norms.py");

#[rstest]
fn norms_are_those_of_python_or_of_the_stored_digests(
    #[values(Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64)] dtype: Dtype,
    #[values(Norm::L1, Norm::L2)] norm: Norm,
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
    let (_, _, stored) = DIGESTS.iter().find(|row| (row.0, row.1) == (dtype, norm)).unwrap();
    let mut differing = String::new();
    for (kind, vectors) in zip(KINDS, groups) {
        let what = format!("{norm:?} of {dtype}, {}", kind.name);
        let values = one_by_one(dtype, norm, &vectors);
        let rounded: Vec<u64> = values.iter().map(|value| value.round(format)).collect();
        for (bits, (value, rounded)) in zip(&vectors, zip(&values, &rounded)) {
            let Some((expected, tie)) = answers.as_mut().map(|answers| answers.next().unwrap()) else {
                break;
            };
            assert_eq!(*rounded, expected, "{what}: not Python's {expected:x} but {rounded:x} for {bits:x?}");
            assert_eq!(standing(value, format) == Standing::Tie, tie, "{what}: whether a tie, for {bits:x?}");
        }
        for (bits, (column, value)) in zip(&vectors, zip(in_columns(dtype, norm, &vectors), &values)) {
            assert!(column == *value, "{what}: not the same value as a column for {bits:x?}");
        }
        let digest = digest(rounded.iter().flat_map(|bits| bits.to_le_bytes()));
        if stored.iter().find(|(name, _)| *name == kind.name) != Some(&(kind.name, digest)) {
            writeln!(differing, "            ({:?}, {digest:#018x}),", kind.name).unwrap();
        }
    }
    assert!(differing.is_empty(), "{norm:?} of {dtype}: not the digests stored, {cause}:\n{differing}");
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

/// Returns the bits of each vector's norm, and true if it is a tie; `None` where Python is missing.
fn ask_python(dtype: Dtype, norm: Norm, vectors: &[Vec<u64>]) -> Option<Vec<(u64, bool)>> {
    let answer = |line: &str| {
        let (bits, tie) = line.strip_suffix(" tie").map_or((line, false), |bits| (bits, true));
        (u64::from_str_radix(bits, 16).unwrap(), tie)
    };
    let output = ask(NORMS, &[dtype.name(), &format!("{norm:?}")], dtype, vectors)?;
    Some(output.lines().map(answer).collect())
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
