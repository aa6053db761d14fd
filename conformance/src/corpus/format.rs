//! The shape of a case file, field by field, as serde reads it.
//!
//! Only names and YAML types are checked here. Numbers that become elements stay text ([`Number`]); absent, null and empty
//! stay distinct; keys of maps never overwrite each other. `cases/schema` describes the fields for users.

use std::collections::BTreeMap;
use std::fmt;

use normative_reference::{Norm, Spec};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::names::PARTS;

/// A case file: calls to an implementation, and their answers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseFile {
    /// The common topic of the cases, on one line.
    pub(super) topic: String,
    /// The specs every case expands over: names (`onnx/ReduceL1-13`), families (`onnx`), their versions (`onnx-13`), or
    /// operators in all their versions (`onnx/ReduceL1`).
    pub(super) specs: Vec<String>,
    /// The cases of the topic.
    pub(super) cases: Vec<Entry>,
}

/// One call with a claim about its answer, for several specs and element types.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// Unique in the corpus; lower-case words and digits joined by '-', which say the rule that it states.
    pub(super) id: String,
    /// The clauses it tests, the one it mainly tests first. Each is in the ledger of each of its specs. Default: an
    /// error, unless a part has it.
    #[serde(default, deserialize_with = "present")]
    pub(super) clauses: Option<Vec<String>>,
    /// The wrong implementation that it catches. A case that catches none is not worth having. Default: an error, unless
    /// a part has it.
    #[serde(default, deserialize_with = "present")]
    pub(super) why: Option<String>,
    /// The specs it expands over instead. Default: the file's.
    #[serde(default, deserialize_with = "present")]
    pub(super) specs: Option<Vec<String>>,
    /// The element types of data it expands over: `f16`, `bf16`, `f32`, `f64`, `i8` to `i64`, `u8` to `u64`. Where a case
    /// has several operators, each spec leaves out those that its text does not have. Default: an error, unless a part
    /// has it.
    #[serde(default, deserialize_with = "present")]
    pub(super) dtypes: Option<Vec<String>>,
    /// The tensor to reduce. Default: an error, unless a part has it.
    #[serde(default, deserialize_with = "present")]
    pub(super) data: Option<Data>,
    /// The axes passed. Default: absent, which is not the same as null or empty.
    #[serde(default)]
    pub(super) axes: Axes,
    /// The attribute that keeps the reduced dims, whatever a text calls it: `keepdims` (ONNX, array API), `keep_dims`
    /// (OpenVINO), `keepDimensions` (WebNN). For ONNX also an integer but 0 and 1, because a model can carry any.
    /// Default: absent, which is not the same as false.
    #[serde(default, deserialize_with = "present")]
    pub(super) keep_dims: Option<Keep>,
    /// ONNX's attribute, any integer, at any opset. Default: absent.
    #[serde(default, deserialize_with = "present")]
    pub(super) noop_with_empty_axes: Option<i64>,
    /// The array API's argument, if it is written out although it is 2, the order of an L2 norm; an order of 1
    /// is always written. Default: absent.
    #[serde(default, deserialize_with = "present")]
    pub(super) ord: Option<u8>,
    /// The dims of the tensor that a BNNS caller allocated, fastest axis first. Required for BNNS, which learns
    /// the dims only from it, and an error elsewhere.
    #[serde(default, deserialize_with = "present")]
    pub(super) output_shape: Option<Vec<usize>>,
    /// The number of elements of a BLAS call's vector. Required for BLAS, and an error elsewhere.
    #[serde(default, deserialize_with = "present")]
    pub(super) n: Option<i32>,
    /// The spacing of these elements in the data, which hold all of them. Required for BLAS, and an error elsewhere.
    #[serde(default, deserialize_with = "present")]
    pub(super) incx: Option<i32>,
    /// The claim about the answer. Default: an error, unless a part has it.
    #[serde(default, deserialize_with = "present")]
    pub(super) expect: Option<Expect>,
    /// The fields that hold for the L1 norm alone. Default: none.
    #[serde(default, deserialize_with = "part")]
    pub(super) l1: Option<Part>,
    /// The fields that hold for the L2 norm alone. Default: none.
    #[serde(default, deserialize_with = "part")]
    pub(super) l2: Option<Part>,
    /// The fields that hold for the sum of squares alone. Default: none.
    #[serde(default, deserialize_with = "part", rename = "sum-square")]
    pub(super) sum_square: Option<Part>,
    /// The fields that hold for the sum of elements alone. Default: none.
    #[serde(default, deserialize_with = "part")]
    pub(super) sum: Option<Part>,
    /// The fields that hold for OpenVINO alone. Default: none.
    #[serde(default, deserialize_with = "part")]
    pub(super) openvino: Option<Part>,
    /// The fields that hold for ONNX alone. Default: none.
    #[serde(default, deserialize_with = "part")]
    pub(super) onnx: Option<Part>,
    /// The fields that hold for the array API alone. Default: none.
    #[serde(default, deserialize_with = "part", rename = "array-api")]
    pub(super) array_api: Option<Part>,
    /// The fields that hold for WebNN alone. Default: none.
    #[serde(default, deserialize_with = "part")]
    pub(super) webnn: Option<Part>,
}

