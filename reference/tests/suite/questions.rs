//! Lists the open questions of each spec: for each a call that raises it, and every reading in order.
//!
//! The match is exhaustive, so a question without a row does not compile. These tests check the reduction and
//! the arithmetic of a reading, not values.

use half::f16;
use normative_reference::Norm::{L1, L2};
use normative_reference::Opset::{V1, V11, V13, V18};
use normative_reference::{Axes, Call, Dtype, Question, rule};

use crate::common::readings::{axes_of, ones, other_form, readings};
use crate::common::{array_api, blas, bnns, onnx, onnx_with, openvino, tensor};

/// Returns a call that raises the question and every reading of it. A `*` stands for both ways to round an integer
/// root; `written_out` fills it in.
#[allow(clippy::too_many_lines, reason = "it is the table")]
fn open(question: Question) -> (Call, &'static [&'static str]) {
    let noop = |axes| onnx_with(L1, V18, None, Some(1), axes, ones(&[2, 3]));
    match question {
        Question::EmptyAxesIdentity => (
            openvino(L1, Axes::list(&[]), ones(&[2, 3])),
            &[
                "empty-axes-identity=x: unchanged",
                "empty-axes-identity=norm-of-each-element: over [] to [2, 3]",
            ],
        ),
        Question::EmptyAxesAttribute => (
            onnx(L1, V13, Axes::list(&[]), ones(&[2, 3])),
            &[
                "empty-axes-attribute=reduce-all: over [0, 1] to [1, 1]",
                "empty-axes-attribute=reduce-none: over [] to [2, 3]",
                "empty-axes-attribute=reject: rejected for axes-empty",
            ],
        ),
        Question::EmptyAxesBnns => (
            bnns(&[1], Axes::list(&[]), ones(&[2, 3])),
            &[
                "empty-axes-bnns=reduce-all: over [0, 1] to [1]",
                "empty-axes-bnns=reject: rejected for axes-empty",
            ],
        ),
        Question::EmptyAxesBnnsCopy => (
            bnns(&[3, 2], Axes::list(&[]), ones(&[2, 3])),
            &[
                "empty-axes-bnns-copy=reduce-none: over [] to [2, 3]",
                "empty-axes-bnns-copy=reject: rejected for axes-empty",
            ],
        ),
        Question::NoopAbsentAxes => (
            noop(Axes::Absent),
            &[
                "noop-absent-axes=x: unchanged",
                "noop-absent-axes=norm-of-each-element: over [] to [2, 3]",
                "noop-absent-axes=reduce-all: over [0, 1] to [1, 1]",
            ],
        ),
        Question::NoopNullAxes => (
            noop(Axes::Null),
            &[
                "noop-null-axes=x: unchanged",
                "noop-null-axes=norm-of-each-element: over [] to [2, 3]",
                "noop-null-axes=reduce-all: over [0, 1] to [1, 1]",
            ],
        ),
        Question::NoopEmptyAxes => (
            noop(Axes::list(&[])),
            &[
                "noop-empty-axes=x: unchanged",
                "noop-empty-axes=norm-of-each-element: over [] to [2, 3]",
                "noop-empty-axes=reduce-all: over [0, 1] to [1, 1]",
            ],
        ),
        Question::DuplicateAxes => (
            onnx(L1, V18, Axes::list(&[1, 1]), ones(&[2, 3])),
            &[
                "duplicate-axes=collapse: over [1] to [2, 1]",
                "duplicate-axes=reject: rejected for axes-repeated",
            ],
        ),
        Question::DuplicateAxesMixedSign => (
            onnx(L1, V11, Axes::list(&[1, -1]), ones(&[2, 3])),
            &[
                "duplicate-axes-mixed-sign=collapse: over [1] to [2, 1]",
                "duplicate-axes-mixed-sign=reject: rejected for axes-repeated",
            ],
        ),
        Question::AxisOnRankZero => (
            onnx(L1, V1, Axes::list(&[0]), ones(&[])),
            &["axis-on-rank-0=accept: over [] to []", "axis-on-rank-0=reject: rejected for axes"],
        ),
        Question::AxisRangeOpset1 => (
            onnx(L1, V1, Axes::list(&[-1]), ones(&[2, 3])),
            &[
                "axis-range-opset-1=as-later-opsets: over [1] to [2, 1]",
                "axis-range-opset-1=reject: rejected for axes",
                "axis-range-opset-1=ignore: over [] to [2, 3]",
            ],
        ),
        Question::NegativeAxesBnns => (
            bnns(&[3], Axes::list(&[-1]), ones(&[2, 3])),
            &[
                "negative-axes-bnns=reject: rejected for axes",
                "negative-axes-bnns=from-the-end: over [0] to [3]",
                "negative-axes-bnns=ignore: rejected for output-shape",
            ],
        ),
        Question::AxesTensorScalar => (
            onnx(L1, V18, Axes::scalar(1), ones(&[2, 3])),
            &[
                "axes-tensor-scalar=accept: over [1] to [2, 1]",
                "axes-tensor-scalar=reject: rejected for axes-list",
            ],
        ),
        Question::AxesTensor2d => (
            onnx(L1, V18, axes_of(Dtype::I64, &[1, 1], &[1]), ones(&[2, 3])),
            &["axes-tensor-2d=accept: over [1] to [2, 1]", "axes-tensor-2d=reject: rejected for axes-list"],
        ),
        Question::RankZeroOpset11 => (
            onnx(L1, V11, Axes::Absent, ones(&[])),
            &[
                "rank-0-opset-11=as-other-opsets: over [] to []",
                "rank-0-opset-11=reject: rejected for rank-zero-unstated",
            ],
        ),
        Question::EmptySetOpset11 => (
            onnx(L1, V11, Axes::list(&[0]), ones(&[0, 2])),
            &[
                "empty-set-opset-11=as-other-opsets: over [0] to [1, 2]",
                "empty-set-opset-11=reject: rejected for empty-set-unstated",
            ],
        ),
        Question::EmptyData => (
            openvino(L1, Axes::list(&[1]), ones(&[0, 2])),
            &["empty-data=accept: over [1] to [0]", "empty-data=reject: rejected for empty-data"],
        ),
        Question::EmptySet => (
            openvino(L1, Axes::list(&[0]), ones(&[0, 2])),
            &["empty-set=zero: over [0] to [2]", "empty-set=reject: rejected for empty-set"],
        ),
        Question::SampleTypesBnns => (
            bnns(&[1], Axes::Null, tensor(&[1], &[1.0_f64])),
            &[
                "sample-types-bnns=accept: over [0] to [1], in f64",
                "sample-types-bnns=reject: rejected for types",
            ],
        ),
        Question::RanksBnns => (
            bnns(&[1], Axes::Null, ones(&[])),
            &["ranks-bnns=accept: over [] to [1]", "ranks-bnns=reject: rejected for ranks"],
        ),
        Question::UnknownAttribute => (
            onnx_with(L1, V13, None, Some(1), Axes::list(&[]), ones(&[2])),
            &[
                "unknown-attribute=reject: rejected for attributes",
                "unknown-attribute=ignore, empty-axes-attribute=reduce-all: over [0] to [1]",
                "unknown-attribute=ignore, empty-axes-attribute=reduce-none: over [] to [2]",
                "unknown-attribute=ignore, empty-axes-attribute=reject: rejected for axes-empty",
            ],
        ),
        Question::UnknownInput => (
            onnx(L1, V13, other_form(&[1]), ones(&[2, 3])),
            &["unknown-input=reject: rejected for inputs", "unknown-input=ignore: over [0, 1] to [1, 1]"],
        ),
        Question::BooleanKeepdims => (
            onnx_with(L1, V13, Some(-1), None, Axes::list(&[0]), ones(&[2, 3])),
            &[
                "boolean-attributes-keepdims=nonzero-is-true: over [0] to [1, 3]",
                "boolean-attributes-keepdims=only-1-is-true: over [0] to [3]",
                "boolean-attributes-keepdims=reject: rejected for keepdims-values",
            ],
        ),
        Question::BooleanNoop => (
            onnx_with(L1, V18, None, Some(2), Axes::list(&[]), ones(&[2])),
            &[
                "boolean-attributes-noop=nonzero-is-true, noop-empty-axes=x: unchanged",
                "boolean-attributes-noop=nonzero-is-true, noop-empty-axes=norm-of-each-element: over [] to [2]",
                "boolean-attributes-noop=nonzero-is-true, noop-empty-axes=reduce-all: over [0] to [1]",
                "boolean-attributes-noop=only-1-is-true: over [0] to [1]",
                "boolean-attributes-noop=reject: rejected for noop-values",
            ],
        ),
        Question::KeepdimsWithoutAxis => (
            array_api(None, Some(true), Axes::Null, ones(&[2, 3])),
            &[
                "keepdims-without-axis=kept: over [0, 1] to [1, 1]",
                "keepdims-without-axis=zero-dimensional: over [0, 1] to []",
            ],
        ),
        Question::AxisOutOfRange => (
            onnx(L1, V1, Axes::list(&[2]), ones(&[2, 3])),
            &["axis-out-of-range=reject: rejected for axes", "axis-out-of-range=ignore: over [] to [2, 3]"],
        ),
        Question::NegativeIncrement => (
            blas(L1, 2, -2, ones(&[3])),
            &[
                "negative-increment=zero: over [0] to [], 0 from 0 by -2",
                "negative-increment=of-elements: over [0] to [], 2 from 2 by -2",
            ],
        ),
        Question::ZeroIncrement => (
            blas(L1, 3, 0, ones(&[1])),
            &[
                "zero-increment=zero: over [0] to [], 0 from 0 by 0",
                "zero-increment=of-elements: over [0] to [], 3 from 0 by 0",
            ],
        ),
        Question::IntegerOverflow => (
            openvino(L1, Axes::list(&[0]), tensor(&[2], &[i32::MAX, 1])),
            &[
                "integer-overflow=wrap: over [0] to [], Wrap",
                "integer-overflow=saturate: over [0] to [], Saturate",
                "integer-overflow=reject: over [0] to [], Reject",
                "integer-overflow=indefinite: over [0] to [], Indefinite",
            ],
        ),
        Question::IntegerL2Rounding => (
            openvino(L2, Axes::list(&[0]), tensor(&[2], &[1_i32, 2])),
            &["integer-l2-rounding=*: over [0] to [], Wrap*"],
        ),
        Question::IntegerL2Intermediate => (
            openvino(L2, Axes::list(&[0]), tensor(&[2], &[16_u8, 0])),
            &[
                "integer-l2-rounding=*, integer-l2-intermediate=exact: over [0] to [], Wrap*",
                "integer-l2-rounding=*, integer-l2-intermediate=wraps: over [0] to [], Wrap*, Wraps in u8",
                "integer-l2-rounding=*, integer-l2-intermediate=saturates: \
                 over [0] to [], Wrap*, Saturates in u8",
                "integer-l2-rounding=*, integer-l2-intermediate=squares-wrap: \
                 over [0] to [], Wrap*, SquaresWrap in u8",
            ],
        ),
        Question::IntegerL2Wider => (
            openvino(L2, Axes::list(&[0]), tensor(&[1], &[200_u8])),
            &[
                "integer-l2-rounding=*, integer-l2-intermediate=exact, integer-l2-wider=exact: \
                 over [0] to [], Wrap*",
                "integer-l2-rounding=*, integer-l2-intermediate=exact, integer-l2-wider=wraps, integer-l2-negative=zero: \
                 over [0] to [], Wrap*, Wraps in i16",
                "integer-l2-rounding=*, integer-l2-intermediate=exact, integer-l2-wider=wraps, integer-l2-negative=unsigned: \
                 over [0] to [], Wrap*",
                "integer-l2-rounding=*, integer-l2-intermediate=exact, integer-l2-wider=saturates, integer-l2-negative=zero: \
                 over [0] to [], Wrap*, Saturates in i16",
                "integer-l2-rounding=*, integer-l2-intermediate=exact, integer-l2-wider=saturates, integer-l2-negative=unsigned: \
                 over [0] to [], Wrap*",
                "integer-l2-rounding=*, integer-l2-intermediate=exact, integer-l2-wider=squares-wrap, integer-l2-negative=zero: \
                 over [0] to [], Wrap*, SquaresWrap in i16",
                "integer-l2-rounding=*, integer-l2-intermediate=exact, integer-l2-wider=squares-wrap, integer-l2-negative=unsigned: \
                 over [0] to [], Wrap*",
                "integer-l2-rounding=*, integer-l2-intermediate=wraps: over [0] to [], Wrap*, Wraps in u8",
                "integer-l2-rounding=*, integer-l2-intermediate=saturates: \
                 over [0] to [], Wrap*, Saturates in u8",
                "integer-l2-rounding=*, integer-l2-intermediate=squares-wrap: \
                 over [0] to [], Wrap*, SquaresWrap in u8",
            ],
        ),
        Question::IntegerL2Negative => (
            openvino(L2, Axes::list(&[0]), tensor(&[1], &[12_i8])),
            &[
                "integer-l2-rounding=*, integer-l2-intermediate=exact: over [0] to [], Wrap*",
                "integer-l2-rounding=*, integer-l2-intermediate=wraps, integer-l2-negative=zero: \
                 over [0] to [], Wrap*, Wraps in i8",
                "integer-l2-rounding=*, integer-l2-intermediate=wraps, integer-l2-negative=indefinite: \
                 over [0] to [], Wrap*, Wraps in i8 or indefinite",
                "integer-l2-rounding=*, integer-l2-intermediate=wraps, integer-l2-negative=unsigned: \
                 over [0] to [], Wrap*",
                "integer-l2-rounding=*, integer-l2-intermediate=saturates: \
                 over [0] to [], Wrap*, Saturates in i8",
                "integer-l2-rounding=*, integer-l2-intermediate=squares-wrap, integer-l2-negative=zero: \
                 over [0] to [], Wrap*, SquaresWrap in i8",
                "integer-l2-rounding=*, integer-l2-intermediate=squares-wrap, integer-l2-negative=indefinite: \
                 over [0] to [], Wrap*, SquaresWrap in i8 or indefinite",
                "integer-l2-rounding=*, integer-l2-intermediate=squares-wrap, integer-l2-negative=unsigned: \
                 over [0] to [], Wrap*",
            ],
        ),
        Question::IntegerL2Precision => (
            openvino(L2, Axes::list(&[0]), tensor(&[1], &[16_777_217_i64])),
            &[
                "integer-l2-rounding=*, integer-l2-precision=exact: over [0] to [], Wrap*",
                "integer-l2-rounding=*, integer-l2-precision=double: over [0] to [], Wrap*",
                "integer-l2-rounding=*, integer-l2-precision=single: over [0] to [], Wrap*, through f32",
            ],
        ),
        Question::FloatRange => (
            bnns(&[1], Axes::Null, tensor(&[2], &[1e30_f32, 1e-30])),
            &[
                "float-range=scaled: over [0] to [1]",
                "float-range=rescued, subnormals=kept: over [0] to [1], rescued",
                "float-range=rescued, subnormals=flushed: over [0] to [1], rescued, flushed",
                "float-range=rescued, subnormals=results-flushed: over [0] to [1], rescued, results flushed",
                "float-range=naive, subnormals=kept: over [0] to [1], naive",
                "float-range=naive, subnormals=flushed: over [0] to [1], naive, flushed",
                "float-range=naive, subnormals=results-flushed: over [0] to [1], naive, results flushed",
            ],
        ),
        Question::HalfAccumulation => (
            openvino(L2, Axes::list(&[0]), tensor(&[1], &[f16::ONE])),
            &[
                "half-accumulation=wide: over [0] to []",
                "half-accumulation=squares-in-type, result-rounding=nearest: over [0] to [], in f16 and f32 and f32, naive",
                "half-accumulation=squares-in-type, result-rounding=toward-zero: over [0] to [], in f16 and f32 and f32, naive, cut",
                "half-accumulation=by-operator: over [0] to [], in f16 and f32 and f16, naive",
                "half-accumulation=in-type: over [0] to [], in f16",
            ],
        ),
        Question::F64Precision => (
            onnx(L2, V18, Axes::list(&[0]), tensor(&[1], &[1.0_f64 / 3.0])),
            &[
                "f64-precision=double: over [0] to [1], in f64",
                "f64-precision=single: over [0] to [1], in f64 and f64 and f32, naive",
            ],
        ),
        Question::Subnormals => (
            openvino(L1, Axes::list(&[0]), tensor(&[1], &[1e-40_f32])),
            &[
                "subnormals=kept: over [0] to []",
                "subnormals=flushed: over [0] to [], flushed",
                "subnormals=results-flushed: over [0] to [], results flushed",
            ],
        ),
        Question::NanWithInfinity => (
            openvino(L1, Axes::list(&[0]), tensor(&[2], &[f32::NAN, f32::INFINITY])),
            &[
                "nan-with-infinity=nan: over [0] to []",
                "nan-with-infinity=inf: over [0] to [], infinity over NaN",
            ],
        ),
        Question::ResultRounding => (
            openvino(L1, Axes::list(&[0]), tensor(&[2], &[f16::ONE; 2])),
            &[
                "half-accumulation=wide, result-rounding=nearest: over [0] to []",
                "half-accumulation=wide, result-rounding=toward-zero: over [0] to [], cut",
                "half-accumulation=squares-in-type, result-rounding=nearest: over [0] to []",
                "half-accumulation=squares-in-type, result-rounding=toward-zero: over [0] to [], cut",
                "half-accumulation=by-operator, result-rounding=nearest: over [0] to []",
                "half-accumulation=by-operator, result-rounding=toward-zero: over [0] to [], cut",
                "half-accumulation=in-type: over [0] to [], in f16",
            ],
        ),
    }
}

/// Returns the readings, those with a `*` once for truncation and then once for rounding to nearest.
fn written_out(readings: &[&str]) -> Vec<String> {
    let ways = [("rounding=truncate", "Wrap"), ("rounding=nearest", "Wrap, nearest")];
    let ways = if readings[0].contains('*') { &ways[..] } else { &ways[..1] };
    let written = ways.iter().flat_map(|(name, wrap)| {
        readings.iter().map(move |row| row.replace("rounding=*", name).replace("Wrap*", wrap))
    });
    written.collect()
}

#[test]
fn every_question_is_raised_and_read_in_every_way() {
    for question in Question::ALL {
        let (call, expected) = open(question);
        assert!(rule(&call).questions().contains(&question), "{question} is not raised by {call:?}");
        assert_eq!(readings(&call), written_out(expected), "{question}");
    }
}

#[test]
fn every_question_says_what_is_open_and_why() {
    for question in Question::ALL {
        let (asks, because) = (question.asks(), question.because());
        assert!(asks.ends_with('?') && because.ends_with('.'), "{question}: {asks:?} {because:?}");
    }
}
