//! The canonical form of every spec's calls: a norm, a set of row-major axes, and the treatment of the
//! reduced dims. This module computes shapes, never values.

use std::borrow::Cow;

use crate::spec::Norm;
use crate::tensor::Tensor;

/// A norm over a set of axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The norm.
    pub norm: Norm,
    /// Row-major axes, ascending, each once. Empty: the norm of each element.
    pub axes: Vec<usize>,
    /// The treatment of the reduced dims.
    pub dims: Dims,
    /// The elements of the data that are reduced.
    pub elements: Elements,
}

/// The elements of the data that are reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// All of them.
    All,
    /// The elements of a vector that lies spaced in data of rank 1 (BLAS).
    Spaced {
        /// The number of elements.
        count: usize,
        /// The index of the first.
        first: usize,
        /// The distance from each element to the next.
        step: isize,
    },
}

/// The treatment of reduced dims in the output's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dims {
    /// Each stays, as 1.
    Keep,
    /// Each is removed.
    Drop,
    /// Each is removed, but where none is left the output is a vector of size 1 (BNNS).
    DropToVector,
}

impl Reduction {
    /// Returns the output's shape for data of this shape.
    pub fn output_shape(&self, shape: &[usize]) -> Vec<usize> {
        let axes = shape.iter().enumerate();
        match self.dims {
            Dims::Keep => axes.map(|(axis, &dim)| if self.reduces(axis) { 1 } else { dim }).collect(),
            Dims::DropToVector if self.axes.len() == shape.len() => vec![1],
            Dims::Drop | Dims::DropToVector => {
                axes.filter(|&(axis, _)| !self.reduces(axis)).map(|(_, &dim)| dim).collect()
            }
        }
    }

    /// Returns the number of output elements for data of this shape.
    pub fn outputs(&self, shape: &[usize]) -> usize {
        let axes = shape.iter().enumerate();
        axes.filter(|&(axis, _)| !self.reduces(axis)).map(|(_, &dim)| dim).product()
    }

    /// Returns the number of elements that go into each output element.
    pub fn terms(&self, shape: &[usize]) -> usize {
        if let Elements::Spaced { count, .. } = self.elements {
            return count;
        }
        self.axes.iter().map(|&axis| shape[axis]).product()
    }

    /// Returns the elements that are reduced: the data, or a vector out of them.
    pub fn operand<'a>(&self, data: &'a Tensor) -> Cow<'a, Tensor> {
        match self.elements {
            Elements::All => Cow::Borrowed(data),
            Elements::Spaced { count, first, step } => Cow::Owned(data.spaced(count, first, step)),
        }
    }

    /// Returns every axis, those kept first, each group ascending. An iteration in this order meets the
    /// elements of one output after another.
    pub fn outer_to_inner(&self, rank: usize) -> Vec<usize> {
        let kept = (0..rank).filter(|&axis| !self.reduces(axis));
        kept.chain(self.axes.iter().copied()).collect()
    }

    fn reduces(&self, axis: usize) -> bool {
        self.axes.contains(&axis)
    }
}