/// The fields in which one norm or family differs from the others of a case; each stands for the case's own.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// Its clauses. Default: the case's.
    #[serde(default, deserialize_with = "present")]
    pub(super) clauses: Option<Vec<String>>,
    /// The wrong implementation that it catches. Default: the case's.
    #[serde(default, deserialize_with = "present")]
    pub(super) why: Option<String>,
    /// Its element types. Default: the case's.
    #[serde(default, deserialize_with = "present")]
    pub(super) dtypes: Option<Vec<String>>,
    /// Its data. Default: the case's.
    #[serde(default, deserialize_with = "present")]
    pub(super) data: Option<Data>,
    /// Its claim. Default: the case's.
    #[serde(default, deserialize_with = "present")]
    pub(super) expect: Option<Expect>,
}

impl Entry {
    /// Returns its parts, by their names.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'static str, &Part)> {
        let parts = [
            &self.l1,
            &self.l2,
            &self.sum_square,
            &self.sum,
            &self.openvino,
            &self.onnx,
            &self.array_api,
            &self.webnn,
        ];
        PARTS.into_iter().zip(parts).filter_map(|(name, part)| Some((name, part.as_ref()?)))
    }

    /// Returns the parts that are about a spec: that of its norm, and that of its family.
    pub(super) fn parts_of(&self, spec: Spec) -> impl Iterator<Item = (&'static str, &Part)> {
        let norm = match spec.norm() {
            Norm::L1 => "l1",
            Norm::L2 => "l2",
            Norm::SumSquare => "sum-square",
            Norm::Sum => "sum",
        };
        self.parts().filter(move |&(name, _)| name == norm || name == spec.family().name())
    }
}

/// The attribute that keeps dims: a flag, or another integer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Keep {
    Flag(bool),
    Integer(i64),
}

/// A tensor: its shape, and exactly one of `values`, `repeat`, `cycle`, `random` and `pairs`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Data {
    /// The dims; an empty list is a scalar. Row-major, except for BNNS, where the fastest axis is first.
    pub(super) shape: Vec<usize>,
    /// Every element.
    #[serde(default, deserialize_with = "present")]
    pub(super) values: Option<Vec<Number>>,
    /// One number for every element.
    #[serde(default, deserialize_with = "present")]
    pub(super) repeat: Option<Number>,
    /// Numbers that are repeated until the shape is full.
    #[serde(default, deserialize_with = "present")]
    pub(super) cycle: Option<Vec<Number>>,
    /// Numbers drawn from a seed.
    #[serde(default, deserialize_with = "present")]
    pub(super) random: Option<Random>,
    /// Two nonzero elements in each row.
    #[serde(default, deserialize_with = "present")]
    pub(super) pairs: Option<Pairs>,
    /// Single elements that differ from the filling, by index. Default: none.
    #[serde(default)]
    pub(super) except: Sparse,
}

/// Integers drawn by splitmix64, low to high inclusive, times 2^scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// The start of the sequence.
    pub seed: u64,
    /// The least integer.
    pub low: i64,
    /// The greatest integer.
    pub high: i64,
    /// The exponent of the power of two that every integer is multiplied by.
    #[serde(default)]
    pub scale: i32,
}

/// Rows of zeros except for two elements, whose norm is a small integer in every dtype.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pairs {
    /// The dims that rows lie along, by their index in `shape`, ascending.
    pub(super) along: Vec<usize>,
}

