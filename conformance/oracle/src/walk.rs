//! Walks through a tensor: chooses the elements that are added together, and the order of reading.
//!
//! Elements are first copied into a block, in their memory order, so that the loop finds its operands side by
//! side. If the innermost axis is reduced, these are the elements of one output, row after row. If it is
//! kept, they are rows of neighbouring outputs.

use std::array::from_fn;
use std::slice::from_mut;

use crate::axes::{Axis, for_each_offset};
use crate::kernels::{LANES, Lanes, ROWS, Strip, add_up};
use crate::sum::Sum;
use crate::term::Term;

/// The most elements in a block.
const BLOCK: usize = ROWS * LANES;

/// The most neighbouring outputs that are computed together: in f32, a kilobyte.
const PANEL: usize = 256;

/// A tensor with fewer elements is added in narrow panels.
const SMALL: usize = 2048;

/// Passes the sum of every output to `take`, in their order; `take` leaves it empty.
pub(crate) fn sums<T: Copy + Default, M: Term, S: Strip<M>>(
    elements: &[T],
    mut axes: Vec<Axis>,
    magnitude: impl Fn(T) -> M + Copy,
    mut take: impl FnMut(&mut Sum),
) {
    let inner = axes.pop().unwrap_or(Axis::ONE);
    let (mut reduced, kept): (Vec<Axis>, Vec<Axis>) = axes.into_iter().partition(|axis| axis.reduced);
    if inner.reduced {
        let terms = reduced.iter().map(|axis| axis.dim).product::<usize>() * inner.dim;
        let mut run = Run::<T, _, S>::new(magnitude, terms);
        for_each_offset(&kept, 0, &mut |at| {
            for_each_offset(&reduced, at, &mut |at| run.add(&elements[at..at + inner.dim]));
            run.settle();
            take(&mut run.sum);
        });
    } else {
        let rows = reduced.pop().unwrap_or(Axis::ONE);
        // Empty sums are a few kilobytes each, so a small tensor gets few of them.
        let width = inner.dim.min(if elements.len() < SMALL { LANES } else { PANEL });
        let mut panel = Panel::<T, _, S>::new(elements, magnitude, rows.stride, width);
        for_each_offset(&kept, 0, &mut |at| {
            for first in (0..inner.dim).step_by(width) {
                panel.width = width.min(inner.dim - first);
                for_each_offset(&reduced, at + first, &mut |at| panel.add(at, rows.dim));
                panel.settle();
                panel.sums[..panel.width].iter_mut().for_each(&mut take);
            }
        });
    }
}

/// The sum of one output, whose elements lie in runs.
struct Run<T, F, S> {
    magnitude: F,
    block: Vec<T>,
    filled: usize,
    strip: S,
    sum: Sum,
}

impl<T: Copy + Default, M, F: Fn(T) -> M + Copy, S: Strip<M>> Run<T, F, S> {
    fn new(magnitude: F, terms: usize) -> Self {
        let block = vec![T::default(); terms.next_multiple_of(LANES).min(BLOCK)];
        Self { magnitude, block, filled: 0, strip: S::default(), sum: Sum::default() }
    }

    fn add(&mut self, mut run: &[T]) {
        while !run.is_empty() {
            let room = &mut self.block[self.filled..];
            let (now, later) = run.split_at(run.len().min(room.len()));
            room[..now.len()].copy_from_slice(now);
            (self.filled, run) = (self.filled + now.len(), later);
            if self.filled == self.block.len() {
                self.settle();
            }
        }
    }

    /// Adds the elements in the block to the sum.
    fn settle(&mut self) {
        let end = self.filled.next_multiple_of(LANES);
        self.block[self.filled..end].fill(T::default());
        self.filled = 0;
        let (rows, magnitude) = (self.block[..end].as_chunks::<LANES>().0, self.magnitude);
        let Some(first) = rows.first() else { return };
        if self.strip.begin(first.map(magnitude)) {
            add_up(rows.as_flattened(), magnitude, from_mut(&mut self.strip));
        }
        self.strip.settle(from_mut(&mut self.sum), rows.iter().map(|row| row.map(magnitude)));
    }
}

