//! Merges the axes of a row-major tensor into the fewest that still locate the elements of an output.

use crate::reduction::Reduction;

/// Neighbouring axes that are all reduced or all kept, as one. Axes of size 1 may join any group.
pub(crate) struct Axis {
    pub(crate) dim: usize,
    /// The distance between its elements.
    pub(crate) stride: usize,
    pub(crate) reduced: bool,
}

impl Axis {
    /// The axis to use where the tensor has none.
    pub(crate) const ONE: Self = Self { dim: 1, stride: 0, reduced: true };
}

/// Returns the merged axes of a row-major tensor.
pub(crate) fn merged(shape: &[usize], reduction: &Reduction) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::with_capacity(shape.len());
    for (axis, &dim) in shape.iter().enumerate().filter(|&(_, &dim)| dim != 1) {
        let reduced = reduction.axes.contains(&axis);
        for outer in &mut axes {
            outer.stride *= dim;
        }
        match axes.last_mut().filter(|outer| outer.reduced == reduced) {
            Some(outer) => (outer.dim, outer.stride) = (outer.dim * dim, 1),
            None => axes.push(Axis { dim, stride: 1, reduced }),
        }
    }
    axes
}

/// Calls `visit` with the index of every element of these axes, row-major.
pub(crate) fn for_each_offset(axes: &[Axis], at: usize, visit: &mut dyn FnMut(usize)) {
    match axes {
        [] => visit(at),
        [outer, inner @ ..] => {
            (0..outer.dim).for_each(|index| for_each_offset(inner, at + index * outer.stride, visit));
        }
    }
}
