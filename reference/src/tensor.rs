//! A dense tensor of any supported element type, over [`ndarray`].
//!
//! Elements are addressed in row-major order with axis 0 slowest, whatever order a spec's page writes.
//! Equality is by bits; any two NaNs are equal.

use std::borrow::Cow;

use half::{bf16, f16};
use ndarray::{Array1, ArrayD, IxDyn};
use thiserror::Error;

use crate::dtype::{Dtype, Kind, Magnitude};

/// The most elements a tensor built from untrusted input may have.
///
/// One hundred million f64 elements are 0.8 GB: more than any case needs, less than a machine has.
pub const MAX_ELEMENTS: usize = 100_000_000;

/// The reason why a tensor cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TensorError {
    /// The product of the dims is beyond [`MAX_ELEMENTS`].
    #[error("expected at most {MAX_ELEMENTS} elements, got shape {shape:?}")]
    TooLarge {
        /// The dims asked for.
        shape: Vec<usize>,
    },
    /// The data do not fill the shape.
    #[error("expected {needed} elements for shape {shape:?}, got {given}")]
    Count {
        /// The dims asked for.
        shape: Vec<usize>,
        /// The product of the dims.
        needed: usize,
        /// The number of elements given.
        given: usize,
    },
}

/// A Rust type that stores one element.
pub trait Element: Copy + 'static {
    /// The element type it stores.
    const DTYPE: Dtype;
    /// Returns the element's bits, in the low bits.
    fn to_u64(self) -> u64;
    /// Returns the element with these low bits.
    fn from_u64(bits: u64) -> Self;
    /// Returns the array inside `tensor`, if it has this element type.
    fn array(tensor: &Tensor) -> Option<&ArrayD<Self>>;
}

/// Runs `$body` with `$array` bound to the `ArrayD<T>` inside a [`Tensor`].
#[macro_export]
macro_rules! with_array {
    ($tensor:expr, $array:ident => $body:expr) => {
        match $tensor {
            $crate::Tensor::F16($array) => $body,
            $crate::Tensor::Bf16($array) => $body,
            $crate::Tensor::F32($array) => $body,
            $crate::Tensor::F64($array) => $body,
            $crate::Tensor::I8($array) => $body,
            $crate::Tensor::I16($array) => $body,
            $crate::Tensor::I32($array) => $body,
            $crate::Tensor::I64($array) => $body,
            $crate::Tensor::U8($array) => $body,
            $crate::Tensor::U16($array) => $body,
            $crate::Tensor::U32($array) => $body,
            $crate::Tensor::U64($array) => $body,
        }
    };
}

macro_rules! tensor_over {
    ($(($variant:ident, $ty:ty, $to:expr, $from:expr)),* $(,)?) => {
        /// A dense tensor: one array type per element type.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Tensor { $($variant(ArrayD<$ty>)),* }

        $(impl Element for $ty {
            const DTYPE: Dtype = Dtype::$variant;
            fn to_u64(self) -> u64 { $to(self) }
            fn from_u64(bits: u64) -> Self { $from(bits) }
            fn array(tensor: &Tensor) -> Option<&ArrayD<Self>> {
                match tensor { Tensor::$variant(array) => Some(array), _ => None }
            }
        }
        impl From<ArrayD<$ty>> for Tensor {
            fn from(array: ArrayD<$ty>) -> Self { Self::$variant(array) }
        })*

        impl Tensor {
            /// Builds the tensor of this element type whose elements have these bits, row-major.
            ///
            /// # Errors
            /// [`TensorError`] when `bits` does not fill `shape`, or `shape` is too large.
            pub fn from_bits(dtype: Dtype, shape: &[usize], bits: &[u64]) -> Result<Self, TensorError> {
                match dtype {
                    $(Dtype::$variant => {
                        filled(shape, bits.iter().map(|&b| <$ty>::from_u64(b)).collect()).map(Self::$variant)
                    })*
                }
            }
        }
    };
}

