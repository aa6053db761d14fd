//! Computes a norm, or a sum, over axes of an array: map, sum over one axis after the other, root.

use half::{bf16, f16};
use ndarray::{ArrayD, Axis, NdFloat};
use normative_backend::reference::{Finish, Norm, Tensor, Term};

/// A norm, and the axes to reduce.
pub(crate) struct Reduction {
    pub(crate) norm: Norm,
    /// Ascending, each once.
    pub(crate) axes: Vec<usize>,
    /// True if each reduced axis stays, with dim 1.
    pub(crate) keep: bool,
}

impl Reduction {
    pub(crate) fn of(&self, data: &Tensor) -> Tensor {
        match data {
            Tensor::F16(data) => self.floats(&data.mapv(f16::to_f32)).mapv(f16::from_f32).into(),
            Tensor::Bf16(data) => self.floats(&data.mapv(bf16::to_f32)).mapv(bf16::from_f32).into(),
            Tensor::F32(data) => self.floats(data).into(),
            Tensor::F64(data) => self.floats(data).into(),
            Tensor::I8(data) => self.integers(data, [i8::MIN, i8::MAX]).into(),
            Tensor::I16(data) => self.integers(data, [i16::MIN, i16::MAX]).into(),
            Tensor::I32(data) => self.integers(data, [i32::MIN, i32::MAX]).into(),
            Tensor::I64(data) => self.integers(data, [i64::MIN, i64::MAX]).into(),
            Tensor::U8(data) => self.integers(data, [u8::MIN, u8::MAX]).into(),
            Tensor::U16(data) => self.integers(data, [u16::MIN, u16::MAX]).into(),
            Tensor::U32(data) => self.integers(data, [u32::MIN, u32::MAX]).into(),
            Tensor::U64(data) => self.integers(data, [u64::MIN, u64::MAX]).into(),
        }
    }

    pub(crate) fn floats<T: NdFloat>(&self, data: &ArrayD<T>) -> ArrayD<T> {
        let terms = match self.norm.term() {
            Term::Magnitude => data.mapv(T::abs),
            Term::Square => data.mapv(|x| x * x),
            Term::Element => data.clone(),
        };
        let sums = self.over_axes(terms, |x, axis| x.sum_axis(axis));
        match self.norm.finish() {
            Finish::Nothing => sums,
            Finish::Root => sums.mapv(T::sqrt),
        }
    }

    /// Returns results of integers, with the ends of their type in the place of those beyond it.
    fn integers<T>(&self, data: &ArrayD<T>, [min, max]: [T; 2]) -> ArrayD<T>
    where
        T: Copy + Into<i128> + TryFrom<u128> + TryFrom<i128>,
    {
        let magnitudes = |data: &ArrayD<T>| data.mapv(|x| x.into().unsigned_abs());
        let norms = |terms| {
            self.over_axes(terms, |x: &ArrayD<u128>, axis| {
                x.fold_axis(axis, 0, |sum, &x| sum.saturating_add(x))
            })
        };
        let norms = match self.norm.term() {
            Term::Magnitude => norms(magnitudes(data)),
            // u128 holds the square of a 64-bit magnitude. A sum beyond u128 has a root beyond the type.
            Term::Square => norms(magnitudes(data).mapv(|x| x * x)),
            Term::Element => {
                let elements: ArrayD<i128> = data.mapv(Into::into);
                let sums = self.over_axes(elements, |x, axis| x.sum_axis(axis));
                return sums.mapv(|sum| T::try_from(sum).unwrap_or(if sum < 0 { min } else { max }));
            }
        };
        let norms = match self.norm.finish() {
            Finish::Nothing => norms,
            Finish::Root => norms.mapv(u128::isqrt),
        };
        norms.mapv(|norm| T::try_from(norm).unwrap_or(max))
    }

    /// Applies `add` to one axis after the other, the last first so that the others keep their places.
    fn over_axes<T>(&self, terms: ArrayD<T>, add: impl Fn(&ArrayD<T>, Axis) -> ArrayD<T>) -> ArrayD<T> {
        self.axes.iter().rev().fold(terms, |terms, &axis| {
            let sums = add(&terms, Axis(axis));
            if self.keep { sums.insert_axis(Axis(axis)) } else { sums }
        })
    }
}
