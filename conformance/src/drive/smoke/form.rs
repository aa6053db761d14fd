//! Forms of a call whose wrong answer may be the adapter's mistake or the runtime's.
//!
//! Example: a list that names no axes. An adapter that passes on nothing in its place has every axis reduced,
//! and so do runtimes that are given the list.

use normative_reference::{
    Axes, AxesTensor, Call, Choice, Dtype, Family, Norm, Operator, Opset, Question, Reading, Tensor,
    TensorError,
};

use super::ask::Ask;

/// A form of a call, beyond its data and the axes to reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An empty list of axes.
    EmptyList,
    /// Axes that are null.
    Null,
    /// The attribute that keeps all axes unreduced, set.
    Noop,
    /// Axes of a type that the operator does not accept.
    AxesType,
    /// Elements that are infinite or not a number.
    NotFinite,
}

impl Form {
    /// Every form, in the order in which they are probed.
    pub(super) const ALL: [Self; 5] =
        [Self::EmptyList, Self::Null, Self::Noop, Self::AxesType, Self::NotFinite];

    /// Returns its name in reports.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::EmptyList => "a list of no axes",
            Self::Null => "axes that are null",
            Self::Noop => "noop_with_empty_axes",
            Self::AxesType => "the type of axes",
            Self::NotFinite => "NaN and infinity",
        }
    }

    /// Returns the description of a wrong answer that no other mistake explains.
    pub(super) const fn says(self) -> &'static str {
        match self {
            Self::EmptyList => "a list that names no axes is answered as if it said something else",
            Self::Null => "axes that are null are answered as if they were something else",
            Self::Noop => "the attribute is ignored",
            Self::AxesType => {
                "axes of a type that the operator does not take are answered: their type is dropped"
            }
            Self::NotFinite => {
                "elements that are infinite or NaN are answered with other numbers: they are repaired"
            }
        }
    }

    /// Returns true if a wrong answer may reduce other axes.
    pub(super) const fn is_of_axes(self) -> bool {
        matches!(self, Self::EmptyList | Self::Null | Self::Noop)
    }

    /// Returns the readings that the form needs to make a difference: under others it equals the call without it.
    pub(super) fn readings(self) -> Vec<Choice> {
        match self {
            Self::Noop => vec![Choice { question: Question::NoopAbsentAxes, reading: Reading::Unchanged }],
            Self::EmptyList | Self::Null | Self::AxesType | Self::NotFinite => Vec::new(),
        }
    }

    /// Returns the families that have the form.
    pub(super) fn families(self) -> Vec<Family> {
        use Family::{ArrayApi, Onnx, OpenVino, WebNn};
        match self {
            Self::EmptyList | Self::NotFinite => vec![OpenVino, Onnx, ArrayApi, WebNn],
            Self::Null => vec![Onnx, ArrayApi],
            Self::Noop => vec![Onnx],
            Self::AxesType => vec![Onnx, OpenVino],
        }
    }

    /// Returns the calls by family, and the plain call of each. Within a family they differ in the norm.
    pub(super) fn calls(self) -> Result<Vec<[(Ask, Call); 2]>, TensorError> {
        let openvino = |norm| Operator::OpenVino { norm, keep_dims: Some(false) };
        let onnx = |norm| onnx(norm, None);
        let noop = |norm| self::onnx(norm, Some(1));
        let array_api = |norm| Operator::ArrayApi { ord: Some(norm), keepdims: Some(false) };
        let webnn = |norm| Operator::WebNn { norm, keep_dimensions: Some(false) };
        let one = |dtype| Axes::Given(AxesTensor { dtype, shape: vec![1], values: vec![1] });
        let none = || Axes::list(&[]);
        Ok(match self {
            Self::EmptyList => vec![
                both(openvino, &none(), &[], &positive()?),
                both(onnx, &none(), &[0, 1], &positive()?),
                both(array_api, &none(), &[], &positive()?),
                both(webnn, &none(), &[], &positive()?),
            ],
            Self::Null => vec![
                both(onnx, &Axes::Null, &[0, 1], &positive()?),
                both(array_api, &Axes::Null, &[0, 1], &positive()?),
            ],
            Self::Noop => vec![both(noop, &Axes::Absent, &[], &positive()?)],
            Self::AxesType => vec![
                both(onnx, &one(Dtype::I32), &[1], &positive()?),
                both(openvino, &one(Dtype::F32), &[1], &positive()?),
            ],
            Self::NotFinite => vec![
                both(openvino, &Axes::list(&[1]), &[1], &not_finite()?),
                both(onnx, &Axes::list(&[1]), &[1], &not_finite()?),
                both(array_api, &Axes::list(&[1]), &[1], &not_finite()?),
                both(webnn, &Axes::list(&[1]), &[1], &not_finite()?),
            ],
        })
    }
}

const fn onnx(norm: Norm, noop_with_empty_axes: Option<i64>) -> Operator {
    Operator::Onnx { norm, opset: Opset::V18, keepdims: Some(0), noop_with_empty_axes }
}

/// Returns the call with each norm.
fn both(
    operator: impl Fn(Norm) -> Operator,
    axes: &Axes,
    meant: &[usize],
    data: &Tensor,
) -> [(Ask, Call); 2] {
    [Norm::L1, Norm::L2].map(|norm| {
        let ask = Ask { norm, data: data.clone(), axes: Some(meant.to_vec()), keep: Some(false) };
        (ask, Call::new(operator(norm), data.clone(), axes.clone()))
    })
}

/// Returns numbers that equal their own norms, so that every reading of a norm over no axis agrees.
fn positive() -> Result<Tensor, TensorError> {
    f32s(&[2, 3], &[3.0, 4.0, 12.0, 5.0, 7.0, 24.0])
}

/// Returns rows whose norms are infinity and NaN.
fn not_finite() -> Result<Tensor, TensorError> {
    f32s(&[2, 2], &[f32::NEG_INFINITY, 1.0, f32::NAN, 2.0])
}

fn f32s(shape: &[usize], values: &[f32]) -> Result<Tensor, TensorError> {
    let bits: Vec<u64> = values.iter().map(|value| value.to_bits().into()).collect();
    Tensor::from_bits(Dtype::F32, shape, &bits)
}
