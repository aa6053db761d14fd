//! The arithmetic of each element type: the type its terms are summed in, and the way back.

use half::{bf16, f16};
use ndarray::{ArrayD, Axis};

/// An element that has norms.
pub(crate) trait Number: Copy + 'static {
    /// What terms are summed in.
    type Sum: Copy + 'static;

    /// |x|.
    fn absolute(self) -> Self::Sum;
    /// x².
    fn square(self) -> Self::Sum;
    /// The sum along an axis, which is removed.
    fn sum_axis(terms: &ArrayD<Self::Sum>, axis: Axis) -> ArrayD<Self::Sum>;
    /// An L1 norm from its sum.
    fn from_sum(sum: Self::Sum) -> Self;
    /// An L2 norm from its sum of squares.
    fn from_root_of(sum: Self::Sum) -> Self;
}

macro_rules! float {
    ($ty:ty, $sum:ty, $widen:expr, $narrow:expr) => {
        impl Number for $ty {
            type Sum = $sum;
            fn absolute(self) -> $sum {
                $widen(self).abs()
            }
            fn square(self) -> $sum {
                $widen(self) * $widen(self)
            }
            fn sum_axis(terms: &ArrayD<$sum>, axis: Axis) -> ArrayD<$sum> {
                terms.sum_axis(axis)
            }
            fn from_sum(sum: $sum) -> Self {
                $narrow(sum)
            }
            fn from_root_of(sum: $sum) -> Self {
                $narrow(sum.sqrt())
            }
        }
    };
}

float!(f16, f32, f16::to_f32, f16::from_f32);
float!(bf16, f32, bf16::to_f32, bf16::from_f32);
float!(f32, f32, f32::from, f32::from);
float!(f64, f64, f64::from, f64::from);

macro_rules! integer {
    ($($ty:ty, $magnitude:expr);* $(;)?) => {$(
        impl Number for $ty {
            type Sum = u128;
            fn absolute(self) -> u128 {
                $magnitude(self).into()
            }
            fn square(self) -> u128 {
                self.absolute() * self.absolute()
            }
            fn sum_axis(terms: &ArrayD<u128>, axis: Axis) -> ArrayD<u128> {
                terms.fold_axis(axis, 0, |sum: &u128, term| sum.saturating_add(*term))
            }
            fn from_sum(sum: u128) -> Self {
                Self::try_from(sum).unwrap_or(Self::MAX)
            }
            fn from_root_of(sum: u128) -> Self {
                Self::from_sum(sum.isqrt())
            }
        }
    )*};
}

integer! {
    i8, i8::unsigned_abs;
    i16, i16::unsigned_abs;
    i32, i32::unsigned_abs;
    i64, i64::unsigned_abs;
    u8, u8::from;
    u16, u16::from;
    u32, u32::from;
    u64, u64::from;
}
