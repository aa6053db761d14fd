//! The core of a failing call that was made as small as possible.
//!
//! Two calls that fail for one cause mostly shrink to the same, because shrinking removes irrelevant parts.
//! The failure may be of some versions of a spec alone, so the comparison ignores the spec.

use normative_reference::{Axes, Call, Dtype, Layout};

use super::traits::{self, Trait};
use crate::shrink::{Sort, named_axis};

/// A failing call that cannot be made smaller.
#[derive(Clone, Debug)]
pub struct Small {
    /// The call, in terms that all specs share.
    pub root: Root,
    /// Its traits. The failure needs no other trait.
    pub traits: Vec<Trait>,
}

impl Small {
    /// Makes it from such a call.
    pub fn of(call: &Call) -> Self {
        Self { root: Root::of(call), traits: traits::of(call) }
    }
}

/// A small call, in terms that all specs share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    shape: Vec<usize>,
    dtype: Dtype,
    layout: Layout,
    /// The named axes, row-major if valid. `None` if they are left out, or all are named.
    named: Option<Vec<i128>>,
    spelling: Spelling,
    keep_dims: Attribute,
    noop_with_empty_axes: Attribute,
    /// True if an element is infinite or NaN.
    special: bool,
    /// True if all elements are zero.
    zero: bool,
}

/// The form in which axes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    /// As a list, or not at all.
    Usual,
    Null,
    Scalar,
    /// A list with a number that counts from the end.
    FromTheEnd,
    OtherForm,
}

/// The value of an attribute, and true if it is only the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attribute {
    value: i64,
    is_default: bool,
}

impl Root {
    /// Makes it from a call that cannot be made smaller.
    pub fn of(call: &Call) -> Self {
        let rank = call.data.rank();
        let (named, spelling) = match &call.axes {
            Axes::Absent => (None, Spelling::Usual),
            Axes::Null => (None, Spelling::Null),
            Axes::Given(axes) | Axes::OtherForm(axes) => {
                let named: Vec<i128> =
                    axes.values.iter().map(|&value| named_axis(call.spec(), rank, value)).collect();
                let all = named.len() == rank && (0..rank).all(|axis| named.contains(&(axis as i128)));
                let from_the_end = axes.values.iter().any(|&value| value < 0);
                let spelling = match axes.shape.as_slice() {
                    _ if matches!(call.axes, Axes::OtherForm(_)) => Spelling::OtherForm,
                    _ if from_the_end => Spelling::FromTheEnd,
                    [] => Spelling::Scalar,
                    _ => Spelling::Usual,
                };
                ((!all).then_some(named), spelling)
            }
        };
        let attribute = |value: Option<i64>, default| Attribute {
            value: value.unwrap_or(default),
            is_default: value.is_none(),
        };
        let keep_dims = attribute(call.operator.keep_dims(), call.spec().rules().keep_dims_default.into());
        let noop_with_empty_axes = attribute(call.operator.noop_with_empty_axes(), 0);
        let (dtype, bits) = (call.data.dtype(), call.data.bits());
        Self {
            shape: call.data.shape().to_vec(),
            dtype,
            layout: call.layout,
            named,
            spelling,
            keep_dims,
            noop_with_empty_axes,
            special: bits.iter().any(|&bits| Sort::of(dtype, bits) != Sort::Number),
            zero: bits.iter().all(|&bits| bits == 0),
        }
    }

    /// Returns true if calls of two specs have the same core. Attributes match if both are left out, or if both
    /// mean the same.
    pub fn is_like(&self, other: &Self) -> bool {
        let Self { keep_dims, noop_with_empty_axes, .. } = self;
        let same = Self {
            keep_dims: other.keep_dims,
            noop_with_empty_axes: other.noop_with_empty_axes,
            ..self.clone()
        };
        same == *other
            && keep_dims.is_like(other.keep_dims)
            && noop_with_empty_axes.is_like(other.noop_with_empty_axes)
    }
}

impl Attribute {
    const fn is_like(self, other: Self) -> bool {
        self.is_default && other.is_default || self.value == other.value
    }
}

#[cfg(test)]
mod tests {
    use ndarray::arr1;
    use normative_reference::{Norm, Operator, Opset, Tensor};
    use rstest::rstest;

    use super::*;

    const ONNX: Operator = onnx(None, None);
    const BNNS: Operator = Operator::Bnns { output_shape: Vec::new() };
    const OPENVINO: Operator = Operator::OpenVino { norm: Norm::L2, keep_dims: None };

    const fn onnx(keepdims: Option<i64>, noop_with_empty_axes: Option<i64>) -> Operator {
        Operator::Onnx { norm: Norm::L1, opset: Opset::V18, keepdims, noop_with_empty_axes }
    }

    fn root(operator: Operator, axes: Axes) -> Root {
        let data: Tensor = ndarray::arr2(&[[1.0_f32, 2.0], [3.0, 4.0]]).into_dyn().into();
        Root::of(&Call::new(operator, data, axes))
    }

    #[rstest]
    #[case::specs((OPENVINO, Axes::list(&[0])), (ONNX, Axes::list(&[0])), true)]
    #[case::orders_of_axes((BNNS, Axes::list(&[1])), (ONNX, Axes::list(&[0])), true)]
    #[case::axes((ONNX, Axes::list(&[1])), (ONNX, Axes::list(&[0])), false)]
    #[case::all_axes((ONNX, Axes::Absent), (OPENVINO, Axes::list(&[0, 1])), true)]
    #[case::null((ONNX, Axes::Absent), (ONNX, Axes::Null), false)]
    #[case::counting_from_the_end((ONNX, Axes::list(&[-1])), (ONNX, Axes::list(&[1])), false)]
    #[case::a_default((ONNX, Axes::Absent), (onnx(Some(1), None), Axes::Absent), true)]
    #[case::an_attribute((ONNX, Axes::Absent), (onnx(Some(0), None), Axes::Absent), false)]
    #[case::what_is_meant((OPENVINO, Axes::list(&[0])), (onnx(Some(0), None), Axes::list(&[0])), true)]
    #[case::noop((ONNX, Axes::Absent), (onnx(None, Some(1)), Axes::Absent), false)]
    fn calls_are_alike_whatever_their_specs_spell_otherwise(
        #[case] one: (Operator, Axes),
        #[case] other: (Operator, Axes),
        #[case] alike: bool,
    ) {
        let (one, other) = (root(one.0, one.1), root(other.0, other.1));
        assert_eq!(one.is_like(&other), alike);
        assert_eq!(other.is_like(&one), alike);
    }

    #[rstest]
    #[case::a_type(arr1(&[1.0_f32]).into_dyn().into(), arr1(&[1.0_f64]).into_dyn().into(), false)]
    #[case::a_dim(arr1(&[1.0_f32]).into_dyn().into(), arr1(&[1.0_f32, 1.0]).into_dyn().into(), false)]
    #[case::numbers(arr1(&[1.0_f32]).into_dyn().into(), arr1(&[-3.0_f32]).into_dyn().into(), true)]
    #[case::no_number(arr1(&[1.0_f32]).into_dyn().into(), arr1(&[f32::NAN]).into_dyn().into(), false)]
    #[case::zero(arr1(&[1.0_f32]).into_dyn().into(), arr1(&[0.0_f32]).into_dyn().into(), false)]
    fn data_are_alike_but_for_numbers(#[case] one: Tensor, #[case] other: Tensor, #[case] alike: bool) {
        let of = |data| Root::of(&Call::new(ONNX, data, Axes::Absent));
        assert_eq!(of(one).is_like(&of(other)), alike);
    }
}
