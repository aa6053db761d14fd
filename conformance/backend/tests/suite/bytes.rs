//! Tests that bytes go in and come out unchanged, and that bytes that do not fill a shape are an error.

use half::bf16;
use ndarray::{ArrayD, IxDyn};
use normative_backend::bytes::{self, BytesError};
use normative_reference::{Dtype, MAX_ELEMENTS, Tensor, TensorError};
use proptest::prelude::*;

fn dtypes() -> impl Strategy<Value = Dtype> {
    proptest::sample::select(Dtype::ALL.to_vec())
}

fn shapes() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..5_usize, 0..5)
}

fn list<T>(elements: &[T]) -> Tensor
where
    T: Copy,
    Tensor: From<ArrayD<T>>,
{
    ArrayD::from_shape_vec(IxDyn(&[elements.len()]), elements.to_vec()).unwrap().into()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_round_trip(dtype in dtypes(), shape in shapes(), random in proptest::collection::vec(any::<u8>(), 2048)) {
        let count = shape.iter().product::<usize>() * dtype.size();
        let given = &random[..count];
        let tensor = bytes::tensor(dtype, &shape, given).unwrap();
        prop_assert_eq!((tensor.dtype(), tensor.shape()), (dtype, &shape[..]));
        // By bytes, not by tensor equality: NaN payloads have to survive.
        prop_assert_eq!(bytes::of(&tensor), given);
        let again = Tensor::from_bits(dtype, &shape, &tensor.bits()).unwrap();
        prop_assert_eq!(bytes::of(&again), given);
    }

    #[test]
    fn any_other_number_of_bytes_is_refused(dtype in dtypes(), shape in shapes(), given in 0..300_usize) {
        let needed = shape.iter().product::<usize>() * dtype.size();
        let made = bytes::tensor(dtype, &shape, &vec![0; given]);
        if given == needed {
            prop_assert!(made.is_ok());
        } else {
            prop_assert_eq!(made, Err(BytesError::Count { dtype, shape, needed, given }));
        }
    }
}

#[test]
fn a_shape_beyond_the_limit_is_refused_whatever_comes_with_it() {
    for shape in [vec![MAX_ELEMENTS + 1], vec![1 << 32, 1 << 32], vec![0, usize::MAX, usize::MAX]] {
        let too_large = BytesError::Tensor(TensorError::TooLarge { shape: shape.clone() });
        assert_eq!(bytes::tensor(Dtype::U8, &shape, &[]), Err(too_large));
    }
}

#[test]
fn bytes_are_little_endian_and_row_major() {
    assert_eq!(bytes::of(&list(&[0x0102_i16, -2, 3, i16::MIN])), [2, 1, 0xfe, 0xff, 3, 0, 0, 0x80]);
    assert_eq!(bytes::of(&list(&[1.0_f64])), [0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
    assert_eq!(bytes::of(&list(&[bf16::ONE])), [0x80, 0x3f]);
    let transposed = ndarray::array![[1_u8, 2, 3], [4, 5, 6]].reversed_axes().into_dyn();
    assert_eq!(bytes::of(&transposed.into()), [1, 4, 2, 5, 3, 6]);
}
