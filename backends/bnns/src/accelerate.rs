//! The function in Accelerate, and the version to report.

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

/// Returns the version of macOS, because Accelerate comes with it and has none of its own.
pub(crate) fn version() -> String {
    let output = Command::new("sw_vers").arg("-productVersion").output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    match version {
        Ok(version) if !version.is_empty() => format!("macOS {version}"),
        _ => "macOS of unknown version".to_owned(),
    }
}
