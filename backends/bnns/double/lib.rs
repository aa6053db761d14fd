//! A stand-in for BNNSComputeNorm, in C, written from that function's documented contract; `bnns.c` lists its
//! checks and computations. It tests the marshalling without macOS, and shows nothing about the real
//! function.

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    /// Computes the norm. Both descriptors point at a `BNNSNDArrayDescriptor` in C's layout.
    pub fn double_compute_norm(
        dest: *mut c_void,
        src: *const c_void,
        norm_type: u32,
        axis_flags: u32,
    ) -> c_int;

    /// Writes C's layout of the descriptor: its size, its alignment, and the offset of each of its ten fields.
    pub fn double_layout_of_descriptor(numbers: *mut [usize; 12]);
}
