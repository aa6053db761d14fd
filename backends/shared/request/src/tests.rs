use normative_backend::reference::{Opset, Tensor};
use rstest::rstest;

use super::vectors::vectors;
use super::*;

/// Formats a request as in the table.
fn said(request: &Request<'_>) -> String {
    let keep = if request.keep { "kept" } else { "dropped" };
    match request.axes {
        Wanted::All => format!("all {keep}"),
        Wanted::One(axis) => format!("{axis} {keep}"),
        Wanted::Listed(axes) => format!("{axes:?} {keep}"),
    }
}

#[test]
fn a_call_is_what_the_table_of_every_language_says() {
    for (operator, axes, expected) in vectors() {
        let data = Tensor::from_bits(Dtype::F32, &[1], &[0]).unwrap();
        let call = Call::new(operator, data, axes);
        let request = Request::of(&call);
        assert_eq!(request.ok().as_ref().map(said).as_deref(), expected, "{call:?}");
    }
}

#[test]
fn a_sum_has_no_version_and_takes_what_it_takes() {
    let operator =
        Operator::Onnx { norm: Norm::L1, opset: Opset::V11, keepdims: None, noop_with_empty_axes: None };
    let data = Tensor::from_bits(Dtype::Bf16, &[1], &[0]).unwrap();
    assert!(Request::of(&Call::new(operator, data, Axes::Absent)).is_ok());
}

#[rstest]
#[case::in_any_order(&[1, 0], 2, true)]
#[case::none_of_none(&[], 0, true)]
#[case::one_missing(&[0], 2, false)]
#[case::one_twice(&[0, 0], 2, false)]
#[case::all_and_one_twice(&[0, 1, 0], 2, false)]
#[case::counted_from_the_end(&[-1], 1, false)]
fn everything_is_each_axis_once_from_the_front(
    #[case] axes: &[i128],
    #[case] rank: usize,
    #[case] all: bool,
) {
    assert_eq!(Wanted::Listed(axes).is_everything(rank), all);
    assert!(Wanted::All.is_everything(rank));
    assert!(Wanted::One(0).is_everything(1) && !Wanted::One(0).is_everything(2));
}