/// An axes tensor, one expansion per dtype.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AxesTensor {
    /// Its element types.
    pub(super) dtypes: Vec<String>,
    /// Its dims; an empty list is a scalar.
    pub(super) shape: Vec<usize>,
    /// Its elements: integers, for float dtypes too.
    pub(super) values: Vec<Number>,
    /// True if it is written in the form of another opset of ONNX: as an input before opset 18, or as an
    /// attribute from it on. An error elsewhere.
    #[serde(default)]
    pub(super) other_form: bool,
}

/// A claim about an answer: exactly one of `values`, `roots`, `repeat`, `reference`, `unchanged`, `rejected`,
/// `outside` and `open`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    /// The dims of the result, or of every result that a reading states.
    #[serde(default, deserialize_with = "present")]
    pub(super) shape: Option<Vec<usize>>,
    /// Every result, rounded as written from the exact one.
    #[serde(default, deserialize_with = "present")]
    pub(super) values: Option<Vec<Number>>,
    /// The results are the square roots of these non-negative numbers, decimal or hexadecimal; for integer dtypes, of
    /// perfect squares.
    #[serde(default, deserialize_with = "present")]
    pub(super) roots: Option<Vec<Number>>,
    /// One number for every result.
    #[serde(default, deserialize_with = "present")]
    pub(super) repeat: Option<Number>,
    /// The results are those of the reference evaluator, and the file says so.
    #[serde(default, deserialize_with = "present")]
    pub(super) reference: Option<bool>,
    /// Single results, beside `reference`. Default: none.
    #[serde(default)]
    pub(super) at: Sparse,
    /// Squares of single results, beside `reference`. Default: none.
    #[serde(default)]
    pub(super) roots_at: Sparse,
    /// The errors of all results are also judged together, beside `reference`; only for float data drawn at
    /// random, and at least a thousand results.
    #[serde(default, deserialize_with = "present")]
    pub(super) unbiased: Option<bool>,
    /// The digits that the source prints, beside any `shape`: one finite number per result. They are known to
    /// be rounded carelessly, so they are compared only loosely with the exact result. Default: none.
    #[serde(default, deserialize_with = "present")]
    pub(super) printed: Option<Vec<Number>>,
    /// The data come back unchanged.
    #[serde(default, deserialize_with = "present")]
    pub(super) unchanged: Option<bool>,
    /// The name of the clause that the call breaks, so that it must be refused.
    #[serde(default, deserialize_with = "present")]
    pub(super) rejected: Option<String>,
    /// The name of the clause that the call breaks, if the text says that the result is outside its scope: any
    /// answer conforms.
    #[serde(default, deserialize_with = "present")]
    pub(super) outside: Option<String>,
    /// The question that the text leaves open, with an expectation for each of at least two readings, in the question's
    /// order; one that accepts another's answer may be omitted. If the call raises others too, the answers are those of
    /// their first readings.
    #[serde(default, deserialize_with = "present")]
    pub(super) open: Option<Listed<Listed<Stated>>>,
}

/// A number in its spelling. Reading a plain scalar as a string keeps its text; any other type would round it.
#[derive(Debug)]
pub(super) struct Number(pub(super) String);

/// Single elements by flat index.
#[derive(Debug, Default)]
pub(super) struct Sparse(pub(super) BTreeMap<usize, Number>);

/// A map in file order: a question with its readings, and these with what each expects.
#[derive(Debug)]
pub(super) struct Listed<T>(pub(super) Vec<(String, T)>);

/// An expectation of a reading. A list is its values, which have the shape beside the question.
#[derive(Debug)]
pub(super) struct Stated(pub(super) Expect);

#[derive(Debug, Default)]
pub(super) enum Axes {
    #[default]
    Absent,
    Null,
    List(Vec<Number>),
    Tensor(AxesTensor),
}

/// Reads a field that must not be null. Without this, `null` would count as leaving it out.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Reads a part. Without this, null would count as one without fields, such as that of a key whose fields are not indented.
fn part<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Part>, D::Error> {
    struct Form;
    impl<'de> Visitor<'de> for Form {
        type Value = Part;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map of fields")
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Part, A::Error> {
            Part::deserialize(MapAccessDeserializer::new(map))
        }
    }
    from.deserialize_any(Form).map(Some)
}
