//! A stand-in for BNNSComputeNorm, written in C from that function's documented contract: what it checks and computes
//! is said in `bnns.c`. It exists so that what marshals calls for the real one is tried where there is no macOS; it
//! says nothing of what the real one does.

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    /// The function. Both descriptors point at a `BNNSNDArrayDescriptor` as C lays it out.
    pub fn double_compute_norm(
        dest: *mut c_void,
        src: *const c_void,
        norm_type: u32,
        axis_flags: u32,
    ) -> c_int;

    /// Writes what C says of the descriptor: its size, its alignment, and where each of its ten fields begins.
    pub fn double_layout_of_descriptor(numbers: *mut [usize; 12]);
}
