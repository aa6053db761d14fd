//! The C types of the call, with the names of the public headers `bnns_structures.h` and `bnns_constants.h`.

use std::ffi::{c_int, c_void};
use std::ptr;

use normative_backend::reference::Dtype;

/// `BNNSL2Norm`, the only `BNNSNormType`.
pub(crate) const L2_NORM: u32 = 1;

/// `BNNS_MAX_TENSOR_DIMENSION`.
const MAX_RANK: usize = 8;

/// The type of `BNNSComputeNorm`. The caller owns both descriptors and the memory that they point at.
pub(crate) type ComputeNorm = unsafe extern "C" fn(*mut Descriptor, *const Descriptor, u32, u32) -> c_int;

/// `BNNSNDArrayDescriptor`.
#[repr(C)]
pub(crate) struct Descriptor {
    pub(crate) flags: u32,
    pub(crate) layout: u32,
    pub(crate) size: [usize; MAX_RANK],
    pub(crate) stride: [usize; MAX_RANK],
    pub(crate) data: *mut c_void,
    pub(crate) data_type: u32,
    pub(crate) table_data: *mut c_void,
    pub(crate) table_data_type: u32,
    pub(crate) data_scale: f32,
    pub(crate) data_bias: f32,
}

impl Descriptor {
    /// Describes packed elements at `data`, of these dims, the fastest first.
    ///
    /// # Errors
    /// The rank or element type that no descriptor can describe.
    pub(crate) fn packed(dtype: Dtype, dims: &[usize], data: *mut c_void) -> Result<Self, String> {
        let layout = layout(dims.len()).ok_or_else(|| format!("no layout has {} dims", dims.len()))?;
        let data_type = data_type(dtype).ok_or_else(|| format!("no data type is {dtype}"))?;
        let mut size = [0; MAX_RANK];
        size[..dims.len()].copy_from_slice(dims);
        Ok(Self {
            flags: 0,
            layout,
            size,
            stride: [0; MAX_RANK],
            data,
            data_type,
            table_data: ptr::null_mut(),
            table_data_type: 0,
            data_scale: 1.0,
            data_bias: 0.0,
        })
    }
}

/// Returns the `BNNSDataLayout` of a rank whose axis 0 is the fastest: `Vector`, or `nDLastMajor`.
fn layout(rank: usize) -> Option<u32> {
    Some(match rank {
        1 => 0x1_0000,
        2 => 0x2_8000,
        3 => 0x3_8000,
        4 => 0x4_8000,
        5 => 0x5_8000,
        6 => 0x6_8000,
        7 => 0x7_8000,
        8 => 0x8_8000,
        _ => return None,
    })
}

/// Returns the `BNNSDataType`: a bit for the kind, and the width.
fn data_type(dtype: Dtype) -> Option<u32> {
    Some(match dtype {
        Dtype::F16 => 0x1_0010,
        Dtype::Bf16 => 0x1_8010,
        Dtype::F32 => 0x1_0020,
        Dtype::F64 => return None,
        Dtype::I8 => 0x2_0008,
        Dtype::I16 => 0x2_0010,
        Dtype::I32 => 0x2_0020,
        Dtype::I64 => 0x2_0040,
        Dtype::U8 => 0x4_0008,
        Dtype::U16 => 0x4_0010,
        Dtype::U32 => 0x4_0020,
        Dtype::U64 => 0x4_0040,
    })
}
