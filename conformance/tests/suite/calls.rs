//! Short ways to write a tensor, an answer and a call.

use ndarray::{ArrayD, IxDyn};
use normative_conformance::reference::{Axes, Call, Norm, Operator, Tensor};
use normative_conformance::{Demands, Observed, Sheet, Verdict, judge};

/// Returns a tensor with these elements, row-major.
pub(crate) fn tensor<T: Clone>(shape: &[usize], elements: &[T]) -> Tensor
where
    Tensor: From<ArrayD<T>>,
{
    ArrayD::from_shape_vec(IxDyn(shape), elements.to_vec()).unwrap().into()
}

/// Returns a tensor of one dim.
pub(crate) fn vector<T: Clone>(elements: &[T]) -> Tensor
where
    Tensor: From<ArrayD<T>>,
{
    tensor(&[elements.len()], elements)
}

/// Returns the answer that is this tensor.
pub(crate) fn answer<T: Clone>(shape: &[usize], elements: &[T]) -> Observed
where
    Tensor: From<ArrayD<T>>,
{
    Observed::Tensor(tensor(shape, elements))
}

/// Returns the answer that is a tensor of rank 0.
pub(crate) fn scalar<T: Clone>(element: T) -> Observed
where
    Tensor: From<ArrayD<T>>,
{
    answer(&[], &[element])
}

/// Returns an OpenVINO call without `keep_dims`.
pub(crate) fn openvino(norm: Norm, data: Tensor, axes: &[i64]) -> Call {
    Call::new(Operator::OpenVino { norm, keep_dims: None }, data, Axes::list(axes))
}

/// Returns the verdict without further demands.
pub(crate) fn verdict(call: &Call, answer: &Observed) -> Verdict {
    judge(&Sheet::of(call).unwrap(), answer, &Demands::default())
}
