//! Tests shrinking: the order, the steps, crashes and hangs. The zoo tests it on real mistakes.

use ndarray::{ArrayD, Dimension as _, IxDyn, arr1};
use normative_conformance::run::property::{Id, row};
use normative_conformance::shrink::{CallSize, shrink};
use normative_reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator, Opset, Spec};
use proptest::prelude::*;
use rstest::rstest;

fn call(shape: &[usize], axes: Axes) -> Call {
    let data = ArrayD::from_shape_fn(IxDyn(shape), |index| index.as_array_view().sum() as f32 - 1.5);
    Call::new(Operator::OpenVino { norm: Norm::L1, keep_dims: Some(true) }, data.into(), axes)
}

fn shrunk(call: &Call, fails: impl Fn(&Call) -> bool) -> Call {
    let shrunk = shrink(call, usize::MAX, &fails);
    assert_eq!(shrink(&shrunk, usize::MAX, fails), shrunk, "nothing smaller fails");
    shrunk
}

#[test]
fn what_always_fails_becomes_the_plainest_call() {
    for spec in Spec::ALL {
        let id = row(3, &[spec]).next().unwrap();
        let plainest = shrunk(&id.call(), |_| true);
        assert_eq!(plainest.spec(), spec);
        assert_eq!(plainest.data, arr1(&[0.0_f32]).into_dyn().into());
        assert_eq!(plainest.axes, Axes::Absent);
    }
}

#[rstest]
#[case::rank(|call: &Call| call.data.rank() >= 3, &[1, 1, 1])]
#[case::elements(|call: &Call| call.data.len() >= 5, &[5])]
#[case::one_long_dim(|call: &Call| call.data.shape().iter().any(|&dim| dim > 3), &[4])]
#[case::two_dims(|call: &Call| call.data.shape().iter().filter(|&&dim| dim > 1).count() > 1, &[2, 2])]
fn only_the_dims_that_matter_are_left(#[case] fails: fn(&Call) -> bool, #[case] left: &[usize]) {
    assert_eq!(shrunk(&call(&[2, 3, 7, 2], Axes::list(&[0, -1])), fails).data.shape(), left);
}

#[test]
fn an_empty_dim_stays_only_where_it_matters() {
    let empty = call(&[3, 0, 2], Axes::list(&[1]));
    assert_eq!(shrunk(&empty, |call| call.data.is_empty()).data.shape(), [0]);
    assert_eq!(shrunk(&empty, |call| !call.data.shape().is_empty()).data.shape(), [1]);
    let full = call(&[3, 2], Axes::list(&[1]));
    assert_eq!(
        shrunk(&full, |call| call.data.len() == 6 || call.data.is_empty()).data.shape(),
        [6],
        "it does not become one"
    );
}

#[test]
fn the_element_that_matters_is_found_among_many() {
    let many = call(&[40, 50], Axes::list(&[0]));
    let needle = |call: &Call| call.data.bits().contains(&86.5_f32.to_bits().into());
    let left = shrunk(&Call { data: call(&[40, 50], Axes::Absent).data, ..many }, needle);
    assert_eq!(left.data, arr1(&[86.5_f32]).into_dyn().into());
}

#[test]
fn an_axis_goes_on_naming_the_same_dim_while_others_go() {
    let named = |call: &Call| match &call.axes {
        Axes::Given(axes) => axes.values.iter().any(|&axis| {
            let axis = if axis < 0 { axis + call.data.rank() as i128 } else { axis };
            usize::try_from(axis).is_ok_and(|axis| call.data.shape().get(axis) == Some(&7))
        }),
        _ => false,
    };
    for axes in [&[2_i64] as &[i64], &[-2], &[0, 2], &[-1, -2]] {
        let left = shrunk(&call(&[2, 3, 7, 2], Axes::list(axes)), named);
        assert_eq!((left.data.shape(), left.axes), (&[7][..], Axes::list(&[0])), "{axes:?}");
    }
}

#[test]
fn axes_that_matter_come_in_ascending_order() {
    let several = |call: &Call| matches!(&call.axes, Axes::Given(axes) if axes.values.len() > 1);
    let left = shrunk(&call(&[2, 3, 4], Axes::list(&[2, 1, 0])), several);
    assert_eq!((left.data.shape(), left.axes), (&[1, 1][..], Axes::list(&[0, 1])));
    let unsorted = |call: &Call| matches!(&call.axes, Axes::Given(axes) if !axes.values.is_sorted());
    assert_eq!(shrunk(&call(&[2, 3, 4], Axes::list(&[0, 2, 1])), unsorted).axes, Axes::list(&[1, 0]));
}

fn other_form(dtype: Dtype, shape: &[usize], values: &[i128]) -> Axes {
    Axes::OtherForm(AxesTensor { dtype, shape: shape.to_vec(), values: values.to_vec() })
}

#[rstest]
#[case::nothing_matters(|_: &Axes| true, Axes::Absent)]
#[case::what_they_say_matters(|axes: &Axes| axes.written().is_some_and(|axes| axes.values.len() > 1), Axes::list(&[0, 1]))]
#[case::the_form_matters(|axes: &Axes| matches!(axes, Axes::OtherForm(_)), other_form(Dtype::I64, &[0], &[]))]
#[case::both_matter(
    |axes: &Axes| matches!(axes, Axes::OtherForm(axes) if !axes.values.is_empty()),
    other_form(Dtype::I64, &[1], &[0])
)]
fn the_form_of_another_opset_stays_only_where_it_matters(
    #[case] fails: fn(&Axes) -> bool,
    #[case] left: Axes,
    #[values(Opset::V1, Opset::V13, Opset::V18)] opset: Opset,
    #[values(&[2], &[1, 2])] shape: &[usize],
) {
    let operator = Operator::Onnx { norm: Norm::L1, opset, keepdims: Some(0), noop_with_empty_axes: None };
    let start = Call { operator, ..call(&[2, 3, 2], other_form(Dtype::I32, shape, &[-1, 0])) };
    assert_eq!(shrunk(&start, |call| fails(&call.axes)).axes, left);
}

#[test]
fn a_scalar_in_the_form_of_another_opset_becomes_a_list() {
    let operator =
        Operator::Onnx { norm: Norm::L2, opset: Opset::V13, keepdims: None, noop_with_empty_axes: None };
    let start = Call { operator, ..call(&[2], other_form(Dtype::I64, &[], &[0])) };
    let fails = |call: &Call| matches!(&call.axes, Axes::OtherForm(axes) if !axes.values.is_empty());
    assert_eq!(shrunk(&start, fails).axes, other_form(Dtype::I64, &[1], &[0]));
}

#[test]
fn attempts_are_counted_and_bind() {
    let large = call(&[9, 9], Axes::list(&[0]));
    for attempts in [0, 1, 5] {
        let mut asked = 0;
        shrink(&large, attempts, |_| {
            asked += 1;
            false
        });
        assert_eq!(asked, attempts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn every_step_keeps_the_spec_and_goes_down(seed: u64, index in 0..1000_u64) {
        let call = Id::first(seed, index).call();
        let size = CallSize::of(&call);
        let mut tried = Vec::new();
        shrink(&call, 300, |next| {
            tried.push(next.clone());
            false
        });
        for next in tried {
            prop_assert_eq!(next.spec(), call.spec());
            prop_assert!(CallSize::of(&next) < size);
        }
    }
}
