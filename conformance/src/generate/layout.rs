//! Layouts of generated calls: how their data are to lie in memory, for backends that take arrays with strides.
//!
//! A layout changes no element, but where data are to be broadcast: those repeat first. So a backend that takes row-major data alone
//! is asked the same call without it.

use normative_reference::{Call, Layout, Operator, Tensor};

/// The most elements of data that are laid out with gaps, which takes a larger array.
const SLICED: usize = 1 << 16;

/// The call with its data in the layout that `salt` picks, or in the next one in which they can lie. BLAS has increments instead,
/// and WebNN shows no memory.
pub(crate) fn laid_out(call: Call, salt: u64) -> Call {
    if matches!(call.operator, Operator::Blas { .. } | Operator::WebNn { .. }) {
        return call;
    }
    // The low half, so that a remainder is the same everywhere.
    let salt = salt as u32 as usize;
    let count = Layout::UNUSUAL.len();
    let mut layouts = (0..count).map(|further| Layout::UNUSUAL[(salt % count + further) % count]);
    let Some(layout) = layouts.find(|&layout| can_lie(&call.data, layout)) else { return call };
    let data = match layout {
        Layout::Broadcast => repeated(&call.data, salt / count),
        _ => call.data,
    };
    Call { data, layout, ..call }
}

/// Returns whether these data can lie in this layout, and then lie otherwise than row-major.
fn can_lie(data: &Tensor, layout: Layout) -> bool {
    let longer = data.shape().iter().filter(|&&dim| dim > 1).count();
    !data.is_empty()
        && match layout {
            Layout::RowMajor => false,
            Layout::Transposed => longer > 1,
            Layout::Reversed | Layout::Broadcast => longer > 0,
            Layout::Sliced => longer > 0 && data.len() <= SLICED,
            Layout::Unaligned => data.dtype().size() > 1,
        }
}

/// The data with the first elements of every axis but one repeated along it, or of every axis.
fn repeated(data: &Tensor, salt: usize) -> Tensor {
    let (shape, bits) = (data.shape(), data.bits());
    let longer: Vec<usize> = (0..shape.len()).filter(|&axis| shape[axis] > 1).collect();
    // Of one longer axis, something has to repeat.
    let choices = if longer.len() > 1 { longer.len() + 1 } else { 1 };
    let stays = longer.get(salt % choices).filter(|_| longer.len() > 1);
    let first = |at: usize| {
        let repeats = longer.iter().filter(|axis| Some(*axis) != stays);
        repeats.fold(at, |at, &axis| {
            let step: usize = shape[axis + 1..].iter().product();
            at - at / step % shape[axis] * step
        })
    };
    let bits: Vec<u64> = (0..bits.len()).map(|at| bits[first(at)]).collect();
    Tensor::from_bits(data.dtype(), shape, &bits).unwrap_or_else(|_| data.clone())
}
