//! What a call asks of a library whose sums take axes, and maybe a flag to keep them, and nothing else.
//!
//! Such libraries know no operator, no version and no attribute. A user who ports a model to one fills in the
//! operator's defaults by hand and spells the call with the library's arguments. That much is here, once for all
//! of these adapters; how axes are spelled and what is done with them is each adapter's own. Nothing is checked
//! that the library could check: axes are handed on as they were written, whatever the rank.
//!
//! Filled in, because the operator says so and the library has no such default:
//!
//! - `keep_dims` or `keepdims` left out is what the operator's version says;
//! - ONNX axes that are left out mean every axis, and from opset 18 on so do null and empty ones, unless
//!   `noop_with_empty_axes` is 1, which hands on the empty list.
//!
//! An empty list is handed on as it is everywhere else, and one axis as one: what they mean is the library's to say.
//!
//! Without a place in any such library, and so unsupported:
//!
//! - leaving out the axes of OpenVINO, which must be given; null where only an input can be null;
//! - axes of another type than i64, as these axes have none, and of two and more dims;
//! - an attribute that the opset does not have, axes in the form of another opset, and values other than 0 and 1 of an
//!   attribute that is a flag here;
//! - BNNS, whose caller allocates the output.
//!
//! `vectors` has calls, and what the helpers of every language make of them.

use normative_backend::reference::{Axes, AxesTensor, Call, Dtype, Element, Norm, Operator, Opset, Tensor};

/// A call without its operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// Which norm.
    pub norm: Norm,
    /// What to reduce.
    pub axes: Wanted<'a>,
    /// Whether a reduced axis stays, with dim 1.
    pub keep: bool,
}

/// Which axes are to be reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// Every one, however many there are.
    All,
    /// This one, which is a number and not a list.
    One(i128),
    /// These, as they were written: from either end, in any order, any number of times, in range or not.
    Listed(&'a [i128]),
}

impl<'a> Request<'a> {
    /// What `call` asks.
    ///
    /// # Errors
    /// What there is no place for.
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
            Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes } => {
                let keep = flag("keepdims", keepdims, keep_by_default)?;
                let axes = match &call.axes {
                    Axes::Given(axes) => named(axes)?,
                    Axes::Null if opset < Opset::V18 => return Err("an attribute cannot be null".into()),
                    Axes::OtherForm(_) => return Err("axes have one form here, whichever the opset".into()),
                    Axes::Absent | Axes::Null => Wanted::All,
                };
                Ok(Self { norm, axes: with_noop(axes, opset, noop_with_empty_axes)?, keep })
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
    /// Whether this names every axis of data of this rank once, counted from the front: what a norm that takes no
    /// axes computes.
    fn is_everything(&self, rank: usize) -> bool {
        let axes = match self {
            Self::All => return true,
            Self::One(axis) => std::slice::from_ref(axis),
            Self::Listed(axes) => axes,
        };
        axes.len() == rank && (0..rank as i128).all(|axis| axes.contains(&axis))
    }
}

/// What a library answers whose norms are of everything and are numbers: `f32s` and `f64s` take the norm of the
/// elements of data of these dims, row-major. A number is written as a tensor of rank 0, or of one element where axes
/// are kept. `library` is what it is called where it has no place for a call.
///
/// # Errors
/// What there is no place for.
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

fn with_noop(axes: Wanted<'_>, opset: Opset, noop: Option<i64>) -> Result<Wanted<'_>, String> {
    if opset < Opset::V18 {
        return match noop {
            None => Ok(axes),
            Some(_) => Err("there is no noop_with_empty_axes before opset 18".into()),
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
