//! Which kernel a call runs through: the factors by which implementations choose and cut their loops.
//!
//! Real defects live in one element type, one norm, one position of the reduced axes, one length modulo the
//! vector width and one alignment of the inner dim. These five (with the size of the length and the spec) are the
//! factors of a covering design ([`design`]): cases and generated calls are counted by what they meet of it.
//!
//! This is no model of any runtime. Eight is the modulus because a length's remainder by 8 tells its remainder by
//! 2 and 4, and longer vectors are reached by lengths of several times 8; the sizes part lengths below one vector of 8,
//! with one, with some, and with many, where loops are unrolled.
//!
//! A call counts only where its data tell: [`tells`] holds wrong results against the judge itself, so what is
//! called telling here is what a verdict rests on.

pub mod design;
pub(crate) mod rows;

use std::fmt;

use normative_oracle::expect;
use normative_reference::reduction::Dims;
use normative_reference::spec::AxesForm;
use normative_reference::{
    Alternative, Call, Dtype, Elements, Expected, Outcome, Reduction, Spec, Tensor, TensorError, rule,
};

use crate::judge::verdict::{Demands, Sheet, judge};
use crate::observed::Observed;

/// Where the reduced axes stand among the kept ones. Dims of 1 are left aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Position {
    /// No axis is kept.
    All,
    /// After the kept axes.
    Inner,
    /// Before the kept axes.
    Outer,
    /// Between kept axes.
    Middle,
    /// In several places, with a kept axis between them.
    Several,
}

/// How long the innermost run of reduced axes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    /// 1.
    One,
    /// 2 to 7: less than a vector of 8.
    Short,
    /// 8 to 15: one vector and a tail.
    Vector,
    /// 16 to 63: some vectors.
    Vectors,
    /// 64 and more: unrolled loops.
    Long,
}

/// How many elements lie between two neighbours of a run, modulo 8: the kept dims after the last reduced axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Inner {
    /// 1: the run is contiguous.
    Contiguous,
    /// A multiple of 8.
    Whole,
    /// One more.
    OneOver,
    /// One less.
    OneShort,
    /// Any other.
    Other,
}

/// The factors of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kernel {
    /// The operator version, and with it the norm.
    pub spec: Spec,
    /// The data's element type.
    pub dtype: Dtype,
    /// Where the reduced axes stand.
    pub position: Position,
    /// The run's length modulo 8.
    pub residue: u8,
    /// The run's length, roughly.
    pub size: Size,
    /// The alignment of the inner dim.
    pub inner: Inner,
}

impl Position {
    /// Every position.
    pub const ALL: [Self; 5] = [Self::All, Self::Inner, Self::Outer, Self::Middle, Self::Several];

    /// Those that calls of a spec can have: of vectors there is one.
    pub fn of(spec: Spec) -> &'static [Self] {
        if spec.rules().axes == AxesForm::NoAxes { &[Self::All] } else { &Self::ALL }
    }
}

impl Size {
    /// Every size, the least first.
    pub const ALL: [Self; 5] = [Self::One, Self::Short, Self::Vector, Self::Vectors, Self::Long];

    /// The size of a length.
    pub const fn of(length: usize) -> Self {
        match length {
            0 | 1 => Self::One,
            2..=7 => Self::Short,
            8..=15 => Self::Vector,
            16..=63 => Self::Vectors,
            _ => Self::Long,
        }
    }
}

impl Inner {
    /// Every alignment.
    pub const ALL: [Self; 5] = [Self::Contiguous, Self::Whole, Self::OneOver, Self::OneShort, Self::Other];

    /// The alignment of so many elements.
    pub const fn of(elements: usize) -> Self {
        match (elements, elements % 8) {
            (0 | 1, _) => Self::Contiguous,
            (_, 0) => Self::Whole,
            (_, 1) => Self::OneOver,
            (_, 7) => Self::OneShort,
            _ => Self::Other,
        }
    }
}

/// How a reduction lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Where the reduced axes stand.
    pub position: Position,
    /// The length of the innermost run of reduced axes.
    pub run: usize,
    /// How many elements lie between two neighbours of a run.
    pub inner: usize,
}

