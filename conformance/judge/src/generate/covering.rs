//! Describes the kernel of a call: the factors by which implementations choose and cut their loops.
//!
//! Real defects occur in one element type, one norm, one position of the reduced axes, one length modulo the
//! vector width, one number of columns or rows. These, with the spec and the attribute for reduced dims, are
//! the factors of a covering design ([`design`]): cases and generated calls are counted by the combinations
//! that they meet. A second design is for special values ([`special`]).
//!
//! This does not model any runtime. The modulus is 8, because a remainder by 8 also gives those by 2 and 4, and
//! multiples of 8 reach longer vectors. Remainders by 3 and 5 separate products of small dims. The sizes
//! separate lengths below one vector of 8, of one, of some, of many, and of blocks and threads.
//!
//! A call counts only if its data can show a wrong kernel: [`tells`] presents wrong results to the judge
//! itself, so this claim rests on verdicts.

pub mod design;
mod factors;
pub(crate) mod rows;
pub mod special;

use std::fmt;

use normative_reference::reduction::Dims;
use normative_reference::{
    Alternative, Call, Dtype, Elements, Expected, Outcome, Reduction, Spec, Tensor, TensorError, expect, rule,
};

pub use self::factors::{Columns, Inner, Keep, Placement, Position, Rows, Size};

use crate::observed::Observed;
use crate::verdict::{Demands, Sheet, judge};

/// The loop that a call runs through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// The operator version, and with it the norm.
    pub spec: Spec,
    /// The data's element type.
    pub dtype: Dtype,
    /// The place of the reduction among the dims.
    pub placement: Placement,
    /// The fate of reduced dims: dropped or kept, explicitly or by default.
    pub keep: Keep,
}

/// The most elements of a kernel: larger ones cost more than they show.
pub const MOST: usize = 80_000;

impl Kernel {
    /// Returns the factors of a call. `None` if its form is open, or nothing is reduced.
    pub fn of(call: &Call) -> Option<Self> {
        let alternatives = rule(call).alternatives;
        let (first, _) = reduction(alternatives.first()?)?;
        let decided =
            alternatives.iter().all(|other| reduction(other).is_some_and(|(same, _)| same == first));
        // The spacing of a vector's elements does not change its length.
        let placement = match first.elements {
            Elements::All => Placement::of(call.data.shape(), &first.axes)?,
            Elements::Spaced { count, .. } => Placement::of(&[count], &first.axes)?,
        };
        let (spec, dtype, keep) = (call.spec(), call.data.dtype(), Keep::of(call.operator.keep_dims()));
        decided.then_some(Self { spec, dtype, placement, keep })
    }

    /// Returns the longest run whose sum shows an element more or less; half types round longer ones too much.
    pub const fn longest(dtype: Dtype) -> usize {
        match dtype {
            Dtype::Bf16 => 79,
            Dtype::F16 => 600,
            _ => usize::MAX,
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { spec, dtype, placement: Placement { position, run, inner, rows }, keep } = self;
        write!(
            f,
            "{spec} {dtype} {position:?}, {rows} rows of {run} with {inner} columns, reduced dims {keep:?}"
        )
    }
}

/// Returns the reduction of a reading, if it is one.
fn reduction(reading: &Alternative) -> Option<(&Reduction, &Outcome)> {
    match &reading.outcome {
        Outcome::Reduce(reduction, _) => Some((reduction, &reading.outcome)),
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => None,
    }
}

/// Returns for each element, row-major, the index of its output and its index within that output's row.
pub fn places(shape: &[usize], reduced: &[usize]) -> Vec<(usize, usize)> {
    let mut places = vec![(0, 0)];
    for (axis, &dim) in shape.iter().enumerate() {
        let reduces = reduced.contains(&axis);
        let next = |&(output, place): &(usize, usize)| {
            (0..dim)
                .map(move |at| if reduces { (output, place * dim + at) } else { (output * dim + at, place) })
        };
        places = places.iter().flat_map(next).collect();
    }
    places
}

/// Returns for each place of a row its rank in receiving important elements: first the last place, the first, and
/// both sides of the last border of vectors of several lengths; then all others. The case format depends on it.
pub fn turns(terms: usize) -> Vec<usize> {
    let borders = [8, 4, 16, 32, 2, 64].map(|vector| terms - terms % vector);
    let either_side = borders.into_iter().flat_map(|border| [Some(border), border.checked_sub(1)]).flatten();
    let mut turns = vec![usize::MAX; terms];
    let mut next = 0;
    for place in terms.checked_sub(1).into_iter().chain([0]).chain(either_side).chain(0..terms) {
        if let Some(turn) = turns.get_mut(place).filter(|turn| **turn == usize::MAX) {
            *turn = next;
            next += 1;
        }
    }
    turns
}

/// Returns true if the data of a call show a wrong kernel. The judge must refuse the result without the first
/// or last element of each row, with either of them twice, and with the results rotated by one.
///
/// # Errors
/// Returns [`TensorError`] when the reference cannot hold a result.
pub fn tells(call: &Call) -> Result<bool, TensorError> {
    let alternatives = rule(call).alternatives;
    let Some((reduced, Outcome::Reduce(_, arithmetic))) = alternatives.first().and_then(reduction) else {
        return Ok(false);
    };
    let (shape, sheet) = (call.data.shape(), Sheet::of(call)?);
    let (outputs, terms) = (reduced.outputs(shape), reduced.terms(shape));
    let bits = reduced.operand(&call.data).bits_by(&reduced.outer_to_inner(shape.len()));
    if outputs == 0 || terms == 0 {
        return Ok(false);
    }
    let rows: Vec<&[u64]> = bits.chunks(terms).collect();
    let output_shape = reduced.output_shape(shape);
    let results = |rows: Vec<Vec<u64>>| -> Result<Vec<u64>, TensorError> {
        let dims = [outputs, rows.first().map_or(0, Vec::len)];
        let data = Tensor::from_bits(call.data.dtype(), &dims, &rows.concat())?;
        let along_rows =
            Reduction { norm: reduced.norm, axes: vec![1], dims: Dims::Drop, elements: Elements::All };
        let outcome = Outcome::Reduce(along_rows, *arithmetic);
        match expect(&Call { data, ..call.clone() }, &outcome)? {
            Expected::Exactly(tensor) => Ok(tensor.bits()),
            Expected::Converted(converted) => Ok(converted.best.bits()),
            Expected::Near(near) => Ok(near.rounded()?.bits()),
            // A result beyond its type is refused under this reading; use zeros.
            Expected::Rejection(_) | Expected::Anything(_) => Ok(vec![0; outputs]),
        }
    };
    let shows = |bits: &[u64]| -> Result<bool, TensorError> {
        let answer = Observed::Tensor(Tensor::from_bits(call.data.dtype(), &output_shape, bits)?);
        Ok(judge(&sheet, &answer, &Demands::default()).is_failure())
    };
    for place in [0, terms - 1] {
        // The bits of zero are 0 in all types.
        let without = |row: &&[u64]| [&row[..place], &[0], &row[place + 1..]].concat();
        let twice = |row: &&[u64]| [*row, &row[place..=place]].concat();
        if !shows(&results(rows.iter().map(without).collect())?)?
            || !shows(&results(rows.iter().map(twice).collect())?)?
        {
            return Ok(false);
        }
    }
    let mut neighbours = results(rows.iter().map(|row| row.to_vec()).collect())?;
    neighbours.rotate_left(1);
    Ok(outputs == 1 || shows(&neighbours)?)
}
