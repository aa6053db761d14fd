//! Tests tensors as containers: bits go in and come out unchanged, and a shape that does not match the
//! elements, or exceeds the limit, is an error.

use normative_reference::{Dtype, MAX_ELEMENTS, Tensor, TensorError};
use proptest::prelude::*;
use rstest::rstest;

use crate::common::tensor;

fn dtypes() -> impl Strategy<Value = Dtype> {
    proptest::sample::select(Dtype::ALL.to_vec())
}

fn shapes() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..5_usize, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bits_round_trip(dtype in dtypes(), shape in shapes(), seed in any::<u64>()) {
        let mut random = crate::common::Random(seed);
        let mask = u64::MAX >> (64 - 8 * dtype.size());
        let bits: Vec<u64> = (0..shape.iter().product()).map(|_| random.bits() & mask).collect();
        let tensor = Tensor::from_bits(dtype, &shape, &bits).unwrap();
        prop_assert_eq!((tensor.dtype(), tensor.shape()), (dtype, &shape[..]));
        // By bits, not by tensor equality: NaN payloads have to survive.
        prop_assert_eq!(tensor.bits(), bits);
    }

    #[test]
    fn any_other_number_of_elements_is_refused(dtype in dtypes(), shape in shapes(), given in 0..300_usize) {
        let needed = shape.iter().product();
        let made = Tensor::from_bits(dtype, &shape, &vec![0; given]);
        if given == needed {
            prop_assert!(made.is_ok());
        } else {
            prop_assert_eq!(made, Err(TensorError::Count { shape, needed, given }));
        }
    }

    #[test]
    fn no_shape_makes_construction_panic(
        dtype in dtypes(),
        shape in proptest::collection::vec(
            prop_oneof![0..4_usize, any::<usize>(), Just(usize::MAX), Just(1 << 32)], 0..70),
        bits in proptest::collection::vec(any::<u64>(), 0..64),
    ) {
        if let Ok(tensor) = Tensor::from_bits(dtype, &shape, &bits) {
            prop_assert_eq!(tensor.len(), shape.iter().product::<usize>());
        }
    }
}

#[rstest]
#[case::one_too_many(&[MAX_ELEMENTS + 1])]
#[case::product(&[10_001, 10_001])]
#[case::product_that_wraps_to_zero(&[1 << 32, 1 << 32])]
#[case::product_that_wraps_to_one(&[usize::MAX, usize::MAX])]
#[case::dims_beside_a_zero(&[0, usize::MAX, usize::MAX])]
#[case::dims_before_a_zero(&[usize::MAX, usize::MAX, 0])]
#[case::one_dim_beside_a_zero(&[0, MAX_ELEMENTS + 1])]
fn shapes_beyond_the_limit_are_refused_whatever_comes_with_them(#[case] shape: &[usize]) {
    let too_large = TensorError::TooLarge { shape: shape.to_vec() };
    for dtype in Dtype::ALL {
        for count in [0, 1, 8] {
            let from_bits = Tensor::from_bits(dtype, shape, &vec![0; count]);
            assert_eq!(from_bits, Err(too_large.clone()), "{dtype}, {count} elements");
        }
    }
}

#[rstest]
#[case::scalar(&[], 1)]
#[case::zero(&[0], 0)]
#[case::zero_beside_the_limit(&[0, MAX_ELEMENTS], 0)]
#[case::matrix(&[2, 3], 6)]
#[case::many_ones(&[1; 100], 1)]
fn elements_are_the_product_of_the_dims(#[case] shape: &[usize], #[case] count: usize) {
    assert_eq!(normative_reference::tensor::element_count(shape), Ok(count));
    let tensor = Tensor::from_bits(Dtype::U8, shape, &vec![7; count]).unwrap();
    assert_eq!((tensor.rank(), tensor.len(), tensor.is_empty()), (shape.len(), count, count == 0));
}

#[test]
fn elements_are_row_major_whatever_the_memory_layout() {
    let transposed = ndarray::array![[1_u8, 2, 3], [4, 5, 6]].reversed_axes().into_dyn();
    assert_eq!(Tensor::from(transposed).bits(), [1, 4, 2, 5, 3, 6]);
}

#[test]
fn equality_is_by_bits_with_one_nan_as_good_as_another() {
    let nan = |bits| tensor(&[1], &[f32::from_bits(bits)]);
    assert_eq!(nan(0x7fc0_0000), nan(0xff80_0001));
    assert_ne!(nan(0x7fc0_0000), nan(0x7f80_0000), "infinity is no NaN");
    assert_ne!(tensor(&[1], &[0.0_f32]), tensor(&[1], &[-0.0_f32]), "zeros have signs");
    assert_ne!(tensor(&[1], &[0.0_f32]), tensor(&[], &[0.0_f32]), "shapes count");
    assert_ne!(tensor(&[1], &[0_i32]), tensor(&[1], &[0_u32]), "types count");
    assert_ne!(tensor::<u8>(&[0, 2], &[]), tensor::<u8>(&[2, 0], &[]), "shapes count without elements");
}
