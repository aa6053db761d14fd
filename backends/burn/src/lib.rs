//! Runs the norm reductions of burn on its flex backend (CPU): `linalg::l1_norm_dims` and
//! `linalg::l2_norm_dims`, and `squeeze_dims` where axes are dropped.
//!
//! Beside the defaults that [`normative_request`] fills in, the adapter translates:
//!
//! - a rank is part of a tensor's type, so the adapter has one instance for each rank from 1 to 8, and counts the
//!   distinct axes where `squeeze_dims` needs the rank of its result in the type;
//! - burn has no tensor of rank 0. If no dims are left, the result is read as a scalar;
//! - every axis is `0..rank`, where an operator means all by naming none;
//! - axes are i64, from either end. burn panics on an axis out of range; its check is public
//!   (`AsIndex::try_dim_index`) and is called first, as users with foreign axes must do. Its error is a refusal.
//!
//! Unsupported: data of rank 0 or above 8; axes that are not a list, or beyond i64; the L2 norm of integers,
//! because `l2_norm_dims` takes only floats.
//!
//! Any other panic passes through.

mod elements;

use std::collections::BTreeSet;

use burn::linalg::{l1_norm_dims, l2_norm_dims};
use burn::tensor::kind::Basic;
use burn::tensor::{AsIndex, Device, Int, Tensor};
use normative_backend::reference::{Call, Family, Norm};
use normative_backend::{Answer, Backend, Capabilities, Claim, Identity};
use normative_request::{Request, Wanted};

use self::elements::{dtype, from_burn, to_burn};

/// The version in Cargo.lock, because burn does not report its own.
pub const VERSION: &str = "0.22.1";

/// Returns burn as a backend.
pub fn backend() -> impl Backend {
    Burn(Device::flex())
}

struct Burn(Device);

impl Backend for Burn {
    fn identity(&self) -> Identity {
        Identity {
            name: "burn".into(),
            version: VERSION.into(),
            report_bugs_to: "https://github.com/tracel-ai/burn/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let claims = Claim::values_of(&[Family::OpenVino, Family::Onnx]);
        Capabilities { claims, ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let of_rank = match call.data.rank() {
            1 => of_rank::<1>,
            2 => of_rank::<2>,
            3 => of_rank::<3>,
            4 => of_rank::<4>,
            5 => of_rank::<5>,
            6 => of_rank::<6>,
            7 => of_rank::<7>,
            8 => of_rank::<8>,
            0 => return Answer::Unsupported("burn has no tensor of rank 0".into()),
            _ => return Answer::Unsupported("the adapter has instances up to rank 8".into()),
        };
        of_rank(call, &self.0).unwrap_or_else(|no| no)
    }
}

/// Answers a call on data of this rank; `Err` is the answer where no norm is computed.
fn of_rank<const D: usize>(call: &Call, device: &Device) -> Result<Answer, Answer> {
    let request = Request::of(call).map_err(Answer::Unsupported)?;
    let axes = axes(&request.axes, D)?;
    let out_of_range = |axis: &i64| axis.try_dim_index(D).err();
    if let Some(error) = axes.iter().find_map(out_of_range) {
        return Err(Answer::Rejected(error.to_string()));
    }
    let (data, options) = (to_burn(&call.data), (device, dtype(call.data.dtype())));
    let result = match (call.data.dtype().is_integer(), request.norm) {
        (false, Norm::L1) => {
            squeezed(l1_norm_dims(Tensor::<D>::from_data(data, options), &axes), &axes, request.keep)
        }
        (false, Norm::L2) => {
            squeezed(l2_norm_dims(Tensor::<D>::from_data(data, options), &axes), &axes, request.keep)
        }
        (true, Norm::L1) => {
            squeezed(l1_norm_dims(Tensor::<D, Int>::from_data(data, options), &axes), &axes, request.keep)
        }
        (_, Norm::SumSquare | Norm::Sum) => {
            return Err(Answer::Unsupported("burn's sums are not asked for".into()));
        }
        (true, Norm::L2) => return Err(Answer::Unsupported("burn's l2_norm_dims takes floats alone".into())),
    };
    Ok(result)
}

fn axes(wanted: &Wanted<'_>, rank: usize) -> Result<Vec<i64>, Answer> {
    match wanted {
        Wanted::All => Ok((0..rank as i64).collect()),
        Wanted::One(_) => Err(Answer::Unsupported("burn's l1_norm_dims and l2_norm_dims take a list".into())),
        Wanted::Listed(axes) => axes
            .iter()
            .map(|&axis| i64::try_from(axis))
            .collect::<Result<_, _>>()
            .map_err(|_| Answer::Unsupported("burn's axes are at most 64 bits wide".into())),
    }
}

/// Returns the norm without the reduced axes, unless they are kept.
fn squeezed<const D: usize, K: Basic>(norm: Tensor<D, K>, axes: &[i64], keep: bool) -> Answer {
    let reduced: BTreeSet<usize> = axes.iter().filter_map(|axis| axis.try_dim_index(D).ok()).collect();
    let data = match D - reduced.len() {
        _ if keep || reduced.is_empty() => norm.try_into_data(),
        0 => {
            return match norm.try_into_data() {
                Ok(data) => from_burn(&data, &[]),
                Err(error) => Answer::Crashed(error.to_string()),
            };
        }
        1 => norm.squeeze_dims::<1>(axes).try_into_data(),
        2 => norm.squeeze_dims::<2>(axes).try_into_data(),
        3 => norm.squeeze_dims::<3>(axes).try_into_data(),
        4 => norm.squeeze_dims::<4>(axes).try_into_data(),
        5 => norm.squeeze_dims::<5>(axes).try_into_data(),
        6 => norm.squeeze_dims::<6>(axes).try_into_data(),
        // At most 8 axes, and one is removed.
        _ => norm.squeeze_dims::<7>(axes).try_into_data(),
    };
    match data {
        Ok(data) => from_burn(&data, data.shape().as_slice()),
        Err(error) => Answer::Crashed(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
