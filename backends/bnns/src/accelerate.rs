//! The function itself, and how to say which one it is.

use std::ffi::c_int;
use std::process::Command;

use crate::descriptor::{ComputeNorm, Descriptor};

#[link(name = "Accelerate", kind = "framework")]
unsafe extern "C" {
    fn BNNSComputeNorm(
        dest: *mut Descriptor,
        src: *const Descriptor,
        norm_type: u32,
        axis_flags: u32,
    ) -> c_int;
}

pub(crate) fn compute_norm() -> ComputeNorm {
    BNNSComputeNorm
}

/// Accelerate has no version of its own: it comes with the system.
pub(crate) fn version() -> String {
    let output = Command::new("sw_vers").arg("-productVersion").output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    match version {
        Ok(version) if !version.is_empty() => format!("macOS {version}"),
        _ => "macOS of unknown version".to_owned(),
    }
}
