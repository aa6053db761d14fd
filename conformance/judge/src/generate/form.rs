//! The form of a call: element type, shape, axes in some spelling, attributes.
//!
//! A plain form is drawn first, which its spec decides and allows; a [twist](super::twist) then changes one
//! property of it, which makes it open or invalid.

use normative_reference::spec::{AxesForm, AxisRange};
use normative_reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator, Spec, Stance, Tensor};

use super::data::Scene;
use super::source::Source;
use super::{CallLimits, shape};

/// A call without its data.
pub(super) struct Form {
    pub(super) spec: Spec,
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    /// The row-major axes that are reduced, in the order of naming.
    pub(super) reduced: Vec<usize>,
    pub(super) axes: Axes,
    /// The attribute that keeps dims; 0 and 1 for OpenVINO, `None` for BNNS.
    pub(super) keep: Option<i64>,
    pub(super) noop: Option<i64>,
    /// The shape that the caller of BNNS allocated, if it differs from the result's.
    pub(super) allocated: Option<Vec<usize>>,
    /// True if the array API's order is written although it is the default.
    pub(super) ord: bool,
    /// For BLAS, the elements of the data that are reduced.
    pub(super) vector: Vector,
}

/// The number of elements that BLAS reads, and their spacing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Vector {
    pub(super) n: i32,
    pub(super) incx: i32,
}

/// The spacings of elements: adjacent, columns of narrow matrices, and spacings beyond a load, a cache line or
/// a block.
const INCREMENTS: [i32; 128] = {
    let mut increments = [1; 128];
    let mut at = 24;
    while at < 128 {
        increments[at] = match at as i32 {
            24..34 => 2,
            at @ 34..102 => at - 31,
            102..110 => -1,
            at @ 110..122 => 108 - at,
            _ => 0,
        };
        at += 1;
    }
    increments
};

/// The most data elements of a vector that covers a kernel.
const FARTHEST: usize = 1 << 17;

/// Element counts that are not positive.
const NO_COUNTS: [i32; 4] = [0, 0, -1, i32::MIN];

/// The number of choices, from 0, of unread elements at the end.
const TAILS: usize = 4;

/// Integers that are neither 0 nor 1. Some become 0 or 1 if only their low bits are read.
const ODD: [i64; 8] = [2, -1, 3, 256, 1 << 32, (1 << 32) + 1, i64::MIN, i64::MAX];

/// Returns a form that the spec allows and decides. If `listed`, its axes are a list or a scalar.
pub(super) fn plain(
    source: &mut Source<'_, '_>,
    spec: Spec,
    listed: bool,
    limits: CallLimits,
    shape: Option<&[usize]>,
) -> Form {
    let rules = spec.rules();
    if rules.axes == AxesForm::NoAxes {
        let length = match shape {
            Some(shape) => shape.iter().product(),
            None => shape::dims(source, 1, limits).into_iter().product(),
        };
        let dtype = source.pick(rules.dtypes, Dtype::F32);
        return vector(source, spec, dtype, length, shape::most(limits));
    }
    // A scalar has no axis to name.
    let scalar = !listed
        && rules.axes != AxesForm::RequiredInput
        && rules.ranks.0 == 0
        && rules.rank_zero == Stance::Allows
        && source.chance(16);
    let shape = match shape.filter(|shape| !shape.is_empty()) {
        Some(shape) => shape.to_vec(),
        None if scalar => Vec::new(),
        None => {
            // BNNS also allows ranks 7 and 8.
            let large = spec == Spec::Bnns && source.chance(12);
            let rank = if large { 7 + source.below(2) } else { shape::rank(source) };
            shape::dims(source, rank, limits)
        }
    };
    let rank = shape.len();
    let mut form = Form {
        spec,
        dtype: source.pick(rules.dtypes, Dtype::F32),
        shape,
        reduced: (0..rank).collect(),
        axes: Axes::Absent,
        keep: attribute(source),
        noop: None,
        allocated: None,
        ord: ord(source, spec),
        vector: Vector::default(),
    };
    match unlisted(source, rules.axes) {
        Some(axes) if !listed => take_unlisted(&mut form, axes),
        // A scalar has no axis to name.
        _ if rank == 0 => {}
        _ => name_axes(source, &mut form),
    }
    form.noop = noop(source, &form);
    fill_empty(&mut form);
    form
}