/// The sums of neighbouring outputs. Every row has one element for each.
struct Panel<'a, T, F, S> {
    elements: &'a [T],
    magnitude: F,
    /// The distance between the rows of a run.
    stride: usize,
    width: usize,
    /// The start of each run that is not settled, and its number of rows.
    runs: Vec<(usize, usize)>,
    /// The number of rows in all runs.
    rows: usize,
    block: Vec<T>,
    filled: usize,
    strips: Vec<S>,
    sums: Vec<Sum>,
}

impl<'a, T: Copy + Default, M, F: Fn(T) -> M + Copy, S: Strip<M>> Panel<'a, T, F, S> {
    fn new(elements: &'a [T], magnitude: F, stride: usize, width: usize) -> Self {
        let strips = vec![S::default(); width.div_ceil(LANES)];
        let sums = (0..width).map(|_| Sum::default()).collect();
        let block = vec![T::default(); BLOCK];
        Self { elements, magnitude, stride, width, runs: Vec::new(), rows: 0, block, filled: 0, strips, sums }
    }

    /// Adds a run of rows, the first of which begins at this index.
    fn add(&mut self, mut at: usize, mut rows: usize) {
        let strips = self.width.div_ceil(LANES);
        let padded = strips * LANES;
        while rows > 0 {
            if self.rows == 0 {
                for (column, strip) in self.strips[..strips].iter_mut().enumerate() {
                    strip.begin(lanes(self.elements, at, self.width, column).map(self.magnitude));
                }
            }
            let room = &mut self.block[self.filled..];
            let now = rows.min(room.len() / padded).min(ROWS - self.rows);
            if self.stride == padded {
                room[..now * padded].copy_from_slice(&self.elements[at..at + now * padded]);
            } else {
                for (row, to) in room.chunks_exact_mut(padded).take(now).enumerate() {
                    let at = at + row * self.stride;
                    to[..self.width].copy_from_slice(&self.elements[at..at + self.width]);
                    to[self.width..].fill(T::default());
                }
            }
            self.runs.push((at, now));
            (at, rows) = (at + now * self.stride, rows - now);
            (self.filled, self.rows) = (self.filled + now * padded, self.rows + now);
            if self.rows == ROWS {
                self.settle();
            } else if self.filled + padded > BLOCK {
                self.add_up();
            }
        }
    }

    fn add_up(&mut self) {
        let strips = &mut self.strips[..self.width.div_ceil(LANES)];
        add_up(&self.block[..self.filled], self.magnitude, strips);
        self.filled = 0;
    }

    /// Adds the exact sums of all rows to the outputs' sums.
    fn settle(&mut self) {
        if self.rows == 0 {
            return;
        }
        self.add_up();
        let Self { elements, magnitude, stride, width, runs, strips, sums, .. } = self;
        let (elements, stride, width) = (*elements, *stride, *width);
        let rows = runs.iter().flat_map(|&(at, rows)| (0..rows).map(move |row| at + row * stride));
        for (column, (strip, sums)) in strips.iter_mut().zip(sums[..width].chunks_mut(LANES)).enumerate() {
            let row = |at| lanes(elements, at, width, column).map(*magnitude);
            strip.settle(sums, rows.clone().map(row));
        }
        self.runs.clear();
        self.rows = 0;
    }
}

/// Returns the elements of a strip in the row at this index.
fn lanes<T: Copy + Default>(elements: &[T], at: usize, width: usize, column: usize) -> Lanes<T> {
    let of_row = |lane| Some(column * LANES + lane).filter(|&place| place < width);
    from_fn(|lane| of_row(lane).map_or(T::default(), |place| elements[at + place]))
}
