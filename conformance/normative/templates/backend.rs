//! @NAME@, as Normative judges it: calls in, answers out.
//!
//! An adapter translates and never repairs. It takes no absolute value, mends no axis and converts no element that
//! @NAME@'s own user would not have to. What @NAME@ refuses is `Rejected`, in its words; what it has no place for is
//! `Unsupported`. List each translation here, for readers who doubt a verdict.

use normative_backend::ndarray::{ArrayD, Axis};
use normative_backend::reference::{Axes, Call, Dtype, Family, Norm, Operator, Spec, Tensor};
use normative_backend::{Answer, Backend, Capabilities, Claim, Declared, Identity};

/// Stands here for @NAME@: put a call of it in its place.
fn norm(which: Norm, data: &ArrayD<f32>, axes: &[i64], keep_dims: bool) -> Result<ArrayD<f32>, String> {
    let rank = data.ndim() as i64;
    if let Some(axis) = axes.iter().find(|axis| !(-rank..rank).contains(*axis)) {
        return Err(format!("axis {axis} is out of range for rank {rank}"));
    }
    let mut sums = data.mapv(|x| if which == Norm::L1 { x.abs() } else { x * x });
    for at in (0..rank).rev().filter(|at| axes.contains(at) || axes.contains(&(at - rank))) {
        sums = sums.sum_axis(Axis(at as usize));
        if keep_dims {
            sums = sums.insert_axis(Axis(at as usize));
        }
    }
    Ok(if which == Norm::L1 { sums } else { sums.mapv(f32::sqrt) })
}

/// @NAME@ as a backend.
pub fn backend() -> impl Backend {
    Mine
}

struct Mine;

impl Backend for Mine {
    fn identity(&self) -> Identity {
        Identity {
            name: "@NAME@".into(),
            // The version of what is judged, read from it if it can tell.
            version: "0.0.0 of the example".into(),
            report_bugs_to: "where @NAME@'s maintainers take bug reports".into(),
        }
    }

    /// It is asked about these operators and types alone, and judged by values and shapes: types and refusals are its
    /// own. `Claim::in_full` promises all that the text says.
    fn capabilities(&self) -> Capabilities {
        let specs = vec![Spec::OpenVino(Norm::L1), Spec::OpenVino(Norm::L2)];
        let declared = Declared { specs, dtypes: vec![Dtype::F32] };
        Capabilities { claims: Claim::values_of(&[Family::OpenVino]), declared, ..Capabilities::default() }
    }

    /// `call.data` is a tensor: `Tensor::F32(array)` and so on, row-major arrays of `ndarray`, which is
    /// `normative_backend::ndarray`. `call.axes` are absent, null, or a tensor of integers as they were written.
    fn answer(&mut self, call: &Call) -> Answer {
        // An attribute is None where the call leaves it out.
        let (Operator::OpenVino { norm: which, keep_dims }, Tensor::F32(data)) = (&call.operator, &call.data) else {
            return Answer::Unsupported("there is nothing but OpenVINO's operators, of f32".into());
        };
        // A scalar is a list of one here, and integers of any type are i64: nothing is lost.
        let axes: Option<Vec<i64>> = match &call.axes {
            Axes::Given(axes) if axes.dtype.is_integer() && axes.shape.len() <= 1 => {
                axes.values.iter().map(|&axis| i64::try_from(axis).ok()).collect()
            }
            _ => None,
        };
        let Some(axes) = axes else { return Answer::Unsupported("axes are a list of i64".into()) };
        match norm(*which, data, &axes, keep_dims.unwrap_or(false)) {
            Ok(norms) => Answer::Tensor(norms.into()),
            Err(refusal) => Answer::Rejected(refusal),
        }
    }
}
