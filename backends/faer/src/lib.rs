//! Runs faer's norm of a vector or a whole matrix: `norm_l1` and `norm_l2` of a `ColRef` or a `MatRef`, which
//! sum over the entries of both alike.
//!
//! Beside the defaults that [`normative_request`] fills in, the adapter translates:
//!
//! - axes that name each axis once, counted from the front, need no argument;
//! - faer returns a number. It becomes a tensor of rank 0, or of one element if axes are kept.
//!
//! Unsupported: any other axes; ranks except 1 and 2; element types except f32 and f64.

use faer::traits::RealField;
use faer::{ColRef, MatRef};
use normative_backend::reference::{Call, Family, Norm};
use normative_backend::{Answer, Backend, Capabilities, Claim, Identity};
use normative_request::of_everything;

/// The version in Cargo.lock, because faer does not report its own.
pub const VERSION: &str = "0.24.4";

/// Returns faer as a backend.
pub fn backend() -> impl Backend {
    Faer
}

struct Faer;

impl Backend for Faer {
    fn identity(&self) -> Identity {
        Identity {
            name: "faer".into(),
            version: VERSION.into(),
            report_bugs_to: "https://codeberg.org/sarah-quinones/faer/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let claims = Claim::values_of(&[Family::OpenVino, Family::Onnx]);
        Capabilities { claims, ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        match of_everything(call, "faer", norm_of::<f32>, norm_of::<f64>) {
            Ok(norm) => Answer::Tensor(norm),
            Err(missing) => Answer::Unsupported(missing),
        }
    }
}

/// Computes the norm: all of the judged code.
fn norm_of<T: RealField>(shape: &[usize], elements: &[T], norm: Norm) -> Result<T, String> {
    match (shape, norm) {
        (_, Norm::SumSquare | Norm::Sum) => Err("faer's sums are not asked for".into()),
        ([_], Norm::L1) => Ok(ColRef::from_slice(elements).norm_l1()),
        ([_], Norm::L2) => Ok(ColRef::from_slice(elements).norm_l2()),
        (&[rows, columns], Norm::L1) => Ok(MatRef::from_row_major_slice(elements, rows, columns).norm_l1()),
        (&[rows, columns], Norm::L2) => Ok(MatRef::from_row_major_slice(elements, rows, columns).norm_l2()),
        (shape, _) => Err(format!("faer has vectors and matrices, nothing of rank {}", shape.len())),
    }
}

#[cfg(test)]
mod tests;
