//! Chooses layouts of generated calls: the order of their data in memory, for backends that accept strided arrays.
//!
//! A layout changes no element, except that broadcast data are made to repeat first. So a backend that accepts
//! only row-major data is asked the same call.

use normative_reference::{Call, Layout, Operator, Tensor};

/// The most data elements that are laid out with gaps, which needs a larger array.
const SLICED: usize = 1 << 16;

/// Returns the call with its data in the layout that `salt` picks, or in the next possible one. BLAS has
/// increments instead, and WebNN exposes no memory.
pub fn laid_out(call: Call, salt: u64) -> Call {
    if matches!(call.operator, Operator::Blas { .. } | Operator::WebNn { .. }) {
        return call;
    }
    // The low 32 bits, so that a remainder does not depend on the width of `usize`.
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

/// Returns true if these data can have this layout, and it differs from row-major.
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

/// Returns the data with the first elements repeated along every axis, or every axis but one.
fn repeated(data: &Tensor, salt: usize) -> Tensor {
    let (shape, bits) = (data.shape(), data.bits());
    let longer: Vec<usize> = (0..shape.len()).filter(|&axis| shape[axis] > 1).collect();
    // With one longer axis, that axis must repeat.
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
