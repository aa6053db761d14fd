//! Data in another layout, for adapters of Rust libraries that take arrays with strides.
//!
//! An owned array of [`ndarray`] can lie transposed, reversed or sliced, but it cannot repeat an element or
//! be unaligned. The returned tensors equal the given ones, element by element.

use std::borrow::Cow;

use ndarray::{ArrayD, Axis, IxDyn, Slice, SliceInfoElem};
use normative_reference::tensor::Element;
use normative_reference::{Call, Layout, Tensor, with_array};

/// The layouts that [`laid_out`] supports.
pub const OF_ARRAYS: [Layout; 3] = [Layout::Transposed, Layout::Reversed, Layout::Sliced];

/// Returns the data of a call in the call's memory layout.
///
/// Gaps in sliced data have all bits set: a stray read gives NaN, -1, or the greatest unsigned integer.
///
/// # Errors
/// The text of an *unsupported* answer, if an owned array cannot have the layout.
pub fn laid_out(call: &Call) -> Result<Cow<'_, Tensor>, String> {
    if call.layout == Layout::RowMajor {
        return Ok(Cow::Borrowed(&call.data));
    }
    let data = with_array!(&call.data, array => array_laid_out(array, call.layout).map(Tensor::from));
    data.map(Cow::Owned).ok_or_else(|| format!("an owned array cannot lie {} in memory", call.layout))
}

fn array_laid_out<T: Element>(array: &ArrayD<T>, layout: Layout) -> Option<ArrayD<T>> {
    match layout {
        Layout::Transposed => Some(array.t().as_standard_layout().into_owned().reversed_axes()),
        Layout::Reversed => Some(inverted(inverted(array.clone()).as_standard_layout().into_owned())),
        Layout::Sliced => Some(sliced(array)),
        Layout::RowMajor | Layout::Broadcast | Layout::Unaligned => None,
    }
}

/// Reverses every axis without moving an element.
fn inverted<T>(mut array: ArrayD<T>) -> ArrayD<T> {
    (0..array.ndim()).for_each(|axis| array.invert_axis(Axis(axis)));
    array
}

/// Copies the array into every second place along the first axis and the last.
fn sliced<T: Element>(array: &ArrayD<T>) -> ArrayD<T> {
    let last = array.ndim().saturating_sub(1);
    let is_cut = |axis: usize| axis == 0 || axis == last;
    let dims =
        array.shape().iter().enumerate().map(|(axis, &dim)| if is_cut(axis) { 2 * dim + 1 } else { dim });
    let mut larger = ArrayD::from_elem(IxDyn(&dims.collect::<Vec<_>>()), T::from_u64(u64::MAX));
    let every_second = Slice::new(1, None, 2);
    let all = Slice::new(0, None, 1);
    larger
        .slice_each_axis_mut(|axis| if is_cut(axis.axis.index()) { every_second } else { all })
        .assign(array);
    let cut = (0..array.ndim()).map(|axis| if is_cut(axis) { every_second.into() } else { all.into() });
    larger.slice_collapse(cut.collect::<Vec<SliceInfoElem>>().as_slice());
    larger
}

#[cfg(test)]
mod tests {
    use ndarray::Array;
    use normative_reference::{Axes, Norm, Spec};
    use rstest::rstest;

    use super::*;

    fn counted(dims: &[usize], layout: Layout) -> Call {
        let elements = (1..=dims.iter().product::<usize>()).map(|at| at as f32).collect();
        let data = Array::from_shape_vec(IxDyn(dims), elements).unwrap().into();
        Call { layout, ..Call::new(Spec::ArrayApi(Norm::L2).operator(), data, Axes::Null) }
    }

    #[rstest]
    #[case::transposed(Layout::Transposed, &[1, 2, 6])]
    #[case::reversed(Layout::Reversed, &[-12, -4, -1])]
    #[case::sliced(Layout::Sliced, &[54, 9, 2])]
    fn elements_lie_so_far_apart(#[case] layout: Layout, #[case] expected: &[isize]) {
        let call = counted(&[2, 3, 4], layout);
        let data = laid_out(&call).unwrap();
        assert_eq!(with_array!(&*data, array => array.strides().to_vec()), expected);
    }

    #[rstest]
    fn elements_are_the_same_in_every_layout(
        #[values(&[], &[1], &[0], &[5], &[3, 0], &[2, 1, 3, 1, 2])] dims: &[usize],
        #[values(Layout::RowMajor, Layout::Transposed, Layout::Reversed, Layout::Sliced)] layout: Layout,
    ) {
        let call = counted(dims, layout);
        assert_eq!(*laid_out(&call).unwrap(), call.data);
    }

    #[test]
    fn layouts_of_no_owned_array_are_refused() {
        for layout in Layout::UNUSUAL {
            assert_eq!(laid_out(&counted(&[2], layout)).is_ok(), OF_ARRAYS.contains(&layout), "{layout}");
        }
    }
}
