//! Runs `BNNSComputeNorm` of Apple's Accelerate as a backend; it is a part of macOS, and unavailable
//! elsewhere.
//!
//! The adapter calls the C function, and does the work of the Swift one above it too (`[Int]?` to flags, a
//! thrown error). Like any C caller, it writes:
//!
//! - a descriptor of the data: the layout of their rank whose axis 0 is the fastest (a vector, or `nDLastMajor`), the
//!   dims from the fastest, and strides of 0, which mean packed; the elements in memory order;
//! - a descriptor of the output in the same way, with the dims that the call allocated and the type of the data;
//! - the axes as flags: bit k is axis k, and no bit means all. So axes that are left out, `nil` or empty are the same,
//!   and a repeated axis counts once;
//! - the number of the L2 norm, the only one.
//!
//! Nothing is checked first: a return value other than 0 is a rejection, and the function gives no text. The
//! output is filled with a pattern, and so is as much memory behind it as the data take: a write there is
//! reported as a crash. The data are a copy, which is compared afterwards.
//!
//! These calls are unsupported, because the function cannot express them:
//!
//! - the operators of OpenVINO and ONNX;
//! - data or an output of rank 0 or above 8, which no layout has, and f64, which is not a data type;
//! - a negative axis and one from 32 on, which have no flag; axes that are not a list of int64, because flags have no
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

/// Returns BNNS, if it is available.
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

/// An implementation of the function.
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