/// Returns a plain form of a vector with this many elements: its data have some more elements, and the spacing
/// keeps them within `most`.
fn vector(source: &mut Source<'_, '_>, spec: Spec, dtype: Dtype, length: usize, most: usize) -> Form {
    let incx = match (source.pick(&INCREMENTS, 1), spec.norm()) {
        // For asum, other increments are open.
        (incx, Norm::L1) => incx.abs().max(1),
        (incx, Norm::L2 | Norm::SumSquare | Norm::Sum) => incx,
    };
    let tail = source.below(TAILS);
    let length = length.min(most.saturating_sub(TAILS));
    // The spacing is limited by the size of the data.
    let room = most.saturating_sub(TAILS) / length.max(1);
    let farthest = i32::try_from(room).unwrap_or(i32::MAX).max(1);
    let incx = incx.clamp(-farthest, farthest);
    let n = match i32::try_from(length) {
        Ok(0) | Err(_) => source.pick(&NO_COUNTS, 0),
        Ok(length) => length,
    };
    let reach = Operator::Blas { norm: spec.norm(), n, incx }.reach() as usize;
    Form {
        spec,
        dtype,
        shape: vec![reach + tail],
        reduced: vec![0],
        axes: Axes::Absent,
        keep: None,
        noop: None,
        allocated: None,
        ord: false,
        vector: Vector { n, incx },
    }
}

/// Returns a plain form of this type and these dims that reduces these axes.
pub(super) fn over(
    source: &mut Source<'_, '_>,
    spec: Spec,
    dtype: Dtype,
    shape: Vec<usize>,
    reduced: Vec<usize>,
) -> Form {
    if spec.rules().axes == AxesForm::NoAxes {
        return vector(source, spec, dtype, shape.iter().product(), FARTHEST);
    }
    let (keep, ord) = (attribute(source), ord(source, spec));
    let (axes, vector) = (Axes::Absent, Vector::default());
    let mut form = Form { spec, dtype, shape, reduced, axes, keep, noop: None, allocated: None, ord, vector };
    match unlisted(source, spec.rules().axes) {
        Some(axes)
            if form.reduced.len() == form.shape.len()
                && !(matches!(axes, Axes::Given(_)) && empty_names_none(spec.rules().axes)) =>
        {
            take_unlisted(&mut form, axes);
        }
        _ => {
            shuffle(source, &mut form.reduced);
            spell_axes(source, &mut form);
        }
    }
    form.noop = noop(source, &form);
    form
}

/// Returns a plain form of this type and these dims that reduces all axes, often without naming any.
pub(super) fn over_all(
    source: &mut Source<'_, '_>,
    spec: Spec,
    dtype: Dtype,
    shape: Vec<usize>,
    reduced: Vec<usize>,
) -> Form {
    let mut form = over(source, spec, dtype, shape, reduced);
    let named = matches!(spec.rules().axes, AxesForm::RequiredInput | AxesForm::NoAxes);
    if !named && source.chance(160) {
        take_unlisted(&mut form, Axes::Absent);
        form.noop = noop(source, &form);
    }
    form
}

/// Draws `noop_with_empty_axes`, if there is such an attribute.
fn noop(source: &mut Source<'_, '_>, form: &Form) -> Option<i64> {
    if !form.spec.rules().noop {
        return None;
    }
    let named = matches!(&form.axes, Axes::Given(axes) if !axes.values.is_empty());
    match source.below(8) {
        0..=3 => None,
        4 | 5 => Some(0),
        // If axes are named, the attribute has no effect.
        _ => Some(i64::from(named)),
    }
}

