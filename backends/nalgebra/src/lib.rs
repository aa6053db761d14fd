//! Runs nalgebra's norm of a vector or a whole matrix: `lp_norm(1)` and `norm()` of a `DVector` or a
//! `DMatrix`, which sum over the entries of both alike.
//!
//! Beside the defaults that [`normative_request`] fills in, the adapter translates:
//!
//! - axes that name each axis once, counted from the front, need no argument;
//! - nalgebra returns a number. It becomes a tensor of rank 0, or of one element if axes are kept;
//! - nalgebra stores matrices by columns; `from_row_slice` copies our rows.
//!
//! Unsupported: any other axes; ranks except 1 and 2; element types except f32 and f64.

use nalgebra::{DMatrix, DVector, RealField};
use normative_backend::reference::{Call, Family, Norm};
use normative_backend::{Answer, Backend, Capabilities, Claim, Identity};
use normative_request::of_everything;

/// The version in Cargo.lock, because nalgebra does not report its own.
pub const VERSION: &str = "0.35.0";

/// Returns nalgebra as a backend.
pub fn backend() -> impl Backend {
    Nalgebra
}

struct Nalgebra;

impl Backend for Nalgebra {
    fn identity(&self) -> Identity {
        Identity {
            name: "nalgebra".into(),
            version: VERSION.into(),
            report_bugs_to: "https://github.com/dimforge/nalgebra/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let claims = Claim::values_of(&[Family::OpenVino, Family::Onnx]);
        Capabilities { claims, ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        match of_everything(call, "nalgebra", norm_of::<f32>, norm_of::<f64>) {
            Ok(norm) => Answer::Tensor(norm),
            Err(missing) => Answer::Unsupported(missing),
        }
    }
}

/// Computes the norm: all of the judged code.
fn norm_of<T: RealField>(shape: &[usize], elements: &[T], norm: Norm) -> Result<T, String> {
    match (shape, norm) {
        (_, Norm::SumSquare | Norm::Sum) => Err("nalgebra's sums are not asked for".into()),
        ([_], Norm::L1) => Ok(DVector::from_column_slice(elements).lp_norm(1)),
        ([_], Norm::L2) => Ok(DVector::from_column_slice(elements).norm()),
        (&[rows, columns], Norm::L1) => Ok(DMatrix::from_row_slice(rows, columns, elements).lp_norm(1)),
        (&[rows, columns], Norm::L2) => Ok(DMatrix::from_row_slice(rows, columns, elements).norm()),
        (shape, _) => Err(format!("nalgebra has vectors and matrices, nothing of rank {}", shape.len())),
    }
}

#[cfg(test)]
mod tests;
