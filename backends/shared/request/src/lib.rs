//! Translates a call for libraries whose sums take only axes, and perhaps a flag to keep them.
//!
//! Such libraries have no operators, versions or attributes. A user who ports a model to one fills in the
//! operator's defaults by hand and spells the call with the library's arguments. This crate does that once
//! for all these adapters; each adapter spells and uses the axes itself. The library checks the rest: axes
//! are passed on as the call has them, whatever the rank.
//!
//! Filled in, because the operator has a default and the library does not:
//!
//! - `keep_dims` or `keepdims` left out gets the default of the operator's version;
//! - ONNX axes that are left out mean every axis, and from opset 18 on so do null and empty ones, unless
//!   `noop_with_empty_axes` is 1, which passes on the empty list.
//!
//! Other empty lists are passed on, and one axis as one: the library decides their meaning.
//!
//! No such library can express these calls, so they are unsupported:
//!
//! - leaving out the axes of OpenVINO, which must be given; null where only an input can be null;
//! - axes of another type than i64, because a library's axes have no type, and of two and more dims;
//! - an attribute that the opset does not have, axes in the form of another opset, and values other than 0 and 1 of an
//!   attribute that is a flag here;
//! - BNNS, whose caller allocates the output.
//!
//! `vectors` lists calls, and their translation by the helpers of every language.

use normative_backend::reference::spec::AxesForm;
use normative_backend::reference::{Axes, AxesTensor, Call, Dtype, Element, Norm, Operator, Tensor};

/// A call without its operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The norm to compute.
    pub norm: Norm,
    /// The axes to reduce.
    pub axes: Wanted<'a>,
    /// True if a reduced axis stays, with dim 1.
    pub keep: bool,
}

/// The axes to reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// Every axis.
    All,
    /// This axis, as a number rather than a list.
    One(i128),
    /// These axes, as the call has them: from either end, in any order, repeated or not, in range or not.
    Listed(&'a [i128]),
}

impl<'a> Request<'a> {
    /// Returns the request of `call`.
    ///
    /// # Errors
    /// The part that such a library cannot express.
    pub fn of(call: &'a Call) -> Result<Self, String> {
        let keep_by_default = call.spec().rules().keep_dims_default;
        match call.operator {
            Operator::OpenVino { norm, keep_dims } => {
                let Axes::Given(axes) = &call.axes else {
                    return Err(
                        "the axes of this operator cannot be left out, those of a sum here can".into()
                    );
                };
                Ok(Self { norm, axes: named(axes)?, keep: keep_dims.unwrap_or(keep_by_default) })
            }
            Operator::Onnx { norm, keepdims, noop_with_empty_axes, .. } => {
                let keep = flag("keepdims", keepdims, keep_by_default)?;
                let by_input = call.spec().rules().axes == AxesForm::OptionalInput;
                let axes = match &call.axes {
                    Axes::Given(axes) => named(axes)?,
                    Axes::Null if !by_input => return Err("an attribute cannot be null".into()),
                    Axes::OtherForm(_) => return Err("axes have one form here, whichever the opset".into()),
                    Axes::Absent | Axes::Null => Wanted::All,
                };
                Ok(Self { norm, axes: with_noop(axes, by_input, noop_with_empty_axes)?, keep })
            }
            Operator::ArrayApi { .. } => Err("the library does not claim the array API".into()),
            Operator::WebNn { .. } => Err("the library does not claim WebNN".into()),
            Operator::Blas { .. } => Err("the library does not claim BLAS".into()),
            Operator::Bnns { .. } => {
                Err("there is no place for the output that the caller of computeNorm allocates".into())
            }
        }
    }
}

impl Wanted<'_> {
    /// Returns true if this names every axis of data of this rank once, counted from the front. A norm
    /// without an axes argument computes that.
    fn is_everything(&self, rank: usize) -> bool {
        let axes = match self {
            Self::All => return true,
            Self::One(axis) => std::slice::from_ref(axis),
            Self::Listed(axes) => axes,
        };
        axes.len() == rank && (0..rank as i128).all(|axis| axes.contains(&axis))
    }
}

/// Answers a call with a library whose norms cover the whole tensor and return a number. `f32s` and `f64s`
/// compute the norm from the dims and the row-major elements. The number becomes a tensor of rank 0, or of
/// one element if axes are kept. `library` is its name in errors.
///
/// # Errors
/// The part that such a library cannot express.
pub fn of_everything(
    call: &Call,
    library: &str,
    f32s: impl Fn(&[usize], &[f32], Norm) -> Result<f32, String>,
    f64s: impl Fn(&[usize], &[f64], Norm) -> Result<f64, String>,
) -> Result<Tensor, String> {
    let Request { norm, axes, keep } = Request::of(call)?;
    let shape = call.data.shape();
    if !axes.is_everything(shape.len()) {
        return Err(format!("{library}'s norms take no axes: they are of everything"));
    }
    let dims = if keep { vec![1; shape.len()] } else { vec![] };
    match &call.data {
        Tensor::F32(data) => number(f32s(shape, &data.iter().copied().collect::<Vec<_>>(), norm)?, &dims),
        Tensor::F64(data) => number(f64s(shape, &data.iter().copied().collect::<Vec<_>>(), norm)?, &dims),
        other => Err(format!("{library} has no norm of {}", other.dtype())),
    }
}

fn number<T: Element>(norm: T, dims: &[usize]) -> Result<Tensor, String> {
    Tensor::from_bits(T::DTYPE, dims, &[norm.to_u64()]).map_err(|error| error.to_string())
}

fn named(axes: &AxesTensor) -> Result<Wanted<'_>, String> {
    match (axes.dtype, &*axes.shape, &*axes.values) {
        (Dtype::I64, [], [axis]) => Ok(Wanted::One(*axis)),
        (Dtype::I64, [_], axes) => Ok(Wanted::Listed(axes)),
        (dtype, shape, _) => {
            Err(format!("axes are one integer or a list here, not {dtype} of shape {shape:?}"))
        }
    }
}

fn flag(name: &str, value: Option<i64>, by_default: bool) -> Result<bool, String> {
    match value {
        None => Ok(by_default),
        Some(0) => Ok(false),
        Some(1) => Ok(true),
        Some(value) => Err(format!("a bool cannot be {name} = {value}")),
    }
}

fn with_noop(axes: Wanted<'_>, by_input: bool, noop: Option<i64>) -> Result<Wanted<'_>, String> {
    if !by_input {
        return match noop {
            None => Ok(axes),
            Some(_) => Err("there is no noop_with_empty_axes where axes are an attribute".into()),
        };
    }
    let noop = flag("noop_with_empty_axes", noop, false)?;
    Ok(match axes {
        Wanted::All | Wanted::Listed([]) if noop => Wanted::Listed(&[]),
        Wanted::All | Wanted::Listed([]) => Wanted::All,
        Wanted::One(_) | Wanted::Listed(_) => axes,
    })
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
