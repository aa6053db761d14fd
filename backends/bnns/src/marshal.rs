//! A call as descriptors and flags, and what came back as an answer; for whichever function is given.

use normative_backend::Answer;
use normative_backend::bytes;
use normative_backend::reference::tensor::element_count;
use normative_backend::reference::{Axes, Call, Operator};

use crate::descriptor::{ComputeNorm, Descriptor, L2_NORM};

/// What memory is filled with that the function is to write, or must not.
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
    // No larger than any tensor here is: memory that is promised and not there ends a process.
    let described = element_count(output_shape).map_err(|error| error.to_string())? * dtype.size();
    // Where the function does not look at what it was given, it writes at most as much as it reads.
    let mut output = Memory::poisoned(described + bytes.len());

    let src = Descriptor::packed(dtype, &dims, data.pointer())?;
    let mut dest = Descriptor::packed(dtype, output_shape, output.pointer())?;
    // SAFETY: both descriptors live across the call, and each describes memory of ours that is as long as its dims
    // and its type say, aligned for any element, and written by nobody else meanwhile.
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

/// Bit k for axis k, which counts from the fastest; none for all.
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

/// Bytes, aligned for every element type, of which there is always one to point at.
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

    /// The first `count` bytes, as they lie.
    fn bytes(&self, count: usize) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_ne_bytes()).take(count).collect()
    }
}
