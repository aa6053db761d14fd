//! Finds what a backend has beyond what it declares: calls of it are not asked, so nothing of it is judged.

use normative_backend::Declared;
use normative_reference::{Dtype, Spec, TensorError};

use super::SmokeError;
use super::ask::{self, Ask};
use super::found::Found;
use crate::drive::{Driver as _, Limits, Program, Worker};
use crate::observed::Observed;

/// Asks a fresh process one call of each operator and each element type that is not declared. Any answer but a tensor is
/// as it should be, also a death.
pub(super) fn found(program: Program, limits: Limits, declared: &Declared) -> Result<Found, SmokeError> {
    let mut worker = Worker::start(program, limits).map_err(SmokeError::Start)?;
    // The worker would not be sent these calls.
    worker.hello.capabilities.declared = Declared::default();
    let (specs, dtypes): (Vec<Spec>, Vec<Dtype>) = (
        Spec::ALL.into_iter().filter(|&spec| declared.has_spec(spec)).collect(),
        Dtype::ALL.into_iter().filter(|&dtype| declared.has_dtype(dtype)).collect(),
    );
    let mut answered = Vec::new();
    for spec in Spec::ALL.into_iter().filter(|&spec| !declared.has_spec(spec)) {
        if any_is_answered(&mut worker, &[spec], &dtypes)? {
            answered.push(spec.to_string());
        }
    }
    for dtype in Dtype::ALL.into_iter().filter(|&dtype| !declared.has_dtype(dtype)) {
        if any_is_answered(&mut worker, &specs, &[dtype])? {
            answered.push(dtype.to_string());
        }
    }
    worker.check()?;
    Ok(if answered.is_empty() {
        Found::Right
    } else {
        let all = answered.join(", ");
        Found::Note(format!("it also answers {all}, which are not asked, as they are not declared"))
    })
}

/// Returns true if a plain call of one of these operators, with data of one of these types, is answered by a tensor. The
/// first call that each operator has is asked.
fn any_is_answered(worker: &mut Worker, specs: &[Spec], dtypes: &[Dtype]) -> Result<bool, TensorError> {
    for &spec in specs {
        for &dtype in dtypes {
            let ask = |axes| {
                Ok(Ask { norm: spec.norm(), data: ask::telling(dtype)?, axes, keep: None }.spelled(spec))
            };
            // BLAS has no axes to name.
            let call = match ask(Some(vec![1]))? {
                Some(call) => Some(call),
                None => ask(None)?,
            };
            let Some(call) = call else { continue };
            if matches!(worker.ask(&call), Observed::Tensor(_)) {
                return Ok(true);
            }
            break;
        }
    }
    Ok(false)
}
