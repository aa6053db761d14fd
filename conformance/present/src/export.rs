//! A case for whoever has no Rust: what is asked, and everything an answer may be, as plain data.
//!
//! `docs/export.md` says what each field means. Nothing is decided here: expectations are those of the [`Sheet`],
//! and bounds those of [`accuracy`](normative_conformance::judge::accuracy), as bits. Elements are row-major for every spec.

use std::collections::BTreeMap;

use normative_reference::{
    Axes, AxesTensor, Call, Choice, Dtype, Expected, FloatFormat, Kind, Near, Norm, Operator, Tensor, Value,
};
use serde::Serialize;
use serde_json::value::Number;

use normative_conformance::corpus::{Case, Claim};
use normative_conformance::display;
use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::accepted::{Accepted, accepted};
use normative_conformance::judge::verdict::Sheet;

/// The version of this format.
pub const FORMAT: u32 = 1;

/// A case.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Exported {
    /// [`FORMAT`].
    pub format: u32,
    /// Its name, unique in the corpus.
    pub name: String,
    /// The clauses it tests, the main one first.
    pub clauses: Vec<String>,
    /// Which wrong implementation it catches.
    pub why: String,
    /// The question it is about, where the text is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// What is asked.
    pub call: Asked,
    /// What an answer may be: one of these. Never empty.
    pub answers: Vec<Observed>,
    /// Whether bias and spread of all errors are looked at together as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
}

/// A call.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Asked {
    /// The operator and its version.
    pub spec: String,
    /// Attributes that are given, by the names the spec has for them.
    pub attributes: BTreeMap<&'static str, serde_json::Value>,
    /// The tensor to reduce.
    pub data: Array,
    /// The axes.
    pub axes: GivenAxes,
}

/// Axes as the call has them.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GivenAxes {
    /// No such input, attribute or argument.
    Absent,
    /// An input with the empty name, or nil.
    Null,
    /// A tensor of integers, whatever its element type is said to be.
    Tensor {
        /// Its element type.
        dtype: &'static str,
        /// Its dims; `[]` is a scalar.
        shape: Vec<usize>,
        /// Its elements; a number that neither i64 nor u64 holds is a string.
        values: Vec<serde_json::Value>,
    },
}

/// A tensor, bit for bit.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Array {
    /// Its element type.
    pub dtype: &'static str,
    /// Its dims, row-major.
    pub shape: Vec<usize>,
    /// Its elements in decimal, the shortest that reads back as the element.
    pub values: Vec<String>,
    /// Its elements' bits.
    pub bits: Vec<String>,
}

/// What an answer may be, under some readings.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Observed {
    /// The combinations of readings under which it may be so, each a map of questions to readings. One that is empty:
    /// under any.
    pub readings: Vec<BTreeMap<String, String>>,
    /// What it has to be.
    pub is: Is,
}

/// What an answer has to be.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Is {
    /// A refusal, because the call breaks this clause.
    Refused(String),
    /// This tensor, bit for bit; any NaN is as good as another.
    Exactly(Array),
    /// Floats near exact reals.
    Near(Reals),
}

/// A tensor of floats that are near exact reals.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reals {
    /// Its element type.
    pub dtype: &'static str,
    /// Its dims, row-major.
    pub shape: Vec<usize>,
    /// How many elements went into each.
    pub terms: usize,
    /// The elements, row-major.
    pub elements: Vec<Element>,
}

/// An exact real, and the floats that may stand for it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Element {
    /// The exact value in decimal, cut with `…` where it does not end within 25 digits; `inf` or `NaN`, which the
    /// answer then has to be.
    pub exact: String,
    /// The exact value, where it is a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real: Option<Real>,
    /// The nearest float.
    pub nearest: Float,
    /// For each accuracy class, the least and the greatest bits accepted, the sign bit being clear.
    pub accepted: Vec<Bounds>,
}

/// `significand · 2^exponent`, or its square root.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Real {
    /// An integer, in decimal.
    pub significand: String,
    /// A power of two.
    pub exponent: i32,
    /// Whether the square root is meant.
    pub root: bool,
}

/// A float, spelled in three ways.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Float {
    /// The shortest decimal that reads back as the float.
    pub decimal: String,
    /// Hexadecimal, as C has it.
    pub hex: String,
    /// Its bits.
    pub bits: String,
}

/// What one accuracy class accepts.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Bounds {
    /// The class; `vacuous` stands where the any-order bound says nothing, and a backend is not failed by it.
    pub class: &'static str,
    /// The bits of the least float.
    pub low: String,
    /// The bits of the greatest.
    pub high: String,
    /// Whether zero is accepted as well, though it is apart.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub or_zero: bool,
    /// Whether infinity is accepted as well, though it is apart.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub or_infinite: bool,
}