/// Returns true if the array API's order of 2 is written out.
fn ord(source: &mut Source<'_, '_>, spec: Spec) -> bool {
    spec == Spec::ArrayApi(Norm::L2) && source.below(2) == 1
}

/// Sets axes that name none.
fn take_unlisted(form: &mut Form, axes: Axes) {
    match (form.spec.rules().axes, &axes) {
        (form_of_axes, Axes::Given(_)) if empty_names_none(form_of_axes) => form.reduced.clear(),
        // For these it is open if the dims of all axes are kept.
        (AxesForm::IntegerOrTuple, _) => form.keep = form.keep.filter(|&keep| keep == 0),
        _ => {}
    }
    form.axes = axes;
}

/// Returns true if an empty list of axes reduces nothing; for other forms it means all axes.
fn empty_names_none(form: AxesForm) -> bool {
    matches!(form, AxesForm::IntegerOrTuple | AxesForm::ListOfUnsigned)
}

/// Draws a boolean attribute: left out, 0 or 1.
fn attribute(source: &mut Source<'_, '_>) -> Option<i64> {
    [None, Some(0), Some(1)][source.below(3)]
}

/// Draws an integer that is neither 0 nor 1.
pub(super) fn odd(source: &mut Source<'_, '_>) -> i64 {
    source.pick(&ODD, 2)
}

/// Draws a way to ask for all axes without naming any; `None` if they are to be named.
fn unlisted(source: &mut Source<'_, '_>, form: AxesForm) -> Option<Axes> {
    let choice = source.byte();
    match form {
        AxesForm::RequiredInput => None,
        AxesForm::NoAxes => Some(Axes::Absent),
        AxesForm::Attribute => (choice < 32).then_some(Axes::Absent),
        AxesForm::ListOfUnsigned => match choice {
            0..=31 => Some(Axes::Absent),
            32..=45 => Some(Axes::list(&[])),
            _ => None,
        },
        AxesForm::OptionalInput | AxesForm::Argument | AxesForm::IntegerOrTuple => match choice {
            0..=17 => Some(Axes::Absent),
            18..=31 => Some(Axes::Null),
            32..=45 if form != AxesForm::Argument => Some(Axes::list(&[])),
            _ => None,
        },
    }
}

/// Names some axes, at least one, in any order, and from either end if the spec allows that.
fn name_axes(source: &mut Source<'_, '_>, form: &mut Form) {
    let rank = form.shape.len();
    let count = match source.below(8) {
        0..=2 => 1,
        3 | 4 => 2,
        5 | 6 => 3,
        _ => 1 + source.below(rank),
    };
    // In a plain form, `reduced` starts as all axes.
    let axes = &mut form.reduced;
    for at in 0..count.min(rank) {
        let other = at + source.below(rank - at);
        axes.swap(at, other);
    }
    axes.truncate(count);
    spell_axes(source, form);
}

/// Shuffles the axes.
fn shuffle(source: &mut Source<'_, '_>, axes: &mut [usize]) {
    for at in 0..axes.len() {
        axes.swap(at, at + source.below(axes.len() - at));
    }
}

/// Spells the reduced axes, each from either end if the spec allows that.
fn spell_axes(source: &mut Source<'_, '_>, form: &mut Form) {
    let (rank, rules, axes) = (form.shape.len(), form.spec.rules(), &form.reduced);
    let dtype = match rules.axes {
        AxesForm::RequiredInput => source.pick(&AXES_DTYPES, Dtype::I64),
        _ => Dtype::I64,
    };
    let signs = match source.below(4) {
        _ if !counts_from_the_end(rules.axis_range) || !is_signed(dtype) => 0,
        0 => 0,
        1 => u8::MAX,
        _ => source.byte(),
    };
    let spell = |(at, &axis): (usize, &usize)| match form.spec {
        Spec::Bnns => (rank - 1 - axis) as i128,
        _ if signs >> (at % 8) & 1 == 1 => axis as i128 - rank as i128,
        _ => axis as i128,
    };
    let values: Vec<i128> = axes.iter().enumerate().map(spell).collect();
    let scalar = values.len() == 1 && may_be_scalar(rules.axes) && source.chance(96);
    let shape = if scalar { vec![] } else { vec![values.len()] };
    form.axes = Axes::Given(AxesTensor { dtype, shape, values });
}

