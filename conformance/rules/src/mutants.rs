//! The wrong implementations: tables of small edits of the honest one, a row each, a file per family.
//!
//! A row is a name, a family, a sentence about the mistake, the clauses that it breaks, and the edit. An edit
//! exchanges a step or two of `Steps` and does not know the cases.

use std::borrow::Cow;

use normative_conformance::Answer;
use normative_conformance::corpus::Case;
use normative_conformance::reference::{Axes, Call, Dtype, FloatFormat, Tensor};

use crate::fault::KernelFault;
use crate::plan::Readings;
use crate::steps::{Implementation, Steps};

mod arithmetic;
mod array_api;
mod attributes;
mod axes;
mod blas;
mod caches;
mod dims;
mod empties;
mod forms;
mod kernels;
mod layout;
mod lists;
mod nonfinite;
mod numerics;
mod precision;
mod specials;
mod state;
mod types;
mod unasked;
mod versions;
mod webnn;
mod widths;
mod zero_sized;

/// The kind of mistake that a mutant makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutantFamily {
    /// The formula: magnitudes, squares, sums, roots, lengths.
    Arithmetic,
    /// The choice of axes, and the elements along them.
    Axes,
    /// The output's dims.
    Dims,
    /// Zero-sized dims, and axes that are absent, null or empty.
    Empties,
    /// Widths and signs of element types.
    Types,
    /// NaN, infinities, zeros, subnormals.
    Specials,
    /// Precision and rounding.
    Numerics,
    /// Differences between versions.
    Versions,
    /// State kept from call to call.
    State,
    /// One type, norm, position and remainder among many.
    Kernels,
}

impl MutantFamily {
    /// Returns its name in printed text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic",
            Self::Axes => "axes",
            Self::Dims => "dims",
            Self::Empties => "empties",
            Self::Types => "types",
            Self::Specials => "specials",
            Self::Numerics => "numerics",
            Self::Versions => "versions",
            Self::State => "state",
            Self::Kernels => "kernels",
        }
    }
}

/// A wrong implementation.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// The kind of mistake.
    pub family: MutantFamily,
    /// Its name.
    pub name: &'static str,
    /// The mistake, in a sentence.
    pub wrong: &'static str,
    /// The names of the clauses that it breaks, of all specs together, with blanks between them.
    breaks: &'static str,
    edit: Edit,
}

/// The difference between a mutant and the plain implementation.
#[derive(Clone, Copy, Debug)]
enum Edit {
    /// Other steps.
    Steps(fn(&mut Steps)),
    /// One kernel.
    Fault(KernelFault),
}

impl Mutant {
    /// Returns the names of the clauses that it breaks.
    pub fn broken(&self) -> impl Iterator<Item = &'static str> {
        self.breaks.split(' ')
    }

    /// Returns true if the case is mainly about a clause that the mutant breaks.
    pub fn breaks_first_clause_of(&self, case: &Case) -> bool {
        case.clauses.first().is_some_and(|clause| self.broken().any(|name| name == clause.name))
    }

    /// Returns the implementation.
    pub fn backend(&self) -> Implementation {
        let mut steps = Steps::honest(Readings::default());
        match self.edit {
            Edit::Steps(edit) => edit(&mut steps),
            Edit::Fault(fault) => steps.fault = Some(fault),
        }
        Implementation::new(self.name, steps)
    }
}

const fn row(
    family: MutantFamily,
    name: &'static str,
    wrong: &'static str,
    breaks: &'static str,
    edit: fn(&mut Steps),
) -> Mutant {
    Mutant { family, name, wrong, breaks, edit: Edit::Steps(edit) }
}

/// Returns an answer of these bits, or a refusal if the shape does not fit them.
fn answer(dtype: Dtype, shape: &[usize], bits: &[u64]) -> Answer {
    Tensor::from_bits(dtype, shape, bits)
        .map_or_else(|error| Answer::Rejected(error.to_string()), Answer::Tensor)
}

/// Returns the call with other axes.
fn with_axes(call: &Call, axes: Axes) -> Cow<'_, Call> {
    Cow::Owned(Call { axes, ..call.clone() })
}

/// Returns the call on data of this shape and these bits, or the call itself if they do not fit.
fn with_bits<'a>(call: &'a Call, shape: &[usize], bits: &[u64]) -> Cow<'a, Call> {
    let data = Tensor::from_bits(call.data.dtype(), shape, bits);
    data.map_or(Cow::Borrowed(call), |data| Cow::Owned(Call { data, ..call.clone() }))
}

/// Returns true if the call has a list of axes that is not empty.
fn names_axes(call: &Call) -> bool {
    matches!(&call.axes, Axes::Given(given) if !given.values.is_empty())
}

/// Returns true if the call has axes of this type.
fn axes_are(call: &Call, dtype: Dtype) -> bool {
    matches!(&call.axes, Axes::Given(given) if given.dtype == dtype)
}

/// f32's range and f16's precision, as in matrix units.
const TEN_BITS: FloatFormat = FloatFormat { precision: 11, min_exponent: -126, max_exponent: 127 };

/// Mutants that cases kill and a default run may miss: each is wrong for one value of thousands (one number
/// as an axis, one payload of a NaN), or for axes in the form of another opset, which no generated call has.
pub const CASES_ONLY: [&str; 6] = [
    "u16-axes-read-as-i16",
    "signalling-nan-as-infinity",
    "input-axes-taken-before-18",
    "attribute-axes-taken-at-18",
    "input-axes-taken-at-13",
    "attribute-axes-taken",
];

/// Returns the wrong implementations that generated calls find and no case tests.
pub fn unasked() -> Vec<Mutant> {
    [unasked::ROWS, caches::UNASKED].concat()
}

/// Returns every wrong implementation that a case must catch, family by family.
pub fn mutants() -> Vec<Mutant> {
    [
        arithmetic::ROWS,
        axes::ROWS,
        lists::ROWS,
        layout::ROWS,
        dims::ROWS,
        empties::ROWS,
        zero_sized::ROWS,
        types::ROWS,
        widths::ROWS,
        specials::ROWS,
        nonfinite::ROWS,
        numerics::ROWS,
        precision::ROWS,
        versions::ROWS,
        attributes::ROWS,
        state::ROWS,
        caches::ROWS,
        kernels::ROWS,
        // Later families are last, so that samples of the others stay the same.
        array_api::ROWS,
        webnn::ROWS,
        blas::ROWS,
        forms::ROWS,
    ]
    .concat()
}