impl Exported {
    /// A case, and what its sheet says of answers.
    pub fn of(case: &Case, sheet: &Sheet) -> Self {
        let open = match &case.claim {
            Claim::Determined(_) => None,
            Claim::Open { question, .. } => Some(question.to_string()),
        };
        Self {
            format: FORMAT,
            name: case.name.clone(),
            clauses: case.clauses.iter().map(ToString::to_string).collect(),
            why: case.why.clone(),
            open,
            call: Asked::of(&case.call),
            answers: sheet.entries.iter().map(|entry| answer(&entry.expected, &entry.choices)).collect(),
            whole: sheet.whole,
        }
    }
}

impl Asked {
    fn of(call: &Call) -> Self {
        let attributes = match &call.operator {
            Operator::OpenVino { keep_dims, .. } => [given("keep_dims", *keep_dims), None],
            Operator::Onnx { keepdims, noop_with_empty_axes, .. } => {
                [given("keepdims", *keepdims), given("noop_with_empty_axes", *noop_with_empty_axes)]
            }
            Operator::Bnns { output_shape } => [given("output_shape", Some(output_shape.clone())), None],
            Operator::WebNn { keep_dimensions, .. } => [given("keepDimensions", *keep_dimensions), None],
            Operator::Blas { n, incx, .. } => [given("n", Some(*n)), given("incx", Some(*incx))],
            Operator::ArrayApi { ord, keepdims } => {
                [given("ord", ord.map(Norm::order)), given("keepdims", *keepdims)]
            }
        };
        let attributes = attributes.into_iter().flatten().collect();
        let axes = match &call.axes {
            Axes::Absent => GivenAxes::Absent,
            Axes::Null => GivenAxes::Null,
            Axes::Given(AxesTensor { dtype, shape, values }) => GivenAxes::Tensor {
                dtype: dtype.name(),
                shape: shape.clone(),
                values: values.iter().map(|&value| integer(value)).collect(),
            },
        };
        Self { spec: call.spec().name().to_owned(), attributes, data: Array::of(&call.data), axes }
    }
}

type Attribute = Option<(&'static str, serde_json::Value)>;

fn given(name: &'static str, value: Option<impl Into<serde_json::Value>>) -> Attribute {
    value.map(|value| (name, value.into()))
}

fn integer(value: i128) -> serde_json::Value {
    Number::from_i128(value).map_or_else(|| value.to_string().into(), Into::into)
}

impl Array {
    fn of(tensor: &Tensor) -> Self {
        let (dtype, bits) = (tensor.dtype(), tensor.bits());
        Self {
            dtype: dtype.name(),
            shape: tensor.shape().to_vec(),
            values: bits.iter().map(|&bits| display::element(dtype, bits)).collect(),
            bits: bits.iter().map(|&bits| display::bits(dtype, bits)).collect(),
        }
    }
}

fn answer(expected: &Expected, choices: &[Vec<Choice>]) -> Observed {
    let pair = |choice: &Choice| (choice.question.to_string(), choice.reading.to_string());
    let readings = choices.iter().map(|choices| choices.iter().map(pair).collect()).collect();
    let is = match expected {
        Expected::Rejection(clause) => Is::Refused(clause.to_string()),
        Expected::Exactly(tensor) => Is::Exactly(Array::of(tensor)),
        Expected::Near(near) => Is::Near(reals(near)),
    };
    Observed { readings, is }
}

fn reals(near: &Near) -> Reals {
    let elements = match near.dtype.kind() {
        Kind::Float(format) => near.values.iter().map(|value| element(value, near, format)).collect(),
        // Integers are expected exactly.
        Kind::Integer(_) => Vec::new(),
    };
    Reals { dtype: near.dtype.name(), shape: near.shape.clone(), terms: near.terms, elements }
}

fn element(value: &Value, near: &Near, format: FloatFormat) -> Element {
    let (dtype, nearest) = (near.dtype, value.round(format));
    let bounds = |real| {
        let mut classes = Class::DEMANDED.to_vec();
        // Where it accepts nothing more, it has nothing to say.
        let of = |class| accepted(real, format, near, None, class);
        if of(Class::Vacuous) != of(Class::AnyOrder) {
            classes.push(Class::Vacuous);
        }
        classes.into_iter().filter_map(|class| Some(bounds(class, of(class)?, dtype))).collect()
    };
    let (real, accepted) = match value {
        Value::Finite(real) => {
            let significand = real.significand.to_string();
            (Some(Real { significand, exponent: real.exponent, root: real.root }), bounds(real))
        }
        Value::Infinite | Value::Nan => (None, Vec::new()),
    };
    let nearest = Float {
        decimal: display::element(dtype, nearest),
        hex: display::hex_float(dtype, nearest),
        bits: display::bits(dtype, nearest),
    };
    Element { exact: display::exact(value), real, nearest, accepted }
}

fn bounds(class: Class, Accepted { low, high, or_zero, or_infinite }: Accepted, dtype: Dtype) -> Bounds {
    let bits = |bits| display::bits(dtype, bits);
    Bounds { class: class.name(), low: bits(low), high: bits(high), or_zero, or_infinite }
}
