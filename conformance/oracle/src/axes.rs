//! The axes of a row-major tensor, as few as tell where the elements of an output lie.

use normative_reference::Reduction;

/// Neighbouring axes that share a fate, as one. Axes of size 1 share any.
pub(crate) struct Axis {
    pub(crate) dim: usize,
    /// How far apart its elements lie.
    pub(crate) stride: usize,
    pub(crate) reduced: bool,
}

impl Axis {
    /// What stands for no axis at all.
    pub(crate) const ONE: Self = Self { dim: 1, stride: 0, reduced: true };
}

/// The axes of a row-major tensor.
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

/// Calls with the place of every element of these axes, row-major.
pub(crate) fn for_each_offset(axes: &[Axis], at: usize, visit: &mut dyn FnMut(usize)) {
    match axes {
        [] => visit(at),
        [outer, inner @ ..] => {
            (0..outer.dim).for_each(|index| for_each_offset(inner, at + index * outer.stride, visit));
        }
    }
}