tensor_over! {
    (F16, f16, |x: f16| u64::from(x.to_bits()), |b| f16::from_bits(b as u16)),
    (Bf16, bf16, |x: bf16| u64::from(x.to_bits()), |b| bf16::from_bits(b as u16)),
    (F32, f32, |x: f32| u64::from(x.to_bits()), |b| f32::from_bits(b as u32)),
    (F64, f64, f64::to_bits, f64::from_bits),
    (I8, i8, |x| u64::from(x as u8), |b| b as i8),
    (I16, i16, |x| u64::from(x as u16), |b| b as i16),
    (I32, i32, |x| u64::from(x as u32), |b| b as i32),
    (I64, i64, |x| x as u64, |b| b as i64),
    (U8, u8, u64::from, |b| b as u8),
    (U16, u16, u64::from, |b| b as u16),
    (U32, u32, u64::from, |b| b as u32),
    (U64, u64, |x| x, |b| b),
}

/// Returns the number of elements of a tensor of this shape (1 for rank 0).
///
/// # Errors
/// [`TensorError::TooLarge`] beyond [`MAX_ELEMENTS`]. Dims beside a zero count too, because no
/// array library can address `[0, usize::MAX, usize::MAX]`.
pub fn element_count(shape: &[usize]) -> Result<usize, TensorError> {
    let nonzero = shape.iter().filter(|&&dim| dim != 0).try_fold(1_usize, |n, &dim| n.checked_mul(dim));
    match nonzero {
        Some(n) if n <= MAX_ELEMENTS => Ok(if shape.contains(&0) { 0 } else { n }),
        _ => Err(TensorError::TooLarge { shape: shape.to_vec() }),
    }
}

/// Returns the elements in row-major order, and copies them only if they lie in another order.
pub fn row_major<T: Copy>(array: &ArrayD<T>) -> Cow<'_, [T]> {
    match array.as_slice() {
        Some(elements) => Cow::Borrowed(elements),
        None => Cow::Owned(array.iter().copied().collect()),
    }
}

fn filled<T>(shape: &[usize], elements: Vec<T>) -> Result<ArrayD<T>, TensorError> {
    let needed = element_count(shape)?;
    let given = elements.len();
    ArrayD::from_shape_vec(IxDyn(shape), elements).map_err(|_| TensorError::Count {
        shape: shape.to_vec(),
        needed,
        given,
    })
}

impl Tensor {
    /// Returns the element type.
    pub fn dtype(&self) -> Dtype {
        fn of<T: Element>(_: &ArrayD<T>) -> Dtype {
            T::DTYPE
        }
        with_array!(self, array => of(array))
    }

    /// Returns the dims, axis 0 (slowest) first; empty for rank 0.
    pub fn shape(&self) -> &[usize] {
        with_array!(self, array => array.shape())
    }

    /// Returns the number of axes.
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        with_array!(self, array => array.len())
    }

    /// Returns true if the tensor has no element: some dim is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bits of every element, in the order of an iteration whose slowest axis is `order[0]`.
    /// `order` names each axis once.
    pub fn bits_by(&self, order: &[usize]) -> Vec<u64> {
        with_array!(self, array => {
            array.view().permuted_axes(order).iter().map(|&x| x.to_u64()).collect()
        })
    }

    /// Returns a vector of up to `count` elements: element i is element `first + i * step` of the data,
    /// row-major. It leaves out indices beyond the data.
    #[must_use]
    pub fn spaced(&self, count: usize, first: usize, step: isize) -> Self {
        with_array!(self, array => {
            let elements = row_major(array);
            let places = (0..count).map(|at| first.wrapping_add_signed(step.wrapping_mul(at as isize)));
            Array1::from_iter(places.filter_map(|place| elements.get(place).copied())).into_dyn().into()
        })
    }

    /// Returns the bits of every element, row-major.
    pub fn bits(&self) -> Vec<u64> {
        with_array!(self, array => row_major(array).iter().map(|&x| x.to_u64()).collect())
    }
}

/// Returns true if two elements of a type are the same answer: equal bits, or both NaN.
pub fn same_bits(dtype: Dtype, a: u64, b: u64) -> bool {
    let nan = |bits| matches!(dtype.kind(), Kind::Float(f) if f.magnitude(bits) == Magnitude::Nan);
    a == b || (nan(a) && nan(b))
}

impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        self.dtype() == other.dtype()
            && self.shape() == other.shape()
            && self.bits().iter().zip(other.bits()).all(|(&a, b)| same_bits(self.dtype(), a, b))
    }
}
