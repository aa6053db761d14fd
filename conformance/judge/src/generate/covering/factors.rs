//! The factors of a [`Kernel`](super::Kernel), one by one: their values, and the value of given dims and axes.

use normative_reference::Spec;
use normative_reference::spec::AxesForm;

/// The position of the reduced axes among the kept ones. Dims of 1 are ignored.
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

/// The length of the innermost run of reduced axes.
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
    /// 64 to 255: unrolled loops.
    Long,
    /// 256 to 1023: blocks of a pairwise sum.
    Hundreds,
    /// 1024 and more: several blocks, or threads.
    Thousands,
}

/// The number of elements between two neighbours of a run, modulo 8: the kept dims after the last reduced axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Inner {
    /// 1: the run is contiguous.
    Contiguous,
    /// A multiple of 8.
    Whole,
    /// A multiple of 8, plus 1.
    OneOver,
    /// A multiple of 8, minus 1.
    OneShort,
    /// Any other number.
    Other,
}

/// The number of columns side by side: the kept dims after the last reduced axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Columns {
    /// 1.
    One,
    /// 2 to 7: less than a vector of 8.
    Few,
    /// 8 to 31: some vectors.
    Some,
    /// 32 and more: a loop over blocks of columns.
    Many,
}

/// The number of rows: the kept dims before the last run of reduced axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rows {
    /// 1.
    One,
    /// 2 to 4.
    Few,
    /// 5 to 15.
    Some,
    /// 16 and more.
    Many,
}

/// The attribute for reduced dims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keep {
    /// Left out.
    Unsaid,
    /// Set to drop them.
    Dropped,
    /// Set to keep them.
    Kept,
}

impl Position {
    /// Every position.
    pub const ALL: [Self; 5] = [Self::All, Self::Inner, Self::Outer, Self::Middle, Self::Several];

    /// Returns the positions that calls of a spec can have: for vectors there is one.
    pub fn of(spec: Spec) -> &'static [Self] {
        if spec.rules().axes == AxesForm::NoAxes { &[Self::All] } else { &Self::ALL }
    }
}

impl Size {
    /// Every size, the least first.
    pub const ALL: [Self; 7] =
        [Self::One, Self::Short, Self::Vector, Self::Vectors, Self::Long, Self::Hundreds, Self::Thousands];

    /// Returns the size of a length.
    pub const fn of(length: usize) -> Self {
        match length {
            0 | 1 => Self::One,
            2..=7 => Self::Short,
            8..=15 => Self::Vector,
            16..=63 => Self::Vectors,
            64..=255 => Self::Long,
            256..=1023 => Self::Hundreds,
            _ => Self::Thousands,
        }
    }
}

impl Inner {
    /// Every alignment.
    pub const ALL: [Self; 5] = [Self::Contiguous, Self::Whole, Self::OneOver, Self::OneShort, Self::Other];

    /// Returns the alignment of this number of elements.
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

impl Columns {
    /// Every number, the least first.
    pub const ALL: [Self; 4] = [Self::One, Self::Few, Self::Some, Self::Many];

    /// Returns the class of this number of columns.
    pub const fn of(inner: usize) -> Self {
        match inner {
            0 | 1 => Self::One,
            2..=7 => Self::Few,
            8..=31 => Self::Some,
            _ => Self::Many,
        }
    }
}

impl Rows {
    /// Every number, the least first.
    pub const ALL: [Self; 4] = [Self::One, Self::Few, Self::Some, Self::Many];

    /// Returns the class of this number of rows.
    pub const fn of(rows: usize) -> Self {
        match rows {
            0 | 1 => Self::One,
            2..=4 => Self::Few,
            5..=15 => Self::Some,
            _ => Self::Many,
        }
    }
}

impl Keep {
    /// Every value.
    pub const ALL: [Self; 3] = [Self::Unsaid, Self::Dropped, Self::Kept];

    /// Returns the value for an attribute.
    pub const fn of(attribute: Option<i64>) -> Self {
        match attribute {
            None => Self::Unsaid,
            Some(0) => Self::Dropped,
            Some(_) => Self::Kept,
        }
    }

    /// Returns the values that calls of a spec can have.
    pub fn sayable(spec: Spec) -> &'static [Self] {
        let says = spec.operator().with_keep_dims(Some(1)).keep_dims().is_some();
        if says { &Self::ALL } else { &[Self::Unsaid] }
    }
}

/// The place of a reduction among the dims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The position of the reduced axes.
    pub position: Position,
    /// The length of the innermost run of reduced axes.
    pub run: usize,
    /// The number of elements between two neighbours of a run.
    pub inner: usize,
    /// The number of rows: the kept dims before the last run.
    pub rows: usize,
}

impl Placement {
    /// Returns the placement for data of this shape, reduced over these axes (row-major, ascending). `None` if
    /// nothing is reduced or there are no elements.
    pub fn of(shape: &[usize], axes: &[usize]) -> Option<Self> {
        if shape.contains(&0) || axes.is_empty() {
            return None;
        }
        let long: Vec<usize> = axes.iter().copied().filter(|&axis| shape[axis] > 1).collect();
        // If all reduced dims are 1, the last one stands for them.
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
        Some(Self { position, run, inner, rows: kept(0, last) })
    }
}
