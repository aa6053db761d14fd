//! The order of calls by size.
//!
//! [`CallSize`]'s fields are compared from the first to the last. All are counts, so every descending chain is
//! finite, and shrinking ends. Unusual features weigh more than amounts: a call without a zero-sized dim is
//! smaller than any with one, so that a remaining feature is a needed one.

use normative_reference::{Axes, AxesTensor, Call, Dtype, Layout, Operator, Spec, rule};

use super::value;

/// The size of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallSize {
    /// The number of honest readings; 1 if the text decides.
    readings: usize,
    /// The count of axis numbers that name an earlier number's axis again.
    repeated: usize,
    /// The layout; row-major is least.
    layout: Layout,
    /// The count of zero-sized dims, plus 1 for a scalar.
    odd_dims: usize,
    elements: usize,
    rank: usize,
    /// The sum of the dims, which is informative even without elements.
    dims: usize,
    axes: usize,
    /// The spelling of the axes: absent, list, scalar, tensor, null; then list, scalar, tensor of another opset.
    spelling: u8,
    /// The cost of the axis numbers: small before large, counted from the front before from the end.
    numbers: u128,
    /// The count of pairs of numbers in descending order.
    disorder: usize,
    axes_dtype: usize,
    /// The cost of attributes: left out, then defaults, then others.
    attributes: u128,
    dtype: usize,
    values: u128,
}

/// The element types of data, in order of popularity.
pub(super) const DTYPES: [Dtype; 12] = [
    Dtype::F32,
    Dtype::F64,
    Dtype::I32,
    Dtype::I64,
    Dtype::F16,
    Dtype::Bf16,
    Dtype::U32,
    Dtype::U64,
    Dtype::I8,
    Dtype::U8,
    Dtype::I16,
    Dtype::U16,
];

/// The element types of axes, in order of preference.
pub(super) const AXES_DTYPES: [Dtype; 12] = [
    Dtype::I64,
    Dtype::I32,
    Dtype::I16,
    Dtype::I8,
    Dtype::U64,
    Dtype::U32,
    Dtype::U16,
    Dtype::U8,
    Dtype::F32,
    Dtype::F64,
    Dtype::F16,
    Dtype::Bf16,
];

impl CallSize {
    /// Returns the size of a call.
    pub fn of(call: &Call) -> Self {
        let (shape, dtype) = (call.data.shape(), call.data.dtype());
        let of_shape = |axes: &AxesTensor| [2, 1].get(axes.shape.len()).copied().unwrap_or(3);
        let (axes, spelling, named): (_, _, &[i128]) = match &call.axes {
            Axes::Absent => (Dtype::I64, 0, &[]),
            Axes::Null => (Dtype::I64, 4, &[]),
            Axes::Given(axes) => (axes.dtype, of_shape(axes), &axes.values),
            Axes::OtherForm(axes) => (axes.dtype, 4 + of_shape(axes), &axes.values),
        };
        let pairs = named.iter().enumerate().flat_map(|(at, a)| named[at + 1..].iter().map(move |b| (a, b)));
        Self {
            readings: rule(call).alternatives.len(),
            repeated: repeated(named, shape.len() as i128),
            layout: call.layout,
            odd_dims: shape.iter().filter(|&&dim| dim == 0).count() + usize::from(shape.is_empty()),
            elements: call.data.len(),
            rank: shape.len(),
            // Each dim is at most `MAX_ELEMENTS`, so the sum does not overflow.
            dims: shape.iter().sum(),
            axes: named.len(),
            spelling,
            numbers: named.iter().map(|&axis| number(axis)).sum(),
            disorder: pairs.filter(|(a, b)| a > b).count(),
            axes_dtype: place(&AXES_DTYPES, axes),
            attributes: attributes(call),
            dtype: place(&DTYPES, dtype),
            values: call.data.bits().into_iter().map(|bits| u128::from(value::cost(dtype, bits))).sum(),
        }
    }
}

fn repeated(named: &[i128], rank: i128) -> usize {
    let axis = |&number: &i128| if number < 0 { number.saturating_add(rank) } else { number };
    let axes: Vec<i128> = named.iter().map(axis).collect();
    axes.iter().enumerate().filter(|(at, axis)| axes[..*at].contains(axis)).count()
}

fn place(preferred: &[Dtype], dtype: Dtype) -> usize {
    preferred.iter().position(|&other| other == dtype).unwrap_or(preferred.len())
}

/// Returns the cost of a number that names an axis. For all integer types it fits 66 bits.
fn number(axis: i128) -> u128 {
    const FROM_THE_END: u128 = 1000;
    2 * axis.unsigned_abs() + if axis < 0 { FROM_THE_END } else { 0 }
}

fn attributes(call: &Call) -> u128 {
    // The values 0 and 1 cost 1 and 2; the simpler one costs 1.
    let cost = |value: Option<i64>, simplest: i64| match value {
        None => 0,
        Some(value @ 0..=1) => 1 + u128::from(value != simplest),
        Some(value) => 3 + 2 * u128::from(value.unsigned_abs()) + u128::from(value < 0),
    };
    let allocated = match &call.operator {
        Operator::Bnns { output_shape } if *output_shape != room(call) => {
            1 + output_shape.len() as u128 + output_shape.iter().map(|&dim| dim as u128).sum::<u128>()
        }
        _ => 0,
    };
    let vector = match call.operator {
        // Adjacent elements are simplest, and reading from the front is simpler than from the end.
        Operator::Blas { n, incx, .. } => {
            let (count, apart) = (u128::from(n.unsigned_abs()), u128::from(incx.abs_diff(1)));
            2 * (count + apart) + u128::from(n < 0) + u128::from(incx < 0)
        }
        _ => 0,
    };
    let ord = u128::from(matches!(call.operator, Operator::ArrayApi { ord: Some(_), .. }));
    cost(call.operator.keep_dims(), 1)
        + cost(call.operator.noop_with_empty_axes(), 0)
        + allocated
        + ord
        + vector
}

/// Returns the dims of the output that a caller of BNNS allocates, fastest first, with negative axes counted
/// from the end.
pub(super) fn room(call: &Call) -> Vec<usize> {
    let rank = call.data.rank();
    let from_the_front = |&value: &i128| if value < 0 { value + rank as i128 } else { value };
    let named = |axis: usize| match &call.axes {
        Axes::Absent | Axes::Null | Axes::OtherForm(_) => true,
        Axes::Given(axes) => {
            let mut values = axes.values.iter().map(from_the_front);
            values.any(|value| row_major(Spec::Bnns, rank, value) == Some(axis))
        }
    };
    let kept = (0..rank).rev().filter(|&axis| !named(axis));
    let dims: Vec<usize> = kept.map(|axis| call.data.shape()[axis]).collect();
    if dims.is_empty() { vec![1] } else { dims }
}

/// Returns the row-major axis that a number names, if it exists.
pub(super) fn row_major(spec: Spec, rank: usize, value: i128) -> Option<usize> {
    let axis = named_axis(spec, rank, value);
    (0..rank as i128).contains(&axis).then_some(axis as usize)
}

/// Returns the row-major index that a number names, even if it is out of range.
pub(crate) const fn named_axis(spec: Spec, rank: usize, value: i128) -> i128 {
    let rank = rank as i128;
    match spec {
        Spec::Bnns => rank - 1 - value,
        _ if value < 0 => value.saturating_add(rank),
        _ => value,
    }
}
