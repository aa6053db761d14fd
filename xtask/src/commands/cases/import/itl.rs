//! Tests of reductions in ITF1788's language, `sum_abs_nearest {1.0, -2.0} = 3.0;`, as norms of f64 vectors.
//!
//! `sum_abs` is the L1 norm. `sum_sqr` is the square of the L2 norm, so the output held against the reference is the
//! root of what the file states, in f64.

use std::collections::BTreeMap;

use normative_conformance::corpus::number;
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Opset, Tensor};

use super::{Vector, Vectors};

/// Bytes of the name of a testcase.
const MAX_NAME: usize = 200;

/// Reads a file.
///
/// # Errors
/// The first statement of a norm that cannot be read, in words.
pub(super) fn read(text: &str) -> Result<Vectors, String> {
    let mut vectors = Vectors::default();
    let (mut test_case, mut numbers) = (String::new(), BTreeMap::new());
    for line in without_comments(text).lines().map(str::trim).filter(|line| !matches!(*line, "" | "}")) {
        if let Some(name) = line.strip_prefix("testcase") {
            name.trim_end_matches('{').trim().clone_into(&mut test_case);
            // Each of its vectors has it in its name.
            if test_case.len() > MAX_NAME {
                return Err(format!(
                    "expected the name of a testcase in at most {MAX_NAME} bytes, got {}",
                    test_case.len()
                ));
            }
            continue;
        }
        let operation = line.split(['{', ' ']).next().unwrap_or_default();
        let norm = match operation {
            "sum_abs_nearest" => Norm::L1,
            "sum_sqr_nearest" => Norm::L2,
            other => {
                *vectors.others.entry(format!("{other}, which is not a norm")).or_default() += 1;
                continue;
            }
        };
        let number = numbers.entry(test_case.clone()).or_insert(0);
        *number += 1;
        let words = format!("{} {number}", test_case.replace('_', " "));
        let vector = vector(norm, words, line).map_err(|what| format!("{line}: {what}"))?;
        vectors.of_norms.push(vector);
    }
    Ok(vectors)
}

/// The text without what stands between `/*` and `*/`, or from `//` to the end of a line.
fn without_comments(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    let lines = plain.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// `OPERATION {OPERANDS} = RESULT;`
fn vector(norm: Norm, words: String, line: &str) -> Result<Vector, String> {
    let (_, rest) = line.split_once('{').ok_or("expected { before the operands")?;
    let (operands, rest) = rest.split_once('}').ok_or("expected } after the operands")?;
    let stated = rest.trim().strip_prefix('=').and_then(|rest| rest.trim().strip_suffix(';'));
    let stated = float(stated.ok_or("expected = RESULT; after the operands")?)?;
    let data = operands.split(',').map(float).collect::<Result<Vec<_>, _>>()?;
    let output = if norm == Norm::L2 { f64::from_bits(stated).sqrt().to_bits() } else { stated };
    let tensor = |shape: &[usize], bits: &[u64]| {
        Tensor::from_bits(Dtype::F64, shape, bits).map_err(|error| error.to_string())
    };
    let operator = Operator::Onnx { norm, opset: Opset::V13, keepdims: Some(0), noop_with_empty_axes: None };
    let call = Call::new(operator, tensor(&[data.len()], &data)?, Axes::list(&[0]));
    Ok(Vector { words, call, output: tensor(&[], &[output])? })
}

/// The bits of a number, as ITF1788 spells it.
fn float(text: &str) -> Result<u64, String> {
    let spelled = match text.trim() {
        "infinity" => ".inf",
        "-infinity" => "-.inf",
        "NaN" => ".nan",
        plain => plain,
    };
    number::parse(spelled, Dtype::F64).map_err(|error| format!("{} {error}", text.trim()))
}

#[cfg(test)]
mod tests {
    use normative_fuzz_checks::growth::assert_linear;
    use rstest::rstest;

    use super::*;

    const FILE: &str = "/* of someone\n   else */\ntestcase of_sums {\n    sum_nearest {1.0} = 1.0;\n    \
                        sum_abs_nearest {1.0, -infinity} = infinity; // so\n    sum_sqr_nearest {3.0, -4.0} = 25.0;\n}\n";

    #[test]
    fn sums_of_magnitudes_and_of_squares_are_norms() {
        let Vectors { of_norms, others } = read(FILE).unwrap();
        assert_eq!(others, BTreeMap::from([("sum_nearest, which is not a norm".to_owned(), 1)]));
        let [of_magnitudes, of_squares] = of_norms.as_slice() else { panic!("{}", of_norms.len()) };
        assert_eq!(of_magnitudes.words, "of sums 1");
        assert_eq!(of_magnitudes.output.bits(), [f64::INFINITY.to_bits()]);
        assert_eq!(of_magnitudes.call.data.bits(), [1.0_f64, f64::NEG_INFINITY].map(f64::to_bits));
        assert_eq!(of_squares.output.bits(), [5.0_f64.to_bits()], "the norm is the root of the sum");
        assert_eq!(of_squares.call.data.bits(), [3.0_f64, -4.0].map(f64::to_bits));
    }

    #[rstest]
    #[case::vectors("sum_abs_nearest {1.0, -2.0} = 3.0;\n")]
    #[case::testcases("testcase a {\n")]
    #[case::other_operations("a {}\n")]
    #[case::comments("/* a */ // b\n")]
    #[case::open_comments("/* ")]
    fn a_file_is_read_in_linear_time(#[case] part: &str) {
        assert_linear(500, |n| part.repeat(n), |text| _ = read(text));
        let operands = |n| format!("sum_abs_nearest {{{}1.0}} = 3.0;\n", "1.0, ".repeat(n));
        assert_linear(500, operands, |text| _ = read(text));
    }

    #[test]
    fn a_name_that_every_vector_would_repeat_is_bounded() {
        let text = format!("testcase {} {{\n", "a".repeat(201));
        assert!(read(&text).map(|_| ()).unwrap_err().contains("at most 200 bytes, got 201"));
    }

    #[test]
    fn a_statement_that_cannot_be_read_is_named() {
        let error = |line: &str| read(line).map(|_| ()).unwrap_err();
        assert_eq!(
            error("sum_abs_nearest {1.0, x} = 1.0;"),
            "sum_abs_nearest {1.0, x} = 1.0;: x is not a number"
        );
        assert!(error("sum_abs_nearest {1.0} 1.0;").ends_with("expected = RESULT; after the operands"));
    }
}