/// Returns true if a negative axis is known to count from the end.
pub(super) fn counts_from_the_end(range: AxisRange) -> bool {
    range == AxisRange::Stated
}

/// Returns true if one axis may be given as a scalar.
pub(super) fn may_be_scalar(form: AxesForm) -> bool {
    matches!(form, AxesForm::RequiredInput | AxesForm::IntegerOrTuple)
}

/// Element types of an OpenVINO axes tensor, the usual ones more often.
pub(super) const AXES_DTYPES: [Dtype; 12] = [
    Dtype::I64,
    Dtype::I64,
    Dtype::I64,
    Dtype::I32,
    Dtype::I32,
    Dtype::I32,
    Dtype::I8,
    Dtype::I16,
    Dtype::U8,
    Dtype::U16,
    Dtype::U32,
    Dtype::U64,
];

/// Returns true if the type is a signed integer.
pub(super) const fn is_signed(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64)
}

/// Replaces dims of 0 by 1 if the text leaves their meaning open.
fn fill_empty(form: &mut Form) {
    let rules = form.spec.rules();
    for (axis, dim) in form.shape.iter_mut().enumerate() {
        let open = if form.reduced.contains(&axis) { rules.empty_set } else { rules.empty_data };
        if open != Stance::Allows {
            *dim = (*dim).max(1);
        }
    }
}

impl Form {
    /// Returns the properties that the data's patterns need.
    pub(super) fn scene(&self) -> Scene {
        let reduced = |axis: &usize| self.reduced.contains(axis);
        Scene {
            dtype: self.dtype,
            norm: self.spec.norm(),
            count: self.shape.iter().product(),
            terms: self.reduced.iter().filter_map(|&axis| self.shape.get(axis)).product(),
            inner: self.shape.len().checked_sub(1).as_ref().is_none_or(reduced),
        }
    }

    /// Returns the dims of BNNS's result, fastest first.
    pub(super) fn result(&self) -> Vec<usize> {
        let kept = (0..self.shape.len()).rev().filter(|axis| !self.reduced.contains(axis));
        let dims: Vec<usize> = kept.map(|axis| self.shape[axis]).collect();
        if dims.is_empty() { vec![1] } else { dims }
    }

    /// Returns the call of this form with data of these bits; with empty data if they do not fill its dims.
    pub(super) fn with_bits(self, bits: &[u64]) -> Call {
        let data = Tensor::from_bits(self.dtype, &self.shape, bits).unwrap_or_else(|_| super::nothing());
        self.into_call(data)
    }

    /// Returns the call of this form on these data.
    pub(super) fn into_call(self, data: Tensor) -> Call {
        let operator = match self.spec.operator() {
            Operator::Onnx { norm, opset, keepdims, .. } => {
                Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes: self.noop }
            }
            Operator::Bnns { .. } => {
                let output_shape = self.allocated.clone().unwrap_or_else(|| self.result());
                Operator::Bnns { output_shape }
            }
            Operator::Blas { norm, .. } => {
                let Vector { n, incx } = self.vector;
                Operator::Blas { norm, n, incx }
            }
            Operator::ArrayApi { keepdims, .. } if self.ord => {
                Operator::ArrayApi { ord: Some(Norm::L2), keepdims }
            }
            plain => plain,
        };
        Call::new(operator.with_keep_dims(self.keep), data, self.axes)
    }
}