impl Layout {
    /// The layout of data of this shape, reduced over these axes (row-major, ascending). `None` where nothing is
    /// reduced or there is no element.
    pub fn of(shape: &[usize], axes: &[usize]) -> Option<Self> {
        if shape.contains(&0) || axes.is_empty() {
            return None;
        }
        let long: Vec<usize> = axes.iter().copied().filter(|&axis| shape[axis] > 1).collect();
        // Where all of them are 1, none is an obstacle to another.
        let reduced = if long.is_empty() { &axes[axes.len() - 1..] } else { &long };
        let (first, last) = (*reduced.first()?, *reduced.last()?);
        let is_kept = |axis: &usize| !reduced.contains(axis);
        let kept = |from: usize, to: usize| -> usize {
            (from..to).filter(is_kept).map(|axis| shape[axis]).product()
        };
        let inner = kept(last + 1, shape.len());
        let position = match (kept(0, first) > 1, kept(first, last) > 1, inner > 1) {
            (_, true, _) => Position::Several,
            (true, false, true) => Position::Middle,
            (true, false, false) => Position::Inner,
            (false, false, true) => Position::Outer,
            (false, false, false) => Position::All,
        };
        let start = (0..last).rev().find(|axis| is_kept(axis) && shape[*axis] > 1).map_or(0, |axis| axis + 1);
        let run = reduced.iter().filter(|&&axis| axis >= start).map(|&axis| shape[axis]).product();
        Some(Self { position, run, inner })
    }
}

impl Kernel {
    /// The factors of a call. `None` where its form is not decided, or nothing is reduced.
    pub fn of(call: &Call) -> Option<Self> {
        let alternatives = rule(call).alternatives;
        let (first, _) = reduction(alternatives.first()?)?;
        let decided =
            alternatives.iter().all(|other| reduction(other).is_some_and(|(same, _)| same == first));
        // A vector is as long as it is, however far apart its elements lie.
        let Layout { position, run, inner } = match first.elements {
            Elements::All => Layout::of(call.data.shape(), &first.axes)?,
            Elements::Spaced { count, .. } => Layout::of(&[count], &first.axes)?,
        };
        decided.then(|| Self {
            spec: call.spec(),
            dtype: call.data.dtype(),
            position,
            residue: (run % 8) as u8,
            size: Size::of(run),
            inner: Inner::of(inner),
        })
    }

    /// Whether there are calls with all these factors.
    pub fn is_possible(&self) -> bool {
        use {Inner as I, Position as P, Size as S};
        let takes = self.spec.rules().dtypes.contains(&self.dtype);
        // Where nothing is kept inside, a run is contiguous, and only there.
        let lies = match self.position {
            P::All | P::Inner => self.inner == I::Contiguous,
            P::Outer | P::Middle => self.inner != I::Contiguous,
            // A run of 1 is left aside, and one place is left.
            P::Several => self.size != S::One,
        };
        let measures = match self.size {
            S::One => self.residue == 1,
            S::Short => self.residue >= 2,
            S::Vector | S::Vectors | S::Long => self.residue < 8,
        };
        takes && lies && measures && Position::of(self.spec).contains(&self.position)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { spec, dtype, position, residue, size, inner } = self;
        write!(f, "{spec} {dtype} {position:?}, length {residue} mod 8 ({size:?}), inner dim {inner:?}")
    }
}

/// The reduction of a reading, where it is one.
fn reduction(reading: &Alternative) -> Option<(&Reduction, &Outcome)> {
    match &reading.outcome {
        Outcome::Reduce(reduction, _) => Some((reduction, &reading.outcome)),
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => None,
    }
}

/// For each element, row-major: which output it goes into, and the how manieth of its row it is.
pub(crate) fn places(shape: &[usize], reduced: &[usize]) -> Vec<(usize, usize)> {
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

/// Of each place of a row, when its turn comes to hold an element that matters: the last, the first, what is on either
/// side of the last border of vectors of several lengths, and then all others. The case format builds on it.
pub(crate) fn turns(terms: usize) -> Vec<usize> {
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

/// Whether the data of a call show a wrong kernel: the judge refuses the result without the first and without the
/// last element of each row, with either of them twice, and with each result in its neighbour's place.
///
/// # Errors
/// [`TensorError`] when the reference cannot hold a result.
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
            // Beyond its type, where that is refused.
            Expected::Rejection(_) | Expected::Anything(_) => Ok(vec![0; outputs]),
        }
    };
    let shows = |bits: &[u64]| -> Result<bool, TensorError> {
        let answer = Observed::Tensor(Tensor::from_bits(call.data.dtype(), &output_shape, bits)?);
        Ok(judge(&sheet, &answer, &Demands::default()).is_failure())
    };
    for place in [0, terms - 1] {
        // All types' zeros have the same bits.
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
