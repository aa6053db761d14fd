//! `BNNSComputeNorm` of Apple's Accelerate as a backend: a part of macOS, and unavailable elsewhere.
//!
//! The C function is called, not the Swift one above it, so what that one adds (`[Int]?` to flags, an error that is
//! thrown) is translated here. What a caller of C has to write, and this adapter writes:
//!
//! - a descriptor of the data: the layout of their rank whose axis 0 is the fastest (a vector, or `nDLastMajor`), the
//!   dims from the fastest, and strides of 0, which stand for packed ones; the elements as they lie in memory;
//! - a descriptor of the output in the same way, of the dims the call allocated and the type of the data;
//! - the axes as flags: bit k is axis k, and no bit stands for all of them. So axes that are left out, `nil` or empty
//!   are one and the same, and an axis named twice is named once;
//! - the L2 norm by its number, as there is no other.
//!
//! Nothing is checked before: a return value other than 0 is a rejection, and the function has no other words. The
//! output is filled with a pattern before, and so is as much memory behind it as the data take: what is written there
//! is a crash that this adapter survives to tell. The data are a copy, which is compared afterwards.
//!
//! There is no place for, which makes a call unsupported:
//!
//! - the operators of OpenVINO and ONNX;
//! - data or an output of rank 0 or above 8, as no layout has it, and f64, as no type does;
//! - a negative axis and one from 32 on, as no flag stands for it; axes that are no list of int64, as flags have no
//!   type and no shape.

#[cfg(target_os = "macos")]
mod accelerate;
mod descriptor;
mod marshal;
#[cfg(test)]
mod tests;

use normative_backend::reference::{Call, Family};
use normative_backend::{Answer, Backend, Capabilities, Claim, Identity, Unavailable};

use crate::descriptor::ComputeNorm;

/// BNNS, where it is.
///
/// # Errors
/// [`Unavailable`] on other systems than macOS.
pub fn backend() -> Result<impl Backend, Unavailable> {
    available()
}

#[cfg(target_os = "macos")]
#[allow(clippy::unnecessary_wraps, reason = "the other systems' signature")]
fn available() -> Result<Bnns, Unavailable> {
    Ok(Bnns { compute_norm: accelerate::compute_norm(), version: accelerate::version() })
}

#[cfg(not(target_os = "macos"))]
fn available() -> Result<Bnns, Unavailable> {
    Err(Unavailable(format!("BNNS is a part of macOS, and this is {}", std::env::consts::OS)))
}

/// One implementation of the function.
#[cfg_attr(not(any(target_os = "macos", test)), allow(dead_code, reason = "only macOS has one"))]
struct Bnns {
    compute_norm: ComputeNorm,
    version: String,
}

impl Backend for Bnns {
    fn identity(&self) -> Identity {
        Identity {
            name: "BNNS".into(),
            version: self.version.clone(),
            report_bugs_to: "https://feedbackassistant.apple.com".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { claims: Claim::in_full(&[Family::Bnns]), ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        marshal::answer(self.compute_norm, call)
    }
}
