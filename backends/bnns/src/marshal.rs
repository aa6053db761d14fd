//! Converts a call to descriptors and flags, and the result to an answer, for any implementation of the function.

use normative_backend::Answer;
use normative_backend::bytes;
use normative_backend::reference::tensor::element_count;
use normative_backend::reference::{Axes, Call, Operator};

use crate::descriptor::{ComputeNorm, Descriptor, L2_NORM};

/// The fill byte of memory that the function must write, or must not write.
const POISON: u8 = 0xa5;

pub(crate) fn answer(compute_norm: ComputeNorm, call: &Call) -> Answer {
    ask(compute_norm, call).unwrap_or_else(Answer::Unsupported)
}

fn ask(compute_norm: ComputeNorm, call: &Call) -> Result<Answer, String> {
    let Operator::Bnns { output_shape } = &call.operator else {
        return Err("BNNS has one operator, computeNorm".to_owned());
    };
    let dtype = call.data.dtype();
    let flags = axis_flags(&call.axes)?;
    let dims: Vec<usize> = call.data.shape().iter().rev().copied().collect();
    let shape: Vec<usize> = output_shape.iter().rev().copied().collect();

    let bytes = bytes::of(&call.data);
    let mut data = Memory::holding(&bytes);
    // Bounded like every tensor here, because memory that the system promises but lacks ends the process.
    let described = element_count(output_shape).map_err(|error| error.to_string())? * dtype.size();
    // A function that ignores the descriptors writes at most as much as it reads.
    let mut output = Memory::poisoned(described + bytes.len());

    let src = Descriptor::packed(dtype, &dims, data.pointer())?;
    let mut dest = Descriptor::packed(dtype, output_shape, output.pointer())?;
    // SAFETY: both descriptors live across the call. Each describes our own memory, which is as long as its
    // dims and type say, aligned for any element, and not written by other code meanwhile.
    let status = unsafe { compute_norm(&raw mut dest, &raw const src, L2_NORM, flags) };

    if data.bytes(bytes.len()) != bytes {
        return Ok(Answer::Crashed("it wrote over its input".to_owned()));
    }
    let written = output.bytes(described + bytes.len());
    if written[described..].iter().any(|&byte| byte != POISON) {
        return Ok(Answer::Crashed("it wrote beyond the output it was given".to_owned()));
    }
    if status != 0 {
        return Ok(Answer::Rejected(format!("BNNSComputeNorm returned {status}")));
    }
    bytes::tensor(dtype, &shape, &written[..described]).map(Answer::Tensor).map_err(|why| why.to_string())
}

/// Sets bit k for axis k, counted from the fastest; no bit means all.
fn axis_flags(axes: &Axes) -> Result<u32, String> {
    let Axes::Given(given) = axes else { return Ok(0) };
    if given.dtype != normative_backend::reference::Dtype::I64 || given.shape.len() != 1 {
        return Err(format!("flags are no {} of {} dims", given.dtype, given.shape.len()));
    }
    given.values.iter().try_fold(0, |flags, &axis| {
        let flag = u32::try_from(axis).ok().and_then(|axis| 1_u32.checked_shl(axis));
        flag.map(|flag| flags | flag).ok_or_else(|| format!("no flag stands for axis {axis}"))
    })
}

/// Bytes, aligned for every element type, with at least one to point at.
struct Memory(Vec<u64>);

impl Memory {
    fn holding(bytes: &[u8]) -> Self {
        let mut words: Vec<u64> = bytes
            .chunks(size_of::<u64>())
            .map(|chunk| {
                let mut word = [0; size_of::<u64>()];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_ne_bytes(word)
            })
            .collect();
        words.push(0);
        Self(words)
    }

    fn poisoned(bytes: usize) -> Self {
        Self(vec![u64::from_ne_bytes([POISON; size_of::<u64>()]); bytes / size_of::<u64>() + 1])
    }

    fn pointer(&mut self) -> *mut std::ffi::c_void {
        self.0.as_mut_ptr().cast()
    }

    /// Returns the first `count` bytes, in memory order.
    fn bytes(&self, count: usize) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_ne_bytes()).take(count).collect()
    }
}
